"""Evaluation: control flow, calls, memory, traps, the listener, arguments and folding."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from samebits.errors import ArgumentError, IRError, Trap
from samebits.ir.builder import Builder
from samebits.ir.grammar import Function, Module, Op, TableData, Value
from samebits.ir.interp.evaluator import Evaluator, evaluate, evaluator_of, fold
from samebits.ir.interp.memory import Ref
from samebits.ir.verify import verify
from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT32,
    FLOAT64,
    INT,
    INT32,
    SCALARS,
    STRONG_SCALARS,
    UINT8,
    UINT32,
    VECTORS,
    ArrayType,
    FixedArrayType,
    RefType,
    ScalarType,
    StructType,
)

CELL = StructType("Cell", (("level", UINT8), ("pos", VECTORS["float3"]), ("next", FLOAT64)))
WORLD = StructType("World", (("tick", INT32), ("cells", FixedArrayType(CELL, (3,)))))


def module(*functions: Function) -> Module:
    result = Module({function.name: function for function in functions})
    verify(result)
    return result


def counting(fill: Callable[[Builder], None]) -> Function:
    """`for i in range(start, stop): <fill>; else: total += 100`, with a running `total`."""
    b = Builder("k", {"start": INT, "stop": INT}, [INT, INT], {"i": INT, "total": INT})
    b.set("total", b.const(INT, 0))
    b.set("i", b.const(INT, -1))
    loop = b.for_("i", b.get("start"), b.get("stop"), 3)
    with b.into(loop.body):
        fill(b)
        b.set("total", b.op("add", b.get("total"), b.const(INT, 1)))
    with b.into(loop.orelse):
        b.set("total", b.op("add", b.get("total"), b.const(INT, 100)))
    return b.ret(b.get("i"), b.get("total"))


def when_five(b: Builder, fill: Callable[[], None]) -> None:
    branch = b.if_(b.op("ge", b.get("i"), b.const(INT, 5)))
    with b.into(branch.then):
        fill()


def test_for_keeps_the_last_value_and_runs_else_without_break() -> None:
    k = module(counting(lambda b: None))
    assert evaluate(k, "k", [0, 10]) == (9, 104)
    assert evaluate(k, "k", [5, 5]) == (-1, 100)
    assert evaluate(k, "k", [2**63 - 3, 2**63 - 1]) == (2**63 - 3, 101)


def test_break_skips_else_and_continue_skips_the_rest() -> None:
    broken = module(counting(lambda b: when_five(b, b.break_)))
    assert evaluate(broken, "k", [0, 10]) == (6, 2)
    continued = module(counting(lambda b: when_five(b, b.continue_)))
    assert evaluate(continued, "k", [0, 10]) == (9, 102)


def test_return_inside_a_loop_ends_the_function() -> None:
    k = module(
        counting(lambda b: when_five(b, lambda: b.ret(b.get("i"), b.const(INT, 7)) and None))
    )
    assert evaluate(k, "k", [0, 10]) == (6, 7)


def test_while_evaluates_its_head_before_each_iteration() -> None:
    b = Builder("k", {"n": INT}, [INT], {"iterations": INT})
    b.set("iterations", b.const(INT, 0))
    head: list[Any] = []
    with b.into(head):
        more = b.op("gt", b.get("n"), b.const(INT, 1))
    loop = b.while_(more, head)
    with b.into(loop.body):
        b.set("n", b.op("shr", b.get("n"), b.const(INT, 1)))
        b.set("iterations", b.op("add", b.get("iterations"), b.const(INT, 1)))
    with b.into(loop.orelse):
        b.set("iterations", b.op("neg", b.get("iterations")))
    k = module(b.ret(b.get("iterations")))
    assert [evaluate(k, "k", [n])[0] for n in (0, 1, 2, 255, 256)] == [0, 0, -1, -7, -8]


def test_a_call_has_its_own_slots_and_locals() -> None:
    b = Builder("callee", {"x": INT}, [INT, INT], {"y": INT}, {"m": INT32})
    b.emit("zero", b.local("m"))
    b.set("x", b.op("add", b.get("x"), b.const(INT, 1)))
    b.set("y", b.get("x"))
    callee = b.ret(b.get("y"), b.to(INT, b.load(b.local("m"))))
    c = Builder("caller", {"x": INT}, [INT, INT, INT], {"y": INT})
    c.set("y", c.const(INT, 50))
    first, zero = c.call(callee, c.get("x"))
    second, _ = c.call(callee, first)
    caller = c.ret(second, c.op("add", c.get("x"), c.get("y")), zero)
    assert evaluate(module(callee, caller), "caller", [1]) == (3, 51, 0)


@pytest.mark.parametrize("t", STRONG_SCALARS, ids=str)
def test_memory_has_the_layout_of_numpy(t: ScalarType) -> None:
    b = Builder("k", {"a": ArrayType(t, 1), "b": ArrayType(t, 1)})
    b.store(b.at(b.get("a"), b.const(INT, 2)), b.load(b.at(b.get("b"), b.const(INT, 1))))
    k = module(b.ret())
    source = np.frombuffer(bytes(range(1, 1 + 2 * t.size)), t.dtype).copy()
    if t is BOOL:
        source[:] = [False, True]
    target = np.zeros(4, t.dtype)
    assert evaluate(k, "k", [target, source]) == ()
    assert target.tobytes() == np.array([0, 0, source[1], 0], t.dtype).tobytes()


def test_structs_vectors_and_fixed_arrays_are_addressed_as_numpy_lays_them_out() -> None:
    b = Builder("k", {"w": RefType(WORLD), "i": INT, "x": FLOAT32}, [INT, INT])
    cells = b.field(b.get("w"), "cells")
    view = b.view(cells)
    i = b.get("i")
    b.index(i, b.length(view))
    b.store(b.component(b.field(b.element(cells, i), "pos"), 1), b.get("x"))
    b.store(b.field(b.element(view, i), "next"), b.const(FLOAT64, 0.25))
    b.emit("copy", b.element(cells, b.const(INT, 0)), b.element(cells, i))
    b.emit("zero", b.field(b.element(cells, i), "pos"))
    b.store(b.field(b.get("w"), "tick"), b.const(INT32, -7))
    k = module(b.ret(b.length(view), i))
    world = np.zeros((), WORLD.dtype)
    world["cells"]["level"] = [1, 2, 3]
    assert evaluate(k, "k", [world, 2, np.float32(1.5)]) == (3, 2)
    assert world["tick"] == -7
    memory = world["cells"]
    assert memory["level"].tolist() == [3, 2, 3]
    assert memory["pos"].tolist() == [[0, 1.5, 0], [0, 0, 0], [0, 0, 0]]
    assert memory["next"].tolist() == [0.25, 0, 0.25]
    with pytest.raises(Trap, match="is out of range"):
        evaluate(k, "k", [world, 3, 1.5])


def test_rows_of_a_2d_array_share_its_memory() -> None:
    grid = ArrayType(VECTORS["int2"], 2)
    b = Builder("k", {"g": grid, "y": INT, "x": INT, "v": INT32}, [INT, INT])
    row = b.row(b.get("g"), b.get("y"))
    b.store(b.component(b.element(row, b.get("x")), 1), b.get("v"))
    b.store(b.component(b.element(b.get("g"), b.get("x"), b.get("y")), 0), b.get("v"))
    k = module(b.ret(b.length(row), b.length(b.get("g"), 0)))
    memory = np.zeros((3, 4, 2), np.int32)
    assert evaluate(k, "k", [memory, 1, 2, 9]) == (4, 3)
    assert memory[1, 2].tolist() == [0, 9]
    assert memory[2, 1].tolist() == [9, 0]
    assert np.count_nonzero(memory) == 2


def test_a_stored_nan_is_the_canonical_one() -> None:
    b = Builder("k", {"a": ArrayType(FLOAT32, 1), "b": ArrayType(FLOAT64, 1)})
    for name in ("a", "b"):
        zero = b.const(INT, 0)
        b.store(b.element(b.get(name), zero), b.op("neg", b.load(b.element(b.get(name), zero))))
    k = module(b.ret())
    single, double = np.array([0x7F812345], "u4"), np.array([0xFFF0000000000001], "u8")
    evaluate(k, "k", [single.view("f4"), double.view("f8")])
    assert (single[0], double[0]) == (0x7FC00000, 0x7FF8000000000000)


def test_a_copy_between_overlapping_places_takes_the_old_bytes() -> None:
    ref = RefType(FixedArrayType(UINT8, (3,)))
    b = Builder("k", {"target": ref, "source": ref})
    b.emit("copy", b.get("target"), b.get("source"))
    k = module(b.ret())
    for target, source, due in [(1, 0, [0, 0, 1, 2]), (0, 1, [1, 2, 3, 3])]:
        memory = np.arange(4, dtype=np.uint8)
        evaluate(k, "k", [Ref(memory.data, target), Ref(memory.data, source)])
        assert memory.tolist() == due


def test_a_table_is_read_and_never_written() -> None:
    b = Builder("k", {"i": INT, "write": BOOL}, [UINT32])
    ref = RefType(FixedArrayType(UINT32, (3,)))
    table = b.emit("table", attr="t", types=[ref]).result
    place = b.element(table, b.get("i"))
    with b.into(b.if_(b.get("write")).then):
        b.store(place, b.const(UINT32, 0))
    k = Module({"k": b.ret(b.load(place))}, {"t": TableData(UINT32, (5, 6, 2**32 - 1))})
    verify(k)
    assert evaluate(k, "k", [2, False]) == (2**32 - 1,)
    with pytest.raises(IRError, match="read-only"):
        evaluate(k, "k", [2, True])


def test_traps_carry_kind_span_and_message() -> None:
    b = Builder("k", {"ok": BOOL, "i": INT, "a": ArrayType(INT32, 1)}, [INT])
    claim = b.emit("assert", b.get("ok"), attr="must hold")
    b.at(b.get("a"), b.get("i"))
    total = b.op("add", b.get("i"), b.get("i"))
    k = module(b.ret(total))
    spans = {s.id: s.span for s in k.functions["k"].body if isinstance(s, Op)}
    ops = {s.opcode: s.id for s in k.functions["k"].body if isinstance(s, Op)}
    memory = np.zeros(3, np.int32)
    for args, kind, opcode, detail in [
        ((False, 0), "assert", "assert", "must hold"),
        ((True, 3), "index", "index", None),
        ((True, -1), "index", "index", None),
    ]:
        with pytest.raises(Trap) as trap:
            evaluate(k, "k", [*args, memory])
        assert (trap.value.kind, trap.value.detail) == (kind, detail)
        assert trap.value.span == spans[ops[opcode]]
    assert claim.span == spans[ops["assert"]]
    assert evaluate(k, "k", [True, 2, memory]) == (4,)


def test_a_wrong_unchecked_is_an_error_of_the_ir_and_not_a_trap() -> None:
    b = Builder("k", {"i": INT}, [INT])
    i = b.get("i")
    k = module(b.ret(b.emit("add", i, i, types=[INT], unchecked=True).result))
    assert evaluate(k, "k", [4]) == (8,)
    with pytest.raises(IRError, match="marked as never trapping"):
        evaluate(k, "k", [2**62])


def test_an_unchecked_place_outside_an_array_is_an_error_of_the_ir() -> None:
    b = Builder("k", {"a": ArrayType(INT32, 1), "g": ArrayType(INT32, 2), "i": INT}, [INT32])
    row = b.row(b.get("g"), b.get("i"))
    k = module(
        b.ret(
            b.op(
                "add",
                b.load(b.element(b.get("a"), b.get("i"))),
                b.load(b.element(row, b.const(INT, 0))),
            )
        )
    )
    flat, grid = np.ones(3, np.int32), np.ones((2, 2), np.int32)
    assert evaluate(k, "k", [flat, grid, 1]) == (2,)
    for i in (-1, 2, 3):
        with pytest.raises(IRError, match="of an array of shape"):
            evaluate(k, "k", [flat, grid, i])


def test_a_slot_that_is_not_set_cannot_be_read() -> None:
    b = Builder("k", {"set": BOOL}, [INT], {"x": INT})
    with b.into(b.if_(b.get("set")).then):
        b.set("x", b.const(INT, 1))
    k = module(b.ret(b.get("x")))
    assert evaluate(k, "k", [True]) == (1,)
    with pytest.raises(IRError, match="slot x is read before it is set"):
        evaluate(k, "k", [False])


def test_the_listener_hears_every_operation_with_its_values() -> None:
    inner = Builder("inner", {"x": INT}, [INT])
    callee = inner.ret(inner.op("add", inner.get("x"), inner.const(INT, 1)))
    b = Builder("k", {"a": ArrayType(INT32, 1), "n": INT}, [INT], {"i": INT})
    with b.into(b.for_("i", b.const(INT, 0), b.get("n")).body):
        b.store(b.element(b.get("a"), b.get("i")), b.const(INT32, 5))
    k = module(callee, b.ret(*b.call(callee, b.get("n"))))
    heard: list[tuple[str, tuple[Any, ...], tuple[Any, ...]]] = []
    memory = np.zeros(2, np.int32)
    result = evaluate(
        k, "k", [memory, 2], lambda op, args, results: heard.append((op.opcode, args, results))
    )
    assert result == (3,)
    iteration = ["get", "get", "element", "const", "store"]
    assert [opcode for opcode, _, _ in heard] == (
        ["const", "get", *iteration, *iteration, "get", "get", "const", "add", "call"]
    )
    assert heard[-2:] == [("add", (2, 1), (3,)), ("call", (2,), (3,))]
    assert [args[1] for opcode, args, _ in heard if opcode == "store"] == [5, 5]


def test_an_evaluator_runs_again_with_fresh_state() -> None:
    b = Builder("k", {"x": INT}, [INT], {}, {"m": FixedArrayType(INT32, (2,))})
    b.emit("zero", b.local("m"))
    place = b.element(b.local("m"), b.const(INT, 1))
    b.store(place, b.op("add", b.load(place), b.to(INT32, b.get("x"))))
    evaluator = Evaluator(module(b.ret(b.to(INT, b.load(place)))))
    assert [evaluator.run("k", [x])[0] for x in (4, 5, 6)] == [4, 5, 6]


def test_modules_of_the_same_functions_are_prepared_once_others_anew() -> None:
    def adding(number: int) -> Function:
        b = Builder("k", {"x": INT}, [INT])
        return b.ret(b.op("add", b.get("x"), b.const(INT, number)))

    one, other = adding(1), adding(2)
    first = evaluator_of(module(one))
    assert evaluator_of(module(one)) is first
    assert evaluator_of(module(other)) is not first
    changing = module(one)
    assert [evaluate(changing, "k", [5]), evaluate(module(other), "k", [5])] == [(6,), (7,)]
    changing.functions["k"] = other
    assert [evaluate(changing, "k", [5]), evaluate(module(one), "k", [5])] == [(7,), (6,)]


def test_constants_are_there_in_every_frame_and_heard_by_those_who_listen() -> None:
    b = Builder("k", {"n": INT}, [INT], {"s": INT, "i": INT})
    b.set("s", b.const(INT, 0))
    with b.into(b.for_("i", b.const(INT, 0), b.get("n")).body):
        b.set("s", b.op("add", b.get("s"), b.const(INT, 7)))
    k = module(b.ret(b.get("s")))
    heard: list[Any] = []
    assert evaluate(k, "k", [3]) == evaluate(k, "k", [3]) == (21,)
    assert evaluate(k, "k", [3], lambda op, args, results: heard.append(op.attr)) == (21,)
    assert heard.count(7) == 3


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("bool", 1), ("int8", 128), ("uint8", -1), ("int", 2**63), ("float32", 0.1),
        ("float64", "1"), ("int32", 1.0), ("int32", True), ("float32", False),
    ],
)  # fmt: skip
def test_an_argument_that_does_not_fit_is_refused(name: str, bad: object) -> None:
    t = SCALARS[name]
    b = Builder("k", {"x": t}, [t])
    k = module(b.ret(b.get("x")))
    with pytest.raises(ArgumentError, match=f"x is {name}, and .* does not fit"):
        evaluate(k, "k", [bad])
    with pytest.raises(ArgumentError, match="k takes 1 arguments, and was given 2"):
        evaluate(k, "k", [bad, bad])


def test_an_array_that_does_not_fit_is_refused() -> None:
    b = Builder("k", {"a": ArrayType(VECTORS["float3"], 1), "s": RefType(CELL)})
    k = module(b.ret())
    good, cell = np.zeros((4, 3), np.float32), np.zeros(1, CELL.dtype)
    assert evaluate(k, "k", [good, cell]) == ()
    assert evaluate(k, "k", [np.zeros((0, 3), np.float32), cell]) == ()
    frozen = good.copy()
    frozen.flags.writeable = False
    for bad in (good.astype(">f4"), good.astype("f8"), good[:, :2], good[0], good[::2], frozen, 3):
        with pytest.raises(ArgumentError):
            evaluate(k, "k", [bad, cell])
    for bad in (np.zeros(2, CELL.dtype), np.zeros(1, WORLD.dtype), np.zeros(24, np.uint8)):
        with pytest.raises(ArgumentError):
            evaluate(k, "k", [good, bad])


def op_of(opcode: str, *types: ScalarType, result: ScalarType) -> Op:
    b = Builder("k")
    args = tuple(Value(i, 0, t) for i, t in enumerate(types))
    return b.emit(opcode, *args, types=[result])


def test_fold_gives_the_value_or_nothing_where_the_op_traps() -> None:
    assert fold(op_of("add", INT, INT, result=INT), [2, 3]) == 5
    assert fold(op_of("add", INT, INT, result=INT), [2**62, 2**62]) is None
    assert fold(op_of("add", INT32, INT32, result=INT32), [2**31 - 1, 1]) == -(2**31)
    assert fold(op_of("div", FLOAT, FLOAT, result=FLOAT), [1.0, 0.0]) is None
    assert fold(op_of("div", FLOAT64, FLOAT64, result=FLOAT64), [1.0, -0.0]) == -math.inf
    assert fold(op_of("lt", FLOAT32, FLOAT32, result=BOOL), [math.nan, 1.0]) is False
    ref = Op(0, "load", (Value(1, 0, RefType(INT)),), None, (Value(0, 0, INT),), Builder("k").span)
    assert fold(ref, [0]) is None
