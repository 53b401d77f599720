"""A study of how close to Genie each method comes when labels are drawn from N(5, 5^2)."""

from .base import accuracy_study

STUDY = accuracy_study(
    "Clean-test RMSE over Genie's, labels of a share epsilon of the training rows random.",
    kinds=("label",),
    epsilons=(0.2, 0.4),
)
