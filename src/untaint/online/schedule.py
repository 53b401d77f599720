"""Rounds at which the fit to a stream is updated: the ends of groups of blocks.

A block has one row up to round 16, then two up to round 32 and four up to round 64. Between round
2^k and its double all blocks are equally long: about the root of 2^k, at most a sixteenth of it,
and at most 128 rows. A group has one to four blocks, and at most a sixteenth of 2^k rows: a fit
that lags by s of t rounds has an error larger by a factor of 1 + O(s / t). Where a stream seems to
have changed, the fit is updated after every block. (For fits that are expensive, ``coarse``,
blocks and groups are an eighth of 2^k, at most 128 rows.)

These rounds do not depend on when predictions are requested, so that predicting does not change
the model. The runs of rows that :mod:`.moments` assigns to folds consist of whole blocks.
"""

from bisect import bisect_right
from functools import cache
from math import ceil, log
from typing import final

FIRST_ROUNDS = 64  # up to here runs of four rows are assigned to folds
N_FOLDS = 16
MAX_BLOCK, MAX_GROUP = 128, 512
_FIRST_OCTAVE, _LAST_OCTAVE = 6, 60  # round 64, and more rounds than any stream has


@cache
def _octaves(coarse: bool) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return the lengths of blocks and of groups up to round 2^k, and blocks after round 64.

    The first two are for k = 0, 1, ...; the number of blocks is -1 where 2^k is before round 64.
    """
    blocks, groups, before = [1], [1], [-1] * _FIRST_OCTAVE + [0]
    for octave in range(_LAST_OCTAVE):
        if octave < _FIRST_OCTAVE:
            block = group = 1 << max(0, octave - 3)
        elif coarse:
            block = group = min(1 << (octave - 3), MAX_BLOCK)
        else:
            group = min(1 << (octave - 4), MAX_GROUP)
            block = min(1 << (octave + 1) // 2, group, MAX_BLOCK)
        blocks.append(block)
        groups.append(group)
        if octave >= _FIRST_OCTAVE:
            before.append(before[-1] + (1 << octave) // block)
    return tuple(blocks), tuple(groups), tuple(before)


@final
class Schedule:
    """A Schedule gives the ends of the blocks of a stream, and of groups of them.

    >>> Schedule().next_end(20_000), Schedule().next_end(20_000, group=True)
    (20096, 20480)
    """

    def __init__(self, *, coarse: bool = False) -> None:
        self._blocks, self._groups, self._before = _octaves(coarse)

    def last_end(self, rounds: int, *, group: bool = False) -> int:
        """Return the end of the last block, or group, that is complete after so many rounds."""
        return rounds - rounds % (self._groups if group else self._blocks)[rounds.bit_length()]

    def next_end(self, rounds: int, *, group: bool = False) -> int:
        """Return the first end of a block, or group, after this round."""
        length = (self._groups if group else self._blocks)[rounds.bit_length()]
        return rounds - rounds % length + length

    def n_blocks(self, rounds: int) -> int:
        """Return the number of blocks that are complete, from round 64 on."""
        if rounds < FIRST_ROUNDS:
            return 0
        octave = rounds.bit_length() - 1
        return self._before[octave] + (rounds - (1 << octave)) // self._blocks[octave + 1]

    def end_of(self, n_blocks: int) -> int:
        """Return the round at which so many blocks, from round 64 on, are complete."""
        octave = bisect_right(self._before, n_blocks) - 1
        return (1 << octave) + (n_blocks - self._before[octave]) * self._blocks[octave + 1]


def powers_around(rounds: int, growth: float) -> tuple[int, int]:
    """Return the last of the powers of ``growth``, rounded up, that is reached, and the next."""
    k = int(log(rounds) / log(growth))
    while ceil(growth ** (k + 1)) <= rounds:
        k += 1
    while ceil(growth**k) > rounds:
        k -= 1
    return ceil(growth**k), ceil(growth ** (k + 1))
