"""The values of the language as type checkers see them.

Written by `python -m tools.stubs`. The scalars are Python's own int and float to a type checker, so
that literals, NumPy's float64 and each other do as arguments; which width they have is the
compiler's matter.
"""

from typing import ClassVar, TypeAlias, overload

from samebits.typed.bases import (
    Bitwise,
    Equal,
    FixedPoint,
    Half,
    Matrix,
    Numbers,
    Shifted,
    Sum,
    Vector,
)
from samebits.typed.swizzles import Swizzles2, Swizzles3, Swizzles4

int8: TypeAlias = int
"""8-bit signed integer that wraps."""

int16: TypeAlias = int
"""16-bit signed integer that wraps."""

int32: TypeAlias = int
"""32-bit signed integer that wraps."""

int64: TypeAlias = int
"""64-bit signed integer that wraps."""

uint8: TypeAlias = int
"""8-bit unsigned integer that wraps."""

uint16: TypeAlias = int
"""16-bit unsigned integer that wraps."""

uint32: TypeAlias = int
"""32-bit unsigned integer that wraps."""

uint64: TypeAlias = int
"""64-bit unsigned integer that wraps."""

float32: TypeAlias = float
"""IEEE binary32, each operation rounded once to nearest even."""

float64: TypeAlias = float
"""IEEE binary64, each operation rounded once to nearest even."""

class float16(Half):
    """IEEE binary16 as storage: in arrays, fields, parameters, results and locals.

    `float16(x)` rounds a number once, ties to even, and 65,520 and more to an infinity;
    `float32(h)` and `float64(h)` are exact. It has no arithmetic: convert, compute, convert back.
    """

half = float16

class fix16(FixedPoint):
    """Q16.16: 32 bits, steps of 2^-16, -32768 to 32767.9999; overflow traps."""

class fix16_sat(FixedPoint):
    """`fix16` that saturates."""

class fix16_wrap(FixedPoint):
    """`fix16` that wraps."""

class fix32(FixedPoint):
    """Q32.32: 64 bits, steps of 2^-32, -2147483648 to 2147483647.9999; overflow traps."""

class fix32_sat(FixedPoint):
    """`fix32` that saturates."""

class fix32_wrap(FixedPoint):
    """`fix32` that wraps."""

class fix48(FixedPoint):
    """Q48.16: 64 bits, steps of 2^-16, -2^47 to 2^47 - 2^-16; overflow traps."""

class fix48_sat(FixedPoint):
    """`fix48` that saturates."""

class fix48_wrap(FixedPoint):
    """`fix48` that wraps."""

class float2(
    Swizzles2[float32, float2, float3, float4],
    Numbers[float32, bool2, float2],
    Vector[float32, bool2],
):
    """Two float32."""

    @overload
    def __matmul__(self, other: float2x2, /) -> float2: ...
    @overload
    def __matmul__(self, other: float2x3, /) -> float3: ...
    @overload
    def __matmul__(self, other: float2x4, /) -> float4: ...

class float3(
    Swizzles3[float32, float2, float3, float4],
    Numbers[float32, bool3, float3],
    Vector[float32, bool3],
):
    """Three float32."""

    @overload
    def __matmul__(self, other: float3x2, /) -> float2: ...
    @overload
    def __matmul__(self, other: float3x3, /) -> float3: ...
    @overload
    def __matmul__(self, other: float3x4, /) -> float4: ...

class float4(
    Swizzles4[float32, float2, float3, float4],
    Numbers[float32, bool4, float4],
    Vector[float32, bool4],
):
    """Four float32."""

    @overload
    def __matmul__(self, other: float4x2, /) -> float2: ...
    @overload
    def __matmul__(self, other: float4x3, /) -> float3: ...
    @overload
    def __matmul__(self, other: float4x4, /) -> float4: ...

class double2(
    Swizzles2[float64, double2, double3, double4],
    Numbers[float64, bool2, double2],
    Vector[float64, bool2],
):
    """Two float64."""

    @overload
    def __matmul__(self, other: double2x2, /) -> double2: ...
    @overload
    def __matmul__(self, other: double2x3, /) -> double3: ...
    @overload
    def __matmul__(self, other: double2x4, /) -> double4: ...

class double3(
    Swizzles3[float64, double2, double3, double4],
    Numbers[float64, bool3, double3],
    Vector[float64, bool3],
):
    """Three float64."""

    @overload
    def __matmul__(self, other: double3x2, /) -> double2: ...
    @overload
    def __matmul__(self, other: double3x3, /) -> double3: ...
    @overload
    def __matmul__(self, other: double3x4, /) -> double4: ...

class double4(
    Swizzles4[float64, double2, double3, double4],
    Numbers[float64, bool4, double4],
    Vector[float64, bool4],
):
    """Four float64."""

    @overload
    def __matmul__(self, other: double4x2, /) -> double2: ...
    @overload
    def __matmul__(self, other: double4x3, /) -> double3: ...
    @overload
    def __matmul__(self, other: double4x4, /) -> double4: ...

class int2(
    Swizzles2[int32, int2, int3, int4],
    Numbers[int32, bool2, double2],
    Bitwise[int32, bool2],
    Shifted[int32, bool2],
    Vector[int32, bool2],
):
    """Two int32."""

    @overload
    def __matmul__(self, other: int2x2, /) -> int2: ...
    @overload
    def __matmul__(self, other: int2x3, /) -> int3: ...
    @overload
    def __matmul__(self, other: int2x4, /) -> int4: ...

class int3(
    Swizzles3[int32, int2, int3, int4],
    Numbers[int32, bool3, double3],
    Bitwise[int32, bool3],
    Shifted[int32, bool3],
    Vector[int32, bool3],
):
    """Three int32."""

    @overload
    def __matmul__(self, other: int3x2, /) -> int2: ...
    @overload
    def __matmul__(self, other: int3x3, /) -> int3: ...
    @overload
    def __matmul__(self, other: int3x4, /) -> int4: ...

