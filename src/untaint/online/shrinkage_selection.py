r"""Selection of the share of the noise to remove and of the ridge penalty.

Removing all of the declared noise is unbiased but can have a large variance, because :math:`S -
\Sigma` may be nearly singular. The candidates remove a share of it and add a ridge,

.. math:: w = ((S - share \, \Sigma)_+ + \alpha I)^{-1} c,

with negative eigenvalues set to zero. Held-out folds estimate each candidate's *clean* loss from
noisy rows without bias, as :math:`u^T \hat M u` for the residual :math:`u^T r` and the corrected
second moments of r. Selected is the candidate with the smallest upper confidence limit (one
standard error) of its loss minus that of the naive fit. Candidates are excluded if the standard
error of that difference is large and the difference itself not significant at three standard
errors, or if the estimated loss is significantly negative. If no candidate is better, the naive fit
is kept, so that nothing worse than it is selected, up to sampling error. With too few rows for
cross-validation the naive fit is used, with the penalty of a single row.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from .._typing import FloatArray
from .._validation import check_at_most, check_real, is_word
from .correction import MomentCorrection, feature_variances
from .moments import Moments
from .ridge_solvers import solve_ridge
from .schedule import N_FOLDS

SHARES = (0.0, 0.5, 0.8, 1.0)  # of the noise removed; the first is the naive fit
ALPHAS = np.logspace(-8, 1, 19)  # relative to the variance of the features
MAX_STANDARD_ERROR = 0.1  # of a loss difference, relative to the naive fit's loss
_MIN_FOLDS = 10  # non-empty folds needed to estimate a standard error
_ONE_SIGMA, _THREE_SIGMA = 0.8413, 0.99865  # normal distribution function at 1 and 3


class Shrinkage(NamedTuple):
    """A Shrinkage is a candidate: the share of the noise to remove, and the ridge penalty."""

    share: float
    alpha: float


def share_and_alpha(model: Any) -> tuple[tuple[float, ...], float | None]:
    """Return the shares to select from and the given alpha, None if it is to be selected."""
    if not is_word(model.alpha, "auto"):
        check_real("alpha", model.alpha, low=0)
    if not is_word(model.share, "auto"):
        check_real("share", model.share, low=0)
        check_at_most("share", model.share, 1.0)
    shares = SHARES if isinstance(model.share, str) else (float(model.share),)
    return shares, None if isinstance(model.alpha, str) else float(model.alpha)


def select_shrinkage(
    moments: Moments,
    correct: MomentCorrection,
    shares: tuple[float, ...],
    alphas: FloatArray,
    *,
    centred: bool,
    scaled: bool,
) -> Shrinkage | None:
    """Return the best share and alpha by cross-validation, None if there are too few rows."""
    if len(shares) == len(alphas) == 1:
        return Shrinkage(shares[0], float(alphas[0]))
    if np.count_nonzero(moments.gram[:, 0, 0]) < _MIN_FOLDS:
        return None
    scales = np.sqrt(feature_variances(moments.total_gram, centred)) if scaled else None
    losses = held_out_losses(moments, correct, shares, alphas, centred=centred, scales=scales)
    share, alpha = divmod(best_candidate(losses), len(alphas))
    return Shrinkage(shares[share], float(alphas[alpha]))


class HeldOutLosses(NamedTuple):
    """HeldOutLosses holds the losses of candidates on held-out folds, as (folds, candidates)."""

    clean: FloatArray  # unbiased estimate of the loss on the clean rows
    naive: FloatArray  # loss on the noisy rows; infinite for candidates that remove noise
    fold_weights: FloatArray  # the fraction of all rows that is in each fold


def best_candidate(losses: HeldOutLosses) -> int:
    """Return the candidate with the smallest upper confidence limit, as described above."""
    fold_weights = losses.fold_weights
    naive = int(np.argmin(fold_weights @ losses.naive))
    mean, one_error, three_errors = loss_differences(losses, naive)
    limit = mean + one_error
    scale = max(fold_weights @ losses.clean[:, naive], 0.1 * fold_weights @ losses.naive[:, naive])
    limit[(one_error > MAX_STANDARD_ERROR * scale) & (mean + three_errors > 0)] = np.inf
    limit[fold_weights @ losses.clean + one_error < 0] = np.inf
    limit[naive] = 0.0
    return int(np.argmin(limit))


def loss_differences(
    losses: HeldOutLosses, reference: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean differences to a reference candidate, and one and three standard errors."""
    fold_weights, k = losses.fold_weights, len(losses.fold_weights)
    difference = losses.clean - losses.clean[:, [reference]]
    mean = fold_weights @ difference
    deviation = np.sqrt(fold_weights**2 @ (difference - mean) ** 2 * k / (k - 1))
    one_error, three_errors = (
        deviation * stdtrit(k - 1, level) for level in (_ONE_SIGMA, _THREE_SIGMA)
    )
    return mean, one_error, three_errors


def held_out_losses(
    moments: Moments,
    correct: MomentCorrection,
    shares: tuple[float, ...] = SHARES,
    alphas: FloatArray = ALPHAS,
    *,
    centred: bool = True,
    scales: FloatArray | None = None,
    n_groups: int | None = None,
) -> HeldOutLosses:
    """Return the losses of all candidates, ordered by share and then by alpha, on all folds."""
    gram, noise = moments.grouped(n_groups or _n_groups(moments.n_features))
    training_gram, training_noise = gram.sum(axis=0) - gram, noise.sum(axis=0) - noise
    clean, noisy = correct(gram, noise, 1.0), correct(gram, noise, 0.0)
    clean_losses, naive_losses = [], []
    for together in [shares] if moments.n_features <= 64 else [(share,) for share in shares]:
        training = [correct(training_gram, training_noise, share) for share in together]
        coef, intercept = solve_ridge(np.stack(training), alphas, centred=centred, scales=scales)
        residual = np.concatenate(
            [-intercept[..., None], -coef, np.ones((*coef.shape[:-1], 1))], axis=-1
        )
        clean_losses += [*_fold_losses(residual, clean)]
        for share, u in zip(together, residual, strict=True):
            naive = _fold_losses(u, noisy) if share == shares[0] else np.inf
            naive_losses.append(np.broadcast_to(naive, clean_losses[-1].shape))
    fold_weights = gram[:, 0, 0] / gram[:, 0, 0].sum()
    return HeldOutLosses(
        np.concatenate(clean_losses, axis=1), np.concatenate(naive_losses, axis=1), fold_weights
    )


def _fold_losses(u: FloatArray, gram: FloatArray) -> FloatArray:
    """Return u' M u / n for every u (folds, candidates, d + 2) and its fold's Gram matrix M."""
    return np.einsum("...i,...i->...", u @ gram, u) / gram[:, :1, 0]


def _n_groups(n_features: int) -> int:
    """Return the number of folds; each costs an eigendecomposition for every share."""
    return N_FOLDS if n_features <= 64 else N_FOLDS // 2 if n_features <= 640 else N_FOLDS // 4
