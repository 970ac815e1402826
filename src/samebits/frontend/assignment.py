"""Assignment to names and elements: one type a name, and no alias that Python would have."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import NoReturn

from samebits.frontend.core import name_fixes
from samebits.frontend.core.context import (
    DISCARD,
    Context,
    LoopArrays,
    Variable,
    component_slots,
    item_slot,
    values_of,
)
from samebits.frontend.core.joins import NARROWEST, join, takes_weak
from samebits.frontend.core.operands import (
    Literal,
    MemoryOperand,
    Nothing,
    Operand,
    Scalar,
    Static,
    Tuple,
    Vector,
    View,
    describe,
)
from samebits.frontend.expressions import subscript_indices
from samebits.frontend.operations import memory, run_time_arrays, views
from samebits.frontend.operations.conversions import coerce, materialize
from samebits.ir.grammar import Value
from samebits.types import (
    INT,
    FixedArrayType,
    MemoryType,
    ScalarType,
    Type,
    VectorType,
)


def to_name(ctx: Context, target: ast.Name, value: Operand, source: ast.expr) -> None:
    """`target = value`."""
    name = target.id
    variable = ctx.variables.get(name)
    if name == DISCARD and variable is None and not isinstance(value, Nothing | Static):
        _discard(ctx, target, materialize(ctx, source, value))
        return
    if isinstance(value, Literal | Scalar):
        value = _joined(ctx, target, variable, value, source)
    if variable is not None and variable.parameter and not isinstance(value, (Scalar, Vector)):
        if isinstance(value, MemoryOperand | View | Tuple) and isinstance(
            variable.type, ScalarType | VectorType
        ):
            changed_type(ctx, target, variable, value.type, source)
        _parameter(ctx, target)
    match value:
        case Scalar() | Vector():
            _scalars(ctx, target, variable, value, source)
        case MemoryOperand():
            _place(ctx, target, variable, value, source)
        case View():
            _view(ctx, target, variable, value, source)
        case Nothing():
            ctx.fail(source, "this call returns nothing", fix="call it on a line of its own")
        case Tuple():
            _tuple(ctx, target, variable, value, source)
        case Static():
            ctx.fail(
                source,
                f"{describe(value)} is not a value in a kernel",
                fix="use it directly where it is needed",
            )
        case _:
            raise AssertionError(value)
    ctx.mark_assigned(name)


def _joined(
    ctx: Context,
    target: ast.Name,
    variable: Variable | None,
    value: Literal | Scalar,
    source: ast.expr,
) -> Operand:
    """`value` in the name's type, where one of both is weak; the type grows where it must."""
    t = ctx.joins.names.get(target.id) if variable is None else variable.type
    if isinstance(t, ScalarType) and t != value.type:
        if takes_weak(t, value.type):
            return weak_to_name(ctx, target, value, t, source)
        wider = join(t, value.type)
        if wider is not None and variable is not None and _may_grow(variable, wider):
            ctx.joins.grow(target, wider)
            _declare(ctx, target, Variable(target.id, wider))
            return weak_to_name(ctx, target, value, wider, source)
    return materialize(ctx, source, value)


def weak_to_name(
    ctx: Context, target: ast.Name, value: Operand, t: ScalarType, source: ast.expr
) -> Operand:
    """A weak number in the type `t` of the name that it is assigned to."""
    ctx.joins.places[ctx.span(target)] = t
    return coerce(ctx, target, value, t, f"'{target.id}'", source)


def _may_grow(variable: Variable, t: ScalarType) -> bool:
    wraps = t.is_int and t.bits < NARROWEST
    return not (variable.parameter or variable.counts or wraps)


def _discard(ctx: Context, target: ast.Name, value: Operand) -> None:
    """`_ = value`: a number is set where the slot has its type, as of any name, so that the IR of
    kernels, of which proofs are kept, is what it would be with a name; all else is left out."""
    if isinstance(value, Scalar):
        slot = value.type.storage
        if ctx.builder.slots.setdefault(target.id, slot) == slot:
            ctx.builder.set(target.id, value.value, ctx.span(target))


def _parameter(ctx: Context, target: ast.Name) -> NoReturn:
    ctx.fail(
        target,
        f"the parameter '{target.id}' can't mean other memory",
        fix="use a new name, or assign its fields or elements",
    )


def loop_variable(ctx: Context, target: ast.Name, call: ast.expr) -> None:
    """Declare and assign the variable of a loop over the range `call`."""
    variable = ctx.variables.get(target.id)
    if variable is None and target.id == DISCARD:
        if ctx.builder.slots.setdefault(target.id, INT) is not INT:
            ctx.fail(target, f"'{DISCARD}' has taken a number of another type", fix="write `i`")
        return
    if variable is None:
        variable = _declare(ctx, target, Variable(target.id, INT))
    variable.counts = True
    if variable.type is not INT:
        changed_type(ctx, target, variable, INT, call)
    ctx.mark_assigned(target.id)


