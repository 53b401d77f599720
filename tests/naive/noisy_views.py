"""Learning from noisy copies of the rows, by plain loops and formulas as they stand.

Algorithms 1 and 2 are those of Cesa-Bianchi, Shalev-Shwartz and Shamir, Learning from Noisy Data
under Distributional Assumptions, with two corrections: a gradient of one copy is rid of twice the
covariance times w (printed: once), and a kernel's surrogate takes a covariance that is not
diagonal: of exp(-u'M^-1 u) the metric M becomes M - 2 Sigma.
"""

from __future__ import annotations

import math

import numpy as np


def dot(x, z):
    return math.fsum(float(a) * float(b) for a, b in zip(x, z, strict=True))


def into_ball(w, radius):
    """The nearest point of the ball around zero; None is a ball without an edge."""
    length = math.sqrt(dot(w, w))
    if radius is None or length <= radius:
        return w
    return [v * radius / length for v in w]


# --- Algorithm 1: linear predictors ----------------------------------------------------------


def gradient_two_copies(w, a, b, y):
    """Algorithm 1, left: what one copy leaves of the target, along the other."""
    return [2 * (dot(w, a) - y) * v for v in b]


def gradient_symmetric(w, a, b, y):
    """The mean of Algorithm 1, left, and of itself with the copies exchanged."""
    error_a, error_b = dot(w, a) - y, dot(w, b) - y
    return [error_a * v + error_b * u for u, v in zip(a, b, strict=True)]


def gradient_known_covariance(w, x, y, covariance):
    """Algorithm 1, right, unbiased: 2 (<w, x> - y) x - 2 Sigma w."""
    error = dot(w, x) - y
    return [2 * error * x[j] - 2 * dot(covariance[j], w) for j in range(len(x))]


def descent(gradients, n_features, rate, radius=None):
    """Coefficients after every round, the zeros before the first one left out.

    ``gradients`` is a list of functions of w, ``rate`` a number or a list of one a round.
    """
    w, path = [0.0] * n_features, []
    for t, gradient in enumerate(gradients):
        eta = rate[t] if isinstance(rate, list) else rate
        slope = gradient(w)
        w = into_ball([w[j] - eta * slope[j] for j in range(n_features)], radius)
        path.append(w)
    return np.array(path)


def algorithm_1_left(X, X_copy, y, rate, radius=None):
    rows = zip(X, X_copy, y, strict=True)
    gradients = [lambda w, a=a, b=b, t=t: gradient_two_copies(w, a, b, t) for a, b, t in rows]
    return descent(gradients, len(X[0]), rate, radius)


def algorithm_1_symmetric(X, X_copy, y, rate, radius=None):
    rows = zip(X, X_copy, y, strict=True)
    gradients = [lambda w, a=a, b=b, t=t: gradient_symmetric(w, a, b, t) for a, b, t in rows]
    return descent(gradients, len(X[0]), rate, radius)


def algorithm_1_right(X, y, covariances, rate, radius=None):
    """One covariance matrix a row."""
    rows = zip(X, y, covariances, strict=True)
    gradients = [lambda w, x=x, t=t, s=s: gradient_known_covariance(w, x, t, s) for x, t, s in rows]
    return descent(gradients, len(X[0]), rate, radius)


# --- Algorithm 2: the Gaussian kernel exp(-gamma |x - z|^2) ----------------------------------


def shrunken_metric(gamma, covariance):
    """M and M - 2 Sigma, for M = I / gamma."""
    M = np.eye(len(covariance)) / gamma
    return M, M - 2 * np.asarray(covariance, dtype=float)


def surrogate_square(gamma, covariance):
    """R^2, the surrogate kernel of a row with itself."""
    M, shrunken = shrunken_metric(gamma, covariance)
    return math.sqrt(np.linalg.det(M) / np.linalg.det(shrunken))


def surrogate_kernel(x, z, gamma, covariance):
    """Equation (4): its mean over noise in x is the Gaussian kernel of the clean x with z."""
    _, shrunken = shrunken_metric(gamma, covariance)
    u = np.asarray(x, dtype=float) - np.asarray(z, dtype=float)
    return surrogate_square(gamma, covariance) * math.exp(-dot(u, np.linalg.solve(shrunken, u)))


