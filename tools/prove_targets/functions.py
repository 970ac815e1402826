"""Every math function on other targets: special values and random bit patterns."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.fuzz.inputs import InputSet
from tests.fuzz.literals import FLOAT_PATTERNS, NAN_PATTERNS
from tests.fuzz.loading import Loaded, Workspace
from tools.prove import inputs as proving
from tools.prove.catalogue import ROWS
from tools.prove.functions import FORMATS, NAMED
from tools.prove.results import key
from tools.prove_targets.finding import Finding
from tools.prove_targets.machine import Machine, machine
from tools.prove_targets.programs import OPT, call

from samebits import math
from samebits.backend.llvm import compile_module, host_target
from samebits.backend.targets import Target
from samebits.errors import RunnerError
from samebits.ir.grammar import Module
from samebits.lang.kernel import Overloads
from samebits.modes import HIGH, Precision
from samebits.types import FLOAT32, FLOAT64, INT32, ScalarType

CHECK = "math functions"
LIMIT_SECONDS = 60.0
INPUTS = 1 << 20
"""Of each operation and type."""
LIBRARY_INPUTS = {HIGH: 1 << 17, Precision.MEDIUM: 1 << 16, Precision.LOW: 1 << 16}
"""Of each function of the library and type: emulated, one of float64 takes a second or two."""
PART = 1 << 18
"""Inputs a call."""
NAMED_ROWS = 5
"""Differing inputs that are named, of each function."""

FUNCTIONS = {
    "sqrt": 1, "floor": 1, "ceil": 1, "trunc": 1, "round": 1, "abs": 1,
    "sign": 1, "min": 2, "max": 2, "copysign": 2, "fma": 3, "clamp": 3,
    "degrees": 1, "radians": 1, "fract": 1, "saturate": 1, "step": 2, "lerp": 3, "unlerp": 3,
    "smoothstep": 3, "remap": 5,
}  # fmt: skip
"""How many numbers each operation takes that gives a float for floats and is proven nowhere else:
what the compiler knows, and a few of its operations in a row. Adding one is adding a row.
The elementary functions are in tools/prove/catalogue.py."""
OTHERS = frozenset("""
    all any argmax argmin axis_angle bitcast clz conjugate cross ctz cumsum determinant distance
    dot e euler_xyz euler_xzy euler_yxz euler_yzx euler_zxy euler_zyx exact_sum f16_to_f32
    f16_to_f64 f32_to_f16 f64_to_f16 inverse length look_rotation mean mul nlerp norm normalize
    pi popcount precision project reflect refract rotate rotl rotr select slerp sum tau
    to_matrix to_quaternion transpose
""".split())
rotr select slerp sum tau
