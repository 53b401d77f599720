"""What the pages say can be done: their Python runs, their commands exist, their links lead on.

A block of Python that CI cannot run, for want of a cluster or a device, is ``{code-block} python``
with a caption that says what it needs. All other blocks of a page run in order, in one namespace
and in an empty directory, and print what the page shows below them (``docs/run_pages.py`` writes
it). The site itself is built by ``make docs``.
"""

import ast
import importlib
import os
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from docs.run_pages import blocks, printed

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
GENERATED = ("_build", "gallery", "generated")
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    ROOT / "benchmarks" / "README.md",
    *(
        page
        for page in sorted(DOCS.rglob("*.md"))
        if not set(GENERATED) & set(page.relative_to(DOCS).parts)
    ),
]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
# What a page may need and a small environment may lack.
OPTIONAL = {"dask", "distributed", "river", "pyarrow", "onnx", "onnxruntime", "matplotlib", "typer"}


def name(page):
    return str(page.relative_to(ROOT))


def python_blocks(page):
    return blocks(page.read_text("utf-8"))


NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def assert_shown(page, output, shown):
    """Words are equal; numbers may differ by as much as another BLAS makes them."""
    assert NUMBER.sub("0", output).split() == NUMBER.sub("0", shown).split(), name(page)
    pairs = zip(NUMBER.findall(output), NUMBER.findall(shown), strict=True)
    for found, stated in pairs:
        assert float(found) == pytest.approx(float(stated), rel=0.1, abs=0.03), name(page)


def run(page):
    """The namespace after all blocks of a page, and what they printed."""
    names, outputs = {"__name__": "page"}, []
    for code, shown in python_blocks(page):
        try:
            outputs.append(printed(code, names, name(page)))
        except ModuleNotFoundError as missing:
            if missing.name.partition(".")[0] in OPTIONAL:
                pytest.skip(f"{name(page)} needs {missing.name}")
            raise
        if shown is not None:
            assert_shown(page, outputs[-1], shown)
    return names, "".join(outputs)


def contamination_of_many_rows(names, printed):
    assert "0.20 of the rows are wrong" in printed
    assert printed.strip().endswith("[ 1. -2.]")


def contamination_on_cluster(names, printed):
    contamination = float(re.search(r"(.*) of the rows are wrong", printed)[1])
    assert abs(contamination - 0.2) < 0.02


def messy_file(names, printed):
    assert "rows look wrong" in printed
    assert len(names["found"].cleaned) < len(names["found"].repaired)


def wrong_labels(names, printed):
    assert abs(names["model"].contamination_ - 0.2) < 0.05
    assert names["wrong"][names["flagged"]].mean() > 0.8
    assert (names["one_sided"].predict(names["X"]) == names["truth"]).mean() > 0.95


def known_noise(names, printed):
    for model in ("declared", "twice", "stream"):
        assert np.allclose(names[model].coef_, [1.0, -2.0, 0.5], atol=0.1)


def privacy_noise(names, printed):
    truth = np.array([2.0, -1.0, 0.5, 0.0, 1.0])
    assert np.abs(names["corrected"].coef_ - truth).max() < 0.2
    assert np.abs(names["plain"].coef_ - truth).max() > 1.0


def monitoring(names, printed):
    scores, wrong = names["monitoring"].scores, names["wrong"]
    assert np.median(scores[0, wrong]) < 3 < 10 < np.median(scores[2, wrong])


def deployment(names, printed):
    assert names["search"].best_params_["subquantileregressor__alpha"] in (0.1, 1.0)


CHECKS = {
    "docs/large-data.md": contamination_of_many_rows,
    "docs/distributed.md": contamination_on_cluster,
    "docs/cleaning.md": messy_file,
    "docs/guides/wrong-labels.md": wrong_labels,
    "docs/guides/known-noise.md": known_noise,
    "docs/guides/privacy-noise.md": privacy_noise,
    "docs/guides/monitoring.md": monitoring,
    "docs/guides/cluster.md": contamination_on_cluster,
    "docs/guides/deployment.md": deployment,
}

# tests/test_readme.py has the README.
ELSEWHERE = {"README.md"}
RUNNABLE = [page for page in PAGES if python_blocks(page) and name(page) not in ELSEWHERE]


@pytest.mark.parametrize("page", RUNNABLE, ids=name)
def test_the_page_works(page, tmp_path, monkeypatch):
    pytest.importorskip("pandas", reason="the audits shown are pandas frames")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(os.environ, "MPLBACKEND", "agg")
    names, output = run(page)
    CHECKS.get(name(page), lambda names, printed: None)(names, output)


def test_every_check_has_its_page():
    assert set(CHECKS) <= {name(page) for page in RUNNABLE}


GUIDES = [DOCS / "index.md", *sorted((DOCS / "guides").glob("[!i]*.md"))]