class int4(
    Swizzles4[int32, int2, int3, int4],
    Numbers[int32, bool4, double4],
    Bitwise[int32, bool4],
    Shifted[int32, bool4],
    Vector[int32, bool4],
):
    """Four int32."""

    @overload
    def __matmul__(self, other: int4x2, /) -> int2: ...
    @overload
    def __matmul__(self, other: int4x3, /) -> int3: ...
    @overload
    def __matmul__(self, other: int4x4, /) -> int4: ...

class uint2(
    Swizzles2[uint32, uint2, uint3, uint4],
    Numbers[uint32, bool2, double2],
    Bitwise[uint32, bool2],
    Shifted[uint32, bool2],
    Vector[uint32, bool2],
):
    """Two uint32."""

    @overload
    def __matmul__(self, other: uint2x2, /) -> uint2: ...
    @overload
    def __matmul__(self, other: uint2x3, /) -> uint3: ...
    @overload
    def __matmul__(self, other: uint2x4, /) -> uint4: ...

class uint3(
    Swizzles3[uint32, uint2, uint3, uint4],
    Numbers[uint32, bool3, double3],
    Bitwise[uint32, bool3],
    Shifted[uint32, bool3],
    Vector[uint32, bool3],
):
    """Three uint32."""

    @overload
    def __matmul__(self, other: uint3x2, /) -> uint2: ...
    @overload
    def __matmul__(self, other: uint3x3, /) -> uint3: ...
    @overload
    def __matmul__(self, other: uint3x4, /) -> uint4: ...

class uint4(
    Swizzles4[uint32, uint2, uint3, uint4],
    Numbers[uint32, bool4, double4],
    Bitwise[uint32, bool4],
    Shifted[uint32, bool4],
    Vector[uint32, bool4],
):
    """Four uint32."""

    @overload
    def __matmul__(self, other: uint4x2, /) -> uint2: ...
    @overload
    def __matmul__(self, other: uint4x3, /) -> uint3: ...
    @overload
    def __matmul__(self, other: uint4x4, /) -> uint4: ...

class bool2(Swizzles2[bool, bool2, bool3, bool4], Bitwise[bool, bool2], Vector[bool, bool2]):
    """Two bools."""

class bool3(Swizzles3[bool, bool2, bool3, bool4], Bitwise[bool, bool3], Vector[bool, bool3]):
    """Three bools."""

class bool4(Swizzles4[bool, bool2, bool3, bool4], Bitwise[bool, bool4], Vector[bool, bool4]):
    """Four bools."""

class fix16x2(
    Swizzles2[fix16, fix16x2, fix16x3, fix16x4],
    Numbers[fix16 | float, bool2, fix16x2],
    Vector[fix16, bool2],
):
    """Two fix16."""

class fix16x3(
    Swizzles3[fix16, fix16x2, fix16x3, fix16x4],
    Numbers[fix16 | float, bool3, fix16x3],
    Vector[fix16, bool3],
):
    """Three fix16."""

class fix16x4(
    Swizzles4[fix16, fix16x2, fix16x3, fix16x4],
    Numbers[fix16 | float, bool4, fix16x4],
    Vector[fix16, bool4],
):
    """Four fix16."""

class fix16x2_sat(
    Swizzles2[fix16_sat, fix16x2_sat, fix16x3_sat, fix16x4_sat],
    Numbers[fix16_sat | float, bool2, fix16x2_sat],
    Vector[fix16_sat, bool2],
):
    """Two fix16_sat."""

class fix16x3_sat(
    Swizzles3[fix16_sat, fix16x2_sat, fix16x3_sat, fix16x4_sat],
    Numbers[fix16_sat | float, bool3, fix16x3_sat],
    Vector[fix16_sat, bool3],
):
    """Three fix16_sat."""

class fix16x4_sat(
    Swizzles4[fix16_sat, fix16x2_sat, fix16x3_sat, fix16x4_sat],
    Numbers[fix16_sat | float, bool4, fix16x4_sat],
    Vector[fix16_sat, bool4],
):
    """Four fix16_sat."""

class fix16x2_wrap(
    Swizzles2[fix16_wrap, fix16x2_wrap, fix16x3_wrap, fix16x4_wrap],
    Numbers[fix16_wrap | float, bool2, fix16x2_wrap],
    Vector[fix16_wrap, bool2],
):
    """Two fix16_wrap."""

class fix16x3_wrap(
    Swizzles3[fix16_wrap, fix16x2_wrap, fix16x3_wrap, fix16x4_wrap],
    Numbers[fix16_wrap | float, bool3, fix16x3_wrap],
    Vector[fix16_wrap, bool3],
):
    """Three fix16_wrap."""

class fix16x4_wrap(
    Swizzles4[fix16_wrap, fix16x2_wrap, fix16x3_wrap, fix16x4_wrap],
    Numbers[fix16_wrap | float, bool4, fix16x4_wrap],
    Vector[fix16_wrap, bool4],
):
    """Four fix16_wrap."""

class fix32x2(
    Swizzles2[fix32, fix32x2, fix32x3, fix32x4],
    Numbers[fix32 | float, bool2, fix32x2],
    Vector[fix32, bool2],
):
    """Two fix32."""

class fix32x3(
    Swizzles3[fix32, fix32x2, fix32x3, fix32x4],
    Numbers[fix32 | float, bool3, fix32x3],
    Vector[fix32, bool3],
):
    """Three fix32."""

