"""Modules whose functions flush subnormal numbers late: where their bits can be seen.

Every operation that computes with a number takes it as flushed, by a bit of x86-64's control
register: denormals are zeros, DAZ, which says nothing of results. A subnormal result is then as
good as the zero of its sign, until it is stored, returned or read as bits. The register's other
bit, flush to zero, would not do: it flushes what rounds up to the least normal number. Comparisons
that LLVM makes ones of zero's bits flush their operands (`backend/lowering/float.py`).

Owns which modules qualify: the bit holds for all functions that an entry calls.
"""

from __future__ import annotations

from collections.abc import Iterable

from samebits.backend.targets.table import Target
from samebits.ir.grammar import Function, HostFunction, Op, ValueType, walk
from samebits.types import ScalarType

LATE = ("daz",)
"""The words of `fp_environments` that the entries of such a module set."""
ATTRIBUTE = '"denormal-fp-math"="ieee,preserve-sign"'
"""What LLVM is told of results and operands."""
_CONTROL = {"mxcsr"}
"""The control registers that have the bit, and no arithmetic beside what it governs."""
_HANDS_ON = frozenset({"load", "store", "bitcast", "get", "set", "select", "const"})
"""Operations that do to a subnormal number what they do without the bit."""
_FUSED = frozenset({"fma", "muladd"})


def flushes_late(functions: Iterable[Function], target: Target) -> bool:
    """Whether an entry that calls these functions may set the bit: some flush, and all that compute
    with floats do."""
    flushing = False
    for function in functions:
        if isinstance(function, HostFunction):
            return False
        opcodes = {s.opcode for s in walk(function.body) if isinstance(s, Op) and _has_float(s)}
        if function.options.denormals == "flush":
            flushing = True
            if "product_error" in opcodes or (opcodes & _FUSED and not target.has_fma):
                return False
        elif not opcodes <= _HANDS_ON or _takes_or_gives(function):
            return False
    return flushing and target.fp_control in _CONTROL


def _has_float(op: Op) -> bool:
    return any(_is_float(v.type) for v in (*op.args, *op.results))


def _takes_or_gives(function: Function) -> bool:
    return any(_is_float(t) for t in (*(t for _, t in function.params), *function.results))


def _is_float(t: ValueType) -> bool:
    return isinstance(t, ScalarType) and t.is_float
