"""Two worker processes for the tests that need a cluster, and an end to every test that hangs."""

import logging
import signal
import sys
import threading
from pathlib import Path

import pytest

# Not ``distributed.cases``: that name is Dask's.
sys.path.insert(0, str(Path(__file__).parent))
MOST_SECONDS = 90


@pytest.fixture(autouse=True)
def no_hanging():
    """A test that takes too long fails, whatever it waits for."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def give_up(number, frame):
        pytest.fail(f"hung for {MOST_SECONDS} seconds")  # which no ``except TimeoutError`` swallows

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(MOST_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module", autouse=True)
def few_are_many(request):
    """All that many rows in many tasks do, but quickly, unless a module says ``FULL_SIZE``."""
    if getattr(request.module, "FULL_SIZE", False):
        yield
        return
    from untaint._policy import set_policy

    with set_policy(subsample_rows=2000, partition_rows=1000, block_bytes=10_000):
        yield


@pytest.fixture(scope="session")
def cluster():
    """Two processes of one thread each; workers that die are replaced."""
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    quiet = {"distributed.worker.daemon": True, "distributed.admin.tick.limit": "1h"}
    with dask.config.set(quiet):
        started = distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            memory_limit="2GB",
            silence_logs=logging.CRITICAL,
        )
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        yield started
        started.close(timeout=20)


@pytest.fixture
def client(cluster):
    """A client of two workers, whatever the test before has done to them."""
    from distributed import Client

    with Client(cluster, timeout=30) as connected:
        try:
            connected.wait_for_workers(2, timeout=10)
        except TimeoutError:  # a worker that is killed while it starts is not always replaced
            cluster.scale(0)
            cluster.scale(2)
            connected.wait_for_workers(2, timeout=60)
        yield connected