class fix32x4(
    Swizzles4[fix32, fix32x2, fix32x3, fix32x4],
    Numbers[fix32 | float, bool4, fix32x4],
    Vector[fix32, bool4],
):
    """Four fix32."""

class fix32x2_sat(
    Swizzles2[fix32_sat, fix32x2_sat, fix32x3_sat, fix32x4_sat],
    Numbers[fix32_sat | float, bool2, fix32x2_sat],
    Vector[fix32_sat, bool2],
):
    """Two fix32_sat."""

class fix32x3_sat(
    Swizzles3[fix32_sat, fix32x2_sat, fix32x3_sat, fix32x4_sat],
    Numbers[fix32_sat | float, bool3, fix32x3_sat],
    Vector[fix32_sat, bool3],
):
    """Three fix32_sat."""

class fix32x4_sat(
    Swizzles4[fix32_sat, fix32x2_sat, fix32x3_sat, fix32x4_sat],
    Numbers[fix32_sat | float, bool4, fix32x4_sat],
    Vector[fix32_sat, bool4],
):
    """Four fix32_sat."""

class fix32x2_wrap(
    Swizzles2[fix32_wrap, fix32x2_wrap, fix32x3_wrap, fix32x4_wrap],
    Numbers[fix32_wrap | float, bool2, fix32x2_wrap],
    Vector[fix32_wrap, bool2],
):
    """Two fix32_wrap."""

class fix32x3_wrap(
    Swizzles3[fix32_wrap, fix32x2_wrap, fix32x3_wrap, fix32x4_wrap],
    Numbers[fix32_wrap | float, bool3, fix32x3_wrap],
    Vector[fix32_wrap, bool3],
):
    """Three fix32_wrap."""

class fix32x4_wrap(
    Swizzles4[fix32_wrap, fix32x2_wrap, fix32x3_wrap, fix32x4_wrap],
    Numbers[fix32_wrap | float, bool4, fix32x4_wrap],
    Vector[fix32_wrap, bool4],
):
    """Four fix32_wrap."""

class fix48x2(
    Swizzles2[fix48, fix48x2, fix48x3, fix48x4],
    Numbers[fix48 | float, bool2, fix48x2],
    Vector[fix48, bool2],
):
    """Two fix48."""

class fix48x3(
    Swizzles3[fix48, fix48x2, fix48x3, fix48x4],
    Numbers[fix48 | float, bool3, fix48x3],
    Vector[fix48, bool3],
):
    """Three fix48."""

class fix48x4(
    Swizzles4[fix48, fix48x2, fix48x3, fix48x4],
    Numbers[fix48 | float, bool4, fix48x4],
    Vector[fix48, bool4],
):
    """Four fix48."""

class fix48x2_sat(
    Swizzles2[fix48_sat, fix48x2_sat, fix48x3_sat, fix48x4_sat],
    Numbers[fix48_sat | float, bool2, fix48x2_sat],
    Vector[fix48_sat, bool2],
):
    """Two fix48_sat."""

class fix48x3_sat(
    Swizzles3[fix48_sat, fix48x2_sat, fix48x3_sat, fix48x4_sat],
    Numbers[fix48_sat | float, bool3, fix48x3_sat],
    Vector[fix48_sat, bool3],
):
    """Three fix48_sat."""

class fix48x4_sat(
    Swizzles4[fix48_sat, fix48x2_sat, fix48x3_sat, fix48x4_sat],
    Numbers[fix48_sat | float, bool4, fix48x4_sat],
    Vector[fix48_sat, bool4],
):
    """Four fix48_sat."""

class fix48x2_wrap(
    Swizzles2[fix48_wrap, fix48x2_wrap, fix48x3_wrap, fix48x4_wrap],
    Numbers[fix48_wrap | float, bool2, fix48x2_wrap],
    Vector[fix48_wrap, bool2],
):
    """Two fix48_wrap."""

class fix48x3_wrap(
    Swizzles3[fix48_wrap, fix48x2_wrap, fix48x3_wrap, fix48x4_wrap],
    Numbers[fix48_wrap | float, bool3, fix48x3_wrap],
    Vector[fix48_wrap, bool3],
):
    """Three fix48_wrap."""

class fix48x4_wrap(
    Swizzles4[fix48_wrap, fix48x2_wrap, fix48x3_wrap, fix48x4_wrap],
    Numbers[fix48_wrap | float, bool4, fix48x4_wrap],
    Vector[fix48_wrap, bool4],
):
    """Four fix48_wrap."""

class half2(Swizzles2[float16, half2, half3, half4], Equal[float16, bool2], Vector[float16, bool2]):
    """Two float16."""

class half3(Swizzles3[float16, half2, half3, half4], Equal[float16, bool3], Vector[float16, bool3]):
    """Three float16."""

class half4(Swizzles4[float16, half2, half3, half4], Equal[float16, bool4], Vector[float16, bool4]):
    """Four float16."""

class float2x2(Numbers[float32, bool2x2, float2x2], Matrix[float32, bool2x2, float2, float2x2]):
    """Two rows, two columns of float32."""

    identity: ClassVar[float2x2]
    @property
    def c0(self) -> float2: ...
    @property
    def c1(self) -> float2: ...
    @overload
    def __matmul__(self, other: float2x2, /) -> float2x2: ...
    @overload
    def __matmul__(self, other: float2x3, /) -> float2x3: ...
    @overload
    def __matmul__(self, other: float2x4, /) -> float2x4: ...
    @overload
    def __matmul__(self, other: float2, /) -> float2: ...

