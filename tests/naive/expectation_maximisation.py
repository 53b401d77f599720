"""Expectation-maximisation of two groups of residuals, one start and one sample at a time."""

from __future__ import annotations

from math import exp, inf, lgamma, log, pi, sqrt

MAX_ITER, MIN_RISE = 200, 1e-3
MAJORITY, LARGEST_SHARE = 0.6, 0.49
MIN_CLUSTER = 8.0


def log_density(z, tail):
    """Of Student's distribution, of the Gaussian one for an infinite tail."""
    if tail == inf:
        return -0.5 * z**2 - 0.5 * log(2 * pi)
    constant = lgamma((tail + 1) / 2) - lgamma(tail / 2) - 0.5 * log(tail * pi)
    return constant - (tail + 1) / 2 * log(1 + z**2 / tail)


def student_weight(z, tail):
    """Weight of a standardised residual in the update of Student's scale."""
    return 1.0 if tail == inf else (tail + 1) / (tail + z**2)


def maximised(residuals, weights, model, tail, p, least_scale):
    """Return share, scale, centre, width, offset and log-likelihood; None if a group vanishes.

    The rows of ``residuals`` are a value, its relative scale, its target, and the logarithms of the
    unit and of the background density.
    """
    rows = [tuple(map(float, row)) for row in zip(*residuals, weights, strict=True)]
    p, total = [float(each) for each in p], float(sum(weights))
    n_good = sum(v * q for (*_, v), q in zip(rows, p, strict=True))
    squares = sum(v * q * (r / s) ** 2 for (r, s, *_, v), q in zip(rows, p, strict=True))
    scale, offset = max(sqrt(squares / n_good) if n_good else 0.0, least_scale), 0.0
    likelihood = -inf
    for _ in range(MAX_ITER):
        n_bad = sum(v * (1 - q) for (*_, v), q in zip(rows, p, strict=True))
        if n_bad <= (MIN_CLUSTER if model.offset else 1e-9 * total):
            return None
        if likelihood > -inf and n_bad >= MAJORITY * total:
            return None
        theta = maximise(rows, p, model, tail, scale, offset, least_scale)
        share, scale, centre, width, offset = theta
        if scale == 0:
            return None
        previous, likelihood, p = likelihood, 0.0, []
        for r, s, target, log_unit, background, v in rows:
            own = max(scale * s, least_scale)
            good = log_density((r - offset) / own, tail) - log(own) + log(1 - share)
            bad = background
            if model.of_target:
                bad = log_density((target - centre) / width, inf) - log(width) + log_unit
            elif not model.permuted:
                bad = log_density((r - centre) / width, inf) - log(width)
            bad += log(share)
            top = max(good, bad)
            both = top + log(exp(good - top) + exp(bad - top))
            likelihood += v * both
            p.append(exp(good - both))
        if likelihood - previous <= MIN_RISE:
            break
    return *theta, likelihood


def maximise(rows, p, model, tail, scale, offset, least_scale):
    """Return share, scale, centre, width and offset given probabilities of good rows."""
    total = n_good = n_bad = products = norms = bad_sum = 0.0
    student = []
    for (r, s, target, *_, v), q in zip(rows, p, strict=True):
        u = student_weight((r - offset) / (scale * s), tail)
        student.append(u)
        total, n_good, n_bad = total + v, n_good + v * q, n_bad + v * (1 - q)
        products, norms = products + v * q * u * r / s**2, norms + v * q * u / s**2
        bad_sum += v * (1 - q) * (target if model.of_target else r)
    offset = products / norms if model.offset else 0.0
    centre = bad_sum / n_bad
    good_squares = bad_squares = 0.0
    for (r, s, target, *_, v), q, u in zip(rows, p, student, strict=True):
        good_squares += v * q * u * (r - offset) ** 2 / s**2
        bad_squares += v * (1 - q) * ((target if model.of_target else r) - centre) ** 2
    share = min(n_bad / total, LARGEST_SHARE)
    if model.shifted:
        scale = max(sqrt((good_squares + bad_squares) / total), least_scale)
        return share, scale, centre, scale, offset
    scale = max(sqrt(good_squares / n_good), least_scale)
    reach = (model.min_deviation * scale) ** 2 - centre**2
    width = max(sqrt(bad_squares / n_bad), model.min_width * scale, sqrt(max(reach, 0.0)))
    return share, scale, centre, width, offset
