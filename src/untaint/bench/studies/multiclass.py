"""How close to Genie each classifier comes with several classes, and whether it gives one up.

A single threshold for all losses can trim a whole class away; the smallest recall shows it.
"""

from ._classification import classification_study

STUDY = classification_study(
    "Clean-test accuracy and smallest recall of a class (minus Genie's), several classes, flips.",
    kinds=("flip",),
    epsilons=(0.2, 0.4),
    datasets=("digits", "vehicle", "segment", "glass"),
    quick=("classes5-200",),
    values=("accuracy", "smallest_recall"),
    seeds=5,
)
