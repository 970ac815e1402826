"""Writing a desync report: parts into MCAP chunks, the same bytes every time."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

from mcap.writer import CompressionType, Writer

from samebits.bits import xxh64
from samebits.desync.format import FORMAT, MAX_FILE, PROFILE, TOPICS
from samebits.desync.pieces import pieces
from samebits.desync.report import Report
from samebits.errors import ReportError
from samebits.output import remedy, told, write_file
from samebits.replay.header import ENCODING, MAX_CHUNK

METADATA_NAME = "samebits.report"


def report_bytes(report: Report) -> bytes:
    """The file of a whole report; it depends on nothing else. ReportError where it is too large.

    The description stands in front and behind the parts, so that damage to one leaves the other.
    """
    file = io.BytesIO()
    # Parts are compressed by themselves: a chunk that is not cannot be a bomb.
    writer = Writer(
        file,
        chunk_size=MAX_CHUNK,
        compression=CompressionType.NONE,
        enable_crcs=True,
        enable_data_crcs=True,
    )
    writer.start(profile=PROFILE, library=f"samebits {report.machine.samebits}")
    text = description(report)
    writer.add_metadata(METADATA_NAME, text)
    channels = {topic: writer.register_channel(topic, ENCODING, 0) for topic in TOPICS}
    writer.flush()
    for key in report.sizes:
        time = report.header.log_time(key.number)
        for piece in pieces(key.number, report.parts[key]):
            writer.add_message(channels[key.topic], log_time=time, publish_time=time, data=piece)
            writer.flush()
    writer.add_metadata(METADATA_NAME, text)
    writer.finish()
    if file.tell() > MAX_FILE:
        raise ReportError(
            f"the report would have {file.tell():,} bytes, more than {MAX_FILE:,}",
            fix="ask for fewer frames",
        )
    return file.getvalue()


def write_report(report: Report, path: str | os.PathLike[str], force: bool = False) -> int:
    """Write a report to a file and give its size in bytes.

    Raises ReportError where it cannot be written, and, unless `force`, where the file is there.
    The file has its name only once it is whole.
    """
    target = Path(path)
    if os.path.lexists(target) and not force:
        raise _exists(target)
    data = report_bytes(report)
    try:
        write_file(target, data, replace=force)
    except FileExistsError:
        raise _exists(target) from None
    except OSError as error:
        raise ReportError(
            f"cannot write {target}: {told(error)}",
            fix=f"{remedy(error)}, with -o",
        ) from None
    return len(data)


def _exists(target: Path) -> ReportError:
    return ReportError(
        f"{target} exists already", fix="give another name with -o, or --force to replace it"
    )


def description(report: Report) -> dict[str, str]:
    """What a report says about itself, as MCAP metadata with a checksum."""
    text = {
        "format": str(FORMAT),
        "machine": compact(report.machine.to_json()),
        "run": compact(report.header.to_text()),
        "contents": compact(report.contents.to_json()),
    }
    text["checksum"] = checksum(text)
    return text


def checksum(text: dict[str, str]) -> str:
    """XXH64 of all but the checksum, in 16 hexadecimal digits."""
    return f"{xxh64(compact({k: v for k, v in text.items() if k != 'checksum'}).encode()):016x}"


def compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
