"""What Windows and macOS lack or do otherwise, as far as it can be checked on any system."""

import ast
import builtins
import os
import re
from pathlib import Path

import numpy as np
import pytest

from untaint import SubquantileRegressor
from untaint.cleaning.atomic_output import write_files_atomically

SOURCES = sorted((Path(__file__).parents[1] / "src" / "untaint").rglob("*.py"))
POSIX_ONLY = {"fcntl", "grp", "posix", "pwd", "resource", "termios", "tty"}


@pytest.fixture
def without_posix(monkeypatch):
    """Take away symbolic links, locks, sysconf and memory figures, as on Windows."""
    ordinary_import, ordinary_open = builtins.__import__, builtins.open

    def refuse_import(name, *args, **kwargs):
        if name in POSIX_ONLY:
            raise ImportError(name)
        return ordinary_import(name, *args, **kwargs)

    def refuse_proc(path, *args, **kwargs):
        if str(path) == "/proc/meminfo":
            raise FileNotFoundError(path)
        return ordinary_open(path, *args, **kwargs)

    def refuse_link(*args, **kwargs):
        raise OSError("a required privilege is not held by the client")

    monkeypatch.setattr(builtins, "__import__", refuse_import)
    monkeypatch.setattr(builtins, "open", refuse_proc)
    monkeypatch.setattr(os, "symlink", refuse_link)
    monkeypatch.delattr(os, "sysconf")


def test_files_are_written_without_links_and_locks(without_posix, tmp_path):
    out = tmp_path / "out"
    for content in (b"one", b"two"):  # a second run replaces the files of the first
        write_files_atomically(out, {"a.txt": content, "b.txt": content})
        assert {path.name: path.read_bytes() for path in out.iterdir()} == {
            "a.txt": content,
            "b.txt": content,
        }


def test_a_fit_needs_no_information_about_memory(without_posix, rng):
    X = rng.normal(size=(60, 2))
    model = SubquantileRegressor(contamination=0.1).fit(X, X[:, 0])
    assert np.isfinite(model.predict(X)).all()


def posix_imports(tree):
    """Imports of modules that one system has, outside of any ``try``."""
    guarded = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Try)
        for inner in ast.walk(node)
    }
    return [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import) and id(node) not in guarded
        for alias in node.names
        if alias.name in POSIX_ONLY
    ]


def test_modules_of_one_system_are_imported_under_try():
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if any(name in text for name in POSIX_ONLY):
            assert posix_imports(ast.parse(text)) == [], path
        assert "os.fork" not in text, path


def test_text_files_of_the_package_are_opened_with_an_encoding():
    pattern = re.compile(r"\.(read_text|write_text)\(\s*\)")
    assert not [path.name for path in SOURCES if pattern.search(path.read_text(encoding="utf-8"))]


def test_no_two_files_differ_in_case_alone():
    names = [str(path).lower() for path in SOURCES]
    assert len(set(names)) == len(names)
