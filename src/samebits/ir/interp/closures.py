"""One IR function as a list of Python closures over a flat frame of values.

Owns control flow, slots and calls; what an operation computes is in `semantics` and `memory`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from samebits.errors import IRError, Trap
from samebits.ir.grammar import (
    JOINS,
    Break,
    Continue,
    For,
    Function,
    If,
    Lanes,
    Op,
    Region,
    Return,
    Statement,
    Value,
    ValueType,
    While,
    trip_count,
)
from samebits.ir.interp.memory import MEMORY, Arena, Ref, fresh
from samebits.ir.interp.semantics import SEMANTICS
from samebits.ir.own_code import is_own_code
from samebits.ir.trap_texts import message, named, operand_text
from samebits.printed import keep, write
from samebits.types import ArrayType, ScalarType
from samebits.value_text import filled, first_text, number_of, types_in

Listener = Callable[[Op, tuple[Any, ...], tuple[Any, ...]], None]
"""Called after each operation that did not trap: the op, its operands' and its results' values."""

Call = Callable[[str, list[Any]], tuple[Any, ...]]
"""Runs a function of the module by name."""
IterationRunner = Callable[[str, int, int, list[Any]], None]
"""Runs iterations of a parallel body: its name, start, stop, captured values."""
Frame = list[Any]
Signal = tuple[Any, ...] | None
"""The end of a statement: None to go on, BREAK, CONTINUE, or the returned values."""
Step = Callable[[Frame], Signal]

BREAK: Signal = ("break",)
CONTINUE: Signal = ("continue",)
UNSET = object()


def _nothing(frame: Frame) -> None:
    """The step of an operation whose result every new frame has."""


class Steps:
    """The closures of `function`. A frame holds parameters, slots, locals, then op results."""

    def __init__(
        self,
        function: Function,
        tables: Mapping[str, Ref],
        call: Call,
        listener: Listener | None,
        run_iterations: IterationRunner | None = None,
        arena: Arena | None = None,
    ) -> None:
        self.function = function
        self.arena = arena or Arena()
        self.tables = tables
        self.call = call
        self.run_iterations = run_iterations or self._in_order
        self.listener = listener
        slots = [*(name for name, _ in function.params), *function.slots]
        self.slots = {name: i for i, name in enumerate(slots)}
        self.locals = {name: len(slots) + i for i, name in enumerate(function.locals)}
        self.size = len(slots) + len(self.locals)
        self.values: dict[tuple[int, int], int] = {}
        self.results: list[Any] = []
        """Of a new frame: constants have their values."""
        self.is_plain = listener is None and type(self).op is Steps.op
        """Whether no one asks when an operation is done."""
        self.run = self.region(function.body)

    def _in_order(self, name: str, start: int, stop: int, captured: list[Any]) -> None:
        self.call(name, [start, stop, *captured])

    def frame(self, args: list[Any]) -> Frame:
        """A new frame: the arguments, slots that are not set, fresh locals."""
        slots = [UNSET] * (len(self.slots) - len(args))
        locals_ = [fresh(t) for t in self.function.locals.values()]
        return [*args, *slots, *locals_, *self.results]

    def read(self, value: Value) -> int:
        return self.values[value.op, value.index]

    def define(self, value: Value, constant: Any = UNSET) -> int:
        self.values[value.op, value.index] = self.size
        self.results.append(constant)
        self.size += 1
        return self.size - 1

    def region(self, region: Region) -> Step:
        steps = [self.statement(statement) for statement in region]
        steps = [step for step in steps if step is not _nothing]
        if len(steps) == 1:
            return steps[0]

        def run(frame: Frame) -> Signal:
            for step in steps:
                signal = step(frame)
                if signal is not None:
                    return signal
            return None

        return run

    def statement(self, statement: Statement) -> Step:
        match statement:
            case Op():
                return self.op(statement)
            case If():
                return self.branch(statement)
            case While():
                return self.while_loop(statement)
            case For():
                return self.for_loop(statement)
            case Break():
                return lambda frame: BREAK
            case Continue():
                return lambda frame: CONTINUE
            case Return():
                at = [self.read(value) for value in statement.values]
                return lambda frame: tuple([frame[i] for i in at])

    def branch(self, statement: If) -> Step:
        condition = self.read(statement.condition)
        then, orelse = self.region(statement.then), self.region(statement.orelse)
        return lambda frame: then(frame) if frame[condition] else orelse(frame)

    def while_loop(self, statement: While) -> Step:
        head = self.region(statement.head)
        condition = self.read(statement.condition)
        body, orelse = self.region(statement.body), self.region(statement.orelse)

        def run(frame: Frame) -> Signal:
            while True:
                head(frame)
                if not frame[condition]:
                    return orelse(frame)
                signal = body(frame)
                if signal is BREAK:
                    return None
                if signal is not None and signal is not CONTINUE:
                    return signal

        return run

    def for_loop(self, statement: For) -> Step:
        start, stop, step = self.read(statement.start), self.read(statement.stop), statement.step
        slot = self.slots[statement.slot]
        body, orelse = self.region(statement.body), self.region(statement.orelse)
        if statement.lanes is not None:
            lanes = self.laned(statement, statement.lanes, body)

            def run_lanes(frame: Frame) -> Signal:
                signal = lanes(frame)
                return orelse(frame) if signal is None else signal

            return run_lanes

        def run(frame: Frame) -> Signal:
            for i in range(frame[start], frame[stop], step):
                frame[slot] = i
                signal = body(frame)
                if signal is BREAK:
                    return None
                if signal is not None and signal is not CONTINUE:
                    return signal
            return orelse(frame)

        return run

    def laned(self, statement: For, lanes: Lanes, body: Step) -> Step:
        """The step that runs a loop with lanes."""
        start, stop, step = self.read(statement.start), self.read(statement.stop), statement.step
        counter = self.slots[statement.slot]
        types = {**dict(self.function.params), **self.function.slots}

        def joining(name: str) -> Callable[..., Any]:
            join: Callable[..., Any] = SEMANTICS[name]
            flush: Callable[..., Any] = SEMANTICS["flush"]

            def flushing(t: ValueType, a: float, b: float) -> float:
                return flush(t, join(t, a, b))

            return flushing if lanes.flush else join

        joined: list[tuple[int, ValueType, Callable[..., Any], float]] = [
            (self.slots[slot], types[slot], joining(join), JOINS[join])
            for slot, join in lanes.slots
        ]

        def iteration(frame: Frame, i: int) -> Signal:
            frame[counter] = i
            signal = body(frame)
            return None if signal is CONTINUE else signal

        def blocks(frame: Frame, iterations: Sequence[int], count: int) -> Signal:
            before = [frame[slot] for slot, *_ in joined]
            cells = [[neutral] * count for *_, neutral in joined]
            for k, i in enumerate(iterations):
                for (slot, *_), cell in zip(joined, cells, strict=True):
                    frame[slot] = cell[k % count]
                signal = iteration(frame, i)
                if signal is not None:
                    return signal
                for (slot, *_), cell in zip(joined, cells, strict=True):
                    cell[k % count] = frame[slot]
            for (slot, t, join, _), cell, old in zip(joined, cells, before, strict=True):
                half = count // 2
                while half:
                    cell = [join(t, cell[i], cell[half + i]) for i in range(half)]
                    half //= 2
                frame[slot] = join(t, old, cell[0])
            return None

        def run(frame: Frame) -> Signal:
            iterations = range(frame[start], frame[stop], step)
            left = trip_count(frame[start], frame[stop], step)
            for count in lanes.counts:
                whole, left = left - left % count, left % count
                signal = blocks(frame, iterations[:whole], count) if whole else None
                if signal is not None:
                    return signal
                iterations = iterations[whole:]
            for i in iterations:
                signal = iteration(frame, i)
                if signal is not None:
                    return signal
            return None

        return run

    def op(self, op: Op) -> Step:
        if op.opcode in SEMANTICS:
            step = self.scalar(op)
        elif op.opcode in MEMORY:
            step = self.apply(op, MEMORY[op.opcode](op))
        else:
            step = FRAME[op.opcode](self, op)
        return step if self.listener is None else self.heard(op, step, self.listener)

    def heard(self, op: Op, step: Step, listener: Listener) -> Step:
        args = [self.read(value) for value in op.args]
        results = [self.read(value) for value in op.results]

        def run(frame: Frame) -> None:
            operands = tuple([frame[i] for i in args])
            step(frame)
            listener(op, operands, tuple([frame[i] for i in results]))

        return run

    def scalar(self, op: Op) -> Step:
        function: Callable[..., Any] = SEMANTICS[op.opcode]
        t = op.result.type
        assert isinstance(t, ScalarType)
        at = [self.read(value) for value in op.args]
        result = self.define(op.result)

        def any_number(frame: Frame) -> None:
            try:
                frame[result] = function(t, *[frame[i] for i in at])
            except Trap as trap:
                raise self.operands_trap(op, trap.kind, [frame[i] for i in at]) from None

        if len(at) != 2:
            return any_number
        first, second = at

        def two(frame: Frame) -> None:
            try:
                frame[result] = function(t, frame[first], frame[second])
            except Trap as trap:
                operands = [frame[first], frame[second]]
                raise self.operands_trap(op, trap.kind, operands) from None

        return two

    def trap(
        self, op: Op, kind: str, detail: str | None = None, values: str | None = None
    ) -> Trap | IRError:
        """The trap at `op`; an `unchecked` op that traps is a wrong pass, not an answer."""
        if op.unchecked:
            return IRError(f"{op.opcode} (op {op.id}) is marked as never trapping, and trapped")
        trap = Trap(kind, op.span, detail, values)
        trap.is_inner = is_own_code(self.function.name)
        return trap

    def operands_trap(self, op: Op, kind: str, operands: Sequence[Any]) -> Trap | IRError:
        """The trap at `op`, which names its operands."""
        text, values = operand_text(op, kind), operands[len(op.args) - len(named(op)) :]
        return self.trap(op, kind, None, text and filled(text, values))

    def apply(self, op: Op, function: Callable[..., Any]) -> Step:
        """The step that applies `function` to the operands' values."""
        at = [self.read(value) for value in op.args]
        if not op.results:
            return lambda frame: function(*[frame[i] for i in at])
        result = self.define(op.result)

        def run(frame: Frame) -> None:
            frame[result] = function(*[frame[i] for i in at])

        return run


