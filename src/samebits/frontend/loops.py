"""The heads of `for` loops: how many iterations there are, and what each is given.

Every loop becomes a `for` of IR over the iteration's number, from which the elements follow. Knows
nothing of the statements inside, but for the names that they assign.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import NoReturn

from samebits.frontend import assignment
from samebits.frontend.core import name_fixes
from samebits.frontend.core.context import DISCARD, Context, merge
from samebits.frontend.core.operands import (
    Literal,
    MemoryOperand,
    Operand,
    Scalar,
    Static,
    Tuple,
    Vector,
    View,
    describe,
    dimensions,
)
from samebits.frontend.expressions import lower, refuse
from samebits.frontend.operations import (
    memory,
    run_time_arrays,
    struct_items,
    tuple_items,
    tuples,
    views,
)
from samebits.frontend.operations import parallel_range as parallel
from samebits.frontend.operations.conversions import fix_of_integer, literal, to_int
from samebits.ir.grammar import For, Region, Value
from samebits.lang.iteration import STEP_IS_ZERO
from samebits.types import BOOL, INT, UINT64, FixedArrayType, RefType, ScalarType, StructType, Type

Block = Callable[[Context, Sequence[ast.stmt]], None]
_Array = View | MemoryOperand


@dataclass(frozen=True, slots=True)
class Steps:
    """What a loop runs over: `count` iterations, none if it is negative, and what iteration k is
    given.

    `turned` is the same in reverse order, where Python has one. With `is_counter` the item is k
    itself, with `is_array` element k; `parts` are those whose items make up the item, a tuple.
    `end` makes the check behind the last iteration.
    """

    count: Value
    item: Callable[[Value], Operand]
    turned: Callable[[], Steps] | None = None
    is_counter: bool = False
    is_array: bool = False
    parts: tuple[Steps, ...] = ()
    end: Callable[[], None] | None = None

    def finish(self) -> None:
        """Make the checks behind the last iteration."""
        if self.end is not None:
            self.end()
        for part in self.parts:
            part.finish()


@dataclass(frozen=True, slots=True)
class _Range:
    """The arguments of range(); `first` is the start where that is a constant."""

    start: Value
    stop: Value
    step: Value | int
    first: int | None


def lower_for(ctx: Context, node: ast.For, block: Block) -> None:
    """A `for` statement; `block` lowers the statements inside."""
    if parallel.is_prange(ctx, node.iter):
        parallel.lower(ctx, node, _one_name(ctx, node), block, given_bounds)
        return
    _Loop(ctx, node, block).lower()


def nested(
    ctx: Context,
    node: ast.stmt,
    body: Sequence[ast.stmt],
    block: Block,
    first: Callable[[], None] | None = None,
) -> Region:
    """The statements of `body`, a part of `node`, as a region, after what `first` makes."""
    with ctx.region(body[0] if body else node) as region:
        if first is not None:
            first()
        block(ctx, body)
    return region


def body_and_else(
    ctx: Context,
    node: ast.While | ast.For,
    block: Block,
    at_end: frozenset[str] | None,
    first: Callable[[], None] | None = None,
    last: Callable[[], None] | None = None,
) -> tuple[Region, Region, bool]:
    """Body and else of a loop, and whether it is to be vectorised; `at_end` is what is assigned
    when it ends without break, where `last` makes something."""
    ctx.breaks.append([])
    ctx.wanted.append(False)
    with run_time_arrays.loop(ctx) as arrays:
        body = nested(ctx, node, node.body, block, first)
    run_time_arrays.free_each_iteration(ctx, node, arrays, body)
    breaks, wanted = ctx.breaks.pop(), ctx.wanted.pop()
    ctx.assigned = at_end
    orelse = nested(ctx, node, node.orelse, block, last) if at_end is not None else []
    for state in breaks:
        ctx.assigned = merge(ctx.assigned, state)
    return body, orelse, wanted


def given_bounds(ctx: Context, call: ast.Call) -> list[Value]:
    """The bounds of a parallel range, as weak ints."""
    return _fitting(ctx, call, [_bound(ctx, node, lower(ctx, node)) for node in call.args])


def _fitting(ctx: Context, call: ast.Call, numbers: Sequence[Value]) -> list[Value]:
    """The numbers as weak ints: one that int64 does not hold traps, once all arguments of the call
    are evaluated."""
    return [to_int(ctx, call, Scalar(n, UINT64)).value if n.type == UINT64 else n for n in numbers]


def _bound(ctx: Context, node: ast.expr, operand: Operand) -> Value:
    """A number of a range, as weak int; as uint64 where it is one."""
    match operand:
        case Literal() if isinstance(operand.value, int):
            return literal(ctx, node, operand, INT)
        case Scalar() if operand.type in (INT, UINT64):
            return operand.value
        case Scalar() if operand.type.is_int:
            return ctx.builder.value("convert", (operand.value,), INT, ctx.span(node))
        case _:
            ctx.fail(
                node,
                f"range() takes integers that fit int64, but this is {describe(operand)}",
                fix="count in integers, and compute the float: `x = float64(i) * step`"
                if isinstance(operand, Literal) and operand.value != int(operand.value)
                else fix_of_integer(ctx, node, "int")
                if isinstance(operand, (Scalar, Literal))
                else "give an integer",
            )


def _one_name(ctx: Context, node: ast.For) -> ast.Name:
    if not isinstance(node.target, ast.Name):
        ctx.fail(node.target, "a loop variable is one name", fix="write `for i in range(n)`")
    return node.target


@dataclass(frozen=True, slots=True)
class _Head:
    """A `for` of IR: its counter takes start, start+step, … before stop, and `steps` says what the
    iteration is given for it."""

    start: Value
    stop: Value
    step: int
    steps: Steps


class _Loop:
    """One `for` statement."""

    def __init__(self, ctx: Context, node: ast.For, block: Block) -> None:
        self.ctx = ctx
        self.node = node
        self.block = block
        self.span = ctx.span(node.iter)
        """Where CPython asks for the next item, and so where that traps."""

    def lower(self) -> None:
        ctx, node = self.ctx, self.node
        head = self.head()
        own = _own_counter(node.target, head.steps)
        if own is not None and own.id == DISCARD and ctx.builder.slots.get(DISCARD, INT) is not INT:
            own = None
        slot = ctx.builder.fresh("k") if own is None else own.id
        before = ctx.assigned
        if own is None:
            ctx.builder.slot(slot, INT)
        else:
            assignment.loop_variable(ctx, own, node.iter)

        def first() -> None:
            if own is not node.target:
                counter = ctx.builder.get(slot, self.span)
                self.assign(node.target, head.steps.item(counter), own)

        last = head.steps.finish
        body, orelse, wanted = body_and_else(ctx, node, self.block, before, first, last)
        loop = For(
            ctx.builder.new_id(), slot, head.start, head.stop, head.step, body, orelse,
            ctx.span(node),
        )  # fmt: skip
        loop.vectorized = wanted
        ctx.builder.append(loop)

    def head(self) -> _Head:
        call = self.node.iter
        match self.called(call):
            case builtins.range:
                assert isinstance(call, ast.Call)
                _one_name(self.ctx, self.node)
                given = self.range(call)
                if isinstance(given.step, int):
                    return _Head(given.start, given.stop, given.step, _counter(given.stop))
                steps = self.progression(call, given)
            case builtins.reversed:
                assert isinstance(call, ast.Call)
                return self.down(call)
            case _:
                steps = self.steps(call)
        return _Head(self.constant(0), steps.count, 1, steps)

    def called(self, node: ast.expr) -> object:
        """The outer object that `node` calls by its name; None if it is no such call."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            return None
        if node.func.id in self.ctx.local_names:
            return None
        try:
            return self.ctx.kernel.lookup(node.func.id)
        except LookupError:
            return None

    # What loops run over -------------------------------------------------------------------

    def steps(self, node: ast.expr) -> Steps:
        """What `node`, the head of the loop or an argument in it, has a loop run over."""
        called = self.called(node)
        if isinstance(node, ast.Call):
            if called is builtins.range:
                return self.progression(node, self.range(node))
            if called is builtins.enumerate:
                return self.enumerated(node)
            if called is builtins.zip:
                return self.zipped(node)
            if called is builtins.reversed:
                return self.reversed(node)
        return self.elements(node)

    def range(self, call: ast.Call) -> _Range:
        """The arguments of range(), evaluated; a step of 0 traps."""
        ctx = self.ctx
        if call.keywords or not 1 <= len(call.args) <= 3:
            ctx.fail(
                call, "range() takes one to three numbers", fix="write range(start, stop, step)"
            )
        operands = [lower(ctx, call.args[0])]
        bounds = [_bound(ctx, call.args[0], operands[0])]
        if len(call.args) > 1:
            operands.append(lower(ctx, call.args[1]))
            bounds.append(_bound(ctx, call.args[1], operands[1]))
        span = ctx.span(call)
        if len(call.args) < 3:
            bounds = _fitting(ctx, call, bounds)
        start = bounds[0] if len(bounds) == 2 else ctx.builder.const(0, INT, span)
        given = operands[0] if len(bounds) == 2 else Literal(0)
        first = given.value if isinstance(given, Literal) else None
        step: Value | int = 1
        if len(call.args) == 3:
            operand = lower(ctx, call.args[2])
            start, stop, value = _fitting(ctx, call, [*bounds, _bound(ctx, call.args[2], operand)])
            bounds, step = [start, stop], value
            if isinstance(operand, Literal):
                if operand.value == 0:
                    ctx.fail(call.args[2], STEP_IS_ZERO, fix="write 1, or -1 to count down")
                step = int(operand.value)
            else:
                zero = ctx.builder.const(0, INT, span)
                moves = ctx.builder.value("ne", (value, zero), BOOL, span)
                ctx.builder.effect("assert", (moves,), span, STEP_IS_ZERO)
        return _Range(start, bounds[-1], step, None if first is None else int(first))

    def progression(self, call: ast.Call, given: _Range) -> Steps:
        """The numbers of a range, by the number of the iteration."""
        start, stop, step = given.start, given.stop, given.step
        if step == 1 and given.first == 0:
            return Steps(stop, lambda k: Scalar(k, INT), lambda: self.turned(stop, 0), True)
        if step == 1 and given.first is not None and given.first > 0:
            count = self.op("sub", self.op("max", stop, start), start)
            return Steps(
                count,
                lambda k: Scalar(self.op("add", start, k), INT),
                lambda: self.turned(count, given.first or 0),
            )
        count, first, by = self.wide(start, stop, step)
        return self.wide_steps(count, first, by)

    def turned(self, count: Value, first: int) -> Steps:
        """The numbers from `first` on, `count` of them if any, from the last to the first."""
        start = self.constant(first - 1)
        last = self.op("add", self.op("max", count, self.constant(0)), start)
        return Steps(count, lambda k: Scalar(self.op("sub", last, k), INT))

    def wide(self, start: Value, stop: Value, step: Value | int) -> tuple[Value, Value, Value]:
        """The length of a range, its first number and its step, modulo 2^64 as uint64: the
        distance of two int64 and the length fit."""
        up: Value | bool
        if isinstance(step, int):
            by, up = self.unsigned(step), step > 0
            size = self.unsigned(abs(step))
        else:
            by = self.op("convert", step, t=UINT64)
            up = self.op("gt", step, self.constant(0), t=BOOL)
            down = self.op("neg", by, t=UINT64)
            # It is 1 at least, which range analysis can't see otherwise.
            size = self.op("max", self.select(up, by, down), self.unsigned(1), t=UINT64)
        low, high = self.select(up, start, stop), self.select(up, stop, start)
        ends = (self.op("convert", end, t=UINT64) for end in (high, low))
        distance = self.op("sub", *ends, t=UINT64)
        one = self.unsigned(1)
        before_last = self.op("floordiv", self.op("sub", distance, one, t=UINT64), size, t=UINT64)
        length = self.op("add", before_last, one, t=UINT64)
        some = self.op("lt", low, high, t=BOOL)
        count = self.select(some, length, self.unsigned(0))
        return count, self.op("convert", start, t=UINT64), by

    def wide_steps(self, count: Value, first: Value, by: Value) -> Steps:
        """The numbers first, first + by, … modulo 2^64, as int64."""

        def item(k: Value) -> Scalar:
            distance = self.op("mul", self.op("convert", k, t=UINT64), by, t=UINT64)
            return Scalar(self.op("convert", self.op("add", first, distance, t=UINT64)), INT)

        def turned() -> Steps:
            back = self.op("sub", count, self.unsigned(1), t=UINT64)
            last = self.op("add", first, self.op("mul", back, by, t=UINT64), t=UINT64)
            return self.wide_steps(count, last, self.op("neg", by, t=UINT64))

        # No loop ends that runs 2^63 times.
        most = self.op("min", count, self.unsigned(INT.maximum), t=UINT64)
        return Steps(self.op("convert", most), item, turned)

    def elements(self, node: ast.expr) -> Steps:
        """The elements of an array, or its rows."""
        ctx = self.ctx
        match node:
            case ast.Call(ast.Attribute(owner, name), [], []) if name in struct_items.VIEWS:
                base = lower(ctx, owner)
                if isinstance(base, MemoryOperand) and struct_items.view_of(name, base):
                    return self.items(owner, base, name)
                array = lower(ctx, node)
            case ast.List():
                array = Tuple(tuple(lower(ctx, item) for item in node.elts))
            case _:
                array = lower(ctx, node)
        if isinstance(array, MemoryOperand) and struct_items.loops(array):
            return self.items(node, array)
        if isinstance(array, Tuple) and array.items:
            return self.written_out(node, tuples.in_memory(ctx, node, array.items))
        is_fixed = isinstance(array, MemoryOperand) and isinstance(array.type, FixedArrayType)
        if not isinstance(array, View) and not is_fixed:
            self.refuse(node, array)
        assert isinstance(array, (View, MemoryOperand))
        rows = views.dimensions(array) > 1
        roots = array.roots or views.owner(ctx, node)
        place = self.place(node, array)
        count = memory.length(ctx, node, array, 0)
        t = array.type.element if isinstance(array, View) else memory.fixed(array).element
        if isinstance(t, StructType) and not roots and not rows:
            self.refuse_references(node)

        def item(k: Value) -> Operand:
            base, span = place(), ctx.span(node)
            if rows:
                view = views.whole(ctx, node, base)
                ctx.builder.effect("index", (k, memory.length(ctx, node, view, 0)), span)
                return views.row(ctx, node, view, k)
            ctx.builder.effect("index", (k, memory.length(ctx, node, base, 0)), span)
            ref = ctx.builder.value("element", (base.value, k), RefType(t), span)
            readonly = base.type.readonly if isinstance(base, View) else base.readonly
            return memory.load(ctx, ref, t, base.roots or roots, readonly, span)

        def turned() -> Steps:
            last = self.op("sub", count, self.constant(1))
            return Steps(count, lambda k: item(self.op("sub", last, k)))

        return Steps(count, item, turned, is_array=True)

    def written_out(self, node: ast.expr, items: Sequence[Operand]) -> Steps:
        """The items of a tuple."""
        items = tuples.joined(self.ctx, node, items)
        last = self.constant(len(items) - 1)

        def item(k: Value) -> Operand:
            return tuples.chosen(self.ctx, node, items, k)

        def turned() -> Steps:
            return Steps(count, lambda k: item(self.op("sub", last, k)))

        count = self.constant(len(items))
        return Steps(count, item, turned)

    def items(self, node: ast.expr, struct: MemoryOperand, view: str | None = None) -> Steps:
        """The items of a struct, or a view of them; one that can't be had traps at the whole head,
        where CPython asks for it."""
        if not struct.roots:
            struct = replace(struct, roots=views.owner(self.ctx, node))
        if struct_items.gives_reference(struct, view) and not struct.roots:
            self.refuse_references(node)
        again = self.place(node, struct)
        count, item, check, free = struct_items.items(
            self.ctx, self.node.iter, struct, again, struct_items.VIEWS[view] if view else None
        )

        def turned() -> Steps:
            last = self.op("sub", count, self.constant(1))
            return Steps(count, lambda k: item(self.op("sub", last, k)), end=check)

        return Steps(count, item, turned if free else None, end=check)

    def refuse_references(self, node: ast.expr) -> NoReturn:
        text = self.ctx.text(node)
        self.ctx.fail(
            node,
            f"a loop's name would refer to a struct in what has no name, {text}",
            fix=f"give it a name on a line of its own, `a = {text}`, and loop over that",
        )

    def place(self, node: ast.expr, array: View | MemoryOperand) -> Callable[[], _Array]:
        """The array, anew in each iteration where its place is fixed: the passes know it by its
        name then."""
        ctx, root = self.ctx, node
        plain = True
        while isinstance(root, ast.Attribute | ast.Subscript):
            plain = plain and isinstance(root, ast.Attribute)
            root = root.value
        variable = ctx.variables.get(root.id) if isinstance(root, ast.Name) else None
        if variable is None:
            return lambda: array
        if variable.local is not None:
            for inner in ast.walk(ast.Module([*self.node.body, ast.Expr(self.node.target)], [])):
                if (
                    isinstance(inner, ast.Name)
                    and isinstance(inner.ctx, ast.Store)
                    and inner.id == variable.name
                ):
                    ctx.fail(
                        inner,
                        f"'{inner.id}' is assigned in a loop over its elements",
                        note="in Python the loop would go on over the old ones",
                        fix="use another name",
                    )
        if not plain or not (variable.parameter or variable.local is not None):
            return lambda: array

        def again() -> _Array:
            found = lower(ctx, node)
            assert isinstance(found, (View, MemoryOperand))
            return replace(found, roots=found.roots or array.roots)

        return again

    def refuse(self, node: ast.expr, found: Operand) -> NoReturn:
        ctx = self.ctx
        fix = "give an array"
        if isinstance(found, Tuple):
            fix = "leave the loop out: there are no items"
        elif isinstance(found, Static) and isinstance(found.object, list):
            fix = f"make it a tuple, which nothing changes: {ctx.text(node)} = (...)"
        elif isinstance(found, Vector):
            fix = ctx.filled("write out its components, such as `{x}.x`", x=node)
            if isinstance(node, ast.Name | ast.Attribute) and len(found.type.components) <= len(
                "xyzw"
            ):
                parts = ", ".join(f"{ctx.text(node)}.{c}" for c in found.type.components)
                fix = f"loop over its components: `({parts})`"
        elif isinstance(found, (Scalar, Literal)) and found.type.is_int:
            fix = f"write `range({ctx.text(node)})`"
        ctx.fail(
            node,
            "a `for` loop runs over range(), sb.prange(), an array, a tuple, or "
            f"enumerate(), zip() and reversed() of these, but this is {describe(found)}",
            fix=fix,
        )

    def enumerated(self, call: ast.Call) -> Steps:
        """`enumerate(a, start)`: a number beyond int64 traps when its turn comes."""
        ctx = self.ctx
        given = [*call.args, *(k.value for k in call.keywords if k.arg == "start")]
        if len(given) != len(call.args) + len(call.keywords) or not 1 <= len(given) <= 2:
            ctx.fail(
                call, "enumerate() takes an array and a start", fix="write enumerate(a, start)"
            )
        items = self.steps(given[0])
        numbers = Steps(items.count, lambda k: Scalar(k, INT), is_counter=True)
        if len(given) == 2:
            operand = lower(ctx, given[1])
            (start,) = _fitting(ctx, call, [_bound(ctx, given[1], operand)])
            if not (isinstance(operand, Literal) and operand.value == 0):
                numbers = Steps(items.count, lambda k: Scalar(self.op("add", start, k), INT))
        return _together(items.count, (numbers, items))

    def zipped(self, call: ast.Call) -> Steps:
        """`zip(a, b, ...)`: as many iterations as the shortest has."""
        strict = not all(
            k.arg == "strict" and isinstance(k.value, ast.Constant) and k.value.value is False
            for k in call.keywords
        )
        if strict or not call.args:
            self.ctx.fail(
                call,
                "zip() takes arrays, and ends with the shortest",
                fix="write `assert len(a) == len(b)` before the loop, where they are to be alike"
                if strict
                else "write zip(a, b)",
            )
        parts = tuple(self.steps(argument) for argument in call.args)
        count = reduce(lambda a, b: self.op("min", a, b), (part.count for part in parts))
        return _together(count, parts)

    def reversed(self, call: ast.Call) -> Steps:
        """`reversed(...)` inside another head."""
        (argument,) = self.reversible(call)
        inner = self.steps(argument)
        return self.backwards(argument, inner)

    def backwards(self, argument: ast.expr, inner: Steps) -> Steps:
        if inner.turned is None:
            text = self.ctx.text(argument)
            self.ctx.fail(
                argument,
                f"reversed() takes an array or a range(), not {text}",
                note="nor does Python's",
                fix="reverse what is inside: zip(reversed(a), reversed(b))",
            )
        return inner.turned()

    def reversible(self, call: ast.Call) -> list[ast.expr]:
        if call.keywords or len(call.args) != 1:
            self.ctx.fail(call, "reversed() takes an array or a range()", fix="write reversed(a)")
        return call.args

    def down(self, call: ast.Call) -> _Head:
        """`for … in reversed(...)`: where it can, with a counter that goes down."""
        (argument,) = self.reversible(call)
        if self.called(argument) is builtins.range:
            assert isinstance(argument, ast.Call)
            _one_name(self.ctx, self.node)
            given = self.range(argument)
            if given.step == 1 and given.first is not None and given.first > INT.minimum:
                end = self.constant(given.first - 1)
                most = self.op("max", given.stop, given.start)
                last = self.op("sub", most, self.constant(1))
                return _Head(last, end, -1, _counter(last))
            inner = self.progression(argument, given)
        else:
            inner = self.steps(argument)
        if inner.is_array:
            last = self.op("sub", inner.count, self.constant(1))
            return _Head(last, self.constant(-1), -1, inner)
        steps = self.backwards(argument, inner)
        return _Head(self.constant(0), steps.count, 1, steps)

    # What an iteration is given ------------------------------------------------------------

    def assign(self, target: ast.expr, item: Operand, own: ast.Name | None) -> None:
        """`target = item`, but for `own`, which the loop itself sets."""
        ctx = self.ctx
        match target:
            case ast.Name():
                if target is own:
                    return
                if isinstance(item, Tuple) and not tuple_items.of_numbers(item):
                    names = ", ".join("xyzuvw"[: len(item.items)])
                    whole = target is self.node.target
                    what = "each iteration" if whole else f"'{target.id}'"
                    ctx.fail(
                        target,
                        f"{what} is given {len(item.items)} values",
                        fix=f"write `for {names} in {ctx.text(self.node.iter)}`"
                        if whole
                        else f"write `({names})` in its place",
                    )
                variable = ctx.variables.get(target.id)
                if variable is not None and self.differ(variable.type, item.type):
                    ctx.fail(
                        target,
                        f"'{target.id}' would change type from {variable.type} to {item.type}",
                        note=name_fixes.one_type(ctx, variable),
                        fix="use another name in the loop",
                    )
                assignment.to_name(ctx, target, item, self.node.iter)
            case ast.Tuple() | ast.List():
                if not isinstance(item, Tuple):
                    ctx.fail(
                        target,
                        f"each iteration is given one value, {describe(item)}",
                        fix="write one name"
                        + (", and use its components" if isinstance(item, Vector) else "")
                        + (", and its elements: `row[0]`" if dimensions(item) else ""),
                    )
                if len(item.items) != len(target.elts):
                    ctx.fail(
                        target,
                        f"{len(target.elts)} names for {len(item.items)} values",
                        fix="give one name a value",
                    )
                for part, one in zip(target.elts, item.items, strict=True):
                    self.assign(part, one, own)
            case ast.Starred():
                refuse(ctx, target)
            case _:
                ctx.fail(target, "a loop variable is a name", fix="assign it in the body")

    @staticmethod
    def differ(one: Type, other: Type) -> bool:
        """Whether no conversion of a weak number joins two types."""
        weak = any(isinstance(t, ScalarType) and t.weak for t in (one, other))
        return one != other and not weak

    # IR ------------------------------------------------------------------------------------

    def op(self, opcode: str, *args: Value, t: ScalarType = INT) -> Value:
        return self.ctx.builder.value(opcode, args, t, self.span)

    def constant(self, number: int) -> Value:
        return self.ctx.builder.const(number, INT, self.span)

    def unsigned(self, number: int) -> Value:
        return self.ctx.builder.const(number % 2**64, UINT64, self.span)

    def select(self, condition: Value | bool, a: Value, b: Value) -> Value:
        if isinstance(condition, bool):
            return a if condition else b
        assert isinstance(a.type, ScalarType)
        return self.op("select", condition, a, b, t=a.type)


def _counter(count: Value) -> Steps:
    """A loop whose iterations are given the counter itself."""
    return Steps(count, lambda k: Scalar(k, INT), is_counter=True)


def _together(count: Value, parts: tuple[Steps, ...]) -> Steps:
    """The items of several, as tuples."""
    return Steps(count, lambda k: Tuple(tuple(part.item(k) for part in parts)), parts=parts)


def _own_counter(target: ast.expr, steps: Steps) -> ast.Name | None:
    """The one name that is given the counter, so that the loop itself can set it."""
    names = [n.id for n in ast.walk(target) if isinstance(n, ast.Name)]

    def found(target: ast.expr, steps: Steps) -> ast.Name | None:
        if isinstance(target, ast.Name):
            return target if steps.is_counter and names.count(target.id) == 1 else None
        if isinstance(target, ast.Tuple | ast.List) and len(target.elts) == len(steps.parts):
            for part, one in zip(target.elts, steps.parts, strict=True):
                own = found(part, one)
                if own is not None:
                    return own
        return None

    return found(target, steps)
