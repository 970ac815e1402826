"""The loop vectoriser's remarks on each loop of the typed IR: what it did, and why.

Knows how LLVM words its remarks, not how they are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from samebits.backend.emit.module import emit_module
from samebits.backend.llvm import engine
from samebits.backend.targets.table import Target
from samebits.backend.text.locations import FILE, Location
from samebits.backend.text.loop_metadata import DIVISIONS
from samebits.backend.text.profiles import CodegenProfile
from samebits.errors import Span
from samebits.ir.analysis.running_sums import running_sums
from samebits.ir.grammar import For, Function, Module, Op, Statement, While, can_trap, regions, walk

Loop = For | While
LoopKey = tuple[str, int]
"""A function's name and a loop's id in it."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One loop: its `width` in lanes and `interleave` count if it is vectorised, else why not.

    `span` is the loop's, `loop` its id in the IR. `message`, about the code at `at`, is LLVM's own
    if `is_llvms`. A loop that was inlined several times has several remarks.
    """

    function: str
    span: Span
    loop: int
    vectorised: bool
    width: int
    interleave: int
    message: str
    at: Span
    is_llvms: bool = True


NOT_INNERMOST = "only innermost loops are vectorised"
CHECKED = "it keeps a check that can trap"
DIVIDES = "it divides integers, which no processor does in lanes"
SUMS = "it sums floats in source order, with little beside that lanes could share"
GONE = "no loop is left: LLVM unrolled it, or found its result without it"
NOT_FOR_SPEED = 'loops are vectorised only where optimize_for="speed"'
NO_VECTORS = "the target has no vectors"


def loop_remarks(
    module: Module,
    entries: Sequence[str],
    target: Target,
    opt: int = 3,
    *,
    ranges: Sequence[str] = (),
) -> list[Remark]:
    """Remarks on every loop that `entries` and `ranges` reach, in the order of the source.

    `module` is the output of the passes. Raises RunnerError if LLVM's remarks cannot be read.
    """
    emitted = emit_module(module, entries, target, ranges, locate=True, locate_loops=True)
    reached = {place.function for place in emitted.locations}
    loops = [
        (function, statement)
        for function in module.functions.values()
        if function.name in reached
        for statement in walk(function.body)
        if isinstance(statement, For | While)
    ]
    if not loops:
        return []
    said: dict[LoopKey, list[Remark]] = {}
    if opt and target.vector_bits and emitted.profile.vectorise:
        around = _loops_around(module)
        text = engine.remarks_text(emitted.text, target, opt)
        for key, made in _read(text, emitted.locations, around):
            said.setdefault(key, []).append(made)
    found: list[Remark] = []
    for function, loop in loops:
        known = list(dict.fromkeys(said.get((function.name, loop.id), ())))
        if isinstance(loop, For) and loop.lanes:
            # The loop over blocks, around the one over lanes, is no loop of the source.
            known = [r for r in known if r.vectorised]
        found += known or [_unsaid(function, loop, module, target, opt, emitted.profile)]
    return sorted(found, key=lambda r: (r.span.file, r.span.line, r.span.column, not r.vectorised))


def _loops_around(module: Module) -> dict[LoopKey, tuple[int, Span]]:
    """The innermost loop that a statement is in, or is, with its span."""
    around: dict[LoopKey, tuple[int, Span]] = {}

    def visit(function: str, statements: Sequence[Statement], loop: Loop | None) -> None:
        for statement in statements:
            inner = statement if isinstance(statement, For | While) else loop
            number = getattr(statement, "id", None)
            if number is not None and inner is not None:
                around[function, number] = inner.id, inner.span
            for region in regions(statement):
                visit(function, region, inner)

    for function in module.functions.values():
        visit(function.name, function.body, None)
    return around


_REMARK = re.compile(rf"^remark: {FILE}:(\d+):\d+: ((?:.|\n(?!remark:))*)", re.MULTILINE)
_DONE = re.compile(
    r"vectorized loop \(vectorization width: (?:vscale x )?(\d+), interleaved count: (\d+)\)"
)
_INTERLEAVED = re.compile(r"interleaved loop \(interleaved count: (\d+)\)")
_MISSED = "loop not vectorized"
_TOLD = "vectorization is explicitly disabled"
"""LLVM's remark on loops for which the emitter disables vectorisation: `_unsaid` knows why."""
_ADVICE = re.compile(r" Use #pragma clang loop .*?(?= Backward| Forward| Unknown|$)")
_PLACE = re.compile(rf"{FILE}:(\d+):\d+")


