"""A study of how close to Genie each classifier comes when labels are flipped at random."""

from ._classification import classification_study

STUDY = classification_study(
    "Clean-test accuracy (minus Genie's), labels of a share epsilon of the training rows flipped.",
    kinds=("flip",),
    epsilons=(0.1, 0.2, 0.4),
)
