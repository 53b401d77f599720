"""A study of breakdown when 45 % of the rows hold 10^12, as target or in every feature."""

from .base import accuracy_study

STUDY = accuracy_study(
    "Clean-test RMSE over Genie's, 45 % of the training rows with target or features 1e12.",
    kinds=("huge-label", "huge-feature"),
    epsilons=(0.45,),
)