class float2x3(Numbers[float32, bool2x3, float2x3], Matrix[float32, bool2x3, float2, float3x2]):
    """Two rows, three columns of float32."""

    @property
    def c0(self) -> float2: ...
    @property
    def c1(self) -> float2: ...
    @property
    def c2(self) -> float2: ...
    @overload
    def __matmul__(self, other: float3x2, /) -> float2x2: ...
    @overload
    def __matmul__(self, other: float3x3, /) -> float2x3: ...
    @overload
    def __matmul__(self, other: float3x4, /) -> float2x4: ...
    @overload
    def __matmul__(self, other: float3, /) -> float2: ...

class float2x4(Numbers[float32, bool2x4, float2x4], Matrix[float32, bool2x4, float2, float4x2]):
    """Two rows, four columns of float32."""

    @property
    def c0(self) -> float2: ...
    @property
    def c1(self) -> float2: ...
    @property
    def c2(self) -> float2: ...
    @property
    def c3(self) -> float2: ...
    @overload
    def __matmul__(self, other: float4x2, /) -> float2x2: ...
    @overload
    def __matmul__(self, other: float4x3, /) -> float2x3: ...
    @overload
    def __matmul__(self, other: float4x4, /) -> float2x4: ...
    @overload
    def __matmul__(self, other: float4, /) -> float2: ...

class float3x2(Numbers[float32, bool3x2, float3x2], Matrix[float32, bool3x2, float3, float2x3]):
    """Three rows, two columns of float32."""

    @property
    def c0(self) -> float3: ...
    @property
    def c1(self) -> float3: ...
    @overload
    def __matmul__(self, other: float2x2, /) -> float3x2: ...
    @overload
    def __matmul__(self, other: float2x3, /) -> float3x3: ...
    @overload
    def __matmul__(self, other: float2x4, /) -> float3x4: ...
    @overload
    def __matmul__(self, other: float2, /) -> float3: ...

class float3x3(Numbers[float32, bool3x3, float3x3], Matrix[float32, bool3x3, float3, float3x3]):
    """Three rows, three columns of float32."""

    identity: ClassVar[float3x3]
    @property
    def c0(self) -> float3: ...
    @property
    def c1(self) -> float3: ...
    @property
    def c2(self) -> float3: ...
    @overload
    def __matmul__(self, other: float3x2, /) -> float3x2: ...
    @overload
    def __matmul__(self, other: float3x3, /) -> float3x3: ...
    @overload
    def __matmul__(self, other: float3x4, /) -> float3x4: ...
    @overload
    def __matmul__(self, other: float3, /) -> float3: ...

class float3x4(Numbers[float32, bool3x4, float3x4], Matrix[float32, bool3x4, float3, float4x3]):
    """Three rows, four columns of float32."""

    @property
    def c0(self) -> float3: ...
    @property
    def c1(self) -> float3: ...
    @property
    def c2(self) -> float3: ...
    @property
    def c3(self) -> float3: ...
    @overload
    def __matmul__(self, other: float4x2, /) -> float3x2: ...
    @overload
    def __matmul__(self, other: float4x3, /) -> float3x3: ...
    @overload
    def __matmul__(self, other: float4x4, /) -> float3x4: ...
    @overload
    def __matmul__(self, other: float4, /) -> float3: ...

class float4x2(Numbers[float32, bool4x2, float4x2], Matrix[float32, bool4x2, float4, float2x4]):
    """Four rows, two columns of float32."""

    @property
    def c0(self) -> float4: ...
    @property
    def c1(self) -> float4: ...
    @overload
    def __matmul__(self, other: float2x2, /) -> float4x2: ...
    @overload
    def __matmul__(self, other: float2x3, /) -> float4x3: ...
    @overload
    def __matmul__(self, other: float2x4, /) -> float4x4: ...
    @overload
    def __matmul__(self, other: float2, /) -> float4: ...

class float4x3(Numbers[float32, bool4x3, float4x3], Matrix[float32, bool4x3, float4, float3x4]):
    """Four rows, three columns of float32."""

    @property
    def c0(self) -> float4: ...
    @property
    def c1(self) -> float4: ...
    @property
    def c2(self) -> float4: ...
    @overload
    def __matmul__(self, other: float3x2, /) -> float4x2: ...
    @overload
    def __matmul__(self, other: float3x3, /) -> float4x3: ...
    @overload
    def __matmul__(self, other: float3x4, /) -> float4x4: ...
    @overload
    def __matmul__(self, other: float3, /) -> float4: ...

class float4x4(Numbers[float32, bool4x4, float4x4], Matrix[float32, bool4x4, float4, float4x4]):
    """Four rows, four columns of float32."""

    identity: ClassVar[float4x4]
    @property
    def c0(self) -> float4: ...
    @property
    def c1(self) -> float4: ...
    @property
    def c2(self) -> float4: ...
    @property
    def c3(self) -> float4: ...
    @overload
    def __matmul__(self, other: float4x2, /) -> float4x2: ...
    @overload
    def __matmul__(self, other: float4x3, /) -> float4x3: ...
    @overload
    def __matmul__(self, other: float4x4, /) -> float4x4: ...
    @overload
    def __matmul__(self, other: float4, /) -> float4: ...

class double2x2(Numbers[float64, bool2x2, double2x2], Matrix[float64, bool2x2, double2, double2x2]):
    """Two rows, two columns of float64."""

    identity: ClassVar[double2x2]
    @property
    def c0(self) -> double2: ...
    @property
    def c1(self) -> double2: ...
    @overload
    def __matmul__(self, other: double2x2, /) -> double2x2: ...
    @overload
    def __matmul__(self, other: double2x3, /) -> double2x3: ...
    @overload
    def __matmul__(self, other: double2x4, /) -> double2x4: ...
    @overload
    def __matmul__(self, other: double2, /) -> double2: ...

