# Two commands for a fresh machine: `make run` and `make test`. Both set up everything they need.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
DATA   ?= ../shared/data
PORT   ?= 8501

.PHONY: run test models lint clean

run: $(VENV)/.run-ready
	$(BIN)/streamlit run app.py --server.port $(PORT)

test: $(VENV)/.test-ready browser
	$(BIN)/ruff check .
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile  # two processes of one thread each: torch threads that share cores crawl

# Python by ruff, the JavaScript of the views by TypeScript's checker: no JavaScript is ever compiled.
lint: $(VENV)/.test-ready
	$(BIN)/ruff check .
	npm ci --no-audit --no-fund --silent
	npx --no-install tsc --project .

# Retrain every bundled model from the data in DATA; runs resume from runs/.
models: $(VENV)/.train-ready
	for recipe in stories-rope stories-gpt indexer zoo streams translation; do $(BIN)/python -m tlmviz.training $$recipe --data $(DATA) || exit 1; done

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run-ready: requirements.txt | $(BIN)/python
	$(BIN)/pip install --disable-pip-version-check -q -r requirements.txt
	touch $@

$(VENV)/.test-ready: requirements.txt requirements-dev.txt | $(BIN)/python
	$(BIN)/pip install --disable-pip-version-check -q -r requirements.txt -r requirements-dev.txt
	touch $@ $(VENV)/.run-ready

$(VENV)/.train-ready: requirements.txt requirements-train.txt | $(BIN)/python
	$(BIN)/pip install --disable-pip-version-check -q -r requirements.txt -r requirements-train.txt
	touch $@ $(VENV)/.run-ready

# The browser tests drive Debian's Chromium where there is one, else Playwright's own.
.PHONY: browser
browser: $(VENV)/.test-ready
	@command -v chromium >/dev/null 2>&1 || { \
	  if command -v apt-get >/dev/null 2>&1 && [ "$$(id -u)" = 0 ]; then \
	    apt-get update -q && apt-get install -y -q --no-install-recommends chromium; \
	  else $(BIN)/playwright install chromium; fi; }

clean:
	rm -rf $(VENV) .pytest_cache .hypothesis
