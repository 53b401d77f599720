"""What is stored and read predicts the same bits, for every estimator."""

from fuzzing.pairs import pairs
from properties.profiles import hold


@pairs("copies of models", "skops")
def test_a_stored_model_predicts_the_same_bits(a_property, subject):
    hold(a_property, subject)
