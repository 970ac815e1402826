"""Warnings of what is compiled; those for FAST kernels: tests whose answer its rewrites can change.

Knows the IR of one function, as the front end made it.
"""

from __future__ import annotations

import warnings

from samebits.errors import SamebitsWarning, Span
from samebits.ir.grammar import Function, Op, plain_name, walk
from samebits.modes import FAST
from samebits.types import ScalarType


def warn_of_tests(function: Function) -> None:
    """One SamebitsWarning for each place where a FAST function tests floats for equality, which
    is also how NaN and infinities are found."""
    if function.options.mode is not FAST:
        return
    seen: set[tuple[int, int]] = set()
    for op in walk(function.body):
        if not isinstance(op, Op) or op.opcode not in ("eq", "ne"):
            continue
        t = op.args[0].type
        place = op.span.line, op.span.column
        if not (isinstance(t, ScalarType) and t.is_float) or place in seen:
            continue
        seen.add(place)
        itself = op.args[0] == op.args[1] or _reads_alike(function, op)
        what = "whether a float is NaN" if itself else "floats for equality"
        warning = SamebitsWarning(
            f"FAST kernel '{plain_name(function)}' tests {what}",
            span=op.span,
            note="FAST reorders and fuses operations, differently on each target: what is equal, "
            "infinite or NaN may differ with it",
            fix="compare with a tolerance, or make the test in a STRICT or DETERMINISTIC kernel",
        )
        warn(warning, op.span)


_given: dict[str | tuple[str, type[Warning], int], int] = {}
"""What Python notes of the warnings that it has shown, to show each once."""


def warn(warning: SamebitsWarning, span: Span) -> None:
    """Give a warning of what stands at `span`: once, however often that is compiled, unless the
    process's filters have it otherwise."""
    warnings.warn_explicit(
        warning, SamebitsWarning, filename=span.file, lineno=span.line, registry=_given
    )


def _reads_alike(function: Function, op: Op) -> bool:
    """Whether both operands are reads of one slot, as in `x != x`."""
    makers = {s.id: s for s in walk(function.body) if isinstance(s, Op)}
    a, b = (makers[value.op] for value in op.args)
    return a.opcode == b.opcode == "get" and a.attr == b.attr
