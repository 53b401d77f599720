"""A study of the recall of a clean class of 3 % of the rows when a fifth of the others flips."""

from ._classification import classification_study

STUDY = classification_study(
    "Clean-test recall of the rare class and accuracy (minus Genie's), flips among the others.",
    kinds=("flip-spare-rare",),
    epsilons=(0.2,),
    datasets=("rare-2000",),
    quick=("rare-400",),
    values=("rarest_recall", "accuracy"),
    seeds=10,
)
