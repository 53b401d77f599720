"""Entry points of tables: the text reader, the Parquet reader, and the encoder behind both."""

from __future__ import annotations

import io
from pathlib import Path
from random import Random

import numpy as np

from untaint.io import DataFileError, RawTable, TableEncoder, read_table, read_target

from .mutate import damaged
from .target import Job, Target
from .texts import cells_of, table_bytes
from .watch import Finding


class Texts(Target):
    """``read_table`` on text, with the options that a user may give."""

    refusals = (DataFileError,)

    def make(self, rng: Random) -> Job:
        path = self.write("t.csv", table_bytes(rng))
        options = {}
        if rng.random() < 0.1:
            options["delimiter"] = rng.choice(
                (",", ";", "tab", "\t", "", ",,", "é", '"', "\n", "a")
            )
        if rng.random() < 0.1:
            options["decimal"] = rng.choice((".", ",", "", "x"))
        if rng.random() < 0.1:
            options["encoding"] = rng.choice(
                ("utf-8", "cp1252", "utf-16", "no", "hex", "\0", "utf-7")
            )
        return lambda: _write_again(read_table(path, **options))


class Encoders(Target):
    """The encoder and the target's reader, on tables of text."""

    refusals = (DataFileError,)

    def make(self, rng: Random) -> Job:
        path = self.write("t.csv", table_bytes(rng))
        return lambda: encode(read_table(path))


class Parquets(Target):
    """``read_table`` on Parquet, and the encoder on what it returns."""

    refusals = (DataFileError,)

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.seeds = [parquet_bytes(Random(k)) for k in range(40)]

    def make(self, rng: Random) -> Job:
        good = rng.choice(self.seeds)
        path = self.write("t.parquet", damaged(good, rng, TOKENS) if rng.random() < 0.95 else good)
        return lambda: encode(read_table(path))


TOKENS = (
    b"PAR1",
    b"\x15\x00",
    b"\x15\x02",
    b"\x19\x1c",
    b"\x00",
    b"\xff\xff\xff\x7f",
    b"\x16\x80\x01",
)


def parquet_bytes(rng: Random) -> bytes:
    """Return a small file with columns of many types, in any of the compressions."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    n = rng.choice((1, 3, 9))
    cells = cells_of(rng, n)
    columns = {f"t{j}": [row[j] for row in cells[1:]] for j in range(len(cells[0]))}
    columns |= {"i": list(range(n)), "f": [rng.gauss(0, 1) for _ in range(n)]}
    table = pa.table(columns)
    for name, kind in (
        ("i8", pa.int8()),
        ("u", pa.uint64()),
        ("h", pa.float32()),
        ("b", pa.bool_()),
    ):
        if rng.random() < 0.4:
            table = table.append_column(
                name, pa.array([rng.randint(0, 1) for _ in range(n)]).cast(kind)
            )
    kinds = (
        pa.timestamp("us"),
        pa.date32(),
        pa.duration("s"),
        pa.decimal128(21, 2),
        pa.time64("us"),
    )
    if rng.random() < 0.6:
        kind = rng.choice(kinds)
        values = pa.array([None if rng.random() < 0.2 else k for k in range(n)], pa.int64())
        values = values.cast(pa.int32()) if kind == pa.date32() else values
        table = table.append_column("k", values.cast(kind))
    if rng.random() < 0.3:
        table = table.append_column("l", pa.array(([[1], [2, 3], None] * 3)[:n]))
    if rng.random() < 0.3:
        values = pa.array((["x", "y", None] * 3)[:n])
        table = table.append_column("d", values.dictionary_encode())
    stream = io.BytesIO()
    compression = rng.choice(("none", "snappy", "gzip", "zstd", "brotli", "lz4"))
    pq.write_table(table, stream, compression=compression, use_dictionary=rng.random() < 0.5)
    return stream.getvalue()


def _write_again(table: RawTable) -> None:
    """Rows go back to bytes, and every cell can be asked for."""
    assert isinstance(table.header_bytes, bytes)
    rows = table.rows_bytes(np.arange(table.n_rows) % 2 == 0)
    assert isinstance(rows, bytes)
    last = table.n_rows - 1
    if len(table.rows_cells([last])[0]) != len(table.names):
        raise Finding("a row has not as many cells as there are names")
    table.place(last)


def encode(table: RawTable) -> None:
    """Fit and transform, with the last column as the target."""
    names = table.names
    target = read_target(table, names[-1])
    del target
    encoder = TableEncoder()
    X = encoder.fit_transform(table, target=names[-1])
    again, _ = encoder.transform_noting(table)
    if X.shape != again.shape or not np.array_equal(X, again):
        raise Finding(
            f"features are others the second time: {np.argwhere(again != X)[:3].tolist()}"
        )
    if X.shape != (table.n_rows, len(encoder.names_)) or not np.isfinite(X).all():
        raise Finding("features that are not finite, or too few")
