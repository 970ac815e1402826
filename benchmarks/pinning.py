"""The cost that pinning the floating-point environment adds to a call of compiled code.

The same body behind two entries, one of them compiled for a row without a control register; a
compiled loop calls each by its address, in turns, so that nothing of Python is measured.
"""

import ctypes
import statistics
import time
from collections.abc import Callable
from typing import Any

from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import compile_module
from samebits.ir.builder import Builder
from samebits.ir.grammar import Module
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.fp_state.registers import REGISTERS
from samebits.runtime.native import NativeModule
from samebits.types import FLOAT64

CALLS = 200_000
ROUNDS = 41

_LOOP = """\
define void @loop(ptr %entry, ptr %slots, i64 %count) {
start:
  br label %turn
turn:
  %n = phi i64 [ 0, %start ], [ %next, %turn ]
  %status = call i32 %entry(ptr %slots)
  %next = add i64 %n, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %turn, label %end
end:
  ret void
}
"""


def _modules() -> tuple[NativeModule, NativeModule]:
    b = Builder("product", {"x": FLOAT64, "y": FLOAT64}, [FLOAT64])
    module = Module({"product": b.ret(b.op("mul", b.get("x"), b.get("y")))})
    target = engine.host_target()
    rows = (target, target._replace(fp_control=None))
    pinned, plain = (NativeModule(compile_module(module, ["product"], row), 1) for row in rows)
    return pinned, plain


def added(foreign: bool) -> dict[str, Any]:
    """Median seconds, wall and CPU, that a call takes longer for being pinned.

    `foreign`: the caller flushes subnormals and rounds toward zero, so that the entry changes
    the register and changes it back.
    """
    modules = _modules()
    target = engine.host_target()
    loaded = engine.load(
        engine.compile_text(f'target triple = "{target.triple}"\n{_LOOP}', target), ["loop"]
    )
    loop = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(
        loaded.addresses["loop"]
    )
    slots = (ctypes.c_uint64 * 3)()
    pinned, plain = (module.entry(0).address for module in modules)
    row = REGISTERS[fpenv.register_name()]
    before = fpenv.read()
    if foreign:
        fpenv.write(row.default | row.flush_results | 3 << row.rounding_shift)
    try:
        found: dict[str, Any] = {}
        for name, clock in (("seconds", time.perf_counter), ("cpu", time.process_time)):
            differences = [
                _time(loop, pinned, slots, clock) - _time(loop, plain, slots, clock)
                for _ in range(ROUNDS)
            ]
            found[name] = statistics.median(differences) / CALLS
    finally:
        fpenv.write(before)
    return found


def _time(loop: Any, entry: int, slots: Any, clock: Callable[[], float]) -> float:
    start = clock()
    loop(entry, slots, CALLS)
    return clock() - start
