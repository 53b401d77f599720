"""What an alternation has reached, in a file, so that it can go on after the process is gone.

The file holds numbers only (NumPy's ``.npz``, no pickled objects). It is written whole or not at
all, under another name first. An alternation that goes on from it makes the steps that it would
have made, with the same sums in its preconditioner, and ends with the same numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Protocol, final

import numpy as np

from .._atomic_write import open_atomically, remove_abandoned_drafts
from .._policy import policy
from .._typing import FloatArray
from .base import Fit

FORMAT = "untaint checkpoint 2"


class Stateful(Protocol):
    """What has a memory of its own that results depend on."""

    def state_dict(self) -> dict[str, FloatArray]:
        """What it remembers, by name."""

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Remember what somebody else did; names that are not its own are no concern of it."""


def pack(name: str, fit: Fit) -> dict[str, FloatArray]:
    """A function, by named arrays."""
    state = {
        f"{name}_coef": fit.coef,
        f"{name}_intercept": fit.intercept,
        f"{name}_predictions": fit.predictions,
        f"{name}_squared_norm": np.array(fit.squared_norm),
    }
    return state if fit.dual is None else state | {f"{name}_dual": fit.dual}


def unpack(name: str, state: dict[str, FloatArray]) -> Fit:
    """The function that was packed."""
    return Fit(
        state[f"{name}_coef"],
        state[f"{name}_intercept"],
        state[f"{name}_predictions"],
        float(state[f"{name}_squared_norm"]),
        state.get(f"{name}_dual"),
    )


@final
@dataclass(frozen=True)
class LoopState:
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
        #: Number of features of the fit, once it is known.
        self.width: int | None = None
        self._written = monotonic()
        self._saved = self._read()
        if self._saved is not None:
            self.seed = int(self._saved["seed"])
            self.width = int(self._saved["width"]) or None

    @property
    def stage(self) -> int:
        """Which stage of the fit the file was written in; -1 without a file."""
        return -1 if self._saved is None else int(self._saved["stage"])

    def at(self, stage: int, systems: Sequence[Stateful] = ()) -> CheckpointSlot:
        """The part of the file that belongs to one stage, and to what it solves with."""
        return CheckpointSlot(self, stage, systems)

    def remove(self) -> None:
        """The fit is over."""
        self.path.unlink(missing_ok=True)
        remove_abandoned_drafts(self.path)

    def load(self, stage: int) -> dict[str, FloatArray] | None:
        """The state at this stage, once."""
        saved = self._saved
        if saved is None or int(saved["stage"]) != stage:
            return None
        self._saved = None
        return saved

    @property
    def due(self) -> bool:
        """Whether the last time of writing is more than moments ago."""
        return monotonic() - self._written >= policy().checkpoint_seconds

    def save(self, stage: int, state: dict[str, FloatArray]) -> None:
        """Write the state."""
        about = {
            "format": np.array(FORMAT),
            "key": np.array(self.key),
            "seed": np.array(self.seed),
            "width": np.array(self.width or 0),
            "stage": np.array(stage),
        }
        self._write(about | state)
        self._written = monotonic()

    def _write(self, state: dict[str, Any]) -> None:
        with open_atomically(self.path) as file:
            np.savez(file, **state)

    def _arrays(self) -> dict[str, Any]:
        try:
            with (
                warnings.catch_warnings(),
                open(self.path, "rb") as file,
                np.load(file, allow_pickle=False) as arrays,
            ):
                warnings.simplefilter("ignore")  # of types that no checkpoint of ours has
                return {name: arrays[name] for name in arrays.files}
        except Exception:
            # Whatever a broken archive makes of the parser, it is not a checkpoint.
            return {}

    def _read(self) -> dict[str, Any] | None:
        if not self.path.exists():
            return None
        saved = self._arrays()
        if str(saved.get("format")) != FORMAT or not _is_complete(saved):
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

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Say of the file that it is damaged, if what is in it cannot be gone on from."""
        try:
            yield
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise ValueError(
                f"checkpoint {self.path} is damaged: delete it, or name another file."
            ) from error


def _is_complete(saved: dict[str, Any]) -> bool:
    """Whether what every checkpoint says of itself is there, and is what it should be."""
    numbers = [saved.get(name) for name in ("seed", "width", "stage")]
    return "key" in saved and all(
        isinstance(number, np.ndarray)
        and number.shape == ()
        and number.dtype.kind in "iu"
        and number >= 0
        for number in numbers
    )


@final
@dataclass(frozen=True)
class CheckpointSlot:
    """One stage's view of a checkpoint."""

    checkpoint: Checkpoint
    stage: int
    systems: Sequence[Stateful] = ()

    def load(self) -> LoopState | None:
        """Where an alternation goes on, if anywhere."""
        saved = self.checkpoint.load(self.stage)
        if saved is None:
            return None
        with self.checkpoint.loading():
            for part in self.systems:
                part.load_state_dict(saved)
            path, inner = saved["path"].tolist(), float(saved["inner"])
            fit = unpack("fit", saved)
            return LoopState(int(saved["iteration"]), fit, saved["weights"], path, inner)

    def save(self, loop_state: LoopState) -> None:
        """Write where it is."""
        if self.checkpoint.due:
            state = pack("fit", loop_state.fit) | {
                "iteration": np.array(loop_state.iteration),
                "weights": loop_state.weights,
                "path": np.array(loop_state.path),
                "inner": np.array(loop_state.inner),
            }
            self.checkpoint.save(self.stage, state | self._state_of(self.systems))

    def resume(self, systems: Sequence[Stateful]) -> None:
        """Let systems go on where they were, if that is known."""
        saved = self.checkpoint.load(self.stage)
        if saved is not None:
            with self.checkpoint.loading():
                for part in systems:
                    part.load_state_dict(saved)

    def save_systems(self, systems: Sequence[Stateful]) -> None:
        """Write where they are."""
        if self.checkpoint.due:
            self.checkpoint.save(self.stage, self._state_of(systems))

    def _state_of(self, systems: Sequence[Stateful]) -> dict[str, FloatArray]:
        state: dict[str, FloatArray] = {}
        for part in systems:
            state |= part.state_dict()
        return state
