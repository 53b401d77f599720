"""Parameters that batch estimators share, and what follows from them alone."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from .._policy import policy
from .._typing import FloatArray
from .._validation import (
    check_choice,
    check_count,
    check_flag,
    check_new_file,
    check_rate,
    check_real,
    memory_bytes,
)
from ..design.base import FitDesign
from ..design.features import make_feature_design
from ..design.kernel_matrix import make_design, matrix_dtype
from ..feature_maps.fourier import FOURIER_KERNELS
from ..kernels import Kernel, Linear, Precomputed
from ..learners.base import KernelEstimator

SOLVERS = ("auto", "exact", "iterative", "newton", "gradient")


class Common(KernelEstimator):
    """Parameters of every batch estimator: stored as given, checked when a fit begins."""

    #: Whether the number of starts may be left to the estimator.
    _starts_optional: ClassVar[bool] = False
    #: Solvers that factorise few rows and iterate on many.
    _by_size: ClassVar[tuple[str, ...]] = ("auto",)

    def __init__(
        self,
        *,
        contamination: float | str = "auto",
        kernel: Any = "rbf",
        degree: int = 3,
        coef0: float = 1.0,
        shape: float = 1.0,
        norm_bound: float | None = None,
        fit_intercept: bool = True,
        solver: str = "auto",
        init: str = "auto",
        acceleration: str | None = None,
        learning_rate: Any = "auto",
        momentum: float = 0.9,
        smoothing: Any = None,
        approximation: str | None = "auto",
        n_components: int | str = "auto",
        memory_limit: int | str = "auto",
        checkpoint: Any = None,
        n_starts: Any = 6,
        max_iter: int | None = None,
        tol: float = 1e-8,
        random_state: Any = None,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.contamination = contamination
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.shape = shape
        self.norm_bound = norm_bound
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.init = init
        self.acceleration = acceleration
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.smoothing = smoothing
        self.approximation = approximation
        self.n_components = n_components
        self.memory_limit = memory_limit
        self.checkpoint = checkpoint
        self.n_starts = n_starts
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        check_real("norm_bound", self.norm_bound, low=0, inclusive=False, optional=True)
        self._check_smoothing()
        check_real("momentum", self.momentum, low=0, high=1)
        check_real("tol", self.tol, low=0, inclusive=False)
        check_choice("solver", self.solver, SOLVERS)
        check_choice("init", self.init, ("auto", "zeros", "random"))
        check_choice("approximation", self.approximation, (None, "auto", "nystroem", "rff"))
        if not (isinstance(self.n_components, str) and self.n_components == "auto"):
            check_count("n_components", self.n_components, alternative='or "auto"')
        check_choice("acceleration", self.acceleration, (None, "momentum", "nesterov"))
        check_count("n_starts", self.n_starts, optional=self._starts_optional)
        check_count("max_iter", self.max_iter, optional=True)
        if self.n_jobs != -1:
            check_count("n_jobs", self.n_jobs, optional=True)
        check_flag("fit_intercept", self.fit_intercept)
        check_rate(self.learning_rate)
        memory_bytes(self.memory_limit)
        check_new_file("checkpoint", self.checkpoint)

    def _check_smoothing(self) -> None:
        check_real("smoothing", self.smoothing, low=0, inclusive=False, optional=True)

    def _make_design(
        self,
        kernel: Kernel,
        X: Any,
        sample_weight: FloatArray,
        alpha: float,
        n_outputs: int,
        n_components: int | None = None,
    ) -> FitDesign:
        parts = (kernel, X, sample_weight, alpha, self.fit_intercept)
        by_size = self.solver in self._by_size
        iterative = None if by_size else self.solver == "iterative"
        features = self._explicit_features(kernel, X, iterative)
        if features is not None:
            if not isinstance(self.n_components, str):
                n_components = self.n_components
            return make_feature_design(
                *parts,
                approximation=features,
                n_components=n_components,
                memory_limit=self.memory_limit,
                n_outputs=n_outputs,
                rng=self._generator(),
                n_threads=self._n_threads,
            )
        return make_design(
            *parts,
            iterative=iterative,
            matrix=self.solver == "gradient",
            memory_limit=self.memory_limit,
            otherwise='approximation="nystroem"',
            n_threads=self._n_threads,
        )

    def _explicit_features(self, kernel: Kernel, X: Any, iterative: bool | None) -> str | None:
        """Which features to fit on; None for a kernel matrix, or for few columns."""
        n, d = X.shape
        asked = self.approximation if self.approximation != "auto" else None
        if asked is not None:
            self._check_approximation(kernel, asked)
        if isinstance(kernel, Precomputed) or self.solver == "gradient":
            return None
        if isinstance(kernel, Linear) and d <= n:
            return "columns" if n > policy().subsample_rows and not sparse.issparse(X) else None
        if asked is not None or self.approximation is None:
            return asked
        needed = n**2 * np.dtype(matrix_dtype(n, iterative)).itemsize
        return "nystroem" if needed > memory_bytes(self.memory_limit) else None

    def _check_approximation(self, kernel: Kernel, asked: str) -> None:
        """An approximation that was asked for suits the kernel and the solver."""
        if isinstance(kernel, Precomputed):
            raise ValueError(
                'approximation must be None or "auto" for kernel="precomputed", whose rows nobody '
                f"knows, got {asked!r}."
            )
        if self.solver == "gradient":
            raise ValueError(
                'approximation must be None or "auto" for solver="gradient", which is defined by '
                f"the kernel matrix, got {asked!r}."
            )
        if asked == "rff" and kernel.name not in FOURIER_KERNELS:
            raise ValueError(
                f'approximation="rff" needs a kernel of the difference of two rows, one of '
                f'{", ".join(FOURIER_KERNELS)}, got {kernel.name!r}: use "nystroem".'
            )

    def _max_iter(self) -> int:
        if self.max_iter is not None:
            return self.max_iter
        return 2000 if self.solver == "gradient" else 200

    def _generator(self) -> np.random.Generator:
        return np.random.default_rng(self._seed)


class Parameters(Common):
    """The same with one kernel scale and one ridge.

    The signature says what scikit-learn may read and set.
    """

    def __init__(
        self,
        *,
        contamination: float | str = "auto",
        kernel: Any = "rbf",
        gamma: float | str = "median",
        degree: int = 3,
        coef0: float = 1.0,
        shape: float = 1.0,
        alpha: float = 1.0,
        norm_bound: float | None = None,
        fit_intercept: bool = True,
        solver: str = "auto",
        init: str = "auto",
        acceleration: str | None = None,
        learning_rate: Any = "auto",
        momentum: float = 0.9,
        smoothing: Any = None,
        approximation: str | None = "auto",
        n_components: int | str = "auto",
        memory_limit: int | str = "auto",
        checkpoint: Any = None,
        n_starts: Any = 6,
        max_iter: int | None = None,
        tol: float = 1e-8,
        random_state: Any = None,
        verbose: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            contamination=contamination,
            kernel=kernel,
            degree=degree,
            coef0=coef0,
            shape=shape,
            norm_bound=norm_bound,
            fit_intercept=fit_intercept,
            solver=solver,
            init=init,
            acceleration=acceleration,
            learning_rate=learning_rate,
            momentum=momentum,
            smoothing=smoothing,
            approximation=approximation,
            n_components=n_components,
            memory_limit=memory_limit,
            checkpoint=checkpoint,
            n_starts=n_starts,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            verbose=verbose,
            n_jobs=n_jobs,
        )
        self.gamma = gamma
        self.alpha = alpha

    def _check_parameters(self) -> None:
        check_real("alpha", self.alpha, low=0)
        super()._check_parameters()
