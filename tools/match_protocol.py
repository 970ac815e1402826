"""The reference page of the match protocol, made from the tables of messages and limits."""

from __future__ import annotations

import inspect
from pathlib import Path

from samebits.net import limits
from samebits.net.input_codec import Event
from samebits.net.messages import ROWS, kinds_of

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "match-protocol.md"

HEAD = Path(__file__).with_suffix(".md")
"""What the tables don't say."""


def page() -> str:
    """The page's text."""
    head = HEAD.read_text().replace("{limits.PROTOCOL}", str(limits.PROTOCOL))
    parts = [head, "| event | of entries |\n|---|---|\n"]
    lines = inspect.getsource(Event).splitlines()
    for n, line in enumerate(lines):
        name, _, number = line.strip().partition(" = ")
        if number.isdigit():
            parts.append(f"| {number} {name} | {_cell(lines[n + 1])} |\n")
    parts.append("\n## Records\n")
    for row in ROWS:
        sender = {"both": "either"}.get(row.SENDER, row.SENDER)
        parts.append(f"\n### 0x{row.TYPE:02x} {row.__name__.upper()}, from {sender}\n")
        parts.append(" ".join((row.__doc__ or "").split()) + "\n")
        fields = ", ".join(f"`{name}` {kind.text}" for name, kind in kinds_of(row))
        parts.append(f"\nFields: {fields or 'none'}.\n")
    parts.append(
        "\n## Limits\nWhat exceeds one ends the connection.\n\n| limit | value | |\n|---|--:|---|\n"
    )
    source = inspect.getsource(limits).splitlines()
    for n, line in enumerate(source):
        name, found, _ = line.partition(" = ")
        if found and name.isupper():
            value = getattr(limits, name)
            text, at = "", n + 1
            while at < len(source) and (source[at].startswith('"""') or text):
                text += " " + source[at].strip()
                if source[at].endswith('"""'):
                    break
                at += 1
            parts.append(f"| `{name}` | {value:,} | {_cell(text)} |\n")
    return "".join(parts)


def _cell(text: str) -> str:
    return text.strip().strip('"').strip()


if __name__ == "__main__":
    PAGE.write_text(page())
