"""From a laptop to a cluster by changing one import: the same model, whatever the chunks.

Needs ``pip install "untaint[dask]"``. A local cluster of two worker processes stands for yours:
pass the address of a real one to Client.
"""

import time

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster

import untaint
import untaint.distributed


def table(n, chunk):
    """Return a lazy table: every chunk is drawn when it is needed."""
    rng = da.random.default_rng(0)
    X = rng.normal(size=(n, 5), chunks=(chunk, 5))
    truth = da.sin(X[:, 0]) + X[:, 1] * X[:, 2]
    wrong = rng.random(size=n, chunks=chunk) < 0.2
    y = da.where(wrong, rng.normal(5.0, 5.0, size=n, chunks=chunk), truth)
    return X, y + 0.3 * rng.normal(size=n, chunks=chunk), wrong


def main() -> None:
    settings = {"approximation": "nystroem", "n_components": 100, "random_state": 0}
    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster):
        X, y, wrong = table(200_000, 25_000)

        begun = time.perf_counter()
        model = untaint.distributed.SubquantileRegressor(**settings).fit(X, y)
        seconds = time.perf_counter() - begun
        statistics = model.statistics_
        size = f"{statistics.n_rows:,} rows, {statistics.n_chunks} chunks"
        print(f"{size}: {seconds:.1f} s, {statistics.passes} passes,")
        moved = statistics.bytes_per_pass / 1e6
        print(f"at most {moved:.1f} MB moved in a pass, {statistics.kept} kept in memory")
        print(f"share of wrong rows: {model.contamination_:.3f}")
        caught = (~model.inlier_mask_ & wrong).sum() / wrong.sum()
        print(f"of the wrong rows {caught.compute():.1%} were trimmed")

        laptop = untaint.SubquantileRegressor(**settings).fit(*map(np.asarray, (X, y)))
        same = np.array_equal(laptop.dual_coef_, model.dual_coef_)
        print("the model of one machine is", "the same to the last bit" if same else "another")


if __name__ == "__main__":
    main()
