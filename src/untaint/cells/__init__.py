"""Wrong cells of a table: every column is predicted from the others, and checked by named rules.

:mod:`.checks` are rules with a reason each, such as spellings of one level or a sentinel value.
Then each column in turn is a variable (:mod:`.variables`) that is predicted from the others
(:mod:`.features`, :mod:`.prediction`). Large residuals are those of right cells
(:mod:`.null_density`) or of mistakes (:mod:`.mistakes`), which gives each cell a probability of
being wrong (:mod:`.numeric_cells`, :mod:`.level_cells`, :mod:`.table_posterior`); and of the cells
of a row, the one that explains the others is wrong (:mod:`.reconciliation`).
"""

from .assessment import FEWEST_ROWS, CellAssessment, assess_cells
from .checks import CHECKS
from .finding import CellFinding

__all__ = ["CHECKS", "FEWEST_ROWS", "CellAssessment", "CellFinding", "assess_cells"]
