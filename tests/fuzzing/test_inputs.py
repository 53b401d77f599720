"""Inputs are read and never written, for every estimator."""

from fuzzing.pairs import pairs
from properties.profiles import hold


@pairs("read-only", "layout", "frames")
def test_inputs_are_only_read(a_property, subject):
    hold(a_property, subject)
