"""Calls of small kernels in innermost loops, replaced by the kernels' bodies.

A call that may write memory hides what it touches, and one that may trap what it checks, so that a
loop around it keeps its checks and never becomes vectors. Calls on scalars that cannot trap stay:
LLVM inlines those, and knows that they touch nothing.

Owns which calls qualify. What is inlined keeps its spans, so that it traps as the call did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from samebits.ir.grammar import (
    CALLS,
    For,
    Function,
    HostFunction,
    If,
    Op,
    Region,
    Return,
    Statement,
    Value,
    ValueType,
    While,
    can_trap,
    regions,
    walk,
)
from samebits.ir.own_code import is_own_code
from samebits.ir.rewrite import clone, fresh_ids, map_regions, with_operands
from samebits.printed import OUTPUT
from samebits.types import MemoryType, ScalarType

CALLEE_LIMIT = 200
"""Operations of a kernel beyond which its call is worth its price."""
LOOP_LIMIT = 600
"""Operations of a loop with all that is inlined."""
NONE_YET: Mapping[str, Function] = {}
_ARENA = frozenset({"arena", "release", "allocate"})


def inlined(
    function: Function,
    functions: Mapping[str, Function],
    optimised: Mapping[str, Function] = NONE_YET,
) -> Function:
    """The function with the calls that qualify replaced; `functions` has its callees, and
    `optimised` has them without the checks that never fail, where it has them.

    What a debugger steps through keeps its calls.
    """
    if function.options.debug_info:
        return function
    names = {
        str(op.attr)
        for op in walk(function.body)
        if isinstance(op, Op)
        and op.opcode == "call"
        and _fits(functions[str(op.attr)], function, optimised)
    }
    if not names:
        return function
    return _Inliner(function, {name: functions[name] for name in names}).run()


def _fits(callee: Function, caller: Function, optimised: Mapping[str, Function]) -> bool:
    """Whether a callee is small, has no loops, and is compiled as the caller is."""
    if isinstance(callee, HostFunction) or callee.cold or callee.recursion:
        return False
    if all(isinstance(t, ScalarType) for _, t in callee.params) and not _may_trap(
        optimised.get(callee.name, callee)
    ):
        return False
    if is_own_code(callee.name) and not is_own_code(caller.name):
        return False  # its traps are told at the user's line that calls it
    if callee.options != caller.options or not callee.body:
        return False
    size = 0
    for statement in walk(callee.body):
        size += _counts(statement)
        if isinstance(statement, For | While):
            return False
        if isinstance(statement, Op) and (
            statement.opcode == "parallel" or statement.opcode in OUTPUT | _ARENA
        ):
            return False
    return size <= CALLEE_LIMIT and _one_end(callee.body, lambda end: []) is not None


def _may_trap(callee: Function) -> bool:
    return any(isinstance(s, Op) and can_trap(s) for s in walk(callee.body))


def _counts(statement: Statement) -> bool:
    """Whether a statement is one of those that limits count: what flushes goes with what it
    flushes."""
    return not (isinstance(statement, Op) and statement.opcode == "flush")


def _one_end(region: Region, leave: Callable[[Return], Region]) -> Region | None:
    """A region that returns on every way, without returns: what `leave` makes in their places,
    what follows an `if` with one in its other branch. None where neither branch always returns."""
    for at, statement in enumerate(region):
        if isinstance(statement, Return):
            return [*region[:at], *leave(statement)]
        if not isinstance(statement, If) or not _returns([statement]):
            continue
        rest = region[at + 1 :]
        then, orelse = statement.then, statement.orelse
        if (made := _one_end(then, leave)) is not None:
            other = _one_end([*orelse, *rest], leave)
            branches = made, other
        else:
            branches = _one_end([*then, *rest], leave), _one_end(orelse, leave)
        then, orelse = branches
        if then is None or orelse is None:
            return None
        return [*region[:at], replace(statement, then=then, orelse=orelse)]
    return None


def _returns(region: Region) -> bool:
    return any(isinstance(statement, Return) for statement in walk(region))


class _Inliner:
    def __init__(self, function: Function, callees: Mapping[str, Function]) -> None:
        self._function = function
        self._callees = callees
        self._ids = fresh_ids(function)
        self._slots: dict[str, ValueType] = dict(function.slots)
        self._locals: dict[str, MemoryType] = dict(function.locals)
        self._copies = 0

    def run(self) -> Function:
        body = self._outside(self._function.body)
        if not self._copies:
            return self._function
        return replace(self._function, body=body, slots=self._slots, locals=self._locals)

    def _outside(self, region: Region) -> Region:
        """A region outside of innermost loops."""
        out: Region = []
        for statement in region:
            if isinstance(statement, For) and self._is_worth_it(statement):
                statement = replace(statement, body=self._inside(statement.body))
            elif not isinstance(statement, Op):
                statement = map_regions(statement, self._outside)
            out.append(statement)
        return out

    def _is_worth_it(self, loop: For) -> bool:
        size = 0
        for statement in walk(loop.body):
            if isinstance(statement, For | While):
                return False
            size += _counts(statement)
            if isinstance(statement, Op) and statement.opcode in CALLS:
                callee = self._callees.get(str(statement.attr))
                size += sum(map(_counts, walk(callee.body))) if callee is not None else 0
        return size <= LOOP_LIMIT

    def _inside(self, region: Region) -> Region:
        """A region of an innermost loop."""
        out: Region = []
        known: dict[Value, Value] = {}
        for statement in region:
            statement = _with_values(statement, known)
            if isinstance(statement, Op):
                callee = self._callees.get(str(statement.attr))
                if statement.opcode == "call" and callee is not None:
                    out += self._copy(callee, statement, known)
                    continue
            else:
                statement = map_regions(statement, self._inside)
            out.append(statement)
        return out

    def _copy(self, callee: Function, call: Op, known: dict[Value, Value]) -> Region:
        """The callee's body for one call; what uses the call's results finds them in `known`."""
        prefix = f"{callee.name}.{self._copies}."
        self._copies += 1
        body, results = self._without_returns(clone(callee.body, self._ids), callee, prefix)
        sets = {s.attr for s in walk(body) if isinstance(s, Op) and s.opcode == "set"}
        given = dict(zip((name for name, _ in callee.params), call.args, strict=True))
        types = {**dict(callee.params), **callee.slots}
        out: Region = []
        for name, value in given.items():
            if name in sets:
                op = Op(next(self._ids), "set", (value,), prefix + name, (), call.span)
                out.append(op)
        for name, t in types.items():
            if name not in given or name in sets:
                self._slots[prefix + name] = t
        self._locals |= {prefix + name: t for name, t in callee.locals.items()}
        free = {name: value for name, value in given.items() if name not in sets}
        out += _Renaming(prefix, free, known).region(body)
        for result, value in zip(call.results, results, strict=True):
            known[result] = known.get(value, value)
        return out

    def _without_returns(
        self, body: Region, callee: Function, prefix: str
    ) -> tuple[Region, Sequence[Value]]:
        """A copy of a body without returns, and its results: the values of the one return at its
        end, or slots that several set."""
        if isinstance(body[-1], Return) and not _returns(body[:-1]):
            return body[:-1], body[-1].values
        names = [f"returned.{k}" for k in range(len(callee.results))]
        self._slots |= {prefix + n: t for n, t in zip(names, callee.results, strict=True)}

        def leave(end: Return) -> Region:
            return [
                Op(next(self._ids), "set", (value,), name, (), end.span)
                for name, value in zip(names, end.values, strict=True)
            ]

        made = _one_end(body, leave)
        assert made is not None
        results: list[Value] = []
        for name, t in zip(names, callee.results, strict=True):
            number = next(self._ids)
            results.append(Value(number, 0, t))
            made.append(Op(number, "get", (), name, (results[-1],), callee.span))
        return made, results


class _Renaming:
    """Names of a body with a prefix; parameters that it never sets are their arguments."""

    def __init__(self, prefix: str, given: Mapping[str, Value], known: dict[Value, Value]) -> None:
        self._prefix = prefix
        self._given = given
        self._known = known

    def region(self, region: Region) -> Region:
        return list(self._statements(region))

    def _statements(self, region: Region) -> Iterator[Statement]:
        for statement in region:
            statement = with_operands(statement, lambda v: self._known.get(v, v))
            if not isinstance(statement, Op):
                yield map_regions(statement, self.region)
            elif statement.opcode == "get" and statement.attr in self._given:
                self._known[statement.result] = self._given[str(statement.attr)]
            elif statement.opcode in ("get", "set", "local"):
                yield replace(statement, attr=f"{self._prefix}{statement.attr}")
            else:
                yield statement


def _with_values(statement: Statement, known: Mapping[Value, Value]) -> Statement:
    """The statement, and all inside it, with known values for others."""
    if not known:
        return statement
    statement = with_operands(statement, lambda v: known.get(v, v))
    if isinstance(statement, Op) or not regions(statement):
        return statement
    return map_regions(statement, lambda r: [_with_values(s, known) for s in r])
