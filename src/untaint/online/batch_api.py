"""scikit-learn's interface of the learners from noisy rows: arrays and data frames."""

from typing import Any

from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .._typing import FloatArray
from .._validation import check_flag, check_noisy_data, check_noisy_query, overflow_guard
from .noisy_batch import NoisyBatch
from .replicates import check_copies, check_true_features
from .scaling import scale_copy, scaling_of
from .stream_base import BUFFER_SIZE, _StreamBase


class BatchAPIMixin(_StreamBase):
    """Mixin that provides scikit-learn's methods and ``corrected_score``."""

    def fit(
        self,
        X: Any,
        y: Any,
        X_copy: Any = None,
        noise_cov: Any = None,
        sample_weight: Any = None,
        X_true: Any = None,
    ) -> Any:
        """Fit the model to these rows, and forget earlier ones.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
            Noisy rows.
        y : array of shape (n,)
            Targets, which may be noisy, or the labels of two classes.
        X_copy : array or data frame of shape (n, d), or a list of these, optional
            Further measurements of the rows, with independent noise. Where a row has no such
            measurement, all of its entries are NaN.
        noise_cov : number or array, optional
            Noise covariance of these rows, which replaces the parameter: one variance, one for each
            feature, a matrix, or one for each row, of shape (n, d) or (n, d, d).
            ``"replicates"`` estimates it from the copies, also for rows that have none.
        sample_weight : array of shape (n,), optional
            Weights of the rows. A row of weight k counts k times in every sum, and its gradient
            step is k times as long. Repeating the row k times would also spread it over several
            folds, so that what is selected by cross-validation may differ.
        X_true : array or data frame of shape (n, d), optional
            True features of a validation subsample, and NaN in all other rows. Together with X they
            identify the noise if it is not given. For the linear learners, without gradient steps.

        Returns
        -------
        self
        """
        before = dict(vars(self))
        try:
            with overflow_guard():
                self._learn_table(True, X, y, X_copy, noise_cov, sample_weight, X_true)
        except BaseException:  # a failed fit leaves the model as it was
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any,
        X_copy: Any = None,
        noise_cov: Any = None,
        sample_weight: Any = None,
        X_true: Any = None,
    ) -> Any:
        """Update the model with more rows; the parameters are those of :meth:`fit`."""
        if not hasattr(self, "n_rounds_"):
            return self.fit(X, y, X_copy, noise_cov, sample_weight, X_true)
        self._learn_table(False, X, y, X_copy, noise_cov, sample_weight, X_true)
        return self

    def _encode_targets(self, y: Any, first: bool) -> Any:
        """Return targets as numbers, or as they are if they are to be checked as numbers."""
        return y

    def _learn_table(
        self, first: bool, X: Any, y: Any, copies: Any, noise_cov: Any, weights: Any, X_true: Any
    ) -> None:
        self._check_parameters()
        if not first:
            self._flush(self.n_rounds_)
        self._refuse_gaps(X)
        scaling, y, gaps = scaling_of(X), self._encode_targets(y, first), self._allow_missing
        X, y, weights = check_noisy_data(self, X, y, weights, reset=first, gaps=gaps)
        copies = check_copies(self, copies, X, scaling, gaps=gaps)
        X_true = check_true_features(self, scale_copy(X_true, scaling), X)
        names = list(getattr(self, "feature_names_in_", range(X.shape[1])))
        batch = self._make_batch(X, y, copies, noise_cov, weights, names, scaling, X_true)
        if first:
            self._reset_stream(names)
        self._was_scaled = scaling is not None
        if first:
            self._start(batch)
        self._learn(batch)
        self._n_learnt = self.n_rounds_ = self.n_rounds_ + len(y)
        self._learn_at = self._n_learnt + BUFFER_SIZE
        self._end_batch()
        self._buffer.cached_until = 0
        self._check_noise_if_due(now=first)

    def predict(self, X: Any, noisy: bool = False) -> FloatArray:
        """Predict the targets of rows.

        Parameters
        ----------
        X : array or data frame of shape (m, d)
            Rows to predict for.
        noisy : bool
            Whether these rows carry the same noise as the training rows. If so, each is first
            replaced by its conditional mean given the noisy row.

        Returns
        -------
        array of shape (m,)
            Predicted targets.
        """
        check_flag("noisy", noisy)
        X = check_noisy_query(self, X, gaps=self._allow_missing)
        self._learn_due_rows()
        return self._predict_rows(X, noisy)

    def corrected_score(self, X: Any, y: Any, X_copy: Any = None) -> float:
        """Estimate the mean squared error, or log loss, on the clean rows from noisy rows.

        Parameters
        ----------
        X : array of shape (m, d)
            Held-out rows with the noise of the training rows.
        y : array of shape (m,)
            Their targets or labels.
        X_copy : array of shape (m, d), optional
            Second copies of these rows.

        Returns
        -------
        float
            Smaller is better. The estimate of the squared error is unbiased, and so can be negative
            if the error is small. That of the log loss is too large where the noise of the log-odds
            has a variance of 2.9 or more.
        """
        check_is_fitted(self)
        scaling = scaling_of(X)
        y = self._encode_targets(y, False)
        X, y, _ = check_noisy_data(self, X, y, None, reset=False, gaps=False)
        X_copy = check_copies(self, X_copy, X, scaling, gaps=False, allow_equal=True)
        self._learn_due_rows()
        return self._clean_error(NoisyBatch(X, y, X_copy, self._copy_noise_cov()))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._allow_missing
        return tags
