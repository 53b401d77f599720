"""Threads do not disturb one another, for every estimator."""

from fuzzing.pairs import pairs
from properties.profiles import hold


@pairs("threads that predict", "threads that fit")
def test_threads_do_not_disturb_one_another(a_property, subject):
    hold(a_property, subject)
