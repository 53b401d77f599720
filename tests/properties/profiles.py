"""How many tables are tried: few and always the same ones in tests, many at random by hand.

``make bench ARGS=fuzz-properties`` runs the second profile.
"""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, settings

ALWAYS = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}
# A failure names its table at once; the command finds a smaller one.
settings.register_profile(
    "few", derandomize=True, max_examples=1, phases=[Phase.generate], **ALWAYS
)
settings.register_profile(
    "fuzz", report_multiple_bugs=False, phases=[Phase.generate, Phase.shrink], **ALWAYS
)
# Rows of a table in tests.
SMALL = 30


def hold(a_property, subject, examples=None):
    """Try a property on a few tables, always the same ones."""
    few = settings.get_profile("few")
    few = settings(few, max_examples=examples or few.max_examples)

    @few
    @given(a_property.drawn(subject.labels, SMALL))
    def one(table):
        a_property.check(subject, table)

    one()
