"""`samebits send`: files to a collector, with patience."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from samebits.cli.exit_status import BAD, SAME
from samebits.collector.intake.kinds import BEGINNING, ENDING, MOST, check_whole, kind_of
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
    patience = Patience(options.tries)
    status = SAME
    if spool is not None and not _waiting_sent(collector, spool, patience):
        status = BAD
    for path in options.files:
        try:
            is_sent = _sent(collector, spool, patience, path, options.match)
        except CollectorError as error:  # the other files go on
            print(f"{path}: not sent: {error.message}", flush=True)
            if error.fix:
                sys.stderr.write(f"  fix: {error.fix}\n")
            is_sent = False
        if not is_sent:
            status = BAD
    return status


def _waiting_sent(collector: Collector, spool: Spool, patience: Patience) -> bool:
    """Send what waits in a folder; whether all of it is sent. What the collector refuses for good
    is set aside there; for another reason all of it waits on."""
    all_sent = True
    for path, match in list(spool.waiting()):
        try:
            data = path.read_bytes()
        except OSError as error:
            print(f"{path.name[:12]}, which waited: cannot read it: {os_reason(error)}")
            all_sent = False
            continue
        answer = patience.send(collector, data, match)
        print(f"{path.name[:12]}, which waited: {_said(answer)}", flush=True)
        if answer.sent:
            spool.remove(path)
            continue
        all_sent = False
        if not answer.is_refused:
            break  # nobody answers, or the key is wrong: the others wait on
        sys.stderr.write(f"{path.name[:12]} is kept as {spool.set_aside(path)}\n")
    return all_sent


def _sent(
    collector: Collector, spool: Spool | None, patience: Patience, path: str, match: str
) -> bool:
    """Send a file, or keep it in the folder; whether it is sent. Raises CollectorError."""
    data = _read(path)
    answer = patience.send(collector, data, match)
    print(f"{path}: {_said(answer)}", flush=True)
    if not answer.sent and spool is not None and not answer.is_refused:
        spool.keep(data, match)
        sys.stderr.write(f"{path} waits in {spool.folder}\n")
    return answer.sent


def _said(answer: Answer) -> str:
    if answer.sent and answer.digest:
        return f"sent, {answer.digest[:16]}" + (", known already" if answer.told == "known" else "")
    return answer.told if answer.sent else f"not sent: {answer.told}"


def _read(path: str) -> bytes:
    """A whole file of a kind that collectors take. Raises CollectorError."""
    try:
        with open(path, "rb") as file:
            data = file.read(MOST + 1)
    except OSError as error:
        raise CollectorError(f"it cannot be read: {os_reason(error)}") from None
    if len(data) > MOST:
        raise CollectorError(
            f"it has more than {MOST:,} bytes", fix="write it with fewer --frames in detail"
        )
    check_whole(kind_of(data[:BEGINNING], data[-ENDING:]), io.BytesIO(data))
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
