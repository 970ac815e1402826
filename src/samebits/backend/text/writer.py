"""The text writer of one function, used by the lowerings: instructions, values, slots, traps.

Every slot and variable is an `alloca` of the entry block, which LLVM promotes to registers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from samebits.backend.emit.arena import ARENA_PLACE
from samebits.backend.emit.emission import Emission
from samebits.backend.objects import OWN, STATUS_MASK, TrapSite
from samebits.backend.text.debug_info import DebugInfo
from samebits.backend.text.facts import FunctionFacts
from samebits.backend.text.locations import mark
from samebits.backend.text.loop_metadata import EmittedCounts
from samebits.backend.text.nan_patterns import Patterns
from samebits.backend.text.sign_flips import sign_flips
from samebits.backend.text.trap_records import common_block, word
from samebits.backend.text.types import parts, return_type, returned
from samebits.backend.text.wide_stores import LANE_WISE, WideStores, wide_stores
from samebits.ir.grammar import Function, Op, Value
from samebits.ir.trap_texts import named, operand_text
from samebits.modes import FAST
from samebits.types import ScalarType

SIGN = {32: -(1 << 31), 64: -(1 << 63)}
EXPONENT = {32: 0xFF << 23, 64: 0x7FF << 52}
"""Bits of floats, by their width."""

UNLIKELY = "!prof !0"
"""Branch weights of an unlikely first target, such as a trap."""
_WEIGHTS = {True: ", !prof !2", False: ", !prof !3"}
"""Branch weights of a condition that the source marks likely or unlikely."""

FAST_FLAGS = "reassoc nsz arcp contract afn "
"""The fast-math flags of FAST's operations. Not `nnan` and `ninf`: where they are wrong the result
is poison, and an index or a branch by poison is undefined behaviour."""

_CARELESS = "nsz"
"""The flag under which the signs of zeros, and NaN bits, do not matter."""

NO_OTHERS: Mapping[int, int] = MappingProxyType({})

OWN_PLACE = "%own"
"""The last parameter of a function that checks own indices."""


class FunctionWriter:
    """Appends LLVM text for one function."""

    def __init__(self, module: Emission, function: Function) -> None:
        self.module = module
        self.function = function
        self.target = module.target
        self.fast = FAST_FLAGS if function.options.mode is FAST else ""
        """Fast-math flags, written before the type of a float operation."""
        self._chosen = module.overrides.fast if self.fast else None
        self.facts = FunctionFacts(function, is_fast=bool(self.fast) and self._chosen is None)
        self.patterns = Patterns(function)
        self.flips = sign_flips(function) if self.target.flips_signs else {}
        self.flushes_late = module.flushes_late and function.options.denormals == "flush"
        """Whether a subnormal number is as good as zero until its bits are seen."""
        self.wide = self._wide_stores()
        self.vectors: dict[int, str] = {}
        """The registers with the lanes of wide stores, by the id of the store that is to write
        them."""
        self.can_trap = module.traps[function.name]
        self._allocas: list[str] = []
        self._lines: list[str] = []
        self._tail: list[str] = []
        self._recorded: list[tuple[str, int, list[str]]] = []
        """The blocks of traps with a record, with status and words."""
        self._cold_blocks: list[str] = []
        self.to_canonicalise: list[tuple[int, str, str]] = []
        """Floats just stored uncanonicalised: width in bits, register, address."""
        self.watched: dict[int, tuple[str, bool] | None] = {}
        """Ids of stores whose NaNs the end of a loop sees to: the variable that holds what was
        stored, and whether it is the sum of all; None where all are looked at again."""
        self._expected: dict[tuple[int, int], bool] = {}
        self._values: dict[tuple[int, int], tuple[str, ...]] = {}
        self._slots: dict[str, tuple[str, ...]] = {}
        self._fixed: dict[str, tuple[str, ...]] = {}
        self._locals: dict[str, str] = {}
        self._counter = 0
        self._counts = EmittedCounts()
        self.in_fallback = False
        """Whether the checked version of a versioned loop is being emitted."""
        self._location = 0
        """The number of the statement's location; 0 if the text has none."""
        self._locations = module.locations
        self._open = True
        self._return = return_type(function, self.can_trap, module.target)

    def _wide_stores(self) -> WideStores:
        """The stores that are one: none where each operation is looked at by itself, as by a
        debugger, or straight-line code is to stay scalar."""
        is_stepped = isinstance(self.module.locations, DebugInfo)
        if not self.module.profile.slp or self._chosen is not None or is_stepped:
            return WideStores()
        lane_wise = LANE_WISE if self.target.has_fma else LANE_WISE - {"fma", "muladd"}
        return wide_stores(self.function, self.facts, self.target.vector_bits, lane_wise)

    def choose_flags(self, op: Op) -> None:
        """Select the fast-math flags of `op`, if overrides give each operation its own."""
        if self._chosen is not None:
            self.fast = self._chosen.get(self.function.name, {}).get(op.id, "")
            self.facts.is_fast = _CARELESS in self.fast

    def emit(self, text: str) -> str:
        """Append an instruction with a result; returns the result's name."""
        name = self.name()
        self._lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        """Append an instruction without a result."""
        self._lines.append(f"  {text}")

    def operands(self, value: Value) -> tuple[str, ...]:
        """The registers or constants that hold `value`."""
        return self._values[value.op, value.index]

    def operand(self, value: Value) -> str:
        """The one register or constant of a scalar or a reference."""
        return self._values[value.op, value.index][0]

    def seen(self, value: Value) -> str:
        """`operand`, for what sees the bits of a float."""
        name, t = self.operand(value), value.type
        if self.flushes_late and isinstance(t, ScalarType) and t.is_float:
            return self.flushed(name, t)
        return name

    def is_last_alone(self, store: Op) -> bool:
        """Whether the end of a loop goes over all that this store has left, whatever that is."""
        watched = self.watched[store.id]
        return watched is None or not watched[1]

    def flushed(self, name: str, t: ScalarType) -> str:
        """All bits of a float if the exponent is not zero, else the sign alone."""
        bits, float_type = t.bits, parts(t)[0]
        pattern = self.emit(f"bitcast {float_type} {name} to i{bits}")
        exponent = self.emit(f"and i{bits} {pattern}, {EXPONENT[bits]}")
        small = self.emit(f"icmp eq i{bits} {exponent}, 0")
        zero = self.emit(f"and i{bits} {pattern}, {SIGN[bits]}")
        result = self.emit(f"select i1 {small}, i{bits} {zero}, i{bits} {pattern}")
        return self.emit(f"bitcast i{bits} {result} to {float_type}")

    def arguments(self, callee: str, values: Iterable[Value]) -> str:
        """The typed arguments of a call, with the place for the numbers of a trap "own"."""
        given = [
            f"{t} {name}"
            for value in values
            for t, name in zip(parts(value.type), self.operands(value), strict=True)
        ]
        given += [f"ptr @{OWN}"] * (callee in self.module.owns)
        return ", ".join([*given, *[f"ptr {ARENA_PLACE}"] * (callee in self.module.arenas)])

    def define(self, value: Value, *names: str) -> None:
        """Set the registers or constants that hold a result."""
        self._values[value.op, value.index] = names

    def expect(self, value: Value, likely: bool) -> None:
        """Set the likely outcome of a bool."""
        self._expected[value.op, value.index] = likely

    def weights(self, condition: Value) -> str:
        """The weights to append to a branch or select on `condition`; empty if unknown."""
        expected = self._expected.get((condition.op, condition.index))
        return "" if expected is None else _WEIGHTS[expected]

    def local(self, name: str) -> str:
        """The address of a piece of local memory."""
        return self._locals[name]

    def load_slot(self, name: str) -> tuple[str, ...]:
        """The current value of slot `name`."""
        if name in self._fixed:
            return self._fixed[name]
        types = parts(self.facts.slot_types[name])
        return tuple(
            self.emit(f"load {t}, ptr {place}")
            for t, place in zip(types, self._slots[name], strict=True)
        )

    def store_slot(self, name: str, values: tuple[str, ...]) -> None:
        """Store `values` to slot `name`."""
        types = parts(self.facts.slot_types[name])
        for t, value, place in zip(types, values, self._slots[name], strict=True):
            self.do(f"store {t} {value}, ptr {place}")

    def trap_if(
        self,
        condition: str,
        op: Op,
        kind: str,
        detail: str | None = None,
        first: Sequence[str] = (),
        operands: Sequence[str] = (),
    ) -> None:
        """Trap with `kind` at the span of `op` if the i1 `condition` holds, after the instructions
        `first`. What the operands are, by registers `operands` if given, is left in a record."""
        self._counts.checks += 1
        said = operand_text(op, kind) if self.module.records_traps else None
        site = TrapSite(kind, op.span, detail, said)
        status = self.module.trap_status_in(self.function.name, site)
        values = () if said is None else named(op)
        given = operands or tuple(map(self.seen, values))
        trap, go_on = self._label("trap"), self._label("ok")
        self.do(f"br i1 {condition}, label %{trap}, label %{go_on}, {UNLIKELY}")
        lines = list(first)
        if said is None:
            lines.append(f"ret {self._return} {self._failure(str(status))}")
        else:
            words: list[str] = []
            for value, place in zip(values, given, strict=True):
                assert isinstance(value.type, ScalarType)
                made, name = word(place, value.type, self.name())
                lines += made
                words.append(name)
            self._recorded.append((trap, status, words))
            lines.append("br label %trapped")
        self._tail += [*self._mark(), f"{trap}:\n" + "\n".join(f"  {line}" for line in lines)]
        self._start(go_on)

    def trapped_block(self) -> list[str]:
        """The block where traps with a record leave the function; none without such."""
        if not self._recorded:
            return []
        self.module.has_records = True
        lines, status = common_block(self._recorded, "trapped")
        if self._return == "i32":
            lines.append(f"ret i32 {status}")
        else:
            lines.append(
                f"%trapped.all = insertvalue {self._return} zeroinitializer, i32 {status}, 0"
            )
            lines.append(f"ret {self._return} %trapped.all")
        return ["trapped:", *(f"  {line}" for line in lines)]

    def name(self) -> str:
        """A fresh register name."""
        self._counter += 1
        return f"%v{self._counter}"

    def cold_block(self, condition: str, instructions: Sequence[str]) -> None:
        """Run `instructions`, in a cold block, if the i1 `condition` holds."""
        cold, go_on = self._label("cold"), self._label("ok")
        self.do(f"br i1 {condition}, label %{cold}, label %{go_on}, {UNLIKELY}")
        lines = "".join(f"  {line}\n" for line in instructions)
        self._cold_blocks += [*self._mark(), f"{cold}:\n{lines}  br label %{go_on}"]
        self._start(go_on)

    def when(self, condition: str, then: Callable[[], None], weights: str = "") -> None:
        """Run what `then` appends if the i1 `condition` holds."""
        yes, after = self._label("then"), self._label("after")
        weights = weights and f", {weights}"
        self.do(f"br i1 {condition}, label %{yes}, label %{after}{weights}")
        self._start(yes)
        then()
        self._jump(after)
        self._start(after)

    def variable(self, t: str, suffix: str = "") -> str:
        """The address of uninitialised stack memory for LLVM's type `t`."""
        self._counter += 1
        name = f"%m{self._counter}"
        self._allocas.append(f"  {name} = alloca {t}{suffix}")
        return name

    def leave_if_failed(self, status: str, others: Mapping[int, int] = NO_OTHERS) -> None:
        """Return a callee's non-zero status, or what `others` has in its place."""
        failed = self.emit(f"icmp ne i32 {status}, 0")
        trap, go_on = self._label("trap"), self._label("ok")
        self.do(f"br i1 {failed}, label %{trap}, label %{go_on}, {UNLIKELY}")
        lines, status = _replaced(trap, status, others) if others else ([], status)
        if self._return == "i32":
            lines.append(f"ret i32 {status}")
        else:
            empty = f"{self._return} zeroinitializer"
            lines.append(f"%{trap}.r = insertvalue {empty}, i32 {status}, 0")
            lines.append(f"ret {self._return} %{trap}.r")
        self._tail += [*self._mark(), f"{trap}:\n" + "\n".join(f"  {line}" for line in lines)]
        self._start(go_on)

    # -- for the function emitter -------------------------------------------------------------

    def _label(self, stem: str) -> str:
        self._counter += 1
        return f"{stem}{self._counter}"

    def _mark(self) -> list[str]:
        return [mark(self._location)] if self._location else []

    def _start(self, label: str) -> None:
        self._lines.append(f"{label}:")
        self._open = True

    def _jump(self, label: str) -> None:
        if self._open:
            self.do(f"br label %{label}")
            self._open = False

    def _failure(self, status: str) -> str:
        if self._return == "i32":
            return status
        items = returned(self.function, self.can_trap, self.target)
        rest = (f"{t} zeroinitializer" for t in items[1:])
        return "{ " + ", ".join((f"i32 {status}", *rest)) + " }"


def _replaced(label: str, status: str, others: Mapping[int, int]) -> tuple[list[str], str]:
    """Instructions that put other statuses in the place of some, keeping the record's number."""
    lines, more = [f"%{label}.site = and i32 {status}, {STATUS_MASK}"], "0"
    for k, (one, other) in enumerate(others.items()):
        lines.append(f"%{label}.is{k} = icmp eq i32 %{label}.site, {one}")
        lines.append(f"%{label}.by{k} = select i1 %{label}.is{k}, i32 {other - one}, i32 {more}")
        more = f"%{label}.by{k}"
    return [*lines, f"%{label}.there = add i32 {status}, {more}"], f"%{label}.there"


Lowering = Callable[[FunctionWriter, Op], None]
"""Appends the text of one operation."""
