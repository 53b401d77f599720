"""Imports between subpackages.

Every module and every package directly under ``src/untaint`` counts as a subpackage. The table
below says what each subpackage may import of the others; the tests read the source and compare.
An import counts wherever it stands, inside a function or under ``TYPE_CHECKING`` too.
"""

import ast
import os
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest
from sklearn.base import BaseEstimator

import untaint

SRC = Path(__file__).resolve().parents[1] / "src"
PACKAGE = SRC / "untaint"

# untaint/__init__.py counts as a subpackage.
TOP_LEVEL = "untaint"

# Every subpackage may know these, and itself.
BASICS = {
    "_typing",
    "_threads",
    "_sums",
    "_remembered",
    "_policy",
    "_atomic_write",
    "_hidden_text",
    "_progress",  # any loop may report its steps
    "exceptions",
}

# What an estimator is composed of, each after those that it may import.
PARTS = {
    "losses",
    "weighting",
    "screening",
    "kernels",
    "feature_maps",
    "optim",
    "design",
    "initialization",
    "contamination",
    "target_transform",
    "model_selection",
    "outliers",
    "diagnostics",
}

# subpackage: what it may import. "cleaning.findings" allows that one module, "cleaning" all of it.
CONTRACT: dict[str, set[str]] = {
    "_typing": set(),
    "_threads": set(),
    "_sums": set(),
    "_remembered": set(),
    "_policy": set(),
    "_atomic_write": set(),
    "_hidden_text": set(),
    "exceptions": set(),
    "_progress": set(),
    "_validation": set(),
    "losses": set(),
    "weighting": set(),
    "screening": set(),
    "kernels": {"screening"},  # a bandwidth is computed from rows that are not far out
    "feature_maps": {"kernels"},
    "optim": {"losses", "weighting"},
    "design": {
        "losses",
        "weighting",
        "screening",
        "kernels",
        "feature_maps",
        "optim",
        "_validation",  # memory limits
    },
    "initialization": {"losses", "weighting", "optim", "design"},
    "contamination": {"losses", "weighting", "screening", "optim", "design"},
    "model_selection": {
        "losses",
        "weighting",
        "screening",  # weighted medians
        "kernels",
        "optim",
        "design",
        "initialization",
        "contamination",
        "target_transform",
        "_validation",
    },
    "outliers": {"weighting", "screening"},
    "diagnostics": {"kernels", "losses", "weighting", "optim"},
    "io": {"_validation"},  # the checks of arguments
    "reading": {"io"},  # the first address of its public names
    "tables": {"io"},  # likewise
    "portable": {"kernels", "feature_maps"},  # their parameters: the same formulas for others
    "target_transform": {"portable", "weighting"},  # inverses are formulas of predictions
    "learners": PARTS | {"portable", "_validation", "_progress"},
    "estimators": PARTS | {"learners", "_validation"},
    "baselines": PARTS | {"learners", "_validation"},
    "online": {"kernels", "losses", "_validation"},
    "preprocessing": {"_validation", "screening", "portable"},
    "plotting": {"_validation"},  # checks of parameters
    "datasets": {"io", "_validation"},  # its records and fields; checks of parameters
    "meta_estimators": {
        "optim",  # weights of a stack
        "contamination",
        "weighting",
        "model_selection",
        "outliers",
        "estimators",  # the kernel is a member of the stack, and finds where to start
        "preprocessing",
        "io",  # frames are encoded as files are
        "_validation",
        "_progress",
    },
    TOP_LEVEL: {"estimators", "meta_estimators", "data_cleaning"},
    "data_cleaning": {"_validation", "cells", "io", "cleaning", "report"},
    "cells": {
        "io",
        "screening",  # robust scales
        "contamination",  # rows that their features tell from the others, how likely labels are
        "optim",  # weights of a stack
    },
    "cleaning": {
        "estimators",
        "cells",
        "io",
        "preprocessing",
        "screening",
        "target_transform",
        "portable",  # trees in model files
        "contamination",  # how likely held-out targets are under a learner
        "meta_estimators",  # and labels
    },
    "report": {"cleaning.findings"},
    "cli": {TOP_LEVEL, "cells", "cleaning", "datasets", "io", "report"},
    "__main__": {"cli"},
    "distributed": PARTS | {"learners", "estimators", "_validation", "_progress"},
    "onnx": {
        TOP_LEVEL,
        "portable",
        "learners",
        "meta_estimators",
        "preprocessing",
        "_validation",
    },
}

