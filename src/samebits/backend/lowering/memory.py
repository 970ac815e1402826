"""References, arrays, loads and stores. Layout is the types' own: byte offsets, C order.

Any two addresses may alias, whatever their types: LLVM is told nothing else.
"""

from __future__ import annotations

from samebits.backend.emit.arena import ALLOTTED, ARENA_HEAD, ARENA_PLACE
from samebits.backend.lowering.float import (
    store_then_canonicalise,
    stored_value,
    watch_stored,
)
from samebits.backend.lowering.integer import scalar_type
from samebits.backend.lowering.wide_stores import store_in_lanes
from samebits.backend.text.types import memory, memory_scalar, scalar
from samebits.backend.text.writer import OWN_PLACE, FunctionWriter, Lowering
from samebits.ir.grammar import Op, Value
from samebits.types import (
    ArrayType,
    FixedArrayType,
    Kind,
    MemoryType,
    RefType,
    StructType,
    VectorType,
)


def _target(op: Op, position: int = 0) -> MemoryType:
    t = op.args[position].type
    assert isinstance(t, RefType)
    return t.target


def _at(f: FunctionWriter, base: str, offset: int) -> str:
    return base if offset == 0 else f.emit(f"getelementptr inbounds i8, ptr {base}, i64 {offset}")


def _local(f: FunctionWriter, op: Op) -> None:
    f.define(op.result, f.local(str(op.attr)))


def _table(f: FunctionWriter, op: Op) -> None:
    f.define(op.result, f.module.table(str(op.attr)))


def _field(f: FunctionWriter, op: Op) -> None:
    struct = _target(op)
    assert isinstance(struct, StructType)
    f.define(op.result, _at(f, f.operand(op.args[0]), struct.offsets[str(op.attr)]))


def _component(f: FunctionWriter, op: Op) -> None:
    vector = _target(op)
    assert isinstance(vector, VectorType)
    assert isinstance(op.attr, int)
    f.define(op.result, _at(f, f.operand(op.args[0]), op.attr * vector.element.size))


def _element(f: FunctionWriter, op: Op) -> None:
    """The address of an element. Indexes were checked against existing lengths: nothing wraps."""
    t = op.args[0].type
    base, *lengths = f.operands(op.args[0])
    if isinstance(t, RefType):
        assert isinstance(t.target, FixedArrayType)
        element, lengths = t.target.element, [str(n) for n in t.target.shape]
    else:
        assert isinstance(t, ArrayType)
        element = t.element
    index, *more = [f.operand(value) for value in op.args[1:]]
    for value, length in zip(more, lengths[1:], strict=True):
        index = f.emit(f"add nsw i64 {f.emit(f'mul nsw i64 {index}, {length}')}, {value}")
    f.define(
        op.result, f.emit(f"getelementptr inbounds {memory(element)}, ptr {base}, i64 {index}")
    )


def _row(f: FunctionWriter, op: Op) -> None:
    start, _, *rest = _from(f, op)
    f.define(op.result, start, *rest)


def _slice(f: FunctionWriter, op: Op) -> None:
    start, _, *rest = _from(f, op)
    first, stop = map(f.operand, op.args[1:])
    count = f.emit(f"sub nsw i64 {stop}, {first}")
    some = f.emit(f"icmp sgt i64 {count}, 0")
    f.define(op.result, start, f.emit(f"select i1 {some}, i64 {count}, i64 0"), *rest)


def _from(f: FunctionWriter, op: Op) -> tuple[str, ...]:
    """The array of an op from the row on that its second operand says, with the lengths of all."""
    t = op.args[0].type
    assert isinstance(t, ArrayType)
    base, *lengths = f.operands(op.args[0])
    index = f.operand(op.args[1])
    for length in lengths[1:]:
        index = f.emit(f"mul nsw i64 {index}, {length}")
    start = f.emit(f"getelementptr inbounds {memory(t.element)}, ptr {base}, i64 {index}")
    return start, *lengths


