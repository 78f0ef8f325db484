# Each target makes the environment it needs: on a fresh machine with Python 3.11+, pip and make,
# `make demo` and `make test` are all there is to type. `make help` lists the targets.

PYTHON ?= python3
OUT    ?= out
PYTEST_ARGS ?=
FUZZ_ARGS ?=
# Options for the pip call that installs torch, for example an index of CPU-only builds.
PIP_TORCH_OPTIONS ?=

VENV := .venv
BIN  := $(VENV)/bin
# Compiled is what is imported, then: half of the time went into files that nobody reads.
PIP  := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
# A process for each processor, of one BLAS thread and some 600 MB; who is done takes over from the
# others. For one process, say to debug: make test PYTEST_ARGS="-n 0 --pdb -k name"
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
  $(BIN)/python -m pytest --numprocesses auto --maxprocesses 8 --dist worksteal
TORCH := torch==2.13.0
# What grades a class, with what only it needs: the rest is there for JupyterLab.
NBGRADER := nbgrader==0.9.6 SQLAlchemy alembic Mako RapidFuzz
# Tests start many processes. Each would compile the package anew if Python might keep nothing.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test slow notebooks fuzz check format bench gallery stubs operators docs test-docs clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.run  ## Train on real digits, record one backward pass, draw it into out/
	@$(BIN)/glassgrad demo --out $(OUT)

test: $(VENV)/.test  ## Run the test suite, with PyTorch as the oracle
	@$(PYTEST) $(PYTEST_ARGS)

slow: $(VENV)/.grading  ## Run the tests that `make test` leaves out: long ones, and more cases of the others
	@$(PYTEST) -m slow $(PYTEST_ARGS)

notebooks: $(VENV)/.test  ## Run the chapters of the course, their exercises and pages (CHAPTER=05: one)
	@GLASSGRAD_CHAPTER=$(CHAPTER) $(PYTEST) tests/course/test_chapters.py tests/notebooks

fuzz: $(VENV)/.test  ## Play 20,000 random programs in glassgrad and in PyTorch (FUZZ_ARGS="--seed 7")
	@PYTHONPATH=tests OMP_NUM_THREADS=1 $(BIN)/python -m fuzz $(FUZZ_ARGS)

check: $(VENV)/.check  ## Formatting, lint, types, layers
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(VENV)/.check  ## Put the code into its one format and mend what lint can mend
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/.bench  ## Measure against NumPy, PyTorch, autograd and MyGrad; write benchmarks/RESULTS.md
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(BIN)/python -m benchmarks

gallery: $(VENV)/.run  ## Draw the gallery, eighteen pictures, into docs/images/
	@$(BIN)/python docs/gallery.py

stubs: $(VENV)/.run  ## Write down for editors and mypy what follows from declarations of ops and modules
	@$(BIN)/python docs/stubs.py

operators: $(VENV)/.test  ## Time each operator on PyTorch's samples; write docs/operators.csv
	@PYTHONPATH=tests OMP_NUM_THREADS=1 $(BIN)/python docs/operators.py

docs: $(VENV)/.docs  ## Build the documentation into site/
	@NO_MKDOCS_2_WARNING=1 OMP_NUM_THREADS=1 $(BIN)/mkdocs build --strict

test-docs: docs $(VENV)/.test  ## Build the documentation, then visit every page of it in Chromium
	@GLASSGRAD_SITE=site $(PYTEST) tests/docs $(PYTEST_ARGS)

clean:  ## Remove the environment, caches and what the demo wrote
	rm -rf $(VENV) out site build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# --- environments: one .venv, one stamp for each thing installed into it --------------------------
# A stamp is older than pyproject.toml once that changes, and then the step is done again.

# Debian parts venv's pip from Python (package python3-venv). Without it, the machine's own pip can
# still put a pip into an environment made bare.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "glassgrad needs Python 3.11 or newer; '$(PYTHON)' is missing or older." >&2; \
	  echo "Name another one: make PYTHON=/path/to/python3.11 …" >&2; exit 1; }
	@test -x $(BIN)/python && $(BIN)/python -m pip --version >/dev/null 2>&1 \
	  || $(PYTHON) -m venv --clear $(VENV) >/dev/null 2>&1 \
	  || { $(PYTHON) -m venv --clear --without-pip $(VENV) \
	       && $(PYTHON) -m pip --python $(BIN)/python install --quiet pip; } \
	  || { rm -rf $(VENV); \
	       echo "$(PYTHON) can make no virtual environment here." >&2; \
	       echo "On Debian and Ubuntu: apt-get install python3-venv; then run make again." >&2; exit 1; }
	@touch $@

$(VENV)/.run: $(VENV)/.made pyproject.toml
	@echo "installing glassgrad into $(VENV) …"
	@$(PIP) --editable .
	@touch $@

$(VENV)/.check: $(VENV)/.run
	@echo "installing ruff, mypy and import-linter into $(VENV) …"
	@$(PIP) --editable '.[check]'
	@touch $@

$(VENV)/.torch: $(VENV)/.made
	@echo "installing $(TORCH) into $(VENV) (large) …"
	@$(PIP) $(TORCH) $(PIP_TORCH_OPTIONS)
	@touch $@

$(VENV)/.test: $(VENV)/.run $(VENV)/.torch
	@echo "installing what the tests need into $(VENV) …"
	@$(PIP) --editable '.[test]'
	@touch $@

# In a folder of its own: in the environment, JupyterLab would load its extensions in every test.
$(VENV)/.grading: $(VENV)/.test
	@echo "installing nbgrader into $(VENV)/grading …"
	@$(PIP) --target $(VENV)/grading --upgrade --no-deps $(NBGRADER)
	@touch $@

$(VENV)/.bench: $(VENV)/.run $(VENV)/.torch
	@echo "installing what the benchmarks compare with into $(VENV) …"
	@$(PIP) --editable '.[bench]'
	@touch $@

$(VENV)/.docs: $(VENV)/.run
	@echo "installing what builds the documentation into $(VENV) …"
	@$(PIP) --editable '.[docs]'
	@touch $@
