"""samebits: write a simulation once, in Python; the same bits on every machine.

The names of the language are here; the compiler, the simulation layer and the tools load when
they are first used.
"""

from __future__ import annotations

import sys

if sys.argv[:1] == ["-m"] and sys.orig_argv[-len(sys.argv)].removeprefix("-m") == __name__:
    import samebits_command

    samebits_command.begin()  # `python -m samebits` imports all of this first

import importlib
from typing import TYPE_CHECKING, Any

from samebits import importing

importing.install(__name__)

from samebits.errors import (
    ArgumentError,
    BitsMismatchError,
    CompileError,
    HazardError,
    JobError,
    RaceError,
    ReplayError,
    RunnerError,
    SamebitsError,
    SamebitsWarning,
    SimulationError,
    StackError,
    TargetError,
    Trap,
)
from samebits.lang.arrays import Array, FixedArray, ReadOnly, WriteOnly, zeros
from samebits.lang.decorators import defaults, kernel, struct
from samebits.lang.fixed_point import (
    fix16,
    fix16_sat,
    fix16_wrap,
    fix32,
    fix32_sat,
    fix32_wrap,
    fix48,
    fix48_sat,
    fix48_wrap,
)
from samebits.lang.fixed_vectors import (
    fix16x2,
    fix16x2_sat,
    fix16x2_wrap,
    fix16x3,
    fix16x3_sat,
    fix16x3_wrap,
    fix16x4,
    fix16x4_sat,
    fix16x4_wrap,
    fix32x2,
    fix32x2_sat,
    fix32x2_wrap,
    fix32x3,
    fix32x3_sat,
    fix32x3_wrap,
    fix32x4,
    fix32x4_sat,
    fix32x4_wrap,
    fix48x2,
    fix48x2_sat,
    fix48x2_wrap,
    fix48x3,
    fix48x3_sat,
    fix48x3_wrap,
    fix48x4,
    fix48x4_sat,
    fix48x4_wrap,
)
from samebits.lang.functions import (
    abs,
    all,
    any,
    assume,
    bitcast,
    ceil,
    clamp,
    clz,
    copysign,
    cross,
    ctz,
    dot,
    floor,
    fma,
    length,
    likely,
    max,
    min,
    normalize,
    popcount,
    rotl,
    rotr,
    round,
    select,
    sign,
    sqrt,
    trunc,
    unlikely,
)
from samebits.lang.hints import expect_vectorized
from samebits.lang.literals import f32
from samebits.lang.matrices import (
    double2x2,
    double2x3,
    double2x4,
    double3x2,
    double3x3,
    double3x4,
    double4x2,
    double4x3,
    double4x4,
    float2x2,
    float2x3,
    float2x4,
    float3x2,
    float3x3,
    float3x4,
    float4x2,
    float4x3,
    float4x4,
)
from samebits.lang.parallel import prange, unsafe_parallel
from samebits.lang.quaternions import dquaternion, quaternion
from samebits.lang.scalars import (
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from samebits.lang.tables import table
from samebits.lang.vectors import (
    bool2,
    bool3,
    bool4,
    double2,
    double3,
    double4,
    float2,
    float3,
    float4,
    int2,
    int3,
    int4,
    uint2,
    uint3,
    uint4,
)
from samebits.modes import DETERMINISTIC, FAST, HIGH, LOW, MEDIUM, STRICT
from samebits.runtime.install import install

if TYPE_CHECKING:
    from samebits import fpenv, hazards, math, noise, random
    from samebits.lang.appender import Appender
    from samebits.lang.plain import to_python
    from samebits.runtime.cache import set_cache_dir
    from samebits.runtime.guarded import GuardedArray, guarded
    from samebits.runtime.handles import JobHandle, combine
    from samebits.runtime.inspection import inspect
    from samebits.runtime.jobs import For, Job, ParallelFor, ParallelForBatch, job
    from samebits.runtime.math_fingerprint import math_fingerprint
    from samebits.runtime.pool import set_workers, workers
    from samebits.runtime.same_bits import assert_same_bits
    from samebits.sim.recording import Replay
    from samebits.sim.simulation import Simulation

__version__ = "0.1.0"

install()

_LAZY = {
    "Appender": "samebits.lang.appender",
    "Replay": "samebits.sim.recording",
    "For": "samebits.runtime.jobs",
    "Job": "samebits.runtime.jobs",
    "JobHandle": "samebits.runtime.handles",
    "ParallelFor": "samebits.runtime.jobs",
    "ParallelForBatch": "samebits.runtime.jobs",
    "Simulation": "samebits.sim.simulation",
    "combine": "samebits.runtime.handles",
    "job": "samebits.runtime.jobs",
    "GuardedArray": "samebits.runtime.guarded",
    "guarded": "samebits.runtime.guarded",
    "set_workers": "samebits.runtime.pool",
    "workers": "samebits.runtime.pool",
    "assert_same_bits": "samebits.runtime.same_bits",
    "to_python": "samebits.lang.plain",
    "math_fingerprint": "samebits.runtime.math_fingerprint",
    "set_cache_dir": "samebits.runtime.cache",
    "inspect": "samebits.runtime.inspection",
}
"""Names that load their module when they are first used."""
_MODULES = ("fpenv", "hazards", "math", "noise", "random")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(_LAZY[name]), name)
    elif name in _MODULES:
        value = importlib.import_module(f"samebits.{name}")
    else:
        raise AttributeError(f"module 'samebits' has no attribute {name!r}")
    globals()[name] = value
    return value


