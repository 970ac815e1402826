"""samebits: write a simulation once, in Python; the same bits on every machine."""

from samebits import ensemble as ensemble
from samebits import fpenv as fpenv
from samebits import gym as gym
from samebits import hazards as hazards
from samebits import lua as lua
from samebits import math as math
from samebits import noise as noise
from samebits import random as random
from samebits import scene as scene
from samebits.desync.reader import read_report as read_report
from samebits.desync.writer import write_report as write_report
from samebits.diagnosis.explain import explain as explain
from samebits.diagnosis.public import diagnose as diagnose
from samebits.diagnosis.public import make_report as make_report
from samebits.errors import ArgumentError as ArgumentError
from samebits.errors import BitsMismatchError as BitsMismatchError
from samebits.errors import CompileError as CompileError
from samebits.errors import HazardError as HazardError
from samebits.errors import JobError as JobError
from samebits.errors import RaceError as RaceError
from samebits.errors import ReplayError as ReplayError
from samebits.errors import ReportError as ReportError
from samebits.errors import RunnerError as RunnerError
from samebits.errors import SamebitsError as SamebitsError
from samebits.errors import SamebitsWarning as SamebitsWarning
from samebits.errors import SideError as SideError
from samebits.errors import SimulationError as SimulationError
from samebits.errors import StackError as StackError
from samebits.errors import TargetError as TargetError
from samebits.errors import Trap as Trap
from samebits.inspection.inspection import inspect as inspect
from samebits.jobs.handles import JobHandle as JobHandle
from samebits.jobs.handles import combine as combine
from samebits.jobs.job import For as For
from samebits.jobs.job import Job as Job
from samebits.jobs.job import ParallelFor as ParallelFor
from samebits.jobs.job import ParallelForBatch as ParallelForBatch
from samebits.jobs.job import job as job
from samebits.lang.decorators import defaults as defaults
from samebits.lang.values.plain import to_python as to_python
from samebits.modes import DETERMINISTIC as DETERMINISTIC
from samebits.modes import FAST as FAST
from samebits.modes import HIGH as HIGH
from samebits.modes import LOW as LOW
from samebits.modes import MEDIUM as MEDIUM
from samebits.modes import STRICT as STRICT
from samebits.printed import TraceRecord as TraceRecord
from samebits.printed import tracing as tracing
from samebits.runtime.cache import set_cache_dir as set_cache_dir
from samebits.runtime.fingerprint import math_fingerprint as math_fingerprint
from samebits.runtime.guarded_arrays import GuardedArray as GuardedArray
from samebits.runtime.guarded_arrays import guarded as guarded
from samebits.runtime.same_bits import assert_same_bits as assert_same_bits
from samebits.runtime.same_bits import assert_same_bits_each as assert_same_bits_each
from samebits.runtime.threads.pool import set_workers as set_workers
from samebits.runtime.threads.pool import workers as workers
from samebits.sim.recording import Replay as Replay
from samebits.sim.simulation import Simulation as Simulation
from samebits.typed.arrays import Appender as Appender
from samebits.typed.arrays import prange as prange
from samebits.typed.arrays import strided as strided
from samebits.typed.arrays import table as table
from samebits.typed.arrays import unsafe_parallel as unsafe_parallel
from samebits.typed.containers import BitSet as BitSet
from samebits.typed.containers import Grid2 as Grid2
from samebits.typed.containers import Grid3 as Grid3
from samebits.typed.containers import Heap as Heap
from samebits.typed.containers import List as List
from samebits.typed.containers import Map as Map
from samebits.typed.dimensions import *
from samebits.typed.functions import *
from samebits.typed.kernels import Struct as Struct
from samebits.typed.kernels import evaluate as evaluate
from samebits.typed.kernels import kernel as kernel
from samebits.typed.kernels import struct as struct
from samebits.typed.kernels import zero as zero
from samebits.typed.parameters import Kernel as Kernel
from samebits.typed.values import *
from samebits.version import __version__ as __version__

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
]
