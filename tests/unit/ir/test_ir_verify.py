"""Each legality rule refuses what breaks it, with its own words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from samebits.errors import IRError
from samebits.ir.builder import Builder
from samebits.ir.grammar import (
    MAX_NESTING,
    OPS,
    Attribute,
    For,
    Lanes,
    Module,
    Op,
    TableData,
    Value,
    ValueType,
)
from samebits.ir.rules import ATTRIBUTED, CHECKS
from samebits.ir.verify import verify
from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT32,
    FLOAT64,
    INT,
    INT32,
    INT64,
    SCALARS,
    UINT8,
    UINT32,
    VECTORS,
    ArrayType,
    FixedArrayType,
    RefType,
    StructType,
)

CELL = StructType("Cell", (("pos", VECTORS["float2"]), ("n", INT32)))
FOUR = FixedArrayType(INT32, (4,))
PARAMS: dict[str, ValueType] = {
    "i": INT, "f": FLOAT32, "d": FLOAT64, "b": BOOL, "n": INT32, "u": UINT32,
    "a": ArrayType(INT32, 1), "ro": ArrayType(INT32, 1, True), "g": ArrayType(INT32, 2),
    "cell": RefType(CELL), "vec": RefType(VECTORS["float2"]), "four": RefType(FOUR),
    "ref": RefType(INT32), "x": FLOAT,
}  # fmt: skip


def test_every_opcode_has_a_check() -> None:
    assert sorted(CHECKS) == sorted(OPS)
    assert set(OPS) > ATTRIBUTED


BAD_OPS: list[tuple[str, str, Attribute, list[ValueType], str]] = [
    ("nothing", "", None, [], "there is no such operation"),
    ("add", "i", None, [INT], "it has 1 operands, not 2"),
    ("add", "i n", None, [INT], "numbers of one type are due"),
    ("add", "b b", None, [BOOL], "numbers of one type are due"),
    ("add", "a a", None, [PARAMS["a"]], "numbers of one type are due"),
    ("add", "i i", None, [INT64], "its results are (int64), where (int) follows"),
    ("add", "i i", None, [], "its results are (), where (int) follows"),
    ("add", "i i", None, [INT, INT], "its results are (int, int), where (int) follows"),
    ("add", "i i", 3, [INT], "it has no attribute such as 3"),
    ("div", "i i", None, [INT], "floats of one type are due"),
    ("sqrt", "n", None, [INT32], "floats of one type are due"),
    ("muladd", "f f d", None, [FLOAT32], "floats of one type are due"),
    ("product_error", "i i", None, [INT], "floats of one type are due"),
    ("fma", "f f d", None, [FLOAT32], "floats of one type are due"),
    ("mod", "f f", None, [FLOAT32], "integers of one type are due"),
    ("and", "f f", None, [FLOAT32], "integers or bools of one type are due"),
    ("eq", "a a", None, [BOOL], "scalars of one type are due"),
    ("lt", "b b", None, [BOOL], "numbers of one type are due"),
    ("lt", "i i", None, [INT], "where (bool) follows"),
    ("select", "i i i", None, [INT], "where (bool, T, T) are due"),
    ("select", "b i n", None, [INT], "where (bool, T, T) are due"),
    ("select", "b a a", None, [PARAMS["a"]], "where (bool, T, T) are due"),
    ("convert", "i", None, [BOOL], "it makes one number of one scalar"),
    ("convert", "a", None, [INT], "it makes one number of one scalar"),
    ("narrow", "n", None, [UINT8], "it makes one integer of an int"),
    ("narrow", "i", None, [INT], "its result is int, where a fixed-width integer is due"),
    ("narrow", "i", None, [FLOAT32], "where a fixed-width integer is due"),
    ("bitcast", "f", None, [INT64], "float32 and int64 are not numbers of one size"),
    ("bitcast", "b", None, [BOOL], "bool and bool are not numbers of one size"),
    ("bitcast", "n", None, [SCALARS["fix16"]], "int32 and fix16 are not numbers of one size"),
    ("const", "", 1, [SCALARS["fix16"]], "it has one scalar result"),
    ("const", "", 1.0, [INT], "1.0 is not a value of int"),
    ("const", "", True, [INT], "True is not a value of int"),
    ("const", "", 1, [BOOL], "1 is not a value of bool"),
    ("const", "", 256, [UINT8], "256 is not a value of uint8"),
    ("const", "", 1, [FLOAT64], "1 is not a value of float64"),
    ("const", "", 0.1, [FLOAT32], "0.1 is not a value of float32"),
    ("const", "", 1, [PARAMS["a"]], "it has one scalar result"),
    ("get", "", "zz", [INT], "there is no slot 'zz'"),
    ("get", "", None, [INT], "there is no slot None"),
    ("get", "", "i", [INT64], "where (int) follows"),
    ("set", "n", "i", [], "slot 'i' is int, and its operand is int32"),
    ("set", "n", "zz", [], "there is no slot 'zz'"),
    ("local", "", "zz", [], "there is no local 'zz'"),
    ("table", "", "zz", [], "there is no table 'zz'"),
    ("table", "", "t", [RefType(FOUR)], "where (ref<int32[2]>) follows"),
    ("field", "vec", "x", [], "where a reference to a struct is due"),
    ("field", "cell", "x", [], "struct Cell has no field 'x'"),
    ("field", "cell", "n", [RefType(UINT8)], "where (ref<int32>) follows"),
    ("component", "cell", 0, [], "where a reference to a vector is due"),
    ("component", "vec", 2, [], "float2 has no component 2"),
    ("element", "", None, [], "it has no operand"),
    ("element", "cell i", None, [], "where an array is due"),
    ("element", "a n", None, [], "its indexes are (int32), where 1 of type int are due"),
    ("element", "g i", None, [], "its indexes are (int), where 2 of type int are due"),
    ("element", "four i", None, [RefType(UINT8)], "where (ref<int32>) follows"),
    ("row", "a i", None, [], "where an array of rows and an int are due"),
    ("slice", "a i n", None, [], "where an array and two ints are due"),
    ("slice", "ref i i", None, [], "where an array and two ints are due"),
    ("slice", "a i i", None, [PARAMS["g"]], "where (Array[int32]) follows"),
    ("view", "ref", None, [], "where a reference to a fixed array is due"),
    ("view", "four", None, [PARAMS["g"]], "where (Array[int32]) follows"),
    ("length", "four", 0, [INT], "where an array is due"),
    ("length", "a", 1, [INT], "Array[int32] has no dimension 1"),
    ("length", "a", None, [INT], "Array[int32] has no dimension None"),
    ("apart", "a n", False, [BOOL], "where arrays or references are due"),
    ("apart", "a g", None, [BOOL], "its attribute is None, where a bool is due"),
    ("apart", "a g", True, [INT], "where (bool) follows"),
    ("load", "cell", None, [], "where a reference to a scalar is due"),
    ("load", "ref", None, [INT], "where (int32) follows"),
    ("store", "ref i", None, [], "it stores int to ref<int32>"),
    ("store", "a n", None, [], "it stores int32 to Array[int32]"),
    ("copy", "cell vec", None, [], "where two references of one type are due"),
    ("copy", "n n", None, [], "where two references of one type are due"),
    ("zero", "n", None, [], "where a reference is due"),
    ("index", "n i", None, [], "where two of type int are due"),
    ("index", "i i", 1.5, [], "its axis is 1.5"),
    ("index", "i i", "no place", [], "its places are of (), and its values of (int)"),
    ("index", "i i", "{int} {", [], "is no text with places"),
    ("bound", "n i", "it", [], "where two of type int are due"),
    ("bound", "i i", None, [], "its message is None"),
    ("assert", "i", None, [], "where a bool is due"),
    ("assert", "b", 3, [], "its message is 3"),
    ("call", "", "later", [], "there is no function 'later' before this one"),
    ("call", "", "k", [], "there is no function 'k' before this one"),
    ("call", "n", "callee", [INT], "it gives (int32) to callee"),
    ("call", "ro i", "callee", [INT], "it gives (ReadOnly[int32], int) to callee"),
    ("call", "a i", "callee", [], "where (int) follows"),
]


@pytest.mark.parametrize(("opcode", "operands", "attr", "types", "rule"), BAD_OPS)
def test_an_illegal_operation_is_refused(
    opcode: str, operands: str, attr: Attribute, types: list[ValueType], rule: str
) -> None:
    c = Builder("callee", {"a": ArrayType(INT32, 1), "i": INT}, [INT])
    callee = c.ret(c.get("i"))
    b = Builder("k", PARAMS)
    op = b.emit(opcode, *map(b.get, operands.split()), attr=attr, types=types)
    module = Module({"callee": callee, "k": b.ret()}, {"t": TableData(INT32, (1, 2))})
    with pytest.raises(IRError) as error:
        verify(module)
    assert error.value.message.startswith(f"illegal IR in k: {opcode} (op {op.id}): ")
    assert rule in error.value.message
    assert error.value.span == op.span


def broken(fill: Callable[[Builder], object], rule: str, *, ends: bool = True) -> None:
    b = Builder("k", {"i": INT, "b": BOOL, "n": INT32}, [], {"j": INT, "f": FLOAT32})
    fill(b)
    if ends:
        b.ret()
    with pytest.raises(IRError, match=f"^illegal IR in k: .*{re.escape(rule)}"):
        verify(Module({"k": b.function}))


def test_a_value_reaches_only_its_region_and_inner_ones() -> None:
    def from_inside(b: Builder) -> None:
        with b.into(b.if_(b.get("b")).then):
            value = b.get("i")
        b.set("j", value)

    def from_a_sibling(b: Builder) -> None:
        branch = b.if_(b.get("b"))
        with b.into(branch.then):
            value = b.get("i")
        with b.into(branch.orelse):
            b.set("j", value)

    def from_the_head(b: Builder) -> None:
        head: list[object] = []
        with b.into(head):  # pyright: ignore[reportArgumentType]
            more, value = b.get("b"), b.get("i")
        with b.into(b.while_(more, head).body):  # pyright: ignore[reportArgumentType]
            b.set("j", value)

    for fill in (from_inside, from_a_sibling, from_the_head):
        broken(fill, "is not defined before, in this region or around it")
    broken(lambda b: b.set("j", replace(b.get("i"), type=INT64)), "is not defined before")
    broken(lambda b: b.set("j", Value(99, 0, INT)), "%99.0: int is not defined before")


def test_break_and_continue_stand_in_loops() -> None:
    broken(lambda b: b.break_(), "break: it stands in a loop's body")
    broken(lambda b: b.continue_(), "continue: it stands in a loop's body")

    def in_else(b: Builder) -> None:
        i = b.get("i")
        with b.into(b.for_("j", i, i).orelse):
            b.break_()

    broken(in_else, "it stands in a loop's body")


def test_a_while_head_only_computes() -> None:
    def returns(b: Builder) -> None:
        head: list[object] = []
        with b.into(head):  # pyright: ignore[reportArgumentType]
            more = b.get("b")
            with b.into(b.if_(more).then):
                b.ret()
        b.while_(more, head)  # pyright: ignore[reportArgumentType]

    broken(returns, "its head only computes the condition")


def test_conditions_and_iterations_have_their_types() -> None:
    broken(lambda b: b.if_(b.get("i")), "its condition is int, where a bool is due")
    broken(lambda b: b.for_("j", b.get("n"), b.get("i")), "start or stop is int32")
    broken(lambda b: b.for_("j", b.get("i"), b.get("i"), 0), "its step is a constant other than 0")
    broken(lambda b: b.for_("n", b.get("i"), b.get("i")), "'n' is not a slot of type int")
    broken(lambda b: b.for_("zz", b.get("i"), b.get("i")), "'zz' is not a slot of type int")


def test_lanes_belong_to_slots_of_floats_in_a_loop_that_no_break_leaves() -> None:
    def laned(*counts: int, slot: str = "f", join: str = "add") -> Callable[[Builder], object]:
        def fill(b: Builder) -> None:
            lanes = Lanes(counts, ((slot, join),))
            b.for_("j", b.get("i"), b.get("i")).lanes = lanes

        return fill

    def left(b: Builder) -> None:
        laned(64, 8)(b)
        loop = b.region[-1]
        assert isinstance(loop, For)
        with b.into(loop.body), b.into(b.if_(b.get("b")).then):
            b.break_()

    for counts in ((), (64, 64), (8, 64), (12,), (1,), (512,)):
        broken(laned(*counts), "no descending powers of two")
    broken(laned(64, slot="j"), "its lanes belong to different slots, not its own")
    broken(laned(64, slot="i"), "'i' cannot have lanes that add joins")
    broken(laned(64, join="sub"), "'f' cannot have lanes that sub joins")
    broken(left, "no break leaves a loop with lanes")


def test_every_path_returns_what_the_function_gives() -> None:
    def one_branch(b: Builder) -> None:
        with b.into(b.if_(b.get("b")).then):
            b.ret()

    broken(one_branch, "every path ends with a return", ends=False)
    broken(lambda b: None, "every path ends with a return", ends=False)
    broken(lambda b: b.ret(b.get("i")), "it gives (int), where () is due")

    b = Builder("k", {"b": BOOL})
    branch = b.if_(b.get("b"))
    for region in (branch.then, branch.orelse):
        with b.into(region):
            b.ret()
    verify(Module({"k": b.function}))


def test_ids_slots_and_names_are_used_once() -> None:
    def same_id(b: Builder) -> None:
        first = b.emit("get", attr="i", types=[INT])
        b.region.append(first)

    def foreign_results(b: Builder) -> None:
        b.emit("get", attr="i", types=[INT]).results = (Value(7, 0, INT),)

    broken(same_id, "each id is natural and used once in a function")
    broken(foreign_results, "its results are numbered as its own")
    b = Builder("k", {"i": INT}, slots={"i": INT})
    with pytest.raises(IRError, match="each slot has a name of its own"):
        verify(Module({"k": b.ret()}))
    with pytest.raises(IRError, match="function k is filed under the name other"):
        verify(Module({"other": b.function}))


def test_only_what_can_trap_is_unchecked() -> None:
    broken(
        lambda b: b.emit("get", attr="i", types=[INT], unchecked=True),
        "only an operation that can trap is marked unchecked",
    )


def test_nesting_and_locals_are_bounded() -> None:
    b = Builder("k", {"b": BOOL})
    condition = b.get("b")
    outer = b.region
    for _ in range(MAX_NESTING):
        b.region = b.if_(condition).then
    innermost = b.region
    b.region = outer
    b.ret()
    with b.into(innermost):
        b.get("b")
    verify(Module({"k": b.function}))
    with b.into(innermost), b.into(b.if_(condition).then):
        b.get("b")
    with pytest.raises(IRError, match="at most 200 regions inside one another"):
        verify(Module({"k": b.function}))
    big = Builder("k", locals={"m": FixedArrayType(INT32, (1 << 18, 2))})
    with pytest.raises(IRError, match="they take at most 1048576 bytes"):
        verify(Module({"k": big.ret()}))


def test_a_table_holds_values_of_its_type() -> None:
    with pytest.raises(IRError, match="illegal table t: 256 is not a value of uint8"):
        verify(Module({}, {"t": TableData(UINT8, (1, 256))}))


def test_a_writable_array_may_be_given_where_one_is_read() -> None:
    c = Builder("callee", {"a": ArrayType(INT32, 1, True)})
    callee = c.ret()
    b = Builder("k", {"a": ArrayType(INT32, 1)})
    b.call(callee, b.get("a"))
    verify(Module({"callee": callee, "k": b.ret()}))


def test_an_op_that_breaks_no_rule_is_legal() -> None:
    b = Builder("k", PARAMS)
    op = Op(next(b.ids), "sqrt", (b.get("x"),), None, (), b.span)
    op.results = (Value(op.id, 0, FLOAT),)
    b.region.append(op)
    verify(Module({"k": b.ret()}))
