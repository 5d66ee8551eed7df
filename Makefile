# Each target sets up what it needs in .venv and then does its job.
# "make" alone lists them.

VENV ?= .venv
VERSIONS := 3.11 3.12 3.13
# The interpreter that .venv is made from: "python3", if its version is listed.
PYTHON ?= $(shell .ci/find-python $(VERSIONS))
PYTEST_ARGS ?= -n auto
MINUTES ?= 10
BIN := $(VENV)/bin

# What is imported is compiled once, and not by each process that a test starts.
unexport PYTHONDONTWRITEBYTECODE

# One thread, so that a ratio compares code and not schedules; a malloc that
# keeps its memory, so that no repetition pays for page faults of another.
BENCH_ENV := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 \
	MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=2147483647 \
	MALLOC_TOP_PAD_=67108864

.PHONY: help environment demo test test-all test-bridges test-mpi check lint types docs bench check-formulas fuzz format clean

help:
	@echo "make demo      train a network on handwritten digits with a generated gradient"
	@echo "make test      run all tests"
	@echo "make check     tests, ruff, pyright and the docs"
	@echo "make test-all  run all cases of all tests, on each of Python $(VERSIONS) that is installed"
	@echo "make test-bridges  run the tests of PyTorch, JAX and the array API, with these installed"
	@echo "make test-mpi  run the tests on several ranks, with mpi4py installed, and Open MPI if it can be"
	@echo "make bench     time generated code against code written by hand and other tools, and write docs/benchmarks.md"
	@echo "make check-formulas  compare all second and third derivatives of the formulas"
	@echo "make fuzz      differentiate random programs for $(MINUTES) minutes (MINUTES=…)"
	@echo "make docs      build the documentation into build/site"
	@echo "make format    lay out the code with ruff"
	@echo "make clean     remove everything that was built"

# Each set of packages is installed once and again when pyproject.toml changes. Most of their
# modules are never imported; the others are compiled when they are.
$(VENV)/pyvenv.cfg:
	@test -n "$(PYTHON)" || { echo "srcgrad needs one of Python $(VERSIONS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(VENV)/pyvenv.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[cli,examples]'
	@touch $@

$(VENV)/.test: $(VENV)/pyvenv.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[test]'
	@touch $@

$(VENV)/.bridges: $(VENV)/pyvenv.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[test,torch,jax,array-api]'
	@touch $@

$(VENV)/.mpi: $(VENV)/pyvenv.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[test,mpi]'
	@touch $@

$(VENV)/.dev: $(VENV)/pyvenv.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[dev]'
	@touch $@

# All of these but the next at once, which resolves and builds once.
environment: $(VENV)/pyvenv.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[dev,torch,jax,array-api,mpi]'
	@touch $(addprefix $(VENV)/,.demo .test .bridges .mpi .dev)

$(VENV)/.bench: $(VENV)/pyvenv.cfg pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[bench]'
	@touch $@

demo: $(VENV)/.demo
	$(BIN)/python examples/digits.py

test: $(VENV)/.test
	$(BIN)/python -m pytest $(PYTEST_ARGS)

test-all:
	@failed=""; \
	for version in $(VERSIONS); do \
		if python=$$(.ci/find-python $$version); then \
			echo "== Python $$version"; \
			$(MAKE) test VENV=.venvs/$$version PYTHON="$$python" PYTEST_ARGS="$(PYTEST_ARGS) --all" \
				|| failed="$$failed $$version"; \
		else \
			echo "== Python $$version is not installed: skipped"; \
		fi; \
	done; \
	test -z "$$failed" || { echo "failed on:$$failed"; exit 1; }

test-bridges: $(VENV)/.bridges
	$(BIN)/python -m pytest $(PYTEST_ARGS) --all tests/torch tests/test_array_api.py
	$(BIN)/python -m pytest tests/docs -k torch

# Without mpirun these tests are skipped; where it may be installed, it is.
test-mpi: $(VENV)/.mpi
	@command -v mpirun >/dev/null || test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null || \
		{ apt-get update -qq && apt-get install -y -qq openmpi-bin libopenmpi-dev; } >/dev/null 2>&1 \
		|| echo "Open MPI could not be installed"
	$(BIN)/python -m pytest tests/mpi tests/examples/test_waves_on_ranks.py
	$(BIN)/python -m pytest tests/docs -k mpi

check: test lint types docs

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/pyright

docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --config-file docs/site/mkdocs.yml

bench: $(VENV)/.bench
	$(BENCH_ENV) $(BIN)/python -m tests.benchmarks

check-formulas: $(VENV)/.test
	$(BIN)/python -m tests.formulas.orders

fuzz: $(VENV)/.test
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

format: $(VENV)/.dev
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) .venvs build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
