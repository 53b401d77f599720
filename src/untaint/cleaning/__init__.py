"""Find the wrong rows of a table, and fit a model to the others."""

from .clean import TableCleaning, clean_table
from .findings import Findings
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
