# Everything runs in .venv, made from the pinned versions in constraints.txt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
STAMP := $(VENV)/.installed

.PHONY: bench-farm soak fuzz-net fuzz-peer verify test test-long test-costs test-pythons lint bench bench-net bench-rl bench-math fuzz fuzz-faults fuzz-files prove prove-rounding search-hard prove-fixed prove-targets prove-diagnose prove-foreign prove-bounds prove-math-library prove-collector prove-farm prove-batches prove-day clean help

help:
	@echo "make verify  install, then verify the examples on every target available here"
	@echo "make test    install, then run the tests, but the long ones"
	@echo "make test-long  the other tests, each of which takes long; CI runs both"
	@echo "make test-costs  the tests, and a table of the processor time of each folder, file and test"
	@echo "make test-pythons  the tests on every Python from 3.11 on that is here, and on the oldest NumPy"
	@echo "make lint    ruff, pyright, and mypy over what users copy"
	@echo "make bench   speed, latency, memory and growth beside peers; writes a page of this processor, and benchmarks/RESULTS.md of all"
	@echo "make bench-net  matches: a relay under load, rollbacks, links; writes benchmarks/NET.md"
	@echo "make bench-rl  environments for reinforcement learning beside Gymnasium, EnvPool and C; writes benchmarks/RL.md"
	@echo "make bench-farm  what a farm costs beside its replays, with its goals"
	@echo "make bench-math  the math library beside Numba, NumPy and C; writes a page of this processor, and benchmarks/MATH.md of all"
	@echo "make fuzz    differential fuzzing until stopped; writes a minimised failing program"
	@echo "make fuzz-files  hostile files for every reader until stopped; writes what it finds to build/"
	@echo "make fuzz-net  mutated messages at the cores of a match, 100,000 at each, and beside players, who must not notice"
	@echo "make fuzz-peer  20,000 matches with a mutated message at exported peers, C's under sanitizers and WebAssembly's"
	@echo "make soak    500 seeded matches over simulated links, 16 of 36,000 frames, each judged"
	@echo "make fuzz-faults  inject unsound rules into the passes, count the programs until each is found, note where"
	@echo "make prove   the math library against correct rounding; writes docs/results/accuracy.md"
	@echo "make search-hard  search inputs that are hard to round, of math functions without a published list"
	@echo "make prove-rounding  prove the margins of fast phases from the kernels' IR, operation by operation"
	@echo "make prove-fixed  the fixed-point functions; writes docs/results/accuracy-fixed-point.md"
	@echo "make prove-targets  compare every target that can run here (over an hour); writes docs/results/targets.md"
	@echo "make prove-math-library  the built C library beside samebits' own functions, on every processor that runs here (an hour)"
	@echo "make prove-diagnose  inject differences and find them out (an hour); writes into docs/results/diagnosis-quality.md"
	@echo "make prove-collector  200 reports a second for a minute, 20 kills at random moments, a million reports in the database"
	@echo "make prove-farm  1,000 replays on two workers; scheduler, worker or client killed 21 times at random moments"
	@echo "make prove-batches  worlds of batches beside sessions of their own, on every level of this processor and on others"
	@echo "make prove-day  every command of docs/proof.md, over 2,000 replays and 300 reports"
	@echo "make prove-foreign  plant differences in a C++ program and break it by flags, and public simulations, fetched (an hour); writes docs/results/foreign.md, foreign-simulations.md and lua-hosts.md"
	@echo "make prove-bounds  range analysis: by enumeration at a few bits, by an SMT solver at full width"

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'samebits needs Python 3.11 or newer')"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[targets,plot,net,foreign,collector,lua,farm,gym,view,test]"
	touch $(STAMP)

$(VENV)/.bench: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[bench]"
	touch $@

$(VENV)/.lint: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[lint]"
	touch $@

