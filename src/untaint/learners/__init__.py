"""What batch learners are made of, ours and the baselines alike: problems, predictions, audits."""

from .base import KernelLearner, columns, say_passes, say_stage, take
from .crowd import Crowd, LocalCrowd
from .feature_problem import FeatureProblem, make_feature_problem
from .pilot import PILOT_ROWS, draw_rows
from .problem import DualProblem, PrimalProblem, Problem, SystemProblem, make_problem
from .rows import Rows, Sketch

__all__ = [
    "PILOT_ROWS",
    "Crowd",
    "DualProblem",
    "FeatureProblem",
    "KernelLearner",
    "LocalCrowd",
    "PrimalProblem",
    "Problem",
    "Rows",
    "Sketch",
    "SystemProblem",
    "columns",
    "draw_rows",
    "make_feature_problem",
    "make_problem",
    "say_passes",
    "say_stage",
    "take",
]
