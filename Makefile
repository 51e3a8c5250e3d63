# SPDX-License-Identifier: GPL-2.0-or-later
# `make help` lists the targets.

# Debian's own interpreter, so that what works here works on a bare machine.
PYTHON ?= /usr/bin/python3
VENV := .venv
BIN := $(VENV)/bin

OURS := find . \( -name build -o -name .venv -o -name .git \) -prune -o -type f

# As many as there are processors. Under a make that shares out jobs already, as many as that one has.
JOBS := $(shell nproc)
SIDE_BY_SIDE = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))

# Tools of the virtual environment first; a contributor's own environment serves as well.
export PATH := $(abspath $(BIN)):$(PATH)
# Tests start polltrace a thousand times; without its bytecode each start compiles it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test check pytest check-c lint lint-files format build probe lab scanner clients drivers \
	setup setup-tests installed-to-test docs docs-outputs docs-pictures demo-recording packages test-packages check-linked two-commands five-minutes lock \
	test-postgresql-14 test-programs test-spark \
	bench overhead bench-lab bench-load bench-trace compare-power fit validate validate-guest latch-guest soak soak-load check-compare mutants coverage kernels vagrant-test clean

help: ## print this list
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## \(.*\)/\1\t\2/p' Makefile | expand -t 16

demo: build ## do all set-up, then run the whole story on the embedded lab (root)
	@$(BIN)/polltrace demo

# With what building takes there, all else is fetched and built side by side as well: SQLite is
# compiled by one processor while apt-get, pip, npm, go and mvn wait for the network. Then come the
# linters, the C tests and a shard for each folder of Python tests, one more at a time than there are
# processors: a test often waits, and the sessions that poll without an end are limited to a part of a
# processor (tests/busy.py). Each shard has its own namespaces, so it sees no process of another; the
# probe's shard keeps the host's process IDs, because a probe in a PID namespace takes other paths,
# and the emulated kernels' keeps the network, which their packages come from. The longest begins
# first. What failed is said once more at the end, where one looks for it.
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

check: lint-files ## after pip install -e .[dev]: lint, and the tests without root, browser, lab and probe
	pytest -q -rfE $(patsubst %,--ignore=tests/%,lab latency load probes spark sqltrace vagrant) \
		-k "not any_value_of_another_type"

pytest: build clients $(VENV)/installed-dev ## run the Python tests one by one; TESTS=tests/lab: these alone
	pytest $(TESTS)

# The fuzzed inputs are the same in each run; `make soak` fuzzes from random seeds.
check-c: build ## run the C tests and a fixed set of fuzzed inputs under AddressSanitizer and UBSan
	@$(MAKE) -s --no-print-directory check-c-built

check-c-built:
	@$(MAKE) -s --no-print-directory -C lab test
	@$(MAKE) -s --no-print-directory -C polltrace/sqltrace/scanner same fuzz-fixed
	@$(MAKE) -s --no-print-directory -C probes check

lint: $(VENV)/installed-dev ## check style, types, and what may import what
	@$(MAKE) -s --no-print-directory lint-files

lint-files:
	ruff check .
	ruff format --check .
	mypy
	lint-imports --no-cache --no-logo
	python lint/layers.py probes
	python lint/layers.py lab
	$(OURS) -name "*.[ch]" -print0 | xargs -0 clang-format --dry-run --Werror
	$(OURS) \( -name "*.sh" -o -path ./.ci/run \
		-o -path ./scenarios/vagrant/batch \) -print0 | xargs -0 shellcheck

format: $(VENV)/installed-dev ## put Python and C into the form that lint wants
	ruff check --fix .
	ruff format .
	$(OURS) -name "*.[ch]" -print0 | xargs -0 clang-format -i

# Side by side: SQLite alone, fetched and compiled, takes as long as all the rest.
build: setup ## do all set-up, build the probe, the lab and the trace scanner
	@test -x lab/build/oralab || echo "build: making the probe and the lab"
	@$(MAKE) -s --no-print-directory $(SIDE_BY_SIDE) lab $(VENV)/installed probe scanner

probe:
	@$(MAKE) -C probes

lab:
	@$(MAKE) -C lab

scanner:
	@$(MAKE) -C polltrace/sqltrace/scanner

