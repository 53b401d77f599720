"""Rounds at which the fit to a stream is updated: the ends of blocks.

A block has one row up to round 16, then two up to round 32 and four up to round 64. Between round
2^k and its double all blocks are equally long: about the root of 2^k, at most a sixteenth of it,
and at most 128 rows. (With ``coarse`` blocks, for fits that are expensive, an eighth of 2^k and
at most 128 rows.) A fit that lags by s of t rounds loses O(s / t) a round, O(sqrt(T)) in total.

These rounds do not depend on when predictions are requested, so that predicting does not change
the model. The runs of rows that :mod:`.moments` assigns to folds consist of whole blocks.
"""

from bisect import bisect_right
from functools import cache
from typing import final

FIRST_ROUNDS = 64  # up to here runs of four rows are assigned to folds
N_FOLDS = 16
MAX_BLOCK = 128
_MAX_COARSE_BLOCK = 128
_FIRST_OCTAVE, _LAST_OCTAVE = 6, 60  # round 64, and more rounds than any stream has


@cache
def _octaves(coarse: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the length of the blocks up to round 2^k, and how many of them follow round 64.

    The first is for k = 0, 1, ...; the second is -1 where round 2^k is before round 64.
    """
    lengths, before = [1], [-1] * _FIRST_OCTAVE + [0]
    for octave in range(_LAST_OCTAVE):
        if octave < _FIRST_OCTAVE:
            length = 1 << max(0, octave - 3)
        elif coarse:
            length = min(1 << (octave - 3), _MAX_COARSE_BLOCK)
        else:
            length = min(1 << min(octave - 4, (octave + 1) // 2), MAX_BLOCK)
        lengths.append(length)
        if octave >= _FIRST_OCTAVE:
            before.append(before[-1] + (1 << octave) // length)
    return tuple(lengths), tuple(before)


@final
class Schedule:
    """A Schedule gives the ends of the blocks of a stream.

    Examples
    --------
    >>> schedule = Schedule()
    >>> schedule.next_end(20_000), schedule.last_end(20_000)
    (20096, 19968)
    """

    def __init__(self, *, coarse: bool = False) -> None:
        self.coarse = coarse
        self._lengths, self._before = _octaves(coarse)

    def block_length(self, rounds: int) -> int:
        """Return the length of the block that begins or continues after so many rounds."""
        return self._lengths[rounds.bit_length()]

    def last_end(self, rounds: int) -> int:
        """Return the end of the last block that is complete after so many rounds."""
        return rounds - rounds % self.block_length(rounds)

    def next_end(self, rounds: int) -> int:
        """Return the first end of a block after this round."""
        length = self.block_length(rounds)
        return rounds - rounds % length + length

    def n_blocks(self, rounds: int) -> int:
        """Return the number of blocks that are complete, from round 64 on."""
        if rounds < FIRST_ROUNDS:
            return 0
        octave = rounds.bit_length() - 1
        return self._before[octave] + (rounds - (1 << octave)) // self.block_length(rounds)

    def end_of(self, n_blocks: int) -> int:
        """Return the round at which so many blocks, from round 64 on, are complete."""
        octave = bisect_right(self._before, n_blocks) - 1
        start = 1 << octave
        return start + (n_blocks - self._before[octave]) * self.block_length(start)
