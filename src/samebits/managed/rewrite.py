"""The rewriting of a kernel's syntax tree that CPython needs to run it managed.

Literal ints become checked ones, outer names and what they hold frozen objects, `assert` a call
that traps, and a returned value takes the declared type. Positions stay those of the source.
"""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar, cast

from samebits.errors import CompileError, Span
from samebits.frontend.core.characters import code_point
from samebits.frontend.core.joins import ItemTypes
from samebits.frontend.core.matching import refusal
from samebits.frontend.core.operands import Literal
from samebits.frontend.core.source import Source, blank, copied_items, named_items
from samebits.frontend.operations import operators
from samebits.frontend.operations.intrinsics import refuse_arguments
from samebits.lang import intrinsics
from samebits.lang.annotations import class_of_type
from samebits.lang.calls.kernel_parameters import mean
from samebits.lang.calls.tracing import IN_JOBS, NAMED, SEPARATORS, trace
from samebits.lang.constants import is_namespace, unwritten
from samebits.lang.jobs import JobKernel
from samebits.lang.kernel import Kernel
from samebits.lang.memory import arena
from samebits.lang.memory.slices import NO_STEP, Slice
from samebits.lang.memory.structs import Struct
from samebits.lang.memory.tables import Table
from samebits.lang.overloads import Overloads
from samebits.lang.parallel import own_elements, own_index, prange
from samebits.lang.values.enums import plain_number
from samebits.lang.values.flushing import flushed, flushed_weak
from samebits.lang.values.powers import MOST, by_products
from samebits.lang.values.storage import implicit
from samebits.lang.values.weak import FromEnd, Int, checked
from samebits.managed import components, meanings, texts
from samebits.types import INT64, UINT64, ScalarType, Type

_WRITTEN_OUT = (ast.Tuple, ast.List, ast.Set)
"""What `in` compares item by item; a set's order of items is of no account then."""

Items = tuple[object, ...]

_HEADS: tuple[object, ...] = (builtins.enumerate, builtins.zip, builtins.reversed)


