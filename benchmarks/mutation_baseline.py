"""Which tests reach which lines, and how long they take: see mutation.py."""

import hashlib
import json
import os
import tempfile
import time
from collections import defaultdict
from itertools import zip_longest
from pathlib import Path

import coverage
import pytest
from _pytest.runner import runtestprotocol

Items = dict[str, pytest.Item]
TestsByLine = dict[tuple[str, int], list[str]]


def baseline(
    items: Items, source: Path, texts: dict[str, str], cache: Path
) -> tuple[TestsByLine, dict]:
    """Tests by file and line, and their seconds; remembered for as long as both files stay."""
    known = cache / f"{_mark(b''.join(texts[file].encode() for file in sorted(texts)))}.json"
    memory = json.loads(known.read_text()) if known.exists() else {}
    marks = {name: _mark(item.path.read_bytes()) for name, item in items.items()}
    fresh = [name for name in items if memory.get(name, {}).get("mark") != marks[name]]
    if fresh:
        print(f"{len(fresh)} tests to be timed first", flush=True)
        for name, result in _in_a_fork(fresh, items, source).items():
            memory[name] = {"mark": marks[name], **result}
        known.parent.mkdir(parents=True, exist_ok=True)
        known.write_text(json.dumps(memory))
    reached: TestsByLine = defaultdict(list)
    for name in items:
        for file, lines in memory[name]["lines"].items():
            for line in lines:
                reached[file, line].append(name)
    return reached, {name: memory[name]["seconds"] for name in items}


def _mark(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()[:12]


def _in_a_fork(names: list[str], items: Items, source: Path) -> dict:
    """Run the tests once as they are, so that nothing of it is left here."""
    path = Path(tempfile.mkstemp(suffix=".json")[1])
    child = os.fork()
    if child == 0:
        try:
            path.write_text(json.dumps(_traced(names, items, source)))
        except BaseException as error:
            print(repr(error), flush=True)
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status:
        raise SystemExit("The tests do not pass as they are.")
    results = json.loads(path.read_text())
    path.unlink()
    return results


def _traced(names: list[str], items: Items, source: Path) -> dict:
    results: dict = {}
    tracer = coverage.Coverage(data_file=None, include=[f"{source}/*"], config_file=False)
    tracer.start()
    for name, following in zip_longest(names, names[1:]):
        tracer.switch_context(name)
        begun = time.process_time()
        reports = runtestprotocol(items[name], nextitem=items.get(following), log=False)
        results[name] = {"seconds": time.process_time() - begun, "lines": {}}
        if any(report.failed for report in reports):
            raise SystemExit(f"{name} fails as it is")
    tracer.stop()
    data = tracer.get_data()
    for path in data.measured_files():
        file = str(Path(path).relative_to(source))
        for line, contexts in data.contexts_by_lineno(path).items():
            for context in filter(None, contexts):
                results[context]["lines"].setdefault(file, []).append(line)
    return results
