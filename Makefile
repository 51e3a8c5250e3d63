# SPDX-License-Identifier: GPL-2.0-or-later
# `make help` lists the targets.

# Debian's own interpreter, so that what works here works on a bare machine.
PYTHON ?= /usr/bin/python3
VENV := .venv
BIN := $(VENV)/bin

OURS := find . \( -name build -o -name .venv -o -name .git \) -prune -o -type f

# One job for each processor, or the jobs of the make that called this one.
JOBS := $(shell nproc)
SIDE_BY_SIDE = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))

# Tools of the virtual environment first; a contributor's own environment serves as well.
export PATH := $(abspath $(BIN)):$(PATH)
# Tests start polltrace a thousand times; without its bytecode each start compiles it anew.
unexport PYTHONDONTWRITEBYTECODE

# `make -C bench help` describes them.
MEASUREMENTS = bench-lab bench-load bench-trace overhead fit validate validate-page validate-guest latch-guest \
	compare-power check-compare demo-recording

.PHONY: help demo test check check-fresh pytest check-c lint lint-files format build probe lab scanner clients drivers \
	setup setup-tests installed-to-test docs docs-outputs docs-pictures packages test-packages check-linked two-commands five-minutes lock \
	test-postgresql-14 test-programs test-spark \
	bench $(MEASUREMENTS) soak soak-load mutants coverage kernels vagrant-test clean

help: ## print this list
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/\1\t\2/p' Makefile | expand -t 16

demo: build ## do all set-up, then run the whole story on the embedded lab (root)
	@$(BIN)/polltrace demo

# Set-up and builds run side by side: one processor compiles SQLite while apt-get, pip, npm, go and mvn
# wait for the network. Then come the linters, the C tests and one shard for each folder of Python
# tests, one more at a time than there are processors, because a test often waits and busy sessions are
# limited to a part of a processor (tests/busy.py). Each shard has its own namespaces and sees no
# process of another. The probe's shard keeps the host's process IDs, because a probe in a PID
# namespace takes other paths; the shard of emulated kernels keeps the network, for their packages. The
# longest shards start first. The failures are printed once more at the end.
test: SHELL := /bin/bash
test: JOBS = $(shell expr $$(nproc) + 1)
test: setup ## do all set-up, then run every test (root)
	@$(MAKE) -s --no-print-directory $(SIDE_BY_SIDE) \
		setup-tests lab installed-to-test probe scanner clients
	@mkdir -p build; set -o pipefail; \
	$(MAKE) -s --no-print-directory $(SIDE_BY_SIDE) --keep-going --output-sync=target \
		check-c-built $(LONG:%=pytest-%) lint-files $(patsubst %,pytest-%,$(filter-out $(LONG),$(FOLDERS))) \
		2>&1 | tee build/test.log || { \
		echo; echo "make test: what failed, out of build/test.log:"; \
		grep -E '^(FAILED|ERROR) |^make.*\*\*\* ' build/test.log; exit 1; }

