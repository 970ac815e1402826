"""Structs: references to memory in C's layout, and what the decorator refuses."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from samebits.errors import ArgumentError, CompileError, Trap
from samebits.lang.memory.arrays import FixedArray
from samebits.lang.memory.structs import struct
from samebits.lang.values.scalars import (
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from samebits.lang.values.vectors import float2, float3


@struct
class Inner:
    small: int16
    real: float64


@struct
class Ship:
    """A ship."""

    pos: float2
    vel: float2
    hp: int32
    alive: bool
    inner: Inner
    tags: FixedArray[uint8, 4]
    grid: FixedArray[float32, 2, 3]
    parts: FixedArray[Inner, 2]

    def drift(self) -> float2:
        return self.pos + self.vel


def test_the_layout_is_cs():
    offsets = {name: Ship.dtype.fields[name][1] for name in Ship.dtype.names}
    assert offsets == {
        "pos": 0, "vel": 8, "hp": 16, "alive": 20, "inner": 24, "tags": 40, "grid": 44, "parts": 72,
    }  # fmt: skip
    assert Ship.dtype.itemsize == 104
    assert Ship.__sb_type__.name == "Ship"
    assert Ship.__doc__ == "A ship."


def test_fields_come_by_position_or_keyword_and_the_rest_is_zero():
    ship = Ship(float2(1, 2), hp=7)
    assert repr(ship.pos) == "float2(1.0, 2.0)"
    assert ship.hp == 7
    assert type(ship.hp) is int32
    assert ship.alive is False
    assert not any(ship.memory.tobytes()[20:])
    assert repr(Inner(3, 0.5)) == "Inner(small=int16(3), real=float64(0.5))"


def test_stores_reach_memory_and_reads_come_from_it():
    memory = np.zeros(3, Ship.dtype)
    ship = Ship.from_memory(memory, 1)
    ship.pos = float2(1.5, -2)
    ship.hp = 9
    ship.alive = True
    ship.inner.small = -3
    ship.tags[2] = 200
    ship.grid[1, 2] = 0.25
    ship.parts[1].real = 8.0
    assert memory[1]["pos"].tolist() == [1.5, -2.0]
    assert memory[1]["hp"] == 9
    assert memory[1]["alive"]
    assert memory[1]["inner"]["small"] == -3
    assert memory[1]["tags"].tolist() == [0, 0, 200, 0]
    assert memory[1]["grid"].tolist() == [[0, 0, 0], [0, 0, 0.25]]
    assert memory[1]["parts"]["real"].tolist() == [0, 8]
    assert not any(memory[0].tobytes() + memory[2].tobytes())
    memory[1]["hp"] = 11
    assert ship.hp == 11
    ship.memory["hp"] = 12
    assert memory[1]["hp"] == 12


def test_struct_and_array_fields_are_references_and_assignment_copies():
    ship, other = Ship(), Inner(5, 2.5)
    inner = ship.inner
    ship.inner = other
    assert inner.small == 5
    other.small = 6
    assert ship.inner.small == 5
    ship.parts[1] = ship.inner
    assert ship.parts[1].real == 2.5
    twin = Ship()
    ship.tags[0] = 3
    twin.tags = ship.tags
    ship.tags[0] = 4
    assert twin.tags[0] == 3


def test_a_copy_owns_its_memory():
    ship = Ship(hp=1)
    twin = ship.copy()
    twin.hp = 2
    assert ship.hp == 1
    ship.parts[1].small = 3
    inner = ship.parts[1].copy()
    assert inner.small == 3
    inner.small = 4
    assert ship.parts[1].small == 3
    assert pickle.loads(pickle.dumps(twin)).hp == copy.deepcopy(twin).hp == 2


def test_nans_are_stored_and_read_as_the_canonical_one():
    memory = np.zeros(1, Ship.dtype)
    ship = Ship.from_memory(memory)
    odd = np.array([0xFFC00123], np.uint32).view(np.float32)
    memory["pos"][0, 0] = odd[0]
    assert ship.pos.x.tobytes() == np.uint32(0x7FC00000).tobytes()
    ship.pos = float2(odd[0], 0)
    ship.inner.real = -float64(float("nan"))
    assert memory["pos"].view(np.uint32)[0, 0] == 0x7FC00000
    assert memory["inner"]["real"].view(np.uint64)[0] == 0x7FF8 << 48


@pytest.mark.parametrize(
    ("name", "value", "message", "fix"),
    [
        ("hp", float32(1), "field 'hp' of Ship is int32; got float32", "write int32(x)"),
        ("hp", int64(1), "field 'hp' of Ship is int32; got int64", "write int32(x)"),
        ("hp", int8(1), "field 'hp' of Ship is int32; got int8", "write int32(x)"),
        ("hp", 1.0, "field 'hp' of Ship is int32; got float", "write int32(x)"),
        ("hp", True, "field 'hp' of Ship is int32; got bool", "write int32(x)"),
        ("hp", "1", "field 'hp' of Ship is int32; got str", None),
        ("alive", 1, "field 'alive' of Ship is bool; got int", "write bool(x)"),
        ("pos", float3(1), "field 'pos' of Ship is float2; got float3", "write float2(v.xy)"),
        ("pos", 1.0, "field 'pos' of Ship is float2; got float", "write float2(x, y, ...)"),
        ("inner", 3, "field 'inner' of Ship is Inner; got int", None),
        ("tags", Inner(), "field 'tags' of Ship is uint8[4]; got Inner", None),
    ],
)
def test_a_value_of_another_type_is_refused_with_the_conversion(name, value, message, fix):
    with pytest.raises(ArgumentError) as error:
        setattr(Ship(), name, value)
    assert (error.value.message, error.value.fix) == (message, fix)


def test_weak_values_take_the_fields_type_or_trap():
    ship = Ship(hp=3)
    ship.inner.real = 1
    assert type(ship.inner.real) is float64
    with pytest.raises(Trap, match="integer overflow"):
        ship.hp = 2**31


def test_unknown_fields_are_errors_everywhere():
    fix = "use one of small, real, or declare it"
    for call in (lambda: Inner(speed=1), lambda: setattr(Inner(), "speed", 1)):
        with pytest.raises(ArgumentError) as error:
            call()
        assert error.value.message == "Inner has no field 'speed'"
        assert error.value.fix == fix
    with pytest.raises(AttributeError, match="Inner has no field 'speed'; it has small, real"):
        _ = Inner().speed
    with pytest.raises(ArgumentError, match="Inner has 2 fields, got 3 values"):
        Inner(1, 2, 3)
    with pytest.raises(ArgumentError, match="field 'small' of Inner is given twice"):
        Inner(1, small=2)


def test_structs_are_neither_compared_nor_hashed():
    with pytest.raises(ArgumentError) as error:
        _ = Inner() == Inner()
    assert error.value.fix == "compare their fields"
    with pytest.raises(TypeError):
        hash(Inner())


def test_methods_stay_reachable_as_written():
    ship = Ship(pos=float2(1), vel=float2(2))
    assert tuple(ship.drift()) == (3, 3)
    assert Ship.__sb_methods__ == {"drift": Ship.drift}


def test_memory_of_another_dtype_or_place_is_refused():
    with pytest.raises(ArgumentError, match=r"a C-contiguous array of Ship\.dtype"):
        Ship.from_memory(np.zeros(3, Inner.dtype))
    with pytest.raises(ArgumentError, match=r"a C-contiguous array of Ship\.dtype"):
        Ship.from_memory(np.zeros(4, Ship.dtype)[::2])
    for index in (-1, 3):
        with pytest.raises(IndexError):
            Ship.from_memory(np.zeros(3, Ship.dtype), index)


def make(annotations, bases=(), **namespace):
    return struct(type("Thing", bases, {"__annotations__": annotations, **namespace}))


@pytest.mark.parametrize(
    ("call", "message", "fix"),
    [
        (lambda: make({"a": int}), "field Thing.a: it needs a fixed size, int has none",
         "use int64 instead of int"),
        (lambda: make({"a": float}), "field Thing.a: it needs a fixed size, float has none",
         "use float64 instead of float"),
        (lambda: make({"a": list}), "field Thing.a: list is not a type of the language",
         "write sb.Array[float64] of a parameter, FixedArray[float64, 16] of a field"),
        (lambda: make({"a": np.float32}),
         "field Thing.a: numpy.float32 is not a type of the language",
         "import it from samebits: from samebits import float32"),
        (lambda: make({"a": int32}, a=1.5),
         "the default of field Thing.a: field 'a' of Thing is int32; got float",
         "write int32(x)"),
        (lambda: make({"a": uint8}, a=300), "the default of field Thing.a: 300 does not fit it",
         None),
        (lambda: make({"a": FixedArray[uint8, 65]}, a=(0,) * 65),
         "the default of field Thing.a has more than 64 numbers",
         "write a function that makes the struct and sets the field"),
        (lambda: make({"a": int32}, limit="3"),
         "Thing.limit is neither a field, a number nor a method",
         "make it a module constant, a field with an annotation, or a plain method"),
        (lambda: make({"a": int32}, __add__=lambda self: self),
         "Thing.__add__ has 1 parameters; this operator gives it 2",
         "write `def __add__(self, a: T) -> T`"),
        (lambda: make({"a": int32}, __eq__=lambda self, other: self),
         "Thing.__eq__ returns no bool", "write `-> bool` in its `def` line"),
        (lambda: make({"a": int32}, b=property(int, int)),
         "property Thing.b can be assigned or deleted", "write a method that assigns"),
        (lambda: make({"a": int32}, __init__=lambda self: None),
         "Thing.__init__ cannot be defined: a struct's special methods are made for it",
         "write a method with a plain name, or an operator such as __add__"),
        (lambda: make({"dtype": int32}), "field Thing.dtype: the name is taken",
         "rename the field"),
        (lambda: make({"copy": int32}), "field Thing.copy: the name is taken", "rename the field"),
        (lambda: make({}), "struct Thing has no fields", "annotate at least one"),
        (lambda: make({"a": int32}, (Inner,)), "struct Thing inherits from Inner",
         "hold the other struct in a field"),
        (lambda: make({"a": "Nowhere"}), "struct Thing: name 'Nowhere' is not defined",
         "import or define it above"),
    ],
)  # fmt: skip
def test_what_is_no_struct_is_refused_with_a_fix(call, message, fix):
    with pytest.raises(CompileError) as error:
        call()
    assert (error.value.message, error.value.fix) == (message, fix)


def test_structs_made_inside_functions_find_local_names():
    @struct
    class Local:
        x: float32

    @struct
    class Holder:
        local: Local

    assert Holder(local=Local(x=1)).local.x == 1


def test_any_name_of_python_may_be_a_fields():
    fields = ("self", "cls", "type", "shape", "names", "len", "args")
    thing = make(dict.fromkeys(fields, int32))(**{name: k for k, name in enumerate(fields)})
    assert [getattr(thing, name) for name in fields] == [*range(len(fields))]
