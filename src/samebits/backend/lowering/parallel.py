"""Parallel ranges: iterations on several threads if the process offers them, else serially.

The object has a variable for a hook, null unless the process sets it. The hook gets the iterations
if they are worth it and if no memory that they write overlaps anything else that they use: only
then does their order not matter. Knows nothing of threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from samebits.backend.lowering.memory import extent
from samebits.backend.objects import HOOK, OWN, TRAP_WORDS
from samebits.backend.text.trap_records import RECORD_BYTES, claim
from samebits.backend.text.types import function_symbol, return_type, scalar
from samebits.backend.text.writer import FunctionWriter
from samebits.ir.analysis.points_to import Memory
from samebits.ir.grammar import (
    For,
    Function,
    If,
    Op,
    Region,
    Statement,
    Value,
    ValueType,
    While,
    can_trap,
    walk,
)
from samebits.passes.flatten import is_flat
from samebits.types import ArrayType, Kind, ScalarType

_ITERATION_WEIGHT = 8
"""The assumed trip count of an inner loop."""
_SLOW = {"div": 6, "sqrt": 8, "floordiv": 12, "mod": 12}
"""Costs of expensive operations; any other costs 1."""
LEAST_COST = 12_500
LEAST_VECTOR_COST = 400_000
"""Fewest operations of a batch that is worth another thread, for scalar and for vectorised
iterations: some 5 µs on a processor of 3 GHz with vectors of 512 bits. Giving a range to polling
threads takes 0.1 µs; waking a sleeping one takes 3 to 5 µs, and 10 to 20 µs pass until it
begins."""


def serial(f: FunctionWriter, op: Op) -> str:
    """Emit all iterations, in order, on this thread; returns the status if the body can trap."""
    name = str(op.attr)
    traps = f.module.traps[name]
    start, stop, _, *captured = op.args
    arguments = f.arguments(name, (start, stop, *captured))
    returned = return_type(f.module.function(name), traps, f.target)
    text = f"call {f.target.convention}{returned} {function_symbol(name)}({arguments})"
    if traps:
        return f.emit(text)
    f.do(text)
    return ""


def lower_parallel(f: FunctionWriter, op: Op) -> None:
    """Emit a call of the hook, then all iterations serially in case it ran nothing."""
    in_line = f.module.is_cold(f.function.name) or f.module.prints(str(op.attr))
    range_function = "" if in_line else f.module.parallel_range(str(op.attr))
    if not range_function:
        status = serial(f, op)
        if status:
            f.leave_if_failed(status)
        return
    traps = f.module.traps[str(op.attr)]
    result = f.variable("i32")
    f.do(f"store i32 -1, ptr {result}")
    batch = f.operand(op.args[2])
    start, stop = f.operand(op.args[0]), f.operand(op.args[1])
    count = f.emit(f"sub i64 {stop}, {start}")
    least = _least_iterations(f, f.module.function(str(op.attr)).body)
    enough = f.emit(f"icmp sgt i64 {count}, {2 * least if batch == '0' else batch}")
    hook = f.emit(f"load ptr, ptr @{HOOK}")
    conditions = [
        enough,
        f.emit(f"icmp slt i64 {start}, {stop}"),
        f.emit(f"icmp ne ptr {hook}, null"),
        *_disjointness(f, op),
    ]
    condition = conditions[0]
    for other in conditions[1:]:
        condition = f.emit(f"and i1 {condition}, {other}")

    def ask() -> None:
        slots = _slots(f, [op.args[0], *op.args[3:]])
        record = f.variable(f"[{TRAP_WORDS} x i64]", ", align 8") if traps else "null"
        given = f"ptr {range_function}, ptr {slots}, i64 {count}, i64 {batch}, i64 {least}"
        status = f.emit(f"call i32 {hook}({given}, ptr {record})")
        f.do(f"store i32 {status}, ptr {result}")
        if traps:
            _keep_record(f, status, record, result, str(op.attr) in f.module.owns)

    def here() -> None:
        f.do(f"store i32 {serial(f, op) or '0'}, ptr {result}")

    f.when(condition, ask)
    f.when(f.emit(f"icmp slt i32 {f.emit(f'load i32, ptr {result}')}, 0"), here)
    f.leave_if_failed(f.emit(f"load i32, ptr {result}"))


def _keep_record(f: FunctionWriter, status: str, record: str, result: str, owns: bool) -> None:
    """Where the hook's status is a trap, make its record one of this object, named by `result`."""
    f.module.has_records = True
    lines, place, named = claim(f.name()[1:], status)
    copy = "call void @llvm.memcpy.p0.p0.i64(ptr align 8 {}, ptr align 8 {}, i64 {}, i1 false)"
    lines += [copy.format(f"@{OWN}", record, 24)] * owns
    lines += [copy.format(place, record, RECORD_BYTES), f"store i32 {named}, ptr {result}"]
    f.cold_block(f.emit(f"icmp sgt i32 {status}, 0"), lines)


# The cost of an iteration --------------------------------------------------------------------


