r"""What learns from rows with posteriors of their classes: one classifier, or a stack of them.

Labels are true classes seen through a noise matrix T. A learner that fits weighted rows maximises
their likelihood by the EM algorithm: a row takes part with each class it may belong to, weighted by

.. math:: \gamma_{ik} = T_{k y_i}\, p_k(x_i) \Big/ \sum_j T_{j y_i}\, p_j(x_i) .
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from .._typing import FloatArray
from ..contamination.label_calibration import calibrated
from ..optim.stack_weights import mixture_weights
from .kernel_member import KernelClassification
from .learner import Learner, WeightedRows
from .stacking import StackedClassifier

if TYPE_CHECKING:
    from .classification import ClassificationProblem

# Weight in a stack below which a learner is left out.
MIN_SHARE = 0.01


@final
class SingleClassifier:
    """One learner."""

    def __init__(self, problem: ClassificationProblem, learner: Learner) -> None:
        self.problem, self.learner = problem, learner

    def out_of_fold(self, posterior: FloatArray, noise_matrix: FloatArray) -> FloatArray:
        """Return class probabilities (n, K) of each row by fits without it."""
        problem = self.problem
        data = posterior_rows(posterior, problem.classes, problem.sample_weight)
        return self.learner.out_of_fold(data, problem.classes)

    def fit(self, posterior: FloatArray) -> Any:
        """Return a fit to all rows."""
        problem = self.problem
        return self.learner.fit(posterior_rows(posterior, problem.classes, problem.sample_weight))

    @property
    def learners(self) -> dict[str, float]:
        """The name of the learner."""
        return {type(self.learner.estimator).__name__: 1.0}

    @property
    def n_fits(self) -> int:
        """Fits so far."""
        return self.learner.n_fits


@final
class ClassifierStack:
    """Kernel, forest and boosting, mixed by the weights under which labels are likeliest."""

    def __init__(self, problem: ClassificationProblem, learners: dict[str, Learner]) -> None:
        self.problem, self.own = (
            problem,
            {k: SingleClassifier(problem, v) for k, v in learners.items()},
        )
        self.mixing = dict[bytes, FloatArray]()
        self.share = np.full(1 + len(learners), 1.0 / (1 + len(learners)))

    def out_of_fold(self, posterior: FloatArray, noise_matrix: FloatArray) -> FloatArray:
        """Return class probabilities (n, K) of each row by fits without it."""
        problem = self.problem
        kernel = self._kernel(noise_matrix)
        parts = [member.out_of_fold(posterior, noise_matrix) for member in self.own.values()]
        known = np.all([np.isfinite(part).all(axis=1) for part in parts], axis=0)
        weights = np.where(known, problem.sample_weight, 0.0)
        own = [
            calibrated(np.nan_to_num(part, nan=0.5), problem.codes, noise_matrix, weights)
            for part in [kernel.probabilities, *parts]
        ]
        rates = noise_matrix.T[problem.codes]
        likelihoods = np.column_stack([(end.probabilities * rates).sum(axis=1) for end in own])
        mixing = mixture_weights(likelihoods[known], problem.sample_weight[known])
        self.mixing[noise_matrix.tobytes()] = mixing
        stacked = np.stack([kernel.probabilities, *parts], axis=-1)
        return np.asarray(stacked @ mixing)

    def fit(self, posterior: FloatArray) -> Any:
        """Return a stack of fits to all rows."""
        problem = self.problem
        corrects = posterior is not problem.labels and len(self.mixing) > 1
        key = list(self.mixing)[-1 if corrects else 0]
        shares = np.where(self.mixing[key] >= MIN_SHARE, self.mixing[key], 0.0)
        self.share = shares / shares.sum()
        fitted = []
        if shares[0] > 0:
            matrix = np.frombuffer(key).reshape(len(problem.classes), -1)
            fitted.append(("kernel", self._kernel(matrix).model))
        own = zip(self.own.items(), shares[1:], strict=True)
        fitted += [(name, member.fit(posterior)) for (name, member), share in own if share > 0]
        used = shares[shares > 0] / shares.sum()
        return StackedClassifier(problem.encoder, fitted, used, problem.classes)

    def _kernel(self, noise_matrix: FloatArray) -> KernelClassification:
        """Return the kernel classifier, plain or with its own noise matrix."""
        robust = self.problem.kernel(plain=False)
        if np.array_equal(noise_matrix, robust.noise.fitted):
            return robust
        return self.problem.kernel(plain=True)

    @property
    def learners(self) -> dict[str, float]:
        """Names of the learners, and their weights."""
        return dict(zip(["kernel", *self.own], self.share.tolist(), strict=True))

    @property
    def n_fits(self) -> int:
        """Fits so far, of all learners."""
        return len(self.problem.kernels) + sum(member.n_fits for member in self.own.values())


# What learns from rows with posteriors of their classes.
ClassifierMember = SingleClassifier | ClassifierStack


def posterior_rows(
    posterior: FloatArray, classes: NDArray[np.generic], sample_weight: FloatArray
) -> WeightedRows:
    """Return every row with each class it may belong to, weighted by its posterior (n, K)."""
    rows, codes = np.nonzero((posterior > 0) & (sample_weight > 0)[:, None])
    parts = posterior[rows, codes]
    return WeightedRows(rows, classes[codes], parts * sample_weight[rows], parts)
