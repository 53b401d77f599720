"""What an alternation has reached, in a file, so that it can go on after the process is gone.

The file holds numbers only (NumPy's ``.npz``, no pickled objects). It is written whole or not at
all, under another name first. An alternation that goes on from it makes the steps that it would
have made, with the same sums in its preconditioner, and ends with the same numbers.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Protocol, final
from zipfile import BadZipFile

import numpy as np

from .._typing import FloatArray
from .base import Fit

# Seconds between two writes: a fit that is over by then has no use for one.
EVERY = 5.0
FORMAT = "untaint checkpoint 1"


class Lasting(Protocol):
    """What has a memory of its own that results depend on."""

    def remember(self) -> dict[str, FloatArray]:
        """What it remembers, by name."""

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Remember what somebody else did; names that are not its own are no concern of it."""


@final
@dataclass(frozen=True)
class Reached:
    """State of an alternation between two iterations."""

    iteration: int
    fit: Fit
    weights: FloatArray
    path: list[float]
    inner: float


@final
class Checkpoint:
    """A file with the state of one fit.

    Parameters
    ----------
    path : Path
    key : str
        Says which rows and parameters the fit has; another fit's file is refused.
    seed : int
        Of this fit's random numbers; that of the file, if there is one, takes its place.
    """

    def __init__(self, path: Path, key: str, seed: int) -> None:
        self.path = path
        self.key = key
        self.seed = seed
        #: What describes the state besides the alternation's own: named arrays.
        self.notes: dict[str, Any] = {}
        #: Number of features of the fit, once it is known.
        self.width: int | None = None
        self._written = monotonic()
        self._saved = self._read()
        if self._saved is not None:
            self.seed = int(self._saved["seed"])
            self.width = int(self._saved["width"]) or None

    @property
    def turn(self) -> int:
        """Which of several alternations the file was written in; -1 without a file."""
        return -1 if self._saved is None else int(self._saved["place"][0])

    @property
    def stage(self) -> int:
        """Which stage of that alternation."""
        return -1 if self._saved is None else int(self._saved["place"][1])

    def note(self, name: str) -> FloatArray:
        """A named array of the file."""
        assert self._saved is not None
        return np.asarray(self._saved[f"note_{name}"])

    def at(self, turn: int, stage: int, systems: Sequence[Lasting]) -> Slot:
        """The part of the file that belongs to one alternation."""
        return Slot(self, (turn, stage), systems)

    def remove(self) -> None:
        """The fit is over."""
        self.path.unlink(missing_ok=True)

    def recall(self, place: tuple[int, int], systems: Sequence[Lasting]) -> Reached | None:
        """The state at this place, once."""
        saved = self._saved
        if saved is None or tuple(saved["place"].tolist()) != place:
            return None
        self._saved = None
        own = {name[4:]: saved[name] for name in saved if name.startswith("sys_")}
        for part in systems:
            part.restore(own)
        dual = saved.get("dual")
        fit = Fit(
            saved["coef"],
            saved["intercept"],
            saved["predictions"],
            float(saved["squared_norm"]),
            dual,
        )
        return Reached(
            int(saved["iteration"]),
            fit,
            saved["weights"],
            saved["path"].tolist(),
            float(saved["inner"]),
        )

    def keep(self, place: tuple[int, int], reached: Reached, systems: Sequence[Lasting]) -> None:
        """Write the state, unless the last time is but moments ago."""
        if monotonic() - self._written < EVERY:
            return
        fit = reached.fit
        state: dict[str, Any] = {
            "format": np.array(FORMAT),
            "key": np.array(self.key),
            "seed": np.array(self.seed),
            "width": np.array(self.width or 0),
            "place": np.array(place),
            "iteration": np.array(reached.iteration),
            "coef": fit.coef,
            "intercept": fit.intercept,
            "predictions": fit.predictions,
            "squared_norm": np.array(fit.squared_norm),
            "weights": reached.weights,
            "path": np.array(reached.path),
            "inner": np.array(reached.inner),
        }
        if fit.dual is not None:
            state["dual"] = fit.dual
        state |= {f"note_{name}": value for name, value in self.notes.items()}
        for part in systems:
            state |= {f"sys_{name}": value for name, value in part.remember().items()}
        self._write(state)
        self._written = monotonic()

    def _write(self, state: dict[str, Any]) -> None:
        draft = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            with open(draft, "wb") as file:
                np.savez(file, **state)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self.path)
        finally:
            draft.unlink(missing_ok=True)

    def _arrays(self, file: Any) -> dict[str, Any]:
        try:
            return {name: file[name] for name in file.files}
        except (OSError, ValueError, EOFError, BadZipFile):
            return {}

    def _read(self) -> dict[str, Any] | None:
        if not self.path.exists():
            return None
        try:
            file = np.load(self.path, allow_pickle=False)
        except (OSError, ValueError, EOFError, BadZipFile):
            file = None
        saved: dict[str, Any] = {}
        if isinstance(file, np.lib.npyio.NpzFile):
            with file:
                saved = self._arrays(file)
        if str(saved.get("format")) != FORMAT:
            raise ValueError(
                f"checkpoint must name a checkpoint of untaint or a new file, got {self.path}, "
                "which holds something else."
            )
        if str(saved["key"]) != self.key:
            raise ValueError(
                f"checkpoint {self.path} belongs to a fit with other rows or parameters: delete "
                "it, or name another file."
            )
        return saved


@final
@dataclass(frozen=True)
class Slot:
    """One alternation's view of a checkpoint."""

    checkpoint: Checkpoint
    place: tuple[int, int]
    systems: Sequence[Lasting]

    def recall(self) -> Reached | None:
        """Where to go on, if anywhere."""
        return self.checkpoint.recall(self.place, self.systems)

    def keep(self, reached: Reached) -> None:
        """Write where it is."""
        self.checkpoint.keep(self.place, reached, self.systems)
