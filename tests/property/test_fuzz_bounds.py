"""Generated kernels do what evaluate does and touch no byte beside their arrays, whatever the
numbers they are given; and the fuzzer that says so sees what it has to see."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
from argparse import Namespace
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from tests.fuzz.bounds.check import REGRESSION, assert_inside, small
from tests.fuzz.bounds.draws import reach
from tests.fuzz.bounds.generator import generate
from tests.fuzz.bounds.inputs import random_inputs
from tests.fuzz.bounds.judge import Found
from tests.fuzz.bounds.pages import PAGE, Pages
from tests.fuzz.bounds.run import Session
from tests.fuzz.bounds.views import FIRST_SEED as VIEWS
from tests.fuzz.bounds.workers import Share, Worker, judge_apart, run, shares
from tests.fuzz.generator import Program
from tests.fuzz.inputs import InputSet
from tests.fuzz.regression import regression_text

ROOT = Path(__file__).parents[2]
PROGRAMS, SHARD = 400, 200
OPTIMISED = 10


@pytest.mark.parametrize("first", range(0, PROGRAMS, SHARD))
def test_generated_kernels_stay_inside_their_arrays(first: int) -> None:
    tally = run(iter([*shares(first, SHARD), Share(tuple(range(first, first + OPTIMISED)), 3)]), 1)
    again = "see one with: python -m tests.fuzz.bounds.run --programs 1 --jobs 1 --seed SEED"
    assert not tally.found, "\n".join([*map(str, tally.found), again])
    assert tally.programs > 0.95 * (SHARD + OPTIMISED)
    assert tally.refused < 0.05 * SHARD
    assert tally.calls > 5 * SHARD
    # Neither do all calls trap at once, nor does none.
    assert min(tally.traps["none"], tally.traps["index"]) > 0.25 * tally.calls


def test_generated_kernels_with_views_stay_inside_their_arrays() -> None:
    tally = run(shares(VIEWS, 100), 1)
    assert not tally.found, "\n".join(map(str, tally.found))
    assert tally.refused < 5
    text = "".join(generate(seed).source for seed in range(VIEWS, VIEWS + 100))
    for kept in (
        r"w\d+ = a\d\[.*:.*\]", r"w\d+ = a\d\[[^:]*\]$", r"w\d+ = w\d+\[.*:.*\]",
        r"w\d+ = a\d\[.*\]\[.*:.*\]", r"w\d+\[.*\] = ", r"range\(len\(w\d+\)\)",
    ):  # fmt: skip
        assert re.search(kept, text, re.M), kept
    assert not re.search(r"^ *w\d+ = a\d\[[^\]]*:", generate(1_000_502).source, re.M)


def test_a_seed_gives_the_same_program_in_every_process() -> None:
    script = (
        "import hashlib; from tests.fuzz.bounds.generator import generate;"
        "print(hashlib.sha256(repr([generate(s) for s in range(200)]).encode()).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script], cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1


def test_inputs_lie_at_every_edge() -> None:
    types = ("int", "int64", "uint64", "int32", "uint32")
    seen: dict[str, set[int]] = {t: set() for t in types}
    fields = [("scalar", t, 0) for t in types]
    for inputs in random_inputs(Random("edges"), fields, 9000, long=0):
        for _, t, bits in inputs.args:
            seen[t].add(bits)
    edges = {
        n + d for k in (31, 32, 48, 62, 63, 64) for n in (1 << k, -(1 << k)) for d in (-1, 0, 1)
    }
    for t in types:
        low, high = reach(t)
        width = 32 if t.endswith("32") else 64
        wanted = {n & ((1 << width) - 1) for n in {*edges, low, high} if low <= n <= high}
        assert wanted <= seen[t], (t, sorted(wanted - seen[t]))


@pytest.mark.parametrize("after", [False, True])
def test_memory_lies_beside_what_nobody_may_touch(after: bool) -> None:
    script = (
        "import ctypes, sys; from tests.fuzz.bounds.pages import Pages;"
        f"pages = Pages(1); (start,) = pages.place([bytes(24)], after={after});"
        "ctypes.string_at(start, 24); print('inside', flush=True);"
        f"ctypes.string_at(start {'- 1' if after else '+ 24'}, 1); print('beside')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["inside"]
    assert done.returncode == -signal.SIGSEGV


@pytest.mark.parametrize("after", [False, True])
def test_what_is_written_beside_a_blob_shows(after: bool) -> None:
    pages = Pages(2, 2 * PAGE)
    blobs = [b"first", bytes(PAGE + 3)]
    for where in (-1, len(blobs[0])):
        start, _ = pages.place(blobs, after=after)
        sizes = [len(blob) for blob in blobs]
        assert pages.contents(sizes, after=after) == blobs
        outside = where < 0 if after else where > 0
        if outside:  # that is where it would trap
            continue
        cell = ctypes.c_ubyte.from_address(start + where)
        cell.value ^= 1
        assert pages.contents(sizes, after=after) is None


OVERRUN = """\
import samebits as sb
from samebits import uint64, uint8

