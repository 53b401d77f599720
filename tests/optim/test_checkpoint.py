"""A checkpoint holds the whole state of an iteration, and is refused to another fit."""

from __future__ import annotations

import os
import zipfile

import numpy as np
import pytest

import untaint.optim.checkpoint as module
from feature_maps.cases import blocked, maps, rows
from untaint.losses import SquaredLoss
from untaint.optim.base import Fit
from untaint.optim.c_steps import ExactRefits, c_steps
from untaint.optim.checkpoint import Checkpoint, nested, pack, part_of, unpack
from untaint.optim.feature_newton import FeatureSpace
from untaint.optim.newton import Newton
from untaint.weighting.trimmed import Trimmed


@pytest.fixture
def path(tmp_path):
    return tmp_path / "fit.checkpoint"


@pytest.fixture
def at_once(set_sizes):
    """Write every time."""
    set_sizes(checkpoint_seconds=0.0)


class System:
    """Something with a state of its own."""

    def __init__(self, sums=None):
        self.sums = sums

    def state_dict(self):
        return {"sums": self.sums}

    def load_state_dict(self, state):
        self.sums = state["sums"]


def sums_at(path, stage=0):
    """The sums that the file of a process holds."""
    process = System()
    Checkpoint(path, "key", 0).at(stage).load(process)
    return process.sums


def test_states_of_all_parts_are_restored_bitwise(path, at_once, rng):
    saved = [System(rng.normal(size=(3, 3))), System(rng.random(4)), System(rng.random(5))]
    writer = Checkpoint(path, "key", 7)
    writer.width = 30
    writer.at(2, saved[1:]).save(saved[0])
    reader, parts = Checkpoint(path, "key", 99), [System(), System(), System()]
    assert (reader.stage, reader.seed, reader.width) == (2, 7, 30)
    reader.at(2, parts[1:]).load(parts[0])
    for part, expected in zip(parts, saved, strict=True):
        np.testing.assert_array_equal(part.sums, expected.sums)


def test_a_state_is_restored_at_its_own_stage_and_once(path, at_once):
    Checkpoint(path, "key", 0).at(1).save(System(np.ones(2)))
    reader, process = Checkpoint(path, "key", 0), System()
    for stage in (0, 2):
        reader.at(stage).load(process)
        assert process.sums is None
    reader.at(1).load(process)
    assert process.sums is not None
    later = System()
    reader.at(1).load(later)
    assert later.sums is None
    assert reader.stage == -1


@pytest.mark.parametrize("dual", [True, False])
def test_functions_are_unpacked_as_they_were_packed(dual, rng):
    arrays = [rng.normal(size=shape) for shape in ((4, 2), (2,), (9, 2), (9, 2))]
    fit = Fit(*arrays[:3], 1.5, arrays[3] if dual else None)
    state = nested("one", pack(fit)) | nested("one more", {"coef": np.zeros(1)})
    again = unpack(part_of("one", state))
    for part in ("coef", "intercept", "predictions", "squared_norm", "dual"):
        np.testing.assert_array_equal(getattr(again, part), getattr(fit, part))


def test_without_a_file_there_is_nothing_to_resume_from(path):
    fresh, process = Checkpoint(path, "key", 5), System()
    assert (fresh.stage, fresh.seed, fresh.width) == (-1, 5, None)
    fresh.at(0).load(process)
    assert process.sums is None
    assert not path.exists()


