"""Layouts as texts: types of samebits, and errors that say where."""

from __future__ import annotations

import pytest

from samebits.bits import leaves
from samebits.errors import ReportError
from samebits.foreign.layout import SCALAR_NAMES, VECTOR_NAMES, parse_layout
from samebits.types import FixedArrayType, StructType


def paths(text: str) -> list[str]:
    return [f"{path} {t}" for path, t, _ in leaves(parse_layout(text, "r"))]


def test_structs_arrays_and_vectors_have_the_paths_of_samebits() -> None:
    assert paths("{pos:float2, tags:u8[1,2] in:{a:f64 b:long}}[1]") == [
        "[0].pos.x float32", "[0].pos.y float32", "[0].tags[0, 0] uint8", "[0].tags[0, 1] uint8",
        "[0].in.a float64", "[0].in.b int64",
    ]  # fmt: skip


def test_padding_and_offsets_are_not_of_the_canonical_form() -> None:
    assert paths("{a:i8 _:7 @16 b:f64 _:3}") == ["a int8", "b float64"]


def test_dimensions_one_by_one_are_those_of_one_bracket() -> None:
    assert parse_layout("i32[3][4]", "r") == parse_layout("i32[3, 4]", "r")
    found = parse_layout("i32[3,4]", "r")
    assert isinstance(found, FixedArrayType)
    assert found.shape == (3, 4)


@pytest.mark.parametrize("name", [*SCALAR_NAMES, *VECTOR_NAMES])
def test_every_type_stands_alone_and_in_a_struct(name: str) -> None:
    inner = parse_layout(f"{{v:{name}}}", "r")
    assert isinstance(inner, StructType)
    assert inner.fields == (("v", parse_layout(name, "r")),)


WRONG = {
    "f33": "the layout of r has no type that there is, at 'f33'",
    "float5": "the layout of r has no type that there is, at 'float5'",
    "{}": "the layout of r has a struct without fields, at ''",
    "{_:4}": "the layout of r has a struct without fields, at ''",
    "{a:f32 a:f32}": "the layout of r has the field a twice, the second, at 'f32}'",
    "{a f32}": "the layout of r has no field as name:type, at ' f32}'",
    "{a:f32": "the layout of r has no field as name:type, at ''",
    "f32[0]": "the layout of r has an array without a number of elements, at '[0]'",
    "f32[3": "the layout of r has an array without a number of elements, at '[3'",
    "f32[2][2][2][2][2]": "the layout of r has an array of more than 4 dimensions, at ''",
    "f32]": "the layout of r does not end with its type, at ']'",
    "": "the layout of r has no type that there is, at ''",
    "u8[999999999]": "the layout of r has more than 268,435,456 bytes, at ''",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_layout_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(ReportError) as caught:
        parse_layout(text, "r")
    assert caught.value.message == WRONG[text]
    assert caught.value.fix is not None
