"""Another version of the source: another operator, swapped operands, a statement left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from samebits.errors import Span
from samebits.hazards.catalogue.hazard import ChangedKernels, ProgramHazard
from samebits.hazards.edit.function_editor import own_functions, with_statements
from samebits.ir.analysis.loops import deciding, endless
from samebits.ir.analysis.reaching import Definitions
from samebits.ir.grammar import Function, If, Module, Numbered, Op, Region, Statement, walk
from samebits.ir.refs import OpRef, statement_at
from samebits.ir.verify import terminates
from samebits.types import ScalarType

_SWAP = "operands exchanged"
_OTHERS: dict[str, tuple[str, ...]] = {
    "add": ("sub",), "sub": ("add", _SWAP), "mul": ("div", "add"), "div": ("mul", _SWAP),
    "floordiv": ("mod",), "mod": ("floordiv",),
    "lt": ("le", "gt"), "le": ("lt", "ge"), "gt": ("ge", "lt"), "ge": ("gt", "le"),
    "eq": ("ne",), "ne": ("eq",), "and": ("or",), "or": ("and",), "xor": ("or",),
    "min": ("max",), "max": ("min",), "shl": ("shr",), "shr": ("shl",),
    "floor": ("ceil", "trunc"), "ceil": ("floor",), "trunc": ("round",), "round": ("trunc",),
    "neg": ("abs",), "select": (_SWAP,), "copysign": (_SWAP,),
}  # fmt: skip
"""What an operation can be mistaken for: another one, or itself with its last two operands
swapped."""
_FLOATS_ONLY = frozenset({"div", "floor", "ceil", "trunc", "round"})
_LEFT_OUT = frozenset({"store", "copy", "call", "parallel"})


class _Text:
    """One function seen as source text that somebody edits."""

    def __init__(self, function: Function) -> None:
        self._known = Definitions(function)
        self._deciders = deciding(function)
        self._written: dict[tuple[Span, str], list[Op]] = defaultdict(list)
        for op in walk(function.body):
            if isinstance(op, Op):
                self._written[op.span, op.opcode].append(op)

    def together(self, op: Op) -> list[Op]:
        """The operations that are one in the source: those of a vector's components."""
        return self._written[op.span, op.opcode]

    def others(self, statement: Statement) -> list[str]:
        """The replacements for an operation; empty unless it is the first of its vector."""
        if not isinstance(statement, Op) or self.together(statement)[0] is not statement:
            return []
        if any(op.id in self._deciders or op.unchecked for op in self.together(statement)):
            return []
        others = _OTHERS.get(statement.opcode, ())
        is_float = any(isinstance(v.type, ScalarType) and v.type.is_float for v in statement.args)
        return [name for name in others if is_float or name not in _FLOATS_ONLY]

    def can_go(self, statement: Statement) -> bool:
        """Whether the function is legal and terminates without the statement."""
        match statement:
            case Op():
                ops = self.together(statement)
                return ops[0] is statement and all(map(self._can_go, ops))
            case If(id=number):
                ops = [op for op in walk([statement]) if isinstance(op, Op)]
                sets = [op for op in ops if op.opcode == "set"]
                return (
                    number not in self._deciders
                    and not terminates([statement])
                    and all(map(self._can_go, sets))
                    and any(map(self._can_go, ops))
                )
            case _:
                return False

    def _can_go(self, op: Op) -> bool:
        if op.opcode == "set":
            return op.id not in self._deciders and self._is_update(op)
        return op.opcode in _LEFT_OUT and not op.results and op.id not in self._deciders

    def _is_update(self, op: Op) -> bool:
        """Whether a `set` depends on the slot's previous value, so that there is one."""
        wanted, seen = list(op.args), set[int]()
        while wanted:
            maker = self._known.ops.get(wanted.pop().op)
            if maker is None or maker.id in seen:
                continue
            seen.add(maker.id)
            if maker.opcode == "get" and maker.attr == op.attr:
                return True
            wanted += maker.args
        return False


def _places(module: Module) -> list[OpRef]:
    unending = endless(module)
    return [
        OpRef(function.name, statement.id)
        for function in own_functions(module)
        if function.name not in unending
        for text in [_Text(function)]
        for statement in walk(function.body)
        if isinstance(statement, Numbered)
        if text.others(statement) or text.can_go(statement)
    ]


def _mistaken(op: Op, other: str) -> Op:
    if other == _SWAP:
        return replace(op, args=(*op.args[:-2], *op.args[-2:][::-1]))
    return replace(op, opcode=other)


def _changes(module: Module, place: OpRef, draws: Random) -> Iterator[ChangedKernels]:
    statement = statement_at(module, place)
    text = _Text(module.functions[place.function])
    ops = text.together(statement) if isinstance(statement, Op) else []
    for other in text.others(statement):
        assert isinstance(statement, Op)
        note = other if other == _SWAP else f"{statement.opcode} has become {other}"
        made: dict[int, Region] = {op.id: [_mistaken(op, other)] for op in ops}
        yield with_statements(module, place.function, made), note
    if text.can_go(statement):
        gone: dict[int, Region] = {each.id: [] for each in ops or [statement]}
        yield with_statements(module, place.function, gone), "the statement is left out"


CHANGED_OPERATION = ProgramHazard(
    "changed-operation",
    "an operation that differs in another version",
    _places,
    _changes,
    practice="builds of two commits, a patch that one machine lacks, an #ifdef",
    remedy="compare the simulation's digest and version before a session starts",
)
