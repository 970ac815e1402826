"""What type checkers need written otherwise means the same: sizes, two dimensions, zeros, bases."""

from __future__ import annotations

import inspect
import pickle
import typing
from typing import Annotated, Literal, TypeAlias

import numpy as np
import pytest

import samebits as sb
from samebits import float2, float3, float32, int32
from samebits.errors import ArgumentError, CompileError
from samebits.lang.annotations import type_of_annotation


@sb.struct
class Part(sb.Struct):
    pos: float2 = sb.zero
    hp: int32 = 5
    cells: sb.FixedArray[float32, Literal[2], Literal[3]] = sb.zero


Four: TypeAlias = Literal[4]
FOUR = 4


@sb.kernel
def make_lists(n: int) -> int:
    a = sb.List[int32, Literal[4]]()
    b = sb.List[int32, Four]()
    c = sb.List[int32, FOUR]()
    for k in range(n):
        a.append(int32(k))
        b.append(int32(k))
        c.append(int32(k))
    return a.capacity() * 100 + len(b) * 10 + int(a == b and b == c)


@sb.kernel
def fill(a: sb.Array2D[float32], part: Part) -> float32:
    own = Part(float2(1, 2))
    a[0, 1] = own.pos.x + part.cells[1, 2]
    return a[0, 1] + own.cells[0, 0]


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        (sb.FixedArray[float32, Literal[4]], sb.FixedArray[float32, 4]),
        (sb.FixedArray[float32, Literal[4], Literal[2]], sb.FixedArray[float32, 4, 2]),
        (sb.Array2D[float32], sb.Array[float32, 2]),
        (sb.Array[float32, Literal[2]], sb.Array[float32, 2]),
        (sb.Array3D[float32], sb.Array[float32, 3]),
        (sb.ReadOnly4D[float32], sb.ReadOnly[float32, 4]),
        (sb.WriteOnly3D[float32], sb.WriteOnly[float32, 3]),
        (sb.ReadOnly2D[float2], sb.ReadOnly[float2, 2]),
        (sb.WriteOnly2D[float2], sb.WriteOnly[float2, 2]),
        (sb.Appender[int32, Literal[3]], sb.Appender[int32, 3]),
        (sb.List[int32, Literal[3]], sb.List[int32, 3]),
        (sb.Map[int32, float2, Literal[3]], sb.Map[int32, float2, 3]),
        (sb.Heap[int32, Literal[3]], sb.Heap[int32, 3]),
        (sb.Heap[int32, float2, Literal[3]], sb.Heap[int32, float2, 3]),
        (sb.BitSet[Literal[70]], sb.BitSet[70]),
        (sb.Grid2[float2, Literal[2], Literal[3], Literal[4]], sb.Grid2[float2, 2, 3, 4]),
        (
            sb.Grid3[float3, Literal[2], Literal[3], Literal[4], Literal[5]],
            sb.Grid3[float3, 2, 3, 4, 5],
        ),
    ],
    ids=str,
)
def test_a_literal_size_and_a_named_dimension_are_the_plain_annotation(
    typed: object, plain: object
) -> None:
    assert typed == plain


def test_a_size_that_is_no_number_is_refused_in_a_literal_too() -> None:
    with pytest.raises(CompileError, match="positive lengths"):
        sb.FixedArray[float32, Literal["4"]]
    with pytest.raises(CompileError, match="one to four dimensions"):
        sb.Array[float32, Literal[5]]
    for size in (Literal[0], Literal["4"], Literal[True]):
        with pytest.raises(CompileError) as caught:
            sb.List[float32, size]
        shown = str(size).removeprefix("typing.")
        assert caught.value.message.startswith("the capacity of List is a constant from 1 to ")
        assert caught.value.message.endswith(f", got {shown}")
        assert "Literal[16]" in (caught.value.fix or "")


