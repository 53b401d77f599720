r"""Posterior weights in the rounds of an alternation of fits and weights.

A fit with weights leaves residuals, and a mixture model of these gives new weights
(:mod:`.residual_mixture`). All models of outliers compete in the first rounds; then the parameters
of the likeliest one are updated alone, which takes a tenth of the time, until the mean change of a
weight,

.. math:: \sum_i |w_i' - w_i| / \sum_i s_i,

with sample weights s, is small and all models compete again.
"""

from typing import final

import numpy as np

from .._typing import FloatArray
from .residual_mixture import FittedMixture, ResidualMixture, ResidualModel
from .two_groups import ROUGH

# Mean change of a weight at which alternations of fits and weights end.
SETTLED = 2e-3
# Rounds of an alternation at most.
MAX_ROUNDS = 8
# First rounds of an alternation in which all models of outliers compete, and all such rounds.
FIRST_COMPARISONS, MAX_COMPARISONS = 2, 4


@final
class PosteriorUpdates:
    """Posterior weights in the rounds of an alternation of fits and weights.

    All models of outliers compete in the first rounds. In the next ones the parameters of the
    likeliest model are updated alone, until the weights settle and all models compete again. With
    ``contaminated``, models without outliers do not compete: while a fit is poor, outliers look
    like noise, and whether there are any is to be asked of the fit that the weights lead to. With
    ``compare_always`` all models compete in every round: where rows have copies, one that has lost
    its weight with all of them is hardly ever regained by updates of a single model. Rounds in
    which all compete are ``max_comparisons`` at most.
    """

    def __init__(
        self,
        mixture: ResidualMixture,
        contaminated: bool = False,
        compare_always: bool = False,
        max_comparisons: int = MAX_COMPARISONS,
    ) -> None:
        self._mixture, self._max_comparisons = mixture, max_comparisons
        self._first_comparisons = MAX_ROUNDS if compare_always else FIRST_COMPARISONS
        self._effort = ROUGH._replace(contaminated=contaminated)
        self._model: ResidualModel | None = None
        self._n_comparisons = 0

    def __call__(
        self, residuals: FloatArray, deviations: FloatArray, weights: FloatArray
    ) -> FloatArray:
        """Return new weights from residuals of a fit with the given ones."""
        mixture = self._mixture
        rows = mixture.rows(residuals, deviations, weights)._replace(effort=self._effort)
        found = None
        if self._model is not None and self._n_comparisons >= self._first_comparisons:
            found = mixture.refit(rows, self._model)
        if found is None or self._to_compare(found, weights):
            found = mixture.fit_once(rows)
            self._n_comparisons += 1
        self._model = found.model
        return found.inlier_probability * mixture.included

    def _to_compare(self, found: FittedMixture, weights: FloatArray) -> bool:
        """Return whether the models are to be compared again: the weights hardly change."""
        mixture = self._mixture
        if self._n_comparisons >= self._max_comparisons:
            return False
        updated = found.inlier_probability * mixture.included
        return mean_change(updated, weights, mixture.sample_weight) <= SETTLED


def mean_change(one: FloatArray, other: FloatArray, sample_weight: FloatArray) -> float:
    """Return the difference of two weights of all rows, as a part of the sample weights."""
    return float(np.abs(one - other).sum()) / float(sample_weight.sum())
