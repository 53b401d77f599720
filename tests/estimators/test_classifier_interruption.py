"""Ctrl-C leaves nothing half done."""

import pytest
from sklearn.exceptions import NotFittedError

from estimators.cases import (
    assert_interrupted_fit_leaves_it_as_it_was,
    each_moment,
    flipped_blobs,
)
from untaint import SubquantileClassifier

X, Y, _, _ = flipped_blobs((30, 25))
X_OTHER, Y_OTHER, _, _ = flipped_blobs((20, 20, 20), n_features=3)


@each_moment
def test_interrupted_first_fit_leaves_the_estimator_unfitted(moment):
    model = SubquantileClassifier(contamination=0.2)
    assert_interrupted_fit_leaves_it_as_it_was(
        model, lambda model: model.fit(X, Y), X, moment, KeyboardInterrupt
    )
    assert not hasattr(model, "classes_")
    with pytest.raises(NotFittedError):
        model.predict(X)


@each_moment
@pytest.mark.parametrize("failure", [KeyboardInterrupt, MemoryError])
def test_interrupted_second_fit_leaves_the_first(moment, failure):
    """Which had other classes and other columns."""
    assert_interrupted_fit_leaves_it_as_it_was(
        SubquantileClassifier(contamination=0.2).fit(X, Y),
        lambda model: model.fit(X_OTHER, Y_OTHER),
        X,
        moment,
        failure,
    )


def test_verbose_writes_to_standard_error_only(capfd):
    SubquantileClassifier(contamination=0.2, verbose=1).fit(X, Y)
    written = capfd.readouterr()
    assert written.out == ""
    assert "SubquantileClassifier [" in written.err
    SubquantileClassifier(contamination=0.2).fit(X, Y).predict(X)
    assert capfd.readouterr() == ("", "")