# Libraries that import untaint itself must not bring in.
HEAVY = {
    "matplotlib",
    "pandas",
    "polars",
    "pyarrow",
    "openpyxl",
    "dask",
    "river",
    "typer",
    "rich",
    "jinja2",
    "skops",
    "playwright",
    "onnx",
    "onnxruntime",
    "torch",
}


class Import(NamedTuple):
    """One import: where it stands, and the full dotted name that it imports."""

    importer: str
    target: str


def module_name(path: Path) -> str:
    """``src/untaint/kernels/rbf.py`` is ``untaint.kernels.rbf``."""
    parts = path.relative_to(SRC).with_suffix("").parts
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)


FILES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def subpackage_of(name: str) -> str:
    """``untaint.kernels.rbf`` is in the subpackage ``kernels``."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else TOP_LEVEL


def absolute_base(node: ast.ImportFrom, package: str) -> str:
    """The module that a ``from`` import names, leading dots resolved."""
    if node.level == 0:
        return node.module
    parents = package.split(".")
    base = parents[: len(parents) - (node.level - 1)]
    return ".".join(base + ([node.module] if node.module else []))


def imports_in(source: str, importer: str, package: str) -> list[Import]:
    """Every import in a module's source, one entry for each imported name."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [Import(importer, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = absolute_base(node, package)
            found += [Import(importer, f"{base}.{alias.name}") for alias in node.names]
    return found


@cache
def all_imports() -> list[Import]:
    found = []
    for name, path in FILES.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        found += imports_in(path.read_text(encoding="utf-8"), name, package)
    return found


def imported_module(target: str) -> str:
    """The module of ours that serves ``target``: ``untaint.kernels.rbf`` for ``...rbf.RBF``."""
    while target not in FILES and "." in target:
        target = target.rpartition(".")[0]
    return target


def belongs_to(name: str, library: str) -> bool:
    return name == library or name.startswith(f"{library}.")


def imports_of(library: str) -> list[Import]:
    return [found for found in all_imports() if belongs_to(found.target, library)]


def imports_between_subpackages() -> list[Import]:
    ours = [
        Import(found.importer, imported_module(found.target)) for found in imports_of("untaint")
    ]
    return [found for found in ours if subpackage_of(found.importer) != subpackage_of(found.target)]


def may_know(subpackage: str) -> set[str]:
    return BASICS | CONTRACT.get(subpackage, set())


def is_allowed(found: Import) -> bool:
    module = found.target.removeprefix("untaint.")
    return any(belongs_to(module, name) for name in may_know(subpackage_of(found.importer)))


def is_private(name: str) -> bool:
    """Whether any part of a dotted name is private; ``__version__`` is not."""
    return any(part.startswith("_") and not part.endswith("__") for part in name.split("."))


def assert_no_cycle(graph: dict[str, set[str]]) -> None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail("subpackages import one another in a circle: " + " <- ".join(error.args[1]))


def test_every_subpackage_is_in_the_contract():
    for subpackage in sorted({subpackage_of(name) for name in FILES}):
        assert subpackage in CONTRACT, (
            f"untaint.{subpackage} is a new subpackage: add it, and what it may import, "
            f"to CONTRACT in {Path(__file__).name}"
        )


def test_subpackages_import_only_what_the_contract_allows():
    broken = [
        f"{found.importer} imports {found.target}, but may know only "
        f"{', '.join(sorted(may_know(subpackage_of(found.importer))))}"
        for found in imports_between_subpackages()
        if not is_allowed(found)
    ]
    assert not broken, "\n".join(broken)


def test_the_contract_names_only_subpackages_that_it_lists():
    for subpackage, allowed in CONTRACT.items():
        unknown = {name.partition(".")[0] for name in allowed} - set(CONTRACT)
        assert not unknown, (
            f"{subpackage} may import {sorted(unknown)}, which the contract does not list"
        )


def test_the_contract_allows_no_cycle():
    assert_no_cycle(
        {
            subpackage: {name.partition(".")[0] for name in allowed}
            for subpackage, allowed in CONTRACT.items()
        }
    )


def test_subpackages_import_one_way():
    graph = {subpackage_of(name): set() for name in FILES}
    for found in imports_between_subpackages():
        graph[subpackage_of(found.importer)].add(subpackage_of(found.target))
    assert_no_cycle(graph)