def _least_iterations(f: FunctionWriter, region: Region) -> int:
    """The fewest iterations of the outermost loop in `region` that are worth a batch."""
    loop = next((s for s in walk(region) if isinstance(s, For) and not is_flat(s)), None)
    if loop is None:
        return 1
    vectors = all(_may_be_vector(f, statement) for statement in walk(loop.body))
    cost = _region_cost(f, loop.body)
    return max(1, (LEAST_VECTOR_COST if vectors else LEAST_COST) // max(1, cost))


def _may_be_vector(f: FunctionWriter, statement: Statement) -> bool:
    match statement:
        case Op(opcode="call"):
            return (
                f.module.is_inlined(str(statement.attr)) and not f.module.traps[str(statement.attr)]
            )
        case Op():
            return not can_trap(statement)
        case For() | While():
            return False
        case _:
            return True


def _region_cost(f: FunctionWriter, region: Region) -> int:
    return sum(_statement_cost(f, statement) for statement in region)


def _statement_cost(f: FunctionWriter, statement: Statement) -> int:
    match statement:
        case Op(opcode="call"):
            callee = f.module.function(str(statement.attr))
            return 4 + (LEAST_COST if callee.recursion else _region_cost(f, callee.body))
        case Op():
            return _SLOW.get(statement.opcode, 1)
        case If():
            return max(_region_cost(f, statement.then), _region_cost(f, statement.orelse))
        case For():
            return _ITERATION_WEIGHT * _region_cost(f, statement.body)
        case While():
            body = _region_cost(f, statement.head) + _region_cost(f, statement.body)
            return _ITERATION_WEIGHT * body
        case _:
            return 0


# Arguments of the iterations -----------------------------------------------------------------


def _slots(f: FunctionWriter, values: list[Value]) -> str:
    """The address of the values in the form of an entry's slots."""
    words = [word for value in values for word in _words(f, value)]
    place = f.variable(f"[{len(words)} x i64]", ", align 8")
    for k, word in enumerate(words):
        f.do(f"store i64 {word}, ptr {f.emit(f'getelementptr i64, ptr {place}, i64 {k}')}")
    return place


def _words(f: FunctionWriter, value: Value) -> Iterator[str]:
    t = value.type
    if not isinstance(t, ScalarType):
        pointer, *lengths = f.operands(value)
        yield f.emit(f"ptrtoint ptr {pointer} to i64")
        yield from lengths
        return
    name, bits = f.operand(value), 1 if t.kind is Kind.BOOL else t.bits
    if t.is_float:
        name = f.emit(f"bitcast {scalar(t)} {name} to i{bits}")
    yield name if bits == 64 else f.emit(f"zext i{bits} {name} to i64")


# Memory that the iterations share ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Captured:
    """Memory passed to a body: whether the body writes it, and accesses only its own elements."""

    value: Value
    writes: bool
    own: bool


def _disjointness(f: FunctionWriter, op: Op) -> Iterator[str]:
    """Conditions under which no iteration writes what another one uses by another name: two
    parameters of a kernel may be the same array."""
    captured = list(_captured(f.module.function(str(op.attr)), op))
    for k, a in enumerate(captured):
        for b in captured[k + 1 :]:
            if a.writes or b.writes:
                yield _disjoint(f, a, b)


def _captured(body: Function, op: Op) -> Iterator[_Captured]:
    memory = Memory(body, lambda _: None)
    written = {use.origin.region.root for use in memory.uses if use.writes}
    whole = {use.origin.region.root for use in memory.uses if not use.origin.inside}
    loops = {loop.slot for loop in _outermost(body.body)}
    gets = {
        s.id for s in walk(body.body) if isinstance(s, Op) and s.opcode == "get" and s.attr in loops
    }
    elsewhere = {a.region.root for a in memory.accesses if a.op.args[1].op not in gets}
    for (name, t), value in zip(body.params[2:], op.args[3:], strict=True):
        if not isinstance(t, ScalarType):
            own = isinstance(t, ArrayType) and name not in elsewhere | whole
            yield _Captured(value, name in written, own)


def _outermost(region: Region) -> Iterator[For]:
    """The copies of the body's loop: loops in no other."""
    for statement in region:
        if isinstance(statement, For):
            yield statement
        elif isinstance(statement, If):
            yield from _outermost(statement.then)
            yield from _outermost(statement.orelse)


def _disjoint(f: FunctionWriter, a: _Captured, b: _Captured) -> str:
    (first, first_end), (second, second_end) = extent(f, a.value), extent(f, b.value)
    before = f.emit(f"icmp ule i64 {first_end}, {second}")
    after = f.emit(f"icmp ule i64 {second_end}, {first}")
    disjoint = f.emit(f"or i1 {before}, {after}")
    if not (a.own and b.own and _alike(a.value.type, b.value.type)):
        return disjoint
    # The same array by two names, if each iteration accesses only its own element of either.
    same = f.emit(f"icmp eq i64 {first}, {second}")
    for one, other in zip(f.operands(a.value)[2:], f.operands(b.value)[2:], strict=True):
        same = f.emit(f"and i1 {same}, {f.emit(f'icmp eq i64 {one}, {other}')}")
    return f.emit(f"or i1 {disjoint}, {same}")


def _alike(a: ValueType, b: ValueType) -> bool:
    if not isinstance(a, ArrayType) or not isinstance(b, ArrayType):
        return False
    return (a.element, a.ndim) == (b.element, b.ndim)
