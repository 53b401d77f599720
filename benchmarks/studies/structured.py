"""A study of how close to Genie each method comes when the corruption has a pattern of its own."""

from .base import accuracy_study

STUDY = accuracy_study(
    "Clean-test RMSE over Genie's, corruption with structure (local-solid is not identifiable).",
    kinds=("cluster", "shift", "mirror", "local", "local-solid", "label+feature"),
    epsilons=(0.2, 0.4),
)