class double2x3(Numbers[float64, bool2x3, double2x3], Matrix[float64, bool2x3, double2, double3x2]):
    """Two rows, three columns of float64."""

    @property
    def c0(self) -> double2: ...
    @property
    def c1(self) -> double2: ...
    @property
    def c2(self) -> double2: ...
    @overload
    def __matmul__(self, other: double3x2, /) -> double2x2: ...
    @overload
    def __matmul__(self, other: double3x3, /) -> double2x3: ...
    @overload
    def __matmul__(self, other: double3x4, /) -> double2x4: ...
    @overload
    def __matmul__(self, other: double3, /) -> double2: ...

class double2x4(Numbers[float64, bool2x4, double2x4], Matrix[float64, bool2x4, double2, double4x2]):
    """Two rows, four columns of float64."""

    @property
    def c0(self) -> double2: ...
    @property
    def c1(self) -> double2: ...
    @property
    def c2(self) -> double2: ...
    @property
    def c3(self) -> double2: ...
    @overload
    def __matmul__(self, other: double4x2, /) -> double2x2: ...
    @overload
    def __matmul__(self, other: double4x3, /) -> double2x3: ...
    @overload
    def __matmul__(self, other: double4x4, /) -> double2x4: ...
    @overload
    def __matmul__(self, other: double4, /) -> double2: ...

class double3x2(Numbers[float64, bool3x2, double3x2], Matrix[float64, bool3x2, double3, double2x3]):
    """Three rows, two columns of float64."""

    @property
    def c0(self) -> double3: ...
    @property
    def c1(self) -> double3: ...
    @overload
    def __matmul__(self, other: double2x2, /) -> double3x2: ...
    @overload
    def __matmul__(self, other: double2x3, /) -> double3x3: ...
    @overload
    def __matmul__(self, other: double2x4, /) -> double3x4: ...
    @overload
    def __matmul__(self, other: double2, /) -> double3: ...

class double3x3(Numbers[float64, bool3x3, double3x3], Matrix[float64, bool3x3, double3, double3x3]):
    """Three rows, three columns of float64."""

    identity: ClassVar[double3x3]
    @property
    def c0(self) -> double3: ...
    @property
    def c1(self) -> double3: ...
    @property
    def c2(self) -> double3: ...
    @overload
    def __matmul__(self, other: double3x2, /) -> double3x2: ...
    @overload
    def __matmul__(self, other: double3x3, /) -> double3x3: ...
    @overload
    def __matmul__(self, other: double3x4, /) -> double3x4: ...
    @overload
    def __matmul__(self, other: double3, /) -> double3: ...

class double3x4(Numbers[float64, bool3x4, double3x4], Matrix[float64, bool3x4, double3, double4x3]):
    """Three rows, four columns of float64."""

    @property
    def c0(self) -> double3: ...
    @property
    def c1(self) -> double3: ...
    @property
    def c2(self) -> double3: ...
    @property
    def c3(self) -> double3: ...
    @overload
    def __matmul__(self, other: double4x2, /) -> double3x2: ...
    @overload
    def __matmul__(self, other: double4x3, /) -> double3x3: ...
    @overload
    def __matmul__(self, other: double4x4, /) -> double3x4: ...
    @overload
    def __matmul__(self, other: double4, /) -> double3: ...

class double4x2(Numbers[float64, bool4x2, double4x2], Matrix[float64, bool4x2, double4, double2x4]):
    """Four rows, two columns of float64."""

    @property
    def c0(self) -> double4: ...
    @property
    def c1(self) -> double4: ...
    @overload
    def __matmul__(self, other: double2x2, /) -> double4x2: ...
    @overload
    def __matmul__(self, other: double2x3, /) -> double4x3: ...
    @overload
    def __matmul__(self, other: double2x4, /) -> double4x4: ...
    @overload
    def __matmul__(self, other: double2, /) -> double4: ...

class double4x3(Numbers[float64, bool4x3, double4x3], Matrix[float64, bool4x3, double4, double3x4]):
    """Four rows, three columns of float64."""

    @property
    def c0(self) -> double4: ...
    @property
    def c1(self) -> double4: ...
    @property
    def c2(self) -> double4: ...
    @overload
    def __matmul__(self, other: double3x2, /) -> double4x2: ...
    @overload
    def __matmul__(self, other: double3x3, /) -> double4x3: ...
    @overload
    def __matmul__(self, other: double3x4, /) -> double4x4: ...
    @overload
    def __matmul__(self, other: double3, /) -> double4: ...

class double4x4(Numbers[float64, bool4x4, double4x4], Matrix[float64, bool4x4, double4, double4x4]):
    """Four rows, four columns of float64."""

    identity: ClassVar[double4x4]
    @property
    def c0(self) -> double4: ...
    @property
    def c1(self) -> double4: ...
    @property
    def c2(self) -> double4: ...
    @property
    def c3(self) -> double4: ...
    @overload
    def __matmul__(self, other: double4x2, /) -> double4x2: ...
    @overload
    def __matmul__(self, other: double4x3, /) -> double4x3: ...
    @overload
    def __matmul__(self, other: double4x4, /) -> double4x4: ...
    @overload
    def __matmul__(self, other: double4, /) -> double4: ...

class int2x2(
    Numbers[int32, bool2x2, double2x2],
    Bitwise[int32, bool2x2],
    Shifted[int32, bool2x2],
    Matrix[int32, bool2x2, int2, int2x2],
):
    """Two rows, two columns of int32."""

    identity: ClassVar[int2x2]
    @property
    def c0(self) -> int2: ...
    @property
    def c1(self) -> int2: ...
    @overload
    def __matmul__(self, other: int2x2, /) -> int2x2: ...
    @overload
    def __matmul__(self, other: int2x3, /) -> int2x3: ...
    @overload
    def __matmul__(self, other: int2x4, /) -> int2x4: ...
    @overload
    def __matmul__(self, other: int2, /) -> int2: ...

