"""The refusal of FAST code that can reach a simulation's state, unless it is marked cosmetic.

Knows only the call graph of linked kernels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samebits.errors import SimulationError, Span
from samebits.ir.grammar import Module, Op, plain_name, walk
from samebits.modes import FAST

CALLS = ("call", "parallel")
"""Operations whose attribute is the function that they run."""


def refuse_fast(kernels: Module, entries: Sequence[str]) -> None:
    """Raise SimulationError if `entries` reach a FAST function but through a cosmetic one."""
    for path, span in fast_paths(kernels, entries):
        name = plain_name(kernels.functions[path[-1]])
        names = [plain_name(kernels.functions[part]) for part in path]
        # A parallel range is a function named after its kernel.
        steps = " → ".join(n for k, n in enumerate(names) if k == 0 or n != names[k - 1])
        raise SimulationError(
            f"FAST code can reach the simulation's state: {steps}",
            span=span,
            note=f"'{name}' is FAST, whose bits differ between targets; hashes of the state "
            "would too",
            fix=f"make '{name}' sb.DETERMINISTIC, or give it cosmetic=True if its results "
            "never reach the state",
        )


def fast_paths(kernels: Module, entries: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Span]]:
    """The call paths from `entries` to FAST functions without cosmetic ones, shortest first, each
    with the span of its last call.

    What a cosmetic function calls only serves its results, and so may be FAST as well.
    """
    seen: set[str] = set()
    paths: list[tuple[tuple[str, ...], Span]] = [
        ((name,), kernels.functions[name].span) for name in entries
    ]
    for path, span in paths:  # grows meanwhile, so the shortest path comes first
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
