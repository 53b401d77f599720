"""The best corrected logistic fit to the rows so far, computed at certain rounds of a stream.

- At rounds 1.5, 1.5^2, ... (rounded up) share and alpha are selected by cross-validation.
- Between them, rows are added to the fit whenever their number has grown by a sixteenth.

These rounds do not depend on when predictions are requested, so that predicting does not change the
model.
"""

from copy import copy

import numpy as np
from scipy.special import logit

from .._typing import FloatArray
from .logistic_data import MAX_ROWS, LogisticData
from .logistic_fit import LogisticFit, WithinClass, calibration_gain, fit_path, naive_slopes
from .logistic_selection import ALPHAS, has_enough_rows, select_share_and_alpha
from .noisy_batch import NoisyBatch
from .schedule import powers_around

_GROWTH = 1.5  # factor between the rounds at which share and alpha are selected
_LAG = 16  # the fit lags by one row in so many at most


class LogisticLeader:
    """A LogisticLeader keeps the data of a stream and fits the best corrected model to them."""

    def __init__(self, origin: FloatArray, shares: tuple[float, ...], alpha: float | None) -> None:
        self._shares = shares
        self._alpha = alpha  # penalty of the summed loss, of unscaled slopes; None: selected
        self.data = LogisticData(origin)
        self._tuning_data: LogisticData | None = None
        self._selected: tuple[float, float] | None = None
        self._fit: LogisticFit | None = None

    def refit_rounds(self, rounds: int) -> tuple[int, int]:
        """Return the last round up to this one at which the fit is updated, and the next one."""
        last = self.data.rounds
        while (next_round := last + max(1, last // _LAG)) <= rounds:
            last = next_round
        return last, next_round

    def add(self, batch: NoisyBatch) -> None:
        """Add a batch; the last tuning round in it becomes the one that selections are based on."""
        tuning_round = powers_around(self.data.rounds + len(batch.y), _GROWTH)[0]
        if tuning_round > self.data.rounds:
            n = tuning_round - self.data.rounds
            self._add(batch[:n])
            self._tuning_data, self._selected = copy(self.data), None
            batch = batch[n:]
        self._add(batch)

    def _add(self, batch: NoisyBatch) -> None:
        """Add rows, and summarise the earlier half of the kept rows when there are too many."""
        start = 0
        while start < len(batch.y):
            stop = start + MAX_ROWS - len(self.data.codes)
            self.data.add(batch[start:stop])
            start, self._fit = stop, None
            if len(self.data.codes) == MAX_ROWS:
                self.data.summarise(MAX_ROWS // 2, naive_slopes(self.data))

    def retune(self) -> None:
        """Let the next fit select share and alpha by all rows so far."""
        self._tuning_data, self._selected, self._fit = copy(self.data), None, None

    def expand(self, n_features: int) -> None:
        """Add new features, which were zero in all earlier rows."""
        if self._tuning_data is not None:
            self._tuning_data = copy(self._tuning_data)
            self._tuning_data.expand(n_features)
        self.data.expand(n_features)
        self._selected = self._fit = None

    def fit(self) -> LogisticFit:
        """Return the best corrected fit so far."""
        if self._fit is None:
            self._fit = self._compute_fit()
        return self._fit

    def _compute_fit(self) -> LogisticFit:
        data, counts = self.data, self.data.class_gram[:, :, 0, 0].sum(axis=0)
        if not counts.all():  # one class: its smoothed log-odds
            intercept = float(logit((counts[1] + 0.5) / (counts.sum() + 1.0)))
            return LogisticFit(np.zeros(data.n_features), intercept, self._shares[0], 0.0)
        share, alpha = self._share_and_alpha()
        return next(fit_path(data, share, np.array([alpha]), self._scales(data)))

    def _share_and_alpha(self) -> tuple[float, float]:
        tuning, total = self._tuning_data, self.data.total_weight
        if self._selected is None and tuning is not None:
            shares, alphas = self._shares, ALPHAS
            if self._alpha is not None:
                alphas = np.array([self._alpha / tuning.total_weight])
            if len(shares) == len(alphas) == 1:
                self._selected = shares[0], float(alphas[0])
            elif has_enough_rows(tuning):
                self._selected = select_share_and_alpha(
                    tuning, self._scales(tuning), shares, alphas
                )
        share, alpha = self._selected or (self._shares[0], 1.0 / total)
        return share, alpha if self._alpha is None else self._alpha / total

    def _scales(self, data: LogisticData) -> FloatArray:
        if self._alpha is not None:  # the user's penalty is of unscaled slopes
            return np.ones(data.n_features)
        return data.feature_scales()

    def calibrate(self, X: FloatArray) -> FloatArray:
        """Return the expected rows that the fit predicts from, given noisy queries.

        A fit from which only a share of the noise was removed predicts from rows that carry the
        rest of it. With share 0 and one copy, they are the noisy queries themselves.
        """
        data, share, scales = self.data, self.fit().share, self.data.feature_scales()
        moments = WithinClass.of(data.class_gram.sum(axis=0))
        clean = moments.clean_cov(data.noise_cov(), scales)
        rows_cov = clean + (1.0 - share) * data.noise_cov()
        gain = calibration_gain(rows_cov, clean + data.copy_noise_cov(), scales)
        return moments.mean + (X - moments.mean) @ gain
