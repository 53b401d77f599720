"""Families of methods that are compared on the same rows, at several sizes.

Settings are shared within a family. Ours minimise  sum of losses + alpha ||g||^2,  so that the C
of scikit-learn is 1 / (2 alpha).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..data.large import EPSILON, Truth, border, line, plane, surface
from ..frame import Cells
from ..r import robustbase

OURS = ("untaint", "untaint-auto", "untaint-plain", "untaint-rff", "genie")


@dataclass(frozen=True)
class Family:
    """Methods, sizes, and all that these methods share.

    ``truth`` draws the law of the rows, ``kind`` says how a fifth of the labels is corrupted.
    Kernel approximations have ``components``, and fits are exact without. A memory limit is a
    parameter of our estimators; features that are ``mapped`` are a memory map.
    """

    title: str
    truth: Callable[[np.random.Generator], Truth]
    kind: str
    methods: tuple[str, ...]
    sizes: tuple[int, ...]
    quick_sizes: tuple[int, ...]
    kernel: str = "rbf"
    alpha: float = 0.1
    gamma: float | None = 0.05
    components: int | None = None
    quick_components: int = 50
    memory_limit: str | None = None
    mapped: bool = False

    @property
    def classes(self) -> bool:
        """Whether labels are classes."""
        return self.kind == "flip"


SMALL = (1_000, 2_000, 4_000, 8_000)
LARGE = (10_000, 30_000, 100_000, 300_000)
MILLION = (*LARGE, 1_000_000)
# A trial run spends its time on starting processes, two seconds each, so one size has to do.
TRIAL = (600,)

FAMILIES: dict[str, Family] = {
    "exact": Family(
        "kernel regression, 10 features, exact",
        surface,
        "label",
        ("untaint", "untaint-plain", "genie", "kernel-ridge", "svr", "matrix", "matrix-sklearn"),
        (*SMALL, 16_000),
        TRIAL,
    ),
    "approximate": Family(
        "kernel regression, 10 features, 1,000 components",
        surface,
        "label",
        (*OURS, "nystroem-ridge", "nystroem-ridge-32"),
        MILLION,
        TRIAL,
        components=1_000,
    ),
    "linear": Family(
        "linear regression, 20 features",
        line,
        "label",
        (
            *("untaint", "untaint-auto", "untaint-plain", "genie"),
            *("linear-regression", "huber", "ransac", "ltsreg", "lmrob"),
        ),
        MILLION,
        TRIAL,
        kernel="linear",
        alpha=1e-3,
        gamma=None,
    ),
    "classes-exact": Family(
        "kernel classification, 10 features, exact",
        border,
        "flip",
        ("untaint", "untaint-plain", "genie", "svc"),
        SMALL,
        TRIAL,
    ),
    "classes-approximate": Family(
        "kernel classification, 10 features, 500 components",
        border,
        "flip",
        ("untaint", "untaint-auto", "untaint-plain", "genie", "nystroem-logistic"),
        LARGE,
        TRIAL,
        components=500,
    ),
    "linear-classes": Family(
        "linear classification, 50 features",
        plane,
        "flip",
        ("untaint", "untaint-auto", "untaint-plain", "genie", "logistic-regression"),
        (10_000, 30_000, 100_000, 500_000),
        TRIAL,
        kernel="linear",
        alpha=0.5,
        gamma=None,
    ),
    "memory": Family(
        "kernel regression, 10 features, 1,000 components, limited to 1 GB",
        surface,
        "label",
        ("untaint", "untaint-auto", "untaint-plain"),
        (100_000, 1_000_000),
        TRIAL,
        components=1_000,
        memory_limit="1GB",
    ),
}
# Features in a file: other rows for the same estimators, in bounded memory.
MAPPED = Family(
    "kernel regression, 10 features of a memory map, 500 components, limited to 4 GB",
    surface,
    "label",
    ("untaint", "untaint-auto"),
    (10_000_000,),
    TRIAL,
    components=500,
    memory_limit="4GB",
    mapped=True,
)
LINEAR_MAPPED = replace(
    MAPPED,
    title="linear regression, 20 features of a memory map, limited to 4 GB",
    truth=line,
    kernel="linear",
    alpha=1e-3,
    gamma=None,
    components=None,
)
FAMILIES |= {
    "map": MAPPED,
    "map-classes": replace(
        MAPPED,
        title="kernel classification, 10 features of a memory map, 500 components, limited to 4 GB",
        truth=border,
        kind="flip",
    ),
    "map-linear": LINEAR_MAPPED,
    "map-linear-classes": replace(
        LINEAR_MAPPED,
        title="linear classification, 50 features of a memory map, limited to 4 GB",
        truth=plane,
        kind="flip",
        alpha=0.5,
    ),
}


def family_cells(name: str, quick: bool) -> Cells:
    """Return every size and method of a family; R's methods where R has them."""
    family = FAMILIES[name]
    sizes = family.quick_sizes if quick else family.sizes
    methods = robustbase.present(family.methods)
    return Cells([f"{name}-{n}" for n in sizes], [family.kind], [EPSILON], methods)
