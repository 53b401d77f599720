"""The studies by name, one small file each."""

from . import breakdown, growth, label_noise, speed, structured
from .base import Study

STUDIES: dict[str, Study] = {
    "speed": speed.STUDY,
    "growth": growth.STUDY,
    "label-noise": label_noise.STUDY,
    "structured": structured.STUDY,
    "breakdown": breakdown.STUDY,
}

__all__ = ["STUDIES", "Study"]
