"""A model that is fitted again takes no more memory, for every estimator."""

from fuzzing.pairs import pairs
from properties.profiles import hold
from properties.subjects import SUBJECTS

# Counting every block of memory makes a fit several times slower: one of each family here, and all
# of them in `make slow`.
QUICK = {"regressor nystroem", "classifier linear"}
TRACED = {subject.name for subject in SUBJECTS} - QUICK


@pairs("memory", expensive=TRACED)
def test_fitting_again_takes_no_more_memory(a_property, subject):
    hold(a_property, subject)


@pairs("former rows", expensive=TRACED)
def test_former_rows_are_released(a_property, subject):
    hold(a_property, subject)
