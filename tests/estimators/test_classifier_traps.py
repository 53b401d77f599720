"""Wrong labels must not win: not by number, not by class, not by distance."""

import numpy as np
import pytest

from estimators.cases import blobs, flipped, flipped_blobs, recalls
from untaint import SubquantileClassifier

each_kernel = pytest.mark.parametrize("kernel", ["rbf", "linear"])


@each_kernel
@pytest.mark.parametrize("distance", [3.0, 6.0])
@pytest.mark.parametrize("contamination", [0.4, "auto"])
@pytest.mark.parametrize("seed", range(2))
def test_many_flips_of_unequal_classes_never_leave_one_class(
    kernel, distance, contamination, seed, request
):
    if (kernel, distance, contamination, seed) == ("linear", 3.0, "auto", 0):
        reason = "200 labels do not tell 40 % flips from overlap: the smaller recall is 0.28"
        request.applymarker(pytest.mark.xfail(reason=reason))
    X, y, truth, _ = flipped_blobs((160, 40), 0.4, distance=distance, seed=seed)
    model = SubquantileClassifier(contamination=contamination, kernel=kernel).fit(X, y)
    assert (model.class_contamination_ < 0.7).all()
    assert (recalls(model, X, truth) > 0.4).all()


@each_kernel
@pytest.mark.parametrize("contamination", [0.2, "auto"])
@pytest.mark.parametrize("source", [0, 1])
def test_one_sided_flips_are_found_and_their_direction_reported(kernel, contamination, source):
    X, truth = blobs((120, 120), distance=5.0)
    y, bad = flipped(truth, 0.2, of=source)
    model = SubquantileClassifier(contamination=contamination, kernel=kernel).fit(X, y)
    assert np.mean(~model.inlier_mask_[bad]) > 0.8
    assert (recalls(model, X, truth) > 0.9).all()
    # The wrong rows carry the label of the other class, which is the one whose rows are trimmed.
    assert model.class_contamination_[1 - source] > 0.2
    assert model.class_contamination_[source] < 0.05


@each_kernel
@pytest.mark.parametrize("corruption", ["none", "of the large class", "of any"])
@pytest.mark.parametrize("seed", range(2))
def test_rare_class_keeps_its_recall(kernel, corruption, seed):
    X, truth = blobs((582, 18), distance=5.0, seed=seed)
    contamination = 0.0 if corruption == "none" else 0.1
    y, _ = flipped(truth, contamination, of=0 if "large" in corruption else None, seed=seed)
    model = SubquantileClassifier(contamination=0.1, kernel=kernel, alpha=0.1).fit(X, y)
    plain = SubquantileClassifier(contamination=0, kernel=kernel, alpha=0.1).fit(X, y)
    found = recalls(model, X, truth)
    assert found[1] >= max(0.8, recalls(plain, X, truth)[1])
    assert found[0] > 0.9


@each_kernel
def test_estimated_contamination_leaves_the_large_class_alone(kernel):
    """A tenth of the labels is wrong, and the rare class is mostly made of those."""
    X, truth = blobs((582, 18), distance=5.0)
    y, _ = flipped(truth, 0.1, of=0)
    model = SubquantileClassifier(kernel=kernel, alpha=0.1).fit(X, y)
    assert model.contamination_ == pytest.approx(0.1, abs=0.05)
    assert (recalls(model, X, truth) > 0.9).all()


@pytest.mark.xfail(reason="equal frequencies are worth more to the balanced rule than right labels")
@each_kernel
def test_trimming_is_no_worse_than_none_for_unequal_classes(kernel):
    X, y, truth, _ = flipped_blobs((640, 160), 0.4, distance=6.0)
    trimmed = SubquantileClassifier(contamination=0.4, kernel=kernel).fit(X, y)
    plain = SubquantileClassifier(contamination=0, kernel=kernel).fit(X, y)
    assert recalls(trimmed, X, truth).mean() > recalls(plain, X, truth).mean() - 0.05


@each_kernel
@pytest.mark.parametrize("n_classes", [3, 5])
@pytest.mark.parametrize("contamination", [0.3, "auto"])
@pytest.mark.parametrize("smoothing", ["auto", None])
def test_flips_lose_none_of_several_classes(kernel, n_classes, contamination, smoothing, request):
    if (kernel, n_classes, contamination) == ("rbf", 3, "auto"):
        reason = "the posterior of 150 labels at alpha=1 is too soft: 0.73 are flagged"
        request.applymarker(pytest.mark.xfail(reason=reason))
    X, y, truth, bad = flipped_blobs((50,) * n_classes, 0.3, distance=5.0)
    model = SubquantileClassifier(contamination=contamination, kernel=kernel, smoothing=smoothing)
    assert (recalls(model.fit(X, y), X, truth) > 0.8).all()
    assert np.mean(~model.inlier_mask_[bad]) > 0.8


@each_kernel
@pytest.mark.parametrize("sizes", [(300, 300), (450, 150), (200, 200, 200)], ids=str)
@pytest.mark.parametrize("contamination", [0.0, 0.1, 0.2, 0.3])
def test_contamination_is_estimated(kernel, sizes, contamination, request):
    if (kernel, sizes, contamination) == ("rbf", (450, 150), 0.3):
        reason = "smooth functions of two classes explain these labels without noise: 0.04"
        request.applymarker(pytest.mark.xfail(reason=reason))
    X, y, _, _ = flipped_blobs(sizes, contamination, distance=6.0)
    model = SubquantileClassifier(kernel=kernel).fit(X, y)
    if contamination == 0:
        assert model.contamination_ == 0
        assert model.inlier_mask_.all()
    assert model.contamination_ == pytest.approx(contamination, abs=0.05)


@each_kernel
@pytest.mark.parametrize("sizes", [(100, 100), (60, 60, 60)], ids=len)
@pytest.mark.parametrize("contamination", [0.2, "auto"])
def test_flips_of_distant_rows_are_harmless(kernel, sizes, contamination):
    X, y, truth, bad = flipped_blobs(sizes, 0.2, distance=5.0)
    far = np.where(bad[:, None], 100 * X, X)
    model = SubquantileClassifier(contamination=contamination, kernel=kernel).fit(far, y)
    assert (recalls(model, X, truth) > 0.9).all()
    if contamination != "auto":
        assert not model.inlier_mask_[bad].any()


@each_kernel
@pytest.mark.parametrize("sizes", [(100, 100), (60, 60, 60)], ids=len)
def test_estimated_contamination_counts_distant_rows(kernel, sizes):
    X, y, _, bad = flipped_blobs(sizes, 0.2, distance=5.0)
    far = np.where(bad[:, None], 100 * X, X)
    model = SubquantileClassifier(kernel=kernel).fit(far, y)
    assert model.contamination_ == pytest.approx(0.2, abs=0.05)


def test_surely_wrong_rows_score_highest():
    for sizes in ((80, 60), (50, 50, 40)):
        X, y, _, bad = flipped_blobs(sizes, 0.1, distance=8.0)
        scores = SubquantileClassifier().fit(X, y).outlier_scores_
        assert scores[bad].min() > scores[~bad].max()


def test_extreme_class_weights_do_not_blow_up_the_fit():
    """Weights so far apart that a first guess may be sure of every row."""
    X, y = blobs((24, 26), distance=0.5)
    for contamination in (0, 0.2):
        model = SubquantileClassifier(
            contamination=contamination, class_weight={0: 1000.0, 1: 1e-4}
        )
        assert (model.fit(X, y).predict(X) == 0).mean() > 0.8
        assert np.abs(model.intercept_).max() < 1e3
