"""Results of a verification as a run of a bits file."""

from __future__ import annotations

import re
from pathlib import PurePath

import numpy as np

from samebits.ci.bits_file import FACTS, MAX_TEXT, End, Row, Run
from samebits.desync.machine import this_machine
from samebits.sim.outcome import RowReport
from samebits.sim.sources import InputSource, PlayerSource, ReplaySource
from samebits.verify.differences import difference
from samebits.verify.verification import Verification

_PLACE = re.compile(r"(?:.*[/\\])?([^/\\]*)")


def machine_facts() -> dict[str, str]:
    """What bits files say of this machine."""
    found = this_machine()
    return {name: str(getattr(found, name))[:MAX_TEXT] for name in FACTS}


def default_label() -> str:
    """System and processor of this machine in short, as in `linux-x86_64`."""
    found = this_machine()
    system = found.system.split()[0] if found.system else "unknown"
    return f"{system}-{found.architecture or 'unknown'}".lower()


def run_of(source: InputSource, verification: Verification) -> Run:
    """A verification that kept its hashes, as a run."""
    rows = [*verification.rows, *verification.recorded.values()]
    replay = isinstance(source, ReplaySource)
    result = verification.result
    parts = verification.hashes
    start = verification.start_hash
    told = [line for row in rows for line in _told(row)]
    if source.damage:
        told.append(f"{source.replay} is {source.damage}")
    return Run(
        name=PurePath(source.replay or "").as_posix() if replay else "script",
        content=source.content if replay else "",
        players=source.players if isinstance(source, PlayerSource) else "",
        seed=source.seed,
        asked=source.frames,
        result="damaged" if result == "same" and source.damage else result,
        start=None if start is None else f"{start:016x}",
        hashes=np.concatenate(parts) if parts else np.zeros(0, np.uint64),
        end=_end(verification),
        rows=tuple(_row(row) for row in rows),
        told="\n".join(told)[:4096],
    )


def failed_run(replay: str, why: str) -> Run:
    """A replay that could not be verified."""
    return Run(
        PurePath(replay).as_posix(), "", "", 0, 0, "error", None, np.zeros(0, np.uint64), None, (),
        why[:4096],
    )  # fmt: skip


def _row(row: RowReport) -> Row:
    final = None if row.final_hash is None else f"{row.final_hash:016x}"
    told = row.failure or row.reason or "\n".join(difference(row))
    return Row(row.name, row.result, row.frames, final, told[:4096])


def _told(row: RowReport) -> list[str]:
    if row.divergence is not None:
        return list(difference(row))
    if row.failure is not None:
        return [f"{row.name} failed: {row.failure}"]
    return [f"{row.name} was stopped: {row.reason}"] if row.overdue else []


def _end(verification: Verification) -> End | None:
    """The trap of the targets that agree."""
    for row in verification.rows:
        if row.trap is not None and row.trap_frame is not None and row.divergence is None:
            match = _PLACE.fullmatch(row.trap.place)
            place = match[1] if match else row.trap.place
            return End(row.trap_frame, row.trap.kind[:MAX_TEXT], place[:MAX_TEXT])
    return None
