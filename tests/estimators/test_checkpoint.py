"""A fit that is killed goes on where it was, and ends with the same numbers."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import untaint.optim.checkpoint as checkpoint_module
from estimators.cases import calls_counted, corrupted, flipped_blobs, raw
from untaint import SubquantileClassifier, SubquantileRegressor, SubquantileRegressorCV
from untaint.design.memory_plan import min_bytes
from untaint.exceptions import MemoryLimitError

ROOT = Path(__file__).resolve().parents[2]
# A subsample of 2,000 rows: all steps of a fit to 25,000 rows, in a tenth of the time.
N, SUBSAMPLE_ROWS = 6000, 2000
CHILD = """
import os, sys
import numpy as np
import untaint
from untaint._policy import set_policy
from untaint.optim.checkpoint import Checkpoint

data, path, last, kind, contamination, subsample_rows, n_components = sys.argv[1:]
write, written = Checkpoint._write, [0]

def then_die(self, state):
    write(self, state)
    written[0] += 1
    if written[0] == int(last):
        os.kill(os.getpid(), 9)

Checkpoint._write = then_die
with np.load(data) as file:
    X, y = file["X"], file["y"]
model = getattr(untaint, kind)(
    approximation="nystroem", n_components=int(n_components), random_state=0, checkpoint=path,
    contamination=contamination if contamination == "auto" else float(contamination),
)
with set_policy(subsample_rows=int(subsample_rows), checkpoint_seconds=0.0):
    model.fit(X, y)
