"""Ctrl-C leaves nothing half done."""

import pytest
from sklearn.exceptions import NotFittedError

import untaint.design.base as rows_module
import untaint.estimators.base as base_module
from estimators.cases import assert_interrupted_fit_leaves_it_as_it_was, flipped_blobs
from untaint import SubquantileClassifier
from untaint.kernels import RBF

# Where the user may press the keys: checking, building, searching, refitting, storing.
STAGES = [
    (SubquantileClassifier, "_make_kernel"),
    (RBF, "matrix"),
    (rows_module, "search_labels"),
    (base_module, "solve_in_ball"),
    (base_module, "alternate"),
    (SubquantileClassifier, "_store_outlier_attributes"),
]
each_stage = pytest.mark.parametrize(("place", "name"), STAGES, ids=[name for _, name in STAGES])
X, Y, _, _ = flipped_blobs((30, 25))
X_OTHER, Y_OTHER, _, _ = flipped_blobs((20, 20, 20), n_features=3)


@each_stage
def test_interrupted_first_fit_leaves_the_estimator_unfitted(place, name):
    model = SubquantileClassifier(contamination=0.2)
    assert_interrupted_fit_leaves_it_as_it_was(
        model, lambda model: model.fit(X, Y), X, place, name, KeyboardInterrupt
    )
    assert not hasattr(model, "classes_")
    with pytest.raises(NotFittedError):
        model.predict(X)


@each_stage
@pytest.mark.parametrize("failure", [KeyboardInterrupt, MemoryError])
def test_interrupted_second_fit_leaves_the_first(place, name, failure):
    """Which had other classes and other columns."""
    assert_interrupted_fit_leaves_it_as_it_was(
        SubquantileClassifier(contamination=0.2).fit(X, Y),
        lambda model: model.fit(X_OTHER, Y_OTHER),
        X,
        place,
        name,
        failure,
    )


def test_verbose_writes_to_standard_error_only(capfd):
    SubquantileClassifier(contamination=0.2, verbose=1).fit(X, Y)
    written = capfd.readouterr()
    assert written.out == ""
    assert "SubquantileClassifier [" in written.err
    SubquantileClassifier(contamination=0.2).fit(X, Y).predict(X)
    assert capfd.readouterr() == ("", "")
