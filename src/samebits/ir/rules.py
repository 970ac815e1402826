"""The legality of each operation: one row an opcode, a check of its operands, attribute, results.

A check gets the op and its surroundings and gives a complaint, or None. Knows nothing of regions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from samebits.bits import round_float
from samebits.ir.grammar import (
    FITS,
    MOST_PRINTED,
    MOST_VALUES,
    Attribute,
    Function,
    Op,
    TableData,
    ValueType,
)
from samebits.modes import MAX_ARENA
from samebits.types import (
    BOOL,
    INT,
    MOST_DIMENSIONS,
    ArrayType,
    FixedArrayType,
    MemoryType,
    RefType,
    ScalarType,
    StructType,
    VectorType,
)
from samebits.value_text import types_in


@dataclass(frozen=True)
class Surroundings:
    """The names that an op's attribute can refer to: slots, locals, tables, functions that may be
    called."""

    slots: Mapping[str, ValueType]
    locals: Mapping[str, MemoryType]
    tables: Mapping[str, TableData]
    callees: Mapping[str, Function]


Complaint = str | None
Check = Callable[[Op, Surroundings], Complaint]
Test = Callable[[ValueType], bool]


def is_float(t: ValueType) -> bool:
    return isinstance(t, ScalarType) and t.is_float


def is_int(t: ValueType) -> bool:
    return isinstance(t, ScalarType) and t.is_int


def is_number(t: ValueType) -> bool:
    return is_int(t) or is_float(t)


def is_bits(t: ValueType) -> bool:
    return is_int(t) or t == BOOL


def is_bool(t: ValueType) -> bool:
    return t == BOOL


def is_scalar(t: ValueType) -> bool:
    """Whether values may have the type: a fixed-point number and a half are integers in IR."""
    return isinstance(t, ScalarType) and t.storage == t


def _wants(results: list[ValueType], op: Op) -> Complaint:
    found = [value.type for value in op.results]
    if found == results:
        return None
    return f"its results are ({_list(found)}), where ({_list(results)}) follows"


def _list(types: Sequence[ValueType]) -> str:
    return ", ".join(map(str, types))


def _alike(test: Test, what: str, result: ScalarType | None = None) -> Check:
    """Operands of one type, of a certain sort; the result of the same type, or of `result`."""

    def check(op: Op, _: Surroundings) -> Complaint:
        types = [value.type for value in op.args]
        if any(t != types[0] for t in types) or not test(types[0]):
            return f"its operands are ({_list(types)}), where {what} of one type are due"
        return _wants([result or types[0]], op)

    return check


def fits(a: Attribute, t: ScalarType) -> bool:
    """Whether `a` is a value of `t`, of Python's type for it."""
    if t == BOOL:
        return isinstance(a, bool)
    if t.is_float:
        return isinstance(a, float) and (a != a or round_float(a, t.bits) == a)
    return type(a) is int and t.minimum <= a <= t.maximum


def _const(op: Op, _: Surroundings) -> Complaint:
    t = op.results[0].type if len(op.results) == 1 else None
    if not isinstance(t, ScalarType) or t.storage != t:
        return "it has one scalar result"
    return None if fits(op.attr, t) else f"{op.attr!r} is not a value of {t}"


def _select(op: Op, _: Surroundings) -> Complaint:
    condition, a, b = (value.type for value in op.args)
    if condition != BOOL or a != b or not is_scalar(a):
        return f"its operands are ({_list([condition, a, b])}), where (bool, T, T) are due"
    return _wants([a], op)


def _convert(op: Op, _: Surroundings) -> Complaint:
    source = op.args[0].type
    if len(op.results) != 1 or not (is_number(op.result.type) and is_scalar(source)):
        return "it makes one number of one scalar"
    if op.attr is None:
        return None
    of_float = isinstance(source, ScalarType) and source.is_float
    if op.attr != FITS or not of_float or op.result.type != INT:
        return f"its attribute is {op.attr!r}, which is {FITS!r} for a float as an int, or none"
    return None


def _narrow(op: Op, _: Surroundings) -> Complaint:
    if op.args[0].type != INT or len(op.results) != 1:
        return "it makes one integer of an int"
    t = op.result.type
    ok = isinstance(t, ScalarType) and t.is_int and not t.weak
    return None if ok else f"its result is {t}, where a fixed-width integer is due"


