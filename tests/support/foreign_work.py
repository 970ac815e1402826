"""Work of every kind, and one digest of all its bits: `python foreign_work.py [LIBRARY...]`.

As a program it loads the libraries before samebits, so that compiling and packing meet what their
start-up code left, and prints the digest and the control register before and after.
"""

from __future__ import annotations

import ctypes
import hashlib
import sys
from pathlib import Path
from typing import Any

libraries = [ctypes.PyDLL(path) for path in sys.argv[1:]] if __name__ == "__main__" else []

import numpy as np  # noqa: E402

import samebits as sb  # noqa: E402
from samebits import float32, float64, math, random  # noqa: E402
from samebits.sim.load import load_simulation  # noqa: E402

SIMULATION = Path(__file__).with_name("simulations") / "small_simulation.py"


@sb.kernel
def operations(x: float64, y: float64) -> tuple[float64, float64, float64, float64, float64]:
    return x + y, x * y, x / y, math.sqrt(math.abs(x)), math.fma(x, y, x)


@sb.kernel
def narrowed(x: float64) -> tuple[float32, float32]:
    return float32(x), float32(x) * float32(0.1)


@sb.kernel
def moved(p: sb.float3, v: sb.float3, dt: float32 = 0.1) -> sb.float3:
    return p + v * dt


@sb.kernel
def decayed(a: sb.Array[float32], rate: float32) -> float32:
    total = float32(0)
    for i in range(len(a)):
        a[i] = math.sin(a[i] * rate) * rate
        total += a[i]
    return total


def _doubles() -> np.ndarray[Any, Any]:
    patterns = [1, 1 << 63 | 7, 0x0010_89ED_476E_CAB1, 0x001F_FFFF_FFFF_FFFF]
    return np.array([*np.array(patterns, np.uint64).view(float), 1.0, 3.0, 1.1, 1e308, -0.1])


def digest() -> str:
    """Kernels compiled and managed, ufuncs, reductions, random numbers and a simulation."""
    state = hashlib.sha256()

    def add(*values: Any) -> None:
        for value in values:
            state.update(np.asarray(value).tobytes())

    pairs = [(x, y) for x in DOUBLES for y in DOUBLES]
    for x, y in pairs:
        add(*operations(x, y))
        add(*narrowed(x))
    for x, y in pairs[::7]:
        add(*operations.managed(x, y))
        add(*narrowed.managed(x))
    for scale in (TINY, MIXED32):
        array = scale.copy()
        add(decayed(array, THIRD), array)
        array = array[:6].copy()
        add(decayed.managed(array, THIRD), array)
    for function in (math.sin, math.exp, math.log, math.cbrt, math.tanh):
        add(function(MIXED32), function(MIXED64), function(1e-310), function(0.3))
    add(math.pow(MIXED64, 1.7), math.atan2(MIXED32, LEAST), math.sin(LEAST))
    add(math.pow(LEAST, 0.9), math.atan2(LEAST, 3), math.atan2(2, LEAST), math.sin(HALF))
    for vector in (math.sin(PLACE), math.atan2(PLACE, 1e-40), math.pow(PLACE, 0.5)):
        add(vector.x, vector.y, vector.z)
    for run in (moved, moved.managed):
        for place in (run(PLACE, PLACE), run(PLACE, (1e-39, 0.1, 0.2), 0.7)):
            add(place.x, place.y, place.z)
    add(math.sin(0.1 + np.zeros(0)), math.exp(MIXED32[::-3]), math.exp(MIXED32.astype(">f4")))
    add(
        math.atan2(MIXED64[:99], MIXED32[:99]),
        math.exp(np.arange(5)),
        math.log(3),
        math.log(10**40),
    )
    source = random.seeded(7, 1)
    add(*(source.next_normal64() for _ in range(9)), source.next_float32())
    for reduce in (math.sum, math.mean, math.norm, math.exact_sum):
        add(reduce(MIXED32), reduce(MIXED64))
    add(math.dot(MIXED64, MIXED64[::-1]), math.cumsum(MIXED32))
    session = SMALL.start(seed=3)
    add(session.run(INPUTS))
    return state.hexdigest()


with sb.fpenv.pinned():  # what the host itself computes follows the thread's register
    DOUBLES = [float(x) for x in _doubles()]
    HALF = np.float16(6e-8)
    LEAST = np.float32(1e-40)
    PLACE = sb.float3(LEAST, np.float32(0.7), -LEAST)
    THIRD = np.float32(0.3333)
    TINY = np.arange(1, 100, dtype=np.uint32).view(np.float32)
    MIXED32 = np.concatenate(
        [
            TINY,
            np.arange(1, 1001, dtype=np.uint32).view(np.float32),
            (np.arange(1000) / 128).astype(np.float32),
        ]
    )
    MIXED64 = np.concatenate(
        [np.arange(1, 50, dtype=np.uint64).view(float), np.arange(1, 3000) / 256]
    )
SMALL = load_simulation(str(SIMULATION))
INPUTS = np.zeros((60, 2), SMALL.input_type.dtype)
INPUTS["push"] = (np.arange(120).reshape(60, 2) % 17 - 8) / 1024
INPUTS["turn"] = np.arange(120).reshape(60, 2) % 5


if __name__ == "__main__":
    sb.set_cache_dir(None)
    get = libraries[0].foreign_get if libraries else (lambda: 0)
    before = get()
    print(digest(), before, get())
