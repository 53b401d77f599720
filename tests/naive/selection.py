"""Trimming by trying every choice of rows."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def every_choice(n, count):
    """Every set of ``count`` out of n rows, as a 0/1 vector."""
    for rows in combinations(range(n), count):
        chosen = np.zeros(n)
        chosen[list(rows)] = 1.0
        yield chosen


def kept_total(share, row_weights):
    """Weight that is kept when a share is given up: whole rows, where rows can be counted.

    Whole weights count copies of weight one, equal ones count rows; others are cut anywhere.
    """
    total = (1 - share) * sum(row_weights)
    if share == 0:
        return total
    if all(weight == int(weight) for weight in row_weights):
        return max(1, int(total + 1e-6))
    if len(set(row_weights)) == 1:
        return max(1, int(total / row_weights[0] + 1e-6)) * row_weights[0]
    return total


def smallest_sum(losses, count):
    """Least sum of ``count`` losses."""
    return min(sum(losses[i] for i in rows) for rows in combinations(range(len(losses)), count))


def smallest_weighted_sum(losses, row_weights, kept):
    """Least weighted sum of losses when a total weight of ``kept`` is kept.

    The least is at a corner: some rows in full, one in part, the others not at all.
    """
    n = len(losses)
    best = np.inf
    for count in range(n):
        for full in every_choice(n, count):
            whole = float(full @ row_weights)
            for j in np.flatnonzero(full == 0):
                if whole <= kept <= whole + row_weights[j]:
                    value = float((full * row_weights) @ losses) + (kept - whole) * losses[j]
                    best = min(best, value)
    return best


def monotony(groups, n_groups, weights):
    """Sum of n_k log(K n_k / n): what the kept classes lack in variety."""
    total = 0.0
    for k in range(n_groups):
        kept = float(weights[groups == k].sum())
        if kept > 0:
            total += kept * np.log(n_groups * kept / weights.sum())
    return total


def balanced_choices(losses, groups, n_groups, count):
    """Every set of ``count`` rows that leaves each class one at least: values and sets, sorted."""
    present = np.unique(groups)
    found = [
        (float(chosen @ losses) + monotony(groups, n_groups, chosen), chosen)
        for chosen in every_choice(len(losses), count)
        if np.isin(present, groups[chosen > 0]).all()
    ]
    return sorted(found, key=lambda pair: pair[0])


def weighted_quantile(values, repeats, level):
    """Smallest value that at least the share ``level`` of the repeated values does not exceed."""
    ordered = np.sort(np.repeat(values, repeats))
    for rank, value in enumerate(ordered, start=1):
        if rank >= level * len(ordered):
            return value
    raise AssertionError("level exceeds one")
