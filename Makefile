# SPDX-License-Identifier: GPL-2.0-or-later
# make demo: everything from nothing to the demo's table (as root, on Debian 12).
# make test: everything from nothing to passed tests.

# Debian's own interpreter, so that what works here works on a bare machine.
PYTHON ?= /usr/bin/python3
VENV := .venv
BIN := $(VENV)/bin

OURS := find . \( -name build -o -name .venv -o -name .git \) -prune -o -type f

# One more than there are processors: some of it waits for the network. Under a make that shares
# out jobs already, as many as that one has.
JOBS := $(shell expr $$(nproc) + 1)
SIDE_BY_SIDE = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))

.PHONY: demo test pytest pytest-beside check lint format build probe price lab clients setup \
	setup-tests docs docs-outputs demo-recording packages test-packages two-commands lock bench overhead \
	bench-lab proof soak check-compare mutants coverage kernels vagrant-test clean

demo: build
	@$(BIN)/polltrace demo

# First, beside each other, what disturbs nobody and can be disturbed: linters, compilers, the
# fuzzer, and of the tests those that keep to processes of their own. Then, by themselves, those
# that look at the whole host. What `make` says of its jobs is not for the makes in the tests.
test: setup-tests build $(VENV)/installed-dev
	@$(MAKE) -s --no-print-directory $(SIDE_BY_SIDE) --output-sync=target pytest-beside check lint
	MAKEFLAGS= $(BIN)/pytest $(BESIDE:%=--ignore=%)

BESIDE = tests/docs tests/kernels tests/lab tests/stacks tests/vagrant

pytest-beside: build clients
	MAKEFLAGS= $(BIN)/pytest $(BESIDE)

pytest: build clients $(VENV)/installed-dev
	$(BIN)/pytest

# The C under its sanitizers: unit tests, and from the packet to the answer a minute of fuzzing;
# `make soak` takes longer over that.
check: build
	@$(MAKE) -s --no-print-directory -C scenarios/lab check fuzz FUZZ_SECONDS=60
	@$(MAKE) -s --no-print-directory -C probes check

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(OURS) -name "*.[ch]" -print0 | xargs -0 clang-format --dry-run --Werror
	$(OURS) \( -name "*.sh" -o -path ./.ci/run \
		-o -path ./scenarios/vagrant/batch \) -print0 | xargs -0 shellcheck

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(OURS) -name "*.[ch]" -print0 | xargs -0 clang-format -i

# Side by side: SQLite alone, fetched and compiled, takes as long as all the rest.
build: setup
	@test -x scenarios/lab/build/oralab || echo "build: making the probe and the lab"
	@$(MAKE) -s --no-print-directory $(SIDE_BY_SIDE) lab $(VENV)/installed probe price

probe:
	@$(MAKE) -C probes

price:
	@$(MAKE) -C probes/price

lab:
	@$(MAKE) -C scenarios/lab

# The drivers' client programs for scenarios, where their toolchains are there.
clients:
	@$(MAKE) -s --no-print-directory -C scenarios/clients

setup:
	@./setup.sh $(SETUP)

setup-tests:
	@./setup.sh --tests

$(VENV)/installed: requirements.lock pyproject.toml | setup
	@echo "python: making $(VENV) from requirements.lock"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# To test, and to document and hand over: each its own set of pins.
$(VENV)/installed-%: requirements-%.lock $(VENV)/installed
	@echo "python: adding $<"
	@$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r $<
	@touch $@

# Move every pin to the newest release that pyproject.toml allows.
COMPILE = $(BIN)/uv pip compile -q --generate-hashes --no-header --no-emit-index-url \
	--upgrade --python-version 3.11 pyproject.toml --extra drivers --extra build
lock: $(VENV)/installed
	$(BIN)/pip install -q uv
	$(COMPILE) -o requirements.lock
	$(COMPILE) -c requirements.lock --extra dev -o requirements-dev.lock
	$(COMPILE) -c requirements-dev.lock --extra dev --extra quality -o requirements-quality.lock
	$(COMPILE) -c requirements.lock --extra packaging -o requirements-packaging.lock

