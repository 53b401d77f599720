"""All properties, to whom each applies, and on what tables it is tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from properties import (
    columns,
    concurrency,
    hostile,
    inputs,
    memory,
    persistence,
    repetition,
    rows,
    targets,
)
from properties.hostile_tables import hostile_tables
from properties.subjects import SUBJECTS
from properties.tables import tables


def everyone(subject):
    return True


def on_features(subject):
    return getattr(subject.model, "approximation", None) in ("nystroem", "rff")


def without_origin(subject):
    """Radial kernels, and linear functions with an intercept."""
    return not subject.scaler and subject.kernel in (None, "linear", *columns.RADIAL)


@dataclass(frozen=True)
class Property:
    """A check of (subject, table), and the strategy of its tables."""

    name: str
    check: Callable[[Any, Any], None]
    applies: Callable[[Any], bool] = everyone
    drawn: Callable[..., Any] = tables

    def __repr__(self):
        return self.name

    @property
    def subjects(self):
        return [s for s in SUBJECTS if self.applies(s) and self.name not in s.exempt]


PROPERTIES = [
    Property("order of rows", rows.order_of_rows_is_immaterial),
    Property("weights are copies", rows.weights_are_copies),
    Property("weight zero is absence", rows.weight_zero_is_absence),
    Property("scale of y", targets.predictions_scale_with_the_targets, lambda s: s.regressor),
    Property("sign of y", targets.predictions_turn_with_the_targets, lambda s: s.regressor),
    Property("shift of y", targets.predictions_shift_with_the_targets, lambda s: s.regressor),
    Property("names of labels", targets.labels_are_only_names, lambda s: s.labels),
    Property("order of columns", columns.order_of_columns_is_immaterial),
    Property("origin of X", columns.origin_is_immaterial, without_origin),
    Property("second fit", repetition.second_fit_is_the_same),
    Property("threads", repetition.threads_change_nothing_but_rounding),
    Property("blocks", repetition.blocks_change_nothing_but_rounding, on_features),
    Property("copies of models", persistence.copies_predict_the_same_bits),
    Property("skops", persistence.skops_files_predict_the_same_bits),
    Property("read-only", inputs.inputs_are_only_read),
    Property("layout", inputs.layout_is_immaterial),
    Property("frames", inputs.frames_are_only_read),
    Property("threads that predict", concurrency.many_threads_may_predict),
    Property("threads that fit", concurrency.fits_in_two_threads_do_not_meet),
    Property("memory", memory.fitting_again_takes_no_more_memory),
    Property("former rows", memory.former_rows_are_released),
    Property("hostile", hostile.hostile_rows_are_refused_or_fitted, drawn=hostile_tables),
]
