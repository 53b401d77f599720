"""Model selection on corrupted data: trimmed scorers, leave-one-out search, grids."""

from .scorer import TrimmedScorer, trimmed_scorer

__all__ = ["TrimmedScorer", "trimmed_scorer"]
