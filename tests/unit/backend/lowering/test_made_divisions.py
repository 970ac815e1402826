"""Divisions that LLVM's passes make need no library, and are right."""

from __future__ import annotations

import random

import pytest
from tests.support.machines.objects import undefined_symbols

from samebits.backend.llvm import engine
from samebits.backend.objects import CompiledObject
from samebits.backend.targets.audit import is_allowed_call
from samebits.backend.targets.table import TARGETS, Target
from samebits.backend.text.profiles import PROFILES
from samebits.errors import RunnerError
from samebits.runtime.emulation.machines import EmulatedProgram

OWN = {"_GLOBAL_OFFSET_TABLE_", ".TOC.", "__linear_memory", "__stack_pointer"}
"""What linkers define."""

DIVIDE = """\
define i32 @sb_entry_0(ptr %slots) nounwind {
  %p1 = getelementptr i64, ptr %slots, i64 1
  %a = load i64, ptr %slots
  %b = load i64, ptr %p1
  %q = udiv i64 %a, %b
  %r = urem i64 %a, %b
  %c = trunc i64 %a to i32
  %d0 = trunc i64 %b to i32
  %d = or i32 %d0, 1
  %s = udiv i32 %c, %d
  %t = urem i32 %c, %d
  %s.wide = zext i32 %s to i64
  %t.wide = zext i32 %t to i64
  %p2 = getelementptr i64, ptr %slots, i64 2
  %p3 = getelementptr i64, ptr %slots, i64 3
  store i64 %q, ptr %slots
  store i64 %r, ptr %p1
  store i64 %s.wide, ptr %p2
  store i64 %t.wide, ptr %p3
  ret i32 0
}
"""
"""As LLVM's passes leave them: what is emitted has none on some targets."""


def needed(code: bytes, target: Target) -> set[str]:
    names = undefined_symbols(code) - OWN
    return {name for name in names if not is_allowed_call(name, target)}


@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda t: t.name)
@pytest.mark.parametrize("opt", [0, 3])
def test_a_division_that_passes_make_needs_no_library(target: Target, opt: int) -> None:
    for goal in PROFILES:
        assert (
            needed(engine.compile_text(DIVIDE, target, opt, profile=PROFILES[goal]), target)
            == set()
        )


@pytest.mark.parametrize("name", ["i686", "armv7"])
def test_it_is_the_right_quotient_and_rest(name: str) -> None:
    target = TARGETS[name]
    draw = random.Random(4)
    rows = [(draw.getrandbits(draw.randrange(1, 65)), draw.getrandbits(k)) for k in range(1, 65)]
    rows += [((1 << 64) - 1, 1), ((1 << 64) - 1, (1 << 64) - 1), (0, 7), (5, 1 << 63)]
    try:
        program = EmulatedProgram(
            CompiledObject(engine.compile_text(DIVIDE, target), ()), 1, target
        )
    except RunnerError as error:
        pytest.skip(str(error))
    remote = program.start()
    try:
        for a, b in rows:
            b = b or 1
            c, d = a % 2**32, b % 2**32 | 1
            _, found = remote.call(0, [a, b, 0, 0])
            assert tuple(found) == (a // b, a % b, c // d, c % d)
    finally:
        remote.close()
