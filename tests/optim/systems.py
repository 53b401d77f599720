"""The ridge systems by name, each on any kernel matrix."""

from __future__ import annotations

import numpy as np
import pytest

from properties.problems import root
from untaint.optim.low_rank import nystroem_features
from untaint.optim.ridge_cg import IterativeRidge
from untaint.optim.ridge_exact import ExactRidge
from untaint.optim.ridge_primal import PrimalRidge


def exact(K, fit_intercept=True):
    return ExactRidge(K, fit_intercept)


def iterative(K, fit_intercept=True):
    landmarks = np.arange(0, len(K), 3)
    return IterativeRidge(K, nystroem_features(K[landmarks], landmarks), fit_intercept)


def primal(K, fit_intercept=True):
    return PrimalRidge(root(K), fit_intercept)


SYSTEMS = [exact, iterative, primal]
each = pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.__name__)
intercepts = pytest.mark.parametrize("fit_intercept", [True, False], ids=["shifted", "centred"])
