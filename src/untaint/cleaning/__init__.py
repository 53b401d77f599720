"""Find the wrong rows of a table, and fit a model to the others."""

from typing import TYPE_CHECKING, Any

from .clean import clean_table
from .findings import Findings
from .table_cleaning import TableCleaning

if TYPE_CHECKING:
    from .model import ModelFileError, TableModel, load_model, save_model

__all__ = [
    "Findings",
    "ModelFileError",
    "TableCleaning",
    "TableModel",
    "clean_table",
    "load_model",
    "save_model",
]


def __getattr__(name: str) -> Any:
    """Import models, and scikit-learn with them, when one is used: it takes a second."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import model

    return getattr(model, name)
