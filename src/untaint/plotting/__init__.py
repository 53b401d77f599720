"""Plots of the training rows of a fitted model: scores, residuals, monitoring, convergence.

Matplotlib is imported when something is drawn, and not before: ``pip install 'untaint[plot]'``.
"""

from .audit import plot_audit
from .convergence import plot_convergence
from .monitoring import plot_monitoring
from .refits import Monitoring, monitor
from .residuals import plot_residuals

__all__ = [
    "Monitoring",
    "monitor",
    "plot_audit",
    "plot_convergence",
    "plot_monitoring",
    "plot_residuals",
]
