"""The inquiry into a differing frame of two builds: operation, cause, and the experiments on both.

Owns the order of what is asked. Traces of both sides tell the operation; side a's alone still tells
which of its operations side b's bits fit; mixtures of the builds tell files and flags.
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

import numpy as np

from samebits.diagnosis.frame.search import Progress
from samebits.diagnosis.programs.causes import Explained, explained
from samebits.diagnosis.programs.evidence import SideTraces
from samebits.diagnosis.programs.mixed import LINK, MixedBuilds, Switched
from samebits.diagnosis.programs.operation import (
    lane_of,
    operation_fact,
    path_fact,
    place_of,
    scalar_of,
    spoken_opcode,
    word_datum,
)
from samebits.diagnosis.programs.sides import BuiltSide
from samebits.diagnosis.programs.slices import FORMATS
from samebits.diagnosis.programs.switching import lines_of, made_strict
from samebits.diagnosis.programs.verdict import flags_cause as _of_flags
from samebits.diagnosis.programs.verdict import tell_causes
from samebits.diagnosis.report.findings import Diagnosis, FieldFact, OperationFact
from samebits.errors import RunnerError
from samebits.foreign.pair import first_difference
from samebits.foreign.probes.align import Parting, first_parting
from samebits.foreign.probes.instrument import Site
from samebits.foreign.probes.trace import Trace
from samebits.foreign.programs.noise import Noise, without_noise
from samebits.foreign.programs.plan import BuildPlan
from samebits.foreign.programs.running import recorded
from samebits.foreign.programs.workshop import Workshop
from samebits.foreign.report import machine_of

_Mixed = tuple[MixedBuilds, Switched]
_FIELDS = 6
_WIDE = re.compile(r"-m32|-mfpmath=387|-mfpmath=both|-fexcess-precision|-mno-sse")


@dataclass(eq=False)
class Inquiry:
    """One frame of two sides, and what is known of it."""

    shop: Workshop
    out: Diagnosis
    a: BuiltSide
    b: BuiltSide
    noises: Sequence[Noise]
    progress: Progress
    why: Explained | None = None
    reference: Trace | None = None
    """Side a's trace, of which `why` has its rows."""

    def run(self, one: SideTraces, other: SideTraces) -> None:
        """Tell operation and causes, as far as they are found, from both sides' traces."""
        for traced, letter in ((one, "a"), (other, "b")):
            if traced.said:
                self.out.note(f"side {letter}: {traced.said}")
            if traced.by and traced.any:
                self.out.note(f"side {letter} is traced by {traced.by}, which has its states")
        parting = self._parting(one, other)
        mixed = self._mixed_files(self._module(one, other, parting))
        if mixed is not None and parting is not None and one.any and other.any:
            module = self._module(one, other, parting)
            files = set(mixed[1].files)
            if module and module not in files and not files <= {LINK}:
                nearer = self._parting(one, other, files)
                if nearer is not None:
                    self.out.note(
                        f"{module} is the first file that does something else, and changes no "
                        "state by it: told is the first of those that do"
                    )
                    parting = nearer
        if parting is not None and one.any and other.any:
            self._tell(one, other, parting, mixed[1].files if mixed else ())
        elif one.operations is not None:
            self._tell_fitting(one.operations.trace, mixed[1].files if mixed else ())
        self._experiments(other, mixed)

    def _module(self, one: SideTraces, other: SideTraces, found: Parting | None) -> str:
        """The source file in which traces part."""
        if found is None or one.any is None or other.any is None:
            return ""
        if found.kind == "path" and found.b is not None:
            return other.any.trace.site(found.b).module
        if found.a is not None:
            return one.any.trace.site(found.a).module
        return ""

    def _parting(
        self, one: SideTraces, other: SideTraces, files: Container[str] | None = None
    ) -> Parting | None:
        a, b = one.any, other.any
        if a is None or b is None:
            return None
        if a.is_unsteady or b.is_unsteady:
            self.out.note("two traces of one side go other ways: operations may be noise")
        found = first_parting(a.trace, b.trace, a.noise | b.noise, files)
        if found is None and files is None:
            self.out.note("all operations that both sides share agree: one that is not does it")
        return found

    def _tell(
        self, one: SideTraces, other: SideTraces, found: Parting, files: Container[str]
    ) -> None:
        assert one.any is not None
        assert other.any is not None
        a, b = one.any.trace, other.any.trace
        levels = ["every operation" if each.operations else "stores" for each in (one, other)]
        how = (
            f"the runs with probes at {levels[0]} (a) and {levels[1]} (b) have the plain runs' "
            "states"
        )
        folder = self.shop.program.folder
        fact = operation_fact(a, b, found, how) or path_fact(a, b, found, folder, how)
        if fact is None:
            return
        if found.kind != "path" and found.a is not None and found.b is not None and one.operations:
            self.reference = one.operations.trace
            self.why = self._explained(one.operations.trace, found.a, a, b.result(found.b))
            if self.why is not None:
                fact = replace(fact, ask=self.why.ask)
                fact = self._within(fact, self.why, a.site(found.a), files)
        self.out.operation = fact
        self._tell_onward(a, found)

    def _within(
        self, fact: OperationFact, why: Explained, seen: Site, files: Container[str]
    ) -> OperationFact:
        """The fact of a value as of the operation that gives it, where that stands in a file which
        makes the difference, and what is seen of the value on both sides stands in another."""
        assert self.reference is not None
        site = self.reference.site(why.slice.rows[0])
        if site.module not in files or seen.module in files:
            return fact
        operands = tuple(
            word_datum(lane_of(site.type, 0, 0), bits, name)
            for name, bits in why.slice.operands.items()
        )
        seen_at = f"{os.path.basename(fact.place.file)}:{fact.place.line}"
        return replace(
            fact, kind="result", opcode=spoken_opcode(site), place=place_of(site.place),
            operands=operands, validation=f"{fact.validation}; of side b it is seen at {seen_at}",
        )  # fmt: skip

    def _explained(self, trace: Trace, row: int, a: Trace, word: int) -> Explained | None:
        site = a.site(row)
        lane = lane_of(site.type, a.result(row), word)
        t = scalar_of(lane.type)
        if t is None or not t.is_ieee or lane.type != site.type:
            return None
        return explained(trace, row, lane.of(word), self._impossible())

    def _tell_onward(self, a: Trace, found: Parting) -> None:
        """Where a value from a header goes on to, in the program's own sources."""
        fact = self.out.operation
        if fact is None or found.a is None or found.kind == "path":
            return
        start, word = found.a, a.result(found.a)
        for row in range(start + 1, min(start + 64, len(a))):
            place = a.site(row).place
            if place.file != fact.place.file and word in (a.result(row), *a.operands(row)):
                self.out.operation = replace(fact, calls=(place_of(place),))
                return

    def _tell_fitting(self, trace: Trace, files: Container[str]) -> None:
        """Of the operations of side a that gave a differing field, one that b's bits fit; in
        `files` alone where any are known."""
        best: tuple[Explained, int, FieldFact] | None = None
        for each in self.out.fields[:_FIELDS]:
            row = _giver(trace, each)
            if row is None or trace.site(row).type not in FORMATS:
                continue
            made = explained(trace, row, int(each.b.bits, 16), self._impossible())
            if made is not None and files and trace.site(made.slice.rows[0]).module not in files:
                continue
            if made is not None and (best is None or made.length < best[0].length):
                best = made, row, each
        if best is None:
            self._tell_giver(trace, files)
            return
        self.why, row, each = best
        self.reference = trace
        site = trace.site(self.why.slice.rows[0])
        lane = lane_of(site.type, 0, 0)
        operands = tuple(
            word_datum(lane, bits, name) for name, bits in self.why.slice.operands.items()
        )
        self.out.operation = OperationFact(
            "result", spoken_opcode(site), place_of(site.place), (), (), operands,
            each.a, each.b, each.ulps,
            f"side a's trace gives {each.path} there; of side b its state alone is known",
            ask=self.why.ask,
        )  # fmt: skip

    def _tell_giver(self, trace: Trace, files: Container[str]) -> None:
        """The operation of side a that gave the first differing field, where the file is known to
        make the difference and nothing explains it."""
        each = self.out.fields[0] if self.out.fields else None
        row = None if each is None or not files else _giver(trace, each, files)
        if each is None or row is None:
            return
        site = trace.site(row)
        self.out.operation = OperationFact(
            "result", spoken_opcode(site), place_of(site.place), (), (), (), each.a, each.b,
            each.ulps,
            f"side a's trace gives {each.path} there, in a file that makes the difference; of side "
            "b its state alone is known",
        )  # fmt: skip

    def _experiments(self, other: SideTraces, mixed: _Mixed | None) -> None:
        """Files, flags and lines that are switched, and what becomes of the difference."""
        causes = list(self.why.causes()) if self.why is not None else []
        switched = None if mixed is None else mixed[0].flags(mixed[1]) or mixed[1]
        evidence: list[str] = []
        if switched is not None:
            frames = f"{switched.same:,} of {switched.frames:,} frames"
            evidence.append(f"{switched.words}: b's hash in {frames} from there on")
        strict = self._strict_lines(other)
        evidence += [strict] * bool(strict)
        by_flags = _of_flags(switched)
        told = tell_causes(causes, by_flags, switched, tuple(evidence), bool(strict))
        if told is None:
            self.out.notes += evidence
        else:
            self.out.causes, self.out.certainty = told

    def _mixed_files(self, first: str) -> _Mixed | None:
        """The files that make the difference, where both builds' files link together."""
        plans = [self.shop.plan(each.side) for each in (self.a, self.b)]
        if plans[0] is None or plans[1] is None:
            return None
        if _built(plans[0]) == _built(plans[1]):
            return None
        assert self.out.frame is not None
        mixed = MixedBuilds(
            self.shop, plans[0], plans[1], (self.a.run, self.b.run), self.out.frame, self.noises
        )
        if not mixed.can:
            self.out.note("the sides are of two processors: no files of theirs can be mixed")
            return None
        self.progress("mixing both builds", 0, 0)
        files = mixed.files(first)
        return None if files is None else (mixed, files)

    def _strict_lines(self, other: SideTraces) -> str:
        """What becomes of side b where the lines of the operation alone are made strict in its IR;
        empty where it can't be tried, or changes nothing."""
        if self.why is None or other.prober is None or self.out.operation is None:
            return ""
        if not other.any:
            return ""
        place = self.out.operation.place
        lines = {(place.file, place.line)}
        if self.reference is not None:
            lines |= lines_of([self.reference.site(row) for row in self.why.slice.rows])
        self.progress("the operation made strict", 0, 0)
        try:
            program = other.prober.plain(made_strict(lines))
            run = recorded(
                self.shop.program, self.b.side, program, self.shop.path("strict.sbt")
            ).run
        except RunnerError:
            return ""
        mine, theirs = (without_noise(each, self.noises) for each in (self.a.run, run))
        said = _strict_said(self.out.frame or 0, first_difference(mine, theirs))
        return f"{said} (by {other.by})" if said and other.by else said

    def _impossible(self) -> frozenset[str]:
        """Hazards that cannot have acted on side b, by its flags and by the record's control
        registers."""
        plan = self.shop.plan(self.b.side)
        flags = (*self.b.side.flags, *(plan.flags if plan is not None else ()))
        environment = machine_of(self.b.run).environment
        found = {"x87", "double-rounding"} if not any(map(_WIDE.match, flags)) else set[str]()
        if environment:
            found |= {"rounding"} if "round" not in environment else set()
            found |= {"flush"} if "flush" not in environment else set()
        return frozenset(found)


