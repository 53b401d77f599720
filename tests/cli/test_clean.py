"""What ``untaint clean`` promises: which files, and what is in them."""

from __future__ import annotations

import codecs
import gzip
import json
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from cli_tables import FILES, NAMES, cars, changed, labelled, read_csv, snapshot, text, write

TREES = ("width", "height", "species")
CONTAMINATION = ("--contamination", "0.1")
KNOWN = ("--contamination", "0.05")


def outcome(directory):
    return json.loads((directory / "summary.json").read_text(encoding="utf-8"))


def without(content: bytes, rows, line_end: bytes = b"\n") -> bytes:
    """A text without some of its rows, which are numbered from 1 below the header."""
    lines = content.split(line_end)
    return line_end.join(line for i, line in enumerate(lines) if i not in rows)


SPELLINGS = {
    "plain": lambda t: t.encode(),
    "crlf": lambda t: t.replace("\n", "\r\n").encode(),
    "no last line end": lambda t: t.rstrip("\n").encode(),
    "byte order mark": lambda t: codecs.BOM_UTF8 + t.encode(),
    "cp1252": lambda t: t.replace("petrol", "Bénzin€").encode("cp1252"),
    "utf-8": lambda t: t.replace("petrol", "бензин 🚗").encode(),
    "quotes": lambda t: t.replace("petrol", '"petrol, ""super"""').encode(),
    "all quoted": lambda t: t.replace(",", '","').replace("\n", '"\n"')[:-1].join('"\n').encode(),
    "spaces": lambda t: t.replace(",", ", ").encode(),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_cleaned_csv_keeps_every_byte_of_the_rows_that_stay(untaint, tmp_path, spelling):
    content = SPELLINGS[spelling](text(cars()))
    write(tmp_path / "cars.csv", content)
    ran = untaint("clean", "cars.csv", "--target", "price", "--quiet", *KNOWN)
    assert ran == (0, "", "")
    out = tmp_path / "cars-untaint"
    assert {path.name for path in out.iterdir()} == FILES
    flagged = outcome(out)["flagged_rows"]
    assert flagged == [1, 2, 3]
    line_end = b"\r\n" if spelling == "crlf" else b"\n"
    assert (out / "cleaned.csv").read_bytes() == without(content, flagged, line_end)


def test_semicolons_and_decimal_commas_are_kept(untaint, tmp_path):
    rows = [[cell.replace(".", ",") for cell in row] for row in cars()]
    content = text(rows, delimiter=";", line_end="\r\n").encode()
    write(tmp_path / "autos.csv", content)
    assert untaint("clean", "autos.csv", "-t", "price", *KNOWN).code == 0
    cleaned = (tmp_path / "autos-untaint" / "cleaned.csv").read_bytes()
    assert cleaned == without(content, [1, 2, 3], b"\r\n")


def test_tabs_are_kept(untaint, tmp_path):
    content = text(cars(), delimiter="\t").encode()
    write(tmp_path / "cars.tsv", content)
    assert untaint("clean", "cars.tsv", "-t", "price", *KNOWN).code == 0
    cleaned = (tmp_path / "cars-untaint" / "cleaned.csv").read_bytes()
    assert cleaned == without(content, [1, 2, 3])


def test_gzip_is_unpacked(untaint, tmp_path):
    content = text(cars()).encode()
    write(tmp_path / "cars.csv.gz", gzip.compress(content))
    assert untaint("clean", "cars.csv.gz", "-t", "price", *KNOWN).code == 0
    cleaned = (tmp_path / "cars-untaint" / "cleaned.csv").read_bytes()
    assert cleaned == without(content, [1, 2, 3])


def test_standard_input_is_read_and_named(untaint, tmp_path):
    content = text(cars()).encode()
    ran = untaint("clean", "-", "-t", "price", stdin=content)
    assert ran.code == 0
    assert "3 of 60 rows of standard input look wrong." in ran.out
    assert "3 rows could be put right for certain: --repair keeps them, repaired." in ran.out
    cleaned = (tmp_path / "table-untaint" / "cleaned.csv").read_bytes()
    assert cleaned == without(content, [1, 2, 3])


def test_a_line_end_within_quotes_does_not_shift_rows(untaint, tmp_path):
    rows = changed(cars(), 2, lambda i, fuel: "petrol\nsuper" if i == 0 else fuel)
    content = text(rows).encode()
    write(tmp_path / "cars.csv", content)
    assert untaint("clean", "cars.csv", "-t", "price", *KNOWN).code == 0
    out = tmp_path / "cars-untaint"
    assert (out / "cleaned.csv").read_bytes() == without(content, [1, 2, 3, 4])
    assert {row["line"] for row in read_csv(out / "flagged.csv")} == {"2", "4", "5"}


@pytest.fixture
def parquet_cars(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = list(zip(*cars(), strict=True))
    arrays = [pa.array([float(cell) for cell in column]) for column in (columns[0], columns[3])]
    fuel = pa.array(columns[2]).dictionary_encode()
    table = pa.table([arrays[0], fuel, arrays[1]], names=["age", "fuel", "price"])
    pq.write_table(table, tmp_path / "cars.parquet")
    return table


def test_parquet_comes_back_as_parquet_and_as_csv(untaint, tmp_path, parquet_cars):
    import pyarrow.parquet as pq

    assert untaint("clean", "cars.parquet", "-t", "price", *KNOWN).code == 0
    out = tmp_path / "cars-untaint"
    assert {path.name for path in out.iterdir()} == FILES | {"cleaned.parquet"}
    assert pq.read_table(out / "cleaned.parquet").equals(parquet_cars.slice(3))
    cleaned = read_csv(out / "cleaned.csv")
    assert len(cleaned) == 57
    assert float(cleaned[0]["price"]) == parquet_cars["price"][3].as_py()


def test_a_parquet_file_of_an_earlier_run_does_not_stay_behind(untaint, tmp_path, parquet_cars):
    assert untaint("clean", "cars.parquet", "-t", "price", *KNOWN).code == 0
    assert untaint("clean", "cars.parquet", "-t", "price", "--mark", *KNOWN).code == 0
    assert {path.name for path in (tmp_path / "cars-untaint").iterdir()} == FILES


def test_mark_keeps_all_rows_and_says_which_are_wrong(untaint, tmp_path):
    rows = changed(cars(), 3, lambda i, price: "" if i == 9 else price)
    content = text(rows).encode()
    write(tmp_path / "cars.csv", content)
    assert untaint("clean", "cars.csv", "-t", "price", "--mark").code == 0
    marked = (tmp_path / "cars-untaint" / "cleaned.csv").read_bytes().splitlines()
    old = content.splitlines()
    assert marked[0] == old[0] + b",untaint"
    marks = [line.rpartition(b",") for line in marked[1:]]
    assert [line for line, _, _ in marks] == old[1:]
    expected = [b"flagged"] * 3 + [b"kept"] * 6 + [b"no target"] + [b"kept"] * 50
    assert [mark for _, _, mark in marks] == expected


def test_a_marked_table_can_be_marked_again(untaint, tmp_path):
    write(tmp_path / "cars.csv", text(cars()))
    assert untaint("clean", "cars.csv", "-t", "price", "--mark", *KNOWN).code == 0
    marked = tmp_path / "cars-untaint" / "cleaned.csv"
    again = ("clean", marked, "-t", "price", "--mark", "--ignore", "untaint", "-o", "again", *KNOWN)
    assert untaint(*again).code == 0
    names = (tmp_path / "again" / "cleaned.csv").read_text().splitlines()[0].split(",")
    assert len(set(names)) == len(names) == 6


def test_repair_writes_the_expected_number_with_the_decimals_of_the_column(untaint, tmp_path):
    rows = [[cell.replace(".", ",") for cell in row] for row in cars()]
    content = text(rows, delimiter=";").encode()
    write(tmp_path / "autos.csv", content)
    assert untaint("clean", "autos.csv", "-t", "price", "--repair", *KNOWN).code == 0
    repaired = (tmp_path / "autos-untaint" / "cleaned.csv").read_bytes().splitlines()
    old = content.splitlines()
    assert repaired[4:] == old[4:]
    assert repaired[0] == old[0]
    for new, before in zip(repaired[1:4], old[1:4], strict=True):
        new_cells, old_cells = new.split(b";"), before.split(b";")
        assert new_cells[:3] == old_cells[:3]
        whole, _, decimals = new_cells[3].partition(b",")
        assert whole.isdigit()
        assert len(decimals) <= 2
        wrong = float(old_cells[3].replace(b",", b"."))
        assert float(new_cells[3].replace(b",", b".")) == pytest.approx(wrong / 10, rel=0.1)


def test_repair_writes_the_expected_label(untaint, tmp_path):
    write(tmp_path / "trees.csv", text(labelled(), TREES))
    assert untaint("clean", "trees.csv", "-t", "species", "--repair", *CONTAMINATION).code == 0
    truth = text(labelled(wrong=0), TREES).encode()
    assert (tmp_path / "trees-untaint" / "cleaned.csv").read_bytes() == truth


def test_repair_exchanges_swapped_cells_as_they_are_spelt(untaint, tmp_path):
    names = ("year", "km", "fuel", "price")
    rows = [[f"{2025 - float(age):.0f}", *others] for age, *others in cars(150, wrong=0)]
    swapped = [
        [row[1], row[0], *row[2:]] if i in (5, 50, 120) else row for i, row in enumerate(rows)
    ]
    write(tmp_path / "cars.csv", text(swapped, names))
    ran = untaint("clean", "cars.csv", "-t", "price", "--repair")
    assert ran.code == 0
    assert "3 rows of the cleaned table are repaired." in ran.out
    assert (tmp_path / "cars-untaint" / "cleaned.csv").read_bytes() == text(rows, names).encode()


def test_repair_quotes_a_label_that_needs_it(untaint, tmp_path):
    rows = changed(labelled(), 2, lambda _, species: f'{species}, "tall"')
    write(tmp_path / "trees.csv", text(rows, TREES))
    assert untaint("clean", "trees.csv", "-t", "species", "--repair", *CONTAMINATION).code == 0
    truth = text(changed(labelled(wrong=0), 2, lambda _, s: f'{s}, "tall"'), TREES).encode()
    assert (tmp_path / "trees-untaint" / "cleaned.csv").read_bytes() == truth


def test_flagged_csv_has_a_reason_and_all_cells_for_each_wrong_row(untaint, tmp_path):
    rows = cars()
    write(tmp_path / "cars.csv", text(rows))
    assert untaint("clean", "cars.csv", "-t", "price").code == 0
    flagged = read_csv(tmp_path / "cars-untaint" / "flagged.csv")
    assert sorted(int(row["row"]) for row in flagged) == [1, 2, 3]
    for found in flagged:
        number = int(found["row"])
        assert int(found["line"]) == number + 1
        assert [found[name] for name in NAMES] == rows[number - 1]
        assert found["kind"] == "target"
        assert "10 times as much, a slipped decimal point?" in found["why"]
        assert float(found["expected"]) == pytest.approx(float(found["price"]) / 10, rel=0.1)
    scores = [float(row["score"]) for row in flagged]
    assert scores == sorted(scores, reverse=True)


def test_json_is_the_summary_and_nothing_else(untaint, tmp_path):
    write(tmp_path / "cars.csv", text(changed(cars(), 2, lambda _, f: f"{f} é\u2028")))
    ran = untaint("clean", "cars.csv", "-t", "price", "--json", *KNOWN)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count("\n") == 1
    assert json.loads(ran.out) == outcome(tmp_path / "cars-untaint")


def test_summary_says_what_was_done(untaint, tmp_path):
    write(tmp_path / "my cars.csv", text(cars()))
    assert untaint("clean", "my cars.csv", "-t", "price", "--seed", "3").code == 0
    found = outcome(tmp_path / "my cars-untaint")
    assert found["source"] == "my cars.csv"
    assert (found["task"], found["target"], found["seed"]) == ("regression", "price", 3)
    assert (found["rows"], found["judged"], found["flagged"]) == (60, 60, 3)
    assert found["command"] == "untaint clean 'my cars.csv' -t price --seed 3"
    assert [column["name"] for column in found["columns"]] == list(NAMES)


@pytest.mark.parametrize("kind", ["labels", pytest.param("numeric", marks=pytest.mark.slow)])
def test_the_same_command_writes_the_same_bytes(untaint, tmp_path, monkeypatch, kind):
    content = text(cars()) if kind == "numeric" else text(labelled(), TREES)
    target = "price" if kind == "numeric" else "species"
    words = ["clean", "data.csv", "-t", target, "-q"]
    write(tmp_path / "data.csv", content)
    assert untaint(*words).code == 0
    trees = [snapshot(tmp_path)]
    (tmp_path / "data-untaint").rename(tmp_path.with_name(f"{tmp_path.name}-first"))
    tomorrow = time.time() + 86_400.0
    monkeypatch.setattr(time, "time", lambda: tomorrow)
    if kind == "numeric":  # other addresses in memory, another hash of text
        program = [sys.executable, "-c", "import sys; from untaint.cli.main import main; main()"]
        subprocess.run([*program, *words], check=True, env={**os.environ, "PYTHONHASHSEED": "7"})
    else:
        assert untaint(*words).code == 0
    trees.append(snapshot(tmp_path))
    assert trees[0].keys() == trees[1].keys()
    assert [name for name in trees[0] if trees[0][name] != trees[1][name]] == []


def test_nothing_outside_the_output_directory_is_touched(untaint, tmp_path):
    write(tmp_path / "cars.csv", text(cars()))
    write(tmp_path / ".untaint" / "mine.txt", "not yours")
    before = snapshot(tmp_path)
    assert untaint("clean", "cars.csv", "-t", "price", "-o", "a/b/out", *KNOWN).code == 0
    after = snapshot(tmp_path)
    assert {place: after[place] for place in before} == before
    made = {place for place in after.keys() - before.keys() if place not in ("a", "a/b", "a/b/out")}
    assert made == {f"a/b/out/{name}" for name in FILES}


def test_a_second_run_replaces_the_files_of_the_first(untaint, tmp_path):
    write(tmp_path / "cars.csv", text(cars()))
    assert untaint("clean", "cars.csv", "-t", "price").code == 0
    write(tmp_path / "cars-untaint" / "notes.txt", "of the user")
    write(tmp_path / "cars.csv", text(cars(wrong=2)))
    assert untaint("clean", "cars.csv", "-t", "price").code == 0
    out = tmp_path / "cars-untaint"
    assert {path.name for path in out.iterdir()} == FILES | {"notes.txt"}
    assert outcome(out)["flagged_rows"] == [1, 2]
    assert not any(path.is_symlink() for path in out.iterdir())


def test_files_of_somebody_else_are_not_overwritten(untaint, refused, tmp_path):
    write(tmp_path / "cars.csv", text(cars()))
    write(tmp_path / "here" / "report.html", "my own")
    message = refused("clean", "cars.csv", "-t", "price", "-o", "here")
    assert "report.html is there already" in message
    assert "--force" in message
    assert untaint("clean", "cars.csv", "-t", "price", "-o", "here", "--force", *KNOWN).code == 0
    assert {path.name for path in (tmp_path / "here").iterdir()} == FILES


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("way", ["its name", "a symbolic link", "a hard link"])
def test_its_own_input_is_never_overwritten(refused, tmp_path, force, way):
    data = write(tmp_path / "out" / "cleaned.csv", text(cars()))
    if way != "its name":
        data = tmp_path / "cars.csv"
        if way == "a symbolic link":
            data.symlink_to("out/cleaned.csv")
        else:
            data.hardlink_to(tmp_path / "out" / "cleaned.csv")
    message = refused("clean", data, "-t", "price", "-o", "out", *force)
    assert "cleaned.csv there is the data itself" in message


def test_a_directory_in_the_place_of_a_file_is_refused(refused, tmp_path):
    write(tmp_path / "cars.csv", text(cars()))
    (tmp_path / "out" / "report.html").mkdir(parents=True)
    assert "report.html" in refused("clean", "cars.csv", "-t", "price", "-o", "out", "--force")


def test_a_stranger_s_hidden_directory_is_left_alone(refused, tmp_path):
    write(tmp_path / "cars.csv", text(cars()))
    write(tmp_path / "out" / ".untaint" / "settings.ini", "of another program")
    assert ".untaint: file exists" in refused("clean", "cars.csv", "-t", "price", "-o", "out")


def test_contamination_flags_that_share(untaint, tmp_path):
    write(tmp_path / "cars.csv", text(cars()))
    assert untaint("clean", "cars.csv", "-t", "price", "--contamination", "0.1").code == 0
    found = outcome(tmp_path / "cars-untaint")
    assert found["flagged"] == 6
    assert {1, 2, 3} <= set(found["flagged_rows"])
    assert found["interval"] is None


@pytest.mark.parametrize("share", ["0", "0.004"])
def test_a_share_of_no_row_flags_none(untaint, tmp_path, share):
    write(tmp_path / "cars.csv", text(cars()))
    ran = untaint("clean", "cars.csv", "-t", "price", "--contamination", share)
    assert ran.code == 0
    assert "None of 60 rows of cars.csv looks wrong." in ran.out


def test_ignore_leaves_columns_out(untaint, tmp_path):
    write(tmp_path / "cars.csv", text(cars()))
    ran = untaint("clean", "cars.csv", "-t", "price", "--ignore", "fuel", "--ignore", "km", *KNOWN)
    assert ran.code == 0
    used = {
        column["name"]: column["used"] for column in outcome(tmp_path / "cars-untaint")["columns"]
    }
    assert used == {"age": True, "km": False, "fuel": False, "price": True}


def test_text_targets_are_labels(untaint, tmp_path):
    write(tmp_path / "trees.csv", text(labelled(), TREES))
    ran = untaint("clean", "trees.csv", "-t", "species", *CONTAMINATION)
    assert ran.code == 0
    found = outcome(tmp_path / "trees-untaint")
    assert (found["task"], found["flagged_rows"]) == ("classification", [1, 2, 3, 4, 5, 6])
    assert "species is ash, but rows like it are oak." in ran.out


def test_rows_have_one_number_and_one_name_in_every_output(untaint, tmp_path):
    names = ("offer", *NAMES)
    rows = [[f"UC-{97 * i % 1213}", *row] for i, row in enumerate(cars(1200))]
    rows[1099][4] = "1"
    write(tmp_path / "cars.csv", text(rows, names))
    ran = untaint("clean", "cars.csv", "-t", "price")
    assert ran.code == 0
    out = tmp_path / "cars-untaint"
    flagged = {line["row"]: line["offer"] for line in read_csv(out / "flagged.csv")}
    assert flagged["1100"] == rows[1099][0]
    assert 1100 in outcome(out)["flagged_rows"] and outcome(out)["identifier"] == "offer"
    assert any(line.split()[:2] == ["1100", rows[1099][0]] for line in ran.out.splitlines())
    assert ran.out.count("Rows count from 1") == 1
    page = (out / "report.html").read_text("utf-8")
    assert f'"name":"{rows[1099][0]}","number":1100' in page


def test_doubt_comes_first(untaint, tmp_path):
    rng = np.random.default_rng(0)
    rows = [[f"{a:.3f}", f"{b:.3f}", f"{c:.3f}"] for a, b, c in rng.normal(size=(200, 3))]
    write(tmp_path / "noise.csv", text(rows, ("a", "b", "c")))
    ran = untaint("clean", "noise.csv", "-t", "c", "--contamination", "0.3")
    doubt = outcome(tmp_path / "noise-untaint")["doubt"]
    assert doubt is not None and ran.out.startswith(f"Doubt: {doubt[:20]}")
    page = (tmp_path / "noise-untaint" / "report.html").read_text("utf-8")
    main = page.split("<main", 1)[1]
    assert 0 < main.index('class="doubt"') < main.index("<h1")


@pytest.mark.parametrize("words", [("yes", "no"), ("True", "False"), ("1", "0")])
def test_two_values_are_labels(untaint, tmp_path, words):
    rows = changed(labelled(), 2, lambda _, species: words[species == "oak"])
    write(tmp_path / "trees.csv", text(rows, ("width", "height", "is_oak")))
    ran = untaint("clean", "trees.csv", "-t", "is_oak")
    assert ran.code == 0
    found = outcome(tmp_path / "trees-untaint")
    assert found["task"] == "classification"
    assert ("use --task regression" in ran.out) == words[0].isdigit()
    assert {row["expected"] for row in read_csv(tmp_path / "trees-untaint/flagged.csv")} <= {*words}


def test_few_whole_numbers_ask_for_the_task_unless_it_is_given(untaint, tmp_path):
    grades = np.random.default_rng(0).permutation(60) % 5 + 1
    rows = [[f"{g + 0.01 * i % 1:.2f}", f"{i % 7}.5", str(g)] for i, g in enumerate(grades)]
    write(tmp_path / "g.csv", text(rows, ("a", "b", "grade")))
    assert (
        "if the values are class labels, use --task classification"
        in untaint("clean", "g.csv", "-t", "grade").out
    )
    ran = untaint("clean", "g.csv", "-t", "grade", "--task", "regression")
    assert ran.code == 0
    assert "--task" not in ran.out
    assert outcome(tmp_path / "g-untaint")["task"] == "regression"


def test_rows_without_a_target_are_set_aside_and_stay(untaint, tmp_path):
    content = text(changed(cars(), 3, lambda i, price: "" if i in (5, 6) else price)).encode()
    write(tmp_path / "cars.csv", content)
    ran = untaint("clean", "cars.csv", "-t", "price")
    assert ran.code == 0
    assert "Rows without a target, set aside: 2" in ran.out
    out = tmp_path / "cars-untaint"
    assert (out / "cleaned.csv").read_bytes() == without(content, [1, 2, 3])
    found = outcome(out)
    assert (found["rows"], found["judged"], found["set_aside"]) == (60, 58, 2)


def test_a_table_of_all_kinds_of_columns(untaint, tmp_path):
    rng = np.random.default_rng(1)
    rows = [
        [
            f"A-{i:05d}",
            *row[:2],
            "" if i % 11 == 5 else row[2],
            f"2024-{i % 12 + 1:02d}-{i % 28 + 1:02d}",
            "yes" if rng.random() < 0.5 else "no",
            "EU",
            row[1],
            "" if i % 7 == 3 else f"{rng.normal():.3f}",
            "",
            row[3],
        ]
        for i, row in enumerate(cars())
    ]
    names = [
        "id",
        "age",
        "km",
        "fuel",
        "sold",
        "dealer",
        "region",
        "km2",
        "noise",
        "nothing",
        "price",
    ]
    write(tmp_path / "cars.csv", text(rows, names))
    assert untaint("clean", "cars.csv", "-t", "price").code == 0
    found = outcome(tmp_path / "cars-untaint")
    assert found["flagged_rows"] == [1, 2, 3]
    kinds = {column["name"]: column["kind"] for column in found["columns"]}
    assert kinds == {
        "id": "identifier",
        "age": "number",
        "km": "number",
        "fuel": "category",
        "sold": "date",
        "dealer": "boolean",
        "region": "constant",
        "km2": "duplicate",
        "noise": "number",
        "nothing": "empty",
        "price": "number",
    }
    new = write(tmp_path / "new.csv", text([row[:-1] for row in rows], names[:-1]))
    ran = untaint("predict", "cars-untaint/model.skops", new)
    assert (ran.code, ran.out.count("\n")) == (0, 61)


def test_a_label_that_one_row_has_is_flagged(untaint, tmp_path):
    rows = changed(labelled(wrong=0), 2, lambda i, s: "aok" if i == 3 else s)
    write(tmp_path / "trees.csv", text(rows, TREES))
    ran = untaint("clean", "trees.csv", "-t", "species")
    assert ran.code == 0
    assert outcome(tmp_path / "trees-untaint")["flagged_rows"] == [4]
    assert "'aok' looks like a misspelling of 'oak'" in ran.out


@pytest.mark.parametrize(("count", "share"), [(2, "auto"), (2, "0.1"), (3, "0.1")])
def test_rare_labels_are_no_obstacle(untaint, tmp_path, count, share):
    rows = changed(labelled(), 2, lambda i, s: "yew" if 10 <= i < 10 + count else s)
    write(tmp_path / "trees.csv", text(rows, TREES))
    assert untaint("clean", "trees.csv", "-t", "species", "--contamination", share).code == 0


@pytest.mark.parametrize("n", [10, 21, 49])
def test_few_rows_are_enough(untaint, tmp_path, n):
    write(tmp_path / "cars.csv", text(cars(n, wrong=1)))
    assert untaint("clean", "cars.csv", "-t", "price").code == 0


def test_one_implausible_row_among_good_ones_is_flagged(untaint, tmp_path):
    rows = changed(cars(wrong=0), 1, lambda i, km: f"{km}000" if i == 7 else km)
    write(tmp_path / "cars.csv", text(rows))
    assert untaint("clean", "cars.csv", "-t", "price").code == 0
    assert outcome(tmp_path / "cars-untaint")["flagged_rows"] == [8]


def test_labels_that_are_all_explained_have_no_worst_rows(untaint, tmp_path):
    rows = changed(labelled(wrong=0), 2, lambda _, species: species)
    rows = changed(rows, 0, lambda i, _: f"{i % 3}")
    write(tmp_path / "trees.csv", text(rows, TREES))
    assert untaint("clean", "trees.csv", "-t", "species", "--contamination", "0.1").code == 0
    assert outcome(tmp_path / "trees-untaint")["flagged"] <= 9


def test_quiet_says_nothing_and_the_report_is_found(untaint, tmp_path):
    write(tmp_path / "cars.csv", text(cars(60)))
    assert untaint("clean", "cars.csv", "-t", "price", "-q", *KNOWN) == (0, "", "")
    assert untaint("report", "cars-untaint") == (0, "cars-untaint/report.html\n", "")
