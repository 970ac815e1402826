"""One function of the typed IR as LLVM text: slots, structured control flow, traps.

Every slot and loop counter is an `alloca` of the entry block, which LLVM promotes to registers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from samebits.backend.debug import Location, Locations, mark
from samebits.backend.emit_facts import Facts
from samebits.backend.emit_loops import Seen
from samebits.backend.emit_patterns import Patterns
from samebits.backend.emit_types import (
    constant,
    function_symbol,
    memory,
    parameter_parts,
    parts,
    scalar,
)
from samebits.backend.plans import Plan
from samebits.backend.rare import RareFunction
from samebits.backend.targets import Target
from samebits.backend.wide import unsigned_quotient
from samebits.errors import IRError, Span
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
    ValueType,
    While,
)
from samebits.modes import FAST
from samebits.types import ScalarType

UNLIKELY = "!prof !0"
"""Branch weights of a trap's edge, which is always a branch's first target."""
_WEIGHTS = {True: ", !prof !2", False: ", !prof !3"}
"""Those of a condition that the source says is likely, or unlikely."""

FAST_FLAGS = "reassoc nsz arcp contract afn "
"""What LLVM may do to FAST's operations. Not `nnan` and `ninf`: where they are wrong the result is
poison, with which an index or a branch would be undefined behaviour."""

OWN_PLACE = "%own"
"""The last parameter of a function that checks own indices."""

_STORE_RUN = {"component", "store"}
"""What a run of stores to one vector is made of."""


@dataclass(frozen=True, slots=True)
class TrapSite:
    """What a non-zero status stands for."""

    kind: str
    span: Span
    detail: str | None


class ModuleContext(Protocol):
    """What a function needs to know of the module that it is emitted into."""

    @property
    def target(self) -> Target: ...

    @property
    def plan(self) -> Plan: ...

    def function(self, name: str) -> Function: ...

    def traps(self, name: str) -> bool:
        """Whether the function can trap, itself or through what it calls."""
        ...

    def trap_status(self, site: TrapSite) -> int:
        """The status, from 1, that stands for `site`."""
        ...

    def table(self, name: str) -> str:
        """The symbol of a constant table of the module."""
        ...

    def helper(self, name: str) -> str:
        """The symbol of a function that the backend provides, such as `fma.f64`."""
        ...

    def rare(self, name: str) -> RareFunction | None:
        """The function as one that is kept out of line for rare inputs, if it is such a one."""
        ...

    def is_inlined(self, name: str) -> bool:
        """Whether every call of the function becomes its body."""
        ...

    def is_apart(self, name: str) -> bool:
        """Whether the function is rare, or only rare functions lead to it."""
        ...

    def inlined_size(self, name: str) -> int:
        """Statements that come in place of a call, those of its callees included; 0 where the
        call stays or may trap."""
        ...

    def owns(self, name: str) -> bool:
        """Whether the function checks own indices: its last parameter then is where to put the
        numbers of a trap."""
        ...

    def is_called_twice(self, name: str) -> bool:
        """Whether the function's turns run in line and on threads: one copy of them is enough."""
        ...

    def turns(self, name: str) -> str:
        """The symbol of a range function for a parallel body; empty where the module is to run
        its turns in line."""
        ...

    def divides(self, name: str) -> bool:
        """Whether a function, or what it calls, divides integers by a variable."""
        ...

    @property
    def locations(self) -> Locations | None:
        """Where statements' source locations are kept, if they are wanted in the text."""
        ...

    def loop(self, inside: Seen, function: str, statement: For | While, location: int) -> str:
        """The metadata of a loop of `function` with `inside` in it; empty where LLVM is to choose.
        `location` is the loop's number, or 0."""
        ...


DIVISIONS = frozenset({"floordiv", "mod"})


