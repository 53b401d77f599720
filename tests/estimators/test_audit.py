"""The list of rows: complete, ordered, calibrated, and right about what is wrong."""

import builtins
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import rbf_kernel

from estimators.cases import corrupted, flipped_blobs, grossly_corrupted, smooth
from untaint import SubquantileClassifier, SubquantileRegressor, SubquantileRegressorCV

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

COLUMNS = [
    "row",
    "score",
    "kept",
    "flagged",
    "q_value",
    "observed",
    "expected",
    "kind",
    "features",
]
KINDS = {"", "target", "features", "both"}


def regressor(**params):
    return SubquantileRegressor(**{"alpha": 0.1, **params})


def by_row(table):
    """In the order of the training rows."""
    return table.set_index("row").sort_index()


def assert_keeps_the_contract(table, n):
    assert list(table.columns[: len(COLUMNS)]) == COLUMNS
    assert sorted(table["row"]) == list(range(n))
    assert table["row"].dtype.kind == "i"
    assert table["kept"].dtype == table["flagged"].dtype == bool
    for name in ("score", "q_value"):
        assert table[name].dtype == float and np.isfinite(table[name]).all()
    assert table["q_value"].between(0, 1).all() and (table["score"] >= 0).all()
    assert set(table["kind"]) <= KINDS
    assert (table["kind"] != "")[table["flagged"]].all()
    assert (table["kind"] == "")[~table["flagged"]].all()
    assert all(isinstance(text, str) for text in table["features"])
    # The most suspicious first: those flagged, then the others, each by score.
    assert not table["flagged"][table["flagged"].cummin() != table["flagged"]].any()
    for part in (table[table["flagged"]], table[~table["flagged"]]):
        assert part["score"].is_monotonic_decreasing


# --- the table -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"contamination": 0.2},
        {"contamination": 0},
        {"kernel": "linear"},
        {"kernel": "laplacian"},
        {"smoothing": 1.0},
        {"solver": "iterative"},
        {"fit_intercept": False},
    ],
    ids=str,
)
@pytest.mark.parametrize("fdr", [None, 0.1])
def test_contract_of_the_regressor(params, fdr):
    X, y, _ = corrupted(90)
    model = regressor(**params).fit(X, y)
    table = model.audit(fdr=fdr)
    assert list(table.columns) == COLUMNS
    assert_keeps_the_contract(table, 90)
    np.testing.assert_array_equal(by_row(table)["observed"], y)


def test_contract_of_the_regressor_that_chooses_its_setting():
    X, y, bad = corrupted(150)
    model = SubquantileRegressorCV().fit(X, y)
    assert_keeps_the_contract(model.audit(fdr=0.1), 150)
    visible = bad & (np.abs(y - smooth(150)[1]) > 0.5)
    assert by_row(model.audit(fdr=0.1))["flagged"].to_numpy()[visible].mean() > 0.9


@pytest.mark.parametrize("contamination", [0, 0.1, 0.3, "auto"])
@pytest.mark.parametrize("kind", ["label", "label+feature"])
def test_without_a_rate_the_trimmed_rows_are_flagged(contamination, kind):
    X, y, _ = corrupted(100, kind=kind)
    model = regressor(contamination=contamination).fit(X, y)
    table = by_row(model.audit())
    np.testing.assert_array_equal(table["flagged"], ~model.inlier_mask_)


def test_a_higher_rate_flags_no_row_less():
    X, y, _ = corrupted(150)
    model = regressor().fit(X, y)
    rates = [1e-6, 0.01, 0.05, 0.1, 0.2, 0.5, 0.99]
    flagged = [by_row(model.audit(fdr=rate))["flagged"].to_numpy() for rate in rates]
    for fewer, more in pairwise(flagged):
        assert (fewer <= more).all()
    assert 0 < flagged[0].sum() < flagged[-1].sum()