def _bitcast(op: Op, _: Surroundings) -> Complaint:
    if len(op.results) != 1:
        return "it has one result"
    a, b = op.args[0].type, op.result.type
    known = isinstance(a, ScalarType) and isinstance(b, ScalarType) and a.bits == b.bits > 1
    if known and is_scalar(a) and is_scalar(b):
        return None
    return f"{a} and {b} are not numbers of one size"


def _get(op: Op, around: Surroundings) -> Complaint:
    if not isinstance(op.attr, str) or op.attr not in around.slots:
        return f"there is no slot {op.attr!r}"
    return _wants([around.slots[op.attr]], op)


def _set(op: Op, around: Surroundings) -> Complaint:
    if not isinstance(op.attr, str) or op.attr not in around.slots:
        return f"there is no slot {op.attr!r}"
    t = around.slots[op.attr]
    if op.args[0].type != t:
        return f"slot {op.attr!r} is {t}, and its operand is {op.args[0].type}"
    return _wants([], op)


def _local(op: Op, around: Surroundings) -> Complaint:
    if not isinstance(op.attr, str) or op.attr not in around.locals:
        return f"there is no local {op.attr!r}"
    return _wants([RefType(around.locals[op.attr])], op)


def _table(op: Op, around: Surroundings) -> Complaint:
    data = around.tables.get(op.attr) if isinstance(op.attr, str) else None
    if data is None:
        return f"there is no table {op.attr!r}"
    return _wants([RefType(data.type)], op)


def _target(op: Op, operand: int = 0) -> MemoryType | None:
    t = op.args[operand].type
    return t.target if isinstance(t, RefType) else None


def _field(op: Op, _: Surroundings) -> Complaint:
    t = _target(op)
    if not isinstance(t, StructType):
        return f"its operand is {op.args[0].type}, where a reference to a struct is due"
    if not isinstance(op.attr, str) or op.attr not in t.field_types:
        return f"struct {t} has no field {op.attr!r}"
    return _wants([RefType(t.field_types[op.attr])], op)


def _component(op: Op, _: Surroundings) -> Complaint:
    t = _target(op)
    if not isinstance(t, VectorType):
        return f"its operand is {op.args[0].type}, where a reference to a vector is due"
    if type(op.attr) is not int or not 0 <= op.attr < t.length:
        return f"{t} has no component {op.attr!r}"
    return _wants([RefType(t.element)], op)


def _element(op: Op, _: Surroundings) -> Complaint:
    if not op.args:
        return "it has no operand"
    t = op.args[0].type
    if isinstance(t, RefType):
        t = t.target
    if not isinstance(t, ArrayType | FixedArrayType):
        return f"its first operand is {op.args[0].type}, where an array is due"
    ndim = t.ndim if isinstance(t, ArrayType) else len(t.shape)
    indexes = [value.type for value in op.args[1:]]
    if indexes != [INT] * ndim:
        return f"its indexes are ({_list(indexes)}), where {ndim} of type int are due"
    return _wants([RefType(t.element)], op)


def _wants_view(t: ArrayType, op: Op) -> Complaint:
    """A part of an array may be read-only where the array is not: so it is in a kernel's body that
    takes a read-only array, once that is part of its caller's."""
    readonly = replace(t, readonly=True)
    return None if [value.type for value in op.results] == [readonly] else _wants([t], op)


def _row(op: Op, _: Surroundings) -> Complaint:
    t, i = op.args[0].type, op.args[1].type
    if not isinstance(t, ArrayType) or t.ndim < 2 or i != INT:
        return f"its operands are ({t}, {i}), where an array of rows and an int are due"
    return _wants_view(ArrayType(t.element, t.ndim - 1, t.readonly), op)


def _slice(op: Op, _: Surroundings) -> Complaint:
    t, *bounds = (value.type for value in op.args)
    if not isinstance(t, ArrayType) or bounds != [INT, INT]:
        return f"its operands are ({_list([t, *bounds])}), where an array and two ints are due"
    return _wants_view(t, op)


def _view(op: Op, _: Surroundings) -> Complaint:
    t = _target(op)
    if not isinstance(t, FixedArrayType):
        return f"its operand is {op.args[0].type}, where a reference to a fixed array is due"
    readonly = [value.type for value in op.results] == [ArrayType(t.element, len(t.shape), True)]
    return _wants([ArrayType(t.element, len(t.shape), readonly)], op)


def _flat(op: Op, _: Surroundings) -> Complaint:
    t = op.args[0].type
    if not (isinstance(t, ArrayType) and t.ndim == 1 and isinstance(t.element, VectorType)):
        return f"its operand is {t}, where a 1-D array of vectors is due"
    return _wants_view(ArrayType(t.element.element, 1, readonly=t.readonly), op)


