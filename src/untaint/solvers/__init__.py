"""Solvers: from a kernel matrix or features, targets and weights to a fitted function."""

from .agreement import Agreement, agree
from .alternating import alternate
from .ball import project, solve_in_ball
from .base import Fit, Progress, RidgeSystem, Solution
from .exact_ridge import ExactRidge
from .feature_newton import FeatureNewton
from .gradient import TrimmedProblem, projected_gradient
from .iterative_ridge import IterativeRidge
from .label_search import Settled, search_labels
from .leave_one_out import leave_one_out_residuals
from .leverage import leverages, without_itself
from .newton import Newton
from .nystroem import nystroem_features
from .primal_ridge import PrimalRidge
from .ridge_path import RidgePath
from .search import Sample, Search, coarse_to_fine

__all__ = [
    "Agreement",
    "ExactRidge",
    "FeatureNewton",
    "Fit",
    "IterativeRidge",
    "Newton",
    "PrimalRidge",
    "Progress",
    "RidgePath",
    "RidgeSystem",
    "Sample",
    "Search",
    "Settled",
    "Solution",
    "TrimmedProblem",
    "agree",
    "alternate",
    "coarse_to_fine",
    "leave_one_out_residuals",
    "leverages",
    "nystroem_features",
    "project",
    "projected_gradient",
    "search_labels",
    "solve_in_ball",
    "without_itself",
]
