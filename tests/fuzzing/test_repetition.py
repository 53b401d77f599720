"""The same call is the same result, for every estimator."""

from fuzzing.pairs import pairs
from properties.profiles import hold


@pairs("second fit", "threads", "blocks")
def test_the_same_call_is_the_same_result(a_property, subject):
    hold(a_property, subject)