def _length(op: Op, _: Surroundings) -> Complaint:
    t = op.args[0].type
    if not isinstance(t, ArrayType):
        return f"its operand is {t}, where an array is due"
    if type(op.attr) is not int or not 0 <= op.attr < t.ndim:
        return f"{t} has no dimension {op.attr!r}"
    return _wants([INT], op)


def _arena(op: Op, _: Surroundings) -> Complaint:
    return _wants([INT], op)


def _release(op: Op, _: Surroundings) -> Complaint:
    if op.args[0].type != INT:
        return f"its operand is {op.args[0].type}, where an int is due"
    return _wants([], op)


def _allocate(op: Op, _: Surroundings) -> Complaint:
    types = [value.type for value in op.args]
    if not 2 <= len(types) <= MOST_DIMENSIONS + 1 or any(t != INT for t in types):
        return f"its operands are ({_list(types)}), where one to four lengths and an int are due"
    if type(op.attr) is not int or not 1 <= op.attr <= MAX_ARENA:
        return f"its bound is {op.attr!r}, where 1 to {MAX_ARENA} is due"
    made = op.results[0].type if len(op.results) == 1 else None
    if not isinstance(made, ArrayType) or made.readonly or made.ndim != len(types) - 1:
        return f"its results are ({_list([v.type for v in op.results])}), where an array follows"
    return None


def _apart(op: Op, _: Surroundings) -> Complaint:
    types = [value.type for value in op.args]
    if any(is_scalar(t) for t in types):
        return f"its operands are ({_list(types)}), where arrays or references are due"
    if not isinstance(op.attr, bool):
        return f"its attribute is {op.attr!r}, where a bool is due"
    return _wants([BOOL], op)


def _load(op: Op, _: Surroundings) -> Complaint:
    t = _target(op)
    if not isinstance(t, ScalarType):
        return f"its operand is {op.args[0].type}, where a reference to a scalar is due"
    return _wants([t.storage], op)


def _store(op: Op, _: Surroundings) -> Complaint:
    t, value = _target(op), op.args[1].type
    if not isinstance(t, ScalarType) or value != t.storage:
        return f"it stores {value} to {op.args[0].type}"
    return _wants([], op)


def _copy(op: Op, _: Surroundings) -> Complaint:
    target, source = op.args[0].type, op.args[1].type
    if _target(op) is None or target != source:
        return f"it copies {source} to {target}, where two references of one type are due"
    return _wants([], op)


def _zero(op: Op, _: Surroundings) -> Complaint:
    if _target(op) is None:
        return f"its operand is {op.args[0].type}, where a reference is due"
    return _wants([], op)


def _index(op: Op, _: Surroundings) -> Complaint:
    if isinstance(op.attr, str):
        return _two_ints(op) or _unlike_places(op.attr, [INT])
    if op.attr is not None and type(op.attr) is not int:
        return f"its axis is {op.attr!r}"
    return _two_ints(op)


def _bound(op: Op, _: Surroundings) -> Complaint:
    return _two_ints(op) if isinstance(op.attr, str) else f"its message is {op.attr!r}"


def _two_ints(op: Op) -> Complaint:
    types = [value.type for value in op.args]
    if types != [INT, INT]:
        return f"its operands are ({_list(types)}), where two of type int are due"
    return _wants([], op)


def _assert(op: Op, _: Surroundings) -> Complaint:
    if not op.args or op.args[0].type != BOOL:
        return f"its operand is {op.args[0].type if op.args else None}, where a bool is due"
    if op.attr is not None and not isinstance(op.attr, str):
        return f"its message is {op.attr!r}"
    values = [value.type for value in op.args[1:]]
    if len(values) > MOST_VALUES:
        return f"it has {len(values)} values, and {MOST_VALUES} are the most"
    return (_unlike_places(str(op.attr), values) if values else None) or _wants([], op)


def _output(op: Op, _: Surroundings) -> Complaint:
    if not isinstance(op.attr, str):
        return f"its text is {op.attr!r}"
    values = [value.type for value in op.args]
    if len(values) > MOST_PRINTED:
        return f"it has {len(values)} values, and {MOST_PRINTED} are the most"
    return _unlike_places(op.attr, values) or _wants([], op)


