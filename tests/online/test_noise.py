"""The forms in which the noise covariance can be declared."""

import numpy as np
import pandas as pd
import pytest

from online.cases import FULL, VARIANCES, as_matrix, linear_rows, noisy
from untaint.online import CorrectedRidge


def fitted(covariance, **options):
    X, y, _ = linear_rows(300)
    frame = pd.DataFrame(noisy(X, 0.5, 3), columns=list("abc"))
    return CorrectedRidge(noise_cov=covariance, **options).fit(frame, y)


@pytest.mark.parametrize("covariance", [0.2, VARIANCES, FULL])
def test_every_form_is_reported_as_a_matrix(covariance):
    model = fitted(covariance)
    np.testing.assert_allclose(model.noise_cov_, as_matrix(covariance, 3), rtol=1e-12)


def test_variances_may_be_declared_by_feature_name():
    model = fitted({"b": 0.5, "a": 0.1})
    np.testing.assert_allclose(model.noise_cov_, np.diag([0.1, 0.5, 0.0]), rtol=1e-12)
    with pytest.raises(ValueError, match="noise_cov names the feature 'd'"):
        fitted({"d": 0.5})


def test_rounding_errors_of_a_singular_covariance_are_tolerated(rng):
    root = rng.normal(size=(3, 2)) / 3
    singular = root @ root.T
    singular[0, 1] *= 1 + 1e-15
    found = fitted(singular).noise_cov_
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_allclose(found, singular, rtol=1e-12)
