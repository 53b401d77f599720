"""What is to be seen on axes, and models with an audit to be drawn there."""

import numpy as np
import pytest

from untaint import SubquantileRegressor
from untaint.plotting.colors import palette

colors = pytest.importorskip("matplotlib.colors", reason="pictures need matplotlib")

PathCollection = pytest.importorskip("matplotlib.collections").PathCollection


def points(axes, color=None):
    """Places of all scattered marks, or of those of one colour."""
    found = [np.empty((0, 2))]
    for marks in axes.collections:
        if not isinstance(marks, PathCollection):
            continue
        inks = np.concatenate([marks.get_facecolor(), marks.get_edgecolor()])
        if color is None or (len(inks) and same_ink(inks[0], color)):
            found.append(np.asarray(marks.get_offsets()))
    return np.concatenate(found)


def flagged(axes):
    return points(axes, palette(axes).flagged)


def kept(axes):
    return points(axes, palette(axes).kept)


def heights(axes, values):
    """Values as parts of the axes' height."""
    places = np.column_stack([np.full(len(values), np.nan), values])
    places[:, 0] = axes.get_xlim()[0]
    return axes.transAxes.inverted().transform(axes.transData.transform(places))[:, 1]


def texts(axes):
    return [text.get_text() for text in axes.texts]


def same_ink(found, color):
    return np.allclose(found[:3], colors.to_rgb(color))


def audit_scores(model, column="score", **options):
    """A column of the audit in the order of the rows."""
    table = model.audit(**options)
    values = np.empty(len(table), dtype=table[column].dtype)
    values[table["row"]] = table[column]
    return values


class Audited(SubquantileRegressor):
    """With an audit that flags on its own terms."""

    def audit(self):
        return self.table


def audited(case, **columns):
    n_rows = len(case.y)
    order = np.argsort(-case.model.outlier_scores_)
    columns = {"row": np.arange(n_rows), "kept": case.model.inlier_mask_} | columns
    names = [(name, np.asarray(values).dtype) for name, values in columns.items()]
    table = np.empty(n_rows, dtype=names)
    for name, values in columns.items():
        table[name] = np.asarray(values)[order]
    model = Audited(**case.model.get_params()).fit(case.X, case.y)
    model.table = table
    return model
