"""Constants next to 2^63 in indices: LLVM 22's search of straight code for vectors ends the process
where it meets one in an address."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.support.folders import ROOT
from tests.support.kernels.inspected_kernels import module_of
from tests.support.limits import HANG_SECONDS

import samebits as sb
from samebits.backend.llvm.engine import host_target
from samebits.backend.text import call_graph
from samebits.backend.text.call_graph import CallGraph
from samebits.backend.text.profiles import SPEED
from samebits.backend.text.wide_offsets import has_wide_offsets

MODULE = "tests.unit.backend.text.test_wide_offsets"
MOST = 9223372036854775807


@sb.kernel
def two_of(p: sb.Array[sb.uint8], index: sb.int64) -> sb.uint8:
    return (sb.uint8(1) | p[0]) - (p[index % len(p)] >> sb.uint8(1))


@sb.kernel
def literal(p: sb.Array[sb.uint8]) -> sb.uint8:
    return (sb.uint8(1) | p[0]) - (p[sb.int64(9223372036854775807) % len(p)] >> sb.uint8(1))


@sb.kernel
def argument(p: sb.Array[sb.uint8]) -> sb.uint8:
    return two_of(p, sb.int64(9223372036854775806))


@sb.kernel
def captured(p: sb.Array[sb.uint8]) -> sb.uint8:
    return two_of(p, sb.int64(MOST))


@sb.kernel
def least(p: sb.Array[sb.uint8]) -> sb.uint8:
    return two_of(p, sb.int64(-9223372036854775808))


@sb.kernel
def folded(p: sb.Array[sb.uint8]) -> sb.uint8:
    c = sb.int64(4611686018427387904)
    c = c - 1 + c
    return two_of(p, c)


@sb.kernel
def multiplied(p: sb.Array[sb.uint8]) -> sb.uint8:
    return two_of(p, sb.int64(153092023) * sb.int64(92737) * sb.int64(649657))


@sb.kernel
def shifted(p: sb.Array[sb.uint8]) -> sb.uint8:
    return two_of(p, (sb.int64(1) << 63) - 1)


@sb.kernel
def halved(p: sb.Array[sb.uint8]) -> sb.uint8:
    return two_of(p, sb.int64(sb.uint64(18446744073709551615) >> 1))


@sb.kernel
def minus_one(p: sb.Array[sb.uint8]) -> sb.uint8:
    return two_of(p, sb.int64(sb.uint64(sb.int64(-1)) >> 1))


@sb.kernel
def complement(p: sb.Array[sb.uint8]) -> sb.uint8:
    return two_of(p, sb.int64(~sb.uint64(0) // 2))


@sb.kernel
def saturated(p: sb.Array[sb.uint8]) -> sb.uint8:
    return two_of(p, sb.int64(sb.float64(1e300)))


@sb.kernel
def saturated_float32(p: sb.Array[sb.uint8], q: sb.Array[sb.uint8]) -> sb.uint8:
    h = sb.half(sb.float32(1e30))
    return two_of(p, sb.int64(sb.float32(h)))


@sb.kernel
def iterations(p: sb.Array[sb.uint8]) -> sb.uint8:
    c = sb.int64(1)
    for _ in range(63):
        c = c + c
    return two_of(p, c - 1)


@sb.kernel
def shown(p: sb.Array[sb.uint8], c: sb.int64) -> sb.uint8:
    return two_of(p, c) if c == 9223372036854775807 else p[1]


@sb.kernel
def at_least(p: sb.Array[sb.uint8], c: sb.int64) -> sb.uint8:
    return two_of(p, c) if c >= 9223372036854775807 else p[1]


@sb.kernel
def through_memory(p: sb.Array[sb.uint8], q: sb.Array[sb.int64]) -> sb.uint8:
    q[0] = 9223372036854775807
    return two_of(p, q[0])


@sb.kernel
def offset(p: sb.Array[sb.uint8], c: sb.int64) -> sb.uint8:
    return (sb.uint8(1) | p[0]) - (p[c + sb.int64(9223372036854775807)] >> sb.uint8(1))


BYTES = np.arange(3, 12, dtype=np.uint8)
WIDE: dict[Callable[..., Any], tuple[Any, ...]] = {
    literal: (), argument: (), captured: (), least: (), folded: (), multiplied: (), shifted: (),
    halved: (), minus_one: (), complement: (), saturated: (), saturated_float32: (BYTES,),
    iterations: (), shown: (MOST,), at_least: (MOST,), through_memory: (np.zeros(1, np.int64),),
    offset: (-MOST + 4,),
}  # fmt: skip


@sb.kernel
def halo(a: sb.Array[sb.float64, 2], flat: sb.Array[sb.float64], width: int) -> sb.float64:
    total = sb.float64(0.0)
    count = 0
    for y in range(len(a)):
        for x in range(16):
            total += a[y - 1, (x + 1) % 16] + flat[(y + 1) * (width + 2) + x + 1]
            count += 1
    return total + flat[count] + flat[sb.int64(total * 1e10) % len(flat)]


@sb.kernel
def hashed(keys: sb.Array[sb.uint64], cells: sb.Array[sb.float32]) -> sb.float32:
    total = sb.float32(0.0)
    for i in range(len(keys)):
        key = keys[i]
        h = (key ^ (key >> 33)) * 0xFF51AFD7ED558CCD
        h ^= 0xC4CEB9FE1A85EC53
        total += cells[h & 1023] + cells[(key * 0x9E3779B97F4A7C15) % len(cells)]
    return total


@sb.kernel
def throw(state: sb.Array[sb.uint64]) -> sb.float64:
    state[0] = state[0] * 6364136223846793005 + 1442695040888963407
    return sb.float64(state[0] >> 11) * 1.1102230246251565e-16


@sb.kernel
def product(a: sb.float4, b: sb.float4) -> sb.float4:
    return a * b + a


def run(kernel: Any, managed: bool = False) -> Any:
    try:
        return int((kernel.managed if managed else kernel)(BYTES, *WIDE[kernel]))
    except sb.Trap as trap:
        return trap.kind


def child(check: bool) -> subprocess.CompletedProcess[str]:
    order = [sys.executable, "-m", MODULE, *(["unchecked"] if not check else [])]
    return subprocess.run(
        order, cwd=ROOT, capture_output=True, text=True, timeout=HANG_SECONDS, check=False
    )


def test_no_constant_in_an_index_ends_the_process() -> None:
    done = child(check=True)
    managed = [f"{kernel.__name__} {run(kernel, managed=True)}" for kernel in WIDE]
    assert (done.stdout.split("\n")[:-1], done.returncode) == (managed, 0), done.stderr
    assert len(managed) == 17


def test_llvm_still_needs_it() -> None:
    """Where this fails, a newer LLVM has mended it, and `wide_offsets` can go."""
    done = child(check=False)
    assert done.returncode != 0
    assert "inserted into map" in done.stderr or not done.stderr


@pytest.mark.parametrize("kernel", WIDE, ids=lambda kernel: kernel.__name__)
def test_it_is_found_and_straight_code_left_alone(kernel: Any) -> None:
    module, entries = module_of(kernel)
    assert has_wide_offsets(module, module.functions)
    assert not CallGraph(module, entries, host_target(), SPEED, False).profile.slp


@pytest.mark.parametrize("kernel", [halo, hashed, throw, product], ids=lambda k: k.__name__)
def test_usual_indices_and_constants_are_none(kernel: Any) -> None:
    module, entries = module_of(kernel)
    assert not has_wide_offsets(module, module.functions)
    assert CallGraph(module, entries, host_target(), SPEED, False).profile.slp


if __name__ == "__main__":
    sb.set_cache_dir(None)
    if sys.argv[1:]:
        call_graph.has_wide_offsets = lambda module, names: False
    for each in WIDE:
        print(f"{each.__name__} {run(each)}", flush=True)