def algorithm_2(X, X_copy, y, gamma, covariance, rate, radius=None):
    """Coefficients of all rows after the last round, every norm by its double sum."""
    k_rows = [[surrogate_kernel(x, z, gamma, covariance) for z in X] for x in X]
    k_copies = [[surrogate_kernel(x, z, gamma, covariance) for z in X_copy] for x in X]
    alpha = []
    for t in range(len(y)):
        f = math.fsum(alpha[i] * k_copies[i][t] for i in range(t))
        alpha.append(-rate * 2 * (f - y[t]))
        pairs = ((i, j) for i in range(t + 1) for j in range(t + 1))
        r = math.fsum(alpha[i] * alpha[j] * k_rows[i][j] for i, j in pairs)
        if radius is not None and r > radius**2:
            alpha = [a * radius / math.sqrt(r) for a in alpha]
    return np.array(alpha)


def gaussian_expansion(alpha, X, query, gamma):
    """The function that Algorithm 2 returns: the rows' own kernel, not its surrogate."""
    return math.fsum(
        a * math.exp(-gamma * dot(query - x, query - x)) for a, x in zip(alpha, X, strict=True)
    )


# --- corrected moments and ridge -------------------------------------------------------------


def corrected_moments(X, y, covariances):
    """Sums of x x' - Sigma_t and of x y."""
    d = len(X[0])
    S, c = np.zeros((d, d)), np.zeros(d)
    for x, target, covariance in zip(X, y, covariances, strict=True):
        for j in range(d):
            c[j] += x[j] * target
            for k in range(d):
                S[j, k] += x[j] * x[k] - covariance[j][k]
    return S, c


def paired_moments(X, X_copy, y):
    """Sums of (a b' + b a') / 2 and of (a + b) y / 2."""
    d = len(X[0])
    S, c = np.zeros((d, d)), np.zeros(d)
    for a, b, target in zip(X, X_copy, y, strict=True):
        for j in range(d):
            c[j] += (a[j] + b[j]) * target / 2
            for k in range(d):
                S[j, k] += (a[j] * b[k] + b[j] * a[k]) / 2
    return S, c


def paired_covariance(X, X_copy):
    """Noise covariance from the differences of two copies: half of their mean square."""
    n, d = np.shape(X)
    covariance = np.zeros((d, d))
    for a, b in zip(X, X_copy, strict=True):
        for j in range(d):
            for k in range(d):
                covariance[j, k] += (a[j] - b[j]) * (a[k] - b[k]) / (2 * n)
    return covariance


def corrected_ridge(X, y, covariance, alpha, share=1.0, weights=None, fit_intercept=True):
    """Coefficients and intercept; a share of the noise is removed from the summed squares.

    The rows are first centred by their weighted means.
    """
    d = len(X[0])
    weights = [1.0] * len(y) if weights is None else weights
    total = math.fsum(weights)
    x_mean, y_mean = [0.0] * d, 0.0
    if fit_intercept:
        x_mean = [
            math.fsum(w * x[j] for w, x in zip(weights, X, strict=True)) / total for j in range(d)
        ]
        y_mean = math.fsum(w * t for w, t in zip(weights, y, strict=True)) / total
    left, right = alpha * np.eye(d), np.zeros(d)
    for w, x, target in zip(weights, X, y, strict=True):
        for j in range(d):
            right[j] += w * (x[j] - x_mean[j]) * (target - y_mean)
            for k in range(d):
                left[j, k] += w * (x[j] - x_mean[j]) * (x[k] - x_mean[k])
                left[j, k] -= w * share * covariance[j][k]
    coef = np.linalg.solve(left, right)
    return coef, y_mean - dot(coef, x_mean)


def corrected_squared_error(w, intercept, X, y, covariance):
    """Mean of (<w, x> + b - y)^2 - w' Sigma w: unbiased for the clean rows' error."""
    noise = dot(w, [dot(row, w) for row in covariance])
    losses = [(dot(w, x) + intercept - t) ** 2 - noise for x, t in zip(X, y, strict=True)]
    return math.fsum(losses) / len(losses)


