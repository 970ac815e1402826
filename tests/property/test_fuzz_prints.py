"""Generated programs print and trace the same in every execution, here and under emulators."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import pytest
from tests.fuzz import execute
from tests.fuzz.check import check_seeds
from tests.fuzz.execute import in_turns
from tests.fuzz.generator import generate
from tests.fuzz.loading import Workspace
from tests.fuzz.outcome import Memory
from tests.fuzz.prints import FIRST_SEED, Prints

import samebits as sb
from samebits import printed
from samebits.runtime.emulation.calls import runners

SHARD = 20


def seeds(first: int, count: int) -> list[int]:
    """The next seeds whose programs print, and are in no mode that promises no bits."""

    def found() -> Iterator[int]:
        seed = first
        while True:
            if Prints(seed).wanted and "print(" in generate(seed, 1).source:
                yield seed
            seed += 1

    source = found()
    return [next(source) for _ in range(count)]


PRINTING, ELSEWHERE = 60, 16
"""Programs here, and under each emulator."""


@cache
def printing() -> list[int]:
    return seeds(FIRST_SEED, PRINTING)


@pytest.mark.parametrize("first", range(0, PRINTING, SHARD))
def test_generated_programs_print_the_same_in_every_execution(first: int) -> None:
    turn = in_turns(first // SHARD)
    tally = check_seeds(printing()[first : first + SHARD], compiled_at=turn, texts=4)
    assert not tally.failures, "\n".join(f"{f.program.seed}: {f.text}" for f in tally.failures)


@pytest.mark.parametrize("name", ["s390x", "wasm32", "i686"])
def test_generated_programs_print_the_same_under_emulators(name: str) -> None:
    (runner,) = (runner for runner in runners() if runner.target.name == name)
    if runner.reason is not None:
        pytest.skip(f"{name}: {runner.reason}")
    compared = 0
    with Workspace(texts=4) as workspace:
        for seed in seeds(FIRST_SEED + 10_000, ELSEWHERE):
            program = generate(seed, 2)
            loaded = workspace.load(program.source, program.entry)
            calls: list[tuple[Any, ...]] = []
            for inputs in program.inputs:
                memory = Memory(inputs, loaded.struct_type)
                given = (execute.managed_argument(loaded, memory, a) for a in inputs.args)
                calls.append(tuple(given))
            try:
                sb.assert_same_bits_each(loaded.kernel, calls, targets=[f"{name}-O3"])
            except sb.RunnerError as error:
                if "overlap in part" not in error.message:
                    raise
                continue
            compared += 1
    assert compared > ELSEWHERE // 2


def test_prints_stand_in_every_kind_of_place() -> None:
    text = "".join(generate(seed).source for seed in printing())
    for kept in (
        r"print\(\)", r'print\(f"', r"sep=None", r'end=""', r'sb\.trace\("x", ', r"print\(.*p\d",
        r"    for .*:\n(        .*\n)*        print\(", r"if .*:\n(    .*\n)*        +print\(",
        r"def m\d\((.*\n)+?        print\(", r"def h\d\((.*\n)+?    print\(", r"!r}", r":\.3f}",
        r"prange\(.*\n( .*\n)*        +(print|sb\.trace)\(",
    ):  # fmt: skip
        assert re.search(kept, text), kept


def test_programs_of_smaller_seeds_do_not_print() -> None:
    assert not re.search(r"print\(|trace\(", "".join(generate(s).source for s in range(0, 900, 11)))


def test_a_lost_line_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    deliver, count = printed.deliver, [0]

    def losing(item: Any) -> None:
        count[0] += 1
        if count[0] % 7:
            deliver(item)

    monkeypatch.setattr(printed, "deliver", losing)
    failures: Sequence[Any] = check_seeds(printing()[:20], compiled_at=()).failures
    assert any("print" in failure.text for failure in failures)
