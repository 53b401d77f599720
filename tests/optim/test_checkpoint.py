"""A checkpoint holds what an alternation has reached: all of it, and nobody else's."""

from __future__ import annotations

import os
import zipfile

import numpy as np
import pytest

import untaint.optim.checkpoint as module
from feature_maps.cases import blocked, maps, rows
from untaint.losses import SquaredLoss
from untaint.optim.base import Fit
from untaint.optim.c_steps import alternate
from untaint.optim.checkpoint import Checkpoint, LoopState, pack, unpack
from untaint.optim.feature_newton import FeatureSpace
from untaint.optim.newton import Newton
from untaint.weighting.trimmed import Trimmed


@pytest.fixture
def path(tmp_path):
    return tmp_path / "fit.checkpoint"


@pytest.fixture
def at_once(monkeypatch):
    """Write every time."""
    monkeypatch.setattr(module, "EVERY", 0.0)


def loop_state(rng, iteration=3, dual=True):
    fit = Fit(
        rng.normal(size=(4, 2)),
        rng.normal(size=2),
        rng.normal(size=(9, 2)),
        1.5,
        rng.normal(size=(9, 2)) if dual else None,
    )
    return LoopState(iteration, fit, rng.random(9), [3.0, 2.0, 1.25], 1e-3)


class System:
    """Something with a state of its own."""

    def __init__(self, sums=None, name="sums0"):
        self.sums, self.name = sums, name

    def state_dict(self):
        return {self.name: self.sums}

    def load_state_dict(self, state):
        self.sums = state[self.name]


def assert_equal(one, other):
    assert (one.iteration, one.path, one.inner) == (other.iteration, other.path, other.inner)
    np.testing.assert_array_equal(one.weights, other.weights)
    for name in ("coef", "intercept", "predictions", "squared_norm", "dual"):
        np.testing.assert_array_equal(getattr(one.fit, name), getattr(other.fit, name))


@pytest.mark.parametrize("dual", [True, False])
def test_what_was_kept_is_recalled_bitwise(path, at_once, dual, rng):
    state, system = loop_state(rng, dual=dual), System(rng.normal(size=(3, 3)))
    writer = Checkpoint(path, "key", 7)
    writer.width = 30
    writer.at(2, [system]).save(state)
    reader, other = Checkpoint(path, "key", 99), System()
    assert (reader.stage, reader.seed, reader.width) == (2, 7, 30)
    assert_equal(reader.at(2, [other]).load(), state)
    np.testing.assert_array_equal(other.sums, system.sums)


def test_a_state_is_recalled_at_its_own_stage_and_once(path, at_once, rng):
    Checkpoint(path, "key", 0).at(1).save(loop_state(rng))
    reader = Checkpoint(path, "key", 0)
    for stage in (0, 2):
        assert reader.at(stage).load() is None
    assert reader.at(1).load() is not None
    assert reader.at(1).load() is None
    assert reader.stage == -1


def test_what_was_noted_is_resumed_by_all_systems_at_their_stage_and_once(path, at_once, rng):
    one, two = System(rng.normal(size=(3, 3))), System(rng.random(4), "other")
    Checkpoint(path, "key", 7).at(1).save_systems([one, two])
    reader, again = Checkpoint(path, "key", 0), [System(), System(name="other")]
    reader.at(0).resume(again)
    assert again[0].sums is None
    reader.at(1).resume(again)
    for new, old in zip(again, (one, two), strict=True):
        np.testing.assert_array_equal(new.sums, old.sums)
    later = System()
    reader.at(1).resume([later])
    assert later.sums is None


@pytest.mark.parametrize("dual", [True, False])
def test_functions_are_unpacked_as_they_were_packed(dual, rng):
    one, two = loop_state(rng, dual=dual), loop_state(rng, dual=not dual)
    state = pack("one", one.fit) | pack("two", two.fit)
    for name, fit in (("one", one.fit), ("two", two.fit)):
        again = unpack(name, state)
        for part in ("coef", "intercept", "predictions", "squared_norm", "dual"):
            np.testing.assert_array_equal(getattr(again, part), getattr(fit, part))


