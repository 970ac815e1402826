"""Control flow, memory, calls and traps: compiled code does what evaluation does."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from tests.support.programs.compiled_kernels import (
    CONFIGURATIONS,
    Compiled,
    assert_compiled_is_evaluated,
)
from tests.support.programs.loops import collatz, counting, sum_of

from samebits.backend.emit.module import emit_module
from samebits.backend.llvm.compile import compile_module, llvm_text
from samebits.backend.targets.table import TARGETS
from samebits.backend.text.call_graph import STACK_LIMIT
from samebits.errors import CompileError, IRError
from samebits.ir.builder import Builder
from samebits.ir.grammar import Function, Module, Op
from samebits.ir.interp.evaluator import evaluate
from samebits.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT,
    INT16,
    INT32,
    UINT8,
    UINT32,
    VECTORS,
    ArrayType,
    FixedArrayType,
    RefType,
    StructType,
)

TOP = (1 << 63) - 1
SHIP = StructType(
    "Ship",
    (
        ("alive", BOOL),
        ("pos", VECTORS["float3"]),
        ("mass", FLOAT64),
        ("tags", FixedArrayType(UINT8, (3,))),
        ("grid", FixedArrayType(INT16, (2, 3))),
    ),
)
FLEET = StructType("Fleet", (("count", INT32), ("ships", FixedArrayType(SHIP, (4,)))))


@pytest.mark.parametrize("step", [1, -1, 2, -2, 3, 7, TOP, -TOP, -TOP - 1])
def test_ranges_up_to_both_ends_of_int64_take_the_iterations_that_python_takes(step: int) -> None:
    ends = [0, 1, 5, 20, -3, TOP, TOP - 1, TOP - 5, -TOP - 1, -TOP, -TOP + 4]
    function = counting(step)
    module = Module({function.name: function})
    for target, opt in CONFIGURATIONS:
        compiled = Compiled([function], [function.name], target, opt)
        for start, stop in itertools.product(ends, repeat=2):
            iterations, total, last, other = evaluate(module, function.name, [start, stop])
            assert compiled(function.name, start, stop) == (iterations, total, last, other)


@pytest.mark.parametrize("n", [1, 6, 27, 97, 1 << 61, (1 << 62) + 1, TOP])
def test_while_with_continue_break_and_else_runs_as_evaluated(n: int) -> None:
    assert_compiled_is_evaluated([collatz()], "collatz", n)


def test_both_branches_may_return_and_nothing_follows() -> None:
    b = Builder("sign", {"x": FLOAT64}, [INT])
    branch = b.if_(b.op("lt", b.get("x"), b.const(FLOAT64, 0.0)))
    with b.into(branch.then):
        b.ret(b.const(INT, -1))
    with b.into(branch.orelse):
        b.ret(b.const(INT, 1))
    for x in (-2.0, 0.0, float("nan")):
        assert_compiled_is_evaluated([b.function], "sign", x)


def test_a_function_that_can_end_without_return_is_refused() -> None:
    b = Builder("open", {"x": BOOL}, [])
    with pytest.raises(IRError, match="function open can end without a return"):
        compile_module(Module({"open": b.function}), ["open"], TARGETS["x86-64-v1"])


@pytest.mark.parametrize("n", [-1, 0, 5, 6, 7, TOP])
def test_an_index_out_of_range_traps_at_its_own_span_after_the_stores_before_it(n: int) -> None:
    array = ArrayType(INT32, 1)
    b = Builder("fill", {"a": array, "n": INT}, [], {"i": INT})
    loop = b.for_("i", b.const(INT, 0), b.get("n"))
    with b.into(loop.body):
        b.store(b.at(b.get("a"), b.get("i")), b.to(INT32, b.get("i")))
    answer = assert_compiled_is_evaluated([b.ret()], "fill", np.full(6, 9, np.int32), n)
    assert (answer == ()) == (n <= 6)


@pytest.mark.parametrize("i", [-TOP - 1, -1, 0, 2, 3, TOP])
@pytest.mark.parametrize("j", [-1, 0, 3, 4])
def test_two_dimensions_and_rows_check_each_index(i: int, j: int) -> None:
    array = ArrayType(FLOAT64, 2)
    b = Builder("at", {"g": array, "i": INT, "j": INT}, [FLOAT64, INT, FLOAT64])
    g, at_i, at_j = b.get("g"), b.get("i"), b.get("j")
    b.index(at_i, b.length(g, 0))
    row = b.row(g, at_i)
    b.index(at_j, b.length(g, 1))
    first, width = b.load(b.element(g, at_i, at_j)), b.length(row)
    function = b.ret(first, width, b.load(b.at(row, at_j)))
    grid = np.arange(12, dtype=np.float64).reshape(3, 4)
    assert_compiled_is_evaluated([function], "at", grid, i, j)


def test_struct_fields_nested_arrays_and_copies_lie_where_numpy_has_them() -> None:
    fleet = np.zeros((), FLEET.dtype)
    fleet["ships"]["pos"] = np.arange(12).reshape(4, 3)
    fleet["ships"]["grid"] = np.arange(24).reshape(4, 2, 3)
    fleet["ships"]["tags"] = 7
    b = Builder("move", {"f": RefType(FLEET), "i": INT}, [FLOAT32, INT16, BOOL])
    ships = b.field(b.get("f"), "ships")
    b.index(b.get("i"), b.const(INT, 4))
    ship = b.element(ships, b.get("i"))
    other = b.element(ships, b.const(INT, 0))
    y = b.load(b.component(b.field(ship, "pos"), 1))
    b.store(b.component(b.field(ship, "pos"), 2), b.op("mul", y, y))
    b.store(b.field(ship, "alive"), b.op("lt", b.const(FLOAT32, 1.0), y))
    b.emit("copy", other, ship)
    b.emit("copy", ship, ship)
    tags = b.view(b.field(ship, "tags"))
    b.store(b.at(tags, b.const(INT, 2)), b.to(UINT8, y))
    b.emit("zero", b.field(b.element(ships, b.const(INT, 3)), "grid"))
    cell = b.load(b.element(b.field(ship, "grid"), b.const(INT, 1), b.const(INT, 2)))
    function = b.ret(y, cell, b.load(b.field(other, "alive")))
    for i in range(5):
        assert_compiled_is_evaluated([function], "move", fleet, i)


def test_locals_are_fresh_at_each_zero_and_can_be_passed_on() -> None:
    callee = sum_of()
    b = Builder("caller", {"x": FLOAT32}, [FLOAT32], {"k": INT, "t": FLOAT32},
                {"buffer": FixedArrayType(FLOAT32, (8,))})  # fmt: skip
    b.set("t", b.const(FLOAT32, 0.0))
    loop = b.for_("k", b.const(INT, 0), b.const(INT, 8))
    with b.into(loop.body):
        buffer = b.local("buffer")
        b.emit("zero", buffer)
        array = b.view(buffer)
        b.store(b.at(array, b.get("k")), b.get("x"))
        (total,) = b.call(callee, array, b.const(INT, 8))
        b.set("t", b.op("add", b.get("t"), total))
    function = b.ret(b.get("t"))
    assert_compiled_is_evaluated([callee, function], "caller", 1.5)


def test_a_trap_in_a_callee_is_the_callers_and_has_the_callees_span() -> None:
    callee = sum_of()
    b = Builder("caller", {"a": ArrayType(FLOAT32, 1), "n": INT}, [FLOAT32, INT])
    (total,) = b.call(callee, b.get("a"), b.get("n"))
    function = b.ret(total, b.op("add", b.get("n"), b.const(INT, 1)))
    array = np.ones(3, np.float32)
    for n in (3, 4, TOP):
        site = assert_compiled_is_evaluated([callee, function], "caller", array, n)
        assert n == 3 or (site.kind == "index" and site.span.function == "sum")


def test_an_assertion_carries_its_message() -> None:
    b = Builder("positive", {"x": INT}, [])
    b.emit("assert", b.op("gt", b.get("x"), b.const(INT, 0)), attr="x must be positive")
    function = b.ret()
    assert assert_compiled_is_evaluated([function], "positive", 1) == ()
    assert assert_compiled_is_evaluated([function], "positive", 0).detail == "x must be positive"


def nan_maker(store_to: str) -> Function:
    """x*0 for an infinite x is the negative default NaN of x86; a loaded NaN has any payload."""
    ship = StructType("Box", (("value", FLOAT32), ("other", FLOAT32)))
    array = ArrayType(FLOAT32, 1)
    b = Builder(store_to, {"a": array, "x": FLOAT32}, [UINT32, FLOAT32], {},
                {"box": ship, "box2": ship})  # fmt: skip
    made = b.op("mul", b.get("x"), b.const(FLOAT32, 0.0))
    loaded = b.load(b.at(b.get("a"), b.const(INT, 0)))
    box = b.local("box")
    b.store(b.field(box, "value"), made)
    b.store(b.field(box, "other"), loaded)
    if store_to == "copied":
        b.emit("copy", b.local("box2"), box)
        box = b.local("box2")
    made, loaded = b.load(b.field(box, "value")), b.load(b.field(box, "other"))
    if store_to == "copysign":
        made = b.op("copysign", b.const(FLOAT32, 1.0), b.op("neg", made))
    b.store(b.at(b.get("a"), b.const(INT, 1)), made)
    b.store(b.at(b.get("a"), b.const(INT, 2)), loaded)
    b.store(b.at(b.get("a"), b.const(INT, 3)), b.op("neg", b.op("abs", loaded)))
    return b.ret(b.to(UINT32, b.op("neg", made), "bitcast"), b.op("neg", loaded))


@pytest.mark.parametrize("how", ["plain", "copied", "copysign"])
def test_every_nan_that_can_be_seen_is_the_canonical_one(how: str) -> None:
    array = np.array([0xFFA12345, 0, 0, 0], np.uint32).view(np.float32)
    assert_compiled_is_evaluated([nan_maker(how)], how, array, float("inf"))


def copy_out() -> Function:
    ship = StructType("Box", (("value", FLOAT64),))
    b = Builder("copy_out", {"out": RefType(ship), "x": FLOAT64}, [], {}, {"box": ship})
    box = b.local("box")
    b.store(b.field(box, "value"), b.op("sub", b.get("x"), b.get("x")))
    b.emit("copy", b.get("out"), box)
    return b.ret()


def test_local_memory_that_is_copied_out_holds_canonical_nans() -> None:
    out = np.zeros((), [("value", np.float64)])
    assert_compiled_is_evaluated([copy_out()], "copy_out", out, float("inf"))
    assert_compiled_is_evaluated([copy_out()], "copy_out", out, float("-inf"))


def test_local_memory_that_nobody_else_sees_keeps_its_nans_as_they_come() -> None:
    b = Builder("private", {"x": FLOAT64}, [FLOAT64], {}, {"box": FixedArrayType(FLOAT64, (2,))})
    place = b.element(b.local("box"), b.const(INT, 0))
    b.store(place, b.op("mul", b.get("x"), b.get("x")))
    module = Module({"private": b.ret(b.load(place))})
    text = emit_module(module, ["private"], TARGETS["x86-64-v3"]).text
    assert text.split("define internal i32 @sb.body")[0].count("fcmp uno") == 0


def test_unchecked_operations_cost_no_branch() -> None:
    b = Builder("free", {"a": INT, "b": INT}, [INT])
    for opcode in ("add", "sub", "mul", "floordiv", "mod", "shr"):
        b.op(opcode, b.get("a"), b.get("b"))
        last = b.region[-1]
        assert isinstance(last, Op)
        last.unchecked = True
    text = emit_module(Module({"free": b.ret(b.get("a"))}), ["free"], TARGETS["x86-64-v3"]).text
    assert "br i1" not in text.split("define internal i32 @sb.body")[0]


def test_local_memory_beyond_the_stack_limit_is_refused_with_its_size() -> None:
    big = FixedArrayType(FLOAT64, (STACK_LIMIT // 8,))
    inner = Builder("inner", {}, [], {}, {"a": big}).ret
    callee = inner()
    b = Builder("outer", {}, [], {}, {"b": FixedArrayType(UINT8, (1,))})
    b.call(callee)
    module = Module({"inner": callee, "outer": b.ret()})
    compile_module(module, ["inner"], TARGETS["x86-64-v1"], 0)
    with pytest.raises(CompileError, match="need 1,048,577 bytes; 1,048,576 are the limit"):
        compile_module(module, ["outer"], TARGETS["x86-64-v1"], 0)


def test_names_may_hold_any_character() -> None:
    b = Builder('m.<locals>.f["T\\"]\n', {"été": INT}, [INT])
    function = b.ret(b.get("été"))
    assert assert_compiled_is_evaluated([function], function.name, 3) == (3,)


@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda t: t.name)
def test_no_arithmetic_can_leave_the_part_where_the_environment_is_pinned(target: Any) -> None:
    text = llvm_text(Module({"sum": sum_of()}), ["sum"], target, 3)
    entry = text[text.index(" @sb_entry_0(") :].split("\n}")[0]
    assert "@sb.body.0" in entry
    assert not [op for op in ("fadd", "fmul", "fdiv", "load float") if op in entry]