def test_a_size_of_several_numbers_is_refused() -> None:
    for make in (
        lambda: sb.FixedArray[float32, Literal[4, 8]],
        lambda: sb.List[float32, Literal[4, 8]],
        lambda: sb.BitSet[Literal[4, 8]],
        lambda: sb.Array[float32, Literal[4, 8]],
    ):
        with pytest.raises(CompileError) as caught:
            make()
        assert caught.value.message == "a size is one number, got Literal[4, 8]"
        assert caught.value.fix == "write Literal[4]"


def test_a_size_where_a_type_stands_is_shown_as_written() -> None:
    for make, message in (
        (lambda: sb.List[Literal[3], 4], "an item of List is a type, got Literal[3]"),
        (lambda: sb.Map[int32, 3, 4], "a value of Map is a type, got 3"),
        (lambda: sb.Grid2[Literal[3], 1, 1, 4], "a point of Grid2 cannot be Literal[3]"),
    ):
        with pytest.raises(CompileError) as caught:
            make()
        assert caught.value.message == message


def test_a_kernel_makes_the_same_container_of_a_literal_its_alias_and_a_number() -> None:
    sb.assert_same_bits(make_lists, 3)
    assert make_lists(3) == 431


def test_a_two_dimensional_annotation_says_of_what() -> None:
    with pytest.raises(CompileError) as caught:
        type_of_annotation(sb.Array2D)
    assert caught.value.fix == "say of what: Array2D[float32]"
    with pytest.raises(CompileError) as caught:
        type_of_annotation(sb.FixedArray)
    assert caught.value.fix == "say of what, and how many: FixedArray[float32, 4]"


def test_a_field_with_the_default_zero_starts_as_zeros_in_every_execution() -> None:
    part = Part()
    assert (part.pos.x, part.hp, part.cells[1, 2]) == (0, 5, 0)
    part.cells[1, 2] = 3.0
    sb.assert_same_bits(fill, np.zeros((2, 2), np.float32), part)
    assert fill(np.zeros((2, 2), np.float32), part) == 4
    assert repr(sb.zero) == "sb.zero"


def test_a_struct_may_name_the_base_that_all_have() -> None:
    assert Part.__bases__ == (sb.Struct,)
    assert pickle.loads(pickle.dumps(Part(hp=7))).hp == 7
    assert np.zeros(2, Part.dtype).dtype == Part.dtype


def test_a_class_with_the_base_alone_is_no_struct_yet() -> None:
    class Bare(sb.Struct):
        hp: int32

    for make in (Bare, sb.Struct):
        with pytest.raises(CompileError) as caught:
            make()
        assert caught.value.message == f"{make.__name__} is no struct"
        assert caught.value.fix == f"write @sb.struct above `class {make.__name__}`"


def test_a_struct_still_inherits_from_no_other() -> None:
    with pytest.raises(CompileError, match="struct Child inherits from Part"):

        @sb.struct
        class Child(Part):
            more: int32


def test_a_job_field_is_unsafe_by_annotated_too() -> None:
    @sb.job
    class Reversed(sb.ParallelFor):
        out: Annotated[sb.Array[int32], sb.unsafe_parallel]

        def execute(self, index: int32) -> None:
            self.out[3 - index] = index

    out = np.zeros(4, np.int32)
    Reversed(out=out).run(4)
    assert out.tolist() == [3, 2, 1, 0]


def test_a_job_field_annotated_with_something_else_is_refused() -> None:
    with pytest.raises(CompileError, match="is not a type of the language"):

        @sb.job
        class Noted(sb.ParallelFor):
            out: Annotated[sb.Array[int32], "note"]

            def execute(self, index: int32) -> None:
                self.out[index] = index


def test_signatures_hints_and_pickles_of_kernels_are_those_of_functions() -> None:
    assert list(inspect.signature(fill).parameters) == ["a", "part"]
    hints = typing.get_type_hints(fill.function)
    assert hints == {"a": sb.Array[float32, 2], "part": Part, "return": float32}
    assert pickle.loads(pickle.dumps(fill)) is fill
    with pytest.raises(ArgumentError):
        fill(np.zeros(2, np.float32), Part())
