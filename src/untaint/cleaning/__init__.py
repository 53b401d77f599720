"""From a table that cannot be trusted to what is wrong with it, and a model of the rest."""

from .clean import Cleaning, clean_table
from .findings import Findings
from .model import ModelFileError, TableModel, load_model, save_model

__all__ = [
    "Cleaning",
    "Findings",
    "ModelFileError",
    "TableModel",
    "clean_table",
    "load_model",
    "save_model",
]