def changed_type(
    ctx: Context, node: ast.AST, variable: Variable, t: Type, source: ast.expr
) -> NoReturn:
    """The error of a name that would change its type, with the conversion to write."""
    first = ctx.first_use.get(variable.name)
    ctx.fail(
        node,
        f"'{variable.name}' would change type from {variable.type} to {t}",
        note=name_fixes.one_type(ctx, variable),
        fix=name_fixes.of_type(ctx, variable, first, t, source),
    )


def _declare(ctx: Context, target: ast.Name, variable: Variable) -> Variable:
    ctx.declare(variable)
    ctx.first_use[target.id] = target
    return variable


def _scalars(
    ctx: Context,
    target: ast.Name,
    variable: Variable | None,
    value: Scalar | Vector,
    source: ast.expr,
) -> None:
    if variable is None:
        _declare(ctx, target, Variable(target.id, value.type))
    elif variable.type != value.type:
        changed_type(ctx, target, variable, value.type, source)
    span = ctx.span(target)
    slots = (target.id,) if isinstance(value, Scalar) else component_slots(target.id, value.type)
    for slot, item in zip(slots, values_of(value), strict=True):
        ctx.builder.set(slot, item, span)


def _tuple(
    ctx: Context, target: ast.Name, variable: Variable | None, value: Tuple, source: ast.expr
) -> None:
    """A tuple under one name: a slot for each number in it."""
    value = _of_numbers(ctx, target, value, source)
    if variable is None:
        variable = _declare(ctx, target, Variable(target.id, value.type))
    elif variable.type != value.type:
        ctx.fail(
            target,
            f"'{target.id}' would change type from {variable.type} to {value.type}",
            note=name_fixes.one_type(ctx, variable),
            fix="give each item one type throughout, as in `(float64(x), n)`, or use another name",
        )
    for k, item in enumerate(value.items):
        _set_item(ctx, target, item_slot(target.id, k), item)


def _of_numbers(ctx: Context, target: ast.Name, value: Tuple, source: ast.expr) -> Tuple:
    """The tuple with values for literals. Refuses one of other things than numbers and vectors."""
    parts = source.elts if isinstance(source, ast.Tuple) else []
    if len(parts) != len(value.items):  # of a loop, whose head is the source
        parts = [source] * len(value.items)
    items: list[Operand] = []
    for part, item in zip(parts, value.items, strict=True):
        match item:
            case Literal() | Scalar() | Vector():
                items.append(materialize(ctx, part, item))
            case Tuple(items=[_, *_]):
                items.append(_of_numbers(ctx, target, item, part))
            case _:
                names = ", ".join("abcdefgh"[k % 8] for k in range(len(value.items)))
                ctx.fail(
                    target,
                    f"a tuple with {describe(item)} can't be kept under one name",
                    note="one of numbers and vectors can",
                    fix=f"unpack it: `{names} = {ctx.text(source)}`",
                )
    return Tuple(tuple(items))


def _set_item(ctx: Context, target: ast.Name, slot: str, item: Operand) -> None:
    """Set the slots of an item of a tuple."""
    match item:
        case Scalar():
            ctx.builder.set(slot, item.value, ctx.span(target))
        case Vector():
            for name, value in zip(component_slots(slot, item.type), item.items, strict=True):
                ctx.builder.set(name, value, ctx.span(target))
        case Tuple():
            for k, part in enumerate(item.items):
                _set_item(ctx, target, item_slot(slot, k), part)
        case _:
            raise AssertionError(item)


