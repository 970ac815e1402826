"""The check that loops marked `sb.expect_vectorized()` are vectorised, and its error."""

from __future__ import annotations

import re
from collections.abc import Sequence

from samebits.backend.llvm.remarks import loop_remarks
from samebits.backend.text.expectations import NAME, Expectation, Expected
from samebits.errors import CompileError, RunnerError


def check_vectorised(expected: Expected, opt: int, text: str) -> None:
    """Raise CompileError if an expected loop is not vectorised in LLVM text after the passes."""
    if not opt or not expected.target.vector_bits:
        return
    vectorised = _vectorised(text)
    for number, loop in enumerate(expected.loops):
        if number not in vectorised:
            _refuse(expected, loop, opt)


def _refuse(expected: Expected, loop: Expectation, opt: int) -> None:
    module, target = expected.module, expected.target
    try:
        found = loop_remarks(module, expected.entries, target, opt, ranges=expected.ranges)
    except RunnerError as error:
        note, fix = f"{error.message}: {error.note}", _FIX
    else:
        mine = [r for r in found if (r.function, r.span) == (loop.function, loop.span)]
        # A vector loop of few iterations may be unrolled: only its remark is left.
        if any(r.vectorised for r in mine):
            return
        missed = [r for r in mine if not r.vectorised]
        said = next((r for r in missed if r.is_llvms), missed[0] if missed else None)
        if said is None:
            note, fix = "LLVM does not say why", _FIX
        else:
            place = "" if said.at == loop.span else f", at line {said.at.line}"
            who = "LLVM's remark: " if said.is_llvms else ""
            note, fix = f"{who}{said.message}{place}", fix_of(said.message)
    raise CompileError(
        f"this loop is not vectorised for {target.name}", span=loop.span, note=note, fix=fix
    )


_EXPECTATION = re.compile(rf'^!(\d+) = !{{!"{NAME}", i32 (\d+)}}', re.MULTILINE)
_VECTORISED = re.compile(r'^!(\d+) = !{!"llvm\.loop\.isvectorized", i32 1}', re.MULTILINE)
_LOOP = re.compile(r"^!(\d+) = distinct !{(!.*)}", re.MULTILINE)


def _vectorised(text: str) -> set[int]:
    """The expectations of which a copy of the loop in `text` is vectorised."""
    numbers = {node: int(number) for node, number in _EXPECTATION.findall(text)}
    marks = set(_VECTORISED.findall(text))
    found: set[int] = set()
    for name, operands in _LOOP.findall(text):
        nodes = re.findall(r"!(\d+)", operands)
        # A loop's metadata begins with itself.
        if nodes and nodes[0] == name and not marks.isdisjoint(nodes):
            found.update(numbers[node] for node in nodes if node in numbers)
    return found


_FIX = "change the loop, or remove sb.expect_vectorized()"
_FIXES: Sequence[tuple[str, str]] = (
    (
        "reorder floating-point|sums floats in source order",
        "sum with math.sum or math.dot, whose order is fixed and has lanes, or accumulate in a "
        "kernel of mode=sb.DETERMINISTIC",
    ),
    (
        "check that can trap",
        "index arrays by the loop's variable, over range(len(array)), so that the check goes",
    ),
    ("divides integers", "divide by a constant, or take the division out of the loop"),
    ("only innermost loops", "put sb.expect_vectorized() into the innermost loop"),
    (
        "call instruction",
        "call only small kernels without loops, which are inlined, or take the call out of the "
        "loop",
    ),
    (
        "early exit|faulting load|number of loop iterations|loop control flow|exit count",
        "write `for i in range(n)` without break and return",
    ),
    (
        "could not be identified as reduction",
        "store each iteration's result into an array; only sums, products and extremes of integers "
        "are carried from iteration to iteration in lanes",
    ),
    (
        "memory operations|memory location|array bounds",
        "don't read what another iteration writes: write into another array",
    ),
    (
        "cost-model|not beneficial",
        "remove sb.expect_vectorized(), or compile for a target with wider vectors",
    ),
    ("no loop is left", "remove sb.expect_vectorized(): no loop costs less than one in lanes"),
)


def fix_of(message: str) -> str:
    """The fix for a remark."""
    return next((fix for pattern, fix in _FIXES if re.search(pattern, message)), _FIX)
