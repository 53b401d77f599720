"""What a target of the fuzzer is: it makes an input from a seed, and a job that meets it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, ClassVar

Job = Callable[[], Any]


class Target(ABC):
    """One entry point of the library.

    Parameters
    ----------
    folder : Path
        Where files of this target may be written.
    """

    #: What the entry point may raise, with one sentence.
    refusals: ClassVar[tuple[type[Exception], ...]]
    #: Whether nothing may be imported, compiled or run meanwhile.
    no_code: ClassVar[bool] = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def make(self, rng: Random) -> Job:
        """Return an input, and what to do with it."""

    def write(self, name: str, content: bytes) -> Path:
        """Write an input to its file."""
        path = self.folder / name
        path.write_bytes(content)
        return path
