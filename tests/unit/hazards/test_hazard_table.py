"""The table of hazards in the documentation is the table in the code."""

from __future__ import annotations

import pytest
from tests.support.folders import ROOT

from samebits.hazards.catalogue import (
    EXPRESSION_HAZARDS,
    PROGRAM_HAZARDS,
    ExpressionHazard,
    ProgramHazard,
)

DOCUMENT = ROOT / "docs" / "reference" / "hazards.md"
HEAD = "| hazard | what happens | what does it in practice | remedy |\n|---|---|---|---|\n"


def table(hazards: tuple[ExpressionHazard, ...] | tuple[ProgramHazard, ...]) -> str:
    rows = [f"| {h.name} | {h.title} | {h.practice} | {h.remedy} |\n" for h in hazards]
    return HEAD + "".join(rows)


@pytest.mark.parametrize(
    "hazards", [EXPRESSION_HAZARDS, PROGRAM_HAZARDS], ids=["expressions", "programs"]
)
def test_the_document_lists_every_hazard_as_the_code_has_it(
    hazards: tuple[ExpressionHazard, ...] | tuple[ProgramHazard, ...],
) -> None:
    assert table(hazards) in DOCUMENT.read_text(encoding="utf-8")


@pytest.mark.parametrize("hazard", [*EXPRESSION_HAZARDS, *PROGRAM_HAZARDS], ids=lambda h: h.name)
def test_a_hazard_says_what_does_it_and_what_to_do_in_a_line(
    hazard: ExpressionHazard | ProgramHazard,
) -> None:
    for text in (hazard.title, hazard.practice, hazard.remedy):
        assert 10 <= len(text) <= 80
        assert "\n" not in text
        assert "|" not in text
