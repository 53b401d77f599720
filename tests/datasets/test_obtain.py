"""A set in no directory is downloaded, checked and kept; or one sentence says what to do."""

from __future__ import annotations

import hashlib
import http.client
import os
import urllib.error

import numpy as np
import pytest

from datasets.fake_network import Response
from untaint.datasets import _archives, _obtain, _sources, fetch_glass
from untaint.datasets._obtain import obtain
from untaint.datasets._table import write_dataset

RAW = b"1,1.5,13,1,2,3,4,5,6,0,1\r\n2,1.50,14.0,1,2,3,4,5,6,.25,7\r\n"
URL, MIRROR = "https://one.example/glass.data", "https://two.example/glass.data"
FILE = write_dataset(_archives.glass(RAW))
SOURCE = _sources.GLASS._replace(urls=(URL, MIRROR), checksum=hashlib.sha256(FILE).hexdigest())
REMEDIES = (
    "pass data_home, or set the environment variable UNTAINT_DATA, to a directory that holds the "
    "file, or let it be downloaded, with download_if_missing=True and a network connection "
)


@pytest.fixture(autouse=True)
def no_directory(monkeypatch):
    monkeypatch.delenv("UNTAINT_DATA", raising=False)


def test_a_download_is_converted_and_kept_for_the_next_call(network, cache):
    network[URL] = RAW
    for _ in range(2):
        table = obtain(SOURCE)
        np.testing.assert_array_equal(table.data[:, 0], [1.5, 1.5])
        assert table.target.tolist() == [1, 7]
        assert table.feature_names == ["ri", "na", "mg", "al", "si", "k", "ca", "ba", "fe"]
    assert network.opened == [URL]
    assert (cache / "untaint" / "glass.csv").read_bytes() == FILE
    assert os.listdir(cache / "untaint") == ["glass.csv"]


@pytest.mark.parametrize("by", ["argument", "environment"])
def test_a_given_directory_is_made_and_keeps_the_download(
    by, network, cache, tmp_path, monkeypatch
):
    network[URL] = RAW
    home = tmp_path / "new" / "data"
    if by == "environment":
        monkeypatch.setenv("UNTAINT_DATA", str(home))
    obtain(SOURCE, home if by == "argument" else None)
    assert (home / "glass.csv").read_bytes() == FILE
    assert not (cache / "untaint").exists()


def test_a_directory_that_cannot_be_written_gives_way_to_the_cache(network, cache, tmp_path):
    network[URL] = RAW
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    assert len(obtain(SOURCE, blocked / "data").data) == 2
    assert (cache / "untaint" / "glass.csv").exists()
    obtain(SOURCE, blocked / "data")
    assert network.opened == [URL]


def test_data_are_returned_where_nothing_can_be_written(network, tmp_path, monkeypatch):
    network[URL] = RAW
    blocked = tmp_path / "file"
    blocked.write_text("not a directory")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert len(obtain(SOURCE).data) == 2


def test_a_user_without_a_home_has_no_cache(network, tmp_path, monkeypatch):
    network[URL] = RAW
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.chdir(tmp_path)
    assert len(obtain(SOURCE).data) == 2
    assert os.listdir(tmp_path) == []


def test_the_next_address_is_tried(network):
    network[MIRROR] = RAW
    assert len(obtain(SOURCE).data) == 2
    assert network.opened == [URL, MIRROR]


def test_without_a_network_one_sentence_says_both_ways(network, tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        obtain(SOURCE, tmp_path)
    assert str(caught.value) == (
        f"glass.csv was not found in {str(tmp_path)!r}, and {URL} did not serve it (no route to "
        f"host), and {MIRROR} did not serve it (no route to host): {REMEDIES}(original source: "
        f"{SOURCE.origin})."
    )
    assert os.listdir(tmp_path) == []


def test_downloads_can_be_forbidden():
    with pytest.raises(FileNotFoundError) as caught:
        fetch_glass(download_if_missing=False)
    assert str(caught.value).startswith(
        "glass.csv was not found because no data directory is set, and download_if_missing is "
        f"False: {REMEDIES}"
    )


def test_a_table_with_another_checksum_is_refused(network, tmp_path):
    network[URL] = RAW.replace(b"14.0", b"14.1")
    found = "its table, 2 x 9, has the SHA-256 [0-9a-f]{64} in place of the expected"
    reason = rf"{URL} did not serve it \({found} {SOURCE.checksum}\)"
    with pytest.raises(FileNotFoundError, match=reason):
        obtain(SOURCE, tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("body", [b"", b"<html>moved</html>", b"PK\x03\x04 torn", b"\xff\xfe"])
def test_bytes_that_are_not_the_file_are_refused(body, network, tmp_path):
    network[URL] = body
    with pytest.raises(
        FileNotFoundError, match=rf"{URL} did not serve it \(what came could not be "
    ):
        obtain(SOURCE, tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Response(RAW[:40], length=len(RAW)), f"got only 40 out of {len(RAW)} bytes"),
        (http.client.IncompleteRead(b"1,1.5"), "IncompleteRead"),
        (urllib.error.HTTPError(URL, 404, "Not Found", None, None), "Not Found"),
        (TimeoutError("timed out"), "timed out"),
    ],
)
def test_a_broken_download_says_how_and_leaves_nothing(answer, reason, network, cache):
    network[URL] = answer
    with pytest.raises(FileNotFoundError, match=rf"{URL} did not serve it \(.*{reason}"):
        obtain(SOURCE)
    assert not (cache / "untaint").exists()


def test_downloads_have_a_limit(network, monkeypatch):
    monkeypatch.setattr(_obtain, "LARGEST_FILE", 20)
    network[URL] = RAW
    with pytest.raises(FileNotFoundError, match="more than 20 bytes"):
        obtain(SOURCE)


def test_an_interrupted_write_leaves_nothing(network, tmp_path, monkeypatch):
    def interrupt(*args):
        raise KeyboardInterrupt

    network[URL] = RAW
    monkeypatch.setattr(_obtain.os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        obtain(SOURCE, tmp_path)
    assert os.listdir(tmp_path) == []


def test_every_address_is_https():
    sources = [
        value for value in vars(_sources).values() if isinstance(value, _sources.DatasetSource)
    ]
    assert len(sources) == 9
    assert all(url.startswith("https://") for source in sources for url in source.urls)
    assert [source.filename for source in sources if not source.urls] == ["breast_cancer_wdbc.csv"]
