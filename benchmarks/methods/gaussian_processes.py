"""Gaussian processes of BoTorch and GPyTorch: rows in, a function that predicts out.

All have a Matern kernel of 5/2 with one length scale a feature, as is BoTorch's practice.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Predict: TypeAlias = Callable[[Array], Array]

# Of the variational fit: it had converged on the first rows it was tried on.
STEPS, RATE, INDUCING = 400, 0.05, 128


def plain(X: Array, y: Array, seed: int) -> Predict:
    """Return a Gaussian process with normal noise."""
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from gpytorch.mlls import ExactMarginalLogLikelihood

    rows, targets = _tensors(X, y, seed)
    model = SingleTaskGP(rows, targets[:, None], covar_module=_kernel(X.shape[1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return _predictor(model)


def relevance_pursuit(X: Array, y: Array, seed: int) -> Predict:
    """Return one whose outliers get a noise variance of their own."""
    from botorch.fit import fit_gpytorch_mll
    from botorch.models.robust_relevance_pursuit_model import RobustRelevancePursuitSingleTaskGP
    from gpytorch.mlls import ExactMarginalLogLikelihood

    rows, targets = _tensors(X, y, seed)
    model = RobustRelevancePursuitSingleTaskGP(
        rows, targets[:, None], covar_module=_kernel(X.shape[1])
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return _predictor(model)


def student_t(X: Array, y: Array, seed: int) -> Predict:
    """Return a variational one with Student's t likelihood, whose freedom is fitted too."""
    import gpytorch
    import torch

    rows, targets = _tensors(X, y, seed)
    start = rows[np.random.default_rng(seed).permutation(len(y))[:INDUCING]]

    class Process(gpytorch.models.ApproximateGP):  # type: ignore[misc]
        def __init__(self) -> None:
            distribution = gpytorch.variational.CholeskyVariationalDistribution(len(start))
            strategy = gpytorch.variational.VariationalStrategy(
                self, start, distribution, learn_inducing_locations=True
            )
            super().__init__(strategy)
            self.mean_module = gpytorch.means.ConstantMean()
            self.covar_module = _kernel(X.shape[1])

        def forward(self, x: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(
                self.mean_module(x), self.covar_module(x)
            )

    model, likelihood = Process().double(), gpytorch.likelihoods.StudentTLikelihood().double()
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, len(y))
    optimizer = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=RATE)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = -bound(model(rows), targets)
        loss.backward()
        optimizer.step()
    model.eval()

    def predict(queries: Array) -> Array:
        with torch.no_grad():
            return np.asarray(model(torch.from_numpy(queries)).mean)

    return predict


def _kernel(n_features: int) -> Any:
    import gpytorch

    return gpytorch.kernels.ScaleKernel(
        gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=n_features)
    ).double()


def _tensors(X: Array, y: Array, seed: int) -> tuple[Any, Any]:
    import torch

    torch.manual_seed(seed)
    return torch.from_numpy(np.ascontiguousarray(X)), torch.from_numpy(np.ascontiguousarray(y))


def _predictor(model: Any) -> Predict:
    import torch

    def predict(queries: Array) -> Array:
        with torch.no_grad():
            return np.asarray(model.posterior(torch.from_numpy(queries)).mean)[:, 0]

    return predict


FITS: dict[str, Callable[[Array, Array, int], Predict]] = {
    "gp": plain,
    "student-t": student_t,
    "relevance-pursuit": relevance_pursuit,
}
