"""The kinds of files that the collector takes, and how a whole one looks before it is opened.

Owns what is asked of bytes that nobody has checked yet: kind, size, first and last bytes, and of a
report its checksums. All else of a file is read by a process with limits alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from samebits.ci.bits_file import FORMAT as BITS_FORMAT
from samebits.collector.problem import CollectorError
from samebits.desync.format import PROFILE
from samebits.replay.mcap_records import MAGIC, Damage, Readable, check_file

MOST = 16 * 1024 * 1024
"""Most bytes of a file that is taken."""
BEGINNING = 96
"""First bytes by which a file is known."""
ENDING = 16
"""Last bytes that are looked at."""


class DamagedFile(CollectorError):
    """A file of a kind that is taken, whose own checksum says that it is not what was written."""

    def __init__(self, kind: Kind, offset: int, what: str) -> None:
        super().__init__(
            f"{kind.what} that is damaged: at byte {offset}, {what}",
            fix="send it as it was written, as a file and not as text; or write it again",
        )


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: its name, what it begins with, what is near its beginning, what it ends
    with."""

    name: str
    begins: bytes
    mark: bytes
    ends: bytes
    what: str
    suffix: str


KINDS = (
    Kind("report", MAGIC, PROFILE.encode(), MAGIC, "a desync report", ".desync"),
    Kind("bits", b"{", BITS_FORMAT.encode(), b"}", "a bits file", ".bits"),
    Kind("verdict", b"{", b'"format": 2,', b"}", "a diagnosis or verdict in JSON", ".json"),
)
BY_NAME = {kind.name: kind for kind in KINDS}


def kind_of(beginning: bytes, ending: bytes) -> Kind:
    """The kind of a file with these first and last bytes. Raises CollectorError for any other."""
    for kind in KINDS:
        if beginning.startswith(kind.begins) and kind.mark in beginning[:BEGINNING]:
            if not ending.endswith((kind.ends, kind.ends + b"\n")):
                raise CollectorError(
                    f"the file begins as {kind.what} and does not end as one: it was cut",
                    fix="send it again, as a file and not as text",
                )
            return kind
    raise CollectorError(
        "the file is none that the collector takes",
        fix="send a desync report, a bits file, or what `samebits diagnose --json` printed",
    )


def check_whole(kind: Kind, file: Readable) -> None:
    """Check a report, from its first byte, against the checksums that cover all of it; other kinds
    have theirs inside of their text. Raises DamagedFile."""
    if kind.name != "report":
        return
    try:
        check_file(file)
    except Damage as damage:
        raise DamagedFile(kind, damage.offset, damage.what) from None
