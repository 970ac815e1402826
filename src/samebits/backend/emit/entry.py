"""The entry points that Python and C call: `i32 sb_entry_<n>(i64* args)`.

Each slot is one 64-bit word in the target's own byte order, and a narrower value is the low bits
of that word: on a big-endian target it lies in the slot's last bytes. Pointers of 32 bits too.
An entry pins the floating-point environment, runs the body, and restores the environment. The
body is a function of its own that is never inlined, so that no operation leaves the pinned part.
"""

from __future__ import annotations

from collections.abc import Sequence

from samebits.backend.emit import arena
from samebits.backend.emit.preemption import BodyGuard, guarded_call
from samebits.backend.targets.fp_control import pinned_call
from samebits.backend.targets.table import Target
from samebits.backend.text.locations import Locations
from samebits.backend.text.types import function_symbol, parts, return_type, scalar
from samebits.bits import CANONICAL_NAN
from samebits.ir.grammar import Function, ValueType, may_loop
from samebits.types import Kind, ScalarType


class SlotReader:
    """LLVM lines that load a function's parameters from consecutive slots at `place`."""

    def __init__(self, target: Target, place: str) -> None:
        self.lines: list[str] = []
        self._target = target
        self._place = place
        self._counter = 0
        self._slot = 0

    def emit(self, text: str) -> str:
        """Append an instruction; returns the name of its value."""
        self._counter += 1
        self.lines.append(f"  %v{self._counter} = {text}")
        return f"%v{self._counter}"

    def next_slot(self) -> str:
        """The address of the next slot."""
        place = self.emit(f"getelementptr inbounds i64, ptr {self._place}, i64 {self._slot}")
        self._slot += 1
        return place

    def arguments(self, params: Sequence[tuple[str, ValueType]]) -> list[str]:
        """A call's arguments with their types, for parameters in slot order."""
        arguments: list[str] = []
        for _, t in params:
            if isinstance(t, ScalarType):
                arguments.append(f"{scalar(t)} {self._scalar(t)}")
            else:
                arguments += [f"{part} {self._part(part)}" for part in parts(t)]
        return arguments

    def _part(self, t: str) -> str:
        place = self.next_slot()
        if t == "ptr":
            if self._target.pointer_bits == 64:
                return self.emit(f"load ptr, ptr {place}, align 8")
            word = self.emit(f"load i64, ptr {place}, align 8")
            return self.emit(f"inttoptr i64 {word} to ptr")
        known = ", !range !1" if self._target.has_ranges else ""
        return self.emit(f"load i64, ptr {place}, align 8{known}")

    def _scalar(self, t: ScalarType) -> str:
        word = self.emit(f"load i64, ptr {self.next_slot()}, align 8")
        if t.kind is Kind.BOOL:
            return self.emit(f"icmp ne i64 {word}, 0")
        if t.bits < 64:
            word = self.emit(f"trunc i64 {word} to i{t.bits}")
        if t.is_float:
            return self.emit(f"bitcast i{t.bits} {word} to {scalar(t)}")
        return word


def _body(
    function: Function,
    traps: bool,
    target: Target,
    more: str,
    symbol: str,
    before: Sequence[str] = (),
) -> str:
    """The adapter from the slots of `args` to the kernel's own parameters and results."""
    slots = SlotReader(target, "%args")
    slots.lines += before
    arguments = slots.arguments(function.params) + [more] * bool(more)
    returned = return_type(function, traps, target)
    callee = function_symbol(function.name)
    call = f"call {target.convention}{returned} {callee}({', '.join(arguments)})"
    items: list[str] = []
    if returned == "void":
        slots.lines.append(f"  {call}")
    else:
        result = slots.emit(call)
        count = traps + len(function.results)
        items = [result] if count == 1 else [
            slots.emit(f"extractvalue {returned} {result}, {k}") for k in range(count)
        ]  # fmt: skip
    status = items.pop(0) if traps else "0"
    if traps and items:
        failed = slots.emit(f"icmp ne i32 {status}, 0")
        slots.lines.append(f"  br i1 {failed}, label %trap, label %done, !prof !0")
        slots.lines += ["trap:", f"  ret i32 {status}", "done:"]
    for t, name in zip(function.results, items, strict=True):
        _store_result(slots, t, name)
    align = target.stack_attribute if may_loop(function) else ""
    head = f"define internal i32 {symbol}(ptr noundef nonnull %args) noinline #0{align} {{"
    return "\n".join([head, "entry:", *slots.lines, f"  ret i32 {status}", "}"])


def _store_result(slots: SlotReader, t: ScalarType, name: str) -> None:
    place = slots.next_slot()
    if t.is_float:
        unordered = slots.emit(f"fcmp uno {scalar(t)} {name}, 0.0")
        pattern = slots.emit(f"bitcast {scalar(t)} {name} to i{t.bits}")
        nan = CANONICAL_NAN[t.bits]
        name = slots.emit(f"select i1 {unordered}, i{t.bits} {nan}, i{t.bits} {pattern}")
    if t.bits < 64:
        name = slots.emit(f"zext i{t.bits} {name} to i64")
    slots.lines.append(f"  store i64 {name}, ptr {place}, align 8")


def entry_text(
    index: int,
    function: Function,
    traps: bool,
    target: Target,
    locations: Locations | None = None,
    more: str = "",
    environment: Sequence[str] = (),
    guard: BodyGuard | None = None,
    before: Sequence[str] = (),
    ready: tuple[int, int] | None = None,
) -> str:
    """`sb_entry_<index>` for `function`, and its body, which takes `more` as last argument and is
    called through `guard` if there is one. `before` are lines at the body's start, `ready` the
    bytes of an arena that is made first, and the status if it can't be. `environment` are words of
    `fp_environments`."""
    symbol = f"@sb.body.{index}"
    body = _body(function, traps, target, more, symbol, before)
    if locations is not None:
        locations.begin(function)
        body = locations.attach(body)
    if guard is not None:
        body += "\n\n" + guarded_call(f"@sb.guard.{index}", symbol, guard)
        symbol = f"@sb.guard.{index}"
    if ready is not None:
        body += "\n\n" + arena.ready(f"@sb.ready.{index}", symbol, *ready)
        symbol = f"@sb.ready.{index}"
    pin = pinned_call(target.fp_control, symbol, environment)
    return f"{body}\n\ndefine i32 @sb_entry_{index}(ptr %args) #0 {{\nentry:\n{pin}}}"
