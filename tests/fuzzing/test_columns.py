"""Columns have no order and no origin, for every estimator with such a kernel."""

from fuzzing.pairs import pairs
from properties.profiles import hold


@pairs("order of columns", "origin of X")
def test_columns_have_no_order_and_no_origin(a_property, subject):
    hold(a_property, subject)
