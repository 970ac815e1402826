"""`half2` to `half4` keep vectors: moved, swizzled and converted whole, the same everywhere."""

import numpy as np
import pytest
from tests.support.executions import refusal_of, same
from tests.support.kernels.halves import EVERY, boundaries, numpys, words

import samebits as sb
from samebits import (
    double3,
    float2,
    float2x2,
    float3,
    float4,
    float32,
    half,
    half2,
    half3,
    half4,
    int32,
)
from samebits.errors import ArgumentError, CompileError

ROWS = EVERY[: len(EVERY) - 1].reshape(-1, 3)


@sb.struct
class Vertex:
    normal: half3
    uv: half2
    weights: sb.FixedArray[half4, 2]


@sb.kernel
def widened(v: sb.ReadOnly[half3], w: sb.Array[float3], d: sb.Array[double3]):
    for i in range(len(v)):
        w[i] = float3(v[i])
        d[i] = double3(v[i])


@sb.kernel
def narrowed(w: sb.ReadOnly[float3], v: sb.Array[half3]):
    for i in range(len(w)):
        v[i] = half3(w[i])


@sb.kernel
def moved(v: sb.ReadOnly[half3], w: sb.Array[half3]):
    for i in range(len(v)):
        w[i] = v[i]


@sb.kernel
def mixed(v: half3, w: float2, h: half, flag: bool) -> tuple[half4, half2, half, half3, float3]:
    u = half2(w)
    first = half4(u, v.zy)
    if flag:
        first = half4(h, v)
    return first, v.xx, v.y, sb.select(flag, v, half3(0.1)), float3(v) * 0.5


@sb.kernel
def bent(vertices: sb.Array[Vertex], i: int32) -> Vertex:
    n = float3(vertices[i].normal)
    vertices[i].normal = half3(n / sb.sqrt(sb.dot(n, n)))
    vertices[i].uv = half2(vertices[i].uv.yx)
    vertices[i].weights[1] = half4(float4(vertices[i].weights[0]) * float32(1.1))
    return vertices[i].copy()


