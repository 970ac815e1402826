"""The text form: exact both ways, stable, and unmoved by hostile input."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.programs.ir_modules import modules

from samebits.errors import IRError
from samebits.ir.builder import Builder
from samebits.ir.grammar import MAX_NESTING, Module, Op, TableData
from samebits.ir.interp.evaluator import evaluate
from samebits.ir.text import parse_module, print_module
from samebits.ir.verify import verify
from samebits.types import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT,
    INT32,
    UINT8,
    UINT64,
    VECTORS,
    ArrayType,
    FixedArrayType,
    RefType,
    StructType,
)

GOLDEN = """\
samebits ir 1

struct Ship
  "pos": float2
  "tags": uint8[2, 3, 1]

table "primes": uint8
  2, 3, 5, 7

table "rows": uint8[2, 1, 1]
  2, 3

function "callee" @1:0-1
  source "hand.py" "callee"
  param "x": int
  result int
  result bool
  body
    %0 = get "x": int @1:0-1
    %1 = const true: bool @2:0-1
    return %0, %1 @3:0-1

function "game.k" @1:0-1
  source "hand.py" "game.k"
  param "s": ref<Ship>
  param "a": ReadOnly[float2]
  param "g": Array[int32, 4]
  result float32
  slot "i": int
  local "m": float32[4]
  body
    %0 = const 0x1.8p+0: float32 @1:0-1
    %1 = const -9223372036854775808: int @2:0-1
    %2 = call "callee" %1: int, bool @3:0-1
    if#3 %2.1 @4:0-1
      %4 = add! %2, %2: int @5:0-1
      %5 = set "i" %4 @6:0-1
    else
      %6 = assert "say \\"no\\"" %2.1 @7:0-1
    for#7 "i" = %1, %2, -2 @8:0-1
      break @9:0-1
    while#10 @12:0-1
      %8 = get "i": int @10:0-1
      %9 = lt %8, %1: bool @11:0-1
    do %9
      continue @13:0-1
    else
      return %0 @14:0-1
    return %0 @15:0-1
