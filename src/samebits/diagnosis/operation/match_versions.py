"""Two versions of a source as typed IR: which operations are the same, and what has changed.

Owns the matching of operations, so that traces of both versions can be compared. Knows nothing of
values or of hazards.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import Match, SequenceMatcher
from itertools import accumulate, count

from samebits.diagnosis.report.spoken import signed, spoken
from samebits.errors import Span
from samebits.ir.analysis.budget import Budget
from samebits.ir.grammar import (
    CALLS,
    For,
    Function,
    Module,
    Numbered,
    Op,
    Value,
)
from samebits.ir.refs import OpRef, what
from samebits.ir.rewrite import clone, numbered

_Tokens = Sequence[tuple[object, ...]]
"""What makes statements the same, one after the other."""


@dataclass(frozen=True, slots=True)
class Change:
    """One operation that differs in the second version.

    `kind` is "constant", "operation", "operands", "added" or "removed"; `place` is in the first
    version, or, for what was added, in the second as `MatchedVersion` numbers it, where the first
    one has nothing; `a` and `b` are where it stands in each, and None where it does not.
    """

    kind: str
    place: OpRef
    text: str
    a: Span | None
    b: Span | None


@dataclass(frozen=True, slots=True)
class MatchedVersion:
    """The second version with the first one's names and numbers where operations are the same."""

    module: Module
    changes: tuple[Change, ...]


def match_versions(
    a: Module, b: Module, budget: Budget | None = None, same: tuple[str, str] | None = None
) -> MatchedVersion:
    """`b` with functions named and operations numbered as in `a`, and what differs.

    Functions correspond where their names do, or the last part of them does, and those of `same`,
    one of each, whatever they are called. What the matching may take is `budget`'s, or one of its
    own.
    """
    names = _names(a, b, same)
    matching = _Most(Budget() if budget is None else budget)
    functions: dict[str, Function] = {}
    changes: list[Change] = []
    for name, function in b.functions.items():
        new = names.get(name, name)
        other = a.functions.get(new)
        renamed = _renamed(function, new, names)
        if other is None:
            functions[new] = renamed
            changes.append(
                Change(
                    "added", _first_of(renamed), f"{_short(new)} is in b alone", None, function.span
                )
            )
        else:
            functions[new], found = _Matching(other, renamed, matching).run()
            changes += found
    for name, gone in a.functions.items():
        if name in functions:
            continue
        text = f"{_short(name)} is missing in b"
        changes.append(Change("removed", _first_of(gone), text, gone.span, None))
    return MatchedVersion(Module(functions, {**a.tables, **b.tables}), tuple(changes))


def _first_of(function: Function) -> OpRef:
    """The first statement of a function."""
    return OpRef(function.name, next((s.id for s in numbered(function.body)), 0))


_NUMBER = re.compile(r"#\d+")
"""How names are told apart that are the same in both versions."""
_RANGE = re.compile(r"prange\d+")
"""What a parallel range is called in the function that it is in."""


def _plain(name: str) -> str:
    return _NUMBER.sub("", name)


def _short(name: str) -> str:
    """A function's name without its module; a parallel range goes by the function that it is in."""
    before, _, last = _plain(name).rpartition(".")
    owner = before.rpartition(".")[2]
    return f"{owner}.{last}" if owner and _RANGE.fullmatch(last) else last or name


def _kind(types: Sequence[Value]) -> tuple[str, ...]:
    """Types by name: those of two versions are not the same objects."""
    return tuple(_NUMBER.sub("", str(value.type)) for value in types)


def _form(statement: Numbered) -> tuple[object, ...]:
    """What two statements share where one may have become the other."""
    return type(statement), _kind(statement.results) if isinstance(statement, Op) else ()


