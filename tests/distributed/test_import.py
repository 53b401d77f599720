"""Without Dask there is a hint how to get it; dask.distributed is not needed."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("dask.array", reason="needs Dask")

SRC = str(Path(__file__).parents[2] / "src")


def run(code):
    """Some code in a process of its own."""
    code = f"import sys; sys.path.insert(0, {SRC!r})\n{code}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


def test_without_dask_a_hint_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask", None)
    monkeypatch.delitem(sys.modules, "untaint.distributed", raising=False)
    hint = r"untaint.distributed needs Dask: pip install 'untaint\[dask\]'\."
    with pytest.raises(ImportError, match=f"^{hint}$"):
        importlib.import_module("untaint.distributed")


def test_runs_without_dask_distributed():
    code = """
sys.modules["distributed"] = None
import dask.array as da, numpy as np
from untaint.distributed import SubquantileRegressor
X = np.random.default_rng(0).normal(size=(22_000, 2))
rows = da.from_array(X, chunks=(9000, 2))
model = SubquantileRegressor(kernel="linear").fit(rows, rows @ np.array([1.0, 2.0]))
assert np.allclose(model.coef_, [1.0, 2.0], atol=1e-3)
"""
    done = run(code)
    assert done.returncode == 0, done.stderr
