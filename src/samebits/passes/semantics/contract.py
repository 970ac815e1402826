"""Contraction: a product and the sum that alone uses it, in one expression, become one `fma`.

Owns which product is meant. Names end an expression: what goes through a slot stays rounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from samebits.ir.grammar import Function, Op, Region, Value, walk
from samebits.ir.rewrite import ValueWriter, fresh_ids, map_regions, operands
from samebits.ir.rules import is_float


class Contraction:
    """A pass that contracts one function to operations `fused`. With `only`, sums and differences
    of other ids stay."""

    def __init__(
        self,
        function: Function,
        fused: str = "fma",
        only: Collection[int] | None = None,
    ) -> None:
        self._only = only
        self._opcode = fused
        self._function = function
        self._ids = fresh_ids(function)
        self._uses = Counter(v.op for s in walk(function.body) for v in operands(s))
        self._fused: set[int] = set()
        self.found: list[Op] = []
        """The sums that were fused, as they were."""

    def run(self) -> Function:
        """The function with fused operations."""
        return replace(self._function, body=self._region(self._function.body))

    def _region(self, region: Region) -> Region:
        products: dict[int, Op] = {}
        out: Region = []
        for statement in region:
            if isinstance(statement, Op):
                self._op(statement, products, out)
            else:
                out.append(map_regions(statement, self._region))
        return [s for s in out if not (isinstance(s, Op) and s.id in self._fused)]

    def _op(self, op: Op, products: dict[int, Op], out: Region) -> None:
        position = None
        if op.opcode == "mul" and is_float(op.result.type):
            products[op.id] = op
        elif op.opcode in ("add", "sub"):
            # The left product, as C compilers choose.
            is_product = [v.op in products and self._uses[v.op] == 1 for v in op.args]
            position = is_product.index(True) if any(is_product) else None
        if position is None or (self._only is not None and op.id not in self._only):
            out.append(op)
            return
        product, other = products[op.args[position].op], op.args[1 - position]
        factor, by = product.args
        if op.opcode == "sub":
            if position == 0:
                other = self._negated(other, op, out)
            else:
                factor = self._negated(factor, op, out)
        self._fused.add(product.id)
        self.found.append(op)
        out.append(replace(op, opcode=self._opcode, args=(factor, by, other)))

    def _negated(self, value: Value, op: Op, out: Region) -> Value:
        return ValueWriter(out, op.span, self._ids).op("neg", value.type, value)
