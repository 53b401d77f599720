"""Units and names of targets are the user's: predictions follow them.

With y -> a y + b, f -> a f + b minimises the same objective times a^2 where the loss is squared:
``alpha`` stays, a radius of the norm is multiplied by the size of a, and what multiplies a loss is
divided by a^2. The shift needs an intercept.
"""

from __future__ import annotations

import numpy as np

from properties.comparing import assert_close, assert_same_outlier_attributes

LENGTHS = ("norm_bound", "target_bound")
PER_LOSS = ("smoothing", "tilt")


def parameters_in_units(model, unit):
    """The parameters that change when targets are multiplied by ``unit``."""
    params = model.get_params()
    changed = {}
    for names, factor in ((LENGTHS, unit), (PER_LOSS, unit**-2)):
        for name in names:
            if isinstance(params.get(name), float):
                changed[name] = params[name] * factor
    return changed


def predictions_scale_with_the_targets(subject, table):
    rows, unit = table.rows, float(10.0 ** table.rng.uniform(-6, 6))
    one = subject.fit(rows)
    other = subject.fit(rows.but(y=unit * rows.y), **parameters_in_units(subject.model, unit))
    actual, expected = (subject.evaluate(model, table.queries) for model in (other, one))
    assert_close(actual / unit, expected, subject.tol)
    assert_same_outlier_attributes(subject, other, one, slice(None))


def predictions_turn_with_the_targets(subject, table):
    rows = table.rows
    one, other = subject.fit(rows), subject.fit(rows.but(y=-rows.y))
    assert_close(
        -subject.evaluate(other, table.queries), subject.evaluate(one, table.queries), subject.tol
    )


def predictions_shift_with_the_targets(subject, table):
    rows, shift = table.rows, float(table.rng.uniform(-100, 100))
    one, other = subject.fit(rows), subject.fit(rows.but(y=rows.y + shift))
    actual = subject.evaluate(other, table.queries) - shift
    assert_close(actual, subject.evaluate(one, table.queries), 100 * subject.tol)


def labels_are_only_names(subject, table):
    """New names in the same order change nothing; in another order, the columns change places."""
    rows = table.rows
    names = np.array(["ash", "birch", "cedar"], dtype=object)[: table.classes]
    order = table.rng.permutation(table.classes)
    plain = subject.fit(rows)
    same = subject.fit(rows.but(y=names[rows.y]))
    np.testing.assert_array_equal(same.predict(table.queries), names[plain.predict(table.queries)])
    other = subject.fit(rows.but(y=names[order][rows.y]))
    assert list(other.classes_) == list(names)
    probabilities = other.predict_proba(table.queries)[:, order]
    np.testing.assert_allclose(
        probabilities, plain.predict_proba(table.queries), atol=100 * subject.tol
    )
