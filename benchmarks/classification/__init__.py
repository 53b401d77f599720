"""The accuracy cases whose target is a class: their measures, methods and tuning.

Everything else of the harness does not ask which task a case is.
"""

from .evaluate import MEASURES, evaluate

__all__ = ["MEASURES", "evaluate"]
