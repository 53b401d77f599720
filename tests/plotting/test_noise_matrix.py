import numpy as np
import pytest

from plotting.pictures import texts
from untaint import SubquantileClassifier
from untaint.baselines import SeverClassifier
from untaint.plotting import NoiseMatrixDisplay


def test_draws_the_noise_matrix_with_its_interval(labels, axes):
    model = SubquantileClassifier(alpha=0.1).fit(labels.X, labels.y)
    display = NoiseMatrixDisplay.from_estimator(model, ax=axes)
    assert np.array_equal(display.matrix, model.noise_matrix_)
    assert np.array_equal(display.interval, model.noise_matrix_interval_)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["ash", "oak", "yew"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("given label", "true label")


def test_counts_given_against_suggested_labels(labels, axes):
    display = NoiseMatrixDisplay.from_estimator(labels.model, fdr=None, kind="counts", ax=axes)
    # Six ash trees are called yew.
    assert display.matrix.tolist() == [[24, 0, 6], [0, 30, 0], [0, 0, 30]]
    assert texts(axes)[:3] == ["24", "0", "6"]
    assert axes.get_title(loc="left").startswith("6 of 90 rows relabelled")


def test_the_rate_decides_which_suggestions_count(labels, axes):
    def changed(fdr):
        counts = NoiseMatrixDisplay.from_estimator(
            labels.model, fdr=fdr, kind="counts", ax=axes
        ).matrix
        return counts.sum() - np.trace(counts)

    assert changed(0.1) < changed(0.7) == 6


def test_a_baseline_has_counts_but_no_matrix(labels, axes):
    model = SeverClassifier(contamination=0.07).fit(labels.X, labels.y)
    assert NoiseMatrixDisplay.from_estimator(model, kind="counts", ax=axes).matrix.sum() == 90
    with pytest.raises(TypeError, match="noise_matrix_, which SeverClassifier has not: use kind"):
        NoiseMatrixDisplay.from_estimator(model, ax=axes)


def test_any_labels_may_be_compared(axes):
    display = NoiseMatrixDisplay.from_predictions([0, 1, 1], [0, 0, 1], classes=[1, 0], ax=axes)
    assert display.matrix.tolist() == [[1, 0], [1, 1]]
    with pytest.raises(ValueError, match="classes should hold all labels, got 0 besides"):
        NoiseMatrixDisplay.from_predictions([0, 1], [1, 1], classes=[1], ax=axes)
    with pytest.raises(ValueError, match=r"y_suggested should be an array of shape \(2,\)"):
        NoiseMatrixDisplay.from_predictions([0, 1], [1], ax=axes)


def test_says_what_is_wrong_with_the_arguments(regression, labels, axes):
    with pytest.raises(TypeError, match="model should be a classifier, got SubquantileRegressor"):
        NoiseMatrixDisplay.from_estimator(regression.model, ax=axes)
    with pytest.raises(ValueError, match="kind must be one of 'matrix', 'counts', got 'all'"):
        NoiseMatrixDisplay.from_estimator(labels.model, kind="all", ax=axes)
    with pytest.raises(ValueError, match=r"matrix should be of shape \(2, 2\), got \(3, 3\)"):
        NoiseMatrixDisplay(matrix=np.eye(3), classes=["a", "b"])
