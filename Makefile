# Every target sets up what it needs; nothing needs root.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup test check lock

setup: $(VENV)/.ready

$(VENV)/.ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

test: setup
	$(BIN)/python -m pytest -m "not slow"

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

lock:
	uv lock
	uv export --format requirements-txt --no-header --no-emit-project --all-extras --all-groups -o requirements.lock
