"""A test whether single precision suffices.

Coefficients of an expansion may be large and nearly cancel, above all where the ridge is small and
rows are close to one another; every rounded kernel value then counts many times. So the
function is evaluated in both precisions at rows of its expansion.
"""

import numpy as np

from .._typing import FloatArray
from ..portable import ArrayArithmetic, Function, KernelExpansion

# Difference between the precisions, in standard deviations of the predictions; of a classifier's
# scores, in units of log-odds. Rows that were not tried may fare somewhat worse.
GOOD_ENOUGH = 3e-6
TRIED = 256  # rows


def single_suffices(function: Function, *, scores: bool) -> bool:
    """Return whether predictions in single precision are as good as those in double.

    Parameters
    ----------
    function : LinearFunction, KernelExpansion or FourierExpansion
        Only an expansion is tried: for the others double precision costs little.
    scores : bool
        Whether predictions are scores of classes, which have a scale of their own.
    """
    if not isinstance(function, KernelExpansion) or not len(function.rows):
        return False
    rows = function.rows[:: -(-len(function.rows) // TRIED)].astype(np.float32)
    exact = _evaluate(function, rows.astype(np.float64))
    error = np.abs(_evaluate(function, rows) - exact)
    scale = np.ones(exact.shape[1]) if scores else exact.std(axis=0)
    return bool((error <= GOOD_ENOUGH * scale).all())


def _evaluate(function: Function, rows: FloatArray) -> FloatArray:
    with np.errstate(over="ignore", under="ignore"):
        raw: FloatArray = function(ArrayArithmetic(np, rows.dtype).value(rows)).data
    return raw
