"""Fits on a local Dask cluster of two single-threaded workers, next to the same fits in memory.

    make bench ARGS="on-dask                    all parts, about half an hour"
    make bench ARGS="on-dask chunks killed      some of them"
    make bench ARGS="on-dask --quick            few rows, two minutes"

ratio     time over that of the fit in memory with both cores; differences; passes; bytes
chunks    the model of one chunk, of 7 and of 1,000, next to that in memory
killed    fits during which a worker process is killed, one in each stage in turn
memory    rows that take twice the memory that both workers have
costs     seconds of a pass per million rows, by number of features
overhead  seconds that Dask takes to schedule a pass over so many nearly empty chunks
workers   the same fits on 1, 2 and 4 (--workers) processes of one thread each: seconds and bytes
          of a step, which is a pass over all rows, and seconds on the client

Prints Markdown, and writes the numbers to a CSV file if asked to (--out FILE).
"""

import argparse
import csv
import gc
import os
import signal
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster, wait

import untaint
from benchmarks.data.large import draw_rows, surface
from untaint import distributed
from untaint.distributed.scheduler import Scheduler, mapped

PARAMS = {"kernel": "rbf", "gamma": 0.05, "alpha": 0.1, "approximation": "nystroem"}
ROWS = []


def note(part, what, **numbers):
    """Print and store one line of results."""
    cells = [
        f"{value:,.4g}" if isinstance(value, float) else str(value) for value in numbers.values()
    ]
    if not ROWS or ROWS[-1]["part"] != part or list(ROWS[-1])[2:] != list(numbers):
        print(f"\n| {part} | " + " | ".join(name.replace("_", " ") for name in numbers) + " |")
        print("|---" * (len(numbers) + 1) + "|")
    print(f"| {what} | " + " | ".join(cells) + " |", flush=True)
    ROWS.append({"part": part, "what": what, **numbers})


def started(memory_limit="auto", n_workers=2):
    cluster = LocalCluster(
        n_workers=n_workers, threads_per_worker=1, memory_limit=memory_limit, dashboard_address=None
    )
    return Client(cluster)


def closed(client):
    client.close()
    client.cluster.close()


