"""Seeds of any size."""

import pytest

from untaint.cleaning.seeds import legacy_seed


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_a_seed_of_32_bits_is_used_as_it_is(seed):
    assert legacy_seed(seed) == seed


def test_all_bits_of_a_larger_seed_count():
    seeds = [2**32, 2**32 + 1, 2**64, 2**64 + 1, 10**100]
    reduced = [legacy_seed(seed) for seed in seeds]
    assert all(0 <= seed < 2**32 for seed in reduced)
    assert len(set(reduced)) == len(seeds)