def _const(steps: Steps, op: Op) -> Step:
    if steps.is_plain:
        steps.define(op.result, op.attr)
        return _nothing
    return steps.apply(op, lambda: op.attr)


def _get(steps: Steps, op: Op) -> Step:
    slot, result = steps.slots[str(op.attr)], steps.define(op.result)

    def run(frame: Frame) -> None:
        value = frame[slot]
        if value is UNSET:
            raise IRError(f"slot {op.attr} is read before it is set", span=op.span)
        frame[result] = value

    return run


def _set(steps: Steps, op: Op) -> Step:
    value, slot = steps.read(op.args[0]), steps.slots[str(op.attr)]

    def run(frame: Frame) -> None:
        frame[slot] = frame[value]

    return run


def _local(steps: Steps, op: Op) -> Step:
    place, result = steps.locals[str(op.attr)], steps.define(op.result)

    def run(frame: Frame) -> None:
        frame[result] = frame[place]

    return run


def _table(steps: Steps, op: Op) -> Step:
    ref = steps.tables[str(op.attr)]
    return steps.apply(op, lambda: ref)


def _index(steps: Steps, op: Op) -> Step:
    def check(i: int, length: int) -> None:
        if not 0 <= i < length:
            raise steps.operands_trap(op, "index", (i, length))

    return steps.apply(op, check)


