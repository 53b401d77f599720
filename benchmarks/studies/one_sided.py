"""A study of how close to Genie each classifier comes when all label flips are one-sided."""

from ._classification import classification_study

STUDY = classification_study(
    "Clean-test accuracy and smallest recall (minus Genie's), all flips from one class to another.",
    kinds=("flip-one-sided", "flip-one-sided-back"),
    epsilons=(0.2,),
    values=("accuracy", "smallest_recall"),
)
