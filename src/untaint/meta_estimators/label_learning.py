r"""Out-of-fold class probabilities of any learner under label noise.

Labels are true classes seen through a noise matrix T. A learner that only knows how to fit weighted
rows maximises their likelihood by the EM algorithm: every row takes part with each class it may
belong to, weighted by the posterior probability of that class,

.. math:: \gamma_{ik} = T_{k y_i}\, p_k(x_i) \Big/ \sum_j T_{j y_i}\, p_j(x_i) .

The noise matrix is that of a kernel classifier (:mod:`untaint.model_selection.label_noise`), whose
leave-one-out probabilities begin the algorithm. Whether it serves the learner, too, is decided by
the likelihood of the labels under out-of-fold probabilities, which have one slope each, because
those of boosted trees are too certain.
"""

import numpy as np
from numpy.typing import NDArray

from .._typing import FloatArray
from .learner import WeightedRows


def posterior_rows(
    posterior: FloatArray, classes: NDArray[np.generic], sample_weight: FloatArray
) -> WeightedRows:
    """Return every row with each class it may belong to, weighted by its posterior (n, K)."""
    rows, codes = np.nonzero((posterior > 0) & (sample_weight > 0)[:, None])
    parts = posterior[rows, codes]
    return WeightedRows(rows, classes[codes], parts * sample_weight[rows], parts)
