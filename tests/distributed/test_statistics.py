"""A fit reports its passes over the cluster: stages, seconds and bytes."""

import numpy as np
import pytest

pytest.importorskip("dask.array", reason="needs Dask")

from dask.callbacks import Callback
from dask_cases import LINEAR, NYSTROEM, assert_same, chunked, pair

from untaint._policy import policy
from untaint.distributed import SubquantileClassifier, SubquantileRegressor

# As many rows as it takes, without any pretence.
FULL_SIZE = True
MOST_PASSES = 12
N, SIZE = 24_000, 7000


def clearly_bad(n, seed=0):
    """Rows of which a fifth is far off."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)
    y[rng.random(n) < 0.2] += 20.0
    return X, y


@pytest.mark.parametrize("params", [LINEAR, NYSTROEM], ids=["linear", "nystroem"])
@pytest.mark.parametrize("share", [0.2, "auto"])
def test_a_handful_of_passes(params, share):
    X, y = clearly_bad(40_000)
    model = SubquantileRegressor(**{**params, "contamination": share})
    model.fit(chunked(X, 9000), chunked(y, 9000))
    assert model.converged_
    assert model.statistics_.passes <= MOST_PASSES
    assert model.statistics_.passes == len(model.statistics_.stages)


@pytest.mark.slow  # of what tests/distributed/test_same_* ask at smaller sizes
@pytest.mark.parametrize("params", [LINEAR, NYSTROEM], ids=["linear", "nystroem"])
@pytest.mark.parametrize("share", [0.2, "auto"])
def test_same_model_as_in_memory_at_full_size(params, share):
    X, y = clearly_bad(N)
    params = {**params, "contamination": share}
    here, there = pair("SubquantileRegressor", params, X, y, size=SIZE)
    assert_same(there, here)


def test_stages_have_names_seconds_and_bytes():
    X, y = clearly_bad(N)
    statistics = SubquantileRegressor(**LINEAR).fit(chunked(X, SIZE), chunked(y, SIZE)).statistics_
    names = [name for name, _, _ in statistics.stages]
    assert names[:2] == ["description", "sample"]
    gradients = [name for name in names if name.startswith("gradient-")]
    assert gradients == [f"gradient-{i + 1}" for i in range(len(gradients))]
    assert all(seconds > 0 and size > 0 for _, seconds, size in statistics.stages)
    assert statistics.seconds == pytest.approx(sum(s for _, s, _ in statistics.stages))
    assert statistics.bytes_per_pass == max(size for _, _, size in statistics.stages)
    assert (statistics.n_rows, statistics.n_chunks) == (N, 4)


def test_stages_of_an_estimated_share_and_of_labels():
    X, y = clearly_bad(N)
    auto = SubquantileRegressor(**{**LINEAR, "contamination": "auto"})
    auto.fit(chunked(X, SIZE), chunked(y, SIZE))
    assert "extremes" in {name for name, _, _ in auto.statistics_.stages}
    y = X[:, 0] > 0
    sorter = SubquantileClassifier(**LINEAR).fit(chunked(X, SIZE), chunked(y, SIZE))
    assert "weights" in {name for name, _, _ in sorter.statistics_.stages}


def asked_bytes(n, params):
    """Bytes that a pass sends and returns, besides the subsample that every fit draws."""
    X, y = clearly_bad(n)
    model = SubquantileRegressor(**params).fit(chunked(X, n // 2), chunked(y, n // 2))
    return max(s for name, _, s in model.statistics_.stages if name != "sample")


@pytest.mark.parametrize("share", [0.2, "auto"])
def test_bytes_of_a_pass_are_bounded_however_many_rows_a_chunk_has(share):
    # For each of two chunks: bins and sums, and the losses that are listed with weight and class.
    most = 2 * (64_000 + 24 * policy().exact_losses)
    for n in (40_000, 160_000):
        assert asked_bytes(n, {**LINEAR, "contamination": share}) <= most


def test_tasks_are_named_for_their_stage():
    X, y = clearly_bad(N)
    given, keys = (chunked(X, 6000), chunked(y, 6000)), set()

    class Watch(Callback):
        def _pretask(self, key, dsk, state):
            keys.add(key if isinstance(key, str) else key[0])

    with Watch():
        model = SubquantileRegressor(**NYSTROEM).fit(*given)
        model.inlier_mask_.compute()
        model.predict(given[0]).compute()
    # What Dask adds of its own accord: the arrays themselves, their parts and their joining.
    foreign = ("array-", "finalize-", "getitem-untaint-", given[0].name, given[1].name)
    assert not [key for key in keys if not key.startswith(("untaint-", *foreign))]
    for stage in ("rows", "description", "sample", "features", "gradient-1", "scores", "predict"):
        assert any(f"untaint-{stage}-" in key for key in keys), stage


def test_progress_is_shown_by_dasks_own_bar(capsys):
    X, y = clearly_bad(N)
    SubquantileRegressor(**LINEAR, verbose=1).fit(chunked(X, SIZE), chunked(y, SIZE))
    out = capsys.readouterr().out
    assert "untaint gradient-1" in out
    assert "100%" in out
    SubquantileRegressor(**LINEAR).fit(chunked(X, SIZE), chunked(y, SIZE))
    assert capsys.readouterr().out == ""
