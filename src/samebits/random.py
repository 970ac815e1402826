"""Random numbers that are the same on every machine: `from samebits import random`.

Nothing here has hidden state: what is given decides what comes back, so that a replay, a rollback
or another number of workers draws the same numbers. `Random` is a struct that keeps its place in a
stream; the functions below it are the kernels that it is made of. None of it is for secrets.
"""

from samebits.mathlib.random.generator import Random, seeded, shuffle
from samebits.mathlib.random.philox import philox4x32
from samebits.mathlib.random.uniform import uniform_float32, uniform_float64
from samebits.mathlib.random.xorshift import xorshift32

__all__ = [
    "Random", "philox4x32", "seeded", "shuffle", "uniform_float32", "uniform_float64", "xorshift32",
]  # fmt: skip
