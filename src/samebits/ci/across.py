"""Diagnoses of runs that part between machines: this machine's beside another's.

The other machine's evidence is the report that its `verify --report` wrote, else the hashes of its
bits file. Both are untrusted; simulation and replays are those that the user names.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from samebits.ci.agreement import Agreement, Joined, Member
from samebits.ci.bits_file import Run
from samebits.ci.first_finding import command, plainest, report_name, write_inputs
from samebits.errors import ReplayError, SamebitsError
from samebits.output import write_file
from samebits.replay import ReplayReader
from samebits.sim.load import load_simulation
from samebits.sim.sources import ReplaySource
from samebits.verify.executions import Row, all_rows

SAME = "the same:"
"""How a diagnosis without a difference begins."""
MOST = 3
"""Most runs that are diagnosed: the others part for the same reasons, as a rule."""
SECONDS = 180
"""Most seconds of one diagnosis."""


@dataclass(frozen=True)
class Source:
    """What diagnoses are made of: simulations by their names, as commands take them; replays; and
    a folder of reports, if there is one."""

    simulations: Mapping[str, str]
    replays: Sequence[str]
    reports: Path | None


def diagnoses(found: Agreement, source: Source) -> Iterator[tuple[str, str]]:
    """A title and a text for each of the first runs that part."""
    contents = _contents(source.replays)
    suspects = ((each, _suspect(each)) for each in found.joined)
    parted = [(each, member) for each, member in suspects if member is not None]
    for joined, member in parted[:MOST]:
        title = f"{joined.name} of {joined.simulation} on {member.label}"
        simulation = source.simulations.get(joined.simulation)
        if simulation is None:
            yield title, f"not diagnosed: no simulation given is '{joined.simulation}'"
            continue
        with tempfile.TemporaryDirectory() as folder:
            yield (
                title,
                _diagnosis(joined, member, simulation, contents, source.reports, Path(folder)),
            )


def _suspect(joined: Joined) -> Member | None:
    """A machine whose own targets differ, which has a report of that, or else one whose run is
    another than that of the most."""
    differing = next((each for each in joined.members if each.run.result == "differs"), None)
    if differing is None and joined.partings:
        return joined.partings[0].others[0]
    return differing


def _diagnosis(
    joined: Joined,
    member: Member,
    simulation: str,
    contents: Mapping[str, str],
    reports: Path | None,
    folder: Path,
) -> str:
    run = member.run
    words = [simulation]
    rows = all_rows()
    side = ["--a", plainest(rows).name]
    if run.content:
        replay = contents.get(run.content)
        if replay is None:
            return f"not diagnosed: {run.name} is not among the replays given"
        try:
            words.append(_of_now(simulation, replay, folder))
        except SamebitsError as error:
            return f"not diagnosed: {error}"
        odd = _target_that_differs(run, rows)
        if odd is not None:
            said = command("diagnose", *words, *side, "--b", odd, seconds=SECONDS)
            if not said.startswith(SAME):
                return said
        report = None if reports is None else report_of(member, reports)
        if report is not None:
            return command("diagnose", *words, str(report), *side, seconds=SECONDS)
    if not joined.partings:
        return f"not diagnosed: {member.label} has no report of it among those given"
    limit = joined.partings[0].frame + 2
    path = folder / "hashes.txt"
    write_file(path, "".join(f"{f} {int(h):016x}\n" for f, h in enumerate(run.hashes)))
    words.append(str(path))
    if not run.content:
        words += ["--players", run.players, "--seed", str(run.seed), "--frames", str(limit)]
    said = command("diagnose", *words, *side, seconds=SECONDS)
    return said.replace(str(path), f"the hashes of {member.label}")


def _target_that_differs(run: Run, rows: Sequence[Row]) -> str | None:
    """The target that the machine found to differ from others of its own, if it runs here too:
    two runs tell more than a report."""
    here = {row.name for row in rows if row.reason is None and not row.slow}
    differing = (row.name for row in run.rows if row.result == "differs")
    return next((name for name in differing if name in here), None)


def _of_now(spec: str, replay: str, folder: Path) -> str:
    """The replay, or its inputs as one of the code as it is where other code recorded it. Raises
    SamebitsError."""
    simulation = load_simulation(spec)
    with closing(ReplaySource(simulation, replay, any_code=True)) as source:
        if source.is_own:
            return replay
        return str(write_inputs(simulation, source, folder / Path(replay).name))


def report_of(member: Member, reports: Path) -> Path | None:
    """The report that the machine wrote of its run, anywhere below the folder."""
    run = member.run
    name = report_name(
        member.label, member.file.simulation, Path(run.name).stem, content=run.content
    )
    return next((path for path in sorted(reports.rglob(name)) if path.is_file()), None)


def _contents(replays: Sequence[str]) -> dict[str, str]:
    """The replays by what tells their bytes from others'."""
    found: dict[str, str] = {}
    for path in replays:
        try:
            with ReplayReader(path) as reader:
                for _ in reader.blocks():
                    pass
                found[reader.content] = path
        except ReplayError:
            continue
    return found
