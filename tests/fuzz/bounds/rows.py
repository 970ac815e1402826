"""Loops along arrays, element by element: what filters, sums and recurrences are.

Owns which elements an iteration reads and writes, and what it makes of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fuzz.bounds.draws import INTS, Array

if TYPE_CHECKING:
    from tests.fuzz.bounds.statements import Body

LIMITS = (0, 5, 20, 100, 127, 200, 300, 30000)


def row_loop(body: Body) -> None:
    """A loop along arrays, with tests of what it finds."""
    rows = [a for a in body.draws.arrays() if len(a.lengths) == 1 and a.element in INTS]
    written = [a for a in rows if not a.readonly]
    if not written or body.parallel:
        return body.for_loop()
    body.rows = True
    if body.rng.random() < 0.4:
        _recurrence(body, body.rng.choice(written), rows)
    else:
        _row(body, rows, written)


def _row(body: Body, rows: list[Array], written: list[Array]) -> None:
    rng, draws = body.rng, body.draws
    i, length = body.fresh("i"), rng.choice(rows).lengths[0]
    ranges = (length, length, f"1, {length}", f"{length} - 1", draws.weak(0), f"2, {length}")
    body.emit(f"for {i} in range({rng.choice(ranges)}):")
    near = (i, i, i, i, i, i, f"{i} - 1", f"{i} + 1", "0")
    body.level += 1
    for _ in range(rng.choice((1, 1, 2, 3))):
        x, y = (
            draws.widened(a.element, a.place.format(rng.choice(near)))
            for a in rng.choices(rows, k=2)
        )
        limit = rng.choice(LIMITS)
        if rng.random() < 0.25:
            body.emit(f"assert {x} {rng.choice(('<', '!=', '>='))} {rng.choice((limit, -limit))}")
            continue
        values = (f"{x} + {y}", f"{x} * {y}", f"{x} - {draws.weak(0)}", f"{x} * 2", f"-{x}",
                  f"{x} + {i}", f"sb.abs({x})")  # fmt: skip
        stored = f"{rng.choice(written).place.format(rng.choice(near))} = {rng.choice(values)}"
        if rng.random() < 0.2:
            body.emit(f"if {y} {rng.choice('<>')} {limit}:")
            stored = f"    {stored}"
        body.emit(stored)
    body.level -= 1


def _recurrence(body: Body, array: Array, rows: list[Array]) -> None:
    """A loop in which an element follows from one before it, or from what its iteration stored."""
    rng, draws = body.rng, body.draws
    i, back, length = body.fresh("i"), rng.choice((1, 1, 1, 2, 3, 8)), array.lengths[0]
    forwards = rng.random() < 0.8
    body.emit(f"for {i} in range({f'{back}, {length}' if forwards else f'{length} - {back}'}):")
    here, there = (i, f"{i} - {back}") if forwards else (f"{i} + {back}", i)
    other = rng.choice(rows)
    beside = draws.widened(other.element, other.place.format(rng.choice((i, i, here, there, "0"))))

    def number(index: str) -> str:
        return draws.widened(array.element, array.place.format(index))

    def follows(x: str) -> str:
        by = rng.choice(("1", "7", "50"))
        return rng.choice((f"{x} * 2", f"{x} * 2 + 1", f"{x} * 3", f"-{x} * 2", f"{x} + {x}",
                           f"{x} + {beside}", f"{x} * {beside}", f"{x} - {beside}",
                           f"{x} + {i}", f"{x} - {by}", f"{x} + {by}"))  # fmt: skip

    lines = [f"{array.place.format(here)} = {follows(number(there))}"]
    roll = rng.random()
    if roll < 0.25 and not other.readonly:
        # A detour over another array: what the iteration loads, it stored a line above.
        stored = draws.widened(other.element, other.place.format(here))
        lines = [f"{other.place.format(here)} = {follows(number(rng.choice((here, there))))}",
                 f"{array.place.format(rng.choice((here, i)))} = {follows(stored)}"]  # fmt: skip
    elif roll < 0.5:
        sign, limit = rng.choice(("<", "!=", ">=")), rng.choice(LIMITS)
        lines.insert(
            rng.randrange(2), f"assert {number(there)} {sign} {rng.choice((limit, -limit))}"
        )
    elif roll < 0.6:
        lines.append(lines[0])
    for line in lines:
        body.emit(f"    {line}")
