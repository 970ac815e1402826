"""A run of a built program, with its record."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from samebits.errors import ReportError, RunnerError
from samebits.foreign.programs.commands import last_lines, run_command
from samebits.foreign.programs.description import Program, ProgramSide, filled
from samebits.foreign.records import ForeignRun, read_record


@dataclass(frozen=True, slots=True)
class SideRecord:
    """A run's record, and how its program ended where that was not well."""

    run: ForeignRun
    ended: str = ""


def recorded(
    program: Program,
    side: ProgramSide,
    built: Path,
    record: Path,
    environment: Mapping[str, str] | None = None,
    wrapper: Sequence[str] | None = None,
) -> SideRecord:
    """Run a side's program and read its record.

    Raises RunnerError where it can't be run, takes longer than `seconds`, or writes no record.
    """
    places = {"program": str(built), "record": str(record), "folder": str(program.folder)}
    before = list(side.wrapper) if wrapper is None else list(wrapper)
    words = [*before, *filled(side.run or program.run, places)]
    if shutil.which(words[0]) is None:
        raise RunnerError(
            f"{words[0]:.200} is not here, which runs side {side.name}",
            fix="install it: qemu-user has the emulators, as in `apt install qemu-user`",
        )
    ended = run_command(
        words, program.folder, program.seconds,
        {**dict(side.environment), "SAMEBITS_RECORD": str(record), **(environment or {})},
    )  # fmt: skip
    try:
        run = read_record(str(record))
    except ReportError as error:
        raise RunnerError(
            f"side {side.name} has no record: {error.message.replace(str(record), 'run.sbt')}",
            note=f"the program ended with {ended.how}\n{last_lines(ended.printed)}".rstrip(),
            fix="it opens one by sb_open(NULL, …), which takes the path that samebits gives it, or "
            'is told by run = ["{program}", "{record}"]',
        ) from None
    how = "" if not ended.status else f"side {side.name}'s program ended with {ended.how}"
    return SideRecord(run, how)