def _built(plan: BuildPlan) -> tuple[object, ...]:
    """All that makes a program another."""
    steps = [(step.path, step.compiler, step.flags) for step in plan.compiles]
    return steps, [command.words for command in plan.link.commands]


def _strict_said(frame: int, left: int | None) -> str:
    if left is None:
        return "with these lines alone made strict, side b has a's hash in every frame: confirmed"
    if left > frame:
        return (
            f"with these lines alone made strict, side b has a's hash up to frame {left - 1:,}: "
            "confirmed, and others remain"
        )
    return ""


_KINDS = {
    "float16": "half", "float32": "float", "float64": "double", "int8": "i8", "uint8": "i8",
    "int16": "i16", "uint16": "i16", "int32": "i32", "uint32": "i32", "int64": "i64",
    "uint64": "i64",
}  # fmt: skip
_COMMON = 256
"""Integers below this are too many operations' results to tell one by."""


def _giver(trace: Trace, field: FieldFact, files: Container[str] = ()) -> int | None:
    """The last record that gave a field's bits on side a, in `files` where any are given."""
    kind, word = _KINDS.get(field.a.type), int(field.a.bits, 16)
    if kind is None or word < _COMMON:
        return None
    for row in np.flatnonzero(trace.rows[:, 4] == np.uint64(word))[::-1]:
        site = trace.site(int(row))
        if site.type == kind and (not files or site.module in files):
            return int(row)
    return None