def _names(a: Module, b: Module, same: tuple[str, str] | None) -> dict[str, str]:
    """Names of `b` that stand for others in `a`: the same but for numbers, or else at their end."""
    found: dict[str, str] = {}
    if same is not None and same[0] != same[1]:
        # Each takes the other's name, should that be taken.
        found = {same[1]: same[0]} | ({same[0]: same[1]} if same[0] in b.functions else {})
    for key in (_plain, _short):
        taken = b.functions.keys() | found.values()
        free = {key(name): name for name in a.functions if name not in taken}
        for name in b.functions:
            if name not in a.functions and name not in found and key(name) in free:
                found[name] = free.pop(key(name))
    return found


def _renamed(function: Function, name: str, names: dict[str, str]) -> Function:
    """A copy that calls what it calls by `a`'s names."""
    body = clone(function.body, count())
    for statement in numbered(body):
        if isinstance(statement, Op) and statement.opcode in CALLS:
            statement.attr = names.get(str(statement.attr), str(statement.attr))
    return replace(function, name=name, body=body)


class _Matching:
    """Matches the statements of one function in both versions."""

    def __init__(self, a: Function, b: Function, most: _Most) -> None:
        self._a, self._b = a, b
        self._most = most
        self._left = list(numbered(a.body))
        self._right = list(numbered(b.body))
        self._pairs: dict[int, int] = {}
        """From an id of `b` to the id of `a`."""
        self._changes: list[Change] = []

    def run(self) -> tuple[Function, list[Change]]:
        left = [_token(s) for s in self._left]
        right = [_token(s) for s in self._right]
        for tag, a0, a1, b0, b1 in _blocks(left, right, self._most):
            if tag == "equal" or a1 - a0 == b1 - b0:
                for x, y in zip(self._left[a0:a1], self._right[b0:b1], strict=True):
                    self._pair(x, y)
                continue
            for x in self._left[a0:a1]:
                self._one_sided("removed", x)
            for y in self._right[b0:b1]:
                self._one_sided("added", y)
        self._operands()
        fresh = count(1 + max((s.id for s in self._left), default=-1))
        ids = {s.id: self._pairs.get(s.id, -1) for s in self._right}
        ids = {old: next(fresh) if new < 0 else new for old, new in ids.items()}
        renumbered = replace(self._b, body=clone(self._b.body, iter(ids.values())))
        return renumbered, [self._as_numbered(change, ids) for change in self._changes]

    def _pair(self, x: Numbered, y: Numbered) -> None:
        if _form(x) != _form(y):
            self._one_sided("removed", x)
            self._one_sided("added", y)
            return
        if isinstance(x, Op) and isinstance(y, Op):
            if x.opcode != y.opcode:
                self._change("operation", x, y, f"{signed(x.opcode)} became {signed(y.opcode)}")
            elif repr(x.attr) != repr(y.attr):  # which tells zeros apart, and NaNs not
                kind = "constant" if x.opcode == "const" else "operation"
                self._change(kind, x, y, _other_attribute(x, y))
        elif isinstance(x, For) and isinstance(y, For) and x.step != y.step:
            self._change("operation", x, y, f"a step of {x.step} became {y.step}")
        self._pairs[y.id] = x.id

    def _operands(self) -> None:
        """Operations that are the same, of other operands."""
        mine = {s.id: s for s in self._left}
        for y in self._right:
            x = mine.get(self._pairs.get(y.id, -1))
            if isinstance(x, Op) and isinstance(y, Op) and x.opcode == y.opcode:
                mapped = [self._mapped(v) for v in y.args]
                if mapped != [(v.op, v.index) for v in x.args] and None not in mapped:
                    self._change("operands", x, y, f"the {spoken(x.opcode)} has other operands")

    def _mapped(self, value: Value) -> tuple[int, int] | None:
        number = self._pairs.get(value.op)
        return None if number is None else (number, value.index)

    def _change(self, kind: str, x: Numbered, y: Numbered, text: str) -> None:
        self._changes.append(Change(kind, OpRef(self._a.name, x.id), text, x.span, y.span))

    def _one_sided(self, kind: str, s: Numbered) -> None:
        a, b = (s.span, None) if kind == "removed" else (None, s.span)
        where = "missing in b" if kind == "removed" else "in b alone"
        text = f"the {spoken(what(s))} is {where}"
        self._changes.append(Change(kind, OpRef(self._a.name, s.id), text, a, b))

    def _as_numbered(self, change: Change, ids: Mapping[int, int]) -> Change:
        """A change with the number that its statement gets: one that is new has none of `a`."""
        if change.kind != "added":
            return change
        return replace(change, place=OpRef(change.place.function, ids[change.place.op]))


