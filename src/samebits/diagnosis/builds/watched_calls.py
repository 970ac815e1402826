"""Arguments of math functions that a running program calls, and results that are set for them.

Owns the memory that compiled code writes to and reads.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samebits.backend.llvm import engine
from samebits.fpmodel.libm import NAME
from samebits.ir.builder import Builder
from samebits.ir.grammar import HostFunction
from samebits.types import INT64, UINT32, UINT64, ScalarType

MOST_CALLS = 1 << 14
"""Calls of a run that are kept."""
MOST_SET = 64
_TEXT = """\
target triple = "{triple}"
define i{w} @tick(i64 %number, i{w} %x, i{w} %y) {{
entry:
  {wide_x}
  {wide_y}
  %calls = load i64, ptr inttoptr (i64 {control} to ptr)
  %more = add i64 %calls, 1
  store i64 %more, ptr inttoptr (i64 {control} to ptr)
  %room = icmp ult i64 %calls, {most}
  br i1 %room, label %keep, label %look
keep:
  %at = mul i64 %calls, 3
  %p0 = getelementptr i64, ptr inttoptr (i64 {kept} to ptr), i64 %at
  %p1 = getelementptr i64, ptr %p0, i64 1
  %p2 = getelementptr i64, ptr %p0, i64 2
  store i64 %number, ptr %p0
  store i64 %a, ptr %p1
  store i64 %b, ptr %p2
  br label %look
look:
  %count = load i64, ptr inttoptr (i64 {count} to ptr)
  br label %next
next:
  %i = phi i64 [0, %look], [%j, %other]
  %left = icmp ult i64 %i, %count
  br i1 %left, label %test, label %none
test:
  %row = mul i64 %i, 4
  %q0 = getelementptr i64, ptr inttoptr (i64 {rows} to ptr), i64 %row
  %q1 = getelementptr i64, ptr %q0, i64 1
  %q2 = getelementptr i64, ptr %q0, i64 2
  %q3 = getelementptr i64, ptr %q0, i64 3
  %r0 = load i64, ptr %q0
  %r1 = load i64, ptr %q1
  %r2 = load i64, ptr %q2
  %e0 = icmp eq i64 %r0, %number
  %e1 = icmp eq i64 %r1, %a
  %e2 = icmp eq i64 %r2, %b
  %e01 = and i1 %e0, %e1
  %e = and i1 %e01, %e2
  br i1 %e, label %found, label %other
other:
  %j = add i64 %i, 1
  br label %next
found:
  %off = load i64, ptr %q3
  {narrow}
  ret i{w} %narrow
none:
  ret i{w} 0
}}
"""

Call = tuple[int, int, int]
"""A function by number, and the patterns of its arguments, the second 0 where there is one."""


class WatchedCalls:
    """The host functions that calls go through, one for each width of floats, and what is set for
    some of them: how far their results' patterns are off."""

    def __init__(self) -> None:
        self._control = np.zeros(2, np.int64)
        self._kept = np.zeros((MOST_CALLS, 3), np.int64)
        self._rows = np.zeros((MOST_SET, 4), np.int64)
        target = engine.host_target()
        self._loaded: list[engine.LoadedObject] = []
        self.ticks: dict[int, HostFunction] = {}
        for t in (UINT32, UINT64):
            address = self.control_address
            text = _TEXT.format(
                triple=target.triple, w=t.bits, most=MOST_CALLS, control=address,
                count=address + 8, kept=self._kept.ctypes.data, rows=self._rows.ctypes.data,
                **_widths(t.bits),
            )  # fmt: skip
            loaded = engine.load(engine.compile_text(text, target), ["tick"])
            self._loaded.append(loaded)  # keeps the code alive
            self.ticks[t.bits] = _host(t, loaded.addresses["tick"])

    @property
    def control_address(self) -> int:
        return self._control.ctypes.data

    def begin(self) -> None:
        """Forget the calls so far."""
        self._control[0] = 0

    def calls(self) -> list[Call] | None:
        """The distinct calls since `begin`; None where there were more than are kept."""
        count = int(self._control[0])
        if count > MOST_CALLS:
            return None
        rows = np.unique(self._kept[:count], axis=0)
        return [(n, a % (1 << 64), b % (1 << 64)) for n, a, b in rows.tolist()]

    def set(self, results: Sequence[tuple[Call, int]]) -> None:
        """Calls whose results are off by a number of steps, all others by none."""
        for row, ((number, a, b), steps) in enumerate(results):
            self._rows[row] = np.array([number, a, b, steps % (1 << 64)], np.uint64).view(np.int64)
        self._control[1] = len(results)


def _widths(bits: int) -> dict[str, str]:
    if bits == UINT64.bits:
        same = "%{} = add i64 %{}, 0"
        return {
            "wide_x": same.format("a", "x"),
            "wide_y": same.format("b", "y"),
            "narrow": same.format("narrow", "off"),
        }
    return {
        "wide_x": "%a = zext i32 %x to i64",
        "wide_y": "%b = zext i32 %y to i64",
        "narrow": "%narrow = trunc i64 %off to i32",
    }


def _host(t: ScalarType, address: int) -> HostFunction:
    params = {"number": INT64, "x": t, "y": t}
    b = Builder(f"{NAME}watched{t.bits}", dict(params), (t,), file=NAME)
    f = b.ret(b.const(t, 0))
    return HostFunction(
        f.name, f.params, f.results, f.slots, f.locals, f.body, f.span, address=address
    )
