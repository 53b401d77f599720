"""pyarrow, which is optional: Parquet cannot be read without it, and CSV is read faster with it."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def find_arrow(module: str) -> tuple[Any, Any] | None:
    """Return pyarrow and one of its modules, None where it is not installed."""
    try:
        return import_module("pyarrow"), import_module(f"pyarrow.{module}")
    except ImportError:
        return None
