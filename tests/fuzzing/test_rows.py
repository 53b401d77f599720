"""Rows are a bag, for every estimator."""

from fuzzing.pairs import pairs
from properties.profiles import hold


@pairs("order of rows", "weights are copies", "weight zero is absence")
def test_rows_are_a_bag(a_property, subject):
    hold(a_property, subject)