clients: ## build the drivers' clients whose toolchains are installed
	@$(MAKE) -s --no-print-directory -C scenarios/clients

setup:
	@./setup.sh $(SETUP)

setup-tests:
	@./setup.sh --tests

# Compatible: by a path alone. The finder that setuptools would install takes 9 ms of each start, and
# tests start polltrace thousands of times.
$(VENV)/installed: requirements.lock pyproject.toml | setup
	@echo "python: making $(VENV) from requirements.lock"
	@$(PYTHON) -m venv $(VENV)
	@pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	@pip install -q --disable-pip-version-check --no-deps --no-build-isolation \
		--config-settings editable_mode=compat -e .
	@touch $@

# One after the other: pip does not share an environment with another pip.
installed-to-test:
	@$(MAKE) -s --no-print-directory $(VENV)/installed-dev
	@$(MAKE) -s --no-print-directory $(VENV)/installed-packaging

# To test, to document, to package: each has its own set of pins.
$(VENV)/installed-%: requirements-%.lock $(VENV)/installed
	@echo "python: adding $<"
	@pip install -q --disable-pip-version-check --require-hashes -r $<
	@touch $@

COMPILE = uv pip compile -q --generate-hashes --no-header --no-emit-index-url $(UPGRADE) \
	--python-version 3.11 pyproject.toml --extra drivers --extra postgresql --extra build --extra trace
lock: $(VENV)/installed ## write the pins that pyproject.toml lacks; UPGRADE=--upgrade: move all of them
	pip install -q uv
	$(COMPILE) -o requirements.lock
	$(COMPILE) -c requirements.lock --extra dev -o requirements-dev.lock
	$(COMPILE) -c requirements-dev.lock --extra dev --extra quality -o requirements-quality.lock
	$(COMPILE) -c requirements-dev.lock --extra spark -o requirements-spark.lock
	$(COMPILE) -c requirements.lock --extra packaging -o requirements-packaging.lock

docs: build $(VENV)/installed-packaging ## make the site and the manual page, into docs/build
	sphinx-build -q -W -b html docs docs/build/html
	sphinx-build -q -W -b man docs docs/build/man

docs-outputs: build ## run every command that the pages show, and show today's output
	python docs/shown.py

packages: build $(VENV)/installed-packaging ## make a wheel, a single file, a Debian package, into dist/
	@./setup.sh --packages
	packaging/build.sh

test-packages: packages $(VENV)/installed-dev ## install each package where nothing else is, run the demo
	pytest -m packages tests/packages

check-linked: ## has Debian fixed anything since in the libraries inside dist/ (after apt-get update)
	python packaging/linked.py

two-commands: ## time both commands on a bare Debian 12: a quarter of an hour and more (root)
	@./setup.sh --packages
	packaging/two-commands.sh demo demo test

five-minutes: ## time a bare Debian 12 from the clone to advice on a session of one's own (root)
	@./setup.sh --packages
	packaging/two-commands.sh build \
		'PID=$$(polltrace lab load --background --pid-only) && polltrace ps && \
		polltrace advise -p $$PID && polltrace lab stop'

docs-pictures: build ## make the pictures that the pages show (chromium)
	python docs/pictures.py

demo-recording: build ## record the lab anew for the recording that ships (a quiet machine)
	python -m bench.demo_recording polltrace/data/demo.polltrace

bench: build $(VENV)/installed-dev ## measure costs and speeds next to other tools (a quiet machine)
	@./setup.sh --bench
	$(MAKE) -C probes bench
	python -m bench.probes.check_calls
	python -m bench.probes.switch_costs
	python -m bench.client_check
	python -m bench.symbol_names
	python -m bench.top_refresh
	python -m bench.ps_time
	$(MAKE) bench-lab

drivers: build clients $(VENV)/installed-dev ## test every supported driver version, into docs/evidence/drivers.md
	python -m tests.lab.driver_matrix --into docs/evidence/drivers.md

bench-lab: build ## measure the lab's speed next to PostgreSQL's, and its memory
	@./setup.sh --bench
	@$(MAKE) -s --no-print-directory -C lab build/oralab-unchecked build/oralab-untraced
	python -m bench.lab_speed
	python -m bench.sql_trace_off
	python -m bench.lab_memory

bench-load: build clients ## measure what a load adds to a transaction, next to pgbench and plain loops
	@./setup.sh --bench
	python -m bench.load_speed

