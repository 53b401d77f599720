"""What the fuzzing has found, each as the smallest case of it."""

import numpy as np
import pytest
import skops.io

from properties.tables import Table
from untaint import SubquantileClassifier, SubquantileRegressor
from untaint.baselines import HardThresholdRegressor, ReweightedRegressor
from untaint.online import CorrectedRidge
from untaint.preprocessing import MedianScaler

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

ROWS = Table(n=24, d=5, seed=1, wrong=0.2).rows
FEW = Table(n=3, d=5, seed=1, wrong=0.0).rows
REGRESSORS = [SubquantileRegressor(), HardThresholdRegressor(), CorrectedRidge(noise_cov=0.1)]


@pytest.mark.parametrize("weight", [1e308, 1e-320])
@pytest.mark.parametrize("model", [*REGRESSORS, MedianScaler()], ids=repr)
def test_weights_beyond_computing_are_refused(model, weight):
    with pytest.raises(ValueError, match="sample_weight must be zero or between 1e-100 and 1e"):
        model.fit(ROWS.X, ROWS.y, sample_weight=np.full(24, weight))


@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
def test_words_among_the_features_name_the_argument(model):
    with pytest.raises(ValueError, match="X must hold numbers: could not convert string"):
        model.fit(np.where(ROWS.X > 0, "yes", "no"), ROWS.y)


def test_labels_of_two_kinds_name_the_argument():
    y = np.array(["ash", 1], dtype=object)[np.arange(24) % 2]
    with pytest.raises(ValueError, match="y must hold labels that can be put in order"):
        SubquantileClassifier().fit(ROWS.X, y)


def test_columns_of_huge_values_of_both_signs_are_read_without_a_warning():
    MedianScaler().fit(np.sign(ROWS.X) * 1e308)


@pytest.mark.parametrize("size", [1e160, 1e308])
def test_targets_beyond_computing_end_in_a_fit_or_a_sentence(size):
    model = SubquantileRegressor(kernel="linear")
    try:
        model.fit(ROWS.X, size * np.sign(ROWS.y))
    except ValueError as error:
        assert "y" in str(error)
    else:
        assert np.isfinite(model.predict(ROWS.X)).all()


def test_an_estimated_contamination_stays_below_one_half():
    rows = Table(n=24, d=1, seed=1, wrong=0.2)
    X = rows.rows.X * 10.0 ** rows.rng.uniform(-150, 150, (24, 1))
    model = SubquantileRegressor(kernel="linear").fit(X, rows.rows.y)
    low, high = model.contamination_interval_
    assert low <= model.contamination_ <= high
    assert model.contamination_ < 0.5


@pytest.mark.parametrize("y", [[1e308, 0.5, -1e308], [1e160, 5e159, -2e160]])
def test_reweighting_without_a_row_of_any_weight_ends_in_a_sentence(y):
    try:
        model = ReweightedRegressor().fit(FEW.X, y)
    except ValueError as error:
        assert "X and y must hold values whose squares are numbers" in str(error)
    else:
        assert not np.isnan(model.objective_path_).any()


def test_random_features_of_rows_beyond_all_bounds_are_finite():
    model = SubquantileRegressor(approximation="rff", n_components=24, contamination=0.2)
    model.fit(ROWS.X, ROWS.y)
    assert np.isfinite(model.predict(1e307 * ROWS.X)).all()


@pytest.mark.parametrize("approximation", ["nystroem", "rff"])
def test_files_of_models_on_features_hold_our_own_types_alone(approximation):
    model = SubquantileRegressor(approximation=approximation, n_components=12, contamination=0.2)
    types = skops.io.get_untrusted_types(data=skops.io.dumps(model.fit(ROWS.X, ROWS.y)))
    assert all(name.startswith("untaint.") for name in types)
