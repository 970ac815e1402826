"""Random numbers that are the same on every machine: `from samebits import random`.

All are kernels without hidden state: what they are given decides what they return, so that a
replay, a rollback or another number of workers draws the same numbers.
"""

from samebits.mathlib.philox import philox4x32
from samebits.mathlib.uniform import uniform_float32, uniform_float64
from samebits.mathlib.xorshift import xorshift32

__all__ = ["philox4x32", "uniform_float32", "uniform_float64", "xorshift32"]
