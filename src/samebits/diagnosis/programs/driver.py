"""The driver of two sides of a program: both are built, run twice, and their records compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from samebits.diagnosis.driver import diagnose_reports
from samebits.diagnosis.driver.told import timed
from samebits.diagnosis.frame.search import Progress, silent
from samebits.diagnosis.frame.state_diff import differences
from samebits.diagnosis.programs.evidence import SideTraces, traced_side
from samebits.diagnosis.programs.inquiry import Inquiry
from samebits.diagnosis.programs.sides import BuiltSide
from samebits.diagnosis.programs.source_hazards import source_causes
from samebits.diagnosis.programs.unrepeatable import unset_cause, unset_uses, why_unrepeatable
from samebits.diagnosis.programs.verdict import run_cause
from samebits.diagnosis.report.findings import Diagnosis
from samebits.diagnosis.report.wording import moment
from samebits.foreign.pair import first_difference, reports_of
from samebits.foreign.programs.description import Program, ProgramSide
from samebits.foreign.programs.noise import Noise, noise_of, without_noise
from samebits.foreign.programs.running import recorded
from samebits.foreign.programs.workshop import Workshop

_NOISY_FIELDS = 4
_LOOK = (
    "what instructions each program has, and what the flags of each file let a compiler do, "
    "`samebits audit` says"
)


def diagnose_program(program: Program, a: str, b: str, progress: Progress = silent) -> Diagnosis:
    """Build and run sides `a` and `b` of a program, and say where and why they part.

    Raises SideError for sides that are not there, RunnerError where a command fails, ReportError
    where the sides' records are not of the same state.
    """
    sides = [program.side(a), program.side(b)]
    with Workshop(program) as shop:
        return diagnose_sides(shop, sides[0], sides[1], progress)


def diagnose_sides(
    shop: Workshop, a: ProgramSide, b: ProgramSide, progress: Progress = silent
) -> Diagnosis:
    """As `diagnose_program`, of sides that need not be in sim.toml, where what was built lies."""
    notes: list[str] = []
    both = [_built(shop, side, letter, notes, progress)
            for side, letter in ((a, "a"), (b, "b"))]  # fmt: skip
    out = _compared(shop, both, progress)
    out.notes += notes
    return out


def _built(
    shop: Workshop, side: ProgramSide, letter: str, notes: list[str], progress: Progress
) -> BuiltSide:
    progress(f"building side {letter}", 0, 0)
    built = shop.built(side)
    progress(f"running side {letter}", 0, 0)
    one, again = (
        recorded(shop.program, side, built, shop.path(f"{side.name}.sbt")) for _ in range(2)
    )
    if one.ended:
        notes.append(one.ended)
    return BuiltSide(side, built, one.run, again.run, noise_of(one.run, again.run))


def _compared(shop: Workshop, both: list[BuiltSide], progress: Progress) -> Diagnosis:
    """The comparison without what either side's own runs disagree on."""
    noises = [each.noise for each in both if each.noise is not None]
    a, b = (without_noise(each.run, noises) for each in both)
    noisy = next((each for each in both if each.noise is not None), None)
    if noisy is not None and first_difference(a, b) is None:
        return _unrepeatable(shop, noisy, both, progress)
    out = diagnose_reports(*reports_of(a, b), progress)
    out.simulation = shop.program.name
    out.a, out.b = (each.side.words for each in both)
    out.notes = [note for note in out.notes if str(shop.folder) not in note]
    for each, letter in zip(both, "ab", strict=True):
        if each.noise is not None:
            out.note(_noise_said(each, letter))
    if out.frame is not None:
        with timed(out):
            out = _inquired(shop, out, both, noises, progress)
    _tell_source(shop, out, both[0])
    if not out.causes:
        cause = run_cause(*(each.side for each in both))
        if cause is not None:
            out.causes, out.certainty = (cause,), "certain"
    if out.frame is not None and not out.causes:
        with timed(out):
            _tell_unset(shop, out, both, progress)
    if out.frame is not None and not out.causes:
        out.note(_LOOK)
    return out


