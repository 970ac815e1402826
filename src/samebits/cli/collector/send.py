"""`samebits send`: files to a collector, with patience."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from samebits.cli.exit_status import BAD, SAME
from samebits.collector.intake.kinds import BEGINNING, ENDING, MOST, kind_of
from samebits.collector.problem import CollectorError
from samebits.collector.sending.request import Answer, Collector
from samebits.collector.sending.spool import Patience, Spool
from samebits.output import os_reason

KEY_VARIABLE = "SAMEBITS_COLLECTOR_KEY"
"""The environment variable that has the key, where `--key` names no file."""


@dataclass(frozen=True, slots=True)
class SendOptions:
    """What `samebits send` was given."""

    files: tuple[str, ...]
    to: str
    key: str | None
    match: str
    spool: str | None
    tries: int


def run(options: SendOptions) -> int:
    """Send what waits, then the files that are named."""
    collector = Collector(options.to, _key(options.key))
    spool = None if options.spool is None else Spool(Path(options.spool))
    if not options.files and spool is None:
        raise CollectorError(
            "there is nothing to send", fix="name a file, or a --spool folder of files that wait"
        )
    given = [(path, _read(path)) for path in options.files]
    patience = Patience(options.tries)
    status = SAME
    for path, match in [] if spool is None else list(spool.waiting()):
        answer = patience.send(collector, path.read_bytes(), match)
        print(f"{path.name[:12]}, which waited: {_said(answer)}")
        if spool is not None and (answer.sent or not answer.again):
            spool.remove(path)
        if not answer.sent:
            status = BAD
        if answer.again:
            break  # nobody answers: the others wait on
    for path, data in given:
        answer = patience.send(collector, data, options.match)
        print(f"{path}: {_said(answer)}", flush=True)
        if answer.sent:
            continue
        status = BAD
        if spool is not None and answer.again:
            spool.keep(data, options.match)
            sys.stderr.write(f"{path} waits in {spool.folder}\n")
    return status


def _said(answer: Answer) -> str:
    if answer.sent and answer.digest:
        return f"sent, {answer.digest[:16]}" + (", known already" if answer.told == "known" else "")
    return answer.told if answer.sent else f"not sent: {answer.told}"


def _read(path: str) -> bytes:
    """A file of a kind that collectors take. Raises CollectorError."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST + 1)
    except OSError as error:
        raise CollectorError(f"cannot read {path}: {os_reason(error)}") from None
    if len(data) > MOST:
        raise CollectorError(
            f"{path} has more than {MOST:,} bytes", fix="write it with fewer --frames in detail"
        )
    try:
        kind_of(data[:BEGINNING], data[-ENDING:])
    except CollectorError as error:
        raise CollectorError(f"{path}: {error.message}", fix=error.fix) from None
    return data


def _key(named: str | None) -> str:
    """The key in a file, or in the environment: never an argument, which others may see."""
    if named is None:
        found = os.environ.get(KEY_VARIABLE, "")
    else:
        try:
            found = Path(named).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise CollectorError(f"cannot read the key in {named}: {error}") from None
    if not found.strip():
        raise CollectorError("sending needs a key", fix=f"give --key FILE, or set {KEY_VARIABLE}")
    return found.strip()
