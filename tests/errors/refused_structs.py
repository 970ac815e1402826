"""Kernels that are refused for what they do with structs and vectors: one function each."""

# ruff: noqa
# pyright: basic
from __future__ import annotations

from samebits import float2, float2x2, float64, int32
from tests.errors.refused_kernels import Body, World, refused


@refused
def matrix_column_store(m: float2x2) -> float2x2:
    m.c0 = float2(1)
    return m


@refused
def missing_component_store(v: float2) -> float2:
    v.z = 1
    return v


@refused
def component_of_another_type(w: World) -> None:
    w.first.pos.x = float64(1)


@refused
def struct_without_operator(a: Body, b: Body) -> bool:
    return a < b


@refused
def struct_without_sum(a: Body, b: Body) -> Body:
    return a + b


@refused
def struct_without_minus(a: Body) -> Body:
    return -a


@refused
def struct_without_items(a: Body) -> None:
    a[0] = 1


START = Body()


@refused
def writes_a_struct_from_outside(hp: int32) -> None:
    START.hp = hp


@refused
def writes_a_default(hp: int32, body: Body = START) -> None:
    body.hp = hp
