"""What the fuzzer has found, each in its smallest form."""

import io
import json
import os
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest

from untaint.cli.errors import UsageError, exit_code_of
from untaint.cli.outputs import check_directory
from untaint.io import TableEncoder, read_rows, read_table
from untaint.io.errors import DataFileError, listed, reason
from untaint.optim.checkpoint import Checkpoint


def refused_sentence(error):
    text = str(error.value)
    assert text.isprintable()
    assert text.endswith(".")
    assert len(text) < 1000
    assert "object at 0x" not in text
    return text


def test_a_quote_that_never_closes_above_no_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b'",b\r\n')
    with pytest.raises(DataFileError, match="expected a closing quote") as error:
        read_table(path)
    refused_sentence(error)


def test_names_without_an_end_are_cut(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"{'x' * 5000},{'y' * 5000}\na,1\nb,2\n")
    with pytest.raises(DataFileError, match="expected at least one column to learn from") as error:
        TableEncoder().fit(read_table(path), target="y" * 5000)
    refused_sentence(error)
    assert len(listed(["x" * 5000] * 9)) < 1000


HEADERS = {
    "parentheses": "(" * 9000,
    "a call": "{'descr': '<f8', 'fortran_order': x(), 'shape': (3, 2), }",
    "an open string": "{'descr': '<f8",
    "too many digits": f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({2**70}, 1), }}",
    "an overflow": f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({2**32}, {2**32}), }}",
    "no rows, many columns": f"{{'descr': '<f8', 'fortran_order': False, 'shape': (0, {10**11})}}",
    "a float": "{'descr': '<f8', 'fortran_order': False, 'shape': (2.5, 1), }",
    "nothing, often": "{'descr': '|S0', 'fortran_order': False, 'shape': (-1,)}",
    "a strange escape": r"{'descr': '<f8\ ', 'fortran_order': False, 'shape': (3, 2), }",
    "long integers of old, too many": "{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 9L)}",
}


def array_file(header):
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x02\x00" + len(text).to_bytes(4, "little") + text + bytes(48)


@pytest.mark.parametrize("case", HEADERS)
def test_an_array_whose_header_lies(tmp_path, case, recwarn):
    path = tmp_path / "t.npy"
    path.write_bytes(array_file(HEADERS[case]))
    with pytest.raises(DataFileError, match=r"t\.npy: expected") as error:
        read_rows(path, directory=tmp_path)
    refused_sentence(error)
    assert [str(warning.message) for warning in recwarn.list] == []
    assert os.listdir(tmp_path) == ["t.npy"]


def test_what_a_parser_says_is_shown_without_what_it_has_met():
    error = ValueError("malformed node <ast.Name object at 0x7f00aa> \x1b[31m" + "x" * 9000)
    assert reason(error).startswith("malformed node <ast.Name> ?[31m")
    assert len(reason(error)) <= 160


def parquet_with_name(name):
    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    columns = {"a": [1.0, 2.0], "wxyz": [1.0, 2.0]}
    pq.write_table(pa.table(columns), stream, compression="none", store_schema=False)
    return stream.getvalue().replace(b"wxyz", name)


@pytest.mark.parametrize("read", [read_table, read_rows])
def test_a_parquet_column_whose_name_is_no_text(tmp_path, read):
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet_with_name(b"\xff\xfe\xf0\x80"))
    with pytest.raises(DataFileError, match="damaged") as error:
        read(path)
    refused_sentence(error)


def checkpoint_file(path, **changes):
    Checkpoint(path, "key", 7).save(1, {"sums0": np.eye(2)})
    with np.load(path) as file:
        members = {name: file[name] for name in file.files}
    np.savez(path, **{name: part for name, part in (members | changes).items() if part is not None})
    return path.with_name(f"{path.name}.npz") if path.suffix != ".npz" else path


@pytest.mark.parametrize("name", ["key", "seed", "width", "stage"])
@pytest.mark.parametrize("value", [None, np.array([1, 2]), np.array(-1.5)], ids=str)
def test_a_checkpoint_without_its_numbers_is_none(tmp_path, name, value):
    path = checkpoint_file(tmp_path / "c.npz", **{name: value})
    with pytest.raises(ValueError, match=r"checkpoint .*c\.npz") as error:
        Checkpoint(path, "key", 0)
    refused_sentence(error)


def test_a_checkpoint_with_a_member_that_is_no_array(tmp_path):
    path = checkpoint_file(tmp_path / "c.npz", seed=None)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("seed", b"7")
    with pytest.raises(ValueError, match="holds something else"):
        Checkpoint(path, "key", 0)


def test_a_checkpoint_without_the_state_of_its_stage_is_damaged(tmp_path):
    path = checkpoint_file(tmp_path / "c.npz")
    with pytest.raises(ValueError, match="is damaged: delete it, or name another file"):
        process = SimpleNamespace(load_state_dict=lambda state: state["path"])
        Checkpoint(path, "key", 0).at(1).load(process)


@pytest.mark.parametrize("summary", ["[" * 100_000, json.dumps({"versions": 5}), "5"])
def test_a_summary_that_is_none_is_not_ours(tmp_path, summary):
    (tmp_path / "cleaned.csv").write_text("x")
    (tmp_path / "summary.json").write_text(summary)
    with pytest.raises(UsageError, match="untaint did not write it"):
        check_directory(tmp_path, ["cleaned.csv"], "-", False)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes of that kind")
def test_a_summary_that_is_a_pipe_is_not_waited_for(tmp_path):
    (tmp_path / "cleaned.csv").write_text("x")
    os.mkfifo(tmp_path / "summary.json")
    with pytest.raises(UsageError, match="untaint did not write it"):
        check_directory(tmp_path, ["cleaned.csv"], "-", False)


def test_no_memory_for_a_thread_is_a_plain_error(capsys):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    assert exit_code_of(lambda: refuse(None)) == 2
    assert capsys.readouterr().err == "untaint: there is not enough memory for this table.\n"


def test_words_without_an_end_are_cut(capsys):
    def refuse():
        raise UsageError("x" * 5000)

    assert exit_code_of(refuse) == 2
    assert len(capsys.readouterr().err) < 1100


@pytest.mark.parametrize("read", [read_table, read_rows])
def test_an_entry_of_an_archive_that_has_no_name(tmp_path, read):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("x", b"a,b\n1,2\n")
    content = bytearray(stream.getvalue())
    for start in (content.index(b"PK\x03\x04") + 26, content.index(b"PK\x01\x02") + 28):
        content[start : start + 4] = b"\0\0\1\0"  # the name becomes an extra field
    path = tmp_path / "t.zip"
    path.write_bytes(bytes(content))
    with pytest.raises(DataFileError, match="expected a zip file with one table") as error:
        read(path)
    refused_sentence(error)