def _other_attribute(x: Op, y: Op) -> str:
    """How an operation of another constant, function, field or table has changed."""
    match x.opcode:
        case "const":
            return f"{x.attr!r} became {y.attr!r}"
        case "table":
            return "the numbers of a table are others"
        case opcode if opcode in CALLS:
            return f"{_short(str(x.attr))} became {_short(str(y.attr))}"
        case opcode:
            return f"the {spoken(opcode)} {x.attr} became {y.attr}"


_STEPS = 32
"""Pairs that the matcher looks at in about the time of one operation."""


@dataclass(eq=False)
class _Most:
    """The work that the matchings of two modules may take together, out of a budget."""

    budget: Budget

    def __post_init__(self) -> None:
        self.most = self.left = min(self.budget.matching, self.budget.operations)

    def spend(self, pairs: int) -> None:
        """Raises _Spent where no more is left."""
        cost = min(self.left, 1 + pairs // _STEPS)
        self.left -= cost
        self.budget.operations -= cost
        if not self.left:
            self.budget.cut(f"matching two versions takes more than {self.most:,} operations")
            raise _Spent


class _Spent(Exception):
    """The matching takes too long."""


class _Matcher(SequenceMatcher[tuple[object, ...]]):
    """Pays for each longest stretch that it looks for, which it may do as often as there are
    statements: by the pairs that are alike, those are what it takes."""

    def __init__(self, left: _Tokens, right: _Tokens, most: _Most) -> None:
        most.spend(_STEPS * (len(left) + len(right)))
        super().__init__(None, left, right, autojunk=False)
        counts = Counter(right)
        self._alike = [0, *accumulate(1 + counts[token] for token in left)]
        self._most = most

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        end = len(self._alike) - 1 if ahi is None else ahi
        self._most.spend(self._alike[end] - self._alike[alo])
        return super().find_longest_match(alo, ahi, blo, bhi)


def _blocks(left: _Tokens, right: _Tokens, most: _Most) -> Sequence[tuple[str, int, int, int, int]]:
    """Which statements correspond: where there are as many, each with the one in its place, if that
    changes fewer than to match them anew. Where that would take too long, as another machine may
    bring about, only their ends are matched."""
    in_place = [("equal", 0, len(left), 0, len(right))]
    others = sum(x != y for x, y in zip(left, right, strict=False))
    if len(left) == len(right) and others <= 1:
        return in_place
    with suppress(_Spent):
        anew = _Matcher(left, right, most).get_opcodes()
        changed = sum(max(a1 - a0, b1 - b0) for tag, a0, a1, b0, b1 in anew if tag != "equal")
        return in_place if len(left) == len(right) and others < changed else anew
    shared = min(len(left), len(right))
    head = next((i for i in range(shared) if left[i] != right[i]), shared)
    tail = next((i for i in range(shared - head) if left[-1 - i] != right[-1 - i]), shared - head)
    a, b = len(left) - tail, len(right) - tail
    ends = ("equal", 0, head, 0, head), ("equal", a, len(left), b, len(right))
    return [ends[0], ("replace", head, a, head, b), ends[1]]


def _token(statement: Numbered) -> tuple[object, ...]:
    """The token by which two statements are the same. Constants of other values are a change of
    one."""
    match statement:
        case Op():
            return statement.opcode, repr(statement.attr), _kind(statement.results)
        case For():
            return "for", statement.slot
        case _:
            return (type(statement).__name__,)