verify: $(STAMP)
	$(BIN)/samebits verify examples/outer_planets/outer_planets.py --frames 4000 --golden examples/outer_planets/golden.txt
	$(BIN)/samebits verify examples/arena/arena.py examples/arena/replays/*.mcap
	$(BIN)/samebits verify examples/pinball/pinball.py --frames 1800 --golden examples/pinball/golden.txt
	$(BIN)/samebits verify examples/racing/racing.py --frames 1800 --golden examples/racing/golden.txt
	$(BIN)/samebits verify examples/cloth/cloth.py --frames 1800 --golden examples/cloth/golden.txt
	$(BIN)/samebits verify examples/pendulum/pendulum.py --frames 1800 --golden examples/pendulum/golden.txt
	$(BIN)/samebits verify examples/flock/flock.py --frames 1800 --golden examples/flock/golden.txt
	$(BIN)/samebits verify examples/maze/maze.py --frames 300 --golden examples/maze/golden.txt

# Some tests wait for other processes: one worker more than there are cores keeps these busy.
WORKERS = $(shell $(PYTHON) -c "import os; print(len(os.sched_getaffinity(0)) + 1 if hasattr(os, 'sched_getaffinity') else os.cpu_count() + 1)")

# Hundreds of children import the package: each would compile it where images turn bytecode off.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(STAMP) $(VENV)/.lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m 'not long and not proof'

test-long: export PYTHONDONTWRITEBYTECODE :=
test-long: $(STAMP) $(VENV)/.lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m 'long and not proof'

test-costs: export PYTHONDONTWRITEBYTECODE :=
test-costs: $(STAMP) $(VENV)/.lint
	rm -rf build/test-costs
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -p tests.support.costs --costs build/test-costs
	$(BIN)/python -m tests.support.costs build/test-costs

test-pythons: $(STAMP)
	$(BIN)/python -m tools.pythons

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/python -m tools.check_types

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.run

bench-net: $(VENV)/.bench
	$(BIN)/python -m benchmarks.net.run

bench-rl: $(VENV)/.bench
	$(BIN)/python -m benchmarks.rl.run

bench-farm: $(VENV)/.bench
	$(BIN)/python -m benchmarks.farm

bench-math: $(VENV)/.bench
	$(BIN)/python -m benchmarks.mathlib.run

fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzz.run

fuzz-files: $(STAMP)
	$(BIN)/python -m tests.fuzz.files.run

fuzz-net: $(STAMP)
	$(BIN)/python -m tests.fuzz.net 100000

fuzz-peer: $(STAMP)
	$(BIN)/python -m tests.fuzz.peer 20000

soak: $(STAMP)
	$(BIN)/python -m tests.fuzz.soak --matches 500 --frames 600
	$(BIN)/python -m tests.fuzz.soak --matches 16 --frames 36000 --first 1000

fuzz-faults: $(STAMP)
	$(BIN)/python -m tests.fuzz.bounds.run --faults

prove: $(STAMP)
	$(BIN)/python -m tools.prove

search-hard: $(STAMP)
	$(BIN)/python -m tools.prove.hard

prove-rounding: $(STAMP)
	$(BIN)/python -m pytest -n $(WORKERS) -m proof tests/unit/tools
	$(BIN)/python -m tools.prove.rounding

prove-fixed: $(STAMP)
	$(BIN)/python -m tools.prove.fixed --threads 2

prove-batches: $(STAMP)
	$(BIN)/python -m tools.prove_batches

prove-targets: $(STAMP)
	$(BIN)/python -m tools.prove_targets

prove-diagnose: $(STAMP)
	$(BIN)/python -m tools.prove_diagnose
	$(BIN)/python -m tools.prove_diagnose.skew
	$(BIN)/python -m tools.prove_diagnose.foreign
	$(BIN)/python -m tools.prove_diagnose.sessions

prove-foreign: $(STAMP)
	$(BIN)/python -m tools.prove_foreign
	$(BIN)/python -m tools.prove_foreign.simulations
	$(BIN)/python -m tools.prove_foreign.lua_hosts

prove-math-library: $(STAMP)
	$(BIN)/python -m tools.prove_math_library

prove-collector: $(STAMP)
	$(BIN)/python -m tools.prove_collector

prove-farm: $(STAMP)
	$(BIN)/python -m pytest -m proof tests/unit/tools/test_prove_farm.py
	$(BIN)/python -m tools.prove_farm

prove-day: $(STAMP)
	$(BIN)/python -m pytest -m proof tests/docs
	$(BIN)/python -m tools.prove_day

prove-bounds: $(STAMP)
	$(BIN)/python -m tools.prove_bounds

clean:
	rm -rf $(VENV) build dist
