"""The passes in order, and the goal that a module is compiled for.

Each pass takes valid IR and leaves valid IR, and none changes its input.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from samebits.ir.grammar import (
    For,
    Function,
    If,
    Module,
    Op,
    Region,
    Return,
    Statement,
    While,
    can_trap,
    walk,
)
from samebits.ir.once import Lately, Once, callees
from samebits.ir.rewrite import map_region
from samebits.modes import DEFAULTS, FAST, Goal
from samebits.passes.bounds.ranges import Ranges
from samebits.passes.bounds.versioning import Versioning
from samebits.passes.dead import drop_dead_functions, drop_dead_operations
from samebits.passes.flatten import flattened
from samebits.passes.inline import inlined
from samebits.passes.unrolled import unrolled
from samebits.passes.written_out import written_out
from samebits.printed import OUTPUT
from samebits.types import ScalarType


def optimise(module: Module, entries: Sequence[str], *, blocks: bool = True) -> Module:
    """A module equivalent to `module` when entered by `entries`: the same values and memory, the
    same trap at the same span with the same memory before it.

    Functions that `entries` do not reach are gone. Without `blocks` no loop goes in blocks, which
    pays only where loops become vectors. Raises KeyError for an unknown entry.
    """
    make = partial(_passed, module, entries, blocks)
    return _PASSED.of(module, make, (tuple(entries), blocks))


def _passed(module: Module, entries: Sequence[str], blocks: bool) -> Module:
    reached = drop_dead_functions(module, entries)
    versioned = goal_of(module, entries) == "speed"
    functions: dict[str, Function] = {}
    total: set[str] = set()
    for name, function in reached.functions.items():
        if blocks and versioned:
            function = inlined(function, reached.functions, functions)
        ends = total.intersection(callees(function))
        make = partial(_optimised, function, ends, blocks, versioned)
        also = blocks, versioned, frozenset(ends)
        functions[name], is_total = _OPTIMISED.of(function, make, also)
        if is_total:
            total.add(name)
    return Module(functions, reached.tables)


def goal_of(module: Module, entries: Sequence[str]) -> Goal:
    """The goal of the first entry that has another one than the default; else the default.

    Callees are compiled for it too, whatever their own: one pipeline makes the whole object.
    """
    default: Goal = DEFAULTS.optimize_for
    for name in entries:
        function = module.functions.get(name)  # whoever needs an unknown one complains
        if function is not None and function.options.optimize_for != default:
            return function.options.optimize_for
    return default


def _optimised(
    function: Function, total: set[str], blocks: bool, versioned: bool
) -> tuple[Function, bool]:
    """A function without the checks that are proved needless, and whether it is total.

    `total` are functions that only compute scalars and always end. Loops are split where it pays if
    `versioned`, and go in blocks if `blocks`.
    """
    if _has_work(function):
        if not function.options.bounds_check:
            function = replace(function, body=map_region(function.body, _trusted))
        in_blocks = total if blocks and _is_repeatable(function) else None
        function = (Versioning(function, in_blocks) if versioned else Ranges(function)).run()
    if versioned:
        function = unrolled(written_out(flattened(function)))
    function = drop_dead_operations(function)
    return function, _is_total(function, total)


def _trusted(statement: Statement) -> Region:
    """A statement of a kernel with `bounds_check=False`, whose indices and assumptions count as
    never trapping in what is compiled; evaluation, which runs the IR from before, tests them."""
    if isinstance(statement, Op) and statement.opcode in ("index", "bound", "assume"):
        statement = replace(statement, unchecked=True)
    return [statement]


def _has_work(function: Function) -> bool:
    """Whether something in the function can trap or is a loop. Most functions of the math library
    have neither, and range analysis of them would take time for nothing."""
    return any(
        isinstance(s, For | While) or (isinstance(s, Op) and can_trap(s))
        for s in walk(function.body)
    )


def _is_repeatable(function: Function) -> bool:
    """Whether two copies of its code compute the same, whatever the values: FAST may differ, and
    what relies on trust has no meaning if the loop would have trapped before."""
    return function.options.bounds_check and function.options.mode is not FAST


def _is_total(function: Function, total: set[str]) -> bool:
    """Whether the function computes scalars of scalars and no more, cannot trap, and ends soon."""
    scalars = all(isinstance(t, ScalarType) for _, t in function.params)
    if not scalars or not _is_repeatable(function):
        return False
    for statement in walk(function.body):
        match statement:
            case Op(opcode="call"):
                if statement.attr not in total:
                    return False
            case Op():
                if can_trap(statement) or statement.opcode in OUTPUT:
                    return False
            case If() | Return():
                pass
            case _:
                return False
    return True


_OPTIMISED: Once[tuple[Function, bool]] = Once()
"""Functions of the math library after the passes, and whether each is total."""
_PASSED: Lately[Module] = Lately()
"""Modules after the passes: several targets and levels share them."""
