"""One function of IR as a C function: structured control flow, expressions as they were written.

Owns statements. Checks are left out: a run without a trap needs none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from samebits.export.plain_c.expressions import PRIMARY, SCALAR, UNARY, Expr, literal
from samebits.export.plain_c.operations import operation
from samebits.export.plain_c.uses import UNUSED, WRITES, read_outside, set_in
from samebits.export.plain_c.waiting import INDENT, Unit, Waiting
from samebits.export.plain_c.widths import Part
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
    ValueType,
    While,
    regions,
    walk,
)
from samebits.types import ScalarType


def prototype(unit: Unit, function: Function, name: str, params: Sequence[str] = ()) -> str:
    """A function's declaration under a name, with its parameters' names in C."""
    given = params or [f"p{number}" for number in range(len(function.params))]
    pairs = zip(function.params, given, strict=True)
    widths, types = unit.widths(function.name), unit.types
    text = ", ".join(types.variable(t, own, widths, Part.SIGNATURES) for (_, t), own in pairs)
    return f"{unit.results(function)} {name}({text or 'void'})"


def written(unit: Unit, function: Function, name: str) -> list[str]:
    """The lines of a function's definition under a name in C. Raises UnwritableError."""
    return _Writer(unit, function).definition(name)


@dataclass
class _Writer(Waiting):
    _ends: list[str | None] = field(default_factory=list[str | None])
    """Of each loop around: the label behind its `else`, where there is one."""

    def definition(self, name: str) -> list[str]:
        function, types = self.function, self.unit.types
        params = [self.slots[slot] for slot, _ in function.params]
        head = prototype(self.unit, function, name, params)
        self.region(function.body)
        if self.lines and self.lines[-1] == f"{INDENT}return;":
            self.lines.pop()
        start = [
            f"{INDENT}{types.variable(t, self.slots[slot], self.widths)};"
            for slot, t in function.slots.items()
        ]
        start += [
            f"{INDENT}{types.declared(t, self.locals[local])}{' = {0}' * self.unit.cleared};"
            for local, t in function.locals.items()
        ]
        return [head, "{", *start, *self.lines, "}", ""]

    def region(self, region: Region) -> None:
        for statement in region:
            self.statement(statement)

    def block(self, head: str, region: Region, end: str = "}") -> None:
        self.emit(f"{head} {{")
        self.depth += 1
        self.region(region)
        self.depth -= 1
        self.emit(end)

    def statement(self, statement: Statement) -> None:
        match statement:
            case Op():
                if statement.opcode not in UNUSED:
                    operation(self, statement)
            case If():
                self.branch(statement)
            case While():
                self.while_loop(statement)
            case For():
                self.for_loop(statement)
            case Break():
                self.before()
                end = self._ends[-1]
                self.emit("break;" if end is None else f"goto {end};")
            case Continue():
                self.before()
                self.emit("continue;")
            case Return():
                self.returned(statement)

    def returned(self, statement: Return) -> None:
        parts = [self.take(value) for value in statement.values]
        self.before()
        made = ", ".join(part.text for part in parts)
        if self.unit.returns and self.unit.steps is not None and parts:
            name, declared = self.names.fresh("left"), self.unit.results(self.function)
            given = [f"{name}.r{n}" for n in range(len(parts))] if len(parts) > 1 else [name]
            self.emit(f"{declared} {name} = {made if len(parts) == 1 else f'{{{made}}}'};")
            for value, each in zip(statement.values, given, strict=True):
                self.log(value, statement.span, each)
            self.emit(f"return {name};")
        elif len(parts) > 1:
            self.emit(f"return ({self.unit.results(self.function)}){{{made}}};")
        elif parts:
            self.emit(f"return {parts[0].text};")
        else:
            self.emit("return;")

    def branch(self, statement: If) -> None:
        condition = self.take(statement.condition)
        self._before_regions(statement)
        if not statement.orelse:
            self.block(f"if ({condition.text})", statement.then)
        elif not statement.then:
            self.block(f"if (!{condition.at(UNARY)})", statement.orelse)
        else:
            self.block(f"if ({condition.text})", statement.then, "} else {")
            self.depth += 1
            self.region(statement.orelse)
            self.depth -= 1
            self.emit("}")

    def _before_regions(self, statement: If | While | For) -> None:
        inner = [s for region in regions(statement) for s in walk(region)]
        slots = {str(s.attr) for s in inner if isinstance(s, Op) and s.opcode == "set"}
        slots |= {s.slot for s in (statement, *inner) if isinstance(s, For)}
        writes = any(
            isinstance(s, Op)
            and (s.opcode in WRITES or (s.opcode == "call" and s.attr in self.unit.writers))
            for s in inner
        )
        self.before(slots, writes=writes)

    def while_loop(self, statement: While) -> None:
        self._before_regions(statement)
        with_else = self._with_else(statement)
        self.emit("while (true) {")
        start, self.depth = len(self.lines), self.depth + 1
        self.region(statement.head)
        condition = self.take(statement.condition)
        if len(self.lines) == start:
            self.lines[-1] = f"{INDENT * (self.depth - 1)}while ({condition.text}) {{"
        else:
            self.before()
            self.emit(f"if (!({condition.text})) break;")
        self._body(statement.body, with_else)
        self.depth -= 1
        self.emit("}")
        self._else(statement, with_else)

    def _body(self, body: Region, end: str | None) -> None:
        self._ends.append(end)
        self.loops += 1
        self.region(body)
        self.loops -= 1
        self._ends.pop()

    def _log_after(self, loop: While | For) -> None:
        """Log what a loop leaves in slots that are read outside of it."""
        if self.loops or self.unit.within_loops or self.unit.steps is None:
            return
        last = {str(s.attr): s for s in walk(loop.body) if isinstance(s, Op) and s.opcode == "set"}
        inner = {id(s) for s in walk(loop.body)}
        outside = {
            str(s.attr)
            for s in walk(self.function.body)
            if isinstance(s, Op) and s.opcode == "get" and id(s) not in inner
        }
        for slot, op in last.items():
            if slot in outside:
                self.log(op.args[-1], op.span, self.slots[slot])

    def _with_else(self, statement: While | For) -> str | None:
        return self.names.fresh("done") if statement.orelse else None

    def _else(self, statement: While | For, end: str | None) -> None:
        self._log_after(statement)
        if end is not None:
            self.block("", statement.orelse)
            self.emit(f"{end}:;")

    def for_loop(self, statement: For) -> None:
        start, stop = self.take(statement.start), self.take(statement.stop)
        self._before_regions(statement)
        slots = set_in(statement.body)
        if stop.reads or not stop.cheap or stop.slots & {*slots, statement.slot}:
            name = self.names.fresh("stop")
            self.emit(f"const int64_t {name} = {stop.text};")
            stop = Expr(name)
        slot, step = self.slots[statement.slot], statement.step
        with_else = self._with_else(statement)
        if statement.lanes is not None:
            self.laned(statement, statement.lanes, start, stop)
        else:
            own = statement.slot in slots or read_outside(self.function, statement)
            counter = self.names.fresh("n") if own else slot
            declared = "int64_t " if own else ""
            next_ = f"{counter}++" if step == 1 else f"{counter} += {step}"
            sign = "<" if step > 0 else ">"
            self.emit(
                f"for ({declared}{counter} = {start.text}; {counter} {sign} {stop.text}; "
                f"{next_}) {{"
            )
            self.depth += 1
            if own:
                self.emit(f"{slot} = {counter};")
            self._body(statement.body, with_else)
            self.depth -= 1
            self.emit("}")
        self._else(statement, with_else)

    def laned(self, statement: For, lanes: Lanes, start: Expr, stop: Expr) -> None:
        """A loop whose floats are kept in lanes: for each count of lanes, and then for one, which
        is the slot itself, the iterations that fill whole blocks."""
        types = {**dict(self.function.params), **self.function.slots}
        own = {name: self.names.fresh(f"{name}_lanes") for name, _ in lanes.slots}
        n, k, at, left, whole, half = map(
            self.names.fresh, ("lanes", "k", "at", "left", "whole", "half")
        )
        step = statement.step
        span = f"{stop.at(PRIMARY)} - {start.at(PRIMARY)}"
        sign = ">" if step > 0 else "<"
        trips = (
            f"({span} - ({1 if step > 0 else -1})) / {step} + 1"
            if abs(step) > 1
            else (span if step > 0 else f"-({span})")
        )
        self.emit(f"int64_t {at} = {start.text};")
        self.emit(f"int64_t {left} = {stop.at(PRIMARY)} {sign} {at} ? {trips} : 0;")
        counts = "".join(f"{n} > {c} ? {c} : " for c in lanes.counts[1:])
        first = lanes.counts[0]
        self.emit(f"for (int64_t {n} = {first}; {n}; {n} = {n} == 1 ? 0 : {counts}1) {{")
        self.depth += 1
        self.emit(f"const int64_t {whole} = {left} - {left} % {n};")
        self.emit(f"if ({whole} == 0) continue;")
        for name, join in lanes.slots:
            t, slot = types[name], self.slots[name]
            assert isinstance(t, ScalarType)
            start_value = literal(t, JOINS[join]).text
            self.emit(f"{self.unit.types.declared(t, own[name])}[{first}];")
            self.emit(f"const {self.unit.types.declared(t, f'{own[name]}_before')} = {slot};")
            self.emit(f"for (int64_t {k} = 0; {k} < {n}; {k}++) {{")
            self.emit(f"{INDENT}{own[name]}[{k}] = {n} == 1 ? {slot} : {start_value};")
            self.emit("}")
        back = "".join(f"{own[s]}[{k} % {n}] = {self.slots[s]}, " for s, _ in lanes.slots)
        self.emit(f"for (int64_t {k} = 0; {k} < {whole}; {back}{k}++) {{")
        self.depth += 1
        self.emit(f"{self.slots[statement.slot]} = {at} + {k} * {step};")
        for name, _ in lanes.slots:
            self.emit(f"{self.slots[name]} = {own[name]}[{k} % {n}];")
        self._body(statement.body, None)
        self.depth -= 1
        self.emit("}")
        self.emit(f"for (int64_t {half} = {n} / 2; {half}; {half} /= 2) {{")
        self.depth += 1
        self.emit(f"for (int64_t {k} = 0; {k} < {half}; {k}++) {{")
        for name, join in lanes.slots:
            pair = [Expr(f"{own[name]}[{k}]"), Expr(f"{own[name]}[{half} + {k}]")]
            self.emit(f"{INDENT}{pair[0].text} = {_joined(types[name], join, pair, lanes)};")
        self.emit("}")
        self.depth -= 1
        self.emit("}")
        for name, join in lanes.slots:
            pair = [Expr(f"{own[name]}_before"), Expr(f"{own[name]}[0]")]
            all_of_them = _joined(types[name], join, pair, lanes)
            self.emit(f"{self.slots[name]} = {n} == 1 ? {own[name]}[0] : {all_of_them};")
        self.emit(f"{at} += {whole} * {step};")
        self.emit(f"{left} -= {whole};")
        self.depth -= 1
        self.emit("}")


def _joined(t: ValueType, join: str, pair: Sequence[Expr], lanes: Lanes) -> str:
    """Two lanes as one."""
    assert isinstance(t, ScalarType)
    both = SCALAR[join](t, pair)
    return (SCALAR["flush"](t, [both]) if lanes.flush else both).text
