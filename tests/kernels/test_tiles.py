import threading
import time

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from untaint.kernels import RBF, tiles


def blas_threads():
    return [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]


def coordinates(rows, cols, out, work):
    out[:] = np.arange(rows.start, rows.stop)[:, None] * 1000 + np.arange(cols.start, cols.stop)


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (1, 1), (tiles.TILE, 700), (613, 5), (613, 613)])
@pytest.mark.parametrize("n_threads", [1, 3, None])
def test_every_entry_is_filled_once(shape, n_threads):
    K = tiles.build(coordinates, shape, np.float64, symmetric=False, n_threads=n_threads)
    expected = np.arange(shape[0])[:, None] * 1000 + np.arange(shape[1])
    np.testing.assert_array_equal(K, expected)


@pytest.mark.parametrize("n", [0, 1, tiles.TILE, tiles.TILE + 1, 700])
def test_symmetric_matrices_mirror_the_upper_triangle(n):
    K = tiles.build(coordinates, (n, n), np.float32, symmetric=True)
    full = tiles.build(coordinates, (n, n), np.float32, symmetric=False)
    np.testing.assert_array_equal(np.triu(K), np.triu(full))
    np.testing.assert_array_equal(K, K.T)


@pytest.mark.parametrize("n_threads", [1, 2, 8])
def test_errors_reach_the_caller_and_stop_the_work(n_threads):
    calls = []

    def fail(rows, cols, out, work):
        calls.append(rows)
        if len(calls) == 3:
            raise RuntimeError("third tile")
        time.sleep(0.001)

    with pytest.raises(RuntimeError, match="third tile"):
        tiles.build(fail, (8000, 8000), np.float32, symmetric=False, n_threads=n_threads)


def test_blas_threads_are_restored_after_overlapping_builds():
    before = blas_threads()
    assert before
    X = np.random.default_rng(0).normal(size=(1500, 3))
    workers = [threading.Thread(target=RBF(1.0).matrix, args=(X,)) for _ in range(6)]
    for worker in workers:
        worker.start()
        time.sleep(0.003)
    for worker in workers:
        worker.join()
    assert blas_threads() == before


def test_blas_is_single_threaded_within_nested_blocks():
    with tiles.single_threaded_blas():
        with tiles.single_threaded_blas():
            assert set(blas_threads()) == {1}
        assert set(blas_threads()) == {1}


def test_work_array_is_float64_and_of_the_tiles_shape():
    def check(rows, cols, out, work):
        assert out.shape == work.shape == (rows.stop - rows.start, cols.stop - cols.start)
        assert work.dtype == np.float64
        assert out.flags.c_contiguous
        assert work.flags.c_contiguous
        out[:] = 0

    tiles.build(check, (500, 300), np.float32, symmetric=False)
