"""Hundreds of generated programs agree in every execution, in shards for parallel runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from tests.fuzz.check import check_seeds
from tests.fuzz.execute import in_turns, levels
from tests.fuzz.generator import QUOTIENTS_FROM, generate
from tests.fuzz.halves import FIRST_SEED, Halves, seeds_with_halves
from tests.fuzz.members import BINDS_FROM as BINDS
from tests.fuzz.outer import FIRST_SEED as OUTER
from tests.fuzz.scope import Variable
from tests.fuzz.scratch_arrays import FIRST_SEED as ARRAYS
from tests.fuzz.statements import Body
from tests.fuzz.tuples import FIRST_SEED as TUPLES
from tests.fuzz.views import FIRST_SEED as VIEWS

from samebits.types import FLOAT32, StructType

PROGRAMS = 120
"""Four times the thirty among which each injected fault is found; `make fuzz` draws others until
it is stopped."""
SHARD = 20
OF_A_KIND = 20
"""Programs of each kind that others seldom are."""
QUOTIENTS = 40
"""Of these `test_fuzz_finds_faults` looks at thirty, which agree without its fault."""
WITH_HALVES = tuple(seeds_with_halves(40_000, 80))


@pytest.mark.parametrize("first", range(0, PROGRAMS, SHARD))
def test_generated_programs_agree_in_every_execution(first: int) -> None:
    assert_agree(range(first, first + SHARD), first // SHARD)


@pytest.mark.parametrize("first", range(0, OF_A_KIND, SHARD))
def test_generated_programs_that_keep_halves_agree_in_every_execution(first: int) -> None:
    assert_agree(WITH_HALVES[first : first + SHARD], first // SHARD)


@pytest.mark.parametrize("first", range(VIEWS, VIEWS + OF_A_KIND, SHARD))
def test_generated_programs_with_views_agree_in_every_execution(first: int) -> None:
    assert_agree(range(first, first + SHARD), first // SHARD)


@pytest.mark.parametrize("first", range(ARRAYS, ARRAYS + OF_A_KIND, SHARD))
def test_generated_programs_with_arrays_of_run_time_sizes_agree(first: int) -> None:
    assert_agree(range(first, first + SHARD), first // SHARD)


def test_arrays_of_run_time_sizes_fill_their_arenas_and_are_given_to_names_again() -> None:
    text = "".join(generate(seed).source for seed in range(ARRAYS, ARRAYS + 40))
    for form in (
        r"arena=100\b", r"s\d+ = sb\.zeros\(\w+\(", r"s\d+ = sb\.zeros\(\(", r"S\d\)\n",
        r"(s\d+), (s\d+) = \2, \1", r"for x\d+ in sb\.zeros", r"18446744073709551615",
    ):  # fmt: skip
        assert re.search(form, text), form


@pytest.mark.parametrize("first", range(QUOTIENTS_FROM, QUOTIENTS_FROM + QUOTIENTS, SHARD))
def test_generated_programs_with_quotients_agree_in_every_execution(first: int) -> None:
    assert_agree(range(first, first + SHARD), first // SHARD)


@pytest.mark.parametrize("first", range(TUPLES, TUPLES + OF_A_KIND, SHARD))
def test_generated_programs_with_tuples_agree_in_every_execution(first: int) -> None:
    assert_agree(range(first, first + SHARD), first // SHARD)


def test_tuples_are_looped_over_searched_and_indexed() -> None:
    text = "".join(generate(seed).source for seed in range(TUPLES, TUPLES + 150))
    for form in (
        r"for x\d+ in \(", r"for x\d+ in \[", r"for x\d+, x\d+ in \(\(", r"for x\d+ in TK\d:",
        r"for x\d+, x\d+ in TK\d", r"in reversed\((\(|TK)", r"in enumerate\((\(|TK)",
        r"in zip\((\(|TK)", r"in \{", r"\S in \(", r"\S in \[", r"not in \(", r"\S in TK\d\)",
        r"TK\d\[-?\d\]", r"TK\d\[-?\d\]\[\d\]", r"[ (]float\(", r"TK\d = \(\(",
    ):  # fmt: skip
        assert re.search(form, text), form
    before = "".join(generate(seed).source for seed in range(0, TUPLES, 9973))
    assert not re.search(r"in \(\(?[^p]|in TK", before)


@pytest.mark.parametrize("first", range(BINDS, BINDS + OF_A_KIND, SHARD))
def test_generated_programs_whose_cases_bind_names_agree_in_every_execution(first: int) -> None:
    assert_agree(range(first, first + SHARD), first // SHARD)


def test_cases_bind_names_that_their_guards_read() -> None:
    text = "".join(generate(seed).source for seed in range(BINDS, BINDS + 150))
    for form in (
        r"case -?\d as (\w+) if \1 [<>] \d", r"case .* \| .* as \w+ if", r"case (True|False) as",
        r"case k\d+ if", r"case _ as \w+ if", r"case .* as [a-jl-z]\w+", r"case \d as \w+:",
        r" as (k\d+) if not \1",
    ):  # fmt: skip
        assert re.search(form, text), form
    before = "".join(generate(seed).source for seed in range(0, BINDS, 99_991))
    assert not re.search(r"case .* as ", before)


@pytest.mark.parametrize("first", range(OUTER, OUTER + OF_A_KIND, SHARD))
def test_generated_programs_with_structs_from_outside_agree_in_every_execution(first: int) -> None:
    assert_agree(range(first, first + SHARD), first // SHARD)


def test_structs_come_from_outside_and_tuples_of_them_are_looped_over() -> None:
    text = "".join(generate(seed).source for seed in range(OUTER, OUTER + 150))
    for form in (
        r"\bSK\d = S\d\(", r"\bSK\d\.f\d", r"\[-[234]\]", r"\[-\d, -\d\]", r"in \(SK\d, ",
        r"in \[?\(?p\d, p\d", r"in \(w\d+, |in \(p\d,\)", r"= SK\d\.f\d\[", r"SK\d\.m\d|SK\d\.p\b",
        r"\n    w\d+ = (p|z|w|SK)\S+\[",
    ):  # fmt: skip
        assert re.search(form, text), form
    before = "".join(generate(seed).source for seed in range(0, OUTER, 99_991))
    assert "SK0" not in before


def test_a_local_struct_gets_no_second_name_inside_a_loop() -> None:
    t = StructType("S0", (("f0", StructType("S1", (("f0", FLOAT32),))),))
    body = Body(Random(1), 0.0, [FLOAT32], [], [t], FLOAT32, 100)
    body.scope.add(Variable("o1", t, mutable=False, owner=True).kept())
    body.bind(0)
    assert body.lines[0].strip().endswith("= o1.f0.copy()")


def assert_agree(seeds: Sequence[int], turn: int) -> None:
    tally = check_seeds(seeds, compiled_at=in_turns(turn), texts=4)
    failures = [f"seed {f.program.seed}: {f.text}" for f in tally.failures]
    assert not failures, "\n".join(
        [*failures, "shrink one with: python -m tests.fuzz.run --programs 1 --seed SEED"]
    )


def test_each_level_takes_its_turn_and_the_highest_all() -> None:
    taken = [in_turns(n) for n in range(PROGRAMS // SHARD)]
    assert set().union(*taken) == set(levels())
    for given in taken:
        assert levels()[-1] in given
        assert sum(not level.opt for level in given) == 1
        assert sum(bool(level.opt) for level in given) == min(2, len(levels()) // 2)


def test_halves_stand_wherever_a_number_is_kept() -> None:
    text = "".join(generate(seed).source for seed in WITH_HALVES)
    for kept in (
        r"p\d: float16[,)=]", r"p\d: half\d[,)]", r"sb\.Array\[float16\]", r"sb\.ReadOnly\[float16",
        r"sb\.Array\[half\d", r"float16, 2\]", r"f\d: float16\n", r"f\d: half\d\n",
        r"f\d: sb\.FixedArray\[float16", r"-> .*float16", r"sb\.zeros\(\d, float16\)",
        r"sb\.table\(\[half", r"K\d = half", r"v\d = half", r"half\(NAN\)", r"float64\(half\(",
        r"float32\(p\d\)", r"bitcast\(uint16, half", r"sb\.select\(.*half\(", r"half[234]\(half",
    ):  # fmt: skip
        assert re.search(kept, text), kept


def test_programs_without_halves_are_what_they_were() -> None:
    assert not any(Halves(seed).wanted for seed in range(FIRST_SEED))
    assert "half" not in "".join(generate(seed).source for seed in range(50))


def test_loops_over_elements_stand_in_programs_without_halves() -> None:
    programs = [generate(seed).source for seed in range(5000, 5270)]
    text = "".join(program for program in programs if "half" not in program)
    for kept in (
        r"for \w+ in p\d:", r"for .* in .*\.f\d\b", r"for \w+ in p\d\[.*\]:", r"for \w+ in K\d:",
        r"in enumerate\(p", r"in zip\(.*range", r"in reversed\(range\(", r"reversed\(p\d\)",
        r"\(\w+, \w+\)", r"enumerate\(.*, 922337", r"enumerate\(.*start=3\)", r"\b_, ", r", _\b",
        r"range\(-?\d+, -?\d+, \(.* & \d\)", r"range\(-?\d+, -?\d+, -\(", r"\[-\d\]",
        r"n\d+ = p\d\.shape",
    ):  # fmt: skip
        assert re.search(kept, text), kept


def test_views_stand_under_names_in_loops_and_in_elements() -> None:
    text = "".join(generate(seed).source for seed in range(VIEWS, VIEWS + 180))
    for kept in (
        r"w\d+ = p\d\[.*:.*\]$", r"w\d+ = p\d\[[^:,]*\]$", r"w\d+ = p\d\[[^:]*, .*:.*\]$",
        r"w\d+ = \w+\.f\d\[.*:.*\]$", r"w\d+ = K\d\[.*:.*\]$", r"w\d+ = z\d+\[.*:.*\]$",
        r"w(\d+) = w\1\[.*:.*\]$", r"w\d+, w\d+ = w", r"for x\d+ in .*\[.*:.*\]:",
        r"reversed\(.*\[.*:", r"zip\(range\(5\), .*\[", r"v\d+ = .*\[.*:.*\]\[", r"\[.*:-1\]",
        r"\[.*uint64\(9223372036854775808\).*:", r":len\(.*\) \+ 1\]", r":, :\]|:.*, :\]",
        r"sb\.(Array|ReadOnly)\[\w+, [34]\]", r"sb\.zeros\(\(\d, \d, \d",
        r"FixedArray\[\w+, \d, \d, \d", r"sb\.table\(\[\[",
    ):  # fmt: skip
        assert re.search(kept, text, re.M), kept
    before = "".join(generate(seed).source for seed in range(0, VIEWS, 997))
    assert not re.search(r"\[[^\]]*:[^\]]*\]", before)


def test_programs_of_small_seeds_have_no_loops_over_elements() -> None:
    text = "".join(generate(seed).source for seed in range(0, 1000, 17))
    assert not re.search(r"in (p\d|enumerate|zip|reversed)\b|\.shape$", text, re.M)


def test_a_seed_always_gives_the_same_program() -> None:
    assert generate(7) == generate(7)
    assert generate(7) != generate(8)


def test_a_seed_gives_the_same_program_in_every_process() -> None:
    # CPython orders sets of text differently in each process: no choice may depend on that.
    script = (
        "import hashlib; from tests.fuzz.generator import generate;"
        "print(hashlib.sha256(repr([generate(s) for s in range(5000, 5020)]).encode()).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script], cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(found) == 1
