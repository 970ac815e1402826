"""The reference of the match protocol is what the tables have."""

from __future__ import annotations

from tools import match_protocol


def test_the_page_is_what_the_tool_makes() -> None:
    made = match_protocol.page()
    assert made.count("\n### 0x") == len(match_protocol.ROWS)
    assert match_protocol.PAGE.read_text() == made, "run: python -m tools.match_protocol"
