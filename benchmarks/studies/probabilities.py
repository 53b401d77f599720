"""A study of what the probabilities are worth when labels are flipped: log loss on clean rows."""

from ._classification import classification_study

STUDY = classification_study(
    "Clean-test log loss and accuracy (minus Genie's), 20 % of the training labels flipped.",
    kinds=("flip",),
    epsilons=(0.2,),
    methods=(
        "genie",
        "untaint",
        "untaint-auto",
        "kernel-logistic",
        "logistic",
        "svc-calibrated",
    ),
    values=("log_loss", "accuracy"),
)
