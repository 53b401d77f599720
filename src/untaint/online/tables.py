"""scikit-learn's door: tables of rows."""

from __future__ import annotations

from typing import Any

from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .._typing import FloatArray
from .._validation import check_copy, check_flag, check_noisy_data, check_noisy_query, within_range
from .learning import Learning
from .views import Views


class Tables(Learning):
    """``fit``, ``partial_fit``, ``predict``, ``corrected_score``."""

    def fit(
        self, X: Any, y: Any, X_copy: Any = None, noise_cov: Any = None, sample_weight: Any = None
    ) -> Any:
        """Learn from these rows alone.

        Parameters
        ----------
        X : array or data frame of shape (n, d)
            Noisy rows.
        y : array of shape (n,)
            Targets, noisy or not.
        X_copy : array or data frame of shape (n, d), optional
            The same rows measured a second time, with independent noise.
        noise_cov : number or array, optional
            Noise covariance of these rows, in place of the parameter: one variance, one for each
            feature, a matrix, or the rows' own, of shape (n, d) or (n, d, d).
        sample_weight : array of shape (n,), optional
            A row of weight k counts k times in every sum, and a gradient step is made k times as
            long. Copies of a row would also fall into folds of their own, so that what is chosen
            by folds may differ from that of k copies.

        Returns
        -------
        self
        """
        before = dict(vars(self))
        try:
            with within_range():
                self._partial_fit(X, y, X_copy, noise_cov, sample_weight, first=True)
        except BaseException:  # all or nothing
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def partial_fit(
        self, X: Any, y: Any, X_copy: Any = None, noise_cov: Any = None, sample_weight: Any = None
    ) -> Any:
        """Go on learning from more rows; parameters as in :meth:`fit`."""
        if not hasattr(self, "n_rounds_"):
            return self.fit(X, y, X_copy, noise_cov, sample_weight)
        self._partial_fit(X, y, X_copy, noise_cov, sample_weight, first=False)
        return self

    def _partial_fit(
        self, X: Any, y: Any, X_copy: Any, noise_cov: Any, sample_weight: Any, *, first: bool
    ) -> None:
        self._check_parameters()
        if not first:
            self._drain(self.n_rounds_)
        X, y, weights = check_noisy_data(self, X, y, sample_weight, reset=first, gaps=self._gaps)
        X_copy = check_copy(self, X_copy, X, gaps=self._gaps)
        names = list(getattr(self, "feature_names_in_", range(X.shape[1])))
        views = self._views(X, y, X_copy, noise_cov, weights, names)
        if first:
            self._open(names)
            self._start(views)
        self._learn(views)
        self._learnt = self.n_rounds_ = self.n_rounds_ + len(y)
        self._complete()
        self._waiting.next_due = 0
        self._look_at_noise(now=first)

    def predict(self, X: Any, noisy: bool = False) -> FloatArray:
        """Predict targets.

        Parameters
        ----------
        X : array or data frame of shape (m, d)
        noisy : bool
            Whether these rows carry the same noise as the training rows. Then each is first drawn
            towards the mean, as far as its noise makes probable.

        Returns
        -------
        array of shape (m,)
        """
        check_flag("noisy", noisy)
        X = check_noisy_query(self, X, gaps=self._gaps)
        self._catch_up()
        return self._evaluate(X, noisy)

    def corrected_score(self, X: Any, y: Any, X_copy: Any = None) -> float:
        """Mean squared error on the clean rows, estimated from noisy ones without bias.

        Parameters
        ----------
        X, y, X_copy
            Held-out rows, as noisy as the training rows; a second copy, if there is one.

        Returns
        -------
        float
            The smaller the better. An estimate: it can be negative where the error is small.
        """
        check_is_fitted(self)
        X, y, _ = check_noisy_data(self, X, y, None, reset=False, gaps=False)
        X_copy = check_copy(self, X_copy, X, gaps=False)
        self._catch_up()
        return self._clean_error(Views(X, y, X_copy, self._noise_of_one_copy()))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._gaps
        return tags
