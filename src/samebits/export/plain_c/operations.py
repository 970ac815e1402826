"""C of each operation on slots, memory and functions.

Owns places, arrays and calls. What an operation on scalars is, is in `expressions`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from samebits.export.plain_c.expressions import (
    PRIMARY,
    UNARY,
    Expr,
    Flat,
    joined,
    literal,
    scalar,
)
from samebits.export.plain_c.waiting import Waiting
from samebits.export.plain_c.widths import Part, Widths
from samebits.ir.grammar import Op, Value
from samebits.ir.own_code import is_own_code
from samebits.ir.refs import is_own
from samebits.source_lines import written_number
from samebits.types import (
    FLOAT32,
    FLOAT64,
    ArrayType,
    FixedArrayType,
    MemoryType,
    RefType,
    ScalarType,
    StructType,
    VectorType,
)


def operation(w: Waiting, op: Op) -> None:
    """Write an operation, or keep its value until it is used. Raises UnwritableError."""
    write = _OPS.get(op.opcode)
    if write is not None:
        write(w, op)
    elif w.is_live(op):
        w.define(op.result, scalar(op, [w.take(value) for value in op.args], w.widths))


def _get(w: Waiting, op: Op) -> None:
    slot, t = str(op.attr), op.result.type
    name = w.slots[slot]
    reads = frozenset({slot})
    if isinstance(t, RefType):
        w.define(op.result, Expr(f"(*{name})", slots=reads, cheap=True, pointer=name))
    else:
        w.define(op.result, Expr(name, slots=reads, cheap=True))


def _set(w: Waiting, op: Op) -> None:
    value, slot = w.take(op.args[0]), str(op.attr)
    w.before({slot})
    text = value.address if isinstance(op.args[0].type, RefType) else value.text
    w.emit(f"{w.slots[slot]} = {text};")
    w.log(op.args[-1], op.span, w.slots[slot])


def _const(w: Waiting, op: Op) -> None:
    t = op.result.type
    assert isinstance(t, ScalarType)
    w.define(op.result, _literal_of(op, t, w.widths))


def _literal_of(op: Op, t: ScalarType, widths: Widths) -> Expr:
    """A constant; as a double where float32 is its type, with the digits of its source."""
    span = op.span
    own = widths.type_of(t, Part.CONSTANTS | Part.SHORT)
    has_digits = widths.has(Part.CONSTANTS) and own == FLOAT64 and t == FLOAT32
    if has_digits and isinstance(op.attr, float) and span.line == span.end_line:
        columns = span.column, span.end_column
        text = written_number(span.file, span.line, columns, op.attr, exact=True)
        if text is not None:
            level = UNARY if text.startswith("-") else PRIMARY
            return Expr(text, level, cheap=True, is_literal=True)
    return literal(own, op.attr, t)


def _local(w: Waiting, op: Op) -> None:
    w.define(op.result, Expr(w.locals[str(op.attr)], cheap=True))


def _table(w: Waiting, op: Op) -> None:
    w.define(op.result, Expr(w.unit.tables[str(op.attr)], cheap=True))


def _target(value: Value) -> MemoryType:
    assert isinstance(value.type, RefType)
    return value.type.target


def _dot(place: Expr, member: str) -> str:
    return f"{place.pointer}->{member}" if place.pointer else f"{place.text}.{member}"


def _only_live(write: Callable[[Waiting, Op], None]) -> Callable[[Waiting, Op], None]:
    def written(w: Waiting, op: Op) -> None:
        if w.is_live(op):
            write(w, op)

    return written


def _field(w: Waiting, op: Op) -> None:
    t, place = _target(op.args[0]), w.take(op.args[0])
    assert isinstance(t, StructType)
    w.place(op, _dot(place, w.unit.types.member(t, str(op.attr))), [place])


def _component(w: Waiting, op: Op) -> None:
    t, place = _target(op.args[0]), w.take(op.args[0])
    assert isinstance(t, VectorType)
    assert isinstance(op.attr, int)
    if place.flat is not None:
        w.place(op, place.flat.component(op.attr), [place])
        return
    w.place(op, _dot(place, w.unit.types.component(t, op.attr).lstrip(".")), [place])


def _element(w: Waiting, op: Op) -> None:
    parts = [w.take(value) for value in op.args]
    base, *at = parts
    if isinstance(op.args[0].type, ArrayType):
        index, array = _flat(base, at), f"{base.text}.at"
        whole = index if len(at) == 1 and at[0].level == PRIMARY else f"({index})"
        w.place(op, f"{array}[{index}]", parts, _in_flat(w, op, array, whole))
        return
    flat = _in_flat(w, op, base.text, at[0].at(PRIMARY)) if len(at) == 1 else None
    w.place(op, base.text + "".join(f"[{part.index}]" for part in at), parts, flat)


def _in_flat(w: Waiting, op: Op, array: str, index: str) -> Flat | None:
    """How a vector in an array is reached, where arrays are flat."""
    t = _target(op.result)
    if not w.unit.flat or not isinstance(t, VectorType):
        return None
    own = w.unit.types.name(t.element)
    return Flat(own, f"(({own} *){array})", f"{index} * {t.length}")


def _flat(array: Expr, at: Sequence[Expr]) -> str:
    """An index of several dimensions as one."""
    text = at[0].index if len(at) == 1 else at[0].at(PRIMARY)
    for dimension, part in enumerate(at[1:], 1):
        whole = text if dimension == 1 else f"({text})"
        text = f"{whole} * {array.text}.n{dimension} + {part.at(PRIMARY)}"
    return text


def _array(w: Waiting, op: Op, at: str, lengths: Sequence[str], parts: Sequence[Expr]) -> None:
    t = op.result.type
    assert isinstance(t, ArrayType)
    made = f"({w.unit.types.name(t)}){{{', '.join([at, *lengths])}}}"
    w.define(op.result, joined(made, PRIMARY, parts))


def _row(w: Waiting, op: Op) -> None:
    t = op.args[0].type
    assert isinstance(t, ArrayType)
    array, i = parts = [w.take(value) for value in op.args]
    lengths = [f"{array.text}.n{n}" for n in range(1, t.ndim)]
    start = " * ".join([i.at(PRIMARY), *lengths])
    _array(w, op, f"{array.text}.at + {start}", lengths, parts)


def _slice(w: Waiting, op: Op) -> None:
    t = op.args[0].type
    assert isinstance(t, ArrayType)
    array, start, stop = parts = [w.take(value) for value in op.args]
    rest = [f"{array.text}.n{n}" for n in range(1, t.ndim)]
    offset = " * ".join([start.at(PRIMARY), *rest])
    a, b = start.at(PRIMARY), stop.at(PRIMARY)
    length = f"{b} > {a} ? {b} - {a} : 0"
    _array(w, op, f"{array.text}.at + {offset}", [length, *rest], parts)


def _view(w: Waiting, op: Op) -> None:
    t, place = _target(op.args[0]), w.take(op.args[0])
    assert isinstance(t, FixedArrayType)
    first = f"&{place.text}{'[0]' * len(t.shape)}"
    _array(w, op, first, [str(n) for n in t.shape], [place])


def _flat_view(w: Waiting, op: Op) -> None:
    t, array = op.args[0].type, w.take(op.args[0])
    assert isinstance(t, ArrayType)
    assert isinstance(t.element, VectorType)
    pointer = w.unit.types.declared(t.element.element, "*")
    at, length = f"({pointer}){array.text}.at", f"{array.text}.n0 * {t.element.length}"
    _array(w, op, at, [length], [array])


def _length(w: Waiting, op: Op) -> None:
    array = w.take(op.args[0])
    expr = joined(f"{array.at(PRIMARY)}.n{op.attr}", PRIMARY, [array])
    w.define(op.result, replace(expr, cheap=array.cheap))


def _load(w: Waiting, op: Op) -> None:
    if not w.is_live(op):
        return
    place = w.take(op.args[0])
    w.before()
    text = f"*{place.pointer}" if place.pointer else place.text
    level = UNARY if place.pointer else PRIMARY
    w.define(op.result, replace(place, text=text, level=level, reads=True, pointer=None))


def _store(w: Waiting, op: Op) -> None:
    place, value = w.take(op.args[0]), w.take(op.args[1])
    w.before(writes=True)
    target = f"*{place.pointer}" if place.pointer else place.text
    w.emit(f"{target} = {value.text};")
    w.log(op.args[-1], op.span, target if place.pointer else f"({target})")


def _copy(w: Waiting, op: Op) -> None:
    target, source = w.take(op.args[0]), w.take(op.args[1])
    w.before(writes=True)
    if isinstance(_target(op.args[0]), FixedArrayType):
        w.emit(f"memmove({target.address}, {source.address}, sizeof {target.text});")
    else:
        w.emit(f"{target.text} = {source.text};")


def _zero(w: Waiting, op: Op) -> None:
    target = w.take(op.args[0])
    w.before(writes=True)
    w.emit(f"memset({target.address}, 0, sizeof {target.text});")


def _argument(value: Value, expr: Expr) -> str:
    return expr.address if isinstance(value.type, RefType) else expr.text


def _call(w: Waiting, op: Op) -> None:
    name = str(op.attr)
    acts = name in w.unit.writers
    if not acts and not w.is_live(op):
        for value in op.args:
            w.take(value)
        return
    parts = [w.take(value) for value in op.args]
    w.before(writes=acts)
    if is_own(name):
        parts = [w.logged(value, part, op.span) for value, part in zip(op.args, parts, strict=True)]
    arguments = ", ".join(map(_argument, op.args, parts))
    of_c = None if is_own_code(w.function.name) else w.unit.c_math.get(name)
    text = f"{w.unit.called(name)}({arguments})" if of_c is None else of_c.format(arguments)
    function = w.unit.functions[name]
    reads = any(not isinstance(value.type, ScalarType) for value in op.args)
    expr = replace(joined(text, PRIMARY, parts), acts=acts)
    expr = replace(expr, reads=expr.reads or reads)
    if len(function.results) > 1:
        result = w.names.fresh("r")
        w.emit(f"const {w.unit.results(function)} {result} = {text};")
        for number, value in enumerate(op.results):
            w.define(value, Expr(f"{result}.r{number}", cheap=True))
    elif op.results and w.is_live(op):
        w.define(op.result, expr)
    else:
        w.emit(f"{text};")


def _parallel(w: Waiting, op: Op) -> None:
    start, stop, _, *rest = [w.take(value) for value in op.args]
    w.before(writes=True)
    parts = map(_argument, [*op.args[:2], *op.args[3:]], [start, stop, *rest])
    w.emit(f"{w.unit.called(str(op.attr))}({', '.join(parts)});")


_OPS: dict[str, Callable[[Waiting, Op], None]] = {
    "const": _const,
    "get": _get,
    "set": _set,
    "local": _local,
    "table": _table,
    "field": _only_live(_field),
    "component": _only_live(_component),
    "element": _only_live(_element),
    "row": _only_live(_row),
    "slice": _only_live(_slice),
    "view": _only_live(_view),
    "flat": _only_live(_flat_view),
    "length": _only_live(_length),
    "load": _load,
    "store": _store,
    "copy": _copy,
    "zero": _zero,
    "call": _call,
    "parallel": _parallel,
}
"""The operations on slots, memory and functions."""
