"""Kernels in which every place has all of its variants, and a byte in memory says which one acts.

One build tries what would else take a build for each choice. Owns the choice alone: the bits are
those of `apply.rewritten` with the variants that are on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from samebits.fpmodel.libm import NAME
from samebits.fpmodel.lowering import Lowered, Unlowered, lower
from samebits.hazards.apply import linked
from samebits.hazards.edit.function_editor import FunctionEditor, guarded
from samebits.hazards.site_variants import SiteVariant
from samebits.ir.builder import Builder
from samebits.ir.grammar import Function, HostTable, Module, Op, Region, Statement, Value
from samebits.ir.refs import OpRef
from samebits.ir.rewrite import exchanged
from samebits.ir.verify import verify
from samebits.types import INT64, UINT8

MOST_FORMS = 255
"""Variants of a place at most."""


@dataclass(frozen=True)
class Switch:
    """A place and the variants that can act there: number n of a board's byte is `variants[n - 1]`,
    0 none of them."""

    place: OpRef
    variants: tuple[SiteVariant, ...]


@dataclass(frozen=True, eq=False)
class Switchboard:
    """Kernels with switches, and the bytes that set them, one each, all 0 at first. The bytes may
    change between calls of compiled code, and live as long as the board."""

    kernels: Module
    switches: tuple[Switch, ...]
    settings: NDArray[np.uint8] = field(repr=False)


def switchboard(kernels: Module, switches: Sequence[Switch]) -> Switchboard:
    """The board of some kernels, whose original operations remain. Variants that cannot be lowered
    to IR are left out, and places that have no others."""
    kernels = guarded(kernels)
    settings = np.zeros(max(1, len(switches)), np.uint8)
    table = _table(settings.ctypes.data)
    by_function: defaultdict[str, list[Switch]] = defaultdict(list)
    for switch in switches:
        by_function[switch.place.function].append(switch)
    needs: list[Lowered] = []
    made: list[Switch] = []
    changed = dict(kernels.functions)
    for name, here in by_function.items():
        place = _Places(kernels, name, table, needs)
        for switch in here:
            able = place.switched(switch, len(made))
            made += [] if able is None else [able]
        changed[name] = place.done()
    board = Module({table.name: table, **changed}, kernels.tables)
    board = linked(board, needs)
    verify(board)
    return Switchboard(board, tuple(made), settings)


def _table(address: int) -> HostTable:
    b = Builder(f"{NAME}switches", {"number": INT64}, (UINT8,), file=NAME)
    f = b.ret(b.const(UINT8, 0))
    return HostTable(
        f.name, f.params, f.results, f.slots, f.locals, f.body, f.span, address=address
    )


class _Places:
    """The places of one function, which get the code of their switches one by one."""

    def __init__(self, kernels: Module, name: str, table: HostTable, needs: list[Lowered]) -> None:
        self._editor = FunctionEditor(kernels, name)
        self._table = table
        self._needs = needs
        self._made: dict[int, Region] = {}

    def switched(self, switch: Switch, number: int) -> Switch | None:
        """Put in the code of a switch, number `number` of the board: the switch with the variants
        that can be lowered; None if there is none."""
        op, b = switch.variants[0].site.op, self._editor
        found = [(variant, self._lowered(variant, op)) for variant in switch.variants]
        able = [(variant, code) for variant, code in found if isinstance(code, Lowered)]
        if not able or len(op.results) != 1:
            return None
        b.span, made = op.span, list[Statement]()
        slot = f".switch{number}"
        b.function.slots[slot] = op.result.type
        with b.into(made):
            kept = self._own(op)
            b.append(kept)
            b.set(slot, kept.result)
            (setting,) = b.call(self._table, b.const(INT64, number))
            is_on = b.if_(b.op("ne", setting, b.const(UINT8, 0)))
            with b.into(is_on.then):
                for form, (_, code) in enumerate(able, 1):
                    self._needs.append(code)
                    is_this = b.if_(b.op("eq", setting, b.const(UINT8, form)))
                    with b.into(is_this.then):
                        b.region.extend(code.ops)
                        b.set(slot, code.ops[-1].result)
            b.append(Op(op.id, "get", (), slot, op.results, op.span))
        self._made[op.id] = made
        return replace(switch, variants=tuple(variant for variant, _ in able))

    def done(self) -> Function:
        """The function with the switches in it."""
        function = self._editor.function
        return replace(function, body=exchanged(function.body, self._made))

    def _own(self, op: Op) -> Op:
        """The operation under a number of its own."""
        number = next(self._editor.ids)
        results = [Value(number, value.index, value.type) for value in op.results]
        return replace(op, id=number, results=tuple(results))

    def _lowered(self, variant: SiteVariant, op: Op) -> Lowered | Unlowered:
        site, own = variant.site, self._own(op)
        ids = self._editor.ids
        return lower(variant.tree, variant.arithmetic, site.operands, ids, own, site.values)
