"""A generated program whose executions once disagreed (optimised IR: illegal IR in fuzzed_15.entry#2)."""

from tests.fuzz.check import assert_agreement
from tests.fuzz.inputs import InputSet

SOURCE = """\
import typing

import samebits as sb
from samebits import int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64
from samebits import float2, float3, float4, double2, double3, double4, int2, int3, int4, uint2, uint3, uint4, bool2, bool3, bool4
from samebits import math

NAN = float("nan")
INF = float("inf")
T = typing.TypeVar("T")
from samebits import float16, half, half2, half3, half4


K0 = float64(7.049518488079299)
TK0 = ((float64((-6.073358459808262)), float32(10.5)), (float64((-0.0)), float32((-0.9554903507232666))), (float64((-2.7499912522637456e+76)), float32((-0.1316283941268921))), (float64(0.49999999999999994), float32(1.36376953125)))


@sb.struct
class S0:
    f0: float32
    f1: float32
    C = float64((-0.17744404764490795))

    def __add__(self, other: "S0") -> "S0":
        made = self.copy()
        made.f0 = self.f0 + other.f0
        made.f1 = self.f1 + other.f1
        return made

    def __neg__(self) -> "S0":
        made = self.copy()
        made.f0 = -self.f0
        made.f1 = -self.f1
        return made

    def __rsub__(self, k: float32) -> float32:
        return k - self.f1

    @property
    def p(self) -> float32:
        return self.f1

    @staticmethod
    def make(x: float32) -> "S0":
        return S0(f1=x)


@sb.struct
class S1:
    f0: float32
    f1: float4
    f2: S0
    f3: float64 = float64((-1.0))

    def m0(self, p0: sb.ReadOnly[float32]) -> tuple[float32, uint64, float32]:
        v1 = (float32(K0) if (K0 != K0 >= float32((11 / int16(K0)))) else self.f0)
        match uint16(v1):
            case 3 | 4:
                v1 -= 1
            case 0 | 5 | 3:
                v1 /= (v1 / 3.0)
                w2 = p0[0:]
            case _:
                self.f1 = (self.f1 + v1)
        if len(p0[p0.shape[0] % (p0.shape[0] + 1):p0.shape[0] % (p0.shape[0] + 1)]) > 1:
            v3 = p0[p0.shape[0] % (p0.shape[0] + 1):p0.shape[0] % (p0.shape[0] + 1)][-1]
        else:
            v3 = self.f0
        self.f2 = S0(f0=float32((int8(126) / 9223372036854775806)), f1=(self.f2.f0 * v3 + v1))
        return sb.min(v3, 9.297640106079005), 9223372036854775807, (v1 - p0[int(int64(K0)) % len(p0)] * self.f0)

    def __neg__(self) -> "S1":
        made = self.copy()
        made.f0 = -self.f0
        made.f1 = -self.f1
        made.f3 = -self.f3
        return made

    def __rsub__(self, k: float4) -> float4:
        return k - self.f1

    @property
    def p(self) -> float4:
        return self.f1

    @staticmethod
    def make(x: float4) -> "S1":
        return S1(f1=x)


@sb.kernel
def entry(p0: sb.Array[float64], p1: sb.Array[float32, 2], p2: S1, p3: S1) -> float16:
    if (p3.f2.f1 in (p3.f2.f1, 8)):
        if (not (K0 != uint64(K0))):
            return half(float32(half(19712.0)))
        x1 = S1.make((p3.f1)).p
        p2.f0 = sb.abs(p2.f2.f1 - p1[int(uint64(K0)) % p1.shape[0], p1.shape[1] % p1.shape[1]])
        w2 = p0[p0.shape[0]:p0.shape[0]]
        for x3, x4, x5 in [(float32((int32(K0) / 9223372036854775806)), p1[(39 - p1.shape[1]) % p1.shape[0], (p1.shape[1] - w2.shape[0]) % p1.shape[1]], uint32(K0)), (sb.fma(p3.f2.f0, p2.f2.f0, 0.0002721548080444336), (p2.f0 - uint8(K0)), sb.bitcast(uint32, p3.f0))]:
            r6, r7, r8 = p2.m0(p1[31 % p1.shape[0]])
            w9 = w2[p0.shape[0] % (w2.shape[0] + 1):int(uint8(K0)) % (w2.shape[0] + 1)]
    x10 = (p2.f1) - p2
    v11 = (-(p2.f0))
    p2.f1 /= float4(int4(int32(v11), int32(v11), int32(v11), int32(18)))
    match uint16(K0):
        case 6 | 0 | 4:
            v12 = (v11 if (v11 != p3.f2.f1) else float32((uint64(K0) / 9223372036854775806)))
            w13 = p1[int(K0) % p1.shape[0]]
        case n14:
            p2.f0 = float3(float32(0.011707305908203125), float32((-3.4868717193603516e-05)), float32((-0.005155563354492187))).z
    v15 = half((-976.5))
    w16 = p1[16 % p1.shape[0]]
    v11 = float32((uint64(K0) / 16))
    w17 = p1[20 % (p1.shape[0] + 1):, :]
    return float16(float64(K0))
"""

# fmt: off
INPUTS = InputSet(
    args=(
        ('array', 'float64', 0, 0, (9,)),
        ('array', 'float32', 1, 0, (3, 0)),
        ('struct', 'S1', 2, 0),
        ('struct', 'S1', 3, 0),
    ),
    blobs=(
        bytes.fromhex("00000000000aef3f498695162a6102c0ffffffffff1d7a3f60f56878d030c2bf0000000000f8b63fba41fa9cbb7960400000000000b64e4072027ac3305fe3bfcc4edfc27103ebbf"),
        bytes.fromhex(""),
        bytes.fromhex("07aad54000e062387b8dd23d0060104100f0fa424b7455bf4dad8dc3000000003256e3d949a60ac0"),
        bytes.fromhex("008047b77951533f0000e1b600901fc200d0eaba8b8447bf00c0ecba0000000050453636c089b03f"),
    ),
)  # noqa: E501
# fmt: on


def test_the_executions_agree() -> None:
    assert_agreement(SOURCE, "entry", [INPUTS])
