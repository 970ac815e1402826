"""The kinds of files that side b's evidence can be, and which of them a file is.

Owns one table of them. What a file says is its reader's.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from samebits.desync.evidence.golden import is_golden, read_golden_report
from samebits.desync.evidence.hash_lists import read_hash_list
from samebits.desync.of_replay import report_of_replay
from samebits.desync.reader import is_report, read_report
from samebits.desync.report import Report
from samebits.errors import ReportError
from samebits.replay.header import ReplayHeader
from samebits.replay.mcap_records import MAGIC

REPORT_SUFFIX = ".desync"
REPLAY_SUFFIX = ".mcap"
_BEGINNING = 512


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: `title` is what it is, `fits` tells it by its name and its first bytes.
    `read` takes its path, and the header of the run that it is compared with."""

    title: str
    fits: Callable[[str, bytes], bool]
    read: Callable[[str, ReplayHeader], Report]


REPORT = Kind(
    "report",
    lambda path, head: path.endswith(REPORT_SUFFIX) or is_report(path),
    lambda path, header: read_report(path),
)
KINDS = (
    REPORT,
    Kind("second replay", lambda path, head: path.endswith(REPLAY_SUFFIX) or head.startswith(MAGIC),
         lambda path, header: report_of_replay(path)),
    Kind("golden file", is_golden, read_golden_report),
    Kind("list of hashes", lambda path, head: b"\0" not in head or head[:2] in _UTF16,
         read_hash_list),
)  # fmt: skip
"""The first that fits."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def kind_of(path: str) -> Kind:
    """The kind of a file. Raises ReportError where it is none."""
    head = _beginning(path)
    found = next((kind for kind in KINDS if kind.fits(path, head)), None)
    if found is None:
        raise ReportError(
            f"{path} is nothing that a run can be compared with",
            fix=f"give a {', a '.join(kind.title for kind in KINDS)}; the bytes of a state go with "
            f"--state FRAME={path}",
        )
    return found


def is_replay(path: str) -> bool:
    """Whether a file is a replay, by its name or its first bytes, or nothing can be told of it."""
    head = _beginning(path)
    return not head or path.endswith(REPLAY_SUFFIX) or head.startswith(MAGIC)


def _beginning(path: str) -> bytes:
    """The first bytes of a file; none where it cannot be read, which its reader tells."""
    if not os.path.isfile(path):  # a pipe would block
        return b""
    try:
        with open(path, "rb") as file:
            return file.read(_BEGINNING)
    except (OSError, ValueError):
        return b""