def test_q_value_is_the_smallest_rate_that_flags_the_row():
    X, y, _ = corrupted(120)
    model = regressor().fit(X, y)
    q = by_row(model.audit())["q_value"].to_numpy()
    for rate in (0.01, 0.1, 0.3):
        np.testing.assert_array_equal(by_row(model.audit(fdr=rate))["flagged"], q <= rate)


def test_rate_changes_the_flags_and_nothing_else():
    X, y, _ = corrupted(100)
    model = regressor().fit(X, y)
    one, other = by_row(model.audit()), by_row(model.audit(fdr=0.3))
    same = ["score", "q_value", "observed", "expected", "features"]
    pd.testing.assert_frame_equal(one[same], other[same])


def test_audit_changes_nothing_in_the_estimator():
    X, y, _ = corrupted(100)
    model = regressor().fit(X, y)
    before = {name: np.copy(value) for name, value in vars(model).items() if name.endswith("_")}
    model.audit(), model.audit(fdr=0.2)
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(model, name), value)


@pytest.fixture
def no_pandas(monkeypatch):
    """Call it, and pandas cannot be imported any more."""
    actual = builtins.__import__

    def without(name, *args, **kwargs):
        if name.split(".")[0] == "pandas":
            raise ImportError(name)
        return actual(name, *args, **kwargs)

    return lambda: monkeypatch.setattr(builtins, "__import__", without)


def test_structured_array_where_pandas_is_missing(no_pandas):
    X, y, _ = corrupted(60)
    model = regressor().fit(X, y)
    two = regressor().fit(X, np.column_stack([y, np.cos(X[:, 0])]))
    frame = {name: values.to_numpy() for name, values in model.audit(fdr=0.1).items()}
    no_pandas()
    table = model.audit(fdr=0.1)
    assert isinstance(table, np.ndarray) and table.shape == (60,)
    assert list(table.dtype.names) == COLUMNS
    for name in COLUMNS:
        np.testing.assert_array_equal(table[name], frame[name])
    assert two.audit()["expected"].shape == two.audit()["observed"].shape == (60, 2)


# --- calibration -----------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::untaint.exceptions.AmbiguousContaminationWarning")
@pytest.mark.parametrize("kind", ["label", "cluster", "shift"])
def test_false_discoveries_stay_at_the_rate_and_few_errors_are_missed(kind):
    wrong, found = [], []
    for seed in range(4):
        X, y, bad = corrupted(250, kind=kind, contamination=[0.1, 0.2, 0.3, 0.2][seed], seed=seed)
        flagged = by_row(regressor().fit(X, y).audit(fdr=0.1))["flagged"].to_numpy()
        clean = smooth(250, seed=seed)[1]
        # Wrong targets that happen to lie within the noise cannot be found.
        visible = bad & (np.abs(y - clean) > 0.5)
        wrong.append(np.mean(~bad[flagged]) if flagged.any() else 0.0)
        found.append(flagged[visible].mean())
    assert np.mean(wrong) <= 0.15
    assert np.mean(found) >= 0.9


def test_suspicion_orders_the_rows():
    X, y, bad = corrupted(200)
    table = regressor().fit(X, y).audit()
    first = table["row"].to_numpy()[: bad.sum()]
    assert bad[first].mean() > 0.85


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_flagged_where_nothing_is_wrong(seed):
    X, y = smooth(200, seed=seed)
    model = regressor().fit(X, y)
    assert not model.audit()["flagged"].any()
    assert not model.audit(fdr=0.1)["flagged"].any()
    assert (model.audit()["kind"] == "").all()


def test_the_given_contamination_does_not_decide_what_a_rate_flags():
    X, y, bad = grossly_corrupted(150, contamination=0.2)
    for contamination in (0.2, 0.3, 0.4, "auto"):
        model = regressor(contamination=contamination).fit(X, y)
        flagged = by_row(model.audit(fdr=0.1))["flagged"].to_numpy()
        assert flagged[bad].all()
        assert np.mean(~bad[flagged]) <= 0.2


