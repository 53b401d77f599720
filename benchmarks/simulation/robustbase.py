"""R's lmrob (an MM estimator) and ltsReg (least trimmed squares) on many samples at once.

Starting R takes longer than fifty fits, so that a block of samples goes to one process: as a binary
file, and coefficients come back in another. Both run at their defaults.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ..drawn import Array
from .designs import Sample

SCRIPT = Path(__file__).with_suffix(".R")


def fit_all(method: str, samples: Sequence[Sample]) -> list[Array]:
    """Return predictions of the test rows of each sample; NaN where R's fit failed.

    Raises
    ------
    RuntimeError
        If R itself failed, with its last words.
    """
    n, d = samples[0].X.shape
    with TemporaryDirectory() as folder:
        question, answer = Path(folder) / "samples.bin", Path(folder) / "answer.bin"
        with question.open("wb") as file:
            for sample in samples:
                np.asfortranarray(sample.X).ravel(order="F").tofile(file)
                sample.y.tofile(file)
        arguments = (method, len(samples), n, d, question, answer)
        child = subprocess.run(
            ["Rscript", "--vanilla", str(SCRIPT), *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
        )
        if child.returncode:
            words = " ".join(child.stderr.split())
            raise RuntimeError(f"{method} failed in R: {words[-200:] or child.returncode}")
        found = np.fromfile(answer).reshape(len(samples), d + 1)
    return [s.X_test @ coef[1:] + coef[0] for s, coef in zip(samples, found, strict=True)]