def test_moments_apart_nothing_is_written(path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    slot = Checkpoint(path, "key", 0).at(0)
    slot.save(System(np.array(3)))
    assert not path.exists()
    now[0] = 3600.0
    slot.save(System(np.array(4)))
    now[0] += 1e-3
    slot.save(System(np.array(5)))
    assert sums_at(path) == 4


def test_the_latest_state_takes_the_place_of_the_one_before(path, at_once, rng):
    slot = Checkpoint(path, "key", 0).at(0)
    for number in (1, 2, 3):
        slot.save(System(np.array(number)))
    assert sums_at(path) == 3
    assert os.listdir(path.parent) == [path.name]


def test_holds_numbers_and_no_pickled_objects(path, at_once, rng):
    Checkpoint(path, "key", 0).at(0, [System(np.eye(2))]).save(System(rng.random(3)))
    assert zipfile.is_zipfile(path)
    with np.load(path, allow_pickle=False) as file:
        assert all(file[name].dtype.kind in "fiU" for name in file.files)


def test_removed_at_the_end_be_it_there_or_not(path, at_once, rng):
    checkpoint = Checkpoint(path, "key", 0)
    checkpoint.remove()
    checkpoint.at(0).save(System(rng.random(30)))
    checkpoint.remove()
    assert os.listdir(path.parent) == []


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError])
def test_a_write_that_fails_leaves_the_file_before_it(path, at_once, failure, monkeypatch, rng):
    slot = Checkpoint(path, "key", 0).at(0)
    slot.save(System(np.array(1)))

    def half(file, **arrays):
        file.write(b"half")
        raise failure

    monkeypatch.setattr(module.np, "savez", half)
    with pytest.raises(failure):
        slot.save(System(np.array(2)))
    assert os.listdir(path.parent) == [path.name]
    assert sums_at(path) == 1


def test_another_fits_file_is_refused_and_left_alone(path, at_once, rng):
    Checkpoint(path, "key", 0).at(0).save(System(rng.random(30)))
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"belongs to a fit with other rows or parameters: delete"):
        Checkpoint(path, "another key", 0)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"row,target\n1,2\n",
        b"PK\x03\x04 and no more",
        "cut short",
        "other npz",
        "npy",
    ],
    ids=str,
)
def test_a_file_that_is_no_checkpoint_is_refused_and_left_alone(path, at_once, content, rng):
    if content == "npy":
        with open(path, "wb") as file:
            np.save(file, np.ones(3))
    elif content == "other npz":
        with open(path, "wb") as file:
            np.savez(file, a=np.ones(3))
    elif content == "cut short":
        Checkpoint(path, "key", 0).at(0).save(System(rng.random(30)))
        path.write_bytes(path.read_bytes()[:-200])
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"must name a checkpoint of untaint or a new file, got"):
        Checkpoint(path, "key", 0)
    assert path.read_bytes() == before


@pytest.mark.parametrize("stop", [1, 2, 4])
def test_exact_refits_resume_bitwise(path, at_once, stop, rng):
    X = rows(rng, 200)
    y = np.sin(X[:, :1]) + 0.1 * rng.normal(size=(200, 1))
    y[:60] += rng.normal(2.0, 2.0, size=(60, 1))

    def run(checkpoint, stop_after=None):
        features = blocked(maps(X)["landmarks"], X, kept_rows=200)
        newton = Newton(FeatureSpace(features, np.arange(0, 200, 2)), SquaredLoss(), y)
        calls = []

        def refit(weights, start, tol):
            if len(calls) == stop_after:
                raise KeyboardInterrupt
            calls.append(1)
            return newton.solve(weights, 0.1, start, tol)

        slot = None if checkpoint is None else checkpoint.at(0, [newton.space])
        ones = np.ones(200)
        process = ExactRefits(refit, SquaredLoss(), Trimmed(0.3), y, ones, ones, 0.1, tol=1e-8)
        found = c_steps(process, max_iter=50, slot=slot)
        return found, len(calls)

    whole, steps = run(None)
    assert steps > stop
    with pytest.raises(KeyboardInterrupt):
        run(Checkpoint(path, "key", 0), stop)
    resumed, rest = run(Checkpoint(path, "key", 0))
    assert rest == steps - stop
    assert resumed.objective_path == whole.objective_path
    assert resumed.n_iter == whole.n_iter
    np.testing.assert_array_equal(resumed.weights, whole.weights)
    np.testing.assert_array_equal(resumed.fit.predictions, whole.fit.predictions)
