"""Checkpoints: the state of an iteration in a file, from which it resumes to the same bits.

The file holds numbers only (NumPy's ``.npz``, no pickled objects), under namespaced keys such as
``process.point.coef``. It is written atomically. An iteration that resumes from it takes the steps
that it would have taken, with the same sums in its preconditioner, and ends with the same numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, Protocol, final

import numpy as np

from .._atomic_write import open_atomically, remove_abandoned_drafts
from .._policy import policy
from .._typing import FloatArray
from .base import Fit

FORMAT = "untaint checkpoint 3"


class Stateful(Protocol):
    """An object with a state that results depend on."""

    def state_dict(self) -> dict[str, FloatArray]:
        """Return the state as named arrays."""

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Continue from such a state."""


def nested(name: str, state: dict[str, FloatArray]) -> dict[str, FloatArray]:
    """Return a state under the namespace ``name``."""
    return {f"{name}.{key}": value for key, value in state.items()}


def part_of(name: str, state: dict[str, FloatArray]) -> dict[str, FloatArray]:
    """Return the part of a state that is under the namespace ``name``."""
    start = f"{name}."
    return {key[len(start) :]: value for key, value in state.items() if key.startswith(start)}


def states(parts: dict[str, Stateful]) -> dict[str, FloatArray]:
    """Return the states of some parts, each under the namespace of its name."""
    every = (nested(name, part.state_dict()) for name, part in parts.items())
    return {key: value for state in every for key, value in state.items()}


def load_states(parts: dict[str, Stateful], state: dict[str, FloatArray]) -> None:
    """Let each part continue from its namespace of a state."""
    for name, part in parts.items():
        part.load_state_dict(part_of(name, state))


def pack(fit: Fit) -> dict[str, FloatArray]:
    """Return a function as named arrays."""
    return {name: np.asarray(part) for name, part in vars(fit).items() if part is not None}


def unpack(state: dict[str, FloatArray]) -> Fit:
    """Return the function of named arrays."""
    return Fit(**state | {"squared_norm": float(state["squared_norm"])})  # type: ignore[arg-type]


@final
class Checkpoint:
    """The file of one fit.

    The key identifies the rows and the parameters of the fit; the file of another fit is refused.
    The seed of the fit's random numbers is replaced by that of the file, if there is one.
    """

    def __init__(self, path: Path, key: str, seed: int) -> None:
        self.path, self.key, self.seed = path, key, seed
        #: Number of raw features of the fit, once it is known.
        self.width: int | None = None
        self._written = monotonic()
        self._saved = self._read()
        if self._saved is not None:
            self.seed = int(self._saved["seed"])
            self.width = int(self._saved["width"]) or None

    @property
    def stage(self) -> int:
        """Stage of the fit that the file was written in; -1 without a file."""
        return -1 if self._saved is None else int(self._saved["stage"])

    def at(self, stage: int, systems: Sequence[Stateful] = ()) -> CheckpointSlot:
        """Return the part of the file that belongs to one stage and to the systems it uses."""
        return CheckpointSlot(self, stage, systems)

    def remove(self) -> None:
        """Remove the file, at the end of the fit."""
        self.path.unlink(missing_ok=True)
        remove_abandoned_drafts(self.path)

    def load(self, stage: int) -> dict[str, FloatArray] | None:
        """Return the state of a stage, once; None if the file is of another stage."""
        if self.stage != stage:
            return None
        saved, self._saved = self._saved, None
        return saved

    @property
    def due(self) -> bool:
        """Whether the last write is longer ago than the interval of the policy."""
        return monotonic() - self._written >= policy().checkpoint_seconds

    def save(self, stage: int, state: dict[str, FloatArray]) -> None:
        """Write the state of a stage."""
        header = {"format": FORMAT, "key": self.key, "seed": self.seed, "width": self.width or 0}
        self._write(header | {"stage": stage} | state)
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
                warnings.simplefilter("ignore")  # about types that our checkpoints do not have
                return {name: arrays[name] for name in arrays.files}
        except Exception:
            # Whatever error a broken archive causes in the parser, it is not a checkpoint.
            return {}

    def _read(self) -> dict[str, Any] | None:
        if not self.path.exists():
            return None
        saved = self._arrays()
        if str(saved.get("format")) != FORMAT or not _is_complete(saved):
            wanted = "checkpoint must name a checkpoint of untaint or a new file"
            raise ValueError(f"{wanted}, got {self.path}, which holds something else.")
        if str(saved["key"]) != self.key:
            problem = f"checkpoint {self.path} belongs to a fit with other rows or parameters"
            raise ValueError(f"{problem}: delete it, or name another file.")
        return saved


def _is_complete(saved: dict[str, Any]) -> bool:
    """Whether the header of a checkpoint is complete and of the right types."""
    numbers = [np.asarray(saved.get(name)) for name in ("seed", "width", "stage")]
    return "key" in saved and all(
        number.shape == () and number.dtype.kind in "iu" and number >= 0 for number in numbers
    )


class CheckpointSlot(NamedTuple):
    """One stage's part of a checkpoint: the process of the stage and the systems that it uses."""

    checkpoint: Checkpoint
    stage: int
    systems: Sequence[Stateful] = ()

    def load(self, process: Stateful) -> None:
        """Let the process and the systems continue from the file, if it is of this stage."""
        saved = self.checkpoint.load(self.stage)
        if saved is None:
            return
        try:
            load_states(self._parts(process), saved)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            problem = f"checkpoint {self.checkpoint.path} is damaged"
            raise ValueError(f"{problem}: delete it, or name another file.") from error

    def save(self, process: Stateful) -> None:
        """Write the state of the process and the systems, unless the last one is recent."""
        if self.checkpoint.due:
            self.checkpoint.save(self.stage, states(self._parts(process)))

    def _parts(self, process: Stateful) -> dict[str, Stateful]:
        return {"process": process} | {f"system{j}": s for j, s in enumerate(self.systems)}