class int2x3(
    Numbers[int32, bool2x3, double2x3],
    Bitwise[int32, bool2x3],
    Shifted[int32, bool2x3],
    Matrix[int32, bool2x3, int2, int3x2],
):
    """Two rows, three columns of int32."""

    @property
    def c0(self) -> int2: ...
    @property
    def c1(self) -> int2: ...
    @property
    def c2(self) -> int2: ...
    @overload
    def __matmul__(self, other: int3x2, /) -> int2x2: ...
    @overload
    def __matmul__(self, other: int3x3, /) -> int2x3: ...
    @overload
    def __matmul__(self, other: int3x4, /) -> int2x4: ...
    @overload
    def __matmul__(self, other: int3, /) -> int2: ...

class int2x4(
    Numbers[int32, bool2x4, double2x4],
    Bitwise[int32, bool2x4],
    Shifted[int32, bool2x4],
    Matrix[int32, bool2x4, int2, int4x2],
):
    """Two rows, four columns of int32."""

    @property
    def c0(self) -> int2: ...
    @property
    def c1(self) -> int2: ...
    @property
    def c2(self) -> int2: ...
    @property
    def c3(self) -> int2: ...
    @overload
    def __matmul__(self, other: int4x2, /) -> int2x2: ...
    @overload
    def __matmul__(self, other: int4x3, /) -> int2x3: ...
    @overload
    def __matmul__(self, other: int4x4, /) -> int2x4: ...
    @overload
    def __matmul__(self, other: int4, /) -> int2: ...

class int3x2(
    Numbers[int32, bool3x2, double3x2],
    Bitwise[int32, bool3x2],
    Shifted[int32, bool3x2],
    Matrix[int32, bool3x2, int3, int2x3],
):
    """Three rows, two columns of int32."""

    @property
    def c0(self) -> int3: ...
    @property
    def c1(self) -> int3: ...
    @overload
    def __matmul__(self, other: int2x2, /) -> int3x2: ...
    @overload
    def __matmul__(self, other: int2x3, /) -> int3x3: ...
    @overload
    def __matmul__(self, other: int2x4, /) -> int3x4: ...
    @overload
    def __matmul__(self, other: int2, /) -> int3: ...

class int3x3(
    Numbers[int32, bool3x3, double3x3],
    Bitwise[int32, bool3x3],
    Shifted[int32, bool3x3],
    Matrix[int32, bool3x3, int3, int3x3],
):
    """Three rows, three columns of int32."""

    identity: ClassVar[int3x3]
    @property
    def c0(self) -> int3: ...
    @property
    def c1(self) -> int3: ...
    @property
    def c2(self) -> int3: ...
    @overload
    def __matmul__(self, other: int3x2, /) -> int3x2: ...
    @overload
    def __matmul__(self, other: int3x3, /) -> int3x3: ...
    @overload
    def __matmul__(self, other: int3x4, /) -> int3x4: ...
    @overload
    def __matmul__(self, other: int3, /) -> int3: ...

class int3x4(
    Numbers[int32, bool3x4, double3x4],
    Bitwise[int32, bool3x4],
    Shifted[int32, bool3x4],
    Matrix[int32, bool3x4, int3, int4x3],
):
    """Three rows, four columns of int32."""

    @property
    def c0(self) -> int3: ...
    @property
    def c1(self) -> int3: ...
    @property
    def c2(self) -> int3: ...
    @property
    def c3(self) -> int3: ...
    @overload
    def __matmul__(self, other: int4x2, /) -> int3x2: ...
    @overload
    def __matmul__(self, other: int4x3, /) -> int3x3: ...
    @overload
    def __matmul__(self, other: int4x4, /) -> int3x4: ...
    @overload
    def __matmul__(self, other: int4, /) -> int3: ...

class int4x2(
    Numbers[int32, bool4x2, double4x2],
    Bitwise[int32, bool4x2],
    Shifted[int32, bool4x2],
    Matrix[int32, bool4x2, int4, int2x4],
):
    """Four rows, two columns of int32."""

    @property
    def c0(self) -> int4: ...
    @property
    def c1(self) -> int4: ...
    @overload
    def __matmul__(self, other: int2x2, /) -> int4x2: ...
    @overload
    def __matmul__(self, other: int2x3, /) -> int4x3: ...
    @overload
    def __matmul__(self, other: int2x4, /) -> int4x4: ...
    @overload
    def __matmul__(self, other: int2, /) -> int4: ...

class int4x3(
    Numbers[int32, bool4x3, double4x3],
    Bitwise[int32, bool4x3],
    Shifted[int32, bool4x3],
    Matrix[int32, bool4x3, int4, int3x4],
):
    """Four rows, three columns of int32."""

    @property
    def c0(self) -> int4: ...
    @property
    def c1(self) -> int4: ...
    @property
    def c2(self) -> int4: ...
    @overload
    def __matmul__(self, other: int3x2, /) -> int4x2: ...
    @overload
    def __matmul__(self, other: int3x3, /) -> int4x3: ...
    @overload
    def __matmul__(self, other: int3x4, /) -> int4x4: ...
    @overload
    def __matmul__(self, other: int3, /) -> int4: ...

class int4x4(
    Numbers[int32, bool4x4, double4x4],
    Bitwise[int32, bool4x4],
    Shifted[int32, bool4x4],
    Matrix[int32, bool4x4, int4, int4x4],
):
    """Four rows, four columns of int32."""

    identity: ClassVar[int4x4]
    @property
    def c0(self) -> int4: ...
    @property
    def c1(self) -> int4: ...
    @property
    def c2(self) -> int4: ...
    @property
    def c3(self) -> int4: ...
    @overload
    def __matmul__(self, other: int4x2, /) -> int4x2: ...
    @overload
    def __matmul__(self, other: int4x3, /) -> int4x3: ...
    @overload
    def __matmul__(self, other: int4x4, /) -> int4x4: ...
    @overload
    def __matmul__(self, other: int4, /) -> int4: ...

