"""Values that many rows have are not taken for wrong where other cells are."""

import numpy as np
import pandas

from untaint import clean


def rounded_votes(n, seed):
    """Shares of votes in steps, of which many are zero, with a mistake in one row of twenty."""
    rng = np.random.default_rng(seed)
    votes = np.maximum(rng.negative_binomial(1, 0.02, n), 5)
    shares = rng.dirichlet([1, 1, 1.5, 2, 3, 3, 2, 1.5], size=n)
    counts = np.array([rng.multinomial(*row) for row in zip(votes, shares, strict=True)])
    steps = np.minimum(10 * counts // votes[:, None], 9)
    frame = pandas.DataFrame(np.where(counts == 0, 0.0, 10 * steps + 4.5))
    frame.columns = [f"r{k}" for k in range(1, 9)]
    frame["votes"] = votes.astype(float)
    frame["rating"] = (counts @ np.arange(1, 9) / votes).round(1)
    wrong = rng.choice(n, n // 20, replace=False)
    for k, row in enumerate(wrong):
        column = rng.integers(frame.shape[1])
        value = frame.iat[row, column]
        frame.iat[row, column] = [10 * value, value / 10, -value - 1, 2.54 * value][k % 4]
    return frame, wrong


def test_frequent_values_are_not_flagged_for_being_unlikely():
    frame, wrong = rounded_votes(1500, seed=1)
    found = set(clean(frame, random_state=0).cells["row"])
    assert len(found - set(wrong)) <= 2
    assert len(found & set(wrong)) >= 15
