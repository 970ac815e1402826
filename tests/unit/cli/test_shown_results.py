"""The results that `samebits verify` shows: a row that a trap ended is no plain `same`."""

from __future__ import annotations

from samebits.cli.printing import shown_results
from samebits.sim.outcome import Divergence, RowReport, TrapFact

TRAP = TrapFact("index", "index out of range", "game.py:3:5")


def row(name: str, trap: TrapFact | None = None, reference: str | None = None) -> RowReport:
    found = None if reference is None else Divergence(4, reference, "a trap", "2a")
    return RowReport(name, frames=4, trap=trap, divergence=found, compared=4)


def test_a_trap_that_all_rows_share_is_the_same() -> None:
    assert shown_results([row("managed", TRAP), row("O0", TRAP)]) == ["same trap", "same trap"]


def test_a_trap_that_others_do_not_have_is_no_same() -> None:
    rows = [row("managed", TRAP), row("evaluate", TRAP), row("O0", None, "managed")]
    assert shown_results(rows) == ["trap", "trap", "differs"]


def test_rows_without_a_trap_say_their_result() -> None:
    assert shown_results([row("managed"), row("O0", None, "managed")]) == ["same", "differs"]
