r"""Selection of the kernel's bandwidth from noisy rows.

The median heuristic is :math:`\gamma = 1 / \mathrm{median} \|x - x'\|^2` over the clean rows. The
noise of one copy adds :math:`2 \, \mathrm{tr} \, \Sigma` to the squared distances of noisy rows,
which is subtracted. With enough rows, several multiples of that value are compared on random
features by the clean loss on held-out folds, see :mod:`.shrinkage_selection`.
"""

from collections.abc import Callable

import numpy as np

from .._typing import FloatArray
from ..kernels import resolve_gamma
from .fourier import FourierCorrection, SpectralSampler, fourier_features
from .mixture import KernelMixture
from .moments import Moments
from .noisy_batch import NoisyBatch, augmented_rows
from .shrinkage_selection import HeldOutLosses, best_candidate, held_out_losses, loss_differences

GAMMA_FACTORS = (1.0, 1 / 9, 1 / 3, 3.0, 9.0)  # multiples of the median heuristic's gamma
MIN_ROWS_TO_SELECT = 500  # rows needed to compare bandwidths
_MAX_ROWS = 6000
_SHARES = (0.0, 0.8)  # of the noise removed; two of them and few folds keep the cost low
_N_GROUPS = 4


def median_gamma(Z: FloatArray, sample_weight: FloatArray | None, cov: FloatArray) -> float:
    """Return the median heuristic for the clean rows, given noisy rows Z and their noise."""
    distance = 1.0 / resolve_gamma("median", Z, sample_weight)
    return 1.0 / max(distance - 2.0 * float(np.trace(cov)), 0.1 * distance)


def select_gamma(
    gammas: list[float],
    batch: NoisyBatch,
    cov: FloatArray,
    noise: str,
    mixture_of: Callable[[float], KernelMixture],
    budget: int,
    seed: int,
) -> float:
    """Return the gamma whose fit has the smallest estimated clean loss.

    The first of the gammas is the default, and another one is selected only if its loss is smaller
    by more than a standard error. Losses are compared with that of a naive fit of the default or of
    a wider kernel, because the clean loss of a narrow kernel's fit has a large variance. All
    candidates have as many frequencies as the final fit, because the best gamma depends on that
    number.
    """
    first_rows = slice(0, _MAX_ROWS)
    Z, y = batch.merged()[0][first_rows], batch.y[first_rows]
    sample_weight = None if batch.sample_weight is None else batch.sample_weight[first_rows]
    candidates = []
    for gamma in gammas:
        omega = SpectralSampler(mixture_of(gamma), budget, seed).sample(len(cov))
        moments = Moments(2 * budget, noisy=False)
        Z_omega = fourier_features(Z, omega)
        moments.add(augmented_rows(Z_omega, y - float(y.mean()), sample_weight), None)
        correction = FourierCorrection(omega, cov, noise, batch.n_copies)
        losses = held_out_losses(moments, correction, _SHARES, n_groups=_N_GROUPS)
        if gamma > gammas[0]:
            losses = losses._replace(naive=np.full_like(losses.naive, np.inf))
        candidates.append(losses)
    clean, naive = (np.concatenate(kind, axis=1) for kind in [*zip(*candidates, strict=True)][:2])
    joint = HeldOutLosses(clean, naive, candidates[0].fold_weights)
    best, default = best_candidate(joint), best_candidate(candidates[0])
    mean, error, _ = loss_differences(joint, default)
    return gammas[best // candidates[0].clean.shape[1] if mean[best] + error[best] < 0 else 0]
