"""Johnson's density of skewed noise, compared with SciPy's."""

import numpy as np
import pytest
from scipy import stats

from untaint import SubquantileRegressorCV
from untaint.contamination.johnson import johnson_likelihood
from untaint.contamination.null_models import johnson_fit, null_fits


def log_likelihood(values, m, b, g, d):
    """Return the log-likelihood by SciPy's density of given parameters."""
    return float(stats.johnsonsu(-g, 1 / d, loc=m, scale=b / d).logpdf(values).sum())


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(("g", "d"), [(1.7, 0.9), (0.8, 1.0), (1.0, 0.6)])
def test_the_likelihood_is_no_smaller_than_that_of_the_truth(rng, g, d, sign):
    values = stats.johnsonsu(-sign * g, 1 / d, scale=0.3 / d).rvs(800, random_state=rng)
    found = johnson_likelihood(values, np.ones(800), 1e-3)
    truth = log_likelihood(values, 0.0, 0.3, sign * g, d)
    assert truth <= found <= truth + 15


def test_weights_are_repetitions_and_units_do_not_matter(rng):
    values, weights = rng.lognormal(size=200), rng.integers(1, 4, 200).astype(float)
    copies = np.repeat(values, weights.astype(int))
    found = johnson_fit(values, weights, 0.0).log_likelihood
    repeated = johnson_fit(copies, np.ones(len(copies)), 0.0).log_likelihood
    in_grams = johnson_fit(1e3 * values, weights, 0.0).log_likelihood
    assert found == pytest.approx(repeated, abs=0.05)
    assert in_grams == pytest.approx(found - weights.sum() * np.log(1e3), abs=0.05)


@pytest.mark.parametrize("tail", [2.0, 3.0, 1e6])
def test_symmetric_noise_has_no_skewed_density(rng, tail):
    values = rng.standard_t(tail, size=500)
    assert johnson_fit(values, np.ones(500), 0.0).log_likelihood == -np.inf


def test_exponential_noise_is_described_better_than_by_the_other_models(rng):
    values, ones = rng.normal(0.0, 0.2, size=600) + rng.exponential(size=600), np.ones(600)
    values -= values.mean()
    others = max(fit.log_likelihood for fit in null_fits(values, ones, 0.0))
    assert johnson_fit(values, ones, 0.0).log_likelihood > others


def test_outliers_on_one_side_are_found_all_the_same(rng):
    X = rng.normal(size=(300, 3))
    y = X[:, 0] + 0.5 * rng.normal(size=300)
    y[:60] += rng.uniform(3, 15, size=60)
    assert SubquantileRegressorCV().fit(X, y).contamination_ == pytest.approx(0.2, abs=0.05)