class uint2x2(
    Numbers[uint32, bool2x2, double2x2],
    Bitwise[uint32, bool2x2],
    Shifted[uint32, bool2x2],
    Matrix[uint32, bool2x2, uint2, uint2x2],
):
    """Two rows, two columns of uint32."""

    identity: ClassVar[uint2x2]
    @property
    def c0(self) -> uint2: ...
    @property
    def c1(self) -> uint2: ...
    @overload
    def __matmul__(self, other: uint2x2, /) -> uint2x2: ...
    @overload
    def __matmul__(self, other: uint2x3, /) -> uint2x3: ...
    @overload
    def __matmul__(self, other: uint2x4, /) -> uint2x4: ...
    @overload
    def __matmul__(self, other: uint2, /) -> uint2: ...

class uint2x3(
    Numbers[uint32, bool2x3, double2x3],
    Bitwise[uint32, bool2x3],
    Shifted[uint32, bool2x3],
    Matrix[uint32, bool2x3, uint2, uint3x2],
):
    """Two rows, three columns of uint32."""

    @property
    def c0(self) -> uint2: ...
    @property
    def c1(self) -> uint2: ...
    @property
    def c2(self) -> uint2: ...
    @overload
    def __matmul__(self, other: uint3x2, /) -> uint2x2: ...
    @overload
    def __matmul__(self, other: uint3x3, /) -> uint2x3: ...
    @overload
    def __matmul__(self, other: uint3x4, /) -> uint2x4: ...
    @overload
    def __matmul__(self, other: uint3, /) -> uint2: ...

class uint2x4(
    Numbers[uint32, bool2x4, double2x4],
    Bitwise[uint32, bool2x4],
    Shifted[uint32, bool2x4],
    Matrix[uint32, bool2x4, uint2, uint4x2],
):
    """Two rows, four columns of uint32."""

    @property
    def c0(self) -> uint2: ...
    @property
    def c1(self) -> uint2: ...
    @property
    def c2(self) -> uint2: ...
    @property
    def c3(self) -> uint2: ...
    @overload
    def __matmul__(self, other: uint4x2, /) -> uint2x2: ...
    @overload
    def __matmul__(self, other: uint4x3, /) -> uint2x3: ...
    @overload
    def __matmul__(self, other: uint4x4, /) -> uint2x4: ...
    @overload
    def __matmul__(self, other: uint4, /) -> uint2: ...

class uint3x2(
    Numbers[uint32, bool3x2, double3x2],
    Bitwise[uint32, bool3x2],
    Shifted[uint32, bool3x2],
    Matrix[uint32, bool3x2, uint3, uint2x3],
):
    """Three rows, two columns of uint32."""

    @property
    def c0(self) -> uint3: ...
    @property
    def c1(self) -> uint3: ...
    @overload
    def __matmul__(self, other: uint2x2, /) -> uint3x2: ...
    @overload
    def __matmul__(self, other: uint2x3, /) -> uint3x3: ...
    @overload
    def __matmul__(self, other: uint2x4, /) -> uint3x4: ...
    @overload
    def __matmul__(self, other: uint2, /) -> uint3: ...

class uint3x3(
    Numbers[uint32, bool3x3, double3x3],
    Bitwise[uint32, bool3x3],
    Shifted[uint32, bool3x3],
    Matrix[uint32, bool3x3, uint3, uint3x3],
):
    """Three rows, three columns of uint32."""

    identity: ClassVar[uint3x3]
    @property
    def c0(self) -> uint3: ...
    @property
    def c1(self) -> uint3: ...
    @property
    def c2(self) -> uint3: ...
    @overload
    def __matmul__(self, other: uint3x2, /) -> uint3x2: ...
    @overload
    def __matmul__(self, other: uint3x3, /) -> uint3x3: ...
    @overload
    def __matmul__(self, other: uint3x4, /) -> uint3x4: ...
    @overload
    def __matmul__(self, other: uint3, /) -> uint3: ...

class uint3x4(
    Numbers[uint32, bool3x4, double3x4],
    Bitwise[uint32, bool3x4],
    Shifted[uint32, bool3x4],
    Matrix[uint32, bool3x4, uint3, uint4x3],
):
    """Three rows, four columns of uint32."""

    @property
    def c0(self) -> uint3: ...
    @property
    def c1(self) -> uint3: ...
    @property
    def c2(self) -> uint3: ...
    @property
    def c3(self) -> uint3: ...
    @overload
    def __matmul__(self, other: uint4x2, /) -> uint3x2: ...
    @overload
    def __matmul__(self, other: uint4x3, /) -> uint3x3: ...
    @overload
    def __matmul__(self, other: uint4x4, /) -> uint3x4: ...
    @overload
    def __matmul__(self, other: uint4, /) -> uint3: ...

class uint4x2(
    Numbers[uint32, bool4x2, double4x2],
    Bitwise[uint32, bool4x2],
    Shifted[uint32, bool4x2],
    Matrix[uint32, bool4x2, uint4, uint2x4],
):
    """Four rows, two columns of uint32."""

    @property
    def c0(self) -> uint4: ...
    @property
    def c1(self) -> uint4: ...
    @overload
    def __matmul__(self, other: uint2x2, /) -> uint4x2: ...
    @overload
    def __matmul__(self, other: uint2x3, /) -> uint4x3: ...
    @overload
    def __matmul__(self, other: uint2x4, /) -> uint4x4: ...
    @overload
    def __matmul__(self, other: uint2, /) -> uint4: ...