@dataclass(slots=True)
class _Reasons:
    """The reasons that LLVM gave for a loop before its verdict, and the loop, if known."""

    said: list[tuple[str, Span]] = field(default_factory=list[tuple[str, Span]])
    loop: tuple[str, int, Span] | None = None
    is_final: bool = False

    def verdict(self, loop: tuple[str, int, Span], at: Span) -> tuple[LoopKey, Remark]:
        """The remark that `loop` is not vectorised, for the reasons so far."""
        message = "; ".join(dict.fromkeys(text for text, _ in self.said))
        function, number, span = loop
        made = Remark(
            function, span, number, False, 1, 1, message or "LLVM does not say why",
            self.said[0][1] if self.said else at,
        )  # fmt: skip
        return (function, number), made


def _read(
    text: str, locations: Sequence[Location], around: dict[LoopKey, tuple[int, Span]]
) -> Iterator[tuple[LoopKey, Remark]]:
    """Remarks in LLVM's output: first reasons, at the operation in the way, then mostly a verdict,
    at the loop."""
    reasons = _Reasons()
    for match in _REMARK.finditer(text):
        number, said = match[1], " ".join(match[2].split())
        if not 0 < int(number) <= len(locations) or said.endswith(_TOLD):
            continue
        place = locations[int(number) - 1]
        found = around.get((place.function, -1 if place.statement is None else place.statement))
        loop = None if found is None else (place.function, *found)
        done, interleaved = _DONE.match(said), _INTERLEAVED.match(said)
        if not (done or interleaved or said == _MISSED):
            if reasons.is_final and reasons.loop and loop and loop != reasons.loop:
                yield reasons.verdict(reasons.loop, place.span)
                reasons = _Reasons()
            reasons.said.append((_reason(said, locations), place.span))
            reasons.loop = reasons.loop or loop
            reasons.is_final = reasons.is_final or said.startswith(_MISSED)
            continue
        before, reasons = reasons, _Reasons()
        if loop is None:
            continue
        if said == _MISSED:
            yield before.verdict(loop, place.span)
            continue
        width, count = (int(done[1]), int(done[2])) if done else (1, 1)
        if interleaved:
            count = int(interleaved[1])
        function, at, span = loop
        yield (
            (function, at),
            Remark(function, span, at, bool(done), width, count, said, place.span),
        )
    if reasons.is_final and reasons.loop:
        yield reasons.verdict(reasons.loop, reasons.loop[2])


def _reason(said: str, locations: Sequence[Location]) -> str:
    """LLVM's words with the source's line numbers, without advice on C."""

    def line(match: re.Match[str]) -> str:
        return f"line {locations[int(match[1]) - 1].span.line}"

    return _PLACE.sub(line, _ADVICE.sub("", said.removeprefix(f"{_MISSED}: ")))


def _unsaid(
    function: Function,
    loop: Loop,
    module: Module,
    target: Target,
    opt: int,
    profile: CodegenProfile,
) -> Remark:
    """The remark on a loop of which LLVM says nothing."""
    inside = [s for region in regions(loop) for s in walk(region)]
    if not opt:
        message, at = "nothing is vectorised without optimisation", loop.span
    elif not profile.vectorise:
        message, at = NOT_FOR_SPEED, loop.span
    elif not target.vector_bits:
        message, at = NO_VECTORS, loop.span
    elif any(isinstance(s, For | While) for s in inside):
        message, at = NOT_INNERMOST, loop.span
    else:
        ops = [s for s in inside if isinstance(s, Op)]
        check = next((op for op in ops if _traps(op, module)), None)
        division = next((op for op in ops if op.opcode in DIVISIONS), None)
        if check is not None:
            message, at = CHECKED, check.span
        elif division is not None:
            message, at = DIVIDES, division.span
        elif running_sums(loop):
            message, at = SUMS, loop.span
        else:
            message, at = GONE, loop.span
    return Remark(function.name, loop.span, loop.id, False, 1, 1, message, at, False)


def _traps(op: Op, module: Module) -> bool:
    if op.opcode != "call":
        return can_trap(op)
    callee = module.functions[str(op.attr)]
    return any(isinstance(s, Op) and _traps(s, module) for s in walk(callee.body))
