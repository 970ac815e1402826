"""What a simulation's modes allow: no FAST code may reach its state, unless it says cosmetic.

Knows the call graph of linked kernels alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samebits.errors import SimulationError, Span
from samebits.ir.grammar import Module, Op, plain_name, walk
from samebits.modes import FAST

CALLS = ("call", "parallel")
"""Operations whose attribute is the function that runs."""


def refuse_fast(kernels: Module, entries: Sequence[str]) -> None:
    """Raise SimulationError where `entries` lead to a FAST function but by a cosmetic one."""
    for path, span in fast_paths(kernels, entries):
        name = plain_name(kernels.functions[path[-1]])
        names = [plain_name(kernels.functions[part]) for part in path]
        # A parallel range is a function of its kernel's name.
        steps = " → ".join(n for k, n in enumerate(names) if k == 0 or n != names[k - 1])
        raise SimulationError(
            f"FAST code can reach the simulation's state: {steps}",
            span=span,
            note=f"'{name}' is FAST, whose bits differ between targets; hashes of the state "
            "would too",
            fix=f"make '{name}' sb.DETERMINISTIC, or give it cosmetic=True if its results "
            "never come into the state",
        )


def fast_paths(kernels: Module, entries: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Span]]:
    """The calls that lead from `entries` to FAST functions other than by cosmetic ones, the
    shortest first, and where the last of them is.

    What a cosmetic function calls is for its own results, and so is as free as it is.
    """
    seen: set[str] = set()
    paths: list[tuple[tuple[str, ...], Span]] = [
        ((name,), kernels.functions[name].span) for name in entries
    ]
    for path, span in paths:  # grows meanwhile: the shortest path comes first
        function = kernels.functions[path[-1]]
        if path[-1] in seen:
            continue
        seen.add(path[-1])
        options = function.options
        if options.cosmetic:
            continue
        if options.mode is FAST:
            yield path, span
        for op in walk(function.body):
            if isinstance(op, Op) and op.opcode in CALLS:
                paths.append(((*path, str(op.attr)), op.span))
