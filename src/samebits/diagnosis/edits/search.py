"""The smallest sets of edits that give the other version's bits, and which of them belong together.

Owns which sets are tried. A set passes where it gives the second version's hashes in every frame,
those before the differing one included.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from samebits.diagnosis.edits.edit import Edit
from samebits.diagnosis.edits.smallest import Edits, Smallest, union
from samebits.diagnosis.edits.trial import Outcome, Trials
from samebits.diagnosis.fast.ddmin import BudgetSpent
from samebits.errors import SamebitsError

BUDGET = 30.0
"""Seconds of the processor after which no more sets are tried, unless more are asked for."""


@dataclass(frozen=True)
class Answer:
    """One cause: edits that belong together.

    `alone` is the first frame in which the first version with them alone differs from itself, and
    `left` the one in which it differs with all other causes and without this: what remains once
    this is mended. None: it does not differ.
    """

    edits: tuple[Edit, ...]
    alone: int | None
    left: int | None
    fields: tuple[str, ...] = ()
    """Fields that differ then, the first of them."""


@dataclass
class Found:
    """What the search found. `needed` are the edits that give the second version's bits, of which
    none can be left out if `is_minimal`; `answers` the causes among them.

    `rivals` are another set that gives them, if there is one. What is not needed is `harmless`, or
    `masked`: it changes something without those needed, and nothing beside them.
    """

    needed: tuple[Edit, ...] = ()
    answers: tuple[Answer, ...] = ()
    rivals: tuple[Edit, ...] = ()
    harmless: tuple[Edit, ...] = ()
    masked: tuple[Edit, ...] = ()
    is_minimal: bool = False
    is_unique: bool = False
    """Whether all other edits were tried without each of those needed, and do not give the bits."""
    frames: int = 0
    """Frames that were compared, `init` left out."""
    trials: int = 0
    why: str = ""
    """Why nothing was found."""


@dataclass(eq=False)
class EditSearch:
    """One search. `a` and `b` are the outcomes of the versions as they are, `edits` come in the
    order in which they are likely to matter."""

    trials: Trials
    edits: Sequence[Edit]
    a: Outcome
    b: Outcome
    progress: Callable[[int], None]
    seconds: float = BUDGET
    out: Found = field(default_factory=Found)

    def __post_init__(self) -> None:
        self._end = time.process_time() + self.seconds

    def run(self) -> Found:
        """Search. What is not finished when the time is over is missing."""
        out = self.out
        try:
            self._run()
        except BudgetSpent:
            out.why = out.why or f"not all sets of edits were tried in {self.seconds:,.0f} s"
        out.trials = self.trials.count
        out.frames = max(0, len(self.b.hashes) - 1) + (self.b.trap is not None)
        return out

    def _run(self) -> None:
        out, every = self.out, frozenset(edit.number for edit in self.edits)
        if not every:
            out.why = "no edit of the source makes a difference: the files differ in nothing else"
            return
        for chosen, goal, what in (
            ((), self.a, "side a's source, written anew, does not give its bits"),
            (every, self.b, "all edits together do not give b's bits: something else differs too"),
        ):
            made = self._of(chosen)
            if made.parts_from(goal) is not None:
                out.why = f"{what}{f' ({made.refusal})' if made.refusal else ''}"
                return
        needed = self._least(self._sites(every))
        if needed is None:
            return
        out.needed = self._named(union(needed))
        groups = self._joined(needed)
        if len(groups) < len(needed):  # what belongs together may be left out together
            groups = self._least(groups) or groups
        single = [frozenset({e.number}) for e in self.edits if e.number in union(groups)]
        found = union(self._least(single) or single)
        out.needed = self._named(found)
        out.is_minimal = not out.why
        self._answer([group & found for group in groups if group & found])
        self._others(found, every, groups)

    def _least(self, sets: Sequence[Edits]) -> list[Edits] | None:
        """A smallest collection that gives the second version's bits, as far as there is time."""
        search = Smallest(sets, self._gives)
        found = search.run()
        if not search.is_minimal:
            self.out.why = f"not all sets of edits were tried in {self.seconds:,.0f} s"
        return found

    def _of(self, chosen: Iterable[int]) -> Outcome:
        if time.process_time() > self._end:
            raise BudgetSpent
        self.progress(self.trials.count)
        return self.trials.of(frozenset(chosen))

    def _gives(self, chosen: Collection[int]) -> bool:
        """Whether these edits alone give the second version's bits."""
        return self._of(chosen).parts_from(self.b) is None

    def _sites(self, numbers: Collection[int]) -> list[Edits]:
        """Edits of one site, together."""
        found: dict[int, set[int]] = {}
        for edit in self.edits:
            if edit.number in numbers:
                found.setdefault(edit.site, set()).add(edit.number)
        return [frozenset(site) for site in found.values()]

    def _named(self, numbers: Collection[int]) -> tuple[Edit, ...]:
        return tuple(edit for edit in self.edits if edit.number in numbers)

    def _others(self, found: Edits, every: Edits, groups: Sequence[Edits]) -> None:
        """Other edits than those needed: whether they give the bits too, or do anything."""
        out, rest = self.out, every - found
        if not rest:
            out.is_unique = True
            return
        tried = True
        for number in sorted(found):
            without = self._without(number, every, groups)
            if without is None:
                tried = False
            elif self._gives(without):
                every_site = self._sites(without)
                out.rivals = self._named(union(self._least(every_site) or every_site))
                break
        alone = self._of(rest)
        if alone.is_program and alone.parts_from(self.a) is not None:
            out.masked = self._named(rest)
        else:
            out.harmless = self._named(rest)
        out.is_unique = tried and not out.rivals

    def _without(self, number: int, every: Edits, groups: Sequence[Edits]) -> Edits | None:
        """The most edits without one of them that are a program: all others, or all but those of
        its site or of its cause, of which some may need it; None where no such are one."""
        whole = union([part for part in (*self._sites(every), *groups) if number in part])
        site = next(site for site in self._sites(every) if number in site)
        for left in (every - {number}, every - site, every - whole):
            if self._of(left).is_program:
                return left
        return None

    def _answer(self, groups: Sequence[Edits]) -> None:
        """The answers, each a group of edits that belong together."""
        answers: list[Answer] = []
        for group in groups:
            rest = union([each for each in groups if each != group])
            left = None if not rest else self._of(rest).parts_from(self.a)
            fields = () if left is None else self._fields(rest, left)
            alone = self._of(group).parts_from(self.a)
            answers.append(Answer(self._named(group), alone, left, fields))
        answers.sort(key=lambda each: (each.alone is None, each.alone or 0))
        self.out.answers = tuple(answers)

    def _fields(self, chosen: Edits, frame: int) -> tuple[str, ...]:
        try:
            return self.trials.fields(chosen, frame)
        except SamebitsError:  # the frame is known even so
            return ()

    def _joined(self, sets: Sequence[Edits]) -> list[Edits]:
        """Sets of edits, each with those that it does nothing without."""
        groups: list[Edits] = [*sets]
        at = 0
        while at < len(groups) and len(groups) > 1:
            group = groups[at]
            others = [each for each in groups if each != group]
            partners = self._partners(group, others)
            if not partners:
                at += 1
                continue
            joined = group.union(*partners)
            groups = [each for each in others if each not in partners]
            groups.insert(min(at, len(groups)), joined)
            at = 0
        return groups

    def _partners(self, group: Edits, others: Sequence[Edits]) -> list[Edits]:
        """The fewest other groups beside which this one changes something."""

        def acts(without: Edits) -> bool:
            one, other = self._of(without | group), self._of(without)
            return one.is_program and (not other.is_program or one.parts_from(other) is not None)

        if acts(frozenset()):
            return []
        return Smallest(others, acts).run() or []
