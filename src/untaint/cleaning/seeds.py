"""Seeds of any size, for generators that accept 32 bits only."""

import numpy as np

# scikit-learn draws from NumPy's legacy generator, whose seeds end here.
_LEGACY_SEEDS = 2**32


def legacy_seed(seed: int) -> int:
    """Return a seed below 2**32: the seed itself if it is, else 32 bits that depend on all of it.

    Examples
    --------
    >>> from untaint.cleaning.seeds import legacy_seed
    >>> legacy_seed(7), 0 <= legacy_seed(2**64 + 7) < 2**32
    (7, True)
    """
    if seed < _LEGACY_SEEDS:
        return seed
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint32)[0])