@pytest.mark.parametrize("page", GUIDES, ids=name)
def test_a_guide_shows_what_its_code_prints(page):
    for code, shown in python_blocks(page):
        assert shown is not None or "print(" not in code, f"{name(page)} does not show an output"


@pytest.mark.parametrize("page", GUIDES, ids=name)
def test_code_and_output_fit_the_page(page):
    fences = r"^```(?:python|text|console|\{code-block\}).*?^```"
    fenced = "".join(re.findall(fences, page.read_text("utf-8"), re.S | re.M))
    wide = [line for line in fenced.splitlines() if len(line) > 79]
    assert not wide, f"{name(page)} has lines of more than 79 characters"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_block_that_does_not_run_says_why(page):
    for options in re.findall(
        r"^`{3,}\{code-block\} python\n(.*?)\n\n", page.read_text("utf-8"), re.S | re.M
    ):
        assert ":caption: " in options, f"{name(page)}: a code-block of Python needs a caption"


def without_code(text):
    text = re.sub(r"^(`{3,})(?!\{).*?^\1", "", text, flags=re.S | re.M)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(page):
    """The anchors of a page's headings, as forges and the site make them."""
    headings = re.findall(
        r"^#+ (.*)$", re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.S | re.M), re.M
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    for target, anchor in re.findall(
        r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", without_code(page.read_text("utf-8"))
    ):
        if target.startswith("http"):
            continue
        found = (page.parent / target).resolve() if target else page
        thumbnail = re.search(r"gallery/images/thumb/sphx_glr_(\w+)_thumb.png$", target)
        if thumbnail:  # made of the example
            found = ROOT / "examples" / f"{thumbnail[1]}.py"
        assert found.exists(), f"{name(page)} links to {target}, which is not there"
        if anchor and found.suffix == ".md":
            assert anchor in anchors(found), f"{name(page)}: {target} has no heading #{anchor}"


GALLERY = {f"gallery/{path.stem}" for path in (ROOT / "examples").glob("plot_*.py")}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_pages_in_lists_and_cards_are_there(page):
    text = page.read_text("utf-8")
    listed = re.findall(r"^:link: (\S+)$", text, re.M)
    for block in re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.S | re.M):
        lines = [line for line in block.splitlines() if line and not line.startswith(":")]
        listed += [re.sub(r".*<(.*)>", r"\1", line) for line in lines]
    for target in listed:
        if target == "gallery/index" or target in GALLERY:  # made of the examples
            continue
        matches = [found for end in (".md", ".rst") for found in page.parent.glob(target + end)]
        matches += [page.parent / f"{target}{end}" for end in (".md", ".rst")]
        assert any(found.exists() for found in matches), f"{name(page)} lists {target}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_pictures_have_words(page):
    for words in re.findall(r"!\[([^\]]*)\]\(", without_code(page.read_text("utf-8"))):
        assert len(words.split()) > 2, f"{name(page)} has a picture without a description"


COMMAND = re.compile(
    r"(?:^|`|\$ |\| )(untaint (?:clean|fit|predict|report|demo)\b[^`\n#>|]*)", re.M
)
STUDY = re.compile(r"make bench ARGS=\"?([\w-]+)")


@pytest.fixture(scope="module")
def commands():
    pytest.importorskip("typer")
    from typer.main import get_command

    from untaint.cli.main import make_app

    return get_command(make_app()).commands


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_and_their_options_exist(page, commands):
    from benchmarks.__main__ import COMMANDS
    from benchmarks.studies import STUDIES

    text = page.read_text("utf-8")
    studies = set(STUDY.findall(text))
    for written in COMMAND.findall(text):
        _, command, *words = shlex.split(written)
        known = {option for one in commands[command].params for option in one.opts} | {"--help"}
        unknown = [word for word in words if word.startswith("--") and word not in known]
        assert not unknown, f"{name(page)}: untaint {command} has no {unknown}"
    assert studies - {"NAME"} <= {*STUDIES, *COMMANDS}, (
        f"{name(page)} names studies that are not there"
    )


SUBPACKAGES = ["", "baselines", "online", "distributed", "datasets", "plotting", "cleaning", "onnx"]


@pytest.mark.parametrize("subpackage", SUBPACKAGES)
def test_the_reference_has_every_public_name(subpackage):
    module = f"untaint.{subpackage}".rstrip(".")
    try:
        public = set(importlib.import_module(module).__all__) - {"__version__"}
    except ImportError as missing:
        pytest.skip(str(missing))
    listed = set()
    for page in (DOCS / "api").glob("*.rst"):
        for part in page.read_text("utf-8").split(".. currentmodule:: ")[1:]:
            if part.splitlines()[0] == module:
                listed |= set(re.findall(r"^   (\w+)$", part, re.M))
    assert public <= listed


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_makes_a_claim_and_checks_it(example):
    tree = ast.parse(example.read_text("utf-8"))
    assert "**Claim.**" in ast.get_docstring(tree)
    assert any(isinstance(node, ast.Assert) for node in ast.walk(tree))
