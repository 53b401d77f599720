"""Small damage to good bytes: what a broken disk, a bad program or an attacker does to a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

NUMBERS = (0, 1, 2, 7, 127, 128, 255, 256, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1)


def _flip(data: bytearray, rng: Random, tokens: Sequence[bytes]) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _overwrite(data: bytearray, rng: Random, tokens: Sequence[bytes]) -> None:
    place = rng.randrange(len(data))
    data[place : place + rng.randint(1, 4)] = rng.randbytes(rng.randint(1, 4))


def _cut(data: bytearray, rng: Random, tokens: Sequence[bytes]) -> None:
    place = rng.randrange(len(data))
    del data[place : place + rng.randint(1, max(1, len(data) // 4))]


def _truncate(data: bytearray, rng: Random, tokens: Sequence[bytes]) -> None:
    del data[rng.randrange(len(data)) :]


def _repeat(data: bytearray, rng: Random, tokens: Sequence[bytes]) -> None:
    place = rng.randrange(len(data))
    piece = data[place : place + rng.randint(1, 40)]
    data[place:place] = piece * rng.choice((1, 1, 2, 30))


def _move(data: bytearray, rng: Random, tokens: Sequence[bytes]) -> None:
    place, other = rng.randrange(len(data)), rng.randrange(len(data))
    data[place:place] = data[other : other + rng.randint(1, 60)]


def _number(data: bytearray, rng: Random, tokens: Sequence[bytes]) -> None:
    """A length, an offset or a count is now an awkward one."""
    size = rng.choice((1, 2, 4, 8))
    value = rng.choice(NUMBERS) % 256**size
    place = rng.randrange(len(data))
    data[place : place + size] = value.to_bytes(size, rng.choice(("little", "big")))


def _insert(data: bytearray, rng: Random, tokens: Sequence[bytes]) -> None:
    if tokens:
        place = rng.randrange(len(data) + 1)
        data[place:place] = rng.choice(tokens)


_WAYS: tuple[Callable[[bytearray, Random, Sequence[bytes]], None], ...] = (
    *(_flip, _overwrite, _cut, _truncate, _repeat, _move, _number),
    *(_insert, _insert, _insert),
)


def damaged(content: bytes, rng: Random, tokens: Sequence[bytes] = ()) -> bytes:
    """Return a few mutations of some bytes, words of the format among them."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 6))):
        if data:
            rng.choice(_WAYS)(data, rng, tokens)
    return bytes(data)
