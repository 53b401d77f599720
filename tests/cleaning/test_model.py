"""Models survive a trip through their file, and nothing else comes out of one."""

import io
import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from untaint.cleaning import ModelFileError, clean_table, load_model, save_model
from untaint.io import DataFileError, read_table


@pytest.fixture(scope="module", params=["regression", "classification"])
def fitted(request, tmp_path_factory):
    rng = np.random.default_rng(0)
    x, kind = rng.uniform(1, 10, 120), rng.choice(["a", "b"], 120)
    y = 5 * x + 10 * (kind == "b") + rng.normal(0, 0.2, 120)
    target = [f"{t:.2f}" for t in y] if request.param == "regression" else ["no", "yes"]
    if request.param == "classification":
        target = np.where(y > np.median(y), "yes", "no")
    path = tmp_path_factory.mktemp("table") / "t.csv"
    lines = [f"{a:.4f},{k},{t}" for a, k, t in zip(x, kind, target, strict=True)]
    path.write_text("x,kind,y\n" + "\n".join(lines) + "\n")
    table = read_table(path)
    return table, clean_table(table, "y").model


def test_a_model_predicts_the_same_after_a_trip_through_its_file(fitted, tmp_path):
    table, model = fitted
    path = tmp_path / "m.skops"
    path.write_bytes(save_model(model))
    loaded = load_model(path)
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))
    assert loaded.task == model.task
    assert loaded.target == "y"


def test_a_model_file_holds_what_skops_writes(fitted):
    sio = pytest.importorskip("skops.io")

    def nodes(content):
        """Return the schema with arrays in place of files, without what numbers its parts."""
        archive = zipfile.ZipFile(io.BytesIO(content))

        def plain(node):
            if isinstance(node, list):
                return [plain(part) for part in node]
            if not isinstance(node, dict):
                return node
            kept = {key: plain(part) for key, part in node.items() if key != "__id__"}
            return kept | ({"file": archive.read(node["file"])} if "file" in node else {})

        found = plain(json.loads(archive.read("schema.json")))
        return {key: part for key, part in found.items() if "protocol" not in key}

    theirs = nodes(sio.dumps(fitted[1]))
    del theirs["_skops_version"]
    assert nodes(save_model(fitted[1])) == theirs


def test_equal_models_have_equal_files(fitted, tmp_path):
    _, model = fitted
    content = save_model(model)
    path = tmp_path / "m.skops"
    path.write_bytes(content)
    assert save_model(load_model(path)) == content


def test_a_model_holds_no_targets(fitted):
    _, model = fitted
    assert not {"_targets", "inlier_mask_", "outlier_scores_"} & {*vars(model.estimator)}
    with pytest.raises(ValueError, match="holds no training rows"):
        model.estimator.audit()


def test_columns_may_come_in_any_order_with_others_among_them(fitted, tmp_path):
    _, model = fitted
    other = tmp_path / "o.csv"
    other.write_text("more,kind,x\n1,a,5\n2,b,7\n")
    predicted, notes = model.predict_noting(read_table(other))
    assert len(predicted) == 2
    assert any("'more'" in note for note in notes)


def test_a_missing_column_is_named(fitted, tmp_path):
    _, model = fitted
    other = tmp_path / "o.csv"
    other.write_text("X,kind\n1,a\n2,b\n")
    with pytest.raises(DataFileError, match=r"expected a column 'x'.*rename"):
        model.predict(read_table(other))


def test_a_frame_without_rows_is_refused(fitted):
    frame = pd.DataFrame({"x": [1.0], "kind": ["a"]})
    assert len(fitted[1].predict(frame)) == 1
    with pytest.raises(DataFileError, match="table: expected one row or more, found none"):
        fitted[1].predict(frame[:0])


def test_a_column_of_another_kind_is_refused(fitted, tmp_path):
    _, model = fitted
    other = tmp_path / "o.csv"
    other.write_text("x,kind\nred,a\nblue,b\n")
    with pytest.raises(DataFileError, match="'x'"):
        model.predict(read_table(other))


def test_another_estimator_is_refused(tmp_path):
    import skops.io
    from sklearn.linear_model import LinearRegression

    path = tmp_path / "m.skops"
    skops.io.dump(LinearRegression(), path)
    with pytest.raises(
        ModelFileError, match=r"expected a model of a table, found LinearRegression"
    ):
        load_model(path)


def test_a_predictor_of_every_kind_predicts_what_its_model_does():
    from untaint import SubquantileClassifier, SubquantileRegressor

    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 3))
    y = X[:, 0] + 0.1 * rng.standard_normal(120)
    for model, target in (
        (SubquantileRegressor(contamination=0.1), y),
        (SubquantileRegressor(kernel="linear"), y),
        (SubquantileRegressor(approximation="nystroem", n_components=20), y),
        (SubquantileRegressor(approximation="rff", n_components=40), y),
        (SubquantileClassifier(contamination=0.1), y > 0),
        (SubquantileClassifier(contamination=0.0, kernel="linear"), np.digitize(y, [-1, 1])),
    ):
        model.fit(X, target)
        lean = model.predictor()
        np.testing.assert_allclose(lean.predict(X), model.predict(X), rtol=1e-12)
        assert hasattr(model, "inlier_mask_")
        assert not hasattr(lean, "inlier_mask_")
