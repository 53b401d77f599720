"""scikit-learn's own tools work on it."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import accuracy_score
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from estimators.cases import assert_close, blobs, flipped_blobs
from untaint import SubquantileClassifier
from untaint.kernels import RBF


def test_score_is_the_accuracy():
    X, y, _, _ = flipped_blobs((50, 40, 30))
    model = SubquantileClassifier(contamination=0.2).fit(X, y)
    weights = np.linspace(0, 1, 120)
    assert model.score(X, y) == accuracy_score(y, model.predict(X))
    assert model.score(X, y, weights) == accuracy_score(y, model.predict(X), sample_weight=weights)


@pytest.mark.parametrize("sizes", [(50, 40), (40, 30, 20)], ids=len)
def test_works_in_a_pipeline(sizes):
    X, y, _, _ = flipped_blobs(sizes)
    weights = np.linspace(0.5, 2, len(y))
    model = make_pipeline(StandardScaler(), SubquantileClassifier(contamination=0.2))
    model.fit(X * [1e3, 1e-3], y, subquantileclassifier__sample_weight=weights)
    scaled = StandardScaler().fit_transform(X)
    by_hand = SubquantileClassifier(contamination=0.2).fit(scaled, y, sample_weight=weights)
    assert_close(model.predict_proba(X * [1e3, 1e-3]), by_hand.predict_proba(scaled), 1e-5)
    assert model.set_params(subquantileclassifier__alpha=5.0)[-1].alpha == 5.0


def test_grid_search():
    X, y = blobs((40, 40, 40), distance=6.0)
    labels = np.array(["c", "a", "b"])[y]
    grid = {
        "alpha": [1e-2, 1.0],
        "kernel": ["linear", RBF(0.1)],
        "class_weight": [None, "balanced"],
    }
    search = GridSearchCV(
        SubquantileClassifier(contamination=0), grid, cv=3, scoring="neg_log_loss"
    ).fit(X, labels)
    assert search.best_params_["alpha"] == 1e-2
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert (search.predict(X) == labels).mean() > 0.95


@pytest.mark.parametrize("contamination", [0.1, "auto"])
def test_cross_validation(contamination):
    X, y = blobs((60, 30), distance=5.0)
    model = SubquantileClassifier(contamination=contamination)
    assert (cross_val_score(model, X, y, cv=3) > 0.9).all()
    assert (cross_val_score(model, X, y, cv=3, scoring="roc_auc") > 0.9).all()
    assert cross_val_predict(model, X, y, cv=3, method="predict_proba").shape == (90, 2)


def test_cross_validation_of_a_precomputed_kernel_takes_its_columns_too():
    X, y = blobs((50, 40), distance=2.0)
    given = SubquantileClassifier(contamination=0, kernel="precomputed")
    named = SubquantileClassifier(contamination=0, gamma=0.2)
    folds = StratifiedKFold(3)
    assert_close(
        cross_val_score(given, RBF(0.2).matrix(X), y, cv=folds, scoring="neg_log_loss"),
        cross_val_score(named, X, y, cv=folds, scoring="neg_log_loss"),
        1e-6,
    )


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("sizes", [(60, 40), (40, 40, 30)], ids=len)
def test_probabilities_can_be_calibrated(method, sizes):
    X, y, truth, _ = flipped_blobs(sizes, 0.1, distance=6.0)
    model = CalibratedClassifierCV(
        SubquantileClassifier(contamination=0.1), method=method, cv=2
    ).fit(X, y)
    assert model.predict_proba(X).shape == (len(y), len(sizes))
    assert (model.predict(X) == truth).mean() > 0.9


def test_one_class_against_the_rest():
    X, y, truth, _ = flipped_blobs((40, 40, 40), 0.1, distance=6.0)
    model = OneVsRestClassifier(SubquantileClassifier(contamination=0.1)).fit(X, y)
    assert (model.predict(X) == truth).mean() > 0.9


def test_clone_and_parameters():
    X, y = blobs((20, 20))
    model = SubquantileClassifier(kernel="poly", degree=2, class_weight={0: 2.0}).fit(X, y)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "dual_coef_")
    assert model.set_params(class_weight="balanced").class_weight == "balanced"
    with pytest.raises(ValueError, match="Invalid parameter 'class_wieght'"):
        model.set_params(class_wieght=None)


def test_fit_leaves_the_parameters_alone():
    model = SubquantileClassifier(class_weight={0: 2.0}, smoothing="auto", random_state=3)
    before = clone(model).get_params()
    assert model.fit(*blobs((30, 30))).get_params() == before


def test_sklearn_knows_what_this_is():
    tags = SubquantileClassifier().__sklearn_tags__()
    assert is_classifier(SubquantileClassifier())
    assert tags.input_tags.sparse
    assert tags.classifier_tags.multi_class
    assert SubquantileClassifier(kernel="precomputed").__sklearn_tags__().input_tags.pairwise
    assert repr(SubquantileClassifier(alpha=2.0)) == "SubquantileClassifier(alpha=2.0)"
