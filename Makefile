PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
WRITER := $(VENV)/.writer
EXTRAS := dev,plot

.DEFAULT_GOAL := help
.PHONY: help demo test slow check coverage lint types docs bench test-bench wheel clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s  %s\n", $$1, $$2 }' Makefile

demo: $(READY)  ## clean a simulated table, write a report, count what was caught
	@$(BIN)/untaint demo

# Commands and tests start many interpreters, which are quick only with compiled modules.
export PYTHONDONTWRITEBYTECODE =

# One worker for each core and one thread for each worker, lest every BLAS call claims all cores.
test slow coverage docs: export OMP_NUM_THREADS = 1
test: $(READY)  ## run tests and docstring examples, all but the slow ones; ARGS="-k kernels" runs a part
	@$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not slow" $(ARGS)

slow: $(READY)  ## run the slow tests: more configurations of what test checks already
	@$(BIN)/python -m pytest -q -n auto -m slow $(ARGS)

check: lint types test  ## all that must pass: ruff, mypy, tests

coverage: $(READY)  ## tests again, counting lines; fewer than 95 % is a failure
	@$(BIN)/python -m pytest -q -n auto -m "not slow" --cov=untaint --cov-report=term:skip-covered --cov-fail-under=95

lint: $(READY)  ## ruff alone
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(READY)  ## mypy alone
	@$(BIN)/mypy

docs: $(WRITER)  ## build the documentation, gallery included, into docs/_build/html
	@$(BIN)/python docs/theory/make_map.py
	@$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

test-bench: export OMP_NUM_THREADS = 1
test-bench: $(READY)  ## run the tests of the studies, which make test leaves out: a trial of every study
	@$(BIN)/mypy --exclude 'benchmarks/(tests|commands)' benchmarks
	@$(BIN)/python -m pytest -q -n auto benchmarks --ignore=benchmarks/commands $(ARGS)

bench: $(READY)  ## what can be measured; ARGS="NAME" runs it
	@$(BIN)/python -m benchmarks $(ARGS)

wheel: $(READY)  ## build sdist and wheel, check both, install with the oldest and the newest dependencies
	@rm -rf dist
	@$(BIN)/python -m pip install -qq --disable-pip-version-check build twine packaging
	@$(BIN)/python -m build --outdir dist . > /dev/null
	@$(BIN)/python -m twine check --strict dist/*
	@$(BIN)/python tools/check_wheel.py dist/*.whl $(ARGS)

clean:  ## remove .venv, caches and build products
	@rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@rm -rf docs/_build docs/gallery docs/api/generated
	@find src tests -name __pycache__ -prune -exec rm -rf {} +

$(READY): pyproject.toml
	@echo "Installing untaint and its development tools into $(VENV): about a minute, once"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --upgrade pip  # half the time of 23.2
	@$(BIN)/python -m pip install -qq --no-compile --disable-pip-version-check --editable '.[$(EXTRAS)]'
	@touch $@

$(WRITER): $(READY)
	@echo "Installing what the documentation is built with into $(VENV), once"
	@$(BIN)/python -m pip install -qq --no-compile --disable-pip-version-check --editable '.[docs]'
	@touch $@