bench-trace: scanner $(VENV)/installed-dev ## measure polltrace trace next to ripgrep, awk, perl, into docs/evidence/trace-speed.md (a quiet machine)
	@./setup.sh --bench
	python -m bench.trace_speed --write docs/evidence/trace-speed.md

compare-power: build clients ## how often compare finds a slower server by its times: 51 runs
	python -m bench.compare_power build/compare-power --record 51

fit: build clients ## fit the cost model to measured sessions: ten minutes (root)
	python -m bench.break_cost.fit

validate: build clients ## hold the model against other sessions, into docs/evidence/forecast-proof.md: half an hour (root)
	python -m bench.break_cost.validate

validate-guest: build clients setup-tests $(VENV)/installed-dev ## the same on another kernel, emulated: half an hour (root)
	python -m bench.break_cost.guest

latch-guest: build clients setup-tests $(VENV)/installed-dev ## readers of the result cache's latch on four emulated processors, as ratios: 20 minutes (root)
	python -m bench.latch_guest

check-compare: build ## see compare find a regression 20 times of 20, and imagine none
	python tests/scenarios/check_compare.py

overhead: build ## measure all backends and their peers in one run, into docs/evidence/overhead.md
	@./setup.sh --bench
	$(MAKE) -C probes build/bench-target
	python -m bench.probes.backends --write docs/evidence/overhead.md

soak: build clients $(VENV)/installed-dev ## run the checks that are too long for every change
	$(MAKE) -C probes soak
	python -m tests.lab.driver_seeds lab/build/fuzz/sessions
	$(MAKE) -C lab fuzz FUZZ_SECONDS=0 FUZZ_RUNS=10000000
	$(MAKE) -C lab fuzz-sql FUZZ_SECONDS=0 FUZZ_SQL_RUNS=10000000
	FUZZ_BYTES=100000000 $(MAKE) -C polltrace/sqltrace/scanner fuzz FUZZ_SECONDS=0
	$(MAKE) -C polltrace/sqltrace/scanner rewritten REWRITTEN_SECONDS=300
	POLLTRACE_LINE_GIB=10 POLLTRACE_FILES=100000 pytest tests/sqltrace/test_hostile_sizes.py
	LAB_SOAK=1 pytest tests/lab \
		-k "in_a_row or leak or random_cancels or exercises or stale_or_torn or link_cancels or link_hostile"
	POLLTRACE_SERVERS=10000 pytest tests/servers/test_many_servers.py
	POLLTRACE_ATTACHES=4000 POLLTRACE_SUSPENDS=200 pytest tests/attacks
	POLLTRACE_WRONG_VALUES=7 pytest tests/recording -k any_value
	RUN_KILLS=20 pytest tests/scenarios -k killed_at_any_moment
	$(MAKE) soak-load
	python tests/stacks/fuzz_elf.py --seconds 600
	PAGES_SOAK=1 pytest tests/docs/test_commands_run.py
	python docs/shown.py --check

SOAK_S ?= 3600
soak-load: build clients $(VENV)/installed-dev ## a day's load of 100 a second in an hour, a million reads through caches; SOAK_S=600: shorter
	LOAD_SOAK_S=$(SOAK_S) POLLTRACE_PATIENCE_S=$$(($(SOAK_S) + 600)) pytest -s tests/load/test_memory.py
	CACHE_READS=1000000 pytest tests/load/test_staleness.py

mutants: $(VENV)/installed-quality ## change model and classifier a place at a time: what do tests not notice?
	python -P -m mutmut run
	python -P -m mutmut results

coverage: build clients $(VENV)/installed-quality ## which lines tests run, into build/coverage.md
	tests/coverage/measure.sh $(TESTS)

KERNELS ?= --write
kernels: build setup-tests $(VENV)/installed-dev ## run the tests on emulated kernels; KERNELS="--only 6.12"
	python -m tests.kernels.matrix $(value KERNELS)

test-postgresql-14: build setup-tests $(VENV)/installed-dev ## run PostgreSQL's tests on release 14 (root, mvn)
	tests/engines/postgresql-14.sh

test-programs: build setup-tests $(VENV)/installed-dev ## look for checks in redis, nginx, haproxy, MariaDB and others (root)
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