def test_without_a_file_there_is_nothing_to_recall(path):
    fresh = Checkpoint(path, "key", 5)
    assert (fresh.stage, fresh.seed, fresh.width) == (-1, 5, None)
    assert fresh.at(0).load() is None
    system = System()
    fresh.at(0).resume([system])
    assert system.sums is None
    assert not path.exists()


def test_moments_apart_nothing_is_written(path, monkeypatch, rng):
    now = [0.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    slot = Checkpoint(path, "key", 0).at(0)
    slot.save(loop_state(rng))
    slot.save_systems([System(np.ones(1))])
    assert not path.exists()
    now[0] = module.EVERY + 1
    slot.save(loop_state(rng, 4))
    now[0] += 1
    slot.save(loop_state(rng, 5))
    assert Checkpoint(path, "key", 0).at(0).load().iteration == 4


def test_the_latest_state_takes_the_place_of_the_one_before(path, at_once, rng):
    slot = Checkpoint(path, "key", 0).at(0)
    for iteration in (1, 2, 3):
        slot.save(loop_state(rng, iteration))
    assert Checkpoint(path, "key", 0).at(0).load().iteration == 3
    assert os.listdir(path.parent) == [path.name]


def test_holds_numbers_and_no_pickled_objects(path, at_once, rng):
    Checkpoint(path, "key", 0).at(0, [System(np.eye(2))]).save(loop_state(rng))
    assert zipfile.is_zipfile(path)
    with np.load(path, allow_pickle=False) as file:
        assert all(file[name].dtype.kind in "fiU" for name in file.files)


def test_removed_at_the_end_be_it_there_or_not(path, at_once, rng):
    checkpoint = Checkpoint(path, "key", 0)
    checkpoint.remove()
    checkpoint.at(0).save(loop_state(rng))
    checkpoint.remove()
    assert os.listdir(path.parent) == []


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError])
def test_a_write_that_fails_leaves_the_file_before_it(path, at_once, failure, monkeypatch, rng):
    slot = Checkpoint(path, "key", 0).at(0)
    slot.save(loop_state(rng, 1))

    def half(file, **arrays):
        file.write(b"half")
        raise failure

    monkeypatch.setattr(module.np, "savez", half)
    with pytest.raises(failure):
        slot.save(loop_state(rng, 2))
    assert os.listdir(path.parent) == [path.name]
    assert Checkpoint(path, "key", 0).at(0).load().iteration == 1


def test_another_fits_file_is_refused_and_left_alone(path, at_once, rng):
    Checkpoint(path, "key", 0).at(0).save(loop_state(rng))
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
        Checkpoint(path, "key", 0).at(0).save(loop_state(rng))
        path.write_bytes(path.read_bytes()[:-200])
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"must name a checkpoint of untaint or a new file, got"):
        Checkpoint(path, "key", 0)
    assert path.read_bytes() == before


@pytest.mark.parametrize("stop", [1, 2, 4])
def test_an_alternation_goes_on_as_if_nothing_had_happened(path, at_once, stop, rng):
    X = rows(rng, 200)
    y = np.sin(X[:, :1]) + 0.1 * rng.normal(size=(200, 1))
    y[:60] += rng.normal(2.0, 2.0, size=(60, 1))

    def run(checkpoint, stop_after=None):
        newton = Newton(
            FeatureSpace(blocked(maps(X)["landmarks"], X, kept_rows=200), np.arange(0, 200, 2)),
            SquaredLoss(),
            y,
        )
        calls = []

        def refit(weights, start, tol):
            if len(calls) == stop_after:
                raise KeyboardInterrupt
            calls.append(1)
            return newton.solve(weights, 0.1, start, tol)

        slot = None if checkpoint is None else checkpoint.at(0, [newton.space])
        ones = np.ones(200)
        found = alternate(
            refit, SquaredLoss(), Trimmed(0.3), y, ones, ones, 0.1, tol=1e-8, max_iter=50,
            slot=slot,
        )  # fmt: skip
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