def _view(f: FunctionWriter, op: Op) -> None:
    fixed = _target(op)
    assert isinstance(fixed, FixedArrayType)
    f.define(op.result, f.operand(op.args[0]), *map(str, fixed.shape))


def _flat(f: FunctionWriter, op: Op) -> None:
    t = op.args[0].type
    assert isinstance(t, ArrayType)
    assert isinstance(t.element, VectorType)
    base, length = f.operands(op.args[0])
    f.define(op.result, base, f.emit(f"mul nuw nsw i64 {length}, {t.element.length}"))


def _length(f: FunctionWriter, op: Op) -> None:
    assert isinstance(op.attr, int)
    f.define(op.result, f.operands(op.args[0])[1 + op.attr])


def _arena(f: FunctionWriter, op: Op) -> None:
    f.define(op.result, f.emit(f"load i64, ptr {ARENA_PLACE}, align 8"))


def _release(f: FunctionWriter, op: Op) -> None:
    f.do(f"store i64 {f.operand(op.args[0])}, ptr {ARENA_PLACE}, align 8")


def _allocate(f: FunctionWriter, op: Op) -> None:
    """The array after what is in use. No product can overflow: factors and products above the bound
    are noted, and these are 2^30 at most where none is."""
    t, limit = op.result.type, op.attr
    assert isinstance(t, ArrayType)
    assert isinstance(limit, int)
    *lengths, used = map(f.operand, op.args)
    negative = _any(f, [f.emit(f"icmp slt i64 {length}, 0") for length in lengths])
    f.trap_if(negative, op, "length")
    most, count, beyond = limit // t.element.size, "1", list[str]()
    for length in lengths:
        least = f.emit(f"call i64 @llvm.umax.i64(i64 {length}, i64 1)")
        beyond.append(f.emit(f"icmp ugt i64 {least}, {most}"))
        if count != "1":
            least = f.emit(f"mul i64 {count}, {least}")
            beyond.append(f.emit(f"icmp ugt i64 {least}, {most}"))
        count = least
    size = f.emit(f"mul i64 {count}, {t.element.size}")
    end = f.emit(f"add i64 {used}, {size}")
    beyond.append(f.emit(f"icmp ugt i64 {end}, {limit}"))
    f.trap_if(_any(f, beyond), op, "arena")
    after = f.emit(f"and i64 {f.emit(f'add i64 {end}, {ALLOTTED - 1}')}, {-ALLOTTED}")
    f.do(f"store i64 {after}, ptr {ARENA_PLACE}, align 8")
    start = f.emit(f"add i64 {used}, {ARENA_HEAD}")
    place = f.emit(f"getelementptr inbounds i8, ptr {ARENA_PLACE}, i64 {start}")
    f.do(f"call void @llvm.memset.p0.i64(ptr align 8 {place}, i8 0, i64 {size}, i1 false)")
    f.define(op.result, place, *lengths)


def _any(f: FunctionWriter, conditions: list[str]) -> str:
    result, *rest = conditions
    for condition in rest:
        result = f.emit(f"or i1 {result}, {condition}")
    return result


def extent(f: FunctionWriter, value: Value) -> tuple[str, str]:
    """The addresses of the first byte and of the one after the last."""
    base, *lengths = f.operands(value)
    start = f.emit(f"ptrtoint ptr {base} to i64")
    if isinstance(value.type, ArrayType):
        size = str(value.type.element.size)
        for length in lengths:
            size = f.emit(f"mul i64 {size}, {length}")
    else:
        assert isinstance(value.type, RefType)
        size = str(value.type.target.size)
    return start, f.emit(f"add i64 {start}, {size}")


