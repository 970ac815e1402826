"""Untrusted text files that other programs wrote, in the encodings that they use.

Owns the bounds and the encodings. Knows nothing of what the text says.
"""

from __future__ import annotations

import codecs
import json
import os
from typing import Any

from samebits.errors import ReplayError, ReportError
from samebits.replay.file import open_file

MAX_BYTES = 64 * 1024 * 1024
"""Most bytes of a file."""
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),  # what `>` of PowerShell writes
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class Pairs(list[tuple[str, Any]]):
    """A JSON object as its pairs, in the order of the file, with names that stand there twice."""


class Number(str):
    """A number of a JSON text, as it is written."""


def read_bytes(path: str, what: str) -> bytes:
    """The bytes of a regular file, which is to be `what`. Raises ReportError."""
    try:
        descriptor, size = open_file(path, what)
        with os.fdopen(descriptor, "rb") as file:
            data = file.read(min(size, MAX_BYTES) + 1)
    except ReplayError as error:
        raise ReportError(error.message, fix=error.fix) from None
    except OSError as error:
        raise ReportError(f"cannot read {path}: {error.strerror or error}") from None
    if len(data) > MAX_BYTES:
        raise ReportError(
            f"{path} has more than {MAX_BYTES:,} bytes: it is not {what}",
            fix="give the part of it that is",
        )
    return data


def read_text(path: str, what: str) -> str:
    """The text of a file, with `\\n` alone as its line ends. Raises ReportError."""
    return decoded(path, read_bytes(path, what), what)


def decoded(path: str, data: bytes, what: str) -> str:
    """The text of the bytes of a file. Raises ReportError."""
    mark, encoding = next((m for m in _MARKS if data.startswith(m[0])), (b"", "utf-8"))
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ReportError(
            f"{path} is not {what}: line {line:,} is not text", fix=f"give the path of {what}"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def json_of(path: str, text: str) -> Any:
    """The JSON value of a text, its objects as `Pairs`, its numbers as `Number`; None where several
    stand one after another, a line each. Raises ReportError for anything else."""
    try:
        return json.loads(
            text,
            object_pairs_hook=Pairs,
            parse_float=Number,
            parse_int=Number,
            parse_constant=Number,
        )
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and error.lineno > 1:
            return None
        raise ReportError(
            f"{path} is not JSON: line {error.lineno:,}, column {error.colno:,}: {error.msg}",
            fix="write it with a JSON library",
        ) from None
    except (ValueError, RecursionError):  # a number of thousands of digits; nesting
        raise ReportError(
            f"{path} is not JSON that can be read: it nests too deep, or has a number of thousands "
            "of digits",
            fix="write it again",
        ) from None
