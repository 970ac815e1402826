"""Signs of NaN, where they are observable: in a bit pattern, and in copysign's second operand.

NaN is one value in the IR, so its sign under a processor's rule is computed beside it. Operands are
the canonical NaN, whose payload every rule keeps.
"""

from __future__ import annotations

from samebits.bits import CANONICAL_NAN
from samebits.fpmodel.lowering.native import Native
from samebits.fpmodel.tree import Node, Tree
from samebits.ir.grammar import Value
from samebits.types import BOOL, ScalarType

Sign = Value | bool
"""Whether a value, if it is NaN, is negative."""
_MADE_NEGATIVE = ("x86", "x86, operands swapped", "negative")
"""The rules under which an invalid operation produces a negative NaN."""


class Nans(Native):
    """Plain arithmetic in which each NaN has a sign."""

    def pattern(self, tree: Tree, t: ScalarType) -> Value:
        """The tree's result, reinterpreted as an integer type."""
        code = self.code
        x = self.stored(self.held(tree))
        canonical = CANONICAL_NAN[t.bits]
        negative = canonical | 1 << t.bits - 1
        if t.is_signed:
            negative -= 1 << t.bits
        found = code.op("bitcast", t, x)
        nan = self._either(self.sign(tree), code.const(t, negative), code.const(t, canonical))
        return code.select(code.is_nan(x), nan, found)

    def apply(self, op: Node, args: list[Value]) -> Value:
        if (op.name, op.detail) != ("call", "copysign"):
            return super().apply(op, args)
        # The sign operand needs the processor's sign of NaN.
        return self.code.alike("copysign", args[0], self._signed(op.args[1], args[1]))

    def _signed(self, tree: Tree, x: Value) -> Value:
        """A number with the sign bit of the tree's value, which may be a NaN."""
        code = self.code
        one, minus_one = code.const(self.type, 1.0), code.const(self.type, -1.0)
        nan = self._either(self.sign(tree), minus_one, one)
        return code.select(code.is_nan(x), nan, x)

    def _either(self, sign: Sign, negative: Value, positive: Value) -> Value:
        if isinstance(sign, bool):
            return negative if sign else positive
        return self.code.select(sign, negative, positive)

    def _choice(self, condition: Value, then: Sign, otherwise: Sign) -> Sign:
        if isinstance(then, bool) and then == otherwise:
            return then
        code = self.code
        chosen = [code.const(BOOL, s) if isinstance(s, bool) else s for s in (then, otherwise)]
        return code.select(condition, *chosen)

    def sign(self, tree: Tree) -> Sign:
        """Whether the tree's value, if it is NaN, is negative."""
        if not isinstance(tree, Node):
            return False
        rule = self.arithmetic.nans
        match tree.name, tree.detail:
            case "neg", _:
                return self._not(self.sign(tree.args[0]))
            case "call", "copysign":
                other = tree.args[1]
                value = self._signed(other, self.held(other))
                zero = self.code.const(self.type, 0.0)
                bit = self.code.alike("copysign", self.code.const(self.type, 1.0), value)
                return self.code.test("lt", bit, zero)
            case "abs" | "convert" | "call" | "estimate", _:
                return False
            case "cast" | "ulps", _:
                return self.sign(tree.args[0])
            case "min" | "max", "lt":
                return self.sign(tree.args[1])
            case "min" | "max", "gt":
                return self.sign(tree.args[0])
            case _:
                pass
        if rule == "negative":
            return True
        found: Sign = rule in _MADE_NEGATIVE
        args = tree.args[::-1] if rule.endswith("swapped") else tree.args
        for arg in reversed(args):
            nan = self.code.is_nan(self.held(arg))
            found = self._choice(nan, self.sign(arg), found)
        return found

    def _not(self, sign: Sign) -> Sign:
        return not sign if isinstance(sign, bool) else self.code.alike("not", sign)