def _apart(f: FunctionWriter, op: Op) -> None:
    (a, a_end), (b, b_end) = (extent(f, value) for value in op.args)
    tests = [f.emit(f"icmp ule i64 {end}, {start}") for end, start in ((a_end, b), (b_end, a))]
    tests += [f.emit(f"icmp eq i64 {end}, {start}") for end, start in ((a_end, a), (b_end, b))]
    if op.attr:
        same = f.emit(f"icmp eq i64 {a}, {b}")
        rows = [f.operands(value)[2:] for value in op.args]
        for one, other in zip(*rows, strict=False):
            same = f.emit(f"and i1 {same}, {f.emit(f'icmp eq i64 {one}, {other}')}")
        if len(rows[0]) == len(rows[1]):
            tests.append(same)
    result, *rest = tests
    for test in rest:
        result = f.emit(f"or i1 {result}, {test}")
    f.define(op.result, result)


def _load(f: FunctionWriter, op: Op) -> None:
    t, place = scalar_type(op.result), f.operand(op.args[0])
    if t.kind is Kind.BOOL:
        byte = f.emit(f"load i8, ptr {place}, align 1")
        f.define(op.result, f.emit(f"icmp ne i8 {byte}, 0"))
    else:
        f.define(op.result, f.emit(f"load {scalar(t)}, ptr {place}, align {t.align}"))


def _store(f: FunctionWriter, op: Op) -> None:
    if store_in_lanes(f, op):
        return
    place, value = op.args
    t, name = scalar_type(value), f.operand(value)
    stored = memory_scalar(t)
    if t.kind is Kind.BOOL:
        name = f.emit(f"zext i1 {name} to i8")
    elif t.is_float and not f.facts.is_private(place):
        waits = op.id in f.watched and f.is_last_alone(op)
        name = f.operand(value) if waits else f.seen(value)
        if op.id in f.watched:
            f.do(f"store {scalar(t)} {name}, ptr {f.operand(place)}, align {t.align}")
            watch_stored(f, op, name, t.bits)
            return
        if op.id in f.facts.serial_stores and not f.facts.is_number(value):
            store_then_canonicalise(f, t, name, f.operand(place))
            return
        stored, name = stored_value(f, value, name)
    f.do(f"store {stored} {name}, ptr {f.operand(place)}, align {t.align}")


def _copy(f: FunctionWriter, op: Op) -> None:
    """A copy by memmove, since source and target may be the same."""
    t = _target(op)
    target, source = map(f.operand, op.args)
    if target == source:
        return
    f.do(
        f"call void @llvm.memmove.p0.p0.i64(ptr align {t.align} {target}, "
        f"ptr align {t.align} {source}, i64 {t.size}, i1 false)"
    )


def _zero(f: FunctionWriter, op: Op) -> None:
    t = _target(op)
    place = f.operand(op.args[0])
    f.do(
        f"call void @llvm.memset.p0.i64(ptr align {t.align} {place}, i8 0, i64 {t.size}, i1 false)"
    )


def _index(f: FunctionWriter, op: Op) -> None:
    """The index check, one unsigned comparison: a negative index is a large one."""
    if not op.unchecked:
        index, length = map(f.operand, op.args)
        f.trap_if(f.emit(f"icmp uge i64 {index}, {length}"), op, "index")


def _bound(f: FunctionWriter, op: Op) -> None:
    """The check of a slice's bound, one unsigned comparison."""
    if not op.unchecked:
        bound, length = map(f.operand, op.args)
        f.trap_if(f.emit(f"icmp ugt i64 {bound}, {length}"), op, "index", str(op.attr))


def _own(f: FunctionWriter, op: Op) -> None:
    """The own-index check, one unsigned comparison, valid for any checked index."""
    if not op.unchecked:
        index, first, count = map(f.operand, op.args)
        distance = f.emit(f"sub i64 {index}, {first}")
        end = f.emit(f"add i64 {first}, {count}")
        notes: list[str] = []
        for k, number in enumerate((index, first, end)):
            place = f.name()
            notes.append(f"{place} = getelementptr i64, ptr {OWN_PLACE}, i64 {k}")
            notes.append(f"store i64 {number}, ptr {place}")
        condition = f.emit(f"icmp uge i64 {distance}, {count}")
        f.trap_if(condition, op, "own", str(op.attr), notes)


MEMORY_LOWERINGS: dict[str, Lowering] = {
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
    "own": _own,
}
