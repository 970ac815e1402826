"""The report of `samebits doctor`: this host, and a program if one is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samebits.doctor import culprit, host, programs, watched
from samebits.doctor.culprit import Culprit
from samebits.doctor.host import HostRow, Section
from samebits.doctor.programs import StackFrame, WatchedRun
from samebits.errors import ArgumentError
from samebits.runtime.fingerprint import Fingerprint


@dataclass(frozen=True, slots=True)
class Examination:
    """The result: rows by section. `culprits` are the program's, in order of appearance."""

    sections: tuple[Section, ...]
    observation: WatchedRun | None = None
    culprits: tuple[Culprit, ...] = ()

    @property
    def warnings(self) -> int:
        """The number of rows with a warning."""
        return sum(row.verdict == "warning" for section in self.sections for row in section.rows)


def examine(
    program: Sequence[str] = (),
    peer: Fingerprint | None = None,
    limit: float = programs.LIMIT_SECONDS,
) -> Examination:
    """Examine this host, then run `program` in processes of its own.

    `program` is a path and its arguments, or `-m`, a module and its arguments; each process is
    stopped after `limit` seconds. Raises ArgumentError if there is no such program, and TargetError
    if this system's registers are not known.
    """
    if program:
        programs.check_supported()
        programs.check_program(program)
    sections = host.sections(peer)
    if not program:
        return Examination(tuple(sections))
    observation = programs.observe(program, limit)
    if observation.outcome.startswith(watched.NO_MODULE):
        raise ArgumentError(observation.outcome, fix="give a module that `python -m` runs here")
    culprits = tuple(culprit.find(observation, program, limit))
    sections.append(Section(f"program {' '.join(program)}", tuple(_rows(observation, culprits))))
    return Examination(tuple(sections), observation, culprits)


def _rows(observation: WatchedRun, culprits: Sequence[Culprit]) -> list[HostRow]:
    rows = [_outcome(observation)]
    for found in culprits:
        name = f"{CHANGED_BY}{found.what}"
        value = "; ".join(found.gained)
        where = f"on thread {found.change.thread}, and"
        if found.change.restored:
            effect = f"{where} restored since: only code that ran in between was affected"
            rows.append(HostRow(name, value, "note", effect))
        else:
            effect = (
                f"{where} on threads that it starts later, everything outside kernels is affected"
            )
            rows.append(HostRow(name, value, "warning", effect, _remedy(found)))
    if not culprits and observation.finished:
        rows.append(HostRow("imports", f"none of {len(observation.imports)} changed the registers"))
    return rows + host.thread_rows(observation.threads, _INSIDE if culprits else host.INHERITED)


CHANGED_BY = "changed by "
"""How the name of a culprit's row begins; such rows are in the order of the culprits."""
_INSIDE = "see above for what changed it, or a library's own thread did: see its name"


def _outcome(observation: WatchedRun) -> HostRow:
    seconds = f"in {observation.seconds:.1f} s"
    if observation.finished and observation.outcome == "ended":
        return HostRow("outcome", f"ended {seconds}")
    fix = "give it input that ends, or more time with --timeout"
    return HostRow(
        "outcome", observation.outcome, "warning",
        "what it would have done after that is not examined",
        "run it with what it needs" if observation.finished else fix,
    )  # fmt: skip


def _remedy(found: Culprit) -> str:
    if found.change.kind in ("line", "outside"):
        return "restore the registers after that call, or make it inside sb.fpenv.pinned()"
    return "import it inside sb.fpenv.pinned(), or build it without -ffast-math"


def shown(place: StackFrame) -> str:
    """A place as `file:line in function: source`."""
    text = culprit.source(place)
    return f"{place.file}:{place.line} in {place.function}" + (f": {text}" if text else "")
