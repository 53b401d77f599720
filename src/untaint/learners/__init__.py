"""What batch learners are made of, ours and the baselines alike: problems, predictions, audits."""

from .base import KernelLearner, columns, take
from .problem import DualProblem, PrimalProblem, Problem, make_problem
from .rows import Rows, Sketch

__all__ = [
    "DualProblem",
    "KernelLearner",
    "PrimalProblem",
    "Problem",
    "Rows",
    "Sketch",
    "columns",
    "make_problem",
    "take",
]
