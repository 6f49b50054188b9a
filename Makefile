# Two commands for a fresh machine: `make run` and `make test`. Both set up everything they need, but for Python and node.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
DATA   ?= ../shared/data
PORT   ?= 8501
BASE   ?= HEAD
PIP    := $(BIN)/pip install --disable-pip-version-check -q
ERRORS := $(shell grep -o "^class [A-Za-z]*" tlmviz/errors.py | cut -c7-)
AXE    := node_modules/axe-core/axe.min.js
# A process a core, up to four (each takes 2 GB), of one thread: torch threads that share cores crawl.
# tests/conftest.py says which tests share a process, and in which order.
# One broken part that all pages share fails every flow, each after minutes of patience: 25 failures say enough, and three that
# fail again.
PROCESSES ?= $(shell $(PYTHON) -c "import os; print(min(4, os.cpu_count()))")
# Bytecode is kept whatever the shell says: the servers that tests start load 700 modules each.
PYTEST := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest
BESIDE := -n $(PROCESSES) --dist loadscope --no-loadscope-reorder --maxfail=25 --durations=30
# What fails beside others is asked once more, alone: what fails twice is red, what passes then is named as flaky.
ALONE  := --last-failed --last-failed-no-failures=none --maxfail=3
DEEPER := TLMVIZ_TESTS_STATES=20
FORGET := rm -f .pytest_cache/v/cache/lastfailed

.PHONY: run test all quick affected lint format docs texts models node browser nginx clean

run: $(VENV)/.run-ready
	$(BIN)/python -m tlmviz run --port $(PORT)

# The core: tests/rings.py says what is not in it.
test: node $(AXE) $(VENV)/.test-ready browser nginx
	$(BIN)/ruff check .
	$(FORGET)
	$(PYTEST) $(BESIDE) -m "not deep" || { test $$? = 1 && $(PYTEST) $(ALONE); }

# Both rings, and claims over twenty random states in place of six; red, too, where more than two flows of the browser needed
# a second try.
all: node $(AXE) $(VENV)/.test-ready browser nginx
	$(BIN)/ruff check .
	$(FORGET)
	$(DEEPER) $(PYTEST) $(BESIDE) --second-tries=2 || { test $$? = 1 && $(DEEPER) $(PYTEST) $(ALONE); }

# Everything but the pages and the browser, and of each page one launch.
quick: node $(VENV)/.test-ready
	$(PYTEST) $(BESIDE) --ignore=tests/browser --ignore-glob='tests/pages/*/*' -m "launch or not (pages or browser or deep)"

# The tests that the files changed since BASE reach, of both rings.
affected: node $(AXE) $(VENV)/.test-ready browser
	$(FORGET)
	files="$$($(BIN)/python -m tests.affected $(BASE))"; test -z "$$files" \
	  || $(PYTEST) $(BESIDE) $$files || { test $$? = 1 && $(PYTEST) $(ALONE); }

# Python by ruff and mypy, the JavaScript of the views by TypeScript's checker: no JavaScript is ever compiled.
lint: node $(AXE) $(VENV)/.test-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	npx --no-install tsc --project .

format: $(VENV)/.test-ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The table of docs/pages.md, written anew from pages/__init__.py, and the documentation site, in site/. Its pages show the
# pictures of the repository; `make docs PICTURES=1` takes new ones, in minutes. `make docs APP=URL`: where links to the app lead.
docs: $(VENV)/.docs-ready $(if $(PICTURES),$(VENV)/.test-ready browser)
	$(BIN)/python -m docs.page_table
	OMP_NUM_THREADS=1 $(BIN)/python -m docs.build_site $(if $(PICTURES),--pictures) $(if $(APP),--app $(APP))

# All sentences that a visitor reads, of Python and of JavaScript, for a translator.
texts: $(VENV)/.docs-ready
	$(BIN)/pybabel -q extract -F docs/babel.cfg -k N_ -k _ -k ngettext:1,2 $(foreach error,$(ERRORS),-k $(error)) -o texts.pot pages tlmviz

# Retrain every bundled model from the data in DATA; runs resume from runs/.
models: $(VENV)/.train-ready
	for recipe in stories-rope stories-gpt stories-induction indexer zoo warm-up half streams experts stories-mtp translation words pointers latents stories-encoder scenes; do $(BIN)/python -m tlmviz.training $$recipe --data $(DATA) || exit 1; done

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "tlmviz needs Python 3.11 or newer, and $(PYTHON) is not; name another one: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run-ready: requirements.txt | $(BIN)/python
	$(PIP) -r requirements.txt
	touch $@

$(VENV)/.test-ready: requirements.txt requirements-dev.txt | $(BIN)/python
	$(PIP) -r requirements.txt -r requirements-dev.txt
	touch $@ $(VENV)/.run-ready

$(VENV)/.docs-ready: requirements.txt requirements-docs.txt | $(BIN)/python
	$(PIP) -r requirements.txt -r requirements-docs.txt
	touch $@ $(VENV)/.run-ready

$(VENV)/.train-ready: requirements.txt requirements-train.txt | $(BIN)/python
	$(PIP) -r requirements.txt -r requirements-train.txt
	touch $@ $(VENV)/.run-ready

# What the browser tests look at pages with, as a screen reader's user would.
$(AXE): package-lock.json | node
	npm ci --no-audit --no-fund --silent
	touch $@

node:
	@command -v node >/dev/null 2>&1 || { \
	  echo "The tests of the JavaScript need node, which is not installed; get it from your package manager or https://nodejs.org" >&2; exit 1; }

# The browser tests drive Debian's Chromium, its shell without windows where there is one, else Playwright's own.
browser: $(VENV)/.test-ready
	@{ command -v chromium && command -v chromium-headless-shell; } >/dev/null 2>&1 || { \
	  if command -v apt-get >/dev/null 2>&1 && [ "$$(id -u)" = 0 ]; then \
	    apt-get update -q && apt-get install -y -q --no-install-recommends chromium chromium-headless-shell \
	      || apt-get install -y -q --no-install-recommends chromium; \
	  else command -v chromium >/dev/null 2>&1 || $(BIN)/playwright install chromium; fi; }

# For the tests of `tlmviz serve` with several processes; where there is none and no Debian, they are skipped and say so.
nginx:
	@command -v nginx >/dev/null 2>&1 || test -x /usr/sbin/nginx || { \
	  if command -v apt-get >/dev/null 2>&1 && [ "$$(id -u)" = 0 ]; then \
	    apt-get update -q && apt-get install -y -q --no-install-recommends nginx-light; fi; }

clean:
	rm -rf $(VENV) .pytest_cache .hypothesis .mypy_cache .ruff_cache dist build site
