"""Whatever is handed in: one clear sentence, or a fit that holds together, for every estimator."""

import pytest

from fuzzing.pairs import EXPENSIVE, pairs
from properties.profiles import hold


@pairs("hostile")
def test_hostile_rows_are_refused_or_fitted(a_property, subject):
    hold(a_property, subject, examples=8)


@pytest.mark.slow
@pairs("hostile", expensive=EXPENSIVE)
def test_more_hostile_rows_are_refused_or_fitted(a_property, subject):
    hold(a_property, subject, examples=60)