def _bound(steps: Steps, op: Op) -> Step:
    def check(bound: int, length: int) -> None:
        if not 0 <= bound <= length:
            text = operand_text(op, "index")
            names = text and filled(text, (bound, length))
            raise steps.trap(op, "index", str(op.attr), names)

    return steps.apply(op, check)


def _assert(steps: Steps, op: Op) -> Step:
    detail = message(op)

    def check(condition: bool, *values: Any) -> None:
        if not condition:
            raise steps.trap(op, op.opcode, detail, _with_values(op, values))

    return steps.apply(op, check)


def _with_values(op: Op, values: Sequence[Any]) -> str | None:
    text = operand_text(op, op.opcode)
    return text and filled(text, values)


def _overflow(steps: Steps, op: Op) -> Step:
    def check(condition: bool, *values: Any) -> None:
        if condition:
            raise steps.trap(op, "overflow", None, _with_values(op, values))

    return steps.apply(op, check)


def _print(steps: Steps, op: Op) -> Step:
    text = str(op.attr)
    return steps.apply(op, lambda *values: write(filled(text, values), len(values)))


def _trace(steps: Steps, op: Op) -> Step:
    name, types = first_text(str(op.attr)), types_in(str(op.attr))
    return steps.apply(op, lambda *values: keep(name, map(number_of, values, types), op.span))


