"""Run cases, one after another or over processes, and write a row as each ends.

Cases already in the file are skipped. A case that raises becomes a row with the error's text, and
the others go on. Once all are there, the file is put into the order of the cases.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any, TextIO, TypeAlias

from .case import Case
from .children import end_with_parent
from .progress import StudyProgress
from .results import ResultsFile

Run: TypeAlias = Callable[[Case], Mapping[str, Any]]
CaseResult: TypeAlias = Mapping[str, Any]

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def run_cases(
    cases: Sequence[Case],
    run: Run,
    results: ResultsFile,
    *,
    jobs: int = 1,
    progress: TextIO | None = None,
) -> int:
    """Run what is not done yet and return how many cases failed.

    With ``jobs > 1`` processes, ``run`` must be importable by name, and wall times are unreliable.
    The progress bar goes to standard error, or to another stream.
    """
    stream = sys.stderr if progress is None else progress
    done = results.done()
    todo = [case for case in dict.fromkeys(cases) if case not in done]
    if len(todo) < len(cases):
        print(f"{len(cases) - len(todo)} of {len(cases)} cases are done already.", file=stream)
    bar, failed = StudyProgress(len(todo), stream), 0
    try:
        for case, outcome in _outcomes(todo, run, jobs):
            results.append(case, outcome)
            failed += bool(outcome.get("error"))
            bar.step(str(case))
    finally:
        bar.close()
    results.arrange(cases)
    return failed


def _outcomes(todo: Sequence[Case], run: Run, jobs: int) -> Iterator[tuple[Case, CaseResult]]:
    if jobs == 1:
        for case in todo:
            yield case, _attempt(run, case)
    else:
        yield from _parallel(todo, run, jobs)


def _parallel(todo: Iterable[Case], run: Run, jobs: int) -> Iterator[tuple[Case, CaseResult]]:
    # Spawned rather than forked: a fork in the midst of BLAS threads can hang.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=end_with_parent)
    try:
        with _share_cores(jobs):  # workers start as cases are submitted
            futures = {pool.submit(_attempt, run, case): case for case in todo}
        for future in as_completed(futures):
            error = future.exception()  # of a worker that died; what a case raises is caught there
            yield futures[future], _failure(error) if error else future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _attempt(run: Run, case: Case) -> CaseResult:
    try:
        return dict(run(case))
    except Exception as error:  # any failure of a method is a result of the study
        return _failure(error)


def _failure(error: BaseException) -> CaseResult:
    return {"error": f"{type(error).__name__}: {error}"}


@contextmanager
def _share_cores(jobs: int) -> Iterator[None]:
    """Keep the workers' threads from outnumbering the cores, unless the user has set a limit.

    The variables are read when a library is loaded, so they have to be there before a worker is.
    """
    share = str(max(1, (os.cpu_count() or 1) // jobs))
    ours = [name for name in THREAD_VARIABLES if name not in os.environ]
    os.environ.update(dict.fromkeys(ours, share))
    try:
        yield
    finally:
        for name in ours:
            del os.environ[name]