def on_cluster(client, X, y, n_chunks):
    """Return the rows as persisted chunks, as if a cluster had read them."""
    size = -(-len(y) // n_chunks)
    rows = da.from_array(X, chunks=(size, X.shape[1]), inline_array=False).persist()
    targets = da.from_array(y, chunks=size, inline_array=False).persist()
    wait([rows, targets])
    return rows, targets


def drawn(n, seed=0):
    rows = draw_rows(surface, n, seed=seed, kind="label", n_test=1_000)
    return rows.X, rows.y


def difference(model, reference):
    gap = np.abs(model.dual_coef_ - reference.dual_coef_).max()
    return float(gap / np.abs(reference.dual_coef_).max())


def n_changed(model, reference):
    """Return the number of rows that only one of the two models keeps."""
    return int((model.inlier_mask_.compute() != reference.inlier_mask_).sum())


def ratio(quick):
    n, components = (60_000, 100) if quick else (2_000_000, 300)
    for seed in (0,) if quick else (0, 1):
        X, y = drawn(n, seed)
        params = PARAMS | {"n_components": components, "random_state": 0}
        client = started()
        rows, targets = on_cluster(client, X, y, 20)
        for contamination in (0.2, "auto", 0.0):
            params["contamination"] = contamination
            model = distributed.SubquantileRegressor(**params)
            times = {"memory": [], "cluster": []}
            for _ in range(2):
                begun = time.perf_counter()
                reference = untaint.SubquantileRegressor(**params).fit(X, y)
                times["memory"].append(time.perf_counter() - begun)
                gc.collect()
                begun = time.perf_counter()
                model.fit(rows, targets)
                times["cluster"].append(time.perf_counter() - begun)
            memory, cluster = min(times["memory"]), min(times["cluster"])
            note(
                "ratio",
                f"{n:,} rows, {components} landmarks, contamination {contamination}, seed {seed}",
                memory_seconds=memory,
                cluster_seconds=cluster,
                ratio=cluster / memory,
                coefficient_difference=difference(model, reference),
                rows_changed=n_changed(model, reference),
                passes=model.statistics_.passes,
                bytes_per_pass=model.statistics_.bytes_per_pass,
            )
        closed(client)


def chunks(quick):
    n, components = (60_000, 50) if quick else (500_000, 200)
    X, y = drawn(n)
    client = started()
    for contamination in (0.2, "auto"):
        params = PARAMS | {"n_components": components, "random_state": 0}
        params["contamination"] = contamination
        reference = untaint.SubquantileRegressor(**params).fit(X, y)
        for count in (1, 7, 100 if quick else 1_000):
            rows, targets = on_cluster(client, X, y, count)
            model = distributed.SubquantileRegressor(**params).fit(rows, targets)
            note(
                "chunks",
                f"{n:,} rows, contamination {contamination}, {count:,} chunks",
                coefficient_difference=difference(model, reference),
                rows_changed=n_changed(model, reference),
                passes=model.statistics_.passes,
                cluster_seconds=model.statistics_.seconds,
            )
    closed(client)


@contextmanager
def death(client, doomed, delay):
    """Kill a worker shortly after a stage has begun."""
    reduce, gather, done = Scheduler.reduce, Scheduler.gather, []

    def watched(work):
        def run(self, stage, *args, **more):
            if stage == doomed and not done:
                done.append(stage)
                pid = next(iter(client.run(os.getpid).values()))
                threading.Timer(delay, os.kill, (pid, signal.SIGKILL)).start()
            return work(self, stage, *args, **more)

        return run

    Scheduler.reduce, Scheduler.gather = watched(reduce), watched(gather)
    try:
        yield
    finally:
        Scheduler.reduce, Scheduler.gather = reduce, gather


def killed(quick):
    """Kill one worker per trial, in one stage after the other."""
    n, components = (40_000, 50) if quick else (100_000, 100)
    X, y = drawn(n)
    client = started()
    # A graph and not data, so that Dask can recompute what a dead worker held.
    rows = da.from_array(X, chunks=(n // 20, X.shape[1]))
    targets = da.from_array(y, chunks=n // 20)
    params = PARAMS | {"n_components": components, "random_state": 0, "contamination": "auto"}
    reference = untaint.SubquantileRegressor(**params).fit(X, y)
    model = distributed.SubquantileRegressor(**params).fit(rows, targets)
    stages = [stage for stage, _, _ in model.statistics_.stages]
    closed(client)
    correct, trials = 0, 4 if quick else 10
    for trial in range(trials):
        doomed, client = stages[trial % len(stages)], started()
        with death(client, doomed, delay=0.02 + 0.05 * (trial % 5)):
            model = distributed.SubquantileRegressor(**params).fit(rows, targets)
        same = difference(model, reference) == 0 and n_changed(model, reference) == 0
        correct += same
        closed(client)
        print(f"  killed in {doomed}: {'the same model' if same else 'ANOTHER MODEL'}", flush=True)
    note("killed", f"{n:,} rows, a worker killed in each stage", trials=trials, correct=correct)


def random_table(n, chunk):
    """Return lazy rows, which every pass draws again."""
    rng = da.random.default_rng(0)
    X = rng.normal(size=(n, 10), chunks=(chunk, 10))
    noise = rng.normal(size=n, chunks=chunk)
    wrong = rng.random(size=n, chunks=chunk) < 0.1
    truth = da.sin(X[:, 0]) + X[:, 1] - 0.5 * X[:, 2]
    return X, da.where(wrong, 30.0, truth) + 0.3 * noise


def memory(quick):
    limit = 500_000_000 if quick else 1_000_000_000
    n = 2 * 2 * limit // 88
    for name, params in {
        "linear": {"kernel": "linear"},
        "100 landmarks": PARAMS | {"n_components": 100, "random_state": 0},
    }.items():
        client = started(limit)
        X, y = random_table(n, 250_000)
        before = set(client.run(os.getpid).values())
        begun = time.perf_counter()
        model = distributed.SubquantileRegressor(contamination=0.1, **params).fit(X, y)
        seconds = time.perf_counter() - begun
        after = set(client.run(os.getpid).values())
        note(
            "memory",
            f"{n:,} rows, {name}",
            data_gigabytes=n * 88 / 1e9,
            workers_gigabytes=2 * limit / 1e9,
            seconds=seconds,
            workers_restarted=len(before - after),
            passes=model.statistics_.passes,
            converged=model.converged_,
            kept=model.statistics_.kept,
        )
        closed(client)


def costs(quick):
    """Time passes of one worker with one thread, with cached and with recomputed features."""
    from untaint.design.memory_plan import Plan, plan_blocks
    from untaint.distributed.partitions import (
        Partition,
        PassContext,
        evaluate,
        prepare,
        prepare_and_evaluate,
    )
    from untaint.feature_maps.identity import IdentityMap
    from untaint.feature_maps.nystroem import NystroemMap
    from untaint.kernels import RBF
    from untaint.losses import SquaredLoss
    from untaint.weighting.histogram import HistogramGrid
    from untaint.weighting.threshold import ThresholdWeights

    n = 20_000 if quick else 200_000
    rng = np.random.default_rng(0)
    for d, components in ((10, 0), (100, 0), (10, 100), (10, 300), (10, 1_000), (100, 1_000)):
        X = rng.normal(size=(n, d))
        part = Partition(X, X[:, 0], np.ones(n))
        maps = IdentityMap(np.zeros(d))
        if components:
            maps = NystroemMap(RBF(gamma=0.05), X[:components], np.float32)
            maps.whitening = None
        plan = Plan(plan_blocks(n, 1, maps.raw_width, maps.dtype, 1 << 50).block_rows, 0)
        context = PassContext(maps, SquaredLoss(), plan, None, None)
        coef = rng.normal(size=(maps.raw_width + 1, 1))
        grid = HistogramGrid(np.linspace(0.0, 1.0, 300)[None], np.array([[0.5, 0.501]]))
        arguments = (coef, ThresholdWeights(np.array([1.0])), grid, None)
        samples = prepare(part, 0, context, keep=components > 0)
        begun = time.perf_counter()
        evaluate(samples, arguments)
        evaluated = time.perf_counter()
        prepare_and_evaluate(part, 0, context, arguments)
        recomputed = time.perf_counter()
        note(
            "costs",
            f"{d} columns, {components or 'no'} landmarks",
            kept_features_seconds=(evaluated - begun) * 1e6 / n,
            nothing_kept_seconds=(recomputed - evaluated) * 1e6 / n,
            row_bytes=float(8 * d + 24),
            feature_bytes=float(samples.features.n_bytes / n),
        )


def overhead(quick):
    """Time passes over nearly empty chunks, which cost nothing but their scheduling."""
    client = started()
    for count in (1_000,) if quick else (1_000, 10_000, 100_000):
        numbers = [(i,) for i in range(count)]
        begun = time.perf_counter()
        found = Scheduler().reduce(
            "overhead", lambda given=numbers: mapped("overhead", float, given)
        )
        seconds = time.perf_counter() - begun
        assert found == count * (count - 1) / 2
        each = 1e3 * seconds / count
        note("overhead", f"{count:,} chunks", seconds=seconds, milliseconds_per_chunk=each)
    closed(client)


def workers(quick, counts=(1, 2, 4)):
    """Time the same fit on different numbers of worker processes, pass by pass."""
    n, components = (60_000, 100) if quick else (1_000_000, 300)
    X, y = drawn(n)
    params = PARAMS | {"n_components": components, "random_state": 0}
    one = {}
    for n_workers in counts:
        client = started(n_workers=n_workers)
        rows, targets = on_cluster(client, X, y, 8)
        for contamination in (0.2, "auto"):
            model = distributed.SubquantileRegressor(contamination=contamination, **params)
            begun = time.perf_counter()
            model.fit(rows, targets)
            seconds = time.perf_counter() - begun
            one.setdefault(contamination, seconds)
            done = model.statistics_
            steps = [stage for stage in done.stages if "gradient" in stage[0]]
            note(
                "workers",
                f"{n:,} rows, {components} landmarks, contamination {contamination}, "
                f"{n_workers} workers",
                seconds=seconds,
                ratio_to_first=seconds / one[contamination],
                passes=done.passes,
                seconds_of_passes=done.seconds,
                seconds_on_client=seconds - done.seconds,
                seconds_per_step=float(np.median([each for _, each, _ in steps[1:]])),
                kilobytes_per_step=max(size for _, _, size in steps) / 1e3,
                kilobytes_of_largest_pass=done.bytes_per_pass / 1e3,
                kept=done.kept,
            )
        closed(client)


PARTS = {part.__name__: part for part in (ratio, chunks, killed, memory, costs, overhead, workers)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all by default")
    parser.add_argument("--quick", action="store_true", help="few rows")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4], help="part workers")
    parser.add_argument("--out", type=Path, help="CSV file for the numbers")
    arguments = parser.parse_args()
    for name in arguments.parts or PARTS:
        more = [arguments.workers] if name == "workers" else []
        PARTS[name](arguments.quick, *more)
    if arguments.out:
        with open(arguments.out, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["part", "what", "measure", "value"])
            for row in ROWS:
                for measure in list(row)[2:]:
                    writer.writerow([row["part"], row["what"], measure, row[measure]])


if __name__ == "__main__":
    main()
