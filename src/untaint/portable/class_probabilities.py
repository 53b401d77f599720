r"""Class probabilities from raw predictions.

.. math:: p_k = e^{f_k} / \sum_l e^{f_l}, \qquad
          p_1 = 1 / (1 + e^{-f}), \quad p_0 = 1 / (1 + e^{f})

for several classes and for two, whose only raw prediction f are the log-odds of the second.
"""

from .value import Value


def probabilities(raw: Value, n_classes: int) -> Value:
    """Return probabilities of shape (n, n_classes)."""
    if n_classes == 2:
        return 1.0 / (1.0 + (-_two_columns(raw)).exp())
    powers = (raw - raw.max()).exp()
    return powers / powers.sum()


def likeliest_class(raw: Value, n_classes: int) -> Value:
    """Return the position of the most probable class, the first of several."""
    return (_two_columns(raw) if n_classes == 2 else raw).argmax()


def _two_columns(log_odds: Value) -> Value:
    return (-log_odds).hstack(log_odds)