def return_type(function: Function, traps: bool) -> str:
    """What the LLVM function returns: status first, if it can trap, then the results."""
    items = ["i32"] * traps + [scalar(t) for t in function.results]
    if not items:
        return "void"
    return items[0] if len(items) == 1 else "{ " + ", ".join(items) + " }"


@dataclass(slots=True)
class Loop:
    """The labels of a loop around what is emitted, and whether a `break` leaves it."""

    next_turn: str
    exit: str
    left: bool = False


class FunctionEmitter:
    """Appends LLVM text for one function; the lowerings call its small vocabulary."""

    def __init__(self, module: ModuleContext, function: Function) -> None:
        self.module = module
        self.function = function
        self.target = module.target
        self.fast = FAST_FLAGS if function.options.mode is FAST else ""
        """What comes before the type of a float operation."""
        self.facts = Facts(function)
        self.patterns = Patterns(function)
        self.can_trap = module.traps(function.name)
        self._allocas: list[str] = []
        self._lines: list[str] = []
        self._tail: list[str] = []
        self._aside: list[str] = []
        self.to_mend: list[tuple[int, str, str]] = []
        """Floats just stored as they are: width in bits, register, address."""
        self._expected: dict[tuple[int, int], bool] = {}
        self._values: dict[tuple[int, int], tuple[str, ...]] = {}
        self._slots: dict[str, tuple[str, ...]] = {}
        self._fixed: dict[str, tuple[str, ...]] = {}
        self._locals: dict[str, str] = {}
        self._loops: list[Loop] = []
        self._counter = 0
        self._seen = Seen()
        self.in_fallback = False
        """Whether what is emitted is the rarer of a loop's two copies."""
        self._location = 0
        """The number of the statement's location; 0 where none are wanted."""
        self._locations = module.locations
        self._open = True
        self._return = return_type(function, self.can_trap)

    # -- the vocabulary of the lowerings ------------------------------------------------------

    def emit(self, text: str) -> str:
        """Append an instruction that gives a value; returns the value's name."""
        name = self.name()
        self._lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        """Append an instruction without a value."""
        self._lines.append(f"  {text}")

    def operands(self, value: Value) -> tuple[str, ...]:
        """The registers or constants that hold `value`."""
        return self._values[value.op, value.index]

    def operand(self, value: Value) -> str:
        """The one register or constant of a scalar or a reference."""
        return self._values[value.op, value.index][0]

    def define(self, value: Value, *names: str) -> None:
        """Say where a result lives."""
        self._values[value.op, value.index] = names

    def expect(self, value: Value, likely: bool) -> None:
        """Say what a bool nearly always is."""
        self._expected[value.op, value.index] = likely

    def weights(self, condition: Value) -> str:
        """What follows a branch or select on `condition`: the weights that are known."""
        expected = self._expected.get((condition.op, condition.index))
        return "" if expected is None else _WEIGHTS[expected]

    def local(self, name: str) -> str:
        """The address of a piece of local memory."""
        return self._locals[name]

    def load_slot(self, name: str) -> tuple[str, ...]:
        """The value that slot `name` holds now."""
        if name in self._fixed:
            return self._fixed[name]
        types = parts(self._slot_type(name))
        return tuple(
            self.emit(f"load {t}, ptr {place}")
            for t, place in zip(types, self._slots[name], strict=True)
        )

    def store_slot(self, name: str, values: tuple[str, ...]) -> None:
        """Make slot `name` hold `values`."""
        types = parts(self._slot_type(name))
        for t, value, place in zip(types, values, self._slots[name], strict=True):
            self.do(f"store {t} {value}, ptr {place}")

    def trap_if(
        self,
        condition: str,
        op: Op,
        kind: str,
        detail: str | None = None,
        first: Sequence[str] = (),
    ) -> None:
        """Leave the function with `kind` at `op`'s span where the i1 `condition` holds, after the
        instructions `first`."""
        self._seen.checks += 1
        status = self.module.trap_status(TrapSite(kind, op.span, detail))
        trap, go_on = self._label("trap"), self._label("ok")
        self.do(f"br i1 {condition}, label %{trap}, label %{go_on}, {UNLIKELY}")
        lines = "".join(f"  {line}\n" for line in first)
        leave = f"{trap}:\n{lines}  ret {self._return} {self._failure(str(status))}"
        self._tail += [*self._mark(), leave]
        self._start(go_on)

    def name(self) -> str:
        """A register that no other instruction writes."""
        self._counter += 1
        return f"%v{self._counter}"

    def rarely(self, condition: str, instructions: Sequence[str]) -> None:
        """Do `instructions`, out of the way, where the i1 `condition` holds."""
        rare, go_on = self._label("rare"), self._label("ok")
        self.do(f"br i1 {condition}, label %{rare}, label %{go_on}, {UNLIKELY}")
        lines = "".join(f"  {line}\n" for line in instructions)
        self._aside += [*self._mark(), f"{rare}:\n{lines}  br label %{go_on}"]
        self._start(go_on)

    def when(self, condition: str, then: Callable[[], None]) -> None:
        """Do what `then` appends where the i1 `condition` holds."""
        yes, after = self._label("then"), self._label("after")
        self.do(f"br i1 {condition}, label %{yes}, label %{after}")
        self._start(yes)
        then()
        self._jump(after)
        self._start(after)

    def variable(self, t: str, suffix: str = "") -> str:
        """The address of stack memory for a `t` of LLVM's, which is not set."""
        return self._alloca(t, suffix)

    def leave_if_failed(self, status: str) -> None:
        """Hand a callee's non-zero status on."""
        failed = self.emit(f"icmp ne i32 {status}, 0")
        trap, go_on = self._label("trap"), self._label("ok")
        self.do(f"br i1 {failed}, label %{trap}, label %{go_on}, {UNLIKELY}")
        self._tail += self._mark()
        if self._return == "i32":
            self._tail.append(f"{trap}:\n  ret i32 {status}")
        else:
            self._tail.append(
                f"{trap}:\n  %{trap}.r = insertvalue {self._return} zeroinitializer, "
                f"i32 {status}, 0\n  ret {self._return} %{trap}.r"
            )
        self._start(go_on)

    # -- the whole function -------------------------------------------------------------------

    def text(self) -> str:
        """The function's definition."""
        from samebits.backend.lowering import LOWERINGS  # the lowerings are typed against us

        self._lowerings = LOWERINGS
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
        symbol = function_symbol(self.function.name)
        linkage, attributes = "internal ", "#0"
        if self.module.rare(self.function.name) is not None:
            linkage, attributes = "", "#1"
        elif self.module.is_inlined(self.function.name):
            attributes = "#0 alwaysinline"
        elif self.module.is_called_twice(self.function.name):
            attributes = "#0 noinline"
        head = f"define {linkage}{self.target.convention}{self._return} {symbol}"
        text = "\n".join([
            f"{head}({', '.join(arguments)}) {attributes} {{",
            "entry:", *self._allocas, "  br label %start",
            "start:", *self._lines, *self._aside, *self._tail,
            "}",
        ])  # fmt: skip
        return text if self._locations is None else self._locations.attach(text)

    def _slot_type(self, name: str) -> ValueType:
        return self.facts.slot_types[name]

    def _label(self, stem: str) -> str:
        self._counter += 1
        return f"{stem}{self._counter}"

    def _mark(self) -> list[str]:
        return [mark(self._location)] if self._location else []

    def _locate(self, statement: Statement, locations: Locations) -> None:
        """What follows comes from `statement`."""
        number = getattr(statement, "id", None)
        here = Location(self.function.name, number, statement.span)
        self._location = locations.number(here)
        self._lines += self._mark()

    def _start(self, label: str) -> None:
        self._lines.append(f"{label}:")
        self._open = True

    def _jump(self, label: str) -> None:
        if self._open:
            self.do(f"br label %{label}")
            self._open = False

    def _alloca(self, t: str, suffix: str = "") -> str:
        self._counter += 1
        name = f"%m{self._counter}"
        self._allocas.append(f"  {name} = alloca {t}{suffix}")
        return name

    def _declare(self) -> list[str]:
        arguments: list[str] = []
        for index, (name, t) in enumerate(self.function.params):
            names = tuple(f"%a{index}.{k}" for k in range(len(parts(t))))
            arguments += [f"{p} {n}" for p, n in zip(parameter_parts(t), names, strict=True)]
            if name not in self.facts.set_slots:
                self._fixed[name] = names
                continue
            self._slots[name] = tuple(self._alloca(part) for part in parts(t))
            for part, value, place in zip(parts(t), names, self._slots[name], strict=True):
                self._allocas.append(f"  store {part} {value}, ptr {place}")
        for name, t in self.function.slots.items():
            self._slots[name] = tuple(self._alloca(part) for part in parts(t))
        for name, t in self.function.locals.items():
            self._locals[name] = self._alloca(memory(t), f", align {max(16, t.align)}")
        if self.module.owns(self.function.name):
            arguments.append(f"ptr {OWN_PLACE}")
        return arguments

    def _failure(self, status: str) -> str:
        if self._return == "i32":
            return status
        rest = (f"{scalar(t)} zeroinitializer" for t in self.function.results)
        return "{ " + ", ".join((f"i32 {status}", *rest)) + " }"

    # -- statements ---------------------------------------------------------------------------

    def _region(self, region: Region) -> None:
        outer = self._location
        for statement in region:
            if not self._open:
                break
            self._statement(statement)
        else:
            if self.to_mend:
                self._mend()
        if outer:
            self._location = outer
            self._lines += self._mark()

    def _mend(self) -> None:
        from samebits.backend.lowering_float import mend  # typed against us

        mend(self)

    def _statement(self, statement: Statement) -> None:
        if self.to_mend and not (isinstance(statement, Op) and statement.opcode in _STORE_RUN):
            self._mend()
        self._seen.statements += 1
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
                self._jump(self._loops[-1].next_turn)

    def _op(self, op: Op) -> None:
        if op.opcode == "const":
            t = op.result.type
            if not isinstance(t, ScalarType):
                raise IRError(f"a constant of type {t} does not exist", span=op.span)
            self.define(op.result, constant(t, op.attr))
            return
        self._seen.divisions += self._is_division(op)
        self._seen.wide += _is_wide(op)
        if op.opcode == "call":
            apart = self.module.is_apart(self.function.name)
            size = 0 if apart else self.module.inlined_size(str(op.attr))
            self._seen.inlined += size
            self._seen.statements += size
        self._lowerings[op.opcode](self, op)

    def _is_division(self, op: Op) -> bool:
        if op.opcode in CALLS:
            return self.module.divides(str(op.attr))
        return op.opcode in DIVISIONS and self.operand(op.args[1]).startswith("%")

    def _if(self, statement: If) -> None:
        then, orelse, after = self._label("then"), self._label("else"), self._label("after")
        condition = self.operand(statement.condition)
        target = orelse if statement.orelse else after
        rare = self._is_rare(statement.then)
        weights = f", {UNLIKELY}" if rare else self.weights(statement.condition)
        self.do(f"br i1 {condition}, label %{then}, label %{target}{weights}")
        reached = not statement.orelse
        for label, region in ((then, statement.then), (orelse, statement.orelse)):
            if label == orelse and not region:
                continue
            self._start(label)
            outside = self.in_fallback
            self.in_fallback = outside or (label == orelse and _is_fallback(statement))
            self._region(region)
            self.in_fallback = outside
            reached = reached or self._open
            self._jump(after)
        if reached:
            self._start(after)

    def _is_rare(self, statements: Iterable[Statement]) -> bool:
        return any(
            isinstance(s, Op) and s.opcode == "call" and self.module.rare(str(s.attr)) is not None
            for s in statements
        )

    def _turn(self, statement: For | While, head: str, before: Seen) -> None:
        """The back edge. A loop with checks of its own gets only what costs no compile time; those
        of what it calls may go when that is inlined."""
        inside = self._seen.since(before)
        self._seen.loops += 1
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
        self._jump(loop.next_turn)

    def _loop_end(self, done: str, orelse: Region, loop: Loop) -> None:
        self._start(done)
        self._region(orelse)
        reached = self._open or loop.left
        self._jump(loop.exit)
        if reached:
            self._start(loop.exit)

    def _while(self, statement: While) -> None:
        head, body, done = self._label("head"), self._label("body"), self._label("done")
        loop = Loop(self._label("turn"), self._label("exit"))
        before = replace(self._seen)
        self._jump(head)
        self._start(head)
        self._region(statement.head)
        condition = self.operand(statement.condition)
        weights = self.weights(statement.condition)
        self.do(f"br i1 {condition}, label %{body}, label %{done}{weights}")
        self._start(body)
        self._loop_body(statement.body, loop)
        self._start(loop.next_turn)
        self._turn(statement, head, replace(before, checks=self._seen.checks))
        self._loop_end(done, statement.orelse, loop)

    def _for(self, statement: For) -> None:
        """Step 1 and -1 compare the counter with `stop`, which LLVM understands best and which
        cannot overflow. Other steps count turns, for start+step may pass the end of int64."""
        start, stop = self.operand(statement.start), self.operand(statement.stop)
        if statement.step in (1, -1):
            self._counted(statement, start, start, stop)
        else:
            self._counted(statement, start, "0", self._turns(start, stop, statement.step))

    def _counted(self, statement: For, start: str, first: str, last: str) -> None:
        """The turns from `first` on: values of the slot for step 1 and -1, else turns' numbers."""
        head, body, done = self._label("head"), self._label("body"), self._label("done")
        step_label = self._label("step")
        loop = Loop(step_label, self._label("exit"))
        step = statement.step
        counter = self._alloca("i64")
        if step in (1, -1):
            no_wrap, more, increment = " nsw", ("slt" if step == 1 else "sgt"), step
        else:
            no_wrap, more, increment = " nuw", "ult", 1
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
        before = replace(self._seen)
        self._loop_body(statement.body, loop)
        self._start(step_label)
        following = self.emit(f"add{no_wrap} i64 {now}, {increment}")
        self.do(f"store i64 {following}, ptr {counter}")
        self._turn(statement, head, before)
        self._loop_end(done, statement.orelse, loop)

    def _turns(self, start: str, stop: str, step: int) -> str:
        """How many turns `range(start, stop, step)` has, below 2^64 for every input."""
        low, high = (start, stop) if step > 0 else (stop, start)
        some = self.emit(f"icmp slt i64 {low}, {high}")
        distance = self.emit(f"sub i64 {self.emit(f'sub i64 {high}, {low}')}, 1")
        whole = unsigned_quotient(self, 64, distance, str(abs(step)))
        return self.emit(f"select i1 {some}, i64 {self.emit(f'add i64 {whole}, 1')}, i64 0")

    def _return_values(self, values: tuple[Value, ...]) -> None:
        names = [self.operand(value) for value in values]
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


def _is_wide(op: Op) -> bool:
    """Whether the operation loads or stores more than 32 bits."""
    if op.opcode not in ("load", "store"):
        return False
    t = op.result.type if op.opcode == "load" else op.args[1].type
    return isinstance(t, ScalarType) and t.bits > 32


def _is_fallback(statement: If) -> bool:
    """Whether the `else` is a loop with checks of which the other side is a copy without."""
    then, orelse = ([s for s in region if isinstance(s, For)]
                    for region in (statement.then, statement.orelse))  # fmt: skip
    return len(then) == len(orelse) == 1 and then[0].span == orelse[0].span
