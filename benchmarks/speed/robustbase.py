"""R's robust linear regressions, ltsReg and lmrob of the package robustbase.

Rows go to R in a binary file; seconds, memory and coefficients come back in another. The clock runs
inside R, around the fit alone, and memory is read there as it is here. Both run at their defaults:
ltsReg keeps half of the rows and then reweights, lmrob is an MM estimator; neither is given the
share.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .rows import Array

SCRIPT = Path(__file__).with_suffix(".R")
ABOUT = (
    'cat(sprintf("R %s.%s, robustbase %s, BLAS %s", R.version$major, R.version$minor, '
    'packageVersion("robustbase"), basename(dirname(extSoftVersion()[["BLAS"]]))))'
)


class RFit(NamedTuple):
    """The fit of R, and its cost."""

    seconds: float
    runs: float
    megabytes: float
    intercept_: float
    coef_: Array

    def predict(self, X: Array) -> Array:
        """Return <w, x> + b."""
        return X @ self.coef_ + self.intercept_


@lru_cache(maxsize=1)
def missing() -> str | None:
    """Say what is missing, or None if nothing is.

    Examples
    --------
    >>> from benchmarks.speed.robustbase import missing
    >>> missing() in (None, "Rscript is not installed", "R's robustbase is not installed")
    True
    """
    if shutil.which("Rscript") is None:
        return "Rscript is not installed"
    question = ["Rscript", "-e", "library(robustbase)"]
    asked = subprocess.run(question, capture_output=True, check=False)
    return None if asked.returncode == 0 else "R's robustbase is not installed"


def about() -> str:
    """Return versions of R and of the package, and the path of R's BLAS."""
    asked = subprocess.run(["Rscript", "-e", ABOUT], capture_output=True, text=True, check=False)
    return asked.stdout.strip()


def fit(
    method: str,
    X: Array,
    y: Array,
    folder: Path,
    *,
    runs: tuple[float, int, int],
    warm_up: int,
    seconds: float | None = None,
) -> RFit:
    """Fit in R; below ``runs[0]`` seconds ``runs[1]`` to ``runs[2]`` times, the shortest counts.

    Raises
    ------
    MemoryError
        If R could not get the memory it asked for.
    subprocess.TimeoutExpired
        If R took more than ``seconds`` in all.
    RuntimeError
        If R failed otherwise, with its last words.
    """
    question, answer = folder / "rows.bin", folder / "answer.bin"
    with question.open("wb") as file:
        for column in X.T:
            np.ascontiguousarray(column, dtype=np.float64).tofile(file)
        y.astype(np.float64).tofile(file)
    arguments = (method, *X.shape, question, answer, *runs, warm_up)
    child = subprocess.run(
        ["Rscript", "--vanilla", str(SCRIPT), *map(str, arguments)],
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
    found = np.fromfile(answer)
    taken, n_runs, megabytes, intercept = map(float, found[:4])
    return RFit(taken, n_runs, megabytes, intercept, found[4:])
