"""Kernels whose math functions give other results for some arguments, as another library's do.

A library that does not round correctly is wrong by a unit in the last place for some arguments,
always the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from samebits.fpmodel.libm import LIBRARY_FUNCTIONS, name_of
from samebits.hazards.edit.function_editor import guarded
from samebits.ir.builder import Builder
from samebits.ir.grammar import Function, HostFunction, Module, Op, Region, Statement, Value, walk
from samebits.ir.refs import is_own
from samebits.ir.rewrite import map_region
from samebits.types import BOOL, FLOAT32, INT64, UINT32, UINT64, ScalarType

PREFIX = "samebits.other."
"""The prefix of the names of functions in the place of the library's."""
EXACT = frozenset({"fdim", "fmax", "fmin", "fmod", "remainder"})
"""Functions that every library gives exactly."""


@dataclass(frozen=True, slots=True)
class OtherResult:
    """A function, as IR names it, the patterns of its arguments, and how many steps the pattern of
    its result is further from zero."""

    function: str
    arguments: tuple[int, ...]
    steps: int


Offset = Callable[[Builder, Sequence[Value], ScalarType], Value]
"""What a function's result is off, as an unsigned number, of its arguments' patterns."""


def functions_called(kernels: Module) -> list[str]:
    """The math functions that the user's own functions call and that libraries differ in, as IR
    names them."""
    found = dict.fromkeys(
        str(s.attr)
        for name, function in kernels.functions.items() if is_own(name)
        for s in walk(function.body) if isinstance(s, Op) and s.opcode == "call"
    )  # fmt: skip
    return [name for name in found if name_of(name) in LIBRARY_FUNCTIONS - EXACT]


def with_other_results(kernels: Module, results: Sequence[OtherResult]) -> Module:
    """The kernels with `results` in place of the library's own."""

    def offset_of(function: str) -> Offset:
        here = [each for each in results if each.function == function]

        def offset(b: Builder, patterns: Sequence[Value], t: ScalarType) -> Value:
            total = b.const(t, 0)
            for each in here:
                same = b.const(BOOL, True)
                for pattern, wanted in zip(patterns, each.arguments, strict=True):
                    equal = b.op("eq", pattern, b.const(t, wanted))
                    same = b.op("select", equal, same, b.const(BOOL, False))
                steps = b.const(t, each.steps % (1 << t.bits))
                total = b.op("select", same, steps, total)
            return total

        return offset

    names = dict.fromkeys(each.function for each in results)
    return _replaced(kernels, {name: offset_of(name) for name in names})


def observed(kernels: Module, ticks: Mapping[int, HostFunction]) -> tuple[Module, list[str]]:
    """The kernels with the results of math functions off by what a host function says, one for
    each width, of the function's number and its arguments' patterns; and the functions, by number.
    """
    names = functions_called(kernels)

    def offset_of(number: int) -> Offset:
        def offset(b: Builder, patterns: Sequence[Value], t: ScalarType) -> Value:
            first, *rest = patterns
            other = rest[0] if rest else b.const(t, 0)
            (found,) = b.call(ticks[t.bits], b.const(INT64, number), first, other)
            return found

        return offset

    made = _replaced(kernels, {name: offset_of(n) for n, name in enumerate(names)})
    hosts = {f.name: f for f in ticks.values()}
    return Module({**hosts, **made.functions}, made.tables), names


def _replaced(kernels: Module, offsets: Mapping[str, Offset]) -> Module:
    if not offsets:
        return kernels
    kernels = guarded(kernels)
    return Module(dict(_functions(kernels, offsets)), kernels.tables)


def _functions(kernels: Module, offsets: Mapping[str, Offset]) -> Iterator[tuple[str, Function]]:
    def elsewhere(s: Statement) -> Region:
        if isinstance(s, Op) and s.opcode == "call" and s.attr in offsets:
            return [replace(s, attr=f"{PREFIX}{s.attr}")]
        return [s]

    for name, function in kernels.functions.items():
        if is_own(name):
            function = replace(function, body=map_region(function.body, elsewhere))
        yield name, function
        if name in offsets:
            made = _off(function, offsets[name])
            yield made.name, made


def _off(function: Function, offset: Offset) -> Function:
    """A function in the place of one of the library's."""
    (t,) = function.results
    unsigned = UINT32 if t == FLOAT32 else UINT64
    b = Builder(PREFIX + function.name, dict(function.params), (t,), file=PREFIX)
    given = [b.get(name) for name, _ in function.params]
    (own,) = b.call(function, *given)
    patterns = [b.to(unsigned, value, "bitcast") for value in given]
    off = offset(b, patterns, unsigned)
    moved = b.op("add", b.to(unsigned, own, "bitcast"), off)
    return b.ret(b.to(t, moved, "bitcast"))
