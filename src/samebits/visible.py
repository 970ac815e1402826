"""Text made safe to print: control and bidirectional characters as escapes."""

from __future__ import annotations

import re

_NOT_TEXT = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and newline, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks, embeddings, overrides, isolates
    "\u2028\u2029\ud800-\udfff\ufff9-\uffff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """`text` with each such character as an escape, as JSON and Python write it."""
    return _NOT_TEXT.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