# --- what is wrong ---------------------------------------------------------------------------


def test_kind_is_target_where_the_target_is_wrong():
    X, y, bad = grossly_corrupted(150)
    table = by_row(regressor().fit(X, y).audit(fdr=0.05))
    assert (table["kind"][bad] == "target").all()
    assert (table["features"][bad] == "").all()


@pytest.mark.parametrize("factor", [100.0, 1e9])
def test_kind_is_features_where_the_features_are_outlying(factor):
    X, y = smooth(150)
    bad = np.arange(150) < 20
    X[bad] *= factor
    table = by_row(regressor().fit(X, y).audit(fdr=0.05))
    assert (table["kind"][bad] == "features").all()
    assert table["flagged"].to_numpy()[bad].all()
    assert (table["features"][bad] != "").all()
    assert np.isfinite(table["expected"]).all()


def test_kind_is_both_where_both_are_wrong():
    X, y, bad = corrupted(150, kind="label+feature")
    table = by_row(regressor().fit(X, y).audit(fdr=0.05))
    off = bad & (np.abs(y) > 100) & (np.linalg.norm(X, axis=1) > 50)
    assert off.sum() > 20
    assert (table["kind"][off] == "both").all()


def test_expected_is_near_the_truth_where_the_target_is_wrong():
    X, y, bad = grossly_corrupted(300)
    clean = smooth(300)[1]
    table = by_row(regressor().fit(X, y).audit())
    errors = np.abs(table["expected"].to_numpy() - clean)[bad]
    assert np.median(errors) < 0.2
    assert np.quantile(errors, 0.9) < 0.6


def test_expected_is_what_a_fit_without_the_row_predicts():
    X, y, _ = grossly_corrupted(40)
    model = regressor(contamination=0, gamma=0.1).fit(X, y)
    expected = by_row(model.audit())["expected"].to_numpy()
    for row in (0, 7, 21):
        others = np.arange(40) != row
        alone = regressor(contamination=0, gamma=0.1).fit(X[others], y[others])
        assert expected[row] == pytest.approx(alone.predict(X[[row]])[0], abs=1e-6)
    np.testing.assert_allclose(y - expected, model.leave_one_out_residuals(), atol=1e-6)


def test_score_is_in_robust_deviations():
    X, y, bad = grossly_corrupted(300)
    score = by_row(regressor().fit(X, y).audit())["score"].to_numpy()
    assert 0.4 < np.median(score[~bad]) < 1.0
    assert score[bad].min() > 10


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_odd_features_are_named_by_their_columns(library):
    X, y = smooth(150)
    X[:8, 2] = 1e5
    frame = library.DataFrame(dict(zip(["age", "height", "income", "speed"], X.T, strict=True)))
    table = by_row(regressor().fit(frame, y).audit(fdr=0.1))
    assert (table["features"][:8] == "income").all()
    assert (table["kind"][:8] == "features").all()
    assert (table["features"][8:] == "").all()


def test_odd_features_are_numbered_where_they_have_no_names():
    X, y = smooth(150)
    X[:8, 2] = 1e5
    assert (by_row(regressor().fit(X, y).audit(fdr=0.1))["features"][:8] == "2").all()


def test_at_most_three_odd_features_are_named():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 8))
    y = X[:, 0] + 0.1 * rng.normal(size=120)
    X[:5] *= 1e6
    names = by_row(regressor().fit(X, y).audit())["features"][:5]
    assert all(1 <= len(text.split(", ")) <= 3 for text in names)


# --- odd cases -------------------------------------------------------------------------------


def test_several_outputs():
    X, y, bad = grossly_corrupted(120)
    rng = np.random.default_rng(0)
    Y = np.column_stack([y, np.cos(X[:, 0]) + 0.1 * rng.normal(size=120)])
    table = by_row(regressor().fit(X, Y).audit(fdr=0.05))
    np.testing.assert_array_equal(np.stack(table["observed"]), Y)
    assert np.stack(table["expected"]).shape == (120, 2)
    assert table["flagged"].to_numpy()[bad].all()
    assert table["flagged"].to_numpy()[~bad].mean() < 0.08


