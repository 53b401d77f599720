"""Every method can be tuned and fitted by its name, and only Genie sees which rows are clean."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.classification.measures import scores
from benchmarks.classification.methods import MAKERS, fit
from sklearn.linear_model import LogisticRegression

from benchmarks import prepare
from benchmarks.data import load
from benchmarks.studies import STUDIES
from untaint import SubquantileClassifier

SPLIT = prepare(*load("classes2-200", 0), kind="flip", epsilon=0.2, seed=0)


def tuned(name, split=SPLIT, **options):
    options = {"clean_mask": split.clean_mask, "gammas": [1 / 16], "alphas": [0.1, 1.0]} | options
    return fit(name, split.X_train, split.y_train, epsilon=0.2, seed=0, **options)


# These choose over and over; that they may not see the mask is checked by the others too.
LONG = ("untaint-gradient", "untaint-auto")


def each(names):
    slow = {"marks": pytest.mark.slow}
    return pytest.mark.parametrize(
        "name", [pytest.param(name, **(slow if name in LONG else {})) for name in names]
    )


@each(MAKERS)
def test_a_method_learns_and_names_its_setting(name):
    found = tuned(name)
    assert scores(found.model, SPLIT.X_test, SPLIT.y_test)["accuracy"] > 0.6
    assert found.setting.alpha in (0.1, 1.0)
    assert np.isnan(found.setting.gamma) == (name == "logistic")


@each(sorted(set(MAKERS) - {"genie"}))
def test_the_mask_is_for_genie_only(name):
    one, two = (tuned(name, clean_mask=mask) for mask in (SPLIT.clean_mask, ~SPLIT.clean_mask))
    np.testing.assert_array_equal(one.model.predict(SPLIT.X_test), two.model.predict(SPLIT.X_test))


def test_genie_is_kernel_logistic_regression_on_the_clean_rows():
    keep = SPLIT.clean_mask
    clean = SubquantileClassifier(contamination=0.0, gamma=1 / 16, alpha=1.0)
    clean.fit(SPLIT.X_train[keep], SPLIT.y_train[keep])
    np.testing.assert_allclose(
        tuned("genie", alphas=[1.0]).model.predict_proba(SPLIT.X_test),
        clean.predict_proba(SPLIT.X_test),
        atol=1e-6,
    )


def test_only_the_methods_told_know_the_share():
    assert tuned("untaint").model.contamination == 0.2
    assert tuned("untaint-auto", alphas=[1.0]).model.contamination == "auto"
    assert tuned("kernel-logistic").model.contamination == 0.0


def test_alpha_means_the_same_to_scikit_learn():
    model = tuned("logistic", alphas=[0.25]).model
    assert isinstance(model, LogisticRegression)
    assert model.C == 2.0
    assert tuned("svc", alphas=[0.25]).model.C == 2.0


def test_several_classes_and_classes_smaller_than_the_folds_are_no_obstacle(recwarn):
    split = prepare(*load("rare-120", 0), kind="flip-spare-rare", epsilon=0.2, seed=0)
    found = tuned("untaint", split, alphas=[1.0])
    assert found.model.predict_proba(split.X_test).shape == (len(split.X_test), 3)
    assert not [warning for warning in recwarn if "least populated" in str(warning.message)]


@pytest.mark.parametrize("name", ["flips", "one-sided", "probabilities", "rare-class"])
def test_studies_name_methods_that_exist(name):
    assert {case.method for case in STUDIES[name].cases([0], False)} <= set(MAKERS)