def _call(steps: Steps, op: Op) -> Step:
    name, call = str(op.attr), steps.call
    at = [steps.read(value) for value in op.args]
    results = [steps.define(value) for value in op.results]

    def run(frame: Frame) -> None:
        for i, value in zip(results, call(name, [frame[i] for i in at]), strict=True):
            frame[i] = value

    if is_own_code(steps.function.name) or not is_own_code(name):
        return run

    def run_and_place(frame: Frame) -> None:
        try:
            run(frame)
        except Trap as trap:
            raise (trap.at(op.span) if trap.is_inner else trap) from None

    return run_and_place


def _arena(steps: Steps, op: Op) -> Step:
    arena = steps.arena
    return steps.apply(op, lambda: arena.used)


def _release(steps: Steps, op: Op) -> Step:
    arena = steps.arena

    def release(used: int) -> None:
        arena.used = used

    return steps.apply(op, release)


def _allocate(steps: Steps, op: Op) -> Step:
    arena, t, limit = steps.arena, op.result.type, op.attr
    assert isinstance(t, ArrayType)
    assert isinstance(limit, int)

    def allocate(*operands: int) -> Any:
        if operands[-1] != arena.used:
            raise IRError(f"{operands[-1]} bytes of the arena are not what is in use")
        try:
            return arena.allocate(t, operands[:-1], limit)
        except Trap as trap:
            raise steps.operands_trap(op, trap.kind, operands) from None

    return steps.apply(op, allocate)


def _own(steps: Steps, op: Op) -> Step:
    def check(i: int, first: int, count: int) -> None:
        if not first <= i < first + count:
            trap = steps.trap(op, "own", str(op.attr))
            if isinstance(trap, Trap):
                trap = trap.outside(i, first, first + count)
            raise trap

    return steps.apply(op, check)


def _parallel(steps: Steps, op: Op) -> Step:
    name, run_iterations = str(op.attr), steps.run_iterations
    start, stop, _, *captured = [steps.read(value) for value in op.args]

    def run(frame: Frame) -> None:
        run_iterations(name, frame[start], frame[stop], [frame[i] for i in captured])

    return run


FRAME: dict[str, Callable[[Steps, Op], Step]] = {
    "const": _const,
    "get": _get,
    "set": _set,
    "local": _local,
    "table": _table,
    "index": _index,
    "bound": _bound,
    "assert": _assert,
    "assume": _assert,
    "overflow": _overflow,
    "own": _own,
    "arena": _arena,
    "release": _release,
    "allocate": _allocate,
    "print": _print,
    "trace": _trace,
    "call": _call,
    "parallel": _parallel,
}
"""The operations on slots, checks and calls: how each becomes a step."""
