"""The budget of work done with the programs of another machine's reports.

Owns the bounds and their units: operations, levels and bytes, never seconds, so that a program is
given up at the same place on every machine. Knows nothing of reports.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn

from samebits.errors import TraceError
from samebits.ir.grammar import For, Function, Lanes, Module, Op, Region, Return, Statement
from samebits.types import RefType

OPERATIONS = 1 << 26
"""Operations that all evaluations of one report's programs may do together."""
FRAME = 1 << 22
"""Operations of one evaluation, forty times what a frame of the arena takes. A program that goes
beyond is not evaluated again."""
MATCHING = 1 << 22
"""The most work of matching a program's operations with another version's, in operations."""
LEVELS = 96
"""Calls and regions that may be inside one another."""
TEXT = 1 << 21
"""Bytes of a program's text; the longest of the examples' has 200,000."""
MEMORY = 1 << 26
"""Bytes of the state that a program works on."""
VARIANT = 64
"""The cost of one other evaluation of an expression, in operations."""
SITE = 512
"""The cost of finding the expression that an operation ends."""
REBUILT = 8
"""The cost of making one operation of a changed program, in operations."""
_PREPARED = 4
"""The cost of preparing one operation for evaluation, in operations."""
_BEGIN = 4
"""The cost of beginning a region, or a call, in operations."""
NAME = 4096
"""Characters of a name or text in a program."""
WORD = 64
"""Bytes of memory that count as much as one operation."""
_COLUMN = 16
"""The cost of laying out one column of a state, in operations."""
_LOCAL = 2
"""The cost of preparing one local variable's memory, besides its bytes."""
_MANY = 16
"""Operands, results, and values of a frame that count as much as one operation."""
_MORE = 8
"""How many times as much is proposed to whoever trusts a report."""


@dataclass(eq=False)
class Budget:
    """The budget left for one report. `why` says what ran out, if anything did, and `advice` what
    the user can do then."""

    operations: int = OPERATIONS
    frame: int = FRAME
    matching: int = MATCHING
    levels: int = LEVELS
    text: int = TEXT
    memory: int = MEMORY
    times: int = 1
    """How many times as much it is as a report of anybody's may take."""
    why: str = ""
    advice: str = ""
    _level: int = field(default=0, init=False)
    _trying: bool = field(default=False, init=False)
    _least: int = field(default=0, init=False)
    """The budget to be left when the present evaluation ends."""

    def __post_init__(self) -> None:
        self._all = self.operations

    @classmethod
    def wider(cls, times: int) -> Budget:
        """A budget of so many times everything but levels, which Python's stack bounds."""
        few = cls()
        return cls(
            few.operations * times, few.frame * times, few.matching * times, few.levels,
            few.text * times, few.memory * times, times,
        )  # fmt: skip

    @property
    def is_spent(self) -> bool:
        """Whether something was given up, so that the search is incomplete."""
        return bool(self.why)

    def spend(self, operations: int) -> None:
        """Deduct operations. Raises TraceError if none are left."""
        self.operations -= operations
        if self.operations >= self._least:
            return
        if self._trying and self.operations >= 0:
            self._over(f"an experiment takes more than {self.frame:,} operations")
        is_frame = self._least > 0
        self.operations = min(self.operations, 0)
        if is_frame:
            self._over(f"a frame of the report's program takes more than {self.frame:,} operations")
        self._over(
            f"all that is done with the reports' programs takes more than {self._all:,} operations"
        )

    def work(self, operations: int) -> None:
        """Deduct work on a program other than evaluating it, as `spend` does."""
        self._least = 0
        self.spend(operations)

    @contextmanager
    def trying(self) -> Generator[None]:
        """A context for an experiment: if its evaluation is given up, others may follow."""
        old, self._trying = self._trying, True
        try:
            yield
        finally:
            self._trying = old

    def enter(self, operations: int) -> None:
        """Begin a region of so many operations. Raises TraceError."""
        self._level += 1
        self.nests(self._level)
        self.spend(operations)

    def nests(self, level: int) -> None:
        """Check a nesting depth. Raises TraceError."""
        if level > self.levels:
            self.cut(
                f"the report's program nests more than {self.levels} calls and regions", _DEEPEST
            )
            raise TraceError(self.why)

    def leave(self) -> None:
        """End a region."""
        self._level -= 1

    def begin(self, memory: int, least: int = 0) -> None:
        """Begin an evaluation, on a state of `memory` bytes, with a fixed cost of `least`. Raises
        TraceError."""
        self._level = 0
        self._least = max(0, self.operations - self.frame)
        self.spend(1 + memory // WORD + least)
        if memory > self.memory:
            self._over(f"the report's state has {memory:,} bytes, more than {self.memory:,}")

    def cut(self, why: str, advice: str = "") -> str:
        """Record and return why something is given up for want of budget."""
        more = self.times * _MORE
        self.why = self.why or why
        self.advice = self.advice or advice or (
            f"that is what {_WHOSE[self.times > 1]} may take: for reports of machines that you "
            f"trust, --budget {more} allows {more} times as much as without it"
        )  # fmt: skip
        return why

    def _over(self, why: str) -> NoReturn:
        self.cut(why)
        raise TraceError(self.why)


_WHOSE = "the programs of anybody's reports", "reports' programs with this --budget"
_DEEPEST = "that is as deep as the interpreter goes with a report's program, whoever made it"


def start_cost(module: Module, columns: int) -> int:
    """The cost of beginning an evaluation, on a state of so many columns."""
    return _COLUMN * columns + sum(len(t.values) for t in module.tables.values()) // _MANY


def prepared_cost(region: Region) -> int:
    """The cost of preparing a region, without those inside it."""
    return _PREPARED * sum(1 + _operands(statement) for statement in region)


def region_cost(region: Region) -> int:
    """The cost of one iteration of a region, without those inside it."""
    return _BEGIN + sum(map(_cost, region))


def iteration_cost(lanes: Lanes) -> int:
    """The cost of an iteration of a loop with lanes besides its body."""
    return len(lanes.slots)


def call_cost(function: Function, values: int) -> int:
    """The cost of a call besides its body: its local memory, and a frame of so many values."""
    memory = sum(t.size for t in function.locals.values()) // WORD
    return memory + _LOCAL * len(function.locals) + values // WORD


def _cost(statement: Statement) -> int:
    match statement:
        case Op(opcode="zero" | "copy", args=(target, *_)):
            t = target.type
            return 1 + (t.target.size if isinstance(t, RefType) else 0) // WORD
        case Op(opcode=opcode):
            return _WEIGHTS.get(opcode, 1) + _operands(statement)
        case For(lanes=Lanes() as lanes):
            return sum(lanes.counts) * len(lanes.slots)
        case Return(values=values):
            return len(values) // _MANY
        case _:
            return 0


def _operands(statement: Statement) -> int:
    """The cost of operands and results beyond the usual number."""
    return (
        (len(statement.args) + len(statement.results)) // _MANY if isinstance(statement, Op) else 0
    )


_WEIGHTS = {
    **dict.fromkeys(("fma", "muladd", "product_error", "floordiv", "mod"), 4),
    **dict.fromkeys(("mul", "convert", "narrow", "round", "call", "parallel"), 2),
}
"""Operations that take longer than most."""
