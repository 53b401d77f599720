"""Entry points of large files: ``read_rows`` on CSV, on Parquet and on arrays."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np

from untaint.io import read_rows
from untaint.io.errors import DataFileError

from .mutate import damaged
from .tables import TOKENS, parquet_bytes
from .target import Job, Target
from .texts import table_bytes
from .watch import Finding


class _Rows(Target):
    refusals = (DataFileError,)
    targets: ClassVar[tuple[Any, ...]] = (None, "c0", "c1", 0, -1, 7, "no")
    columns: ClassVar[tuple[Any, ...]] = (None, None, None, ["c0"], ["c1", "c2"], [0])

    def reading(self, path: Path, rng: Random) -> Job:
        """Read a file with some choice of columns; no spool may be left."""
        options = {"directory": self.folder, "dtype": rng.choice(("float64", "float64", "float32"))}
        options["target"] = rng.choice(self.targets)
        options["columns"] = rng.choice(self.columns)
        options["block_rows"] = rng.choice((None, None, 1, 3))

        def job() -> None:
            try:
                with read_rows(path, **options) as table:
                    if not np.isfinite(table.X).all() or not len(table.X):
                        raise Finding("rows that are not finite, or none")
                    if table.y is not None and len(table.y) != len(table.X):
                        raise Finding("targets and rows of different numbers")
            finally:
                left = list(self.folder.glob("*.rows"))
                for spool in left:
                    spool.unlink()
                if left:
                    raise Finding("a spool was left behind")

        return job


class CsvRows(_Rows):
    """Text, by both engines."""

    def make(self, rng: Random) -> Job:
        content = table_bytes(rng, rng.choice(",,,;|\t"))
        name = rng.choice(("r.csv",) * 9 + ("r.csv.gz", "r.tsv", "r.tab.gz", "r.jsonl"))
        if rng.random() < 0.1:
            name, content = "r.zip", _zipped(name, content)
            content = damaged(content, rng, (b"PK\x05\x06",)) if rng.random() < 0.5 else content
        return self.reading(self.write(name, content), rng)


def _zipped(name: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return stream.getvalue()


class ParquetRows(_Rows):
    """Parquet files with numbers, most of them damaged."""

    targets = (None, None, "t0", "d", "i", 0)
    columns = (None, ["f", "i"], ["f"], ["f"], ["f", "u"], ["b"])

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.seeds = [parquet_bytes(Random(k)) for k in range(40)]

    def make(self, rng: Random) -> Job:
        good = rng.choice(self.seeds)
        content = damaged(good, rng, TOKENS) if rng.random() < 0.9 else good
        return self.reading(self.write("r.parquet", content), rng)


_KINDS = (
    "<f8",
    ">f8",
    "<f4",
    "|b1",
    "<i8",
    "|u1",
    "|O",
    "<M8[s]",
    "<c16",
    "|S0",
    "<U3",
    "|V0",
    "f",
)
_KINDS += ("<f16", "<f2", "no", "[('a', '<f8')]", "('<f8', (2,))", "", "|S2147483647", "<f8" * 9)
_SHAPES = (
    "(3, 2)",
    "(0, 2)",
    "(3, 0)",
    "(6,)",
    "()",
    "(-1, 2)",
    "(3, -2)",
    "(99999999999, 9)",
    "3",
)
_SHAPES += (
    "(4294967296, 4294967296)",
    "(2.5, 1)",
    "(True, 2)",
    "('a', 1)",
    "(1,)*9",
    "(9223372036854775807, 1)",
)
_SHAPES += ("(3, 2, 1)", "None", "(3, 2", "[3, 2]", "(0, 99999999999)", "(18446744073709551617, 1)")


def array_bytes(rng: Random) -> bytes:
    """Return a .npy file whose header lies now and then."""
    if rng.random() < 0.4:
        stream = io.BytesIO()
        np.save(stream, np.arange(6.0).reshape(3, 2).astype(rng.choice(("f8", "f4", "i8", "?"))))
        return damaged(stream.getvalue(), rng, (b"(", b")", b",", b"'", b"9" * 30, b"lambda:0"))
    kind = rng.choice(_KINDS)
    descr = kind if kind[:1] in "[(" and kind else repr(kind)
    order = rng.choice(("False", "False", "True", "0", "__import__('os').system('true')"))
    header = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {rng.choice(_SHAPES)}, }}"
    if rng.random() < 0.05:
        header = rng.choice(
            ("(" * 9000, "-" * 5000 + "1", "{" * 90, "[" * 3000 + "]" * 3000, header * 300)
        )
    text = header.encode()
    text = damaged(text, rng) if rng.random() < 0.2 else text
    text = text.ljust(-(-(len(text) + 11) // 64) * 64 - 11) + b"\n"
    version = rng.choice((1, 1, 1, 2, 3, 4, 0))
    length = struct.pack(
        "<H" if version == 1 else "<I", len(text) % (65536 if version == 1 else 2**32)
    )
    return (
        b"\x93NUMPY"
        + bytes((version, 0))
        + length
        + text
        + rng.randbytes(rng.choice((48, 48, 24, 0)))
    )


class Arrays(_Rows):
    """Arrays whose headers lie, or are no headers at all."""

    def make(self, rng: Random) -> Job:
        return self.reading(self.write("r.npy", array_bytes(rng)), rng)
