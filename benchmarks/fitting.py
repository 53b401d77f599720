"""From a case to a fitted model, the same way for regression and classification."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, NamedTuple

from .case import Case
from .data import load
from .protocol import Split, prepare


class Fitted(NamedTuple):
    """The result of ``fit``, the rows that it was and was not given, and the time it took."""

    model: Any
    split: Split
    seconds: float


def gammas(n_features: int, powers: Sequence[int]) -> tuple[float, ...]:
    """Return powers of two around 1 / (2 d), 1 / the mean squared distance in standard units.

    Examples
    --------
    >>> from benchmarks.fitting import gammas
    >>> gammas(8, powers=[-1, 0])
    (0.03125, 0.0625)
    """
    return tuple(float(2.0**power) / (2 * n_features) for power in powers)


def fit_case(
    case: Case, fit: Callable[..., Any], *, powers: Sequence[int], alphas: Sequence[float]
) -> Fitted:
    """Prepare the case's data and let ``fit`` tune and fit the case's method on it.

    Parameters
    ----------
    case : Case
    fit : callable
        ``methods.fit`` or its like: name, X, y, and by keyword epsilon, clean_mask, gammas, alphas
        and seed.
    powers : sequence of int
        Of two, for the grid of gammas.
    alphas : sequence of float
    """
    X, y = load(case.dataset, case.seed)
    split = prepare(X, y, kind=case.kind, epsilon=case.epsilon, seed=case.seed)
    started = perf_counter()
    model = fit(
        case.method,
        split.X_train,
        split.y_train,
        epsilon=case.epsilon,
        clean_mask=split.clean_mask,
        gammas=gammas(X.shape[1], powers),
        alphas=alphas,
        seed=case.seed,
    )
    return Fitted(model, split, perf_counter() - started)