def _place(
    ctx: Context,
    target: ast.Name,
    variable: Variable | None,
    value: MemoryOperand,
    source: ast.expr,
) -> None:
    span = ctx.span(target)
    if variable is not None and variable.type != value.type:
        changed_type(ctx, target, variable, value.type, source)
    if value.temporary:
        if variable is None:
            variable = _declare(ctx, target, Variable(target.id, value.type, local=target.id))
        elif variable.local is None:
            ctx.fail(
                target,
                f"'{target.id}' refers to memory of {_names(variable.roots)}; it can't hold a new "
                f"{value.type}",
                fix=name_fixes.of_new(ctx, target.id, value),
            )
        assert variable.local is not None
        for loop in ctx.loops:
            loop.owned.add(variable.local)
        ref = ctx.builder.local_ref(variable.local, span)
        ctx.builder.effect("copy", (ref, value.value), span)
        return
    if not value.roots:
        value = replace(value, roots=views.owner(ctx, source))
    if not value.roots:
        what, note = "in Python both names would mean the same object", None
        if isinstance(source, ast.Subscript | ast.Attribute):
            text = ctx.text(source)
            what = f"a name can't refer to memory of this call's own, such as {text}"
            note = f"in Python '{target.id}' and {text} would be the same object"
        fix = name_fixes.of_reference(ctx, target.id, source, value)
        ctx.fail(source, what, note=note, fix=fix)
    if variable is not None and variable.local is not None:
        ctx.fail(
            target,
            f"'{target.id}' owns its {value.type}; it can't refer to other memory",
            fix=name_fixes.of_owner(ctx, target.id, source, value),
        )
    _keeps_its_memory(ctx, target, value)
    run_time_arrays.keep(ctx, target.id, value.roots)
    if variable is None:
        roots = value.roots | ctx.joins.roots.get(target.id, frozenset())
        variable = Variable(target.id, value.type, roots=roots, readonly=value.readonly)
        _declare(ctx, target, variable)
    elif variable.readonly != value.readonly:
        ctx.fail(
            target,
            f"'{target.id}' refers to memory of {_names(variable.roots)}, "
            f"and would now refer to memory of {_names(value.roots)}",
            fix=name_fixes.of_other_memory(ctx, target.id, source, value),
        )
    _grow_roots(ctx, variable, value)
    ctx.builder.set(target.id, value.value, span)


def _view(
    ctx: Context, target: ast.Name, variable: Variable | None, value: View, source: ast.expr
) -> None:
    if variable is not None and variable.type != value.type:
        changed_type(ctx, target, variable, value.type, source)
    value = run_time_arrays.named(ctx, target.id, value)
    if not value.roots:
        ctx.fail(
            source,
            f"'{target.id}' would be a part of what has no name",
            fix="give the whole a name on a line of its own, and take the part of that",
        )
    _keeps_its_memory(ctx, target, value)
    if variable is None:
        roots = value.roots | ctx.joins.roots.get(target.id, frozenset())
        variable = _declare(ctx, target, Variable(target.id, value.type, roots=roots))
    _grow_roots(ctx, variable, value)
    ctx.builder.set(target.id, value.value, ctx.span(target))


def _grow_roots(ctx: Context, variable: Variable, value: View | MemoryOperand) -> None:
    """Note that a name may refer to memory of other names too."""
    if not value.roots <= variable.roots:
        variable.roots |= value.roots
        ctx.joins.grow_roots(variable.name, variable.roots)


def _keeps_its_memory(ctx: Context, target: ast.Name, value: View | MemoryOperand) -> None:
    """Refuse to refer into a local object whose name gets another one somewhere, or in the next
    iteration: that would lie in the same memory, where in Python the old one stays."""
    for root in sorted(value.roots):
        variable = ctx.variables.get(root)
        if variable is None or variable.local is None:
            continue
        if any(root in loop.owned and _outlives(target.id, loop) for loop in ctx.loops):
            ctx.fail(
                target,
                f"'{target.id}' would refer to memory of '{root}', which each iteration makes anew",
                note=f"in Python '{target.id}' would keep the old {variable.type}",
                fix=f"make '{root}' before the loop, or "
                + (
                    "copy its elements one by one"
                    if isinstance(value, View)
                    else f"keep a copy, `{target.id} = {root}.copy()`"
                ),
            )
        stores = [
            node
            for node in ast.walk(ctx.source.node)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == root
        ]
        if len(stores) == 1:
            continue
        ctx.fail(
            target,
            f"'{target.id}' would refer to memory of '{root}', which is assigned more than once",
            note=f"in Python '{target.id}' would keep the old {variable.type}",
            fix=f"use another name where '{root}' is assigned again",
        )


def _outlives(name: str, loop: LoopArrays) -> bool:
    """Whether a later iteration may read what one gives the name."""
    return loop.before is None or name in loop.before


def _names(roots: frozenset[str]) -> str:
    return " or ".join(f"'{root}'" for root in sorted(roots))


def element_place(
    ctx: Context, target: ast.Subscript, base: Operand
) -> tuple[Value, MemoryType, str]:
    """The reference to `base[...]` for a store."""
    if not (
        isinstance(base, View)
        or (isinstance(base, MemoryOperand) and isinstance(base.type, FixedArrayType))
    ):
        ctx.fail(target, f"{describe(base)} has no elements to assign", fix="assign to an array")
    views.refuse_assignment(ctx, target, base)
    ctx.mark_written(base, target)
    ref, t = memory.element(ctx, target, base, subscript_indices(ctx, target))
    return ref, t, f"an element of {ctx.text(target.value)}"