def paired_squared_error(w, intercept, X, X_copy, y):
    """Mean of (<w, a> + b - y) (<w, a'> + b - y): unbiased for the clean rows' error."""
    losses = [
        (dot(w, a) + intercept - t) * (dot(w, b) + intercept - t)
        for a, b, t in zip(X, X_copy, y, strict=True)
    ]
    return math.fsum(losses) / len(losses)


# --- entries missing at random ---------------------------------------------------------------


def moments_with_gaps(X, y, shares):
    """Unbiased sums of x x' and x y where NaN is an entry seen with the given probability."""
    d = len(X[0])
    S, c = np.zeros((d, d)), np.zeros(d)
    for x, target in zip(X, y, strict=True):
        for j in range(d):
            if math.isnan(x[j]):
                continue
            c[j] += x[j] * target / shares[j]
            for k in range(d):
                if not math.isnan(x[k]):
                    S[j, k] += x[j] * x[k] / (shares[j] if j == k else shares[j] * shares[k])
    return S, c


# --- random features -------------------------------------------------------------------------


def features(x, frequencies):
    """All cosines, then all sines."""
    angles = [dot(omega, x) for omega in frequencies]
    return np.array([math.cos(a) for a in angles] + [math.sin(a) for a in angles])


def gaussian_damping(omega, covariance):
    """E cos(<omega, n>) for Gaussian n: noise shrinks a wave by so much."""
    return math.exp(-0.5 * dot(omega, [dot(row, omega) for row in covariance]))


def laplace_damping(omega, covariance):
    """The same for independent Laplace noise of these variances."""
    damping = 1.0
    for j, w in enumerate(omega):
        damping /= 1 + covariance[j][j] * w**2 / 2
    return damping


def corrected_features(x, frequencies, covariance, damping=gaussian_damping):
    """Features of a noisy row whose mean over the noise is those of the clean row."""
    D = len(frequencies)
    z = features(x, frequencies)
    for i, omega in enumerate(frequencies):
        z[i] /= damping(omega, covariance)
        z[D + i] /= damping(omega, covariance)
    return z


def corrected_products(x, frequencies, covariance, damping=gaussian_damping):
    """Products of two features of a noisy row, unbiased for those of the clean row.

    A product of waves is half the sum of the waves of the frequencies' sum and difference, each
    of which is undamped by itself.
    """
    D = len(frequencies)
    P = np.empty((2 * D, 2 * D))
    for i, first in enumerate(frequencies):
        for j, second in enumerate(frequencies):
            plus = [u + v for u, v in zip(first, second, strict=True)]
            minus = [u - v for u, v in zip(first, second, strict=True)]
            over_plus, over_minus = damping(plus, covariance), damping(minus, covariance)
            cos_plus, sin_plus = (wave(dot(plus, x)) / over_plus for wave in (math.cos, math.sin))
            cos_minus = math.cos(dot(minus, x)) / over_minus
            sin_minus = math.sin(dot(minus, x)) / over_minus
            P[i, j] = (cos_minus + cos_plus) / 2  # cos cos
            P[D + i, D + j] = (cos_minus - cos_plus) / 2  # sin sin
            P[D + i, j] = P[j, D + i] = (sin_plus + sin_minus) / 2  # sin cos
    return P


# --- noisy queries ---------------------------------------------------------------------------


def posterior(query, mean, covariance, noise):
    """Mean and covariance of a Gaussian x, given x + n."""
    S = np.asarray(covariance, dtype=float)
    gain = S @ np.linalg.inv(S + np.asarray(noise, dtype=float))
    shift = gain @ (np.asarray(query, dtype=float) - np.asarray(mean, dtype=float))
    return np.asarray(mean, dtype=float) + shift, S - gain @ S


def expected_features(mean, covariance, frequencies):
    """Features' mean over a Gaussian x."""
    D = len(frequencies)
    z = features(mean, frequencies)
    for i, omega in enumerate(frequencies):
        z[i] *= gaussian_damping(omega, covariance)
        z[D + i] *= gaussian_damping(omega, covariance)
    return z
