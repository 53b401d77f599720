"""Error of all methods as the share of wrong targets grows from none to nearly a half.

The protocol and the methods are those of the papers' Table 1 and of the studies beyond it; every
method tries twelve settings. Student's t and relevance-pursuit Gaussian processes are in
``gaussian-processes``.
"""

from __future__ import annotations

from dataclasses import replace

from ..frame import Cells, crossed
from ..methods.base import Grid, steps
from .papers import KERNELS, OURS, comparison_study

METHODS = (*OURS, "krr", "sever", "term", "svr", "huber")
SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.49)
# Twelve settings each: curves need many fits.
TWELVE = Grid((-4, -2, 0), steps(-2, 1, 4), (-3, -1), steps(-2, 0, 2))
RANDOM = Cells(("boston", "concrete", "diabetes"), ["label"], SHARES, METHODS)
AGREEING = Cells(["concrete"], ["cluster"], SHARES, METHODS)
QUICK = Cells(["kiln"], ["label"], [0.0, 0.4], METHODS)

STUDIES = {
    "error-curve": replace(
        comparison_study(
            "Clean-test RMSE as the share of wrong targets grows: random, or all at one value.",
            replace(KERNELS, grid=TWELVE),
            RANDOM,
            QUICK,
        ),
        cases=crossed([RANDOM, AGREEING], quick=[QUICK]),
        draw="shares:draw_error_curves",
    )
}
