# make demo    everything on this machine, seeded; Ctrl-C stops it
# make test    the whole test suite, browser tests included
# make lint    style, types, Django's own checks
# make test-models    a model behind HTTP answers prompts: more packages, 90 MB of weights
# make bench   speed, as ratios within one run (some minutes; ARGS=--quick takes fewer)
# make audit   known weaknesses of the packages in use, asked of the package index
# make chaos   kill everything at random, 1,000 times (about 20 minutes; ARGS="--seed 7")
# make screenshots    every page in every state, light and dark, at four widths, to screenshots/
#                     (ARGS="--only task-" takes some; axe-core looks at each, too)
# make clean   remove .venv and caches (the data in var/ stay)

# The first Python that is new enough; PYTHON=... names another.
PYTHON := $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo "$$python" && break; done)
ifeq ($(PYTHON),)
PYTHON := python3
endif
VENV := .venv/bin/python

.PHONY: demo test test-models lint bench audit chaos screenshots clean install install-dev

demo: install
	@exec $(VENV) -m config.demo --with-parent

test: install-dev
	@exec $(VENV) -m tests.browser
	$(VENV) -m pytest -n 2

test-models: install-dev
	@exec $(PYTHON) config/install.py requirements-serve.txt
	$(VENV) -m pytest -n0 -m served tests/served

bench: install-dev
	@exec $(VENV) -m benchmarks $(ARGS)

audit: install-dev
	@exec $(VENV) -m tests.advisories

chaos: install-dev
	@exec $(VENV) -m tests.chaos --faults 1000 $(ARGS)

screenshots: install-dev
	@exec $(VENV) -m tests.browser
	@exec $(VENV) -m tests.scenes $(ARGS)

lint: install-dev
	$(VENV) -m ruff check .
	$(VENV) -m ruff format --check .
	.venv/bin/djade --check --target-version 5.2 $$(git ls-files 'templates/*.html' '*/templates/*.html' ':!templates/jinja2')
	$(VENV) -m mypy .
	$(VENV) manage.py check
	$(VENV) manage.py makemigrations --check --dry-run

install:
	@command -v $(PYTHON) >/dev/null || { echo "  Fabula needs Python 3.11 or newer; no python3 was found." >&2; exit 1; }
	@exec $(PYTHON) config/install.py requirements.txt

install-dev:
	@command -v $(PYTHON) >/dev/null || { echo "  Fabula needs Python 3.11 or newer; no python3 was found." >&2; exit 1; }
	@exec $(PYTHON) config/install.py requirements-dev.txt

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache staticfiles