def _inquired(
    shop: Workshop,
    out: Diagnosis,
    both: list[BuiltSide],
    noises: Sequence[Noise],
    progress: Progress,
) -> Diagnosis:
    """Operation and cause; with the sides crossed where side b alone can be traced operation by
    operation."""
    assert out.frame is not None
    traces: list[SideTraces] = []
    for each, letter in zip(both, "ab", strict=True):
        progress(f"side {letter} with probes", 0, 0)
        traces.append(traced_side(shop, each.side, each.run, out.frame, noises))
    if traces[0].operations is None and traces[1].operations is not None:
        both, traces = both[::-1], traces[::-1]
        notes = out.notes
        a, b = (without_noise(each.run, noises) for each in both)
        out = diagnose_reports(*reports_of(a, b), progress)
        out.simulation, out.notes = shop.program.name, notes
        out.a, out.b = (each.side.words for each in both)
        out.note("the sides are crossed: that which is side a can be traced by operations")
    Inquiry(shop, out, both[0], both[1], noises, progress).run(*traces)
    return out


def _tell_source(shop: Workshop, out: Diagnosis, one: BuiltSide) -> None:
    """What C leaves open in the source where both part, where the operation's bits explain nothing.
    An experiment that shows the compilers to be the cause is its evidence."""
    told = out.causes[0].hazard if out.causes else ""
    plan = shop.plan(one.side)
    if out.operation is None or plan is None or told not in ("", "compiler"):
        return
    found = source_causes(out.operation.place, plan.compiles)
    if found:
        evidence = (*found[0].evidence, *(out.causes[0].evidence if out.causes else ()))
        out.causes = (replace(found[0], evidence=evidence), *found[1:])
        out.certainty = "likely" if told else "possible"


def _tell_unset(shop: Workshop, out: Diagnosis, both: list[BuiltSide], progress: Progress) -> None:
    """Memory that nobody set as the cause, where Valgrind sees some being used."""
    for each, letter in zip(both, "ab", strict=True):
        progress(f"side {letter} under Valgrind", 0, 0)
        uses = unset_uses(shop, each.side)
        if uses:
            told = [f"side {letter}, {u.function}, {u.place}: {u.origin}" for u in uses[:4]]
            out.causes, out.certainty = (unset_cause(tuple(told)),), "likely"
            return


def _unrepeatable(
    shop: Workshop, noisy: BuiltSide, both: list[BuiltSide], progress: Progress
) -> Diagnosis:
    """Two runs of one side, which are all that differs."""
    letter = "ab"[both.index(noisy)]
    out = diagnose_reports(*reports_of(noisy.run, noisy.again), progress)
    out.simulation = shop.program.name
    out.a, out.b = (f"{noisy.side.words}, {when} run" for when in ("first", "second"))
    out.notes = [note for note in out.notes if str(shop.folder) not in note]
    out.note(f"sides a and b differ in nothing but what two runs of side {letter} disagree on")
    with timed(out):
        progress("why two runs differ", 0, 0)
        cause, out.certainty = why_unrepeatable(shop, noisy.side, noisy.built)
        out.causes = (cause,)
    return out


def _noise_said(each: BuiltSide, letter: str) -> str:
    """What of a side is noise, by its first fields."""
    noise = each.noise
    assert noise is not None
    one, other = each.run.state_after(noise.first), each.again.state_after(noise.first)
    fields = ""
    if one is not None and other is not None:
        found = differences(each.run.state, one, other, _NOISY_FIELDS)
        names = [fact.path for fact in found.first]
        more = found.differing - len(names)
        fields = f": {', '.join(names)}{f' and {more:,} more' if more > 0 else ''}"
    return (
        f"two runs of side {letter} differ from {moment(noise.first)} on{fields}; what they "
        "disagree on is left out of the comparison"
    )
