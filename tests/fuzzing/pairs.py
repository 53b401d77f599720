"""Properties and the estimators they apply to, as parameters of a test."""

import pytest

from properties.catalogue import PROPERTIES
from properties.subjects import SUBJECTS

# One of each family and code path; `make slow` asks the others.
ASKED_EACH_TIME = {
    "regressor rbf",
    "regressor linear",
    "regressor rbf auto",
    "regressor nystroem",
    "regressor rff",
    "regressor cv linear",
    "classifier rbf",
    "classifier linear",
    "classifier nystroem",
    "sever",
    "tilted",
    "hard threshold corrective",
    "consistent",
    "reweighted",
    "corrected ridge",
    "noisy linear",
    "noisy kernel",
    "median scaler",
}
EXPENSIVE = {subject.name for subject in SUBJECTS} - ASKED_EACH_TIME


def pairs(*names, expensive=EXPENSIVE, broken=()):
    """Parameters (a_property, subject) of the properties of these names."""
    found = []
    for a_property in PROPERTIES:
        for subject in a_property.subjects if a_property.name in names else ():
            marks = [pytest.mark.slow] if subject.name in expensive else []
            marks += [
                pytest.mark.xfail(reason=reason, strict=True)
                for name, who, reason in broken
                if (name, who) == (a_property.name, subject.name)
            ]
            label = f"{a_property.name}-{subject.name}"
            found.append(pytest.param(a_property, subject, id=label, marks=marks))
    assert found, f"no property of the names {names}"
    return pytest.mark.parametrize(("a_property", "subject"), found)
