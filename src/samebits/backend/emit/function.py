"""One function of the typed IR as LLVM text: slots, structured control flow, traps.

Every slot and loop counter is an `alloca` of the entry block, which LLVM promotes to registers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from samebits.backend.emit.arena import ARENA_PLACE
from samebits.backend.emit.emission import Emission
from samebits.backend.lowering.float import canonicalise_stores, is_some_nan
from samebits.backend.lowering.int64 import unsigned_quotient
from samebits.backend.lowering.table import LOWERINGS
from samebits.backend.text.debug_info import DebugInfo
from samebits.backend.text.locations import Location, Locations
from samebits.backend.text.loop_metadata import DIVISIONS, EmittedCounts
from samebits.backend.text.nan_deferral import Deferral, deferral, may_wait
from samebits.backend.text.types import (
    constant,
    memory,
    parameter_parts,
    parts,
    scalar,
)
from samebits.backend.text.writer import OWN_PLACE, UNLIKELY, FunctionWriter
from samebits.errors import IRError
from samebits.ir.analysis.carried import destination
from samebits.ir.grammar import (
    CALLS,
    Break,
    Continue,
    For,
    Function,
    If,
    Op,
    Region,
    Return,
    Statement,
    Value,
    While,
    can_trap,
    may_loop,
    walk,
)
from samebits.types import ScalarType

_FLUSHING_INLINED = 2000
"""LLVM's inlining threshold for functions that flush, eight times that of others at -O3: each of
their operations is five. A loop around a call that is not inlined is not vectorised."""


_FLOAT = {32: "float", 64: "double"}
_BEFORE = "%arena.before"
"""The bytes of the arena that are in use where a function begins, and again where it returns."""


@dataclass(slots=True)
class Loop:
    """The labels of an enclosing loop, and whether a `break` leaves it."""

    next_iteration: str
    exit: str
    left: bool = False


class FunctionEmitter(FunctionWriter):
    """Emits one function, statement by statement; `LOWERINGS` emit the operations."""

    def __init__(self, module: Emission, function: Function) -> None:
        super().__init__(module, function)
        self._loops: list[Loop] = []
        self._is_deferring = False
        """Whether the end of a loop around here sees to the NaNs that it stores."""

    def text(self) -> str:
        """The function's definition."""
        if self._locations is not None:
            self._locations.begin(self.function)
        arguments = self._declare()
        self._region(self.function.body)
        if self._open:
            raise IRError(
                f"function {self.function.name} can end without a return",
                span=self.function.span,
                fix="end every path with `return`",
            )
        symbol = self.module.symbol(self.function.name)
        linkage, attributes = "internal ", "#0"
        if self.function.name in self.module.cold:
            linkage, attributes = "", "#1"
        elif self.module.is_inlined(self.function.name) or self.module.is_only_entered(
            self.function.name
        ):
            attributes = "#0 alwaysinline"
        elif self.function.recursion or (
            self.function.name in self.module.called_twice
            or self.module.stays_whole(self.function.name)
        ):
            attributes = "#0 noinline"
        if "alwaysinline" not in attributes and may_loop(self.function):
            attributes += self.target.stack_attribute
        options = self.function.options
        flushes_each = options.denormals == "flush" and not self.flushes_late
        if flushes_each and options.optimize_for == "speed":
            attributes += f' "function-inline-threshold"="{_FLUSHING_INLINED}"'
        head = f"define {linkage}{self.target.convention}{self._return} {symbol}"
        text = "\n".join([
            f"{head}({', '.join(arguments)}) {attributes} {{",
            "entry:", *self._allocas, "  br label %start",
            "start:", *self._lines, *self._cold_blocks, *self._tail, *self.trapped_block(),
            "}",
        ])  # fmt: skip
        return text if self._locations is None else self._locations.attach(text)

    def _locate(self, statement: Statement, locations: Locations) -> None:
        """Give the instructions that follow the location of `statement`."""
        number = getattr(statement, "id", None)
        here = Location(self.function.name, number, statement.span)
        self._location = locations.number(here)
        self._lines += self._mark()

    def _declare(self) -> list[str]:
        arguments: list[str] = []
        for index, (name, t) in enumerate(self.function.params):
            names = tuple(f"%a{index}.{k}" for k in range(len(parts(t))))
            arguments += [f"{p} {n}" for p, n in zip(parameter_parts(t), names, strict=True)]
            if name not in self.facts.set_slots and not isinstance(self._locations, DebugInfo):
                self._fixed[name] = names
                continue
            self._slots[name] = tuple(self.variable(part) for part in parts(t))
            for part, value, place in zip(parts(t), names, self._slots[name], strict=True):
                self._allocas.append(f"  store {part} {value}, ptr {place}")
        for name, t in self.function.slots.items():
            self._slots[name] = tuple(self.variable(part) for part in parts(t))
        lies_in = destination(self.function)
        for name, t in self.function.locals.items():
            if name not in lies_in:
                self._locals[name] = self.variable(memory(t), f", align {max(16, t.align)}")
        for name, other in lies_in.items():
            self._locals[name] = self._locals[other]
        if self.function.name in self.module.owns:
            arguments.append(f"ptr {OWN_PLACE}")
        if isinstance(self._locations, DebugInfo):
            self._allocas += self._locations.declarations(self._slots, self._locals)
        if self.function.name in self.module.arenas:
            arguments.append(f"ptr noalias noundef nonnull align 8 {ARENA_PLACE}")
            if self.module.allocates(self.function.name):
                self._allocas.append(f"  {_BEFORE} = load i64, ptr {ARENA_PLACE}, align 8")
        return arguments

    # -- statements ---------------------------------------------------------------------------

    def _region(self, region: Region) -> None:
        outer = self._location
        for statement in region:
            if not self._open:
                break
            self._statement(statement)
        else:
            if self.to_canonicalise:
                canonicalise_stores(self)
        if outer:
            self._location = outer
            # A debugger would stop again at the `if` whose region ends.
            if not isinstance(self._locations, DebugInfo):
                self._lines += self._mark()

    def _statement(self, statement: Statement) -> None:
        if self.to_canonicalise and not may_wait(statement, self.to_canonicalise[0][0]):
            canonicalise_stores(self)
        self._counts.statements += 1
        if self._locations is not None:
            self._locate(statement, self._locations)
        match statement:
            case Op():
                self._op(statement)
            case If():
                self._if(statement)
            case For():
                self._for(statement)
            case While():
                self._while(statement)
            case Return():
                self._return_values(statement.values)
            case Break():
                self._loops[-1].left = True
                self._jump(self._loops[-1].exit)
            case Continue():
                self._jump(self._loops[-1].next_iteration)

    def _op(self, op: Op) -> None:
        if op.opcode == "const":
            t = op.result.type
            if not isinstance(t, ScalarType):
                raise IRError(f"a constant of type {t} does not exist", span=op.span)
            self.define(op.result, constant(t, op.attr))
            return
        self._counts.divisions += self._is_division(op)
        self._counts.wide += is_wide(op)
        if op.opcode == "call":
            is_cold = self.module.is_cold(self.function.name)
            size = 0 if is_cold else self.module.inlined_size(str(op.attr))
            self._counts.inlined += size
            self._counts.statements += size
        self.choose_flags(op)
        LOWERINGS[op.opcode](self, op)

    def _is_division(self, op: Op) -> bool:
        if op.opcode in CALLS:
            return self.module.divides[str(op.attr)]
        return op.opcode in DIVISIONS and self.operand(op.args[1]).startswith("%")

    def _if(self, statement: If) -> None:
        then, orelse, after = self._label("then"), self._label("else"), self._label("after")
        condition = self.operand(statement.condition)
        target = orelse if statement.orelse else after
        is_cold = self._is_cold(statement.then)
        weights = f", {UNLIKELY}" if is_cold else self.weights(statement.condition)
        self.do(f"br i1 {condition}, label %{then}, label %{target}{weights}")
        reached = not statement.orelse
        fallback = _fallback(statement)
        for label, region in ((then, statement.then), (orelse, statement.orelse)):
            if label == orelse and not region:
                continue
            self._start(label)
            outside = self.in_fallback
            self.in_fallback = outside or region is fallback
            self._region(region)
            self.in_fallback = outside
            reached = reached or self._open
            self._jump(after)
        if reached:
            self._start(after)

    def _is_cold(self, statements: Iterable[Statement]) -> bool:
        return any(
            isinstance(s, Op) and s.opcode == "call" and str(s.attr) in self.module.cold
            for s in statements
        )

    def _back_edge(self, statement: For | While, head: str, before: EmittedCounts) -> None:
        """Emit the back edge. A loop with checks of its own gets only metadata that costs no
        compile time; the checks of its callees may vanish when these are inlined."""
        inside = self._counts.since(before)
        self._counts.loops += 1
        if not self._open:
            return
        self._jump(head)
        metadata = self.module.loop(inside, self.function.name, statement, self._location)
        if metadata:
            self._lines[-1] += f", !llvm.loop {metadata}"

    def _loop_body(self, region: Region, loop: Loop) -> None:
        self._loops.append(loop)
        self._region(region)
        self._loops.pop()
        self._jump(loop.next_iteration)

    def _loop_end(self, done: str, orelse: Region, loop: Loop) -> None:
        self._start(done)
        self._region(orelse)
        reached = self._open or loop.left
        self._jump(loop.exit)
        if reached:
            self._start(loop.exit)

    def _while(self, statement: While) -> None:
        head, body, done = self._label("head"), self._label("body"), self._label("done")
        loop = Loop(self._label("step"), self._label("exit"))
        before = replace(self._counts)
        self._jump(head)
        self._start(head)
        self._region(statement.head)
        condition = self.operand(statement.condition)
        weights = self.weights(statement.condition)
        self.do(f"br i1 {condition}, label %{body}, label %{done}{weights}")
        self._start(body)
        self._loop_body(statement.body, loop)
        self._start(loop.next_iteration)
        self._back_edge(statement, head, replace(before, checks=self._counts.checks))
        self._loop_end(done, statement.orelse, loop)

    def _for(self, statement: For) -> None:
        """Step 1 and -1 compare the counter with `stop`, which LLVM understands best and which
        cannot overflow. Other steps count iterations: start+step may leave int64."""
        start, stop = self.operand(statement.start), self.operand(statement.stop)
        if statement.step in (1, -1):
            self._counted(statement, start, start, stop)
        else:
            self._counted(statement, start, "0", self._trip_count(start, stop, statement.step))

    def _counted(self, statement: For, start: str, first: str, last: str) -> None:
        """Iterations from `first` on: the slot's values for step 1 and -1, else iteration
        numbers."""
        head, body, done = self._label("head"), self._label("body"), self._label("done")
        step_label = self._label("step")
        loop = Loop(step_label, self._label("exit"))
        step = statement.step
        counter = self.variable("i64")
        if step in (1, -1):
            no_wrap, more, increment = " nsw", ("slt" if step == 1 else "sgt"), step
        else:
            no_wrap, more, increment = " nuw", "ult", 1
        deferred = self._defer_nans(statement)
        self.do(f"store i64 {first}, ptr {counter}")
        self._jump(head)
        self._start(head)
        now = self.emit(f"load i64, ptr {counter}")
        again = self.emit(f"icmp {more} i64 {now}, {last}")
        self.do(f"br i1 {again}, label %{body}, label %{done}")
        self._start(body)
        value = now
        if step not in (1, -1):
            value = self.emit(f"add i64 {start}, {self.emit(f'mul i64 {now}, {step}')}")
        self.store_slot(statement.slot, (value,))
        before = replace(self._counts)
        self._loop_body(statement.body, loop)
        self._start(step_label)
        following = self.emit(f"add{no_wrap} i64 {now}, {increment}")
        self.do(f"store i64 {following}, ptr {counter}")
        self._back_edge(statement, head, before)
        if deferred is not None:
            self._start(done)
            done = self._label("done")
            self._repair(deferred)
            self._jump(done)
        self._loop_end(done, statement.orelse, loop)

    def _defer_nans(self, statement: For) -> Deferral | None:
        """Have the loop's stores leave their NaNs to its end, where that is to see to them."""
        if self._is_deferring:
            return None
        deferred = deferral(statement, self.facts)
        if deferred is None:
            return None
        self._is_deferring = True
        self.watched = dict.fromkeys([store.id for store in deferred.stores])
        t = _FLOAT[deferred.bits]
        for store in deferred.stores if deferred.is_tested else ():
            place = self.variable(t)
            self.do(f"store {t} 0.0, ptr {place}")
            self.watched[store.id] = place, store.id not in deferred.steady
        return deferred

    def _repair(self, deferred: Deferral) -> None:
        """After a loop: go over what it stored, if some of that may be NaN."""
        t = _FLOAT[deferred.bits]
        found = [self.emit(f"load {t}, ptr {place[0]}") for place in self.watched.values() if place]
        self.watched = {}

        def repair() -> None:
            outside, self._counts.is_remainder = self._counts.is_remainder, True
            self._region(deferred.repairs)
            self._counts.is_remainder = outside

        if found:
            self.when(is_some_nan(self, found, deferred.bits), repair, UNLIKELY)
            if self.flushes_late:
                self._region(deferred.last)
        else:
            repair()
        self._is_deferring = False

    def _trip_count(self, start: str, stop: str, step: int) -> str:
        """The trip count of `range(start, stop, step)`, below 2^64 for every input."""
        low, high = (start, stop) if step > 0 else (stop, start)
        some = self.emit(f"icmp slt i64 {low}, {high}")
        distance = self.emit(f"sub i64 {self.emit(f'sub i64 {high}, {low}')}, 1")
        whole = unsigned_quotient(self, 64, distance, str(abs(step)))
        return self.emit(f"select i1 {some}, i64 {self.emit(f'add i64 {whole}, 1')}, i64 0")

    def _return_values(self, values: tuple[Value, ...]) -> None:
        see = self.seen if self.module.is_entered(self.function.name) else self.operand
        names = [see(value) for value in values]
        if self.module.allocates(self.function.name):
            self.do(f"store i64 {_BEFORE}, ptr {ARENA_PLACE}, align 8")
        typed = list(zip(map(scalar, self.function.results), names, strict=True))
        if self.can_trap:
            typed.insert(0, ("i32", "0"))
        self._open = False
        if not typed:
            self.do("ret void")
            return
        if len(typed) == 1:
            self.do(f"ret {typed[0][0]} {typed[0][1]}")
            return
        result = "poison"
        for index, (t, name) in enumerate(typed):
            result = self.emit(f"insertvalue {self._return} {result}, {t} {name}, {index}")
        self.do(f"ret {self._return} {result}")


def is_wide(op: Op) -> bool:
    """Whether the operation loads or stores more than 32 bits."""
    if op.opcode not in ("load", "store"):
        return False
    t = op.result.type if op.opcode == "load" else op.args[1].type
    return isinstance(t, ScalarType) and t.bits > 32


def _fallback(statement: If) -> Region | None:
    """The region with the checked loop of a versioned pair; None if `statement` is no such pair."""
    then, orelse = ([s for s in region if isinstance(s, For)]
                    for region in (statement.then, statement.orelse))  # fmt: skip
    if len(then) != 1 or len(orelse) != 1 or then[0].span != orelse[0].span:
        return None
    more = _checks(then[0]) > _checks(orelse[0])
    return statement.then if more else statement.orelse


def _checks(loop: For) -> int:
    return sum(isinstance(s, Op) and can_trap(s) for s in walk(loop.body))