__all__ = [
    "DETERMINISTIC",
    "FAST",
    "HIGH",
    "LOW",
    "MEDIUM",
    "STRICT",
    "Appender",
    "ArgumentError",
    "Array",
    "BitsMismatchError",
    "CompileError",
    "FixedArray",
    "For",
    "GuardedArray",
    "HazardError",
    "Job",
    "JobError",
    "JobHandle",
    "ParallelFor",
    "ParallelForBatch",
    "RaceError",
    "ReadOnly",
    "Replay",
    "ReplayError",
    "RunnerError",
    "SamebitsError",
    "SamebitsWarning",
    "Simulation",
    "SimulationError",
    "StackError",
    "TargetError",
    "Trap",
    "WriteOnly",
    "abs",
    "all",
    "any",
    "assert_same_bits",
    "assume",
    "bitcast",
    "bool2",
    "bool3",
    "bool4",
    "ceil",
    "clamp",
    "clz",
    "combine",
    "copysign",
    "cross",
    "ctz",
    "defaults",
    "dot",
    "double2",
    "double2x2",
    "double2x3",
    "double2x4",
    "double3",
    "double3x2",
    "double3x3",
    "double3x4",
    "double4",
    "double4x2",
    "double4x3",
    "double4x4",
    "dquaternion",
    "expect_vectorized",
    "f32",
    "fix16",
    "fix16_sat",
    "fix16_wrap",
    "fix16x2",
    "fix16x2_sat",
    "fix16x2_wrap",
    "fix16x3",
    "fix16x3_sat",
    "fix16x3_wrap",
    "fix16x4",
    "fix16x4_sat",
    "fix16x4_wrap",
    "fix32",
    "fix32_sat",
    "fix32_wrap",
    "fix32x2",
    "fix32x2_sat",
    "fix32x2_wrap",
    "fix32x3",
    "fix32x3_sat",
    "fix32x3_wrap",
    "fix32x4",
    "fix32x4_sat",
    "fix32x4_wrap",
    "fix48",
    "fix48_sat",
    "fix48_wrap",
    "fix48x2",
    "fix48x2_sat",
    "fix48x2_wrap",
    "fix48x3",
    "fix48x3_sat",
    "fix48x3_wrap",
    "fix48x4",
    "fix48x4_sat",
    "fix48x4_wrap",
    "float2",
    "float2x2",
    "float2x3",
    "float2x4",
    "float3",
    "float3x2",
    "float3x3",
    "float3x4",
    "float4",
    "float4x2",
    "float4x3",
    "float4x4",
    "float32",
    "float64",
    "floor",
    "fma",
    "fpenv",
    "guarded",
    "hazards",
    "inspect",
    "int2",
    "int3",
    "int4",
    "int8",
    "int16",
    "int32",
    "int64",
    "job",
    "kernel",
    "length",
    "likely",
    "math",
    "math_fingerprint",
    "max",
    "min",
    "noise",
    "normalize",
    "popcount",
    "prange",
    "quaternion",
    "random",
    "rotl",
    "rotr",
    "round",
    "select",
    "set_cache_dir",
    "set_workers",
    "sign",
    "sqrt",
    "struct",
    "table",
    "to_python",
    "trunc",
    "uint2",
    "uint3",
    "uint4",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unlikely",
    "unsafe_parallel",
    "workers",
    "zeros",
]  # fmt: skip
