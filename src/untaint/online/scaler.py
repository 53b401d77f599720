r"""A scaler for noisy features, which passes the noise covariance on to the learners.

Features are centred and divided by their standard deviation, :math:`(x - m) / s`. The learners of
this package find the scaling with the rows (:mod:`.scaling`), and convert the noise covariance and
second copies of the rows, both of which remain in the units of the data.
"""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .._typing import FloatArray
from .noise import covariance_matrix
from .river_compat import RiverCompatMixin
from .scaling import ATTRIBUTE, ScaledRow, ScaledRows, Scaling
from .stream_input import check_finite, check_row, frame_values

_FIXED_AFTER = 32  # single rows after which means and scales stay what they are


class NoiseAwareScaler(RiverCompatMixin, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Scale features to unit variance and carry the noise covariance along.

    A learner of this package behind this scaler takes ``noise_cov`` and ``X_copy`` in the units of
    the data, and converts them. It is a transformer of scikit-learn and of river.

    A learner's coefficients are in the units of its rows, which must therefore not change along a
    stream. Means and scales are those of all rows given to ``fit``, of the first frame given to
    ``learn_many``, or of the first 32 rows given to ``learn_one``; they need not be exact. A
    learner behind the scaler waits for these rows, and predicts their mean target until then.

    Parameters
    ----------
    noise_cov : number, array of shape (d,) or (d, d), dict, optional
        Noise covariance of the features before they are scaled. It may be given to the learner
        instead.

    Attributes
    ----------
    mean_ : array of shape (d,)
        Means of the features.
    scale_ : array of shape (d,)
        Standard deviations of the features; 1 for a constant feature.
    noise_cov_ : array of shape (d, d)
        Noise covariance of the scaled features, if ``noise_cov`` was given.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from untaint.online import CorrectedRidge, NoiseAwareScaler
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((2000, 2)) * [1.0, 50.0]
    >>> y = X @ [1.0, 0.02]
    >>> X_noisy = X + rng.standard_normal(X.shape) * [0.5, 25.0]
    >>> ridge = CorrectedRidge(noise_cov=[0.25, 625.0])
    >>> model = make_pipeline(NoiseAwareScaler(), ridge).fit(X_noisy, y)
    >>> bool(np.abs(model.predict(X) - y).max() < 0.5)
    True
    """

    _river_bases: tuple[str, ...] = ("Transformer", "MiniBatchTransformer")
    _supervised = False

    def __init__(self, *, noise_cov: Any = None) -> None:
        self.noise_cov = noise_cov

    def fit(self, X: Any, y: Any = None) -> Self:
        """Compute means and scales of the features of noisy rows, an array or frame (n, d)."""
        X = validate_data(self, X, dtype=np.float64)
        check_finite("X", X, False)
        names = tuple(getattr(self, "feature_names_in_", range(X.shape[1])))
        self._set_scaling(names, X.mean(axis=0), X.std(axis=0))
        self._n_rows = _FIXED_AFTER
        return self

    def transform(self, X: Any) -> ScaledRows:
        """Return scaled rows, an array of shape (m, d) that carries its scaling."""
        check_is_fitted(self, "_scaling")
        return self._scaling.rows(validate_data(self, X, reset=False, dtype=np.float64))

    def inverse_transform(self, X: Any) -> FloatArray:
        """Return scaled rows in the units of the data."""
        check_is_fitted(self, "_scaling")
        rows = frame_values("X", X)
        check_finite("X", rows, False)
        if rows.shape[1:] != self.scale_.shape:
            raise ValueError(f"X must have {len(self.scale_)} columns, got {rows.shape[1]}.")
        return rows * self.scale_ + self.mean_

    def learn_one(self, x: Mapping[Any, Any]) -> None:
        """Update means and scales with one of the first rows, a dict of features."""
        n = self.__dict__.get("_n_rows", 0)
        if n >= _FIXED_AFTER:
            return
        check_row(x, 0.0, None, False)
        if not x:
            return
        if n == 0:
            self._sums: dict[Any, list[float]] = {}
        for name, value in x.items():
            sums = self._sums.setdefault(name, [0.0, 0.0, 0.0, float(value)])
            shifted = float(value) - sums[3]
            sums[0], sums[1], sums[2] = sums[0] + 1, sums[1] + shifted, sums[2] + shifted**2
        self._n_rows = n = n + 1
        if n & (n - 1) == 0:  # at the rounds 1, 2, 4, ..., 32
            counts, totals, squares, origins = np.array(list(self._sums.values())).T
            variances = np.maximum(squares / counts - (totals / counts) ** 2, 0.0)
            means = origins + totals / counts
            self._set_scaling(
                tuple(self._sums), means, np.sqrt(variances), is_final=n >= _FIXED_AFTER
            )

    def transform_one(self, x: Mapping[Any, Any]) -> ScaledRow | Mapping[Any, Any]:
        """Return the scaled features of one row, a dict that carries its scaling."""
        scaling = self.__dict__.get("_scaling")
        try:
            return x if scaling is None else scaling.row(x)
        except (AttributeError, TypeError):
            check_row(x, 0.0, None, True)
            raise

    def learn_many(self, X: Any) -> None:
        """Compute means and scales of the first frame of noisy rows."""
        if self.__dict__.get("_n_rows", 0) < _FIXED_AFTER:
            _check_frame(X)
            rows = frame_values("X", X)
            check_finite("X", rows, False)
            self._set_scaling(tuple(X.columns), rows.mean(axis=0), rows.std(axis=0))
            self._n_rows = _FIXED_AFTER

    def transform_many(self, X: Any) -> Any:
        """Return a scaled frame, which carries its scaling."""
        scaling = self.__dict__.get("_scaling")
        if scaling is None:
            return X
        _check_frame(X)
        scaled = (X[list(scaling.names)] - scaling.mean) / scaling.scale
        scaled.attrs[ATTRIBUTE] = scaling
        return scaled

    @property
    def noise_cov_(self) -> FloatArray:
        """The noise covariance of the scaled features."""
        check_is_fitted(self, "_scaling")
        cov = self._scaling.noise_matrix()
        if cov is None:
            raise AttributeError("noise_cov_ is known if noise_cov was given")
        return cov

    def _set_scaling(
        self, names: tuple[Any, ...], mean: FloatArray, scale: FloatArray, *, is_final: bool = True
    ) -> None:
        if self.noise_cov is not None:
            covariance_matrix(self.noise_cov, len(names), names)  # raises unless it is valid
        self.mean_ = mean
        self.scale_ = np.where(scale > 1e-12 * np.abs(mean), scale, 1.0)
        self.n_features_in_ = len(names)
        self._scaling = Scaling(names, self.mean_, self.scale_, self.noise_cov, is_final)


def _check_frame(X: Any) -> None:
    if not hasattr(X, "columns"):
        raise ValueError(f"X must be a data frame, got {type(X).__name__}.")
