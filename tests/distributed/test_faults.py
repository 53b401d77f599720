"""A fit survives its workers, or ends in one clear sentence; nothing hangs."""

import os
import signal
import threading
import time
from contextlib import suppress

import dask
import dask.array as da
import numpy as np
import pytest

pytest.importorskip("distributed", reason="needs dask.distributed")

from dask_cases import LINEAR, NYSTROEM, chunked, rows

from distributed import Client
from untaint.distributed import ClusterError, SubquantileRegressor, scheduler

# Another process may have its arrays elsewhere, and sums depend on that.
ROUNDING = 1e-9
AUTO = {**NYSTROEM, "contamination": "auto"}
SIZE = 900


@pytest.fixture(scope="module")
def expected():
    """Fits that nothing happened to, on Dask's own scheduler."""
    found = {}
    with dask.config.set(scheduler="sync"):
        for name, params in (("linear", LINEAR), ("auto", AUTO)):
            model = SubquantileRegressor(**params)
            found[name] = model.fit(*(chunked(part, SIZE) for part in rows()))
    return found


def kill_one(client):
    """The first worker's process, at once."""
    pid = next(iter(client.run(os.getpid).values()))
    os.kill(pid, signal.SIGKILL)


def restart(client):
    """All workers; one that has just been killed may fail to come back in time."""
    with suppress(TimeoutError):
        client.restart(timeout=12)


class At:
    """Does something, once, when a stage is waited for: from another thread, a little later."""

    def __init__(self, monkeypatch, stage, action, delay=0.0):
        self.done = False
        original = scheduler.Scheduler._wait

        def wait(own, name, futures):
            if name == stage and not self.done:
                self.done = True
                self.thread = threading.Timer(delay, action)
                self.thread.start()
                if not delay:
                    self.thread.join()
            return original(own, name, futures)

        monkeypatch.setattr(scheduler.Scheduler, "_wait", wait)


@pytest.mark.parametrize(
    ("stage", "persist"),
    [
        ("gradient-1", False),
        pytest.param("description", "auto", marks=pytest.mark.slow),
        pytest.param("sample", True, marks=pytest.mark.slow),
    ],
)
def test_worker_killed_during_a_fit(client, monkeypatch, expected, stage, persist):
    X, y = rows()
    fault = At(monkeypatch, stage, lambda: kill_one(client), delay=0.05)
    model = SubquantileRegressor(**LINEAR)
    model.fit(chunked(X, SIZE), chunked(y, SIZE), persist=persist)
    assert fault.done
    np.testing.assert_allclose(model.coef_, expected["linear"].coef_, rtol=ROUNDING)
    mask = expected["linear"].inlier_mask_.compute(scheduler="sync")
    np.testing.assert_array_equal(model.inlier_mask_.compute(), mask)


@pytest.mark.slow
def test_worker_killed_while_features_are_kept(client, monkeypatch, expected):
    X, y = rows()
    fault = At(monkeypatch, "gradient-2", lambda: kill_one(client))
    model = SubquantileRegressor(**AUTO).fit(chunked(X, SIZE), chunked(y, SIZE), persist=True)
    assert fault.done
    np.testing.assert_allclose(model.dual_coef_, expected["auto"].dual_coef_, rtol=ROUNDING)


@pytest.mark.parametrize(
    "stage",
    [pytest.param(stage, marks=pytest.mark.slow) for stage in ("gradient-2", "description")],
)
def test_cluster_restarted_during_a_fit(client, monkeypatch, expected, stage):
    X, y = rows()
    monkeypatch.setattr(scheduler, "NO_WORKERS", 20.0)
    fault = At(monkeypatch, stage, lambda: restart(client))
    try:
        model = SubquantileRegressor(**LINEAR).fit(chunked(X, SIZE), chunked(y, SIZE))
    except ClusterError as error:  # on a busy machine Dask may fail to start its workers anew
        assert "has had no workers" in str(error)
        pytest.skip("Dask did not restart its workers")
    assert fault.done
    np.testing.assert_allclose(model.coef_, expected["linear"].coef_, rtol=ROUNDING)


@pytest.mark.slow
def test_cluster_restarted_again_and_again(client, monkeypatch):
    monkeypatch.setattr(scheduler, "ATTEMPTS", 2)
    original = scheduler.Scheduler._wait

    def wait(own, name, futures):
        if name == "gradient-1":
            client.cancel(futures, force=True)
        return original(own, name, futures)

    monkeypatch.setattr(scheduler.Scheduler, "_wait", wait)
    with pytest.raises(ClusterError, match="has forgotten what it was working on 2 times"):
        SubquantileRegressor(**LINEAR).fit(*(chunked(part, SIZE) for part in rows()))


def test_client_closed_during_a_fit(cluster, monkeypatch):
    X, y = rows()
    model = SubquantileRegressor(**LINEAR)
    with Client(cluster) as own:
        At(monkeypatch, "gradient-2", own.close)
        with pytest.raises(ClusterError, match=r"client was closed"):
            model.fit(chunked(X, SIZE), chunked(y, SIZE))
    assert not hasattr(model, "coef_")


def test_data_that_were_lost_with_a_restart_are_an_error(client, monkeypatch):
    X, y = (chunked(part, SIZE) for part in rows())
    futures = client.scatter(np.zeros(3))
    lost = X + da.from_delayed(dask.delayed(lambda v: v)(futures), (3,), float)
    At(monkeypatch, "gradient-1", lambda: restart(client))
    with pytest.raises(ClusterError):
        SubquantileRegressor(**LINEAR).fit(lost, y)


@pytest.mark.slow
def test_task_that_kills_every_worker(cluster, client, monkeypatch):
    X, y = rows()
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 1)

    def deadly(block, block_info=None):
        if block_info[0]["chunk-location"][0] == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return block

    poisoned = chunked(X, SIZE).map_blocks(deadly, dtype=float, meta=X[:0])
    model = SubquantileRegressor(**LINEAR)
    with pytest.raises(ClusterError, match="Workers died again and again in stage 'description'"):
        model.fit(poisoned, chunked(y, SIZE), persist=False)
    assert not hasattr(model, "coef_")


@pytest.mark.slow  # it waits for time-outs
def test_no_workers_at_all_or_not_yet(cluster, monkeypatch, expected):
    given = [chunked(part, SIZE) for part in rows()]
    cluster.scale(0)
    try:
        with Client(cluster) as own:
            while own.scheduler_info()["workers"]:
                time.sleep(0.05)
            with monkeypatch.context() as patch:
                patch.setattr(scheduler, "NO_WORKERS", 1.0)
                with pytest.raises(ClusterError, match="has had no workers for 1 seconds in stage"):
                    SubquantileRegressor(**LINEAR).fit(*given)
            threading.Timer(0.5, cluster.scale, [2]).start()
            model = SubquantileRegressor(**LINEAR).fit(*given)
            own.wait_for_workers(2, timeout=60)
    finally:
        cluster.scale(2)
    np.testing.assert_allclose(model.coef_, expected["linear"].coef_, rtol=ROUNDING)
