"""Units and names of targets are the user's, for every estimator."""

from fuzzing.pairs import pairs
from properties.profiles import hold


@pairs("scale of y", "sign of y", "shift of y", "names of labels")
def test_targets_have_units_and_names(a_property, subject):
    hold(a_property, subject)