class Rewrite(ast.NodeTransformer):
    """Replaces literals by checked ints, outer names by frozen objects, `assert` by a call."""

    def __init__(
        self,
        kernel: Kernel,
        typevars: Mapping[TypeVar, Type],
        local: set[str],
        accesses: Mapping[Span, str],
        source: Source,
        call_math: Callable[..., Any],
    ) -> None:
        self.kernel = kernel
        self.call_math = call_math
        """Runs a math function managed: the function, the precision, its arguments."""
        self.accesses = accesses
        self.source = source
        self.joined: Mapping[Span, ScalarType] = {}
        """The types that weak numbers take, by the place of the assigned name or ternary."""
        self.items: Mapping[Span, ItemTypes] = {}
        """The types that the items of a loop's tuple take, by the tuple's place."""
        self.allocations: Set[Span] = frozenset()
        """The calls that make arrays of run-time sizes."""
        self.freeing: Set[Span] = frozenset()
        """The loops that free such arrays at the start of each iteration."""
        self.iteration: str | None = None
        """The loop variable of the parallel range that is being rewritten, or a job's index."""
        self.count: str | None = None
        """The name of how many indices are the iteration's own; None for one."""
        self.typevars = typevars
        self.local = local
        self.names: dict[str, object] = {
            "__sb_assert": meanings.require,
            "__sb_check": texts.check,
            "__sb_text": texts.text_of,
            "__sb_print": texts.printed,
            "__sb_trace": texts.traced,
            "__sb_unprinted": texts.unprinted,
            "__sb_flushed": flushed_weak,
            "__sb_among": meanings.among,
            "__sb_items_as": meanings.items_as,
            "__sb_item": meanings.item,
            "__sb_checked": checked,
            "__sb_truth": meanings.truth,
            "__sb_beside": meanings.beside,
            "__sb_own": own_index,
            "__sb_integer": meanings.integer,
            "__sb_slice": Slice,
            **components.NAMES,
            "__sb_own_elements": own_elements,
            "__sb_allocate": arena.allocate,
            "__sb_used": arena.used,
            "__sb_release": arena.release,
        }
        self.flush = flushes(kernel)
        self.names["__sb_power"] = partial(
            by_products, meanings.flushed_product if self.flush else meanings.product
        )
        self.functions: dict[Overloads, Callable[..., Any]] = {}
        """The math functions that it calls, at its precision."""

    def _named(self, node: ast.AST, value: object) -> ast.expr:
        name = next((name for name, known in self.names.items() if known is value), "")
        if not name:
            name = f"__sb_{len(self.names)}"
            self.names[name] = value
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def value(self, node: ast.AST, value: object) -> ast.expr:
        """An expression for a captured object; numbers stay constants, to be folded."""
        if isinstance(value, TypeVar):
            t = self.typevars.get(value)
            if t is not None:
                return self._named(node, class_of_type(t))
        if type(value) is int or type(value) is float:
            return ast.copy_location(ast.Constant(value), node)
        if isinstance(value, tuple):
            numbers = map(plain_number, cast("Items", value))
            items = [self.finish(self.value(node, item)) for item in numbers]
            return ast.copy_location(ast.Tuple(items, ast.Load()), node)
        return self._named(node, self.frozen(value))

    def frozen(self, value: object) -> object:
        """A captured object as the managed run sees it."""
        if isinstance(value, Overloads):
            found = self.functions.get(value)
            if found is None:
                found = partial(self.call_math, value, self.kernel.precision)
                self.functions[value] = mean(found, value)
            return found
        with suppress(TypeError):  # of what has no hash, such as a vector
            if value is builtins.divmod and self.flush:
                return meanings.FLUSHED_DIVMOD
            value = meanings.BUILTINS.get(value, value)
        return flushed(value) if self.flush else value

    def outer(self, node: ast.expr) -> tuple[bool, object]:
        """Whether `node` is an outer name, an attribute of an outer namespace, or an item of an
        outer tuple, and its value."""
        if isinstance(node, ast.Name) and node.id not in self.local:
            try:
                return True, self.kernel.lookup(node.id)
            except LookupError:
                return False, None
        if isinstance(node, ast.Attribute):
            found, base = self.outer(node.value)
            if found and is_namespace(base):
                return True, self.kernel.attribute(base, node.attr)
            constants: Mapping[str, object] = (
                getattr(cast("Any", base), "__sb_constants__", {}) if isinstance(base, type) else {}
            )
            if found and node.attr in constants:
                return True, constants[node.attr]
        if isinstance(node, ast.Subscript):
            found, base = self.outer(node.value)
            if found and isinstance(base, tuple) and isinstance(node.slice, ast.Slice):
                return self._part(cast("Items", base), node.slice)
            if found and isinstance(base, tuple):
                index = _number(self.fold(copied(node.slice)))
                items = cast("Items", base)
                if index is not None and index.value in range(-len(items), len(items)):
                    return True, plain_number(items[int(index.value)])
        return False, None

    def _part(self, items: Items, part: ast.Slice) -> tuple[bool, object]:
        """Whether `part` of an outer tuple has constant bounds, and what it is."""
        bounds = [None if b is None else self.fold(copied(b)) for b in (part.lower, part.upper)]
        numbers = [None if b is None else _number(b) for b in bounds]
        known = all(
            b is None or (n is not None and isinstance(n.value, int))
            for b, n in zip(bounds, numbers, strict=True)
        )
        if not known or part.step is not None:
            return False, None
        return True, items[slice(*(None if n is None else int(n.value) for n in numbers))]

    def finish(self, node: ast.expr) -> ast.expr:
        """A folded subtree in its final form: ints become checked ones."""
        value = node.value if isinstance(node, ast.Constant) else None
        if type(value) is int and INT64.minimum <= value <= INT64.maximum:
            return self._named_int(node, value)
        is_operator = isinstance(node, ast.BinOp)
        if isinstance(node, ast.BinOp) and type(node.op) in meanings.DIVISIONS:
            name = f"__sb_{type(node.op).__name__}"
            self.names[name] = meanings.DIVISIONS[type(node.op)]
            node = self._call(name, node, node.left, node.right)
        if self.flush:
            if type(value) is float:
                return ast.copy_location(ast.Constant(flushed(value)), node)
            if is_operator:  # of Python's own floats, which nobody else flushes
                return self._call("__sb_flushed", node, node)
        return node

    def _call(self, name: str, at: ast.AST, *arguments: ast.expr) -> ast.Call:
        function = ast.copy_location(ast.Name(name, ast.Load()), at)
        return ast.copy_location(ast.Call(function, [*arguments], []), at)

    def _named_int(self, node: ast.AST, value: int, cls: type[Int] = Int) -> ast.expr:
        name = f"__sb_{cls.__name__}_{value}".replace("-", "m")
        self.names[name] = cls(value)
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def fold(self, node: ast.expr) -> ast.expr:
        """Literals folded as the front end folds them; other parts rewritten."""
        found, value = self.outer(node)
        if found:
            return self.value(node, value)
        match node:
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert()):
                operand = self.fold(node.operand)
                number = _number(operand)
                if number is not None:
                    folded = operators.fold_unary(node.op, number)
                    if folded is not None:
                        return ast.copy_location(ast.Constant(folded.value), node)
                node.operand = self.finish(operand)
                return node
            case ast.BinOp(op=ast.Pow()):
                return self._power(node, self.fold(node.left), self.fold(node.right))
            case ast.BinOp():
                left, right = self.fold(node.left), self.fold(node.right)
                a, b = _number(left), _number(right)
                row = operators.BINARY.get(type(node.op))
                if a is not None and b is not None and row is not None:
                    folded = operators.fold(row, a, b)
                    if folded is not None:
                        return ast.copy_location(ast.Constant(folded.value), node)
                node.left, node.right = self.finish(left), self.finish(right)
                return node
            case ast.Call(func=function, args=[text]) if (
                code_point(text) is not None and self.outer(function)[1] is builtins.ord
            ):
                return ast.copy_location(ast.Constant(code_point(text)), node)
            case ast.Call(func=function, args=[value], keywords=[]) if (
                self.outer(function)[1] is builtins.bool
            ):
                return self._call("__sb_truth", node, self.visit(value))
            case ast.Call(func=function) if self.outer(function)[1] is builtins.print:
                return self._print(node)
            case ast.Call(func=function) if self.outer(function)[1] is trace:
                return self._trace(node)
            case ast.Call():
                self._refuse_arguments(node)
                self.generic_visit(node)
                if self.allocations and self.source.span(node) in self.allocations:
                    limit = ast.copy_location(ast.Constant(self.kernel.options.arena), node)
                    return self._call("__sb_allocate", node, limit, *node.args)
                return node
            case ast.Compare() if any(code_point(side) is not None for side in _sides(node)):
                return self.fold(self._with_code_points(node))
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]) if isinstance(
                right, _WRITTEN_OUT
            ) or isinstance(self.outer(right)[1], tuple):
                return self._among(node, right)
            case ast.Compare(ops=[op], comparators=[right]):
                left, right = self.fold(node.left), self.fold(right)
                a, b = _number(left), _number(right)
                row = operators.COMPARE.get(type(op))
                if a is not None and b is not None and row is not None:
                    seen = [flushed_weak(n.value) if self.flush else n.value for n in (a, b)]
                    return ast.copy_location(ast.Constant(row[2](*seen)), node)
                return self._compared(node, [left, right])
            case ast.Compare(ops=ops) if not any(isinstance(op, ast.In | ast.NotIn) for op in ops):
                return self._compared(node, [self.fold(side) for side in _sides(node)])
            case ast.Constant():
                return node
            case ast.IfExp():
                return self.visit_IfExp(node)
            case ast.NamedExpr(target=ast.Name(id=components.INDEX)):
                node.value = self._indices(node.value)
                return node
            case _:
                return cast("ast.expr", self.generic_visit(node))

    def _compared(self, node: ast.Compare, sides: list[ast.expr]) -> ast.Compare:
        """A comparison of folded sides; beside what uint64 has and int64 has not is no int."""
        numbers = [_number(side) for side in sides]
        wide = [n is not None and INT64.maximum < n.value <= UINT64.maximum for n in numbers]
        found = [self.finish(side) for side in sides]
        for k, side in enumerate(sides):
            for other in (k - 1, k + 1):
                if numbers[k] is None and other in range(len(sides)) and wide[other]:
                    found[k] = self._call("__sb_beside", side, found[k], sides[other])
        node.left, *node.comparators = found
        return node

    def _among(self, node: ast.Compare, items: ast.expr) -> ast.expr:
        """`x in (a, b)`."""
        if isinstance(items, ast.List | ast.Set):
            items = ast.copy_location(ast.Tuple(items.elts, ast.Load()), items)
        if isinstance(items, ast.Tuple):
            items.elts = [self._code_point(item) for item in items.elts]
        call = self._call("__sb_among", node, self.finish(self.fold(node.left)), self.fold(items))
        if isinstance(node.ops[0], ast.In):
            return call
        return ast.copy_location(ast.UnaryOp(ast.Not(), call), node)

    @staticmethod
    def _code_point(node: ast.expr) -> ast.expr:
        """A text of one character as its number; anything else as it is."""
        point = code_point(node)
        return node if point is None else ast.copy_location(ast.Constant(point), node)

    def _refuse_arguments(self, node: ast.Call) -> None:
        """Refuse a call of an intrinsic that it can't take: CPython would say so in its own way."""
        name = getattr(self.outer(node.func)[1], "__samebits_intrinsic__", None)
        row = intrinsics.INTRINSICS.get(name) if name is not None else None
        if row is not None:
            refuse_arguments(self.source, node, row.name, row.arity)

    def _print(self, node: ast.Call) -> ast.expr:
        self._refuse_in_job(node)
        try:
            parts = texts.line_parts(node, self.visit)
        except ValueError:
            message, note, fix = SEPARATORS
            span = self.source.span(node)
            raise CompileError(message, span=span, note=note, fix=fix) from None
        by = "__sb_print" if self.kernel.options.prints else "__sb_unprinted"
        return self._call(by, node, *parts)

    def _trace(self, node: ast.Call) -> ast.expr:
        self._refuse_in_job(node)
        match node.args, node.keywords:
            case [ast.Constant(value=str()) as name, value], []:
                pass
            case _:
                raise CompileError(NAMED[0], span=self.source.span(node), fix=NAMED[1])
        by = "__sb_trace" if self.kernel.options.prints else "__sb_unprinted"
        where = self._named(node, self.source.span(node))
        return self._call(by, node, name, self.visit(value), where)

    def _refuse_in_job(self, node: ast.Call) -> None:
        if isinstance(self.kernel, JobKernel):
            message, note, fix = IN_JOBS
            raise CompileError(message, span=self.source.span(node), note=note, fix=fix)

    def _refuse_outer(self, targets: Sequence[ast.expr]) -> None:
        """Refuse an assignment to an attribute or element of an outer object."""
        for target in targets:
            if isinstance(target, ast.Tuple | ast.List):
                self._refuse_outer(target.elts)
            if isinstance(target, ast.Attribute | ast.Subscript):
                found, base = self.outer(target.value)
                if found and isinstance(base, Struct | Table):
                    text = self.source.text(target.value)
                    message, note, fix = unwritten(text, isinstance(base, Struct))
                    span = self.source.span(target)
                    raise CompileError(message, span=span, note=note, fix=fix)
                if found:
                    name = getattr(base, "__name__", None) or self.source.text(target.value)
                    what = "fields" if isinstance(target, ast.Attribute) else "elements"
                    raise CompileError(
                        f"'{name}' has no {what} to assign",
                        span=self.source.span(target),
                        note="it comes from outside the kernel",
                        fix="assign to a name",
                    )

    def _with_code_points(self, node: ast.Compare) -> ast.Compare:
        """A comparison with numbers in place of texts; beside them are integers."""
        sides = _sides(node)
        points = [code_point(side) for side in sides]
        for k, side in enumerate(sides):
            near = [*points[max(k - 1, 0) : k], *points[k + 1 : k + 2]]
            if points[k] is not None:
                sides[k] = ast.copy_location(ast.Constant(points[k]), side)
            elif any(point is not None for point in near):
                sides[k] = self._call("__sb_integer", side, side)
        made = ast.Compare(sides[0], node.ops, sides[1:])
        return ast.copy_location(made, node)

    def _power(self, node: ast.AST, base: ast.expr, exponent: ast.expr) -> ast.expr:
        """`base**exponent` of folded operands, as products."""
        number, power = _number(base), _number(exponent)
        n = None if power is None else power.value
        if not isinstance(n, int) or not 1 <= n <= MOST:
            raise CompileError(
                f"`**` takes a constant Python int from 1 to {MOST:,}",
                span=self.source.span(node),
                fix="call the kernel without .managed, which says what to write",
            )
        if number is not None:
            value = by_products(operator.mul, number.value, n)
            return ast.copy_location(ast.Constant(value), node)
        times = ast.copy_location(ast.Constant(n), node)
        return self._call("__sb_power", node, self.finish(base), times)

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store):
            return self.finish(self.fold(node))
        return super().visit(node)

    def visit_While(self, node: ast.While) -> Any:
        self.generic_visit(node)
        return self._freeing(node)

    def _freeing(self, node: ast.For | ast.While) -> Any:
        """A rewritten loop, which frees at the start of each iteration where it can."""
        if self.source.span(node) not in self.freeing:
            return node
        name = f"__sb_used_{node.lineno}_{node.col_offset}"
        stored, read = (
            ast.copy_location(ast.Name(name, how), node) for how in (ast.Store(), ast.Load())
        )
        before = ast.copy_location(ast.Assign([stored], self._call("__sb_used", node)), node)
        release = ast.copy_location(ast.Expr(self._call("__sb_release", node, read)), node)
        node.body.insert(0, release)
        if isinstance(node, ast.While):
            return [before, node]
        # What the head makes is not the iterations'.
        over = f"__sb_over_{node.lineno}_{node.col_offset}"
        held, found = (
            ast.copy_location(ast.Name(over, how), node.iter) for how in (ast.Store(), ast.Load())
        )
        head = ast.copy_location(ast.Assign([held], node.iter), node.iter)
        node.iter = found
        return [head, before, node]

    def visit_For(self, node: ast.For) -> Any:
        outer = self.iteration
        if self.iteration is None and is_prange(self, node) and isinstance(node.target, ast.Name):
            self.iteration = node.target.id
        elif self.iteration is not None:
            node.iter = self._own_elements(node.iter)
        self.generic_visit(node)
        node.iter = self._in_item_types(node.iter)
        node.body = [*self._conversions([node.target], node.target), *node.body]
        self.iteration = outer
        return self._freeing(node)

    def _in_item_types(self, head: ast.expr) -> ast.expr:
        """The head of a loop, the items of its tuples in the types that they take."""
        types = self.items.get(self.source.span(head))
        if types is not None:
            return self._call("__sb_items_as", head, head, self._named(head, types))
        if isinstance(head, ast.Call):
            head.args = [self._in_item_types(argument) for argument in head.args]
            return head
        return self._of_int64(head) if isinstance(head, ast.Tuple | ast.List) else head

    def _in_type(self, value: ast.expr, t: ScalarType, at: ast.AST) -> ast.Call:
        """`value` as a number of type `t`, which a weak one becomes."""
        name = f"__sb_as_{t}"
        self.names.setdefault(name, partial(implicit, target=t, place="the name"))
        return self._call(name, at, value)

    def _assigned(self, node: ast.stmt, targets: Sequence[ast.expr]) -> ast.AST | list[ast.stmt]:
        """An assignment, and the conversion of each joined name in its turn: parts behind it are
        not assigned where it traps."""
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            node.value = self._for_names(targets, node.value)
        if isinstance(node, ast.Assign) and any(self._joins_inside(part) for part in targets):
            return list(self._part_by_part(node))
        return [node, *self._conversions(targets, node)]

    def _for_names(self, targets: Sequence[ast.expr], value: ast.expr) -> ast.expr:
        """What is assigned, where a name that keeps Python's ints takes none beyond int64."""
        if isinstance(value, ast.Tuple):
            rows = [t.elts for t in targets if isinstance(t, ast.Tuple | ast.List)]
            if rows and all(len(row) == len(value.elts) for row in rows):
                columns = zip(*rows, strict=True)
                pairs = zip(columns, value.elts, strict=True)
                value.elts = [self._for_names(parts, item) for parts, item in pairs]
                return value
        joined = self.joined
        if any(isinstance(t, ast.Name) and self.source.span(t) not in joined for t in targets):
            return self._of_int64(value)
        return value

    def _joins_inside(self, target: ast.expr) -> bool:
        """Whether a tuple is assigned whose names have conversions."""
        is_tuple = isinstance(target, ast.Tuple | ast.List)
        return is_tuple and any(True for _ in self._conversions([target], target))

    def _part_by_part(self, node: ast.Assign) -> Iterator[ast.stmt]:
        """`a, b = value` as names for all parts of the value, then an assignment of each."""
        whole = f"__sb_value_{node.lineno}_{node.col_offset}"
        yield ast.copy_location(ast.Assign([_stored(node, whole)], node.value), node)
        for target in node.targets:
            held, parts = _held(target)
            yield ast.copy_location(ast.Assign([held], _read(node, whole)), node)
            for part, name in parts:
                yield ast.copy_location(ast.Assign([part], _read(part, name)), node)
                yield from self._conversions([part], node)

    def _conversions(self, targets: Sequence[ast.expr], at: ast.AST) -> Iterator[ast.stmt]:
        for target in targets if self.joined else ():
            for part in ast.walk(target):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    t = self.joined.get(self.source.span(part))
                    if t is not None:
                        read = ast.copy_location(ast.Name(part.id, ast.Load()), part)
                        value = self._in_type(read, t, part)
                        yield ast.copy_location(ast.Assign([part], value), at)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        t = self.joined.get(self.source.span(node)) if self.joined else None
        self.generic_visit(node)
        if t is not None:
            return self._in_type(node, t, node)
        node.body, node.orelse = self._of_int64(node.body), self._of_int64(node.orelse)
        return node

    def _of_int64(self, node: ast.expr) -> ast.expr:
        """A rewritten expression that is a value where it stands: a constant beyond int64 traps."""
        if isinstance(node, ast.Tuple | ast.List):
            node.elts = [self._of_int64(item) for item in node.elts]
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            return self._call("__sb_checked", node, node)
        return node

    def _own_elements(self, head: ast.expr) -> ast.expr:
        """The head of a loop in an iteration: arrays that it writes give its own elements alone."""
        if isinstance(head, ast.Call) and self.outer(head.func)[1] in _HEADS:
            head.args = [self._own_elements(argument) for argument in head.args]
            return head
        span = self.source.span(head)
        name = self.accesses.get(span)
        if name is None or isinstance(head, ast.Subscript):  # whose own index is checked
            return head
        where = self._named(head, span)
        return self._call("__sb_own_elements", head, head, *self._own(name), where)

    def _own(self, name: str) -> list[ast.expr]:
        """The first of the iteration's own indices, their number, and the array's name."""
        assert self.iteration is not None
        count = ast.Name(self.count, ast.Load()) if self.count else ast.Constant(1)
        return [ast.Name(self.iteration, ast.Load()), count, ast.Constant(name)]

    def _indices(self, node: ast.expr) -> ast.expr:
        """What stands in `a[...]`: negative constants count from the end."""
        if isinstance(node, ast.Tuple):
            node.elts = [self._indices(part) for part in node.elts]
            return node
        if isinstance(node, ast.Slice):
            return self._slice(node)
        index = self.fold(node)
        number = _number(index)
        value = 0 if number is None else number.value
        if isinstance(value, int) and INT64.minimum <= value < 0:
            return self._named_int(node, value, FromEnd)
        return self.finish(index)

    def _slice(self, node: ast.Slice) -> ast.expr:
        if node.step is not None:
            message, fix = NO_STEP
            raise CompileError(message, span=self.source.span(node.step), fix=fix)
        bounds = [node.lower, node.upper]
        words = [None if b is None else self.source.text(b) for b in bounds]
        given = [ast.Constant(None) if b is None else self._indices(b) for b in bounds]
        texts = [ast.copy_location(ast.Constant(text), node) for text in words]
        return self._call("__sb_slice", node, *given, *texts)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        name = self.accesses.get(self.source.span(node)) if self.accesses else None
        if isinstance(node, ast.Subscript):
            by_value = not isinstance(node.slice, ast.Slice | ast.Tuple) and isinstance(
                self.outer(node.value)[1], tuple
            )
            written = isinstance(node.value, ast.Tuple)
            chosen = _number(self.fold(copied(node.slice))) if written else None
            node.value, node.slice = self.visit(node.value), self._indices(node.slice)
            if by_value:  # constants are folded
                return self._call("__sb_item", node, node.value, node.slice)
            if isinstance(node.value, ast.Tuple) and chosen is not None:
                k = int(chosen.value)
                if k in range(-len(node.value.elts), len(node.value.elts)):
                    node.value.elts[k] = self._of_int64(node.value.elts[k])
        else:
            super().generic_visit(node)
        if name is not None and self.iteration is not None and isinstance(node, ast.Subscript):
            arguments = [copied(node.value), node.slice, *self._own(name)]
            node.slice = self._call("__sb_own", node, *arguments)
        return node

    def visit_Match(self, node: ast.Match) -> ast.stmt:
        place, message, fix = refusal(node)
        raise CompileError(message, span=self.source.span(place), fix=fix)

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        arguments = [self.visit(node.test)]
        if isinstance(node.msg, ast.JoinedStr):
            text = self._call("__sb_text", node, *texts.parts_of(node.msg, self.visit))
            nothing = ast.arguments([], [], None, [], [], None, [])
            arguments.append(ast.copy_location(ast.Lambda(nothing, text), node))
            call = self._call("__sb_check", node, *arguments)
            return ast.copy_location(ast.Expr(call), node)
        if node.msg is not None:
            found, value = self.outer(node.msg)
            text = ast.copy_location(ast.Constant(cast("str", value)), node.msg)
            arguments.append(text if found else node.msg)
        return ast.copy_location(ast.Expr(self._call("__sb_assert", node, *arguments)), node)

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        if node.value is not None:
            node.value = self._call("__sb_return", node, self.visit(node.value))
        return node

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements rewritten, each as one or several."""
        found: list[ast.stmt] = []
        for visited in map(self.visit, body):
            found += cast("list[ast.stmt]", visited if isinstance(visited, list) else [visited])
        return found

    def visit_Assign(self, node: ast.Assign) -> Any:
        self._refuse_outer(node.targets)
        copied = [(value, "__sb_copied") for value in copied_items(node)]
        copied += [(value, "__sb_copied_struct") for value in named_items(node)]
        for value, by in copied:
            assert isinstance(node.value, ast.Tuple)
            at = node.value.elts.index(value)
            node.value.elts[at] = self._call(by, value, value)
        return self._each(components.written_out(node, self.local))

    def _each(self, statements: Iterable[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in statements:
            new: Any = statement
            if isinstance(statement, ast.Assign | ast.AugAssign):
                self.generic_visit(statement)
                several = isinstance(statement, ast.Assign)
                targets = statement.targets if several else [statement.target]
                new = self._assigned(statement, targets)
            else:
                new = self.visit(statement)
            made += new if isinstance(new, list) else [new]
        return made

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        self._refuse_outer([node.target])
        power = isinstance(node.op, ast.Pow)
        divides = type(node.op) in meanings.DIVISIONS
        if not (power or isinstance(node.target, ast.Name)):
            return self._each(components.written_out(node, self.local))
        if not (self.flush or power or divides) or not isinstance(node.target, ast.Name):
            self.generic_visit(node)
            return self._assigned(node, [node.target])
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        if power:
            value = self._power(node, read, self.fold(node.value))
        else:
            whole = ast.copy_location(ast.BinOp(read, node.op, self.visit(node.value)), node)
            value = self.finish(whole)
        return self._assigned(
            ast.copy_location(ast.Assign([node.target], value), node), [node.target]
        )

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        value = self.visit(node.value)
        return self._assigned(
            ast.copy_location(ast.Assign([node.target], value), node), [node.target]
        )

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        if isinstance(node.value, ast.Constant):
            return node
        node.value = self.visit(node.value)
        return node


def _sides(node: ast.Compare) -> list[ast.expr]:
    """What a comparison compares, from left to right."""
    return [node.left, *node.comparators]


def _stored(at: ast.AST, name: str) -> ast.expr:
    return ast.copy_location(ast.Name(name, ast.Store()), at)


def _read(at: ast.AST, name: str) -> ast.expr:
    return ast.copy_location(ast.Name(name, ast.Load()), at)


def _held(target: ast.expr) -> tuple[ast.expr, list[tuple[ast.expr, str]]]:
    """A target with a name of its own for each part, and the parts with these names, in order."""
    if not isinstance(target, ast.Tuple | ast.List):
        name = f"__sb_part_{target.lineno}_{target.col_offset}"
        return _stored(target, name), [(target, name)]
    held = [_held(part) for part in target.elts]
    whole = ast.copy_location(ast.Tuple([each for each, _ in held], ast.Store()), target)
    return whole, [pair for _, parts in held for pair in parts]


def flushes(kernel: Kernel) -> bool:
    """Whether the kernel's own operations flush subnormal numbers."""
    return kernel.options.denormals == "flush"


def is_prange(rewrite: Rewrite, node: ast.For) -> bool:
    return isinstance(node.iter, ast.Call) and rewrite.outer(node.iter.func)[1] is prange


def _number(node: ast.expr) -> Literal | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return Literal(value) if type(value) is int or type(value) is float else None


def copied(node: ast.AST) -> Any:
    """A copy of a syntax tree, made with few Python frames for each level."""
    result = blank(node)
    for name, value in vars(node).items():
        if isinstance(value, ast.AST):
            value = copied(value)
        elif isinstance(value, list):
            parts: list[object] = []
            for part in cast("list[object]", value):
                parts.append(copied(part) if isinstance(part, ast.AST) else part)
            value = parts
        setattr(result, name, value)
    return result
