# Two commands do everything on a machine that has Python 3.11+ and make:  make demo  and  make test
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help demo site dist test lint types arrows docs unit rest coverage conformance browser compat whole bench fuzz format clean

# Tests start hundreds of Python processes: without compiled files each of them would compile the package again.
export PYTHONDONTWRITEBYTECODE :=

help: ## show these targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Penstock needs Python 3.11 or later: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[exact,http]' --group dev
	@touch $(READY)

# The demo needs the package and what it depends on, nothing else: a few seconds where the test environment takes a minute.
DEMO := .demo
DEMO_READY := $(DEMO)/.ready

$(DEMO_READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Penstock needs Python 3.11 or later: make PYTHON=python3.12 ...")'
	@echo "Making an environment for the demo in $(DEMO) ..."
	@$(PYTHON) -m venv $(DEMO)
	@echo "Installing Penstock and its dependencies there ..."
	@$(DEMO)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt .
	@touch $(DEMO_READY)

demo: $(if $(wildcard $(READY)),$(READY),$(DEMO_READY)) ## see the gateway at work in front of a real server
	@$(dir $<)bin/penstock demo

# The tools that build and check a release, and the environments they make, stay out of the test environment.
# The documentation as a site, by a generator in an environment of its own; every link that leads nowhere is an error.
SITE := .site/env
$(SITE)/.ready: constraints.txt
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt zensical
	@touch $@

site: $(SITE)/.ready ## build the documentation as a site into .site/html, strictly
	$(SITE)/bin/zensical build --strict --config-file mkdocs.yml

dist: ## build the sdist and the wheels, check them, and run the demo from each in an environment of its own
	$(PYTHON) scripts/distribution.py

# The types are checked by one process: beside the tests, which wait now and then, that takes half a minute less.
test: $(READY) ## lint, types, import arrows, docs, and the test suite
	@$(MAKE) --no-print-directory --jobs 2 lint types arrows docs unit

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

arrows: $(READY)
	$(BIN)/lint-imports --no-cache

docs: $(READY)
	$(BIN)/python -m scripts.settings_reference --check
	$(BIN)/python -m scripts.command_pages --check
	$(BIN)/python -m scripts.settings_types --check
	$(BIN)/python -m scripts.settings_schema --check

# Two processes more than there are cores: many tests wait for other processes. tests/conftest.py says which tests share one.
TESTED := $(BIN)/python -m pytest -n $(shell echo $$(( $$(nproc 2>/dev/null || echo 2) + 2 )))
# Tests of the core: these alone have to cover all of it.
CORE := tests/core tests/gate tests/properties tests/regressions
# Tests with targets of their own: the official suite, and what needs parts that other people wrote (marked compat).
CONFORMANCE := tests/interaction/test_conformance.py
UNIT := -m 'not compat' --ignore=tests/interaction --ignore=tests/scale --ignore=tests/browser

unit: $(READY)
	$(TESTED) $(UNIT)

rest: $(READY) ## run the tests that coverage does not run: with it, CI runs every test once
	$(TESTED) $(UNIT) $(CORE:%=--ignore=%)

coverage: $(READY) ## run the tests of the core and measure its branch coverage by them: 100 %
	$(BIN)/coverage erase
	$(TESTED) -m 'not compat' --cov --cov-report= $(CORE)
	$(BIN)/coverage report --include='*/penstock/core/*' --fail-under=100

conformance: $(READY) ## run the official conformance suite, direct and through the gateway
	$(TESTED) $(CONFORMANCE)

browser: $(READY) ## use the page of penstock ui in Chromium: installs it by apt where it is missing, and axe-core by npm
	$(BIN)/python scripts/browser_parts.py
	$(BIN)/python -m pytest tests/browser

compat: $(READY) ## talk to servers, clients, frameworks and language servers of others, and to replicas under load
	$(TESTED) -m compat $(CONFORMANCE:%=--ignore=%) --ignore=tests/browser

whole: $(READY) ## measure the coverage of the rest by all tests: 95 %
	$(BIN)/coverage erase
	$(TESTED) --cov --cov-report= --ignore=tests/browser
	$(BIN)/coverage report --omit='*/penstock/core/*' --fail-under=95

bench: $(READY) ## run the benchmarks: each line is a ratio to a baseline in the same run
	@for file in bench/*.py bench/examples/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

SECONDS ?= 60
fuzz: $(READY) ## fuzz for SECONDS=60, all targets or TARGET=gate, from the clock's seed or SEED=7; ONCE=1 prints one case
	$(BIN)/python -m tests.fuzz $(SECONDS) $(if $(SEED),--seed $(SEED)) $(if $(TARGET),--target $(TARGET)) $(if $(ONCE),--once)

format: $(READY) ## format the code and apply the safe fixes
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove what the other targets made
	rm -rf $(VENV) $(DEMO) .dist .site .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage* .real .bench dist