class uint4x3(
    Numbers[uint32, bool4x3, double4x3],
    Bitwise[uint32, bool4x3],
    Shifted[uint32, bool4x3],
    Matrix[uint32, bool4x3, uint4, uint3x4],
):
    """Four rows, three columns of uint32."""

    @property
    def c0(self) -> uint4: ...
    @property
    def c1(self) -> uint4: ...
    @property
    def c2(self) -> uint4: ...
    @overload
    def __matmul__(self, other: uint3x2, /) -> uint4x2: ...
    @overload
    def __matmul__(self, other: uint3x3, /) -> uint4x3: ...
    @overload
    def __matmul__(self, other: uint3x4, /) -> uint4x4: ...
    @overload
    def __matmul__(self, other: uint3, /) -> uint4: ...

class uint4x4(
    Numbers[uint32, bool4x4, double4x4],
    Bitwise[uint32, bool4x4],
    Shifted[uint32, bool4x4],
    Matrix[uint32, bool4x4, uint4, uint4x4],
):
    """Four rows, four columns of uint32."""

    identity: ClassVar[uint4x4]
    @property
    def c0(self) -> uint4: ...
    @property
    def c1(self) -> uint4: ...
    @property
    def c2(self) -> uint4: ...
    @property
    def c3(self) -> uint4: ...
    @overload
    def __matmul__(self, other: uint4x2, /) -> uint4x2: ...
    @overload
    def __matmul__(self, other: uint4x3, /) -> uint4x3: ...
    @overload
    def __matmul__(self, other: uint4x4, /) -> uint4x4: ...
    @overload
    def __matmul__(self, other: uint4, /) -> uint4: ...

class bool2x2(Bitwise[bool, bool2x2], Matrix[bool, bool2x2, bool2, bool2x2]):
    """Two rows, two columns of bools."""

    identity: ClassVar[bool2x2]
    @property
    def c0(self) -> bool2: ...
    @property
    def c1(self) -> bool2: ...

class bool2x3(Bitwise[bool, bool2x3], Matrix[bool, bool2x3, bool2, bool3x2]):
    """Two rows, three columns of bools."""

    @property
    def c0(self) -> bool2: ...
    @property
    def c1(self) -> bool2: ...
    @property
    def c2(self) -> bool2: ...

class bool2x4(Bitwise[bool, bool2x4], Matrix[bool, bool2x4, bool2, bool4x2]):
    """Two rows, four columns of bools."""

    @property
    def c0(self) -> bool2: ...
    @property
    def c1(self) -> bool2: ...
    @property
    def c2(self) -> bool2: ...
    @property
    def c3(self) -> bool2: ...

class bool3x2(Bitwise[bool, bool3x2], Matrix[bool, bool3x2, bool3, bool2x3]):
    """Three rows, two columns of bools."""

    @property
    def c0(self) -> bool3: ...
    @property
    def c1(self) -> bool3: ...

class bool3x3(Bitwise[bool, bool3x3], Matrix[bool, bool3x3, bool3, bool3x3]):
    """Three rows, three columns of bools."""

    identity: ClassVar[bool3x3]
    @property
    def c0(self) -> bool3: ...
    @property
    def c1(self) -> bool3: ...
    @property
    def c2(self) -> bool3: ...

class bool3x4(Bitwise[bool, bool3x4], Matrix[bool, bool3x4, bool3, bool4x3]):
    """Three rows, four columns of bools."""

    @property
    def c0(self) -> bool3: ...
    @property
    def c1(self) -> bool3: ...
    @property
    def c2(self) -> bool3: ...
    @property
    def c3(self) -> bool3: ...

class bool4x2(Bitwise[bool, bool4x2], Matrix[bool, bool4x2, bool4, bool2x4]):
    """Four rows, two columns of bools."""

    @property
    def c0(self) -> bool4: ...
    @property
    def c1(self) -> bool4: ...

class bool4x3(Bitwise[bool, bool4x3], Matrix[bool, bool4x3, bool4, bool3x4]):
    """Four rows, three columns of bools."""

    @property
    def c0(self) -> bool4: ...
    @property
    def c1(self) -> bool4: ...
    @property
    def c2(self) -> bool4: ...

class bool4x4(Bitwise[bool, bool4x4], Matrix[bool, bool4x4, bool4, bool4x4]):
    """Four rows, four columns of bools."""

    identity: ClassVar[bool4x4]
    @property
    def c0(self) -> bool4: ...
    @property
    def c1(self) -> bool4: ...
    @property
    def c2(self) -> bool4: ...
    @property
    def c3(self) -> bool4: ...

class quaternion(
    Swizzles4[float32, float2, float3, float4], Sum[float32, bool4], Vector[float32, bool4]
):
    """A quaternion of float32."""

    identity: ClassVar[quaternion]
    def __mul__(self, other: float32, /) -> quaternion: ...
    def __rmul__(self, other: float32, /) -> quaternion: ...
    def __truediv__(self, other: float32, /) -> quaternion: ...
    @overload
    def __matmul__(self, other: quaternion, /) -> quaternion: ...
    @overload
    def __matmul__(self, other: float3, /) -> float3: ...

class dquaternion(
    Swizzles4[float64, double2, double3, double4], Sum[float64, bool4], Vector[float64, bool4]
):
    """A quaternion of float64."""

    identity: ClassVar[dquaternion]
    def __mul__(self, other: float64, /) -> dquaternion: ...
    def __rmul__(self, other: float64, /) -> dquaternion: ...
    def __truediv__(self, other: float64, /) -> dquaternion: ...
    @overload
    def __matmul__(self, other: dquaternion, /) -> dquaternion: ...
    @overload
    def __matmul__(self, other: double3, /) -> double3: ...
