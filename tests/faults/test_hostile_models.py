"""Model files that were made to do harm are refused before anything of them is built."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

from untaint import SubquantileRegressor
from untaint.cleaning.model import ModelFileError, TableModel, load_model, save_model
from untaint.io import DataFileError, TableEncoder, read_table
from untaint.preprocessing import MedianScaler


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "t.csv"
    rows = "\n".join(f"{i},{i % 7},{2 * i}" for i in np.random.default_rng(0).permutation(40))
    path.write_text(f"a,b,y\n{rows}\n")
    encoder = TableEncoder()
    X = encoder.fit_transform(read_table(path), target="y")
    scaler = MedianScaler().fit(X)
    y = np.arange(len(X), dtype=float)
    estimator = SubquantileRegressor(contamination=0.0).fit(scaler.transform(X), y)
    return TableModel(encoder, scaler, estimator.predictor(), task="regression", target="y")


@pytest.mark.parametrize("other", [DecisionTreeRegressor(), KNeighborsRegressor()])
def test_an_estimator_of_somebody_else_is_refused(model, tmp_path, other):
    # Branches of a tree that lead out of its memory would end the process when it predicts.
    model.estimator = other.fit(np.zeros((9, 2)), np.zeros(9))
    path = tmp_path / "m.skops"
    path.write_bytes(save_model(model))
    with pytest.raises(ModelFileError, match=r"refused, because it asks for sklearn\."):
        load_model(path)


def test_what_a_model_may_hold_is_loaded(model, tmp_path):
    path = tmp_path / "m.skops"
    path.write_bytes(save_model(model))
    table = read_table(tmp_path / "t.csv")
    np.testing.assert_array_equal(load_model(path).predict(table), model.predict(table))


WRONG = {"NaN": np.nan, "infinity": np.inf, "minus infinity": -np.inf}


@pytest.mark.parametrize("part", ["center_", "dual_coef_", "a plain number", "a detail"])
@pytest.mark.parametrize("number", WRONG)
def test_numbers_that_are_not_finite_are_refused(model, tmp_path, part, number):
    if part == "center_":
        model.scaler.center_[0] = WRONG[number]
    elif part == "dual_coef_":
        model.estimator.dual_coef_.reshape(-1)[3] = WRONG[number]
    elif part == "a plain number":
        model.estimator.alpha = WRONG[number]
    else:
        model.encoder.columns_[0].details["fill"] = WRONG[number]
    path = tmp_path / "m.skops"
    path.write_bytes(save_model(model))
    with pytest.raises(ModelFileError, match="in it holds a number that is not finite"):
        load_model(path)


def test_a_device_is_no_model():
    with pytest.raises(DataFileError, match="expected a file, found a device"):
        load_model("/dev/zero")