def test_optim_does_not_know_scikit_learn():
    offenders = [
        found for found in imports_of("sklearn") if subpackage_of(found.importer) == "optim"
    ]
    assert not offenders


def test_only_validation_knows_private_scikit_learn():
    offenders = [
        found
        for found in imports_of("sklearn")
        if is_private(found.target) and subpackage_of(found.importer) != "_validation"
    ]
    assert not offenders


def test_only_distributed_knows_dask():
    # dask.distributed is installed as the top-level module distributed.
    offenders = [
        found
        for found in imports_of("dask") + imports_of("distributed")
        if subpackage_of(found.importer) != "distributed"
    ]
    assert not offenders


def test_only_the_onnx_subpackage_knows_onnx():
    offenders = [found for found in imports_of("onnx") if subpackage_of(found.importer) != "onnx"]
    assert not offenders


def test_no_subpackage_knows_torch_or_a_runtime():
    assert not imports_of("torch") + imports_of("onnxruntime")


STAYS_LIGHT = f"""
import sys
import sklearn.covariance, sklearn.pipeline  # look for some of them; that is not ours to change
heavy = {HEAVY}
for name in [name for name in sys.modules if name.partition(".")[0] in heavy]:
    del sys.modules[name]
import untaint
print("untaint", *heavy & {{*sys.modules}})
import untaint.io
print("untaint.io", *heavy & {{*sys.modules}})
import untaint.plotting
print("untaint.plotting", *heavy & {{*sys.modules}})
import untaint.online
model = untaint.online.NoisyLinearRegressor(noise_cov=0.1)
model.learn_one({{"a": 1.0}}, 2.0)
model.predict_one({{"a": 1.0}})
model.fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.5])
print("untaint.online", *heavy & {{*sys.modules}})
"""


CLEANS = """
import sys
from untaint.cli.main import main
code = main(["clean", sys.argv[1], "-q", "-o", sys.argv[2], *sys.argv[4:]])
print(code, *{*sys.argv[3].split(",")} & {*sys.modules})
"""


@pytest.mark.parametrize(
    ("more", "unneeded"),
    [
        ((), "sklearn,scipy.optimize,scipy.stats"),
        (("-t", "y", "--learner", "kernel"), "sklearn.ensemble,sklearn.model_selection"),
    ],
)
def test_a_small_table_is_cleaned_without_unneeded_imports(more, unneeded, tmp_path):
    lines = [f"{i % 37},{3 * (i % 37) + i % 5},{'ab'[i % 37 > 18]}" for i in range(400)]
    (tmp_path / "t.csv").write_text("\n".join(["x,y,side", *lines, ""]))
    result = subprocess.run(
        [sys.executable, "-c", CLEANS, tmp_path / "t.csv", tmp_path / "out", unneeded, *more],
        env=os.environ | {"PYTHONPATH": str(SRC)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.split() == ["0"]


def test_importing_stays_light():
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", STAYS_LIGHT],
        env=os.environ | {"PYTHONPATH": str(SRC)},
        capture_output=True,
        text=True,
    )
    # Each line would end with the names of what the import has brought in.
    imported = ["untaint", "untaint.io", "untaint.plotting", "untaint.online"]
    assert result.stdout.splitlines() == imported, result.stderr


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("import untaint.losses", "untaint.losses"),
        ("import untaint.losses as losses", "untaint.losses"),
        ("from untaint import losses", "untaint.losses"),
        ("from untaint.losses import Loss", "untaint.losses.Loss"),
        ("from .base import Kernel", "untaint.kernels.base.Kernel"),
        ("from . import base", "untaint.kernels.base"),
        ("from ..losses import Loss", "untaint.losses.Loss"),
        ("from .. import losses", "untaint.losses"),
        ("def late():\n    from ..losses.base import Loss", "untaint.losses.base.Loss"),
    ],
)
def test_every_spelling_of_an_import_is_seen(source, target):
    found = imports_in(source, importer="untaint.kernels.rbf", package="untaint.kernels")
    assert found == [Import("untaint.kernels.rbf", target)]


@pytest.mark.parametrize("name", sorted(set(untaint.__all__) - {"__version__", "clean"}))
def test_the_main_classes_have_a_shallow_hierarchy(name):
    mro = getattr(untaint, name).__mro__
    assert mro.index(BaseEstimator) < 6, [cls.__name__ for cls in mro]