def test_every_half_goes_through_a_vector():
    rows = ROWS.copy()
    single, double = np.zeros(rows.shape, np.float32), np.zeros(rows.shape)
    widened(rows, single, double)
    assert np.array_equal(single, rows.astype(np.float32), equal_nan=True)
    assert np.array_equal(double, rows.astype(np.float64), equal_nan=True)
    copy = np.zeros_like(rows)
    moved(rows, copy)
    assert (copy.view(np.uint16) == words(rows)).all()
    x = boundaries(np.float32, 2)
    x = x[: len(x) // 3 * 3].reshape(-1, 3).copy()
    v = np.zeros(x.shape, np.float16)
    narrowed(x, v)
    assert (v.view(np.uint16) == numpys(x)).all()


@pytest.mark.parametrize("flag", [True, False])
def test_vectors_are_made_taken_apart_and_chosen_alike_in_every_execution(flag):
    v = half3(0.1, -65504, np.inf)
    found = same(mixed, v, float2(1 / 3, 65520), half(7), flag)
    assert type(found[0]) is half4
    assert found[1].x == half(0.1)
    assert found[2] == half(-65504)
    rows = np.concatenate([ROWS[::997], ROWS[10560:10570]])
    same(moved, rows, np.zeros_like(rows))
    same(widened, rows, np.zeros(rows.shape, np.float32), np.zeros(rows.shape))


def test_fields_of_structs_are_vectors_of_halves():
    vertices = np.zeros(3, Vertex.dtype)
    assert Vertex.dtype.itemsize == 26
    vertices["normal"] = [[1, 2, 3], [0.1, 0.2, 0.3], [-4, 5e-3, 6e-8]]
    vertices["uv"] = [0.25, 0.75]
    vertices["weights"] = 0.3
    for i in range(3):
        same(bent, vertices.copy(), int32(i))
    bent(vertices, int32(1))
    assert vertices["uv"][1].tolist() == [0.75, 0.25]
    wide = np.float32(np.float16(0.3)) * np.float32(1.1)
    assert vertices["weights"][1, 1].tobytes() == np.full(4, wide).astype(np.float16).tobytes()


@pytest.mark.parametrize("target", ["aarch64", "s390x", "wasm32-simd"])
def test_other_processors_have_the_same_bits(target):
    x = boundaries(np.float32, 1)[::71]
    x = x[: len(x) // 3 * 3].reshape(-1, 3).copy()
    sb.assert_same_bits(narrowed, x, np.zeros(x.shape, np.float16), targets=[target])


def test_vectors_are_numpys_arrays_of_halves():
    v = half3(0.1, 2, np.nan)
    assert repr(v) == "half3(0.1, 2.0, nan)"
    assert np.asarray(v).tobytes() == np.array([0.1, 2, np.nan], np.float16).tobytes()
    assert sb.to_python(half2(0.5, 2)) == [0.5, 2.0]
    assert np.asarray(v, np.float32).dtype == np.float32


@pytest.mark.parametrize("compute", [
    lambda v: v + v, lambda v: v * 2, lambda v: float32(2) * v, lambda v: -v, lambda v: v < v,
    lambda v: sb.dot(v, v), lambda v: sb.length(v), lambda v: sb.math.sqrt(v), lambda v: abs(v),
    lambda v: sb.cross(v, v), lambda v: sb.normalize(v),
])  # fmt: skip
def test_the_classes_refuse_arithmetic(compute):
    with pytest.raises(sb.ArgumentError):
        compute(half3(1, 2, 3))


@sb.kernel
def summed(v: half3) -> half3:
    return v + v


@sb.kernel
def scaled(v: half3) -> half3:
    return 2.0 * v


@sb.kernel
def dotted(v: half3, w: float3) -> float32:
    return sb.dot(w, v)


@sb.kernel
def compared(v: half3) -> bool:
    return sb.all(v == v)


@sb.kernel
def turned(v: half3) -> half3:
    return -v


@sb.kernel
def measured(v: half3) -> float32:
    return sb.length(v)


@sb.kernel
def unnamed(v: float3) -> half3:
    return v


@pytest.mark.parametrize(("kernel", "message", "fix"), [
    (summed, "`+` of half3, which only keeps numbers", "write float3(v) instead"),
    (scaled, "`*` of half3, which only keeps numbers", "write float3(v) instead"),
    (dotted, "dot() of half3, which only keeps numbers", "write float3(v) instead"),
    (compared, "`==` of half3, which only keeps numbers", "write float3(v) instead"),
    (turned, "`-` of half3, which only keeps numbers", "write float3(v) instead"),
    (measured, "length() of half3, which only keeps numbers", "write float3(v) instead"),
    (unnamed, "the result is half3, but this is float3", "write half3(v)"),
])  # fmt: skip
def test_a_kernel_is_told_what_to_write(kernel, message, fix):
    given = [t(1) for t in (half3, float3)]
    arguments = {"dotted": given, "unnamed": given[1:]}.get(kernel.__name__, given[:1])
    error = refusal_of(kernel, *arguments)
    assert (error.message, error.fix) == (message, fix)


@sb.kernel
def made_of_columns(v: half2, w: half2) -> float2x2:
    return float2x2(v, w)


@sb.kernel
def multiplied(m: float2x2, v: half2) -> float2:
    return m @ v


def matrix_of_halves():
    @sb.kernel
    def first(m: "sb.half3x2") -> half:  # pyright: ignore
        return m.c0.x

    return first(1)


def test_there_are_no_matrices_of_halves_and_what_to_write_is_said():
    message = "there is no half3x2: halves are kept as numbers and vectors"
    fix = "write float3x2, and keep its columns in halves: half3(m.c0)"
    for call in (lambda: sb.half3x2, lambda: exec("from samebits import half3x2")):
        with pytest.raises(ArgumentError) as error:
            call()
        assert (error.value.message, error.value.fix) == (message, fix)
    with pytest.raises(CompileError) as error:
        matrix_of_halves()
    assert message in str(error.value)
    assert error.value.fix == fix
    for rows in "234":
        for columns in "234":
            with pytest.raises(ArgumentError, match=f"write float{rows}x{columns}"):
                getattr(sb, f"half{rows}x{columns}")
    with pytest.raises(AttributeError):
        _ = sb.half5x5


def test_a_matrix_of_halves_columns_is_told_how_to_convert_them():
    v = half2(1, 2)
    fix = "write float2x2(float2(c0), float2(c1))"
    assert refusal_of(made_of_columns, v, v).fix == fix
    with pytest.raises(ArgumentError) as error:
        made_of_columns.managed(v, v)
    assert error.value.fix == fix
    for call in (lambda: multiplied(float2x2(1), v), lambda: multiplied.managed(float2x2(1), v)):
        with pytest.raises(sb.SamebitsError) as error:
            call()
        assert "of half2, which only keeps numbers" in str(error.value)
        assert error.value.fix is not None
        assert error.value.fix.startswith("write float2(")