# The site and the manual page, into docs/build; every command that the pages
# show is run again by `make docs-outputs`, and what it printed put there.
docs: build $(VENV)/installed-packaging
	$(BIN)/sphinx-build -q -W -b html docs docs/build/html
	$(BIN)/sphinx-build -q -W -b man docs docs/build/man

docs-outputs: build
	$(BIN)/python docs/shown.py

# A wheel, a single file, a Debian package, into dist/.
packages: build $(VENV)/installed-packaging
	@./setup.sh --packages
	PATH="$(abspath $(BIN)):$$PATH" packaging/build.sh

# Installs each where nothing else is, and lets it run the demo. Minutes.
test-packages: packages $(VENV)/installed-dev
	$(BIN)/pytest -m packages tests/packages

# How long the two commands take on a bare Debian 12; as root, a quarter of an hour and more.
two-commands:
	@./setup.sh --packages
	packaging/two-commands.sh demo demo test

# Record the lab anew for the demo recording that comes with polltrace, on a quiet machine.
demo-recording: build
	$(BIN)/python -m scenarios.demo_recording polltrace/data/demo.polltrace

# Costs and speeds, measured; never part of a test. See README.md.
bench: build $(VENV)/installed-dev
	@./setup.sh --bench
	$(MAKE) -C probes bench
	$(BIN)/python -m stacks.bench_names
	$(BIN)/python -m polltrace.top.bench_top
	$(BIN)/python -m polltrace.servers.bench_ps
	$(MAKE) bench-lab

# The lab's own speed, beside PostgreSQL's.
bench-lab: build
	@./setup.sh --bench
	@$(MAKE) -s --no-print-directory -C scenarios/lab build/oralab-unchecked
	$(BIN)/python -m scenarios.bench_lab

# The forecast against the truth: docs/price-proof.md. Root, twenty minutes, a quiet machine.
proof: build clients
	$(BIN)/python -m scenarios.proof

# A regression is found 20 times of 20 and none is imagined: some minutes.
check-compare: build
	$(BIN)/python tests/scenarios/check_compare.py

# docs/overhead.md: all backends and their peers, in one run.
overhead: build
	@./setup.sh --bench
	$(MAKE) -C probes build/bench-target
	$(BIN)/python probes/bench/backends.py --write docs/overhead.md

# Checks too long for every change: run before a release.
soak: build $(VENV)/installed-dev
	PATH="$(abspath $(BIN)):$$PATH" $(MAKE) -C probes soak
	$(MAKE) -C scenarios/lab fuzz FUZZ_SECONDS=600
	LAB_SOAK=1 $(BIN)/pytest tests/lab -k "in_a_row or leak"
	RUN_KILLS=20 $(BIN)/pytest tests/scenarios -k killed_at_any_moment
	$(BIN)/python tests/stacks/fuzz_elf.py --seconds 600
	$(BIN)/python docs/shown.py --check

# The overhead model and the classifier, changed a place at a time: what do the tests not notice?
mutants: $(VENV)/installed-quality
	$(BIN)/python -P -m mutmut run
	$(BIN)/python -P -m mutmut results

# Which lines the tests run, into docs/coverage.md; TESTS="tests/lab": by these tests alone.
coverage: build clients $(VENV)/installed-quality
	tests/coverage/measure.sh $(TESTS)

# The probe and the other backends on other kernels, emulated; into docs/kernels.md.
# KERNELS="--only 6.12 tests/probes": one of them, with all tests of the probe.
KERNELS ?= --write
kernels: build setup-tests $(VENV)/installed-dev
	$(BIN)/python -m tests.kernels.matrix $(value KERNELS)

# The Vagrantfile, emulated; into docs/vagrant.md.
vagrant-test: build
	@./setup.sh --vagrant
	tests/vagrant/up.sh

clean:
	$(MAKE) -C probes clean
	$(MAKE) -C probes/price clean
	$(MAKE) -C scenarios/lab clean
	$(MAKE) -C scenarios/clients clean
	rm -rf $(VENV) *.egg-info build dist docs/build mutants
