"""The studies by name; a file has one or several that share how a case is run."""

from ..frame import Study
from . import (
    accuracy,
    ambiguity,
    audit,
    auto_share,
    descent,
    detection_curves,
    error_curve,
    gaussian_processes,
    growth,
    mistakes,
    noisy_features,
    noisy_kernel,
    papers,
    privacy,
    readings,
    regret,
    runtime_growth,
    simulation,
    speed,
    stream_speed,
    timings,
    wrong_share,
)

STUDIES: dict[str, Study] = {
    **papers.STUDIES,
    **readings.STUDIES,
    **descent.STUDIES,
    **accuracy.STUDIES,
    **auto_share.STUDIES,
    **audit.STUDIES,
    **ambiguity.STUDIES,
    **simulation.STUDIES,
    **mistakes.STUDIES,
    **speed.STUDIES,
    **growth.STUDIES,
    **timings.STUDIES,
    **noisy_features.STUDIES,
    **noisy_kernel.STUDIES,
    **privacy.STUDIES,
    **regret.STUDIES,
    **stream_speed.STUDIES,
    **error_curve.STUDIES,
    **wrong_share.STUDIES,
    **detection_curves.STUDIES,
    **runtime_growth.STUDIES,
    **gaussian_processes.STUDIES,
}

# Former names of studies, still accepted.
FORMER_NAMES = {"no-knobs": "defaults"}

__all__ = ["FORMER_NAMES", "STUDIES", "Study"]
