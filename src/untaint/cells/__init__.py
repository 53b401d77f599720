"""Wrong cells of a table: every column is judged by the others, and by what a careful person sees.

:mod:`.checks` are rules with a reason each, such as spellings of one level or a sentinel value.
"""

from __future__ import annotations

from .finding import CellFinding

__all__ = ["CellFinding"]
