"""Tables that are written to files, both CSV engines, and a directory that spools leave empty."""

from importlib.util import find_spec

import pytest

from untaint.io import read_table
from untaint.io.stream import text


@pytest.fixture(params=["fast", "exact"])
def engine(request, monkeypatch):
    """Every test that asks for it is run with pyarrow and without."""
    if request.param == "exact":
        monkeypatch.setattr(text, "find_arrow", lambda module: None)
    elif find_spec("pyarrow") is None:
        pytest.skip("pyarrow is not installed")
    return request.param


@pytest.fixture
def spools(tmp_path):
    """Where temporary files go; none is there when the test is over."""
    directory = tmp_path / "spools"
    directory.mkdir()
    yield directory
    assert list(directory.iterdir()) == []


@pytest.fixture
def write(tmp_path):
    """Write a file, text or bytes, and return its path."""

    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def read(tmp_path):
    """Read a table from text or bytes."""

    def read(content, name="table.csv", **options):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_table(path, **options)

    return read
