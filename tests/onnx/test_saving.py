"""A file appears whole or not at all."""

import os

import numpy as np
import pytest

from portable.fitted import regressor, rows

onnx = pytest.importorskip("onnx", reason="the exporter needs onnx")

from untaint.onnx import save_onnx, to_onnx  # noqa: E402  (needs onnx)


def test_the_file_holds_the_graph(tmp_path):
    path = tmp_path / "model.onnx"
    save_onnx(regressor(), path, dtype=np.float64)
    assert path.read_bytes() == to_onnx(regressor(), dtype=np.float64).SerializeToString()
    runtime = pytest.importorskip("onnxruntime", reason="runs what is exported")
    found = runtime.InferenceSession(str(path)).run(None, {"X": rows()})[0]
    np.testing.assert_allclose(found[:, 0], regressor().predict(rows()))


def test_a_new_file_replaces_the_old_one(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"old")
    save_onnx(regressor(), str(path))
    onnx.checker.check_model(str(path))
    assert [found.name for found in tmp_path.iterdir()] == ["model.onnx"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_everything_as_it_was(tmp_path, monkeypatch, step):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"old")

    def fail(*args):
        raise OSError("no room")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="no room"):
        save_onnx(regressor(), path)
    assert path.read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["model.onnx"]


def test_a_model_that_cannot_be_exported_leaves_no_file(tmp_path):
    with pytest.raises(ValueError, match="got int"):
        save_onnx(3, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_paths_that_cannot_be_written_are_refused(tmp_path):
    with pytest.raises(ValueError, match="path must be the path of a file, got None"):
        save_onnx(regressor(), None)
    with pytest.raises(ValueError, match="path must name a file in a directory that exists"):
        save_onnx(regressor(), tmp_path / "nowhere" / "model.onnx")
    with pytest.raises(ValueError, match="path must name a file, got the directory"):
        save_onnx(regressor(), tmp_path)
