"""Seeds of any size."""

import json

import pytest
from cli_tables import cars, text, write


@pytest.mark.parametrize("learner", ["kernel", "trees"])
def test_a_seed_of_any_size_works_and_is_reported(untaint, tmp_path, learner):
    write(tmp_path / "cars.csv", text(cars()))
    seed = 2**80 + 1
    words = ("-t", "price", "--contamination", "0.05", "--learner", learner, "--seed", seed)
    assert untaint("clean", "cars.csv", *words).code == 0
    summary = json.loads((tmp_path / "cars-untaint" / "summary.json").read_text())
    assert summary["seed"] == seed