print("done after", written[0])
"""


def rows_of(kind, n=N):
    """Rows that take several steps to settle."""
    if kind is SubquantileClassifier:
        X, labels, _, _ = flipped_blobs([n // 2, n - n // 2], distance=2.5)
        return X, labels
    X, y, _ = corrupted(n)
    return X, y


def killed(tmp_path, kind, contamination, last, n=N, subsample=SUBSAMPLE_ROWS, n_components=50):
    """Fit in a process that kills itself after so many writes: the file that it leaves."""
    X, y = rows_of(kind, n)
    data, path = tmp_path / "data.npz", tmp_path / "fit.checkpoint"
    np.savez(data, X=X, y=y)
    ended = subprocess.run(
        [
            sys.executable, "-c", CHILD, data, path, str(last), kind.__name__, str(contamination),
            str(subsample), str(n_components),
        ],
        env=os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT / 'tests'}"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if ended.returncode == 0:
        pytest.fail(f"the fit was over before it could be killed: {ended.stdout}")
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert [name for name in os.listdir(tmp_path) if name != "data.npz"] == [path.name]
    return X, y, path


def model_of(kind, contamination, path=None, n_components=50):
    return kind(
        approximation="nystroem", n_components=n_components, random_state=0, checkpoint=path,
        contamination=contamination,
    )  # fmt: skip


def assert_bitwise_equal(one, other, X):
    for name in (
        "inlier_mask_", "outlier_scores_", "objective_path_", "dual_coef_", "intercept_",
        "contamination_", "contamination_interval_", "loss_threshold_", "n_iter_", "converged_",
    ):  # fmt: skip
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    np.testing.assert_array_equal(raw(one, X), raw(other, X))


@pytest.fixture
def small_subsample(set_sizes):
    set_sizes(subsample_rows=SUBSAMPLE_ROWS)


@pytest.fixture
def at_once(set_sizes):
    set_sizes(checkpoint_seconds=0.0)


few = pytest.mark.usefixtures("small_subsample")
every_time = pytest.mark.usefixtures("at_once")


@few
@pytest.mark.parametrize(
    ("kind", "contamination", "last"),
    [
        (SubquantileRegressor, 0.2, 2),
        (SubquantileClassifier, 0.15, 3),
        pytest.param(SubquantileRegressor, "auto", 2, marks=pytest.mark.slow),
        pytest.param(SubquantileRegressor, 0.2, 1, marks=pytest.mark.slow),
        pytest.param(SubquantileRegressor, "auto", 1, marks=pytest.mark.slow),
        pytest.param(SubquantileClassifier, 0.15, 1, marks=pytest.mark.slow),
    ],
)
def test_a_killed_fit_goes_on_bitwise(tmp_path, kind, contamination, last):
    X, y, path = killed(tmp_path, kind, contamination, last)
    whole = model_of(kind, contamination).fit(X, y)
    resumed = model_of(kind, contamination, path).fit(X, y)
    assert_bitwise_equal(resumed, whole, X)
    assert not path.exists()


@pytest.mark.slow
def test_a_killed_fit_of_full_size_goes_on_bitwise(tmp_path):
    options = {"n": 25_000, "subsample": 20_000}
    X, y, path = killed(tmp_path, SubquantileRegressor, 0.2, 1, **options)
    whole = model_of(SubquantileRegressor, 0.2).fit(X, y)
    resumed = model_of(SubquantileRegressor, 0.2, str(path)).fit(X, y)
    assert_bitwise_equal(resumed, whole, X)
    assert not path.exists()


@few
@every_time
@pytest.mark.parametrize("kind", [SubquantileRegressor, SubquantileClassifier])
def test_an_undisturbed_fit_is_the_same_with_a_checkpoint_and_removes_it(tmp_path, kind):
    X, y = rows_of(kind)
    path = tmp_path / "fit.checkpoint"
    plain = model_of(kind, 0.15).fit(X, y)
    assert_bitwise_equal(model_of(kind, 0.15, path).fit(X, y), plain, X)
    assert os.listdir(tmp_path) == []


@every_time
@pytest.mark.parametrize("approximation", [None, "nystroem", "rff"])
def test_few_rows_may_have_a_checkpoint_too(tmp_path, approximation):
    X, y, _ = corrupted(300)
    # A bad start, so that there are steps to interrupt.
    model = SubquantileRegressor(
        contamination=0.2, approximation=approximation, random_state=0, init="random"
    )
    expected = clone(model).fit(X, y).predict(X)
    path = tmp_path / "fit.checkpoint"
    interrupted(clone(model).set_params(checkpoint=path), X, y, after=1)
    assert path.exists()
    found = clone(model).set_params(checkpoint=path).fit(X, y).predict(X)
    np.testing.assert_array_equal(found, expected)
    assert not path.exists()


@few
@every_time
@pytest.mark.parametrize("after", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_fit_that_estimates_the_contamination_goes_on_bitwise(tmp_path, after):
    X, y = rows_of(SubquantileRegressor)
    path = tmp_path / "fit.checkpoint"
    interrupted(model_of(SubquantileRegressor, "auto", path), X, y, after)
    resumed = model_of(SubquantileRegressor, "auto", path).fit(X, y)
    assert_bitwise_equal(resumed, model_of(SubquantileRegressor, "auto").fit(X, y), X)


def interrupted(model, X, y, after):
    """Press Ctrl-C after so many writes."""
    write, written = checkpoint_module.Checkpoint._write, []

    def then_stop(self, state):
        write(self, state)
        written.append(1)
        if len(written) == after:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(checkpoint_module.Checkpoint, "_write", then_stop)
        model.fit(X, y)
    return model


@few
@every_time
@pytest.mark.parametrize("kind", [SubquantileRegressor, SubquantileClassifier])
def test_an_interrupted_first_fit_leaves_a_checkpoint_and_no_fit(tmp_path, kind):
    X, y = rows_of(kind)
    path = tmp_path / "fit.checkpoint"
    model = interrupted(model_of(kind, 0.15, path), X, y, after=1)
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert os.listdir(tmp_path) == [path.name]
    assert_bitwise_equal(model.fit(X, y), model_of(kind, 0.15).fit(X, y), X)
    assert os.listdir(tmp_path) == []


@few
@every_time
@pytest.mark.parametrize("moment", [0.5, 0.97])
def test_an_interrupted_second_fit_leaves_the_first(tmp_path, moment):
    X, y = rows_of(SubquantileRegressor)
    model = model_of(SubquantileRegressor, 0.2, tmp_path / "fit.checkpoint")
    with calls_counted() as calls:
        model.fit(X, y)
    before, expected = dict(vars(model)), model.predict(X)
    with pytest.raises(KeyboardInterrupt), calls_counted(int(moment * len(calls))):
        model.fit(X, y + 1.0)
    fitted = {key: value for key, value in before.items() if key.endswith("_")}
    assert all(vars(model)[key] is value for key, value in fitted.items())
    np.testing.assert_array_equal(model.predict(X), expected)


@few
@every_time
def test_every_interruption_on_the_way_leads_to_the_same_end(tmp_path):
    X, y = rows_of(SubquantileRegressor)
    path = tmp_path / "fit.checkpoint"
    model = model_of(SubquantileRegressor, 0.2, path)
    for _ in range(3):
        try:
            interrupted(model, X, y, after=1)
        except pytest.fail.Exception:  # it was over before
            break
    if path.exists():
        model.fit(X, y)
    assert_bitwise_equal(model, model_of(SubquantileRegressor, 0.2).fit(X, y), X)


@few
@every_time
def test_a_fit_without_a_seed_goes_on_with_the_seed_of_its_file(tmp_path):
    X, y = rows_of(SubquantileRegressor)
    path = tmp_path / "fit.checkpoint"
    model = SubquantileRegressor(
        approximation="rff", n_components=50, contamination=0.2, checkpoint=path
    )
    interrupted(model, X, y, after=1)
    model.fit(X, y)
    # Frequencies drawn from another seed would not suit the coefficients of the file.
    assert np.sqrt(np.median((y - model.predict(X)) ** 2)) < 0.5


@pytest.mark.slow
@few
@every_time
def test_a_tuned_fit_goes_on_too(tmp_path):
    X, y = rows_of(SubquantileRegressor)
    path = tmp_path / "fit.checkpoint"
    params = {
        "approximation": "nystroem", "n_components": 50, "contamination": 0.2,
        "alphas": [0.1, 1.0], "gammas": [0.1, 0.3], "random_state": 0,
    }  # fmt: skip
    interrupted(SubquantileRegressorCV(checkpoint=path, **params), X, y, after=1)
    resumed = SubquantileRegressorCV(checkpoint=path, **params).fit(X, y)
    assert_bitwise_equal(resumed, SubquantileRegressorCV(**params).fit(X, y), X)


# --- other fits ------------------------------------------------------------------------------


@pytest.fixture
def left(tmp_path, set_sizes):
    """A fit to few rows that was interrupted: model, rows, file."""
    set_sizes(checkpoint_seconds=0.0)
    X, y, _ = corrupted(300)
    path = tmp_path / "fit.checkpoint"
    model = SubquantileRegressor(
        approximation="nystroem", n_components=50, contamination=0.2, random_state=0,
        checkpoint=path,
    )  # fmt: skip
    return interrupted(model, X, y, after=1), X, y, path


OTHER = r"belongs to a fit with other rows or parameters: delete it, or name another file\.$"


@pytest.mark.parametrize(
    "params", [{"alpha": 0.5}, {"contamination": 0.1}, {"kernel": "laplacian"}, {"random_state": 1}]
)
def test_the_file_of_other_parameters_is_refused_and_left_alone(left, params):
    model, X, y, path = left
    before = path.read_bytes()
    with pytest.raises(ValueError, match=OTHER):
        clone(model).set_params(**params).fit(X, y)
    assert path.read_bytes() == before


def test_the_file_of_other_rows_is_refused(left):
    model, X, y, path = left
    moved, weights = y.copy(), np.ones(len(y))
    moved[0] += 1e-9
    weights[0] = 2.0
    for rows, targets, own in ((X, moved, None), (X + 1e-9, y, None), (X, y, weights)):
        with pytest.raises(ValueError, match=OTHER):
            clone(model).fit(rows, targets, sample_weight=own)
    assert path.exists()


def test_the_file_of_another_estimator_is_refused(left):
    _, X, _, path = left
    with pytest.raises(ValueError, match=OTHER):
        SubquantileClassifier(checkpoint=path, contamination=0.2).fit(X, X[:, 0] > 0)


@pytest.mark.parametrize("params", [{"verbose": 1}, {"n_jobs": 1}, {"memory_limit": "2GB"}])
def test_what_does_not_change_the_result_may_change(left, params, capsys):
    model, X, y, path = left
    resumed = clone(model).set_params(**params).fit(X, y)
    plain = clone(model).set_params(checkpoint=None).fit(X, y)
    np.testing.assert_allclose(resumed.predict(X), plain.predict(X), atol=1e-8)
    assert not path.exists()


def test_a_fit_goes_on_with_less_memory_if_its_features_fit(tmp_path, set_sizes):
    set_sizes(checkpoint_seconds=0.0)
    X, y, _ = corrupted(5000)
    path = tmp_path / "fit.checkpoint"
    model = SubquantileRegressor(
        approximation="nystroem", contamination=0.2, alpha=0.01, random_state=0, checkpoint=path,
        memory_limit="1GB",
    )  # fmt: skip
    interrupted(model, X, y, after=1)
    with pytest.raises(MemoryLimitError, match="memory_limit must be at least"):
        model.set_params(memory_limit=min_bytes(5000, 1, 50, np.float64)).fit(X, y)
    assert path.exists()
    model.set_params(memory_limit=min_bytes(5000, 1, 1000, np.float64)).fit(X, y)
    assert not path.exists()


# --- what cannot be right --------------------------------------------------------------------


def refused(path, match, X, y):
    with pytest.raises(ValueError, match=match):
        SubquantileRegressor(checkpoint=path, contamination=0).fit(X, y)


def test_paths_that_cannot_be(tmp_path):
    X, y, _ = corrupted(30)
    refused(
        tmp_path / "no" / "where", r"checkpoint must name a file in a directory that exists", X, y
    )
    refused(str(tmp_path), r"checkpoint must name a file, got the directory", X, y)
    for value in (3, b"here", ["here"], True):
        refused(value, r"checkpoint must be the path of a file or None, got", X, y)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "content", [b"", b"a,b\n1,2\n", b"PK\x03\x04"], ids=["empty", "csv", "zip"]
)
def test_a_file_that_is_no_checkpoint_is_refused_and_left_alone(tmp_path, content):
    X, y, _ = corrupted(30)
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    refused(path, r"must name a checkpoint of untaint or a new file, got .*something else\.$", X, y)
    assert path.read_bytes() == content


def test_a_path_may_be_relative_and_of_any_kind(tmp_path, monkeypatch):
    X, y, _ = corrupted(60)
    monkeypatch.chdir(tmp_path)
    for path in ("fit.checkpoint", Path("fit.checkpoint"), "./ünïcode name"):
        SubquantileRegressor(checkpoint=path, contamination=0.2).fit(X, y)
    assert os.listdir(tmp_path) == []
