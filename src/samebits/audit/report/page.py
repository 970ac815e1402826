"""An audit as one self-contained HTML page.

Owns what is on the page; `page.html` how it looks.
"""

from __future__ import annotations

from collections.abc import Sequence

from samebits.audit.report.text import heading, rows, summary
from samebits.audit.rules.rule import BY_CODE
from samebits.audit.verdicts import JudgedBinary
from samebits.pages import filled


def page(every: Sequence[JudgedBinary]) -> str:
    """The page's text: all findings of all binaries, and the rules that they break."""
    codes = {each.finding.code for judged in every for each in judged.findings}
    return filled(
        "samebits.audit.report",
        "page.html",
        summary=summary(every),
        binaries=[
            {
                "heading": heading(judged),
                "fails": judged.verdict != "clean",
                "rows": list(rows(judged, every=True)),
                "notes": judged.binary.notes,
            }
            for judged in every
        ],
        rules=[rule for code, rule in BY_CODE.items() if code in codes],
    )
