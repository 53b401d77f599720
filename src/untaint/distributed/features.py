"""Nystroem features of Dask collections."""

from typing import Any, Self, final

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .._policy import policy
from .._typing import FloatArray
from .._validation import check_count, check_query_data, check_rows, in_double, name_features
from ..design.base import Sketch
from ..design.subsample import draw_rows
from ..feature_maps.nystroem import NystroemMap
from ..kernels import gamma_distance, make_kernel, resolve_gamma
from .partitioned_source import PartitionedSource
from .scheduler import Scheduler, mapped, shared, stacked
from .source import is_distributed, open_source


@final
class NystroemFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A transformer to features whose inner products approximate a kernel, on Dask or in memory.

    Landmarks are drawn from rows near the centre, so that outliers do not become landmarks; the
    scale ``"median"`` of the kernel is robust to them too.

    Parameters
    ----------
    kernel : str, callable or Kernel, default="rbf"
        ``"linear"``, ``"poly"``, ``"rbf"``, ``"laplacian"`` (Manhattan distance), ``"exponential"``
        (Euclidean distance), ``"rational_quadratic"``, ``"precomputed"``, a function of two sets of
        rows, or an object of :mod:`untaint.kernels`.
    gamma : float, "median" or "scale", default="median"
        Inverse scale of the kernel. ``"median"`` is one over the median distance between two rows,
        in the distance that the kernel uses, which outlying rows do not change; ``"scale"`` is that
        of :class:`~sklearn.svm.SVC`.
    degree : int, default=3
        Degree of the polynomial kernel.
    coef0 : float, default=1.0
        Constant term of the polynomial kernel.
    shape : float, default=1.0
        Shape parameter of the rational quadratic kernel.
    n_components : int, default=100
        Number of landmarks.

    Attributes
    ----------
    components_ : array of shape (n_components, d)
        The landmarks.
    normalization_ : array of shape (n_components, p)
        Whitening matrix by which kernel values with the landmarks are multiplied.
    kernel_ : Kernel
        The kernel with the scale that was used.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(1000, 3))
    >>> X = da.from_array(X, chunks=(250, 3))
    >>> features = NystroemFeatures(n_components=50).fit_transform(X)
    >>> features.chunks[0], features.shape[1]
    ((250, 250, 250, 250), 50)
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "median",
        degree: int = 3,
        coef0: float = 1.0,
        shape: float = 1.0,
        n_components: int = 100,
    ) -> None:
        self.kernel, self.gamma, self.n_components = kernel, gamma, n_components
        self.degree, self.coef0, self.shape = degree, coef0, shape

    def fit(self, X: Any, y: Any = None) -> Self:
        """Select the landmarks of the kernel from a subsample of the rows.

        Parameters
        ----------
        X : dask array or data frame, or rows in memory, of shape (n, d)
        y : object
            Not used.

        Returns
        -------
        NystroemFeatures
            The transformer itself.
        """
        check_count("n_components", self.n_components)
        sample = in_double(self._subsample(X))
        ones, gamma = np.ones(sample.shape[0]), None
        if (distance := gamma_distance(self.kernel)) is not None:
            gamma = resolve_gamma(self.gamma, sample, ones, distance=distance)
        others: Any = {"degree": self.degree, "coef0": self.coef0, "shape": self.shape}
        self.kernel_ = make_kernel(self.kernel, gamma=gamma, **others)
        sketch = Sketch(self.kernel_, sample, ones, 0.0, True)
        self.components_ = sketch.sample(self.n_components)
        self.normalization_: Any = NystroemMap(self.kernel_, self.components_).whitening
        return self

    def transform(self, X: Any) -> Any:
        """Return features of rows, lazily for Dask collections.

        Parameters
        ----------
        X : dask array or data frame, or rows in memory, of shape (m, d)

        Returns
        -------
        array of shape (m, p)
        """
        check_is_fitted(self)
        if not is_distributed(X):
            return self._features(check_query_data(self, X, pairwise=False, n_fit=0))
        source = open_source(X)
        model, dtype = shared(self, "landmarks"), np.float32 if source.itemsize == 4 else np.float64
        tasks = mapped("features", _transform, [(model, chunk.X, dtype) for chunk in source.chunks])
        return stacked(tasks, source.sizes, (self._n_features_out,), dtype)

    @property
    def _n_features_out(self) -> int:
        return int(self.normalization_.shape[1])

    def _features(self, X: FloatArray) -> FloatArray:
        """Return features of the rows' dtype, computed in double: whitening magnifies rounding."""
        values = self.kernel_.matrix(X, self.components_, dtype=np.float64)
        return (values @ self.normalization_).astype(X.dtype, copy=False)

    def _subsample(self, X: Any) -> Any:
        """Return a subsample of the rows."""
        if not is_distributed(X):
            X = check_rows(self, X)
            return X[draw_rows(np.ones(X.shape[0]), policy().subsample_rows)]
        source = open_source(X)
        name_features(self, source.meta)
        rows = PartitionedSource(source, Scheduler(), labelled=False, persist=False)
        return rows.sample(rows.about.totals, policy().subsample_rows)[1]


def _transform(model: NystroemFeatures, X: Any, dtype: Any) -> FloatArray:
    """Return the features of one chunk, maybe empty."""
    if not len(X):
        return np.zeros((0, model.normalization_.shape[1]), dtype)
    return np.asarray(model.transform(X), dtype)
