"""The entry point of checkpoints: a file that a fit goes on from."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from random import Random

import numpy as np

from untaint.optim.base import Fit
from untaint.optim.checkpoint import Checkpoint, LoopState, pack

from .mutate import damaged
from .rows import array_bytes
from .target import Job, Target


class _Sums:
    """A stateful system of equations."""

    def load_state_dict(self, state: dict[str, np.ndarray]) -> None:
        self.sums = state["sums0"]

    def state_dict(self) -> dict[str, np.ndarray]:
        return {"sums0": self.sums}


class Checkpoints(Target):
    """Files of the right kind with wrong members, and files of no kind."""

    refusals = (ValueError,)
    no_code = True

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        rng = np.random.default_rng(0)
        fit = Fit(rng.normal(size=(4, 2)), rng.normal(size=2), rng.normal(size=(9, 2)), 1.5, None)
        path = folder / "good.npz"
        state = pack("fit", fit) | {"iteration": np.array(3), "weights": rng.random(9)}
        state |= {"path": np.array([3.0, 2.0]), "inner": np.array(1e-3), "sums0": np.eye(3)}
        Checkpoint(path, "key", 7).save(1, state)
        self.good = path.read_bytes()
        with zipfile.ZipFile(path) as archive:
            self.members = {name: archive.read(name) for name in archive.namelist()}
        self.numbers = []
        for value in (1.5, [1, 2], "x", b"x", np.nan, -1, 2**63, [[]], True, "1" * 5000, 1j):
            stream = io.BytesIO()
            np.save(stream, np.array(value))
            self.numbers.append(stream.getvalue())

    def make(self, rng: Random) -> Job:
        content = damaged(self.good, rng) if rng.random() < 0.4 else self._edited(rng)
        path = self.write("c.npz", content)

        def job() -> None:
            checkpoint = Checkpoint(path, "key", 0)
            assert isinstance(checkpoint.seed, int)
            loop_state = checkpoint.at(checkpoint.stage, [_Sums()]).load()
            assert loop_state is None or isinstance(loop_state, LoopState)

        return job

    def _edited(self, rng: Random) -> bytes:
        """Return members missing, exchanged, damaged or of other types, in a sound archive."""
        members = dict(self.members)
        for _ in range(rng.choice((1, 1, 2, 4))):
            name = rng.choice(list(members))
            way = rng.randrange(5)
            if way == 0 and len(members) > 1:
                del members[name]
            elif way == 1:
                members[name] = array_bytes(rng)
            elif way == 2:
                members[name] = rng.choice(self.numbers)
            elif way == 3:
                members[name] = damaged(members[name], rng)
            else:
                members[name] = rng.choice(list(members.values()))
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
        return stream.getvalue()
