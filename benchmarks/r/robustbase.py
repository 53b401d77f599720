"""R's robust linear regressions, ltsReg and lmrob of the package robustbase.

Rows go to R in a binary file; seconds, memory and coefficients come back in another. Starting R
takes longer than fifty small fits, so that many samples may go to one process. The clock runs
inside R, around the fit alone, and memory is read there as it is here. Both run at their defaults:
ltsReg keeps half of the rows and then reweights, lmrob is an MM estimator; neither is given the
share.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

METHODS = ("lmrob", "ltsreg")
SCRIPT = Path(__file__).with_suffix(".R")
ABOUT = (
    'cat(sprintf("R %s.%s, robustbase %s, BLAS %s", R.version$major, R.version$minor, '
    'packageVersion("robustbase"), basename(dirname(extSoftVersion()[["BLAS"]]))))'
)


class RFit(NamedTuple):
    """The fit of R, and its cost; NaN where it has failed or was not timed."""

    seconds: float
    runs: float
    megabytes: float
    intercept_: float
    coef_: Any

    def predict(self, X: Any) -> Any:
        """Return <w, x> + b."""
        return X @ self.coef_ + self.intercept_


@lru_cache(maxsize=1)
def missing() -> str | None:
    """Say what is missing, or None if nothing is."""
    if shutil.which("Rscript") is None:
        return "Rscript is not installed"
    question = ["Rscript", "-e", "library(robustbase)"]
    asked = subprocess.run(question, capture_output=True, check=False)
    return None if asked.returncode == 0 else "R's robustbase is not installed"


def present(methods: Iterable[str]) -> list[str]:
    """Return the methods that can be run here: R's only where R has them."""
    return [name for name in methods if name not in METHODS or missing() is None]


def about() -> str:
    """Return versions of R and of the package, and the path of R's BLAS."""
    asked = subprocess.run(["Rscript", "-e", ABOUT], capture_output=True, text=True, check=False)
    return asked.stdout.strip()


def fit_all(
    method: str,
    samples: list[tuple[Any, Any]],
    *,
    runs: tuple[float, int, int] = (0.0, 1, 1),
    warm_up: int = 0,
    seconds: float | None = None,
) -> list[RFit]:
    """Fit every sample of X and y, all of the same shape.

    With rows to warm up on, fits are timed: below ``runs[0]`` seconds ``runs[1]`` to ``runs[2]``
    times, and the shortest counts.

    Raises
    ------
    MemoryError
        If R could not get the memory it asked for.
    subprocess.TimeoutExpired
        If R took more than ``seconds`` in all.
    RuntimeError
        If R failed otherwise, with its last words.
    """
    shape = samples[0][0].shape
    with TemporaryDirectory(prefix="untaint-r-") as folder:
        question, answer = Path(folder) / "samples.bin", Path(folder) / "answer.bin"
        with question.open("wb") as file:
            for X, y in samples:
                for column in (*X.T, y):
                    np.ascontiguousarray(column, dtype=np.float64).tofile(file)
        arguments = (method, len(samples), *shape, question, answer, *runs, warm_up)
        _run([str(argument) for argument in arguments], method, seconds)
        found = np.fromfile(answer).reshape(len(samples), shape[1] + 4)
    return [RFit._make([*line[:4].tolist(), line[4:]]) for line in found]


def _run(arguments: list[str], method: str, seconds: float | None) -> None:
    child = subprocess.run(
        ["Rscript", "--vanilla", str(SCRIPT), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )
    if child.returncode:
        words = " ".join(child.stderr.split())
        if "cannot allocate" in words:
            raise MemoryError(words)
        raise RuntimeError(f"{method} failed in R: {words[-200:] or child.returncode}")
