"""Checkpoints: files that a fit resumes from."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from random import Random

import numpy as np

from untaint.optim.base import Fit
from untaint.optim.checkpoint import Checkpoint, nested, pack, part_of, unpack

from .mutate import damaged
from .rows import array_bytes
from .target import Job, Target


class _Process:
    """A process with a state."""

    fit: Fit | None = None

    def load_state_dict(self, state: dict[str, np.ndarray]) -> None:
        self.fit, self.path = unpack(part_of("fit", state)), state["path"].tolist()

    def state_dict(self) -> dict[str, np.ndarray]:
        assert self.fit is not None
        return nested("fit", pack(self.fit)) | {"path": np.array(self.path)}


class Checkpoints(Target):
    """Files of the right kind with wrong members, and files of no kind."""

    refusals = (ValueError,)
    no_code = True

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        rng = np.random.default_rng(0)
        fit = Fit(rng.normal(size=(4, 2)), rng.normal(size=2), rng.normal(size=(9, 2)), 1.5, None)
        path = folder / "good.npz"
        process = _Process()
        process.fit, process.path = fit, [3.0, 2.0]
        Checkpoint(path, "key", 7).save(1, nested("process", process.state_dict()))
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
            process = _Process()
            checkpoint.at(checkpoint.stage).load(process)
            assert process.fit is None or isinstance(process.fit, Fit)

        return job

    def _edited(self, rng: Random) -> bytes:
        """Members missing, exchanged, damaged or of other types, in a sound archive."""
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
