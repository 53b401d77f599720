"""The exact engine by itself."""

import pytest

from untaint.io import DataFileError
from untaint.io.stream.csv_exact import records


def test_a_record_knows_the_line_that_it_begins_on(write):
    path = write("t.csv", 'a,b\n\n1,"x\ny"\n2,z\n')
    assert [tuple(record) for record in records(path, ",")] == [
        (1, ["a", "b"]),
        (3, ["1", "x\ny"]),
        (5, ["2", "z"]),
    ]


def test_a_field_beyond_the_limit_of_the_csv_module_is_refused_with_its_line(write):
    path = write("t.csv", "a,b\n1," + "x" * 200_000 + "\n")
    with pytest.raises(DataFileError, match="line 2: field larger than field limit"):
        list(records(path, ","))
