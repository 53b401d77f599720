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


def kept_total(contamination, sample_weight):
    """Return the kept weight when a fraction is trimmed: whole rows, if they can be counted.

    Whole weights count copies of weight one, equal ones count rows; others are cut anywhere.
    """
    total = (1 - contamination) * sum(sample_weight)
    if contamination == 0:
        return total
    if all(weight == int(weight) for weight in sample_weight):
        return max(1, int(total + 1e-6))
    if len(set(sample_weight)) == 1:
        return max(1, int(total / sample_weight[0] + 1e-6)) * sample_weight[0]
    return total


def smallest_sum(losses, count):
    """Least sum of ``count`` losses."""
    return min(sum(losses[i] for i in rows) for rows in combinations(range(len(losses)), count))


def smallest_weighted_sum(losses, sample_weight, kept):
    """Least weighted sum of losses when a total weight of ``kept`` is kept.

    The least is at a corner: some rows in full, one in part, the others not at all.
    """
    n = len(losses)
    best = np.inf
    for count in range(n):
        for full in every_choice(n, count):
            whole = float(full @ sample_weight)
            for j in np.flatnonzero(full == 0):
                if whole <= kept <= whole + sample_weight[j]:
                    value = float((full * sample_weight) @ losses) + (kept - whole) * losses[j]
                    best = min(best, value)
    return best


def negative_entropy(groups, n_groups, weights):
    """Return the sum of n_k log(K n_k / n), n times log K minus the entropy of the labels."""
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
        (float(chosen @ losses) + negative_entropy(groups, n_groups, chosen), chosen)
        for chosen in every_choice(len(losses), count)
        if np.isin(present, groups[chosen > 0]).all()
    ]
    return sorted(found, key=lambda pair: pair[0])


def weighted_quantile(values, repeats, level):
    """Return the smallest value that a fraction ``level`` of the copies does not exceed."""
    ordered = np.sort(np.repeat(values, repeats))
    for rank, value in enumerate(ordered, start=1):
        if rank >= level * len(ordered):
            return value
    raise AssertionError("level exceeds one")