@sb.kernel
def entry(a: sb.Array[uint64], n: int, h: uint64) -> uint64:
    for i in range(n):
        a[i + int(uint8(h))] = uint64(7)
    return uint64(0)
"""
OVERRUN_INPUTS = InputSet(
    args=(("array", "uint64", 0, 0, (4,)), ("scalar", "int", 20), ("scalar", "uint64", 1 << 63)),
    blobs=(bytes(32),),
)
ENDLESS = """\
import samebits as sb

@sb.kernel
def entry(n: int) -> int:
    while n == n:
        n = n ^ 1
    return n
"""


def test_a_program_that_is_right_is_said_to_be() -> None:
    assert_inside(OVERRUN, "entry", [OVERRUN_INPUTS])


def test_a_process_that_dies_names_its_call_and_the_rest_goes_on() -> None:
    fault = "a guard reads any uint64 as int64"
    wild = OVERRUN_INPUTS
    tame = InputSet((*OVERRUN_INPUTS.args[:2], ("scalar", "uint64", 0)), OVERRUN_INPUTS.blobs)
    with closing(Worker(fault)) as worker:
        (found,) = judge_apart(worker, [Program(5, OVERRUN, "entry", (tame, wild))]).found
        assert (found.seed, found.call, found.kind) == (5, 1, "died")
        assert found.text == "the process ended with SIGSEGV"
        tally = judge_apart(worker, [Program(6, OVERRUN, "entry", (tame,))])
        assert not tally.found
        assert tally.calls == 1


def test_a_call_that_never_ends_is_left_out_and_counted() -> None:
    inputs = InputSet((("scalar", "int", 3),), ())
    with closing(Worker()) as worker:
        tally = judge_apart(worker, [Program(0, ENDLESS, "entry", (inputs,))])
    assert (tally.programs, tally.calls, tally.endless) == (0, 0, 1)
    with pytest.raises(AssertionError, match="0 calls were compared"):
        assert_inside(ENDLESS, "entry", [inputs])


def test_a_finding_is_made_small() -> None:
    fault = "no lower bound of an index"
    with closing(Worker(fault)) as worker:
        found = judge_apart(worker, [generate(seed) for seed in range(40)]).found[0]
    assert isinstance(found, Found)
    failure = small(found, fault)
    lines = failure.program.source.split("def entry")[1].splitlines()[1:]
    assert len(lines) <= 4, failure.program.source
    text = regression_text(failure, REGRESSION)
    assert "assert_inside(SOURCE" in text
    compile(text, "test_regression.py", "exec")
    assert_inside(failure.program.source, "entry", [failure.inputs])


def test_a_run_that_compared_nothing_fails(capsys: pytest.CaptureFixture[str]) -> None:
    given = Namespace(seed=0, programs=0, seconds=None, jobs=1, fault=None, keep=True, beside=False)
    assert Session(given).run() == 2
    shown = capsys.readouterr()
    assert shown.out.startswith("bounds: 0 programs, 0 calls, 0 traps")
    assert shown.err == "nothing was compared\n"