def test_one_output_in_a_column():
    X, y, _ = corrupted(60)
    table = by_row(regressor().fit(X, y[:, None]).audit())
    assert np.stack(table["observed"]).shape == (60, 1)


def test_rows_of_weight_zero_are_scored_but_have_no_influence():
    X, y, bad = grossly_corrupted(100)
    weights = np.ones(100)
    weights[:30] = 0
    table = by_row(regressor().fit(X, y, sample_weight=weights).audit(fdr=0.1))
    assert len(table) == 100
    flagged = table["flagged"].to_numpy()
    assert flagged[bad].all()
    assert flagged[~bad].mean() < 0.1
    alone = regressor().fit(X[30:], y[30:]).audit(fdr=0.1)
    np.testing.assert_allclose(table["q_value"][30:], by_row(alone)["q_value"], atol=1e-6)


def test_weights_are_copies():
    X, y, _ = corrupted(60)
    weights = np.random.default_rng(0).integers(1, 4, 60)
    rows = np.repeat(np.arange(60), weights)
    weighted = by_row(regressor().fit(X, y, sample_weight=weights).audit(fdr=0.1)).iloc[rows]
    repeated = by_row(regressor().fit(X[rows], y[rows]).audit(fdr=0.1))
    for name in ("score", "expected"):
        np.testing.assert_allclose(weighted[name], repeated[name], rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(weighted["flagged"], repeated["flagged"])


def test_copies_share_one_q_value():
    for seed in range(6):
        X, y, _ = corrupted(60, seed=seed)
        rows = np.repeat(np.arange(60), 3)
        table = by_row(regressor().fit(X[rows], y[rows]).audit())
        q = table["q_value"].to_numpy().reshape(60, 3)
        assert np.ptp(q, axis=1).max() < 1e-6


def test_order_of_the_rows_does_not_matter():
    X, y, _ = corrupted(90)
    order = np.random.default_rng(0).permutation(90)
    one = by_row(regressor().fit(X, y).audit(fdr=0.1)).iloc[order]
    other = by_row(regressor().fit(X[order], y[order]).audit(fdr=0.1))
    np.testing.assert_array_equal(one["flagged"], other["flagged"])
    np.testing.assert_allclose(one["score"], other["score"], rtol=1e-5, atol=1e-8)


def test_precomputed_kernel():
    X, y, bad = grossly_corrupted(100)
    K = rbf_kernel(X, gamma=0.1)
    model = regressor(kernel="precomputed").fit(K, y)
    table = model.audit(fdr=0.1)
    assert_keeps_the_contract(table, 100)
    assert by_row(table)["flagged"].to_numpy()[bad].all()
    assert (table["features"] == "").all()
    rows = by_row(regressor(gamma=0.1).fit(X, y).audit(fdr=0.1))
    np.testing.assert_allclose(by_row(table)["expected"], rows["expected"], atol=1e-4)


def test_sparse_rows():
    X, y, bad = grossly_corrupted(100)
    X[np.abs(X) < 0.3] = 0
    dense = regressor().fit(X, y).audit(fdr=0.1)
    sparse = regressor().fit(sp.csr_matrix(X), y).audit(fdr=0.1)
    np.testing.assert_array_equal(by_row(sparse)["flagged"], by_row(dense)["flagged"])
    assert by_row(sparse)["flagged"].to_numpy()[bad].all()


@pytest.mark.parametrize("n", [1, 2, 5, 19])
def test_few_rows(n):
    X, y = smooth(n)
    table = regressor().fit(X, y).audit(fdr=0.1)
    assert sorted(table["row"]) == list(range(n))
    assert not table["flagged"].any()
    assert np.isfinite(table["score"]).all() and np.isfinite(table["expected"]).all()


@pytest.mark.parametrize("value", [0.0, 5.0])
def test_constant_target(value):
    X, _ = smooth(50)
    table = regressor().fit(X, np.full(50, value)).audit(fdr=0.1)
    assert not table["flagged"].any()
    np.testing.assert_allclose(table["expected"], value, atol=1e-9)


def test_integer_targets_are_shown_as_given():
    X, y, _ = grossly_corrupted(60)
    whole = np.round(10 * y).astype(int)
    np.testing.assert_array_equal(by_row(regressor().fit(X, whole).audit())["observed"], whole)


def test_absurd_targets_have_finite_scores():
    X, y = smooth(80)
    y[:3] = [1e300, -1e300, 1e12]
    table = regressor().fit(X, y).audit(fdr=0.1)
    assert sorted(table["row"][:3]) == [0, 1, 2]
    assert np.isfinite(table["score"]).all()
    assert table["flagged"][:3].all() and not table["flagged"][3:].any()


# --- labels ----------------------------------------------------------------------------------

LABELS = {
    "integers": np.array([3, -1, 7]),
    "text": np.array(["ham", "spam", "a longer name"]),
    "objects": np.array(["x", "yy", "z"], dtype=object),
    "floats": np.array([0.0, 1.0, 2.0]),
}


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("sizes", [[60, 60], [50, 40, 40]], ids=["two", "three"])
def test_classifier_suggests_a_label(name, sizes):
    X, labels, truth, bad = flipped_blobs(sizes)
    y = LABELS[name][labels]
    model = SubquantileClassifier(contamination=0.15).fit(X, y)
    table = model.audit()
    assert list(table.columns) == [*COLUMNS, "suggested", "suggested_probability"]
    assert table["suggested_probability"].between(0, 1).all()
    assert_keeps_the_contract(table, len(y))
    table = by_row(table)
    np.testing.assert_array_equal(table["observed"], y)
    assert set(table["suggested"]) <= set(LABELS[name])
    right = table["suggested"].to_numpy() == LABELS[name][truth]
    assert right[bad].mean() > 0.85 and right.mean() > 0.9
    np.testing.assert_array_equal(table["flagged"], ~model.inlier_mask_)


def test_classifier_with_boolean_labels():
    X, labels, truth, bad = flipped_blobs([60, 60])
    table = by_row(SubquantileClassifier(contamination=0.15).fit(X, labels == 1).audit())
    assert table["suggested"].dtype == bool
    assert (table["suggested"] == (truth == 1))[bad].mean() > 0.85


def test_classifier_keeps_the_rate():
    wrong, found = [], []
    for seed in range(3):
        X, labels, _, bad = flipped_blobs([80, 80], contamination=0.2, seed=seed, distance=5.0)
        model = SubquantileClassifier(contamination=0.2).fit(X, labels)
        flagged = by_row(model.audit(fdr=0.1))["flagged"].to_numpy()
        wrong.append(np.mean(~bad[flagged]))
        found.append(flagged[bad].mean())
    assert np.mean(wrong) <= 0.15 and np.mean(found) > 0.85


def test_classifier_finds_feature_outliers():
    X, labels, _, _ = flipped_blobs([60, 60], contamination=0.1)
    X[:6] *= 1e6
    table = by_row(SubquantileClassifier(contamination=0.15).fit(X, labels).audit(fdr=0.1))
    assert table["kind"][:6].isin(["features", "both"]).all()


def test_classifier_without_pandas(no_pandas):
    X, labels, _, _ = flipped_blobs([40, 40])
    model = SubquantileClassifier(contamination=0.15).fit(X, LABELS["text"][labels])
    no_pandas()
    table = model.audit()
    assert isinstance(table, np.ndarray)
    assert list(table.dtype.names) == [*COLUMNS, "suggested", "suggested_probability"]
    np.testing.assert_array_equal(np.sort(table["row"]), np.arange(80))
    assert set(table["suggested"]) <= {"ham", "spam"}
