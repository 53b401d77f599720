"""The classifier that chooses its own setting, from labels of which some are wrong."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline

from estimators.cases import failed_checks
from untaint import SubquantileClassifier, SubquantileClassifierCV
from untaint.datasets import contaminate
from untaint.preprocessing import MedianScaler

SKIPS = {"check_array_api_input": "SCIPY_ARRAY_API is not set"}


def flipped(n=160, *, n_classes=2, contamination=0.2, seed=0):
    """Rings, labels of which a fraction is wrong, and the true labels."""
    X = np.random.default_rng(seed).normal(size=(n, 2))
    radius = np.hypot(*X.T)
    truth = np.argsort(np.argsort(radius)) * n_classes // n
    X, y, _ = contaminate(X, truth, epsilon=contamination, kind="flip", random_state=seed)
    return X, y, truth


@pytest.mark.parametrize(
    "params",
    [
        pytest.param(
            {"alphas": [0.1, 1.0], "gammas": [0.1], "n_starts": 1}, marks=pytest.mark.slow
        ),
        pytest.param(
            {"kernel": "linear", "contamination": 0.2, "n_starts": 1, "alphas": [1.0]},
            marks=pytest.mark.slow,
        ),
        {"contamination": 0, "alphas": [0.1, 1.0], "gammas": [0.1, 1.0]},
    ],
    ids=str,
)
def test_passes_the_checks_of_sklearn(params):
    failed, skipped = failed_checks(SubquantileClassifierCV(**params))
    assert not failed
    assert skipped.keys() <= SKIPS.keys()
    assert all(reason.startswith(SKIPS[name]) for name, reason in skipped.items())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_nothing_to_set(n_classes, request):
    if n_classes == 2:
        reason = "errors of one class are assumed: 0.912 where the plain fit reaches 0.944"
        request.applymarker(pytest.mark.xfail(reason=reason))
    X, y, truth = flipped(n_classes=n_classes)
    model = SubquantileClassifierCV().fit(X, y)
    plain = SubquantileClassifierCV(contamination=0).fit(X, y)
    right = (model.predict(X) == truth).mean()
    assert right > 0.8
    low, high = model.contamination_interval_
    assert 0 <= low <= model.contamination_ <= high <= 0.5
    assert right >= (plain.predict(X) == truth).mean() - 0.03


def test_clean_labels_lose_few_rows():
    lost = []
    for seed in range(4):
        X, y, _ = flipped(contamination=0.0, seed=seed)
        lost.append((~SubquantileClassifierCV().fit(X, y).inlier_mask_).mean())
    assert np.mean(lost) <= 0.02


def test_results_hold_one_entry_a_setting():
    X, y, _ = flipped()
    model = SubquantileClassifierCV(alphas=[1.0, 0.1], gammas=[0.2, 0.05]).fit(X, y)
    results = model.cv_results_
    assert {len(values) for values in results.values()} == {4}
    assert {"alpha": model.alpha_, "gamma": model.gamma_} in results["params"]
    assert np.isfinite(results["mean_test_score"]).all()
    assert results["rank_test_score"].min() == 1


@pytest.mark.parametrize("contamination", [0, 0.2])
def test_a_given_contamination_is_that_of_the_plain_estimator(contamination):
    X, y, _ = flipped()
    model = SubquantileClassifierCV(contamination=contamination).fit(X, y)
    same = SubquantileClassifier(
        contamination=contamination, alpha=model.alpha_, gamma=model.gamma_
    )
    np.testing.assert_allclose(
        model.decision_function(X), same.fit(X, y).decision_function(X), rtol=1e-10, atol=1e-10
    )
    assert model.contamination_interval_ == (contamination, contamination)


def test_a_kernel_without_a_scale():
    X, y, truth = flipped()
    linear = SubquantileClassifierCV(kernel="linear").fit(X, y)
    assert linear.gamma_ is None
    K = rbf_kernel(X, gamma=0.1)
    given = SubquantileClassifierCV(kernel="precomputed").fit(K, y)
    assert (given.predict(K) == truth).mean() > 0.8


def test_sparse_rows_choose_alike():
    X, y, _ = flipped()
    X[np.abs(X) < 0.5] = 0.0
    grid = {"alphas": [0.1, 1.0], "gammas": [0.05, 0.2], "contamination": 0.2}
    dense = SubquantileClassifierCV(**grid).fit(X, y)
    thin = SubquantileClassifierCV(**grid).fit(sparse.csr_array(X), y)
    assert (thin.alpha_, thin.gamma_) == (dense.alpha_, dense.gamma_)


def test_same_seed_same_result_whatever_the_threads():
    X, y, _ = flipped()
    one = SubquantileClassifierCV(n_jobs=1, random_state=0).fit(X, y)
    two = SubquantileClassifierCV(n_jobs=2, random_state=0).fit(X, y)
    np.testing.assert_allclose(one.decision_function(X), two.decision_function(X), atol=1e-6)


def test_weights_choose_as_copies_do():
    X, y, _ = flipped(90)
    weights = np.random.default_rng(0).integers(1, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    grid = {"alphas": [0.1, 1.0], "gammas": [0.05, 0.2], "contamination": 0.2}
    weighed = SubquantileClassifierCV(**grid).fit(X, y, sample_weight=weights)
    copied = SubquantileClassifierCV(**grid).fit(X[rows], y[rows])
    assert (weighed.alpha_, weighed.gamma_) == (copied.alpha_, copied.gamma_)


def test_more_rows_than_a_setting_is_chosen_on(set_sizes):
    set_sizes(tuning_rows=80)
    X, y, truth = flipped(300)
    model = SubquantileClassifierCV().fit(X, y)
    assert (model.predict(X) == truth).mean() > 0.75


def test_feature_outliers_have_no_influence():
    X, y, truth = flipped()
    X[:20] *= 1000.0
    model = SubquantileClassifierCV().fit(X, y)
    assert not model.inlier_mask_[:20].any()
    assert (model.predict(X[20:]) == truth[20:]).mean() > 0.8


def test_audit_suggests_labels():
    X, _, truth = flipped(200, contamination=0.0, seed=1)
    names = np.array(["no", "yes"])[truth]
    y = names.copy()
    y[:30] = np.where(names[:30] == "no", "yes", "no")
    table = SubquantileClassifierCV().fit(X, y).audit(fdr=0.2)
    top = table["row"][:10].to_numpy() if hasattr(table, "to_numpy") else table["row"][:10]
    assert set(table["suggested"]) <= {"no", "yes"}
    assert (top < 30).mean() >= 0.7


def test_composition():
    X, y, truth = flipped()
    model = make_pipeline(MedianScaler(), SubquantileClassifierCV(contamination=0.2)).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert clone(model).get_params()["subquantileclassifiercv__contamination"] == 0.2
    assert (model.predict(X) == truth).mean() > 0.8


@pytest.mark.parametrize("name", ["alphas", "gammas"])
@pytest.mark.parametrize("values", [[], [0.0], [-1.0], "median", [float("nan")], 3.0, None])
def test_grids_that_are_none(name, values):
    X, y, _ = flipped(40)
    with pytest.raises(ValueError, match=f'{name} must be "auto" or a sequence of positive'):
        SubquantileClassifierCV(**{name: values}).fit(X, y)
