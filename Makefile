# Everything sets itself up: a virtual environment in .venv from the pinned lock file, then ctxd
# itself in place. Nothing but Python >= 3.11 and git has to be there.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TESTS ?= tests
PYTEST_FLAGS ?=
# Two a core: many tests wait for processes that they start.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(2 * (os.cpu_count() or 1))')

.PHONY: clients demo test long lint types format bench model lock packaging clean

demo: $(READY)
	$(BIN)/ctxd scan --items examples/sample-session
	$(BIN)/ctxd events examples/sample-session
	$(BIN)/python examples/demo.py

test: $(READY)
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m "not long" $(PYTEST_FLAGS) $(TESTS)

long: $(READY)
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m long $(PYTEST_FLAGS) $(TESTS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# CORPUS is a folder of session logs; the figures are relative, measured in one run.
bench: $(READY)
	$(BIN)/python tests/bench/ingest.py $(CORPUS)

# Trains daemon/ctxd/extract/model.json anew from the exchanges in tests/train/exchanges. Its tools
# are heavy and nobody else needs them, so they have a virtual environment of their own.
model: .venv-train/.ready
	PYTHONPATH=daemon:parsers:. .venv-train/bin/python -m tests.train.train
	PYTHONPATH=daemon:parsers:. .venv-train/bin/python -m tests.train.retained

.venv-train/.ready: requirements-dev.txt requirements-train.txt
	$(PYTHON) -m venv --clear .venv-train
	.venv-train/bin/python -m pip install --quiet --require-hashes --only-binary :all: -r requirements-dev.txt
	.venv-train/bin/python -m pip install --quiet --require-hashes --only-binary :all: -r requirements-train.txt
	touch $@

lock: $(READY)
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-header -q --extra reader pyproject.toml requirements-dev.in -o requirements-dev.txt
	$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-header -q requirements-train.in -o requirements-train.txt
	$(BIN)/python packaging/formula.py
	$(BIN)/python packaging/generate.py

# The agents' own clients, which long tests drive offline. Their install scripts are not run; one that
# cannot be had leaves the others.
CLIENTS = claude-code-2.1.332=@anthropic-ai/claude-code@2.1.332 \
  claude-code-2.1.197=@anthropic-ai/claude-code@2.1.197 \
  claude-code-2.0.77=@anthropic-ai/claude-code@2.0.77 \
  copilot-1.0.102=@github/copilot@1.0.102 \
  gemini-0.61.0=@google/gemini-cli@0.61.0 \
  codex-0.171.0=@openai/codex@0.171.0

clients:
	@for one in $(CLIENTS); do folder=.clients/$${one%%=*}; \
	  [ -f $$folder/.ready ] || { echo "installing $${one%%=*}" && rm -rf $$folder && \
	    npm install --prefix $$folder --ignore-scripts --no-audit --no-fund --loglevel error \
	      $${one#*=} && touch $$folder/.ready; } || exit 1; done

# What in packaging/ is made from the code and the commands.
packaging: $(READY)
	$(BIN)/python packaging/generate.py

clean:
	rm -rf $(VENV) .venv-train dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(READY): requirements-dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "error: ctxd needs Python 3.11 or newer, this is " + sys.version.split()[0] + "\n\nhint: make PYTHON=python3.12 ...")'
	@echo "setting up $(VENV): this takes half a minute, once"
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes --only-binary :all: -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@
