r"""Online kernel regression from noisy rows: Algorithm 2, and corrected random features.

Algorithm 2 is gradient descent in the space of the surrogate kernel, :mod:`.surrogate`, from two
copies of each row. It keeps every row, :mod:`.support`, or with a ``budget`` so many random
features of the surrogate. By default the best fit to the corrected moments of random features is
followed instead, :mod:`.features` and :mod:`.leader`: one copy or two, constant memory, no step,
and the same in a stream as in a batch. :mod:`.following` and :mod:`.algorithm_2` have all three.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .._typing import FloatArray
from .._validation import check_choice, check_count, check_flag, check_real
from .algorithm_2 import Descending, Supporting
from .base import NoisyRegressor
from .engine import Engine
from .following import Following
from .leader import Plan
from .mixture import KERNELS, Mixture, make_mixture
from .noise import RowNoise, covariance_matrix
from .steps import check_learning_rate, make_step
from .sums import LinearSums
from .views import Views
from .width import ENOUGH, FACTORS, best_gamma, median_gamma

_NOISES = ("gaussian", "laplace")
_FEWEST = 64  # rows from which a width is read


class NoisyKernelRegressor(NoisyRegressor):
    """Online kernel regression from noisy features.

    The noise must be Gaussian, or Laplace in independent coordinates, of known covariance.
    Algorithm 2 (any ``learning_rate`` but ``"auto"``) needs two copies of each row and Gaussian
    noise. Targets may be noisy.

    Parameters
    ----------
    noise_cov : number, array of shape (d,) or (d, d), dict
        Covariance of the noise in X: one variance, one for each feature, or a matrix. If it is not
        given, it is estimated from the copies of the first batch.
    noise : {"gaussian", "laplace"}
        Distribution of the noise.
    kernel : {"rbf", "exponential", "rational_quadratic"}
        ``exp(-gamma r^2)``, ``exp(-gamma r)``, ``(1 + gamma r^2 / shape)^-shape``. The last two are
        mixtures of Gaussian kernels; members that Gaussian noise blurs are widened.
    gamma : float, "auto" or "median"
        Scale of the kernel. ``"median"``: 1 / median squared distance (distance, for the
        exponential kernel) of the clean rows, as far as the first rows tell. ``"auto"``: the best
        of several multiples of that, if the first batch has at least 500 rows.
    shape : float
        Of the rational quadratic kernel.
    norm_bound : float, optional
        Radius of the ball of Algorithm 2, in the surrogate's space; None means no ball.
    learning_rate : "auto", "adaptive", "theory", float or function of the round
        ``"auto"`` follows the best fit by corrected random features, and needs no step. The others
        run Algorithm 2: with a parameter-free step, the theorem's for ``horizon`` rounds in the
        ball of radius ``norm_bound``, or one's own.
    horizon : int, optional
        Number of rounds, for ``"theory"``.
    target_bound : float, optional
        Bound of the targets, for ``"theory"``. If it is not given, or not kept, the largest seen
        takes its place.
    average : bool or "auto"
        Whether Algorithm 2 predicts with the average of its iterates. ``"auto"``: with the
        parameter-free step only.
    budget : int, optional
        Number of random frequencies. None: for ``"auto"`` by the size of the first batch (64 to
        300); for Algorithm 2 no limit, every row is kept.
    random_state : int
        Seed of the frequencies.

    Attributes
    ----------
    gamma_ : float
    dual_coef_, support_ : array of shape (n,), (n, d)
        Of Algorithm 2 without a budget: f(x) = sum of dual_coef_[i] k(support_[i], x).
    coef_, frequencies_ : array of shape (2 D,), (D, d)
        Of random features: weights of their cosines and sines.
    clamped_mass_, sup_error_ : float
        Mass of the mixture that was widened, and the largest difference of the kernel in use to
        the one that was asked for.
    regret_bound_ : float
        Largest expected regret on the clean rows, for ``"theory"``.
    n_rounds_, n_features_in_ : int

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
    _noise_of_rows = False

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
        check_learning_rate(self.learning_rate, self.horizon, self.norm_bound)
        check_choice("noise", self.noise, _NOISES)
        check_choice("kernel", self.kernel, KERNELS)
        if isinstance(self.gamma, str):
            check_choice("gamma", self.gamma, ("auto", "median"))
        else:
            check_real("gamma", self.gamma, low=0, inclusive=False)
        check_real("shape", self.shape, low=0, inclusive=False)
        check_real("norm_bound", self.norm_bound, low=0, inclusive=False, optional=True)
        check_count("horizon", self.horizon, optional=True)
        check_real("target_bound", self.target_bound, low=0, optional=True)
        if self.average != "auto":
            check_flag("average", self.average)
        check_count("budget", self.budget, optional=True)
        check_count("random_state", self.random_state, low=0, optional=True)
        if self._by_steps and self.noise != "gaussian":
            raise ValueError(
                'noise must be "gaussian" for Algorithm 2, got '
                f'{self.noise!r}: use learning_rate="auto".'
            )

    def _start(self, views: Views) -> None:
        self._cov = self._first_covariance(views)
        self._copies = views.n_copies
        self._sums = LinearSums(views, Plan(), gaps=False)
        self.gamma_ = self._first_gamma(views)
        mixture = self._mixture()
        if not self._by_steps:
            self._engine = Following(mixture, self._first_budget(views), self._seed, self.noise)
        else:
            step = make_step(self.learning_rate, self.norm_bound, self.horizon)
            average = self.learning_rate == "adaptive" if self.average == "auto" else self.average
            if self.budget is None:
                self._engine = Supporting(step, self.norm_bound, bool(average))
            else:
                self._engine = Descending(
                    step, self.norm_bound, bool(average), self.budget, self._seed
                )
        self._engine.prepare(mixture, self._cov, self._copies)

    def _learn(self, views: Views) -> None:
        if views.n_copies != self._copies:
            raise ValueError(
                "X_copy must be given with every batch or with none: the stream began with "
                f"{'two copies' if self._copies == 2 else 'one copy'} of each row."
            )
        if isinstance(views.noise, RowNoise):
            raise ValueError("noise_cov must be the same for all rows in a kernel learner.")
        if views.noise is not None and not np.array_equal(views.noise, self._cov):
            raise ValueError("noise_cov must stay what it was in the first batch.")
        self._engine.learn(views, self.target_bound)  # first: it may refuse them
        self._sums.add(Views(views.X, views.y, views.copy, self._cov, views.weights))

    def _first_covariance(self, views: Views) -> FloatArray:
        if isinstance(views.noise, RowNoise):
            raise ValueError("noise_cov must be the same for all rows in a kernel learner.")
        if views.noise is None:
            assert views.copy is not None
            if len(views.y) < _FEWEST:
                raise ValueError(
                    f"noise_cov must be given, or a first batch of at least {_FEWEST} rows with "
                    f"their copies to estimate it from, got {len(views.y)} rows."
                )
            apart = views.X - views.copy
            return apart.T @ apart / (2 * len(apart))
        correlated = (views.noise != np.diag(np.diag(views.noise))).any()
        if self.noise == "laplace" and correlated:
            raise ValueError(
                "noise_cov must be diagonal for Laplace noise, whose coordinates are independent."
            )
        return views.noise

    def _first_gamma(self, views: Views) -> float:
        if not isinstance(self.gamma, str):
            return float(self.gamma)
        Z, weights, seen = views.merged()[0], views.weights, self._cov / views.n_copies
        median = median_gamma(Z, weights, seen)
        if self.gamma == "median" or len(views.y) < ENOUGH:
            return self._admissible(median)
        gammas = list(dict.fromkeys(self._admissible(factor * median) for factor in FACTORS))
        budget = self._first_budget(views)
        return best_gamma(
            gammas, views, self._cov, self.noise, self._mixture_of, budget, self._seed
        )

    def _first_budget(self, views: Views) -> int:
        rows = len(views.y) if views.weights is None else views.weights.sum()
        return self.budget or int(np.clip(rows // 20, 64, 300))

    def _admissible(self, gamma: float) -> float:
        """Scale of this kernel that noise allows, for an inverse squared distance."""
        if self.kernel == "exponential":
            return float(np.sqrt(gamma))
        largest = float(np.linalg.eigvalsh(self._cov)[-1])
        if self.kernel == "rbf" and self.noise == "gaussian" and largest > 0:
            return min(gamma, 0.4 / largest)  # what the surrogate can bear
        return gamma

    def _mixture(self) -> Mixture:
        return self._mixture_of(self.gamma_)

    def _mixture_of(self, gamma: float) -> Mixture:
        blurred = self._cov if self.noise == "gaussian" else np.zeros_like(self._cov)
        return make_mixture(self.kernel, gamma, float(self.shape), blurred)

    def _widen(self, n_features: int) -> None:
        self._cov = covariance_matrix(self.noise_cov, n_features, self._columns.names)
        self._sums.widen(n_features)
        self._engine.prepare(self._mixture(), self._cov, self._copies)

    def _evaluate(self, X: FloatArray, noisy: bool) -> FloatArray:
        self._begun_engine()
        if not noisy:
            return self._engine.values(X, None)
        share = self._engine.share()
        return self._engine.values(
            self._sums.expected(X, noisy=True, share=share), self._sums.doubt(share)
        )

    def _clean_error(self, views: Views) -> float:
        if views.n_copies != self._copies:
            raise ValueError(
                f"X_copy must {'be given' if self._copies == 2 else 'be None'}: the learner was "
                f"trained on {'two copies' if self._copies == 2 else 'one copy'} of each row."
            )
        return self._engine.clean_error(views)

    def _noise_of_one_copy(self) -> FloatArray:
        self._begun_engine()
        return self._cov

    def _begun_engine(self) -> Engine:
        check_is_fitted(self, "n_rounds_")
        if "_engine" not in self.__dict__:
            raise NotFittedError(
                f"a stream must bring {self._first_rows} rows before a kernel learner starts, got "
                f"{self.n_rounds_}."
            )
        return self._engine

    def _due(self) -> tuple[int, int]:
        return self._engine.due(self.n_rounds_)

    def _check_noise(self) -> None:
        self._sums.check_noise(self._columns.names)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self._by_steps  # steps may be short
        return tags

    @property
    def _first_rows(self) -> int:
        return _FEWEST if isinstance(self.gamma, str) or self.noise_cov is None else 1

    @property
    def _by_steps(self) -> bool:
        return not (isinstance(self.learning_rate, str) and self.learning_rate == "auto")

    @property
    def _seed(self) -> int:
        return int(self.random_state or 0)

    def _settled(self) -> Engine:
        check_is_fitted(self, "n_rounds_")
        self._catch_up()
        return self._begun_engine()

    @property
    def dual_coef_(self) -> FloatArray:
        """Coefficients of the support rows."""
        return self._settled().dual_coef()

    @property
    def support_(self) -> FloatArray:
        """Support rows."""
        return self._settled().support()

    @property
    def coef_(self) -> FloatArray:
        """Weights of the random features."""
        return self._settled().coef()

    @property
    def frequencies_(self) -> FloatArray:
        """Frequencies of the random features."""
        return self._settled().frequencies()

    @property
    def regret_bound_(self) -> float:
        """Largest expected regret on the clean rows."""
        return self._settled().regret_bound(self.n_rounds_)

    @property
    def clamped_mass_(self) -> float:
        """Mass of the kernel's mixture that noise made us widen."""
        self._begun_engine()
        return self._mixture().clamped_mass

    @property
    def sup_error_(self) -> float:
        """Largest difference of the kernel in use to the one that was asked for."""
        self._begun_engine()
        return self._mixture().sup_error
