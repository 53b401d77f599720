"""Tables in archives, and how many bytes may come of them."""

import gzip
import io
import os
import re
import subprocess
import sys
import zipfile
from contextlib import suppress

import pytest

from untaint.io import DataFileError, read_table

TABLE = b"a,b\n1,2\n3,4\n"


def zipped(files, method=zipfile.ZIP_DEFLATED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a.csv": TABLE}, "commas, UTF-8, zip"),
        ({"table": TABLE}, "commas, UTF-8, zip"),
        ({"data/": b"", "data/a.csv": TABLE, "README.md": b"read me"}, "commas, UTF-8, zip"),
        ({"a.csv": TABLE, "__MACOSX/._a.csv": b"x", ".DS_Store": b"y"}, "commas, UTF-8, zip"),
        ({"a.csv.gz": gzip.compress(TABLE)}, "commas, UTF-8, gzip, zip"),
        ({"a.jsonl": b'{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n'}, "JSON lines, zip"),
    ],
)
def test_the_one_table_of_a_zip_file_is_read(read, files, said):
    table = read(zipped(files), "a.zip")
    assert (table.names, table.rows_cells([1])[0]) == (["a", "b"], ["3", "4"])
    assert table.dialect.describe() == said


def encrypted(content):
    """An archive whose flags say that a password is needed."""
    content = bytearray(content)
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


WHOLE = zipped({"a.csv": TABLE})
BAD = {
    "several tables": (zipped({"a.csv": TABLE, "b.tsv": TABLE}), "found 2 tables: 'a.csv', 'b.ts"),
    "several files": (zipped({"a": b"", "b": b""}), "found 2 files: 'a', 'b'"),
    "nothing": (zipped({}), "found an empty one"),
    "an empty table": (zipped({"a.csv": b""}), "expected a table, found an empty file"),
    "half an archive": (WHOLE[:-30], "expected a whole zip archive"),
    "other bytes": (WHOLE.replace(WHOLE[35:40], b"12345"), "expected a whole zip archive"),
    "a password": (encrypted(WHOLE), "expected an archive without a password"),
    "another method": (zipped({"a.csv": TABLE}, zipfile.ZIP_LZMA), "packed by deflate"),
    "archives": (zipped({"a.zip": zipped({"a.zip": WHOLE})}), "archives within archives"),
    "OpenDocument": (zipped({"content.xml": b"", "mimetype": b""}), "an OpenDocument file"),
    "Word": (zipped({"word/document.xml": b""}), "a Word document"),
    "xlsb": (zipped({"xl/workbook.bin": b""}), "a binary Excel workbook"),
    "zip bomb": (zipped({"a.csv": bytes(10**6)}), "expected at most 100,000 bytes when unpacked"),
    "gzip bomb": (gzip.compress(bytes(10**6)), "expected at most 100,000 bytes when unpacked"),
    "bomb of both": (
        zipped({"a.csv.gz": gzip.compress(bytes(10**6))}),
        "expected at most 100,000 bytes when unpacked",
    ),
    "a large file": (b"a,b\n" + 99_999 * b"1", "expected at most 100,000 bytes when unpacked"),
}


@pytest.mark.parametrize(("content", "said"), BAD.values(), ids=BAD.keys())
def test_a_bad_archive_is_refused_in_one_sentence(read, content, said):
    with pytest.raises(DataFileError, match=re.escape(said)) as caught:
        read(content, "a.zip", max_bytes=100_000)
    assert "a.zip" in str(caught.value)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.csv", TABLE + b"\n" * 50_000), ("a.jsonl", b'{"a": 1, "b": 2}\n' * 3_000)],
)
def test_very_many_short_cells_in_an_archive_are_refused(read, name, content):
    with pytest.raises(DataFileError, match="cells, which take more; a larger max_bytes"):
        read(gzip.compress(content), f"{name}.gz", max_bytes=100_000)
    assert read(content, name, max_bytes=100_000).names == ["a", "b"]


def test_repeated_cells_of_parquet_count_as_often_as_they_occur(read):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    stream = io.BytesIO()
    pq.write_table(pa.table({"a": pa.repeat(1, 50_000), "b": pa.repeat(2, 50_000)}), stream)
    assert len(stream.getvalue()) < 10_000
    with pytest.raises(DataFileError, match="expected at most 100,000 bytes"):
        read(stream.getvalue(), "a.parquet", max_bytes=100_000)


def test_a_table_of_just_the_bound_is_read(read):
    assert read(TABLE, max_bytes=len(TABLE)).n_rows == 2
    assert read(gzip.compress(TABLE), max_bytes=6 * 32).n_rows == 2


@pytest.mark.skipif(os.name == "nt", reason="has no such devices")
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/urandom"])
def test_devices_are_refused(device):
    with pytest.raises(DataFileError, match="expected a file, found a device or a socket"):
        read_table(device)


@pytest.mark.skipif(os.name == "nt", reason="has no such pipes")
def test_a_pipe_is_read_until_the_bound(tmp_path):
    import threading

    path = tmp_path / "pipe"

    def write(content):
        with suppress(BrokenPipeError):
            path.write_bytes(content)

    for content, max_bytes in ((TABLE, 100), (bytes(10**7), 10**6)):
        path.unlink(missing_ok=True)
        os.mkfifo(path)
        writer = threading.Thread(target=write, args=(content,))
        writer.start()
        if content is TABLE:
            assert read_table(path, max_bytes=max_bytes).n_rows == 2
        else:
            with pytest.raises(DataFileError, match="expected at most 1,000,000 bytes"):
                read_table(path, max_bytes=max_bytes)
        writer.join()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts memory as Linux does")
def test_a_bomb_takes_no_memory(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(bytes(12 * 10**7), 1))
    program = (
        "import resource, sys; from untaint.io import DataFileError, read_table\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: read_table(sys.argv[1], max_bytes=10**8)\n"
        "except DataFileError: pass\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    assert int(ran.stdout) < 50_000, ran.stderr  # of 1024 bytes
