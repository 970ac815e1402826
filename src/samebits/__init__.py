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
_before = importing.environment_now()

from samebits.errors import (
    ArgumentError,
    BitsMismatchError,
    CompileError,
    HazardError,
    JobError,
    RaceError,
    ReplayError,
    ReportError,
    RunnerError,
    SamebitsError,
    SamebitsWarning,
    SideError,
    SimulationError,
    StackError,
    TargetError,
    Trap,
)
from samebits.errors import hide as _hide
from samebits.lang.calls.tracing import trace
from samebits.lang.decorators import defaults, kernel, struct
from samebits.lang.intrinsics import (
    abs as abs,
)
from samebits.lang.intrinsics import (
    all as all,
)
from samebits.lang.intrinsics import (
    any as any,
)
from samebits.lang.intrinsics import (
    assume,
    bitcast,
    ceil,
    clamp,
    clz,
    copysign,
    cross,
    ctz,
    dot,
    expect_vectorized,
    floor,
    fma,
    length,
    likely,
    normalize,
    popcount,
    rotl,
    rotr,
    select,
    sign,
    sqrt,
    trunc,
    unlikely,
)
from samebits.lang.intrinsics import (
    max as max,
)
from samebits.lang.intrinsics import (
    min as min,
)
from samebits.lang.intrinsics import (
    round as round,
)
from samebits.lang.kernel import Kernel
from samebits.lang.memory.arrays import (
    Array,
    Array2D,
    Array3D,
    Array4D,
    FixedArray,
    ReadOnly,
    ReadOnly2D,
    ReadOnly3D,
    ReadOnly4D,
    WriteOnly,
    WriteOnly2D,
    WriteOnly3D,
    WriteOnly4D,
    zeros,
)
from samebits.lang.memory.strided import strided
from samebits.lang.memory.struct_members import zero
from samebits.lang.memory.structs import Struct
from samebits.lang.memory.tables import table
from samebits.lang.parallel import prange, unsafe_parallel
from samebits.lang.values import matrices as _matrices
from samebits.lang.values.fixed.fixed_point import (
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
from samebits.lang.values.fixed.fixed_vectors import (
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
from samebits.lang.values.half import float16, half, half2, half3, half4
from samebits.lang.values.literals import f32
from samebits.lang.values.matrices import (
    bool2x2,
    bool2x3,
    bool2x4,
    bool3x2,
    bool3x3,
    bool3x4,
    bool4x2,
    bool4x3,
    bool4x4,
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
    int2x2,
    int2x3,
    int2x4,
    int3x2,
    int3x3,
    int3x4,
    int4x2,
    int4x3,
    int4x4,
    uint2x2,
    uint2x3,
    uint2x4,
    uint3x2,
    uint3x3,
    uint3x4,
    uint4x2,
    uint4x3,
    uint4x4,
)
from samebits.lang.values.quaternions import dquaternion, quaternion
from samebits.lang.values.scalars import (
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
from samebits.lang.values.vectors import (
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
from samebits.version import __version__ as __version__
from samebits.wiring import install

if TYPE_CHECKING:
    from samebits import ensemble, fpenv, gym, hazards, lua, math, noise, random, scene
    from samebits.containers.bitset import BitSet
    from samebits.containers.grid2 import Grid2
    from samebits.containers.grid3 import Grid3
    from samebits.containers.heap import Heap
    from samebits.containers.list import List
    from samebits.containers.map import Map
    from samebits.desync.reader import read_report
    from samebits.desync.writer import write_report
    from samebits.diagnosis.explain import explain
    from samebits.diagnosis.public import diagnose, make_report
    from samebits.inspection.inspection import inspect
    from samebits.jobs.handles import JobHandle, combine
    from samebits.jobs.job import For, Job, ParallelFor, ParallelForBatch, job
    from samebits.lang.memory.appender import Appender
    from samebits.lang.values.plain import to_python
    from samebits.printed import TraceRecord, tracing
    from samebits.runtime.cache import set_cache_dir
    from samebits.runtime.evaluate import evaluate
    from samebits.runtime.fingerprint import math_fingerprint
    from samebits.runtime.guarded_arrays import GuardedArray, guarded
    from samebits.runtime.same_bits import assert_same_bits, assert_same_bits_each
    from samebits.runtime.threads.pool import set_workers, workers
    from samebits.sim.recording import Replay
    from samebits.sim.simulation import Simulation

install()
importing.put_back(_before)
del _before

_PLACES = {
    "containers.bitset": "BitSet",
    "containers.grid2": "Grid2",
    "containers.grid3": "Grid3",
    "containers.heap": "Heap",
    "containers.list": "List",
    "containers.map": "Map",
    "desync.reader": "read_report",
    "desync.writer": "write_report",
    "diagnosis.explain": "explain",
    "diagnosis.public": "diagnose make_report",
    "inspection.inspection": "inspect",
    "jobs.handles": "JobHandle combine",
    "jobs.job": "For Job ParallelFor ParallelForBatch job",
    "lang.memory.appender": "Appender",
    "lang.values.plain": "to_python",
    "printed": "TraceRecord tracing",
    "runtime.cache": "set_cache_dir",
    "runtime.evaluate": "evaluate",
    "runtime.fingerprint": "math_fingerprint",
    "runtime.guarded_arrays": "GuardedArray guarded",
    "runtime.same_bits": "assert_same_bits assert_same_bits_each",
    "runtime.threads.pool": "set_workers workers",
    "sim.recording": "Replay",
    "sim.simulation": "Simulation",
}
"""The modules that load when the first of their names is used."""
_LAZY = {name: module for module, names in _PLACES.items() for name in names.split()}
_MODULES = ("ensemble", "fpenv", "gym", "hazards", "lua", "math", "noise", "random", "scene")
_BUILTINS = ("abs", "all", "any", "max", "min", "round")
"""Public, but left alone by `from samebits import *`: Python's own mean the same in kernels."""


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(f"samebits.{_LAZY[name]}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"samebits.{name}")
    else:
        try:
            _matrices.refuse_matrix_of_halves(name)
            raise AttributeError(f"module 'samebits' has no attribute {name!r}")
        except (AttributeError, SamebitsError) as error:
            _hide(error)
            raise
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, those that are not loaded yet included."""
    own = ("__doc__", "__file__", "__name__", "__path__", "__version__")
    return sorted({*__all__, *_BUILTINS, *own})


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
    "Array2D",
    "Array3D",
    "Array4D",
    "BitSet",
    "BitsMismatchError",
    "CompileError",
    "FixedArray",
    "For",
    "Grid2",
    "Grid3",
    "GuardedArray",
    "HazardError",
    "Heap",
    "Job",
    "JobError",
    "JobHandle",
    "Kernel",
    "List",
    "Map",
    "ParallelFor",
    "ParallelForBatch",
    "RaceError",
    "ReadOnly",
    "ReadOnly2D",
    "ReadOnly3D",
    "ReadOnly4D",
    "Replay",
    "ReplayError",
    "ReportError",
    "RunnerError",
    "SamebitsError",
    "SamebitsWarning",
    "SideError",
    "Simulation",
    "SimulationError",
    "StackError",
    "Struct",
    "TargetError",
    "TraceRecord",
    "Trap",
    "WriteOnly",
    "WriteOnly2D",
    "WriteOnly3D",
    "WriteOnly4D",
    "assert_same_bits",
    "assert_same_bits_each",
    "assume",
    "bitcast",
    "bool2",
    "bool2x2",
    "bool2x3",
    "bool2x4",
    "bool3",
    "bool3x2",
    "bool3x3",
    "bool3x4",
    "bool4",
    "bool4x2",
    "bool4x3",
    "bool4x4",
    "ceil",
    "clamp",
    "clz",
    "combine",
    "copysign",
    "cross",
    "ctz",
    "defaults",
    "diagnose",
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
    "ensemble",
    "evaluate",
    "expect_vectorized",
    "explain",
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
    "float16",
    "float32",
    "float64",
    "floor",
    "fma",
    "fpenv",
    "guarded",
    "gym",
    "half",
    "half2",
    "half3",
    "half4",
    "hazards",
    "inspect",
    "int2",
    "int2x2",
    "int2x3",
    "int2x4",
    "int3",
    "int3x2",
    "int3x3",
    "int3x4",
    "int4",
    "int4x2",
    "int4x3",
    "int4x4",
    "int8",
    "int16",
    "int32",
    "int64",
    "job",
    "kernel",
    "length",
    "likely",
    "lua",
    "make_report",
    "math",
    "math_fingerprint",
    "noise",
    "normalize",
    "popcount",
    "prange",
    "quaternion",
    "random",
    "read_report",
    "rotl",
    "rotr",
    "scene",
    "select",
    "set_cache_dir",
    "set_workers",
    "sign",
    "sqrt",
    "strided",
    "struct",
    "table",
    "to_python",
    "trace",
    "tracing",
    "trunc",
    "uint2",
    "uint2x2",
    "uint2x3",
    "uint2x4",
    "uint3",
    "uint3x2",
    "uint3x3",
    "uint3x4",
    "uint4",
    "uint4x2",
    "uint4x3",
    "uint4x4",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unlikely",
    "unsafe_parallel",
    "workers",
    "write_report",
    "zero",
    "zeros",
]  # fmt: skip
