"""The studies by name, one small file each."""

from . import (
    ambiguity,
    audit,
    auto_share,
    breakdown,
    class_growth,
    class_speed,
    flips,
    flips_with_features,
    growth,
    label_noise,
    multiclass,
    no_knobs,
    one_sided,
    probabilities,
    rare_class,
    search_cost,
    speed,
    structured,
)
from .base import Study

STUDIES: dict[str, Study] = {
    "speed": speed.STUDY,
    "growth": growth.STUDY,
    "label-noise": label_noise.STUDY,
    "structured": structured.STUDY,
    "breakdown": breakdown.STUDY,
    "flips": flips.STUDY,
    "one-sided": one_sided.STUDY,
    "flips-with-features": flips_with_features.STUDY,
    "multiclass": multiclass.STUDY,
    "rare-class": rare_class.STUDY,
    "probabilities": probabilities.STUDY,
    "class-speed": class_speed.STUDY,
    "class-growth": class_growth.STUDY,
    "no-knobs": no_knobs.STUDY,
    "auto-share": auto_share.STUDY,
    "audit": audit.STUDY,
    "ambiguity": ambiguity.STUDY,
    "search-cost": search_cost.STUDY,
}

__all__ = ["STUDIES", "Study"]
