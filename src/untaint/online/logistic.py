r"""Logistic regression from noisy features.

.. math:: P(y = 1 \mid x) = \sigma(\beta_0 + \beta^T x), \qquad \tilde x = x + n,
          \qquad E[n n^T] = \Sigma

The learner sees :math:`\tilde x` and y, and is to predict for clean x. Logistic regression on noisy
rows estimates slopes that are too small. Unlike for squares, no function of the noisy row is an
unbiased estimate of the clean loss. The slopes are therefore those of calibrated rows
(:mod:`.logistic_fit`), and how much of the noise is removed is selected by estimates of the clean
loss (:mod:`.logistic_selection`), such that the fit is not worse than the naive one. Memory does
not grow with the rows (:mod:`.logistic_data`).
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .._typing import AnyArray, FloatArray
from .label_codes import LabelCodes, check_labels, check_two_classes
from .logistic_data import MAX_ROWS
from .logistic_leader import LogisticLeader
from .logistic_selection import corrected_loss
from .noise import RowNoise
from .noise_check import check_declared_noise
from .noisy_batch import NoisyBatch
from .river_api import NoisyLearner
from .shrinkage_selection import share_and_alpha
from .stream_input import frame_like, series_like

_ROWS_PER_FEATURE = 10  # that the comparison of the declared noise with the rows' covariance needs


class NoisyLogisticRegression(ClassifierMixin, NoisyLearner):
    """Binary logistic regression corrected for known noise in the features.

    The rows are assumed to be roughly normal within each class, with noise that is independent of
    the class. Noise covariances that differ between rows are averaged.

    Parameters
    ----------
    noise_cov : number, array of shape (d,) or (d, d), dict, optional
        Noise covariance of X: one variance, one for each feature, or a matrix. It is estimated from
        the copies if it is not given and ``X_copy`` is.
    alpha : float or "auto"
        Ridge penalty: the summed log loss plus ``alpha / 2`` times the squared norm of the
        coefficients, so that ``alpha`` is ``1 / C`` of scikit-learn's ``LogisticRegression``.
        ``"auto"`` selects it for features scaled to unit variance.
    share : float in [0, 1] or "auto"
        Share of the noise to remove: 0 is the naive fit; ``"auto"`` selects it.

    Attributes
    ----------
    classes_ : array of shape (2,)
        Labels, sorted.
    coef_ : array of shape (1, d)
        Coefficients of the features in the log-odds of the second class.
    intercept_ : array of shape (1,)
        Intercept.
    share_ : float
        Share of the noise that was removed.
    alpha_ : float
        Ridge penalty in use. A selected penalty is that of scaled features.
    noise_cov_ : array of shape (d, d)
        Noise covariance of one copy, declared or estimated.
    n_rounds_ : int
        Number of rows learnt so far.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : array of shape (d,)
        Names of the features; only if X has names that are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.online import NoisyLogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((2000, 2))
    >>> y = rng.random(2000) < 1 / (1 + np.exp(-X @ [1.0, 2.0]))
    >>> X_noisy = X + 0.7 * rng.standard_normal(X.shape)
    >>> model = NoisyLogisticRegression(noise_cov=0.49).fit(X_noisy, y)
    >>> bool(np.abs(model.coef_ - [1.0, 2.0]).max() < 0.4)
    True
    >>> stream = NoisyLogisticRegression(noise_cov=0.49)
    >>> for x, label in zip(X_noisy.tolist(), y.tolist()):
    ...     stream.learn_one({"a": x[0], "b": x[1]}, label)
    >>> stream.predict_one({"a": 1.0, "b": 1.0})
    True
    """

    _river_bases = ("MiniBatchClassifier",)
    _multiclass = False  # river's interface needs it
    _leader: LogisticLeader
    _label_codes: LabelCodes

    def __init__(
        self, *, noise_cov: Any = None, alpha: float | str = "auto", share: float | str = "auto"
    ) -> None:
        self.noise_cov = noise_cov
        self.alpha = alpha
        self.share = share

    # scikit-learn's interface

    def partial_fit(
        self,
        X: Any,
        y: Any,
        X_copy: Any = None,
        noise_cov: Any = None,
        sample_weight: Any = None,
        classes: Any = None,
    ) -> Any:
        """Update the model with more rows; the parameters are those of :meth:`fit`.

        ``classes`` are the two labels, needed if the first rows have only one of them.
        """
        if classes is not None:
            self._known_labels = np.unique(check_labels(classes))
        try:
            return super().partial_fit(X, y, X_copy, noise_cov, sample_weight)
        finally:
            self.__dict__.pop("_known_labels", None)

    def _encode_targets(self, y: Any, first: bool) -> FloatArray:
        y = check_labels(y)
        if first:
            known = self.__dict__.get("_known_labels")
            labels = np.unique(y) if known is None else known
            check_two_classes(labels)
            self._label_codes, self._label_dtype = LabelCodes(labels.tolist()), labels.dtype
        return self._label_codes.codes(y)

    def predict(self, X: Any, noisy: bool = False) -> AnyArray:
        """Predict the labels of rows; the parameters are those of :meth:`predict_proba`."""
        second = self.decision_function(X, noisy) > 0
        return self.classes_[second.astype(int) if len(self.classes_) > 1 else 0 * second]

    def predict_proba(self, X: Any, noisy: bool = False) -> FloatArray:
        """Predict the probabilities of the classes.

        Parameters
        ----------
        X : array or data frame of shape (m, d)
            Rows to predict for.
        noisy : bool
            Whether these rows carry the same noise as the training rows. If so, each is first
            replaced by its expectation given the noisy row.

        Returns
        -------
        array of shape (m, 2)
            Probabilities in the order of ``classes_``.
        """
        second = expit(self.decision_function(X, noisy))
        return np.column_stack([1.0 - second, second])

    def decision_function(self, X: Any, noisy: bool = False) -> FloatArray:
        """Return the log-odds of the second class; the parameters are as in `predict_proba`."""
        log_odds = super().predict(X, noisy)
        return self._label_codes.sign * log_odds

    @property
    def classes_(self) -> AnyArray:
        """The labels, sorted."""
        check_is_fitted(self, "n_rounds_")
        classes = self._label_codes.classes
        dtype = self.__dict__.get("_label_dtype")
        return classes if dtype is None else classes.astype(dtype)

    @property
    def coef_(self) -> FloatArray:
        """The coefficients of the features."""
        return self._label_codes.sign * self._linear_model()[0][None]

    @property
    def intercept_(self) -> FloatArray:
        """The intercept of the log-odds."""
        return self._label_codes.sign * np.array([self._linear_model()[1]])

    @property
    def share_(self) -> float:
        """The share of the noise that was removed."""
        self._bring_up_to_date()
        return self._leader.fit().share

    @property
    def alpha_(self) -> float:
        """The ridge penalty in use."""
        self._bring_up_to_date()
        return self._leader.fit().alpha * self._leader.data.total_weight

    @property
    def noise_cov_(self) -> FloatArray:
        """The noise covariance of one copy, declared or estimated."""
        self._bring_up_to_date()
        return self._leader.data.copy_noise_cov()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    # river's interface

    def learn_one(
        self, x: Mapping[Any, Any], y: Any, x_copy: Mapping[Any, Any] | None = None
    ) -> None:
        """Update the model with one row; ``x_copy`` is a second measurement of its features."""
        known = self.__dict__.get("_label_codes")
        code = None if known is None else known.known_code(y)
        if code is not None:
            super().learn_one(x, code, x_copy)
            return
        with self._stream_labels(y) as labels:
            super().learn_one(x, labels.code(y), x_copy)

    @contextmanager
    def _stream_labels(self, label: Any) -> Iterator[LabelCodes]:
        """Yield the labels so far, to which rows add theirs unless they are refused.

        If the first label is a bool, both are known.
        """
        known, n_rounds = self.__dict__.get("_label_codes"), self.__dict__.get("n_rounds_", 0)
        both = (False, True) if isinstance(label, bool | np.bool_) else ()
        labels = LabelCodes(both if known is None else known.labels)
        try:
            yield labels
        finally:
            if self.__dict__.get("n_rounds_", 0) > n_rounds:
                self._label_codes = labels

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Predict the probabilities of the labels seen so far, from one row.

        Before any row has been learnt, False and True have equal probabilities.
        """
        found = self._probabilities(super().predict_one, x, 1.0)
        return {label: float(probability) for label, probability in found.items()}

    def predict_one(self, x: Mapping[Any, Any]) -> Any:
        """Predict the label of one row, False before any row has been learnt."""
        probabilities = self.predict_proba_one(x)
        return max(probabilities, key=probabilities.__getitem__)

    def learn_many(self, X: Any, y: Any) -> None:
        """Update the model with the noisy rows of a frame and a series of labels."""
        y = np.asarray(y)
        if y.size:
            with self._stream_labels(y.flat[0]) as labels:
                super().learn_many(X, labels.codes(y))

    def predict_proba_many(self, X: Any) -> Any:
        """Predict the probabilities of the labels, one column each, for a frame of rows."""
        return frame_like(self._probabilities(super().predict_many, X, np.ones(len(X))), X)

    def predict_many(self, X: Any) -> Any:
        """Predict the labels of a frame and return them as a series of the same library."""
        columns = self._probabilities(super().predict_many, X, np.ones(len(X)))
        best = np.argmax([*columns.values()], axis=0)
        return series_like(np.array([*columns])[best], X)

    def _probabilities(self, predict: Callable[[Any], Any], X: Any, certain: Any) -> dict[Any, Any]:
        """Return the probabilities of the labels seen so far, where ``certain`` is one or ones."""
        if "n_rounds_" not in self.__dict__:
            return {False: 0.5 * certain, True: 0.5 * certain}
        labels = self._label_codes.labels
        if len(labels) == 1:
            return {labels[0]: certain}
        second = expit(np.asarray(predict(X), dtype=float))
        return {labels[0]: 1.0 - second, labels[1]: second}

    # what both call

    def _check_parameters(self) -> None:
        share_and_alpha(self)

    def _start(self, batch: NoisyBatch) -> None:
        self._leader = LogisticLeader(batch.X.mean(axis=0), *share_and_alpha(self))

    def _make_batch(self, *args: Any) -> NoisyBatch:
        """Return the rows of an array with their noise; many rows in random order.

        Earlier rows are summarised at a fit to the rows so far, which sorted rows would bias.
        """
        batch = super()._make_batch(*args)
        batch.refuse_replicates("a classifier")
        if len(batch.y) <= MAX_ROWS:
            return batch
        return batch[np.random.default_rng(0).permutation(len(batch.y))]

    def _learn(self, batch: NoisyBatch) -> None:
        self._leader.add(batch)

    def _end_batch(self) -> None:
        self._leader.retune()

    def _expand(self, n_features: int) -> None:
        self._leader.expand(n_features)

    def _refit_rounds(self) -> tuple[int, int]:
        return self._leader.refit_rounds(self.n_rounds_)

    def _linear_model(self) -> tuple[FloatArray, float]:
        """Return coefficients and intercept of the log-odds of the code 1."""
        self._bring_up_to_date()
        fit = self._leader.fit()
        return fit.coef, fit.intercept - float(fit.coef @ self._leader.data.origin)

    def _predict_rows(self, X: FloatArray, noisy: bool) -> FloatArray:
        """Return the log-odds of the code 1."""
        X = X - self._leader.data.origin
        if noisy:
            X = self._leader.calibrate(X)
        fit = self._leader.fit()
        return X @ fit.coef + fit.intercept

    def _clean_error(self, batch: NoisyBatch) -> float:
        batch.refuse_replicates("a classifier")
        X, noise = batch.merged()
        assert not isinstance(noise, RowNoise)
        X = X - self._leader.data.origin
        return float(np.mean(corrected_loss(self._leader.fit(), X, batch.y, noise)))

    def _copy_noise_cov(self) -> FloatArray:
        return self._leader.data.copy_noise_cov()

    def _check_declared_noise(self) -> None:
        data = self._leader.data
        enough = data.total_weight >= _ROWS_PER_FEATURE * data.n_features
        if self.noise_cov is not None and enough:
            check_declared_noise(data.gram(), data.noise, True, self._feature_index.names, 6)
