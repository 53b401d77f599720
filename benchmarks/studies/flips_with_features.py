"""A study of how close to Genie each classifier comes when flipped rows also lie far out."""

from ._classification import classification_study

STUDY = classification_study(
    "Clean-test accuracy (minus Genie's), training rows with flipped label and 100 times x.",
    kinds=("flip+feature",),
    epsilons=(0.2,),
)