# Spark's tests take minutes: make test-spark.
FOLDERS := $(filter-out spark,$(patsubst tests/%/,%,$(sort $(dir $(wildcard tests/*/test_*.py)))))
LONG = scenarios lab engines recording docs load kernels top probes
IN_NAMESPACES = tests/own-namespaces.sh
pytest-probes: IN_NAMESPACES += --host-pids
pytest-kernels: IN_NAMESPACES =

pytest-%:
	MAKEFLAGS= $(IN_NAMESPACES) pytest --durations=5 tests/$*

# A test whose requirement is missing is skipped here, even where CI is set.
check: export CI =
check: lint-files ## after pip install -e .[dev]: lint, and the tests without root, browser, lab and probe
	pytest -q -rfE $(patsubst %,--ignore=tests/%,lab latency load probes spark sqltrace vagrant) \
		-k "not any_value_of_another_type"

check-fresh: setup ## run `make check` as an ordinary user in a clone where nothing is built (root)
	@tests/fresh-check.sh

pytest: build clients $(VENV)/installed-dev ## run the Python tests one by one; TESTS=tests/lab: these alone
	pytest $(TESTS)

# The fuzzed inputs are the same in each run; `make soak` fuzzes from random seeds.
check-c: build ## run the C tests and a fixed set of fuzzed inputs under AddressSanitizer and UBSan
	@$(MAKE) -s --no-print-directory check-c-built

check-c-built:
	@$(MAKE) -s --no-print-directory -C lab test
	@$(MAKE) -s --no-print-directory -C polltrace/sqltrace/scanner same fuzz-fixed
	@$(MAKE) -s --no-print-directory -C probes check

lint: $(VENV)/installed-dev ## check style, types, English, and the direction of imports
	@$(MAKE) -s --no-print-directory lint-files

lint-files:
	ruff check .
	ruff format --check .
	mypy
	lint-imports --no-cache --no-logo
	python lint/layers.py probes
	python lint/layers.py lab
	python lint/prose.py
	$(OURS) -name "*.[ch]" -print0 | xargs -0 clang-format --dry-run --Werror
	$(OURS) \( -name "*.sh" -o -path ./.ci/run \
		-o -path ./scenarios/vagrant/batch \) -print0 | xargs -0 shellcheck

format: $(VENV)/installed-dev ## format Python and C
	ruff check --fix .
	ruff format .
	$(OURS) -name "*.[ch]" -print0 | xargs -0 clang-format -i

# Side by side: fetching and compiling SQLite takes as long as everything else.
build: setup ## do all set-up, build the probe, the lab and the trace scanner
	@test -x lab/build/oralab || echo "build: making the probe and the lab"
	@$(MAKE) -s --no-print-directory $(SIDE_BY_SIDE) lab $(VENV)/installed probe scanner

probe:
	@$(MAKE) -C probes

lab:
	@$(MAKE) -C lab

scanner:
	@$(MAKE) -C polltrace/sqltrace/scanner

clients: ## build the clients of the drivers whose toolchains are installed
	@$(MAKE) -s --no-print-directory -C scenarios/clients

setup:
	@./setup.sh $(SETUP)

setup-tests:
	@./setup.sh --tests

# editable_mode=compat: a path instead of setuptools' finder, which takes 9 ms of each start; tests
# start polltrace thousands of times.
$(VENV)/installed: requirements.lock pyproject.toml | setup
	@echo "python: making $(VENV) from requirements.lock"
	@$(PYTHON) -m venv $(VENV)
	@pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	@pip install -q --disable-pip-version-check --no-deps --no-build-isolation \
		--config-settings editable_mode=compat -e .
	@touch $@

# One after the other, because two pips cannot share an environment.
installed-to-test:
	@$(MAKE) -s --no-print-directory $(VENV)/installed-dev
	@$(MAKE) -s --no-print-directory $(VENV)/installed-packaging

# Testing, documenting and packaging have a set of pins each.
$(VENV)/installed-%: requirements-%.lock $(VENV)/installed
	@echo "python: adding $<"
	@pip install -q --disable-pip-version-check --require-hashes -r $<
	@touch $@

COMPILE = uv pip compile -q --generate-hashes --no-header --no-emit-index-url $(UPGRADE) \
	--python-version 3.11 pyproject.toml --extra drivers --extra postgresql --extra build --extra trace
lock: $(VENV)/installed ## write the lock files; UPGRADE=--upgrade: with the newest versions
	pip install -q uv
	$(COMPILE) -o requirements.lock
	$(COMPILE) -c requirements.lock --extra dev -o requirements-dev.lock
	$(COMPILE) -c requirements-dev.lock --extra dev --extra quality -o requirements-quality.lock
	$(COMPILE) -c requirements-dev.lock --extra spark -o requirements-spark.lock
	$(COMPILE) -c requirements.lock --extra packaging -o requirements-packaging.lock

docs: build $(VENV)/installed-packaging ## make the site and the manual page, into docs/build
	sphinx-build -q -W -b html docs docs/build/html
	sphinx-build -q -W -b man docs docs/build/man

docs-outputs: build ## run every command of the pages and renew its output there
	python docs/shown.py

packages: build $(VENV)/installed-packaging ## make a wheel, a single file, a Debian package, into dist/
	@./setup.sh --packages
	packaging/build.sh

test-packages: packages $(VENV)/installed-dev ## install each package on a bare system and run the demo there
	pytest -m packages tests/packages

check-linked: ## list Debian's fixes to libraries inside dist/ since it was built (after apt-get update)
	python packaging/linked.py

two-commands: ## time both commands on a bare Debian 12: a quarter of an hour and more (root)
	@./setup.sh --packages
	packaging/two-commands.sh demo demo test

five-minutes: ## time a bare Debian 12 from the clone to advice on a session of one's own (root)
	@./setup.sh --packages
	packaging/two-commands.sh build \
		'PID=$$(polltrace lab load --background --pid-only) && polltrace ps && \
		polltrace advise -p $$PID && polltrace lab stop'

docs-pictures: build ## draw the pictures of the pages anew (chromium)
	python docs/pictures.py

bench: build clients $(VENV)/installed-dev ## measure costs and speeds next to other tools (a quiet machine)
	@$(MAKE) -s --no-print-directory -C bench all

$(MEASUREMENTS): build clients setup-tests $(VENV)/installed-dev
	@$(MAKE) -s --no-print-directory -C bench $@

drivers: build clients $(VENV)/installed-dev ## test every supported driver version, into docs/evidence/drivers.md
	python -m tests.lab.driver_matrix --into docs/evidence/drivers.md

soak: build clients $(VENV)/installed-dev ## run the checks that take too long for every change
	$(MAKE) -C probes soak
	$(MAKE) -C probes fuzz-unwind
	python -m tests.lab.driver_seeds lab/build/fuzz/sessions
	$(MAKE) -C lab fuzz FUZZ_SECONDS=0 FUZZ_RUNS=10000000
	$(MAKE) -C lab fuzz-sql FUZZ_SECONDS=0 FUZZ_SQL_RUNS=10000000
	$(MAKE) -C lab memcheck
	FUZZ_BYTES=100000000 $(MAKE) -C polltrace/sqltrace/scanner fuzz FUZZ_SECONDS=0
	$(MAKE) -C polltrace/sqltrace/scanner rewritten REWRITTEN_SECONDS=300
	POLLTRACE_LINE_GIB=10 POLLTRACE_FILES=100000 pytest tests/sqltrace/test_hostile_sizes.py
	LAB_SOAK=1 pytest tests/lab \
		-k "in_a_row or leak or random_cancels or exercises or stale_or_torn or link_cancels or link_hostile"
	POLLTRACE_SERVERS=10000 pytest tests/servers/test_many_servers.py
	POLLTRACE_ATTACHES=4000 POLLTRACE_SUSPENDS=200 pytest tests/attacks
	POLLTRACE_WRONG_VALUES=7 pytest tests/recording -k any_value
	POLLTRACE_MUTATIONS=1000 pytest tests/attacks/test_damaged_inputs.py \
		tests/scenarios/test_damaged_files.py
	RUN_KILLS=20 pytest tests/scenarios -k killed_at_any_moment
	$(MAKE) soak-load
	python tests/stacks/fuzz_elf.py --seconds 600
	PAGES_SOAK=1 pytest tests/docs/test_commands_run.py
	python docs/shown.py --check

SOAK_S ?= 3600
soak-load: build clients $(VENV)/installed-dev ## a day's load of 100 a second in an hour, a million reads through caches; SOAK_S=600: shorter
	LOAD_SOAK_S=$(SOAK_S) POLLTRACE_PATIENCE_S=$$(($(SOAK_S) + 600)) pytest -s tests/load/test_memory.py
	CACHE_READS=1000000 pytest tests/load/test_staleness.py

mutants: $(VENV)/installed-quality ## change model and classifier in one place at a time, and list changes that no test notices
	python -P -m mutmut run
	python -P -m mutmut results

coverage: build clients $(VENV)/installed-quality ## report the lines that no test runs, into build/coverage.md
	tests/coverage/measure.sh $(TESTS)

KERNELS ?= --write
kernels: build setup-tests $(VENV)/installed-dev ## run the tests on emulated kernels; KERNELS="--only 6.12"
	python -m tests.kernels.matrix $(value KERNELS)

test-postgresql-14: build setup-tests $(VENV)/installed-dev ## run PostgreSQL's tests on release 14 (root, mvn)
	tests/engines/postgresql-14.sh

test-programs: build setup-tests $(VENV)/installed-dev ## look for break checks in redis, nginx, haproxy and others (root)
	@./setup.sh --programs
	pytest tests/engines/test_other_programs.py

test-spark: scanner $(VENV)/installed-dev $(VENV)/installed-spark ## scan traces on a local Spark cluster (400 MB of downloads)
	@./setup.sh --spark
	pytest tests/spark

vagrant-test: build ## bring up the Vagrantfile's machines, emulated, into docs/evidence/vagrant.md
	@./setup.sh --vagrant
	tests/vagrant/up.sh

clean: ## remove all that was built or installed here
	$(MAKE) -C probes clean
	$(MAKE) -C lab clean
	$(MAKE) -C polltrace/sqltrace/scanner clean
	$(MAKE) -C scenarios/clients clean
	rm -rf $(VENV) *.egg-info build dist docs/build mutants
