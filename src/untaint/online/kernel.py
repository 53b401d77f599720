"""Online kernel regression from noisy rows: Algorithm 2, and corrected random features.

By default a ridge regression on random Fourier features is fitted to moments that are corrected for
the noise (:mod:`.random_feature_ridge`, :mod:`.fourier`, :mod:`.leader`). It needs one or two
copies of each row, constant memory and no step size, and a stream gives the same fit as a batch.
Algorithm 2 is gradient descent in the space of the surrogate kernel (:mod:`.surrogate`), from two
copies of each row. It keeps every row (:mod:`.kernel_expansion`) or, with a ``budget``, that many
random features of the surrogate. :mod:`.kernel_sgd` has both forms.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .._typing import FloatArray
from .._validation import check_choice, check_count, check_real
from .bandwidth import GAMMA_FACTORS, MIN_ROWS_TO_SELECT, median_gamma, select_gamma
from .engine import Engine
from .kernel_expansion import KernelSGD
from .kernel_sgd import RandomFeatureSGD
from .leader import LeaderConfig
from .linear_statistics import LinearStatistics
from .mixture import KERNELS, KernelMixture, make_mixture
from .noise import RowNoise, covariance_matrix, is_estimated
from .noisy_batch import NoisyBatch
from .random_feature_ridge import RandomFeatureRidge
from .river_api import NoisyLearner
from .step_size import check_descent_parameters, make_step_size

_NOISES = ("gaussian", "laplace")
_MIN_ROWS = 64  # rows needed to estimate gamma or the noise covariance


class NoisyKernelRegressor(RegressorMixin, NoisyLearner):
    """Online kernel regression from noisy features.

    The noise must be Gaussian, or Laplace with independent coordinates. Algorithm 2 (every
    ``learning_rate`` except ``"auto"``) needs two copies of each row and Gaussian noise. Targets
    may be noisy.

    Parameters
    ----------
    noise_cov : number, array of shape (d,) or (d, d), dict
        Noise covariance of X: one variance, one for each feature, or a matrix. If it is not given,
        it is estimated from the copies of the first batch.
    noise : {"gaussian", "laplace"}
        Distribution of the noise.
    kernel : {"rbf", "exponential", "rational_quadratic"}
        ``exp(-gamma r^2)``, ``exp(-gamma r)``, ``(1 + gamma r^2 / shape)^-shape``. The last two are
        mixtures of Gaussian kernels; components too narrow for Gaussian noise are widened.
    gamma : float, "auto" or "median"
        Inverse scale of the kernel. ``"median"`` is 1 / median squared distance (distance, for the
        exponential kernel) of the clean rows, estimated from the first batch. ``"auto"`` selects
        among several multiples of that if the first batch has at least 500 rows.
    shape : float
        Exponent of the rational quadratic kernel.
    norm_bound : float, optional
        Upper bound of the predictor's norm in the surrogate's space, for Algorithm 2; None means no
        bound.
    learning_rate : "auto", "adaptive", "theory", float or function of the round
        ``"auto"`` fits corrected random features and needs no step size. The others run Algorithm
        2: ``"adaptive"`` with a parameter-free step size, ``"theory"`` with that of Theorem 2 for
        ``horizon`` rounds in the ball of radius ``norm_bound``, a number or function with its own.
    horizon : int, optional
        Number of rounds, for ``"theory"``.
    target_bound : float, optional
        Bound of the targets, for ``"theory"``. If it is not given, or exceeded, it is replaced by
        the largest observed value.
    average : bool or "auto"
        Whether Algorithm 2 predicts with the average of its iterates. ``"auto"`` averages with the
        parameter-free step size only.
    budget : int, optional
        Number of random frequencies. None means 64 to 300 by the size of the first batch for
        ``"auto"``, and no random features for Algorithm 2, which then keeps every row.
    random_state : int
        Seed of the random frequencies.

    Attributes
    ----------
    gamma_ : float
        Inverse scale of the kernel in use.
    dual_coef_ : array of shape (n,)
        Coefficients of Algorithm 2 without a budget: f(x) is the sum of
        ``dual_coef_[i] * k(support_[i], x)``.
    support_ : array of shape (n, d)
        Support rows of Algorithm 2 without a budget.
    coef_ : array of shape (2 D,)
        Coefficients of the random cosines and sines.
    frequencies_ : array of shape (D, d)
        Frequencies of the random cosines and sines.
    clamped_mass_ : float
        Mass of the mixture of Gaussian kernels that was widened.
    sup_error_ : float
        Largest difference between the kernel in use and the requested kernel.
    regret_bound_ : float
        Upper bound of the expected regret on the clean rows, for ``"theory"``.
    n_rounds_ : int
        Number of rows learnt so far.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.online import NoisyKernelRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, (4000, 1))
    >>> y = np.sin(2 * X[:, 0])
    >>> first, second = (X + 0.4 * rng.standard_normal(X.shape) for _ in range(2))
    >>> model = NoisyKernelRegressor(noise_cov=0.16).fit(first, y, X_copy=second)
    >>> bool(np.mean((model.predict(X) - y) ** 2) < 0.02)
    True
    """

    _engine: Engine
    _supports_row_noise = False

    def __init__(
        self,
        *,
        noise_cov: Any = None,
        noise: str = "gaussian",
        kernel: str = "rbf",
        gamma: float | str = "auto",
        shape: float = 1.0,
        norm_bound: float | None = None,
        learning_rate: float | str | Callable[[int], float] = "auto",
        horizon: int | None = None,
        target_bound: float | None = None,
        average: bool | str = "auto",
        budget: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.noise_cov = noise_cov
        self.noise = noise
        self.kernel = kernel
        self.gamma = gamma
        self.shape = shape
        self.norm_bound = norm_bound
        self.learning_rate = learning_rate
        self.horizon = horizon
        self.target_bound = target_bound
        self.average = average
        self.budget = budget
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_descent_parameters(self)
        check_choice("noise", self.noise, _NOISES)
        check_choice("kernel", self.kernel, KERNELS)
        if isinstance(self.gamma, str):
            check_choice("gamma", self.gamma, ("auto", "median"))
        else:
            check_real("gamma", self.gamma, low=0, inclusive=False)
        check_real("shape", self.shape, low=0, inclusive=False)
        check_count("budget", self.budget, high=10**6, optional=True)
        check_count("random_state", self.random_state, low=0, optional=True)
        if is_estimated(self.noise_cov):
            raise ValueError(
                'noise_cov must be None or numbers in a kernel learner, got "replicates": without '
                "noise_cov it is estimated from X_copy."
            )
        if self._uses_algorithm_2 and self.noise != "gaussian":
            raise ValueError(
                'noise must be "gaussian" for Algorithm 2, got '
                f'{self.noise!r}: use learning_rate="auto".'
            )

    def _refuse_gaps(self, X: Any) -> None:
        try:
            gaps = bool(np.isnan(np.asarray(X, dtype=float)).any())
        except (TypeError, ValueError):
            return  # no numbers, which is said elsewhere
        if gaps:
            raise ValueError(
                "X must not have missing entries (NaN) in a kernel learner: impute them, or use a "
                'linear learner with missing="random".'
            )

    def _start(self, batch: NoisyBatch) -> None:
        self._n_copies = batch.n_copies
        self._cov = self._initial_cov(batch)
        self._statistics = LinearStatistics(batch, LeaderConfig(), allow_missing=False)
        self.gamma_ = self._initial_gamma(batch)
        mixture = self._mixture()
        if not self._uses_algorithm_2:
            self._engine = RandomFeatureRidge(
                mixture, self._initial_budget(batch), self._seed, self.noise
            )
        else:
            step = make_step_size(self.learning_rate, self.norm_bound, self.horizon)
            average = self.learning_rate == "adaptive" if self.average == "auto" else self.average
            if self.budget is None:
                self._engine = KernelSGD(step, self.norm_bound, bool(average))
            else:
                self._engine = RandomFeatureSGD(
                    step, self.norm_bound, bool(average), self.budget, self._seed
                )
        self._engine.prepare(mixture, self._cov, self._n_copies)

    def _learn(self, batch: NoisyBatch) -> None:
        noise = self._check_batch(batch)
        if noise is not None and not np.array_equal(noise, self._cov):
            raise ValueError("noise_cov must stay what it was in the first batch.")
        self._engine.learn(batch, self.target_bound)  # first, because it may raise
        self._statistics.add(
            NoisyBatch(batch.X, batch.y, batch.X_copy, self._cov, batch.sample_weight)
        )

    def _check_batch(self, batch: NoisyBatch) -> FloatArray | None:
        """Return the noise that is declared for a batch, and raise if it cannot be learnt."""
        batch.refuse_replicates("a kernel learner")
        if isinstance(batch.noise, RowNoise):
            raise ValueError("noise_cov must be the same for all rows in a kernel learner.")
        if batch.n_copies != self._n_copies:
            given, copies = ("None", "one copy") if self._n_copies == 1 else ("given", "two copies")
            raise ValueError(f"X_copy must be {given}: the stream began with {copies} of each row.")
        return batch.noise

    def _initial_cov(self, batch: NoisyBatch) -> FloatArray:
        noise = self._check_batch(batch)
        if noise is None:
            assert batch.X_copy is not None
            if len(batch.y) < _MIN_ROWS:
                raise ValueError(
                    f"noise_cov must be given, or a first batch of at least {_MIN_ROWS} rows with "
                    f"their copies to estimate it from, got {len(batch.y)} rows."
                )
            difference = batch.X - batch.X_copy
            return difference.T @ difference / (2 * len(difference))
        if self.noise == "laplace" and (noise != np.diag(np.diag(noise))).any():
            raise ValueError(
                "noise_cov must be diagonal for Laplace noise, whose coordinates are independent."
            )
        return noise

    def _initial_gamma(self, batch: NoisyBatch) -> float:
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        Z, sample_weight, cov = batch.merged()[0], batch.sample_weight, self._cov / batch.n_copies
        median = median_gamma(Z, sample_weight, cov)
        if self.gamma == "median" or len(batch.y) < MIN_ROWS_TO_SELECT:
            return self._admissible_gamma(median)
        gammas = list(
            dict.fromkeys(self._admissible_gamma(factor * median) for factor in GAMMA_FACTORS)
        )
        budget = self._initial_budget(batch)
        return select_gamma(gammas, batch, self._cov, self.noise, self._mixture, budget, self._seed)

    def _initial_budget(self, batch: NoisyBatch) -> int:
        rows = len(batch.y) if batch.sample_weight is None else batch.sample_weight.sum()
        return self.budget or int(np.clip(rows // 20, 64, 300))

    def _admissible_gamma(self, gamma: float) -> float:
        """Convert an inverse squared distance to a gamma for which the kernel has a surrogate."""
        if self.kernel == "exponential":
            return float(np.sqrt(gamma))
        largest = float(np.linalg.eigvalsh(self._cov)[-1])
        if self.kernel == "rbf" and self.noise == "gaussian" and largest > 0:
            return min(gamma, 0.4 / largest)  # the surrogate exists below 0.5 / largest
        return gamma

    def _mixture(self, gamma: float | None = None) -> KernelMixture:
        gamma = self.gamma_ if gamma is None else gamma
        noise_cov = self._cov if self.noise == "gaussian" else np.zeros_like(self._cov)
        return make_mixture(self.kernel, gamma, float(self.shape), noise_cov)

    def _expand(self, n_features: int) -> None:
        self._cov = covariance_matrix(self.noise_cov, n_features, self._feature_index.names)
        self._statistics.expand(n_features)
        self._engine.prepare(self._mixture(), self._cov, self._n_copies)

    def _predict_rows(self, X: FloatArray, noisy: bool) -> FloatArray:
        self._require_engine()
        if not noisy:
            return self._engine.predict(X, None)
        share = self._engine.removed_share()
        return self._engine.predict(
            self._statistics.posterior_mean(X, noisy=True, share=share),
            self._statistics.posterior_cov(share),
        )

    def _clean_error(self, batch: NoisyBatch) -> float:
        self._check_batch(batch)
        return self._engine.clean_error(batch)

    def _copy_noise_cov(self) -> FloatArray:
        self._require_engine()
        return self._cov

    def _require_engine(self) -> Engine:
        check_is_fitted(self, "n_rounds_")
        if "_engine" not in self.__dict__:
            raise NotFittedError(
                f"a stream must bring {self._min_rows_to_start} rows before a kernel learner "
                f"starts, got {self.n_rounds_}."
            )
        return self._engine

    def _refit_rounds(self) -> tuple[int, int]:
        return self._engine.refit_rounds(self.n_rounds_)

    def _check_declared_noise(self) -> None:
        self._statistics.check_noise(self._feature_index.names, self._was_scaled)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self._uses_algorithm_2  # it may need more rounds
        return tags

    @property
    def _min_rows_to_start(self) -> int:
        return _MIN_ROWS if isinstance(self.gamma, str) or self.noise_cov is None else 1

    @property
    def _uses_algorithm_2(self) -> bool:
        return not (isinstance(self.learning_rate, str) and self.learning_rate == "auto")

    @property
    def _seed(self) -> int:
        return int(self.random_state or 0)

    def _of_engine(self, name: str, owner: str) -> Any:
        """Return an attribute of the engine, which only that of the owner has."""
        self._bring_up_to_date()
        method = getattr(self._require_engine(), name, None)
        if method is None:
            raise AttributeError(f"{name}_ belongs to {owner}")
        return method()

    @property
    def dual_coef_(self) -> FloatArray:
        """The coefficients of the support rows, for Algorithm 2 without a budget."""
        return self._of_engine("dual_coef", "Algorithm 2 without a budget only")

    @property
    def support_(self) -> FloatArray:
        """The support rows, for Algorithm 2 without a budget."""
        return self._of_engine("support", "Algorithm 2 without a budget only")

    @property
    def coef_(self) -> FloatArray:
        """The coefficients of the random features: of the cosines, then of the sines."""
        return self._of_engine("coef", "random features: learning_rate='auto', or a budget")

    @property
    def frequencies_(self) -> FloatArray:
        """The frequencies of the random features, one in each row."""
        return self._of_engine("frequencies", "random features: learning_rate='auto', or a budget")

    @property
    def regret_bound_(self) -> float:
        """The upper bound of the expected regret on the clean rows, for ``"theory"``."""
        return self._of_engine("regret_bound", 'learning_rate="theory" only')

    @property
    def clamped_mass_(self) -> float:
        """The mass of the kernel's mixture whose bandwidth was widened because of the noise."""
        self._require_engine()
        return self._mixture().clamped_mass

    @property
    def sup_error_(self) -> float:
        """The largest absolute difference between the kernel in use and the requested kernel."""
        self._require_engine()
        return self._mixture().sup_error
