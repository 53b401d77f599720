"""Tables that are written to a file and read from it."""

import pytest

from untaint.tables import read_table


@pytest.fixture
def read(tmp_path):
    """Read a table from text or bytes."""

    def read(content, name="table.csv", **options):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_table(path, **options)

    return read