def _unlike_places(text: str, values: Sequence[ValueType]) -> Complaint:
    """A complaint where the places of a text do not fit the values."""
    try:
        types = [t.storage for t in types_in(text)]
    except (ValueError, KeyError):
        return f"{text!r} is no text with places"
    if types != values:
        return f"its places are of ({_list(types)}), and its values of ({_list(values)})"
    return None


def _bool(op: Op, _: Surroundings) -> Complaint:
    if op.args[0].type != BOOL:
        return f"its operand is {op.args[0].type}, where a bool is due"
    return _wants([], op)


def passes_as(given: ValueType, wanted: ValueType) -> bool:
    """Whether a value is legal for a parameter: a writable array may be passed where one is only
    read."""
    if isinstance(given, ArrayType) and isinstance(wanted, ArrayType) and wanted.readonly:
        return (given.element, given.ndim) == (wanted.element, wanted.ndim)
    return given == wanted


def _call(op: Op, around: Surroundings) -> Complaint:
    callee = around.callees.get(op.attr) if isinstance(op.attr, str) else None
    if callee is None:
        return f"there is no function {op.attr!r} before this one"
    given = [value.type for value in op.args]
    wanted = [t for _, t in callee.params]
    parallel = op.opcode == "parallel"
    due = [INT, INT, INT, *wanted[2:]] if parallel else wanted
    fits_range = not parallel or wanted[:2] == [INT, INT]
    if not fits_range or len(given) != len(due) or not all(map(passes_as, given, due)):
        return f"it gives ({_list(given)}) to {callee.name}, which takes ({_list(wanted)})"
    if parallel and callee.results:
        return f"{callee.name} has results, where a parallel body has none"
    return _wants([*callee.results], op)


def _own(op: Op, _: Surroundings) -> Complaint:
    types = [value.type for value in op.args]
    if types != [INT, INT, INT]:
        return f"its operands are ({_list(types)}), where three of type int are due"
    if not isinstance(op.attr, str):
        return f"{op.attr!r} names no array"
    return _wants([], op)


_ARITHMETIC = _alike(is_number, "numbers")
_FLOATS = _alike(is_float, "floats")
_INTEGERS = _alike(is_int, "integers")
_TRUTH = _alike(is_bool, "bools")
_BITWISE = _alike(is_bits, "integers or bools")
_EQUALITY = _alike(is_scalar, "scalars", BOOL)
_ORDER = _alike(is_number, "numbers", BOOL)

CHECKS: dict[str, Check] = {
    "const": _const,
    "get": _get,
    "set": _set,
    **dict.fromkeys(("add", "sub", "mul", "neg", "abs", "min", "max"), _ARITHMETIC),
    **dict.fromkeys(("div", "sqrt", "fma", "copysign"), _FLOATS),
    **dict.fromkeys(("muladd", "product_error"), _FLOATS),
    **dict.fromkeys(("floor", "ceil", "trunc", "round", "flush"), _FLOATS),
    **dict.fromkeys(("floordiv", "mod", "shl", "shr", "rotl", "rotr"), _INTEGERS),
    **dict.fromkeys(("popcount", "clz", "ctz"), _INTEGERS),
    **dict.fromkeys(("and", "or", "xor", "not"), _BITWISE),
    **dict.fromkeys(("eq", "ne"), _EQUALITY),
    **dict.fromkeys(("lt", "le", "gt", "ge"), _ORDER),
    **dict.fromkeys(("likely", "unlikely"), _TRUTH),
    "select": _select,
    "convert": _convert,
    "narrow": _narrow,
    "bitcast": _bitcast,
    "local": _local,
    "table": _table,
    "field": _field,
    "component": _component,
    "element": _element,
    "row": _row,
    "slice": _slice,
    "view": _view,
    "flat": _flat,
    "length": _length,
    "arena": _arena,
    "release": _release,
    "allocate": _allocate,
    "apart": _apart,
    "load": _load,
    "store": _store,
    "copy": _copy,
    "zero": _zero,
    "index": _index,
    "bound": _bound,
    "assert": _assert,
    "assume": _bool,
    "overflow": _assert,
    "own": _own,
    **dict.fromkeys(("print", "trace"), _output),
    **dict.fromkeys(("call", "parallel"), _call),
}

ATTRIBUTED = {
    "const", "get", "set", "local", "table", "field", "component", "length", "apart", "bound",
    "assert", "own", "call", "parallel", "index", "allocate", "overflow", "floordiv", "mod",
    "narrow", "print", "trace", "convert",
}  # fmt: skip
"""The opcodes that have an attribute; for every other it is None."""
