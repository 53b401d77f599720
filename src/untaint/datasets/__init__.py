"""Data: the papers' public sets, problems with a known truth, and corruption of known rows."""

from .corruption import contaminate
from .example import load_kiln, make_kiln
from .noisy_views import make_noisy_views
from .real import (
    fetch_boston,
    fetch_breast_cancer,
    fetch_concrete,
    fetch_drug,
    fetch_glass,
    fetch_heart_disease,
    fetch_segment,
    fetch_vehicle,
    fetch_wine_quality,
)
from .synthetic import make_classes, make_polynomial, make_smooth
from .used_cars import make_used_cars, used_cars_file, used_cars_truth

__all__ = [
    "contaminate",
    "fetch_boston",
    "fetch_breast_cancer",
    "fetch_concrete",
    "fetch_drug",
    "fetch_glass",
    "fetch_heart_disease",
    "fetch_segment",
    "fetch_vehicle",
    "fetch_wine_quality",
    "load_kiln",
    "make_classes",
    "make_kiln",
    "make_noisy_views",
    "make_polynomial",
    "make_smooth",
    "make_used_cars",
    "used_cars_file",
    "used_cars_truth",
]
