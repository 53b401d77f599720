"""Changes made one by one, in forks of a process that has collected the tests: see mutation.py."""

import argparse
import ast
import json
import os
import random
import resource
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol
from mutation_baseline import baseline
from mutation_sites import Site, changed, described, sites
from mutation_transplant import transplant

PATIENCE = 10.0  # times a test's own time before it is taken to hang
OWN = 0.2  # times a test's own time when it is of the changed file: it is tried so much earlier
MEMORY = 8 << 30


def all_sites(source: Path, subpackages: list[str]) -> list[Site]:
    """Return every change there is, in order."""
    found = []
    for subpackage in subpackages:
        for path in sorted((source / subpackage).glob("*.py")):
            if path.name != "__init__.py":
                found += sites(f"{subpackage}/{path.name}", path.read_text())
    return found


def drawn(every: list[Site], size: int, seed: int) -> list[Site]:
    """Return a sample with each file's due part, in random order."""
    rng = random.Random(seed)
    shuffled = sorted(every, key=lambda site: (site.file, rng.random()))
    offset = rng.random()
    step = len(every) / min(size, len(every))
    picked = [shuffled[int((i + offset) * step)] for i in range(min(size, len(every)))]
    rng.shuffle(picked)
    return picked


class Examiner:
    """A pytest plugin that, in place of running the tests once, runs them on every change."""

    def __init__(
        self, options: argparse.Namespace, copy: Path, subpackages: tuple[str, ...]
    ) -> None:
        self.options, self.source = options, copy / "src" / "untaint"
        self.texts = {
            str(path.relative_to(self.source)): path.read_text()
            for subpackage in subpackages
            for path in (self.source / subpackage).glob("*.py")
        }
        self.results: list[dict] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Examine the sites once all tests are collected."""
        import untaint

        assert Path(untaint.__file__).is_relative_to(self.source), "not the copy"
        if session.testsfailed:
            raise SystemExit("The tests cannot be collected.")
        self.items = {item.nodeid: item for item in session.items}
        cache = self.options.cache
        self.reached, self.seconds = baseline(self.items, self.source, self.texts, cache)
        self.mentions = _mentions(self.texts)
        picked = self._picked()
        started = time.time()
        for number, result in enumerate(self._examined(picked), 1):
            self.results.append(result)
            with open(self.options.out, "a") as file:
                file.write(json.dumps(result) + "\n")
            if number % 20 == 0 or number == len(picked):
                counts = Counter(result["status"] for result in self.results)
                print(f"{number}/{len(picked)} {time.time() - started:.0f} s {dict(counts)}")
                sys.stdout.flush()
        return True

    def _picked(self) -> list[Site]:
        every = all_sites(self.source, self.options.subpackages)
        if self.options.only:
            wanted = set(Path(self.options.only).read_text().split())
            return [site for site in every if site.key in wanted]
        return drawn(every, self.options.sample, self.options.seed)

    def _examined(self, picked: list[Site]) -> Iterator[dict]:
        """Return results as they come, from as many forks at a time as there are jobs."""
        running: dict[int, tuple[Site, int, float]] = {}
        waiting = list(reversed(picked))
        while waiting or running:
            while waiting and len(running) < self.options.jobs:
                site = waiting.pop()
                reader, writer = os.pipe()
                sys.stdout.flush()
                child = os.fork()
                if child == 0:
                    os.close(reader)
                    self._examine(site, writer)
                os.close(writer)
                running[child] = site, reader, time.time()
            child, status = os.wait()
            site, reader, begun = running.pop(child)
            with os.fdopen(reader) as pipe:
                lines = pipe.read().splitlines()
            yield self._result(site, status, lines, time.time() - begun)

    def _result(self, site: Site, status: int, lines: list[str], seconds: float) -> dict:
        outcome = lines[-1].split(" ", 1) if lines else [""]
        if os.WIFSIGNALED(status):
            late = os.WTERMSIG(status) in (signal.SIGPROF, signal.SIGALRM)
            outcome = ["timeout" if late else "killed", outcome[-1]]
        text = self.texts[site.file]
        return {
            "key": site.key,
            "change": described(text, site),
            "status": outcome[0],
            "by": outcome[1] if len(outcome) > 1 else "",
            "seconds": round(seconds, 2),
        }

    def _examine(self, site: Site, writer: int) -> None:
        """Make a change in a fork, run its tests, and report the result."""

        def tell(*words: str) -> None:
            os.write(writer, (" ".join(words) + "\n").encode())

        try:
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 1)
            os.dup2(null, 2)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            module = "untaint." + site.file.removesuffix(".py").replace("/", ".")
            try:
                if not self.options.control and not transplant(
                    module, changed(self.texts[site.file], site)
                ):
                    tell("same")
                    os._exit(0)
            except Exception as error:
                tell("killed", f"at import: {error!r}"[:100].replace("\n", " "))
                os._exit(0)
            self._run(site, tell)
        except BaseException as error:
            tell("broken", repr(error)[:200].replace("\n", " "))
        os._exit(0)

    def _run(self, site: Site, tell: Callable[..., None]) -> None:
        chosen = [self.items[name] for name in self._tests(site)]
        spent = 0.0
        for item, following in zip_longest(chosen, chosen[1:]):
            tell("running", item.nodeid)
            limit = PATIENCE * self.seconds[item.nodeid] + 3.0
            signal.setitimer(signal.ITIMER_PROF, limit)  # of work: a busy machine is no mutant
            signal.setitimer(signal.ITIMER_REAL, 60.0 + 10.0 * limit)  # and one that waits for ever
            reports = runtestprotocol(item, nextitem=following, log=False)
            if any(report.failed for report in reports):
                tell("killed", item.nodeid)
                return
            spent += self.seconds[item.nodeid]
            if spent > self.options.budget:
                tell("survived", f"budget of {self.options.budget} s spent")
                return
        tell("survived" if chosen else "unreached", f"{len(chosen)} tests")

    def _tests(self, site: Site) -> list[str]:
        """Tests that reach the change, the quickest first, with an advantage for its own file's."""
        places = [(site.file, line) for line in site.lines]
        for name in site.names:
            places += self.mentions[name]
        names = {name for place in places for name in self.reached.get(place, ())}
        own = Path(site.file).stem
        return sorted(
            (name for name in names if name in self.items),
            key=lambda name: self.seconds[name] * (OWN if own in name.split("::")[0] else 1.0),
        )


def _mentions(texts: dict[str, str]) -> dict[str, list[tuple[str, int]]]:
    """Return lines that use a name."""
    found = defaultdict(list)
    for file, text in texts.items():
        for node in ast.walk(ast.parse(text)):
            name = getattr(node, "id", getattr(node, "attr", getattr(node, "arg", None)))
            if isinstance(name, str) and hasattr(node, "lineno"):
                found[name].append((file, node.lineno))
    return found
