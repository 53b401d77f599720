"""Plots of the training rows of a fitted model, in the form of scikit-learn's displays.

Matplotlib is imported when something is drawn, and not before: ``pip install 'untaint[plot]'``.
"""

from .audit import AuditDisplay, plot_audit
from .convergence import plot_convergence
from .label_odds import LabelOddsDisplay
from .leverage import LeverageDisplay
from .monitoring import MonitoringDisplay, plot_monitoring
from .noise_matrix import NoiseMatrixDisplay
from .refits import Monitoring, monitor
from .residuals import ResidualsDisplay, plot_residuals

__all__ = [
    "AuditDisplay",
    "LabelOddsDisplay",
    "LeverageDisplay",
    "Monitoring",
    "MonitoringDisplay",
    "NoiseMatrixDisplay",
    "ResidualsDisplay",
    "monitor",
    "plot_audit",
    "plot_convergence",
    "plot_monitoring",
    "plot_residuals",
]
