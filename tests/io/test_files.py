"""Files, directories and lists of files."""

import errno
import re

import pytest

from untaint.io import DataFileError, read_rows


def test_the_files_of_a_directory_are_read_by_name_and_matched_by_column(write, engine, spools):
    write("parts/b.csv", "y,b,a\n3,30,300\n")
    write("parts/a.csv", "a,b,y\n100,10,1\n200,20,2\n")
    write("parts/c.csv", "a,b,y\n")
    for other in ("README.md", "_SUCCESS.csv", ".hidden.csv"):
        path = write(f"parts/{other}", "not this")
    with read_rows(path.parent, target="y", directory=spools) as table:
        assert table.names == ["a", "b"]
        assert table.X.tolist() == [[100, 10], [200, 20], [300, 30]]
        assert table.y.tolist() == [1, 2, 3]


def test_the_files_of_a_list_are_read_in_its_order(write, spools):
    paths = [write("b.csv", "a\n1\n"), str(write("a.csv", "a\n2\n"))]
    with read_rows(paths, directory=spools) as table:
        assert table.X.tolist() == [[1], [2]]


def test_text_in_a_later_file_turns_the_targets_of_all_into_text(write, engine, spools):
    paths = [write("1.csv", "a,y\n1,01\n"), write("2.csv", "a,y\n1,x\n")]
    with read_rows(paths, target="y", directory=spools) as table:
        assert table.y.tolist() == ["01", "x"]


def test_files_with_other_columns_are_refused(write, engine, spools):
    paths = [write("1.csv", "a,b\n1,2\n"), write("2.csv", "a,c\n1,2\n")]
    message = f"{paths[1]}: expected the columns of {paths[0]}, found no 'b' and found 'c' besides."
    with pytest.raises(DataFileError, match=re.escape(message)):
        read_rows(paths, directory=spools)


def test_an_unknown_target_is_named_with_the_file(write, engine, spools):
    with pytest.raises(DataFileError, match=r"t\.csv: target must name .* Did you mean 'price'\?"):
        read_rows(write("t.csv", "size,price\n1,2\n"), target="prise", directory=spools)


def test_missing_files_and_odd_endings_are_named(write, tmp_path):
    with pytest.raises(DataFileError, match=r"no\.csv: the file cannot be read \(No such file"):
        read_rows(tmp_path / "no.csv")
    with pytest.raises(DataFileError, match=r"t\.txt: expected a directory, or a file that ends"):
        read_rows(write("t.txt", "a\n1\n"))
    with pytest.raises(DataFileError, match=r"expected a directory, or a file that ends"):
        read_rows(str(tmp_path / "no"))


def test_a_directory_without_data_is_named(tmp_path, write):
    write("empty/notes.txt", "nothing")
    with pytest.raises(DataFileError, match=r"empty: expected files that end in '\.csv', .*none\."):
        read_rows(tmp_path / "empty")


def test_files_of_two_kinds_are_refused(write):
    path = write("parts/a.csv", "a\n1\n")
    write("parts/b.tsv", "a\n1\n")
    with pytest.raises(DataFileError, match=r"b\.tsv: expected files of one kind, found .*a\.csv"):
        read_rows(path.parent)


def test_a_directory_in_a_list_is_refused(write, tmp_path):
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(DataFileError, match=r"d\.csv: expected a file, found a directory"):
        read_rows([write("t.csv", "a\n1\n"), tmp_path / "d.csv"])


@pytest.mark.parametrize(
    ("name", "opener"),
    [
        ("t.csv", "untaint.io.stream.files.ExitStack.enter_context"),
        ("t.npy", "numpy.lib.format.read_magic"),
        ("t.parquet", "pyarrow.parquet.ParquetFile"),
    ],
)
def test_a_file_that_may_not_be_read_is_named(write, spools, monkeypatch, name, opener):
    # Played, because root may read everything.
    def refuse(*arguments, **options):
        raise PermissionError(errno.EACCES, "as pyarrow puts it")

    if name == "t.parquet":
        pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(opener, refuse)
    with pytest.raises(
        DataFileError, match=rf"{name}: the file cannot be read \(Permission denied"
    ):
        read_rows(write(name, "a\n1\n"), directory=spools)