"""


def golden_module() -> Module:
    tags = FixedArrayType(UINT8, (2, 3, 1))
    ship = StructType("Ship", (("pos", VECTORS["float2"]), ("tags", tags)))
    c = Builder("callee", {"x": INT}, [INT, BOOL])
    callee = c.ret(c.get("x"), c.const(BOOL, True))
    b = Builder(
        "game.k",
        {
            "s": RefType(ship),
            "a": ArrayType(VECTORS["float2"], 1, True),
            "g": ArrayType(INT32, 4),
        },
        [FLOAT32],
        {"i": INT},
        {"m": FixedArrayType(FLOAT32, (4,))},
    )
    x, low = b.const(FLOAT32, 1.5), b.const(INT, -(2**63))
    n, flag = b.call(callee, low)
    branch = b.if_(flag)
    with b.into(branch.then):
        b.set("i", b.emit("add", n, n, types=[INT], unchecked=True).result)
    with b.into(branch.orelse):
        b.emit("assert", flag, attr='say "no"')
    with b.into(b.for_("i", low, n, -2).body):
        b.break_()
    head: list[object] = []
    with b.into(head):  # pyright: ignore[reportArgumentType]
        more = b.op("lt", b.get("i"), low)
    loop = b.while_(more, head)  # pyright: ignore[reportArgumentType]
    with b.into(loop.body):
        b.continue_()
    with b.into(loop.orelse):
        b.ret(x)
    functions = {"callee": callee, "game.k": b.ret(x)}
    return Module(
        functions,
        {
            "primes": TableData(UINT8, (2, 3, 5, 7)),
            "rows": TableData(UINT8, (2, 3), (2, 1, 1)),
        },
    )


def test_the_text_of_a_module_is_this() -> None:
    module = golden_module()
    verify(module)
    assert print_module(module) == GOLDEN
    assert parse_module(GOLDEN) == module


@settings(max_examples=300, deadline=None)
@given(modules())
def test_text_is_an_exact_inverse(module: Module) -> None:
    text = print_module(module)
    again = parse_module(text)
    assert again == module
    assert repr(again) == repr(module)  # tells -0.0 from 0.0, True from 1
    assert print_module(again) == text
    assert text.isascii()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (math.nan, "nan"), (-math.nan, "nan"), (math.inf, "inf"), (-math.inf, "-inf"),
        (0.0, "0x0p+0"), (-0.0, "-0x0p+0"), (1.0, "0x1p+0"), (0.1, "0x1.999999999999ap-4"),
        (5e-324, "0x0.0000000000001p-1022"), (1.7976931348623157e308, "0x1.fffffffffffffp+1023"),
    ],
)  # fmt: skip
def test_float_constants_are_hexadecimal_and_exact(value: float, text: str) -> None:
    b = Builder("k")
    b.const(FLOAT64, value)
    printed = print_module(Module({"k": b.ret()}))
    assert f"%0 = const {text}: float64 @" in printed
    op = parse_module(printed).functions["k"].body[0]
    assert isinstance(op, Op)
    assert repr(op.attr) == repr(abs(value) if value != value else value)


def test_structs_of_one_name_are_distinguished() -> None:
    one = StructType("S", (("a", INT32),))
    two = StructType("S", (("a", one), ("b", UINT64)))
    word = StructType("float3", (("q", two),))
    module = Module({"k": Builder("k", {"x": RefType(word), "y": RefType(one)}).ret()})
    text = print_module(module)
    assert 'struct S#2\n  "a": S\n  "b": uint64' in text
    assert 'param "x": ref<"float3">' in text
    assert parse_module(text) == module


@pytest.mark.parametrize("name", ["nan", "inf", "ref", "Array", "bool", "true", "if", "struct"])
def test_a_struct_may_have_any_name(name: str) -> None:
    t = StructType(name, (("a", INT32),))
    module = Module({"k": Builder("k", {"x": RefType(t)}).ret()})
    assert parse_module(print_module(module)) == module


def refusal(text: str) -> str:
    """The message that refuses `text`; empty where it is legal."""
    try:
        verify(parse_module(text))
    except IRError as error:
        return error.message
    return ""


def test_every_truncation_and_every_changed_character_parses_or_is_refused() -> None:
    for at in range(len(GOLDEN)):
        for text in (
            GOLDEN[:at],
            GOLDEN[:at] + GOLDEN[at + 1 :],
            GOLDEN[:at] + "%" + GOLDEN[at + 1 :],
            GOLDEN[:at] + "9" + GOLDEN[at + 1 :],
            GOLDEN[:at] + "\n" + GOLDEN[at:],
        ):
            message = refusal(text)
            assert not message or message.startswith(("IR text, line ", "illegal ")), text


JUNK = """
function struct table if#1 while#2 for#3 else do return %1 %1.5 = add const call : int float3 body
Array[ ref< > ] , @1:2-3 @7!1:1-1:1 0x1p+99999 99999999999999999999 # param source "x" " \\ é !
"""
words = st.sampled_from([*JUNK.split(), "\n", "  ", "\n    ", "\t", "\x00"])


@settings(max_examples=500, deadline=None)
@given(st.lists(words, max_size=30).map(" ".join), st.integers(0, len(GOLDEN)), st.booleans())
def test_garbled_text_parses_or_is_refused(junk: str, at: int, alone: bool) -> None:
    text = f"samebits ir 1\n{junk}" if alone else GOLDEN[:at] + junk + GOLDEN[at:]
    message = refusal(text)
    assert not message or message.startswith(("IR text, line ", "illegal "))


HEAD = 'samebits ir 1\nfunction "k" @1:0-1\n  source "f" "k"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected samebits ir 1, found the end of the line"),
        ("samebits ir 2", "line 1: expected samebits ir 1, found 'samebits ir 2'"),
        ("samebits ir 1\nfoo", "line 2: expected struct or table or function, found 'foo'"),
        ("samebits ir 1\n  foo", "line 2: expected another indentation, found '  foo'"),
        (HEAD, "line 2: expected a function with a body, found 'k'"),
        (HEAD + "  slot x: int", "line 4: expected a quoted name, found 'x'"),
        (HEAD + '  slot "x": ref<T>', "line 4: expected a struct that is declared above, found"),
        (HEAD + '  slot "x": string', "line 4: expected a type, found 'string'"),
        (HEAD + '  slot "x": int\n  param "x": int', "line 5: expected another name, found 'x'"),
        (HEAD + "  body\n    %0 = frob @1:0-1", "line 5: expected an operation, found 'frob'"),
        (HEAD + "  body\n    %0 = neg %0: int @1:0-1", "expected a value that is defined above"),
        (HEAD + "  body\n    return @1!1:0-1", "expected one of the function's 1 sources, found"),
        (HEAD + "  body\n    return @1:0", "line 5: expected a word of IR text, found '@1:0'"),
        (HEAD + "  body\n    return", "expected a span such as @2:0-5, found the end of the line"),
        (HEAD + "  body\n    while#1 @1:0-1", "line 5: expected do after this statement"),
        (HEAD + "  body\n    else", "line 5: expected another indentation, found '    else'"),
        (HEAD + "  body\n    %0 = const 0x1p+9999: float @1:0-1", "expected a binary64 value"),
        (HEAD + '  body\n    %0 = get "\\q": int @1:0-1', "line 5: expected a JSON string"),
        (HEAD + "  body\n" + HEAD[14:] + "  body", "line 5: there is a second k"),
        ("samebits ir 1\nstruct int", "expected a struct's name, in quotes where it is a word"),
        ("samebits ir 1\nstruct S\nstruct S", "line 3: expected a struct that is not declared yet"),
        ('samebits ir 1\nstruct S\n  "a": int\n  "a": int', "expected a field of another name"),
        ('samebits ir 1\nstruct S\n  "a": S', "expected a struct that is declared above"),
        ('samebits ir 1\ntable "t": int\n  1, "x"', "line 3: expected a number, true or false"),
        ('samebits ir 1\nstruct S\n  "a": int[9999999999999]', "expected an integer from 0 to"),
    ],
)
def test_the_message_names_the_line_and_what_was_expected(text: str, message: str) -> None:
    with pytest.raises(IRError) as error:
        parse_module(text)
    assert error.value.message.startswith("IR text, line ")
    assert message in error.value.message


def test_nesting_is_bounded() -> None:
    def nested(levels: int) -> str:
        rows = [HEAD + "  body", "    %0 = const true: bool @1:0-1"]
        rows += ["  " * (level + 2) + f"if#{level + 1} %0 @1:0-1" for level in range(levels)]
        return "\n".join([*rows, "  " * (levels + 2) + "return @1:0-1", "    return @1:0-1"])

    deepest = parse_module(nested(MAX_NESTING))
    verify(deepest)
    assert parse_module(print_module(deepest)) == deepest
    assert evaluate(deepest, "k", []) == ()
    for levels in (MAX_NESTING + 2, 5000):
        with pytest.raises(IRError, match="expected at most 200 nested regions"):
            parse_module(nested(levels))


def test_types_cannot_grow_without_bound() -> None:
    doubling = ["samebits ir 1", 'struct S0\n  "a": uint8[0]']
    doubling += [f'struct S{n}\n  "a": S{n - 1}\n  "b": S{n - 1}' for n in range(1, 40)]
    wide = ["samebits ir 1", 'struct S0\n  "a": uint8[0]']
    for n in range(1, 12):
        wide.append("\n".join([f"struct S{n}", *(f'  "{i}": S{n - 1}' for i in range(4))]))
    chain = ["samebits ir 1", 'struct S0\n  "a": uint8']
    chain += [f'struct S{n}\n  "a": S{n - 1}' for n in range(1, 5000)]
    brackets = 'samebits ir 1\nstruct S\n  "a": uint8' + "[1]" * 5000
    big = 'samebits ir 1\nstruct S\n  "a": uint8[1048576][1048576][2]'
    for text in ("\n".join(doubling), "\n".join(wide), "\n".join(chain), brackets, big):
        with pytest.raises(IRError, match="expected a type of at most"):
            parse_module(text)
