"""Rows of operands and observed results for `explain`: from Python values, CSV and JSON to bits."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, SupportsFloat, cast

from samebits.bits import float_to_bits, ulp_distance
from samebits.errors import ArgumentError, nearest
from samebits.fpmodel.parse import pattern
from samebits.fpmodel.softfloat import Format

MOST_ROWS = 1_000
"""Rows of one expression."""
LARGEST_FILE = 4 << 20
"""Bytes of a file of rows."""
RESULT = "got"
"""What a result is called among the operands of a row."""
_OBSERVED = "what was observed"
_CSV_FIX = f"begin with a line of names, as in a,b,{RESULT}, and give as many values on each line"
_JSON_FIX = f'write [{{"a": "0x3dcccccd", "b": 0.1, "{RESULT}": "0x3f800000"}}, …]'

Value = str | SupportsFloat
GivenRow = tuple[Mapping[str, Value], Value]
"""Operands and the observed result, as floats or text."""


@dataclass(frozen=True, slots=True)
class Row:
    """Operands, the strict result and the observed one, as bits of the expression's type."""

    operands: Mapping[str, int]
    strict: int
    observed: int
    width: int
    """Bits of the type."""

    @property
    def distance(self) -> int | None:
        """From the strict to the observed result, in ULP; None where one is a NaN."""
        return ulp_distance(self.strict, self.observed, self.width)


def given_rows(values: Any, observed: Any) -> list[GivenRow]:
    """One row of a mapping and a result; several of as many mappings as results.

    Raises ArgumentError for other things, and for more than `MOST_ROWS`.
    """
    if isinstance(values, Mapping):
        return [(cast("Mapping[str, Value]", values), observed)]
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise _unlike_values(values)
    rows = list(cast("Sequence[Any]", values))
    if isinstance(observed, str | bytes) or not isinstance(observed, Sequence):
        raise ArgumentError(
            f"there are {len(rows):,} rows of operands, and what was observed is one result",
            fix="give a sequence with a result for each row",
        )
    results = list(cast("Sequence[Any]", observed))
    if len(rows) != len(results):
        raise ArgumentError(
            f"there are {len(rows):,} rows of operands and {len(results):,} results",
            fix="give a result for each row",
        )
    for row in rows:
        if not isinstance(row, Mapping):
            raise _unlike_values(row)
    return _few(list(zip(rows, results, strict=True)))


def _unlike_values(value: Any) -> ArgumentError:
    return ArgumentError(
        f"values is {value!r:.40}",
        fix='explain("a*b + c", {"a": 0.1, "b": 0.1, "c": -0.01}, "0x300f5c29", "float32")',
    )


def _few(rows: list[GivenRow]) -> list[GivenRow]:
    if not rows:
        raise ArgumentError("there are no rows", fix="give one row of operands and its result")
    if len(rows) > MOST_ROWS:
        raise ArgumentError(
            f"there are {len(rows):,} rows, and {MOST_ROWS:,} are the most",
            fix="leave out rows whose results are those expected; a few dozen decide",
        )
    return rows


def bits_of(
    row: GivenRow, wanted: Sequence[str], form: Format, place: str = ""
) -> tuple[dict[str, int], int]:
    """The bits of the operands, by the names that the expression has, and of the result.

    `place` is in the errors, as in `row 3`. Raises ArgumentError for names that are missing or
    unused, and for what is no number.
    """
    values, observed = row
    head = f"{place}: " if place else ""
    missing = [name for name in wanted if name not in values]
    unused = [str(name) for name in values if name not in wanted]
    if missing:
        given = " ".join(f"{name}=…" for name in missing)
        raise ArgumentError(f"{head}no value is given for {', '.join(missing)}", fix=f"add {given}")
    if unused:
        meant = nearest(unused[0], wanted)
        raise ArgumentError(
            f"{head}the expression has no {', '.join(unused[:9])}",
            note=f"its names are {', '.join(wanted) or 'none'}",
            fix="leave the value away, or use the name" + (f"; is it {meant}?" if meant else ""),
        )
    of = f" of {place}" if place else ""
    bits = {name: number(values[name], form, name + of) for name in wanted}
    return bits, number(observed, form, _OBSERVED + of.replace("of", "in"))


def number(value: Any, form: Format, what: str) -> int:
    """The bits of a float, or of text that is bits, a hex float or a decimal."""
    if isinstance(value, str):
        return pattern(value, form, what)
    if not isinstance(value, SupportsFloat):
        raise ArgumentError(
            f"{what} is {value!r:.40}", fix="give a float, or text such as 0x3dcccccd or 0.1"
        )
    try:
        given = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(f"{what} is no float: {error}", fix="give a float, or text") from None
    if given - given == 0:
        return pattern(given.hex(), form, what)
    return float_to_bits(given, form.bits)


def require_one_result_each(rows: Sequence[tuple[Mapping[str, int], int]]) -> None:
    """Raise ArgumentError if two rows have the same operands and other results."""
    seen: dict[tuple[int, ...], tuple[int, int]] = {}
    for count, (operands, observed) in enumerate(rows, 1):
        key = tuple(operands.values())
        first, result = seen.setdefault(key, (count, observed))
        if result != observed:
            raise ArgumentError(
                f"rows {first} and {count} have the same operands and other results",
                note="no evaluation gives both: they are of two machines, or of two expressions",
                fix="explain them apart",
            )


def read_rows(data: bytes, name: str) -> list[GivenRow]:
    """The rows of a file: CSV with a line of names, or JSON, a list of objects.

    The result is called `got`. Numbers of JSON are taken as they are written, and rounded once.
    Raises ArgumentError with the line or row.
    """
    if len(data) > LARGEST_FILE:
        raise ArgumentError(
            f"{name} is larger than {LARGEST_FILE >> 20} MiB", fix="give fewer rows; a few decide"
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArgumentError(
            f"{name} is not UTF-8 at byte {error.start}", fix="give CSV or JSON as UTF-8 text"
        ) from None
    found = _of_json(text, name) if text.lstrip()[:1] in ("[", "{") else _of_csv(text, name)
    return _few([*found])


def _split(row: Mapping[str, str], place: str) -> GivenRow:
    if RESULT not in row:
        raise ArgumentError(f"{place} has no {RESULT}", fix=f"call the observed result {RESULT}")
    return {key: value for key, value in row.items() if key != RESULT}, row[RESULT]


def _of_csv(text: str, name: str) -> Iterator[GivenRow]:
    reader = csv.reader(text.splitlines(), skipinitialspace=True, strict=True)
    names: list[str] = []
    try:
        for cells in reader:
            cells = [cell.strip() for cell in cells]
            place = f"line {reader.line_num} of {name}"
            if not any(cells):
                continue
            if not names:
                names = _header(cells, place)
            elif len(cells) != len(names):
                raise ArgumentError(
                    f"{place} has {len(cells)} value{'s' * (len(cells) != 1)}, and the first line "
                    f"names {len(names)}",
                    fix=_CSV_FIX,
                )
            elif not all(cells):
                raise ArgumentError(f"{place}: {names[cells.index('')]} is empty", fix=_CSV_FIX)
            else:
                yield _split(dict(zip(names, cells, strict=True)), place)
    except csv.Error as error:
        raise ArgumentError(
            f"line {reader.line_num} of {name} is not CSV: {error}", fix=_CSV_FIX
        ) from None


def _header(cells: list[str], place: str) -> list[str]:
    for cell in cells:
        if not cell.isidentifier():
            raise ArgumentError(f"{place}: {cell!r:.40} is not a name", fix=_CSV_FIX)
        if cells.count(cell) > 1:
            raise ArgumentError(f"{place} names {cell:.40} twice", fix="leave one column out")
    if RESULT not in cells:
        raise ArgumentError(
            f"{place} names no {RESULT}", fix=f"call the column of observed results {RESULT}"
        )
    return cells


def _of_json(text: str, name: str) -> Iterator[GivenRow]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ArgumentError(f"an object of {name} has a name twice", fix="leave one out")
        return dict(pairs)

    def refuse(place: str, value: Any) -> NoReturn:
        raise ArgumentError(f"{place} is {value!r:.40}", fix=_JSON_FIX)

    try:
        rows = json.loads(
            text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=once
        )
    except (ValueError, RecursionError) as error:
        raise ArgumentError(f"{name} is not JSON: {error!s:.80}", fix=_JSON_FIX) from None
    if not isinstance(rows, list):
        raise ArgumentError(f"{name} is no list of rows", fix=_JSON_FIX)
    for count, row in enumerate(cast("list[Any]", rows), 1):
        place = f"row {count} of {name}"
        if not isinstance(row, dict):
            refuse(place, row)
        for key, value in cast("dict[str, Any]", row).items():
            if not isinstance(value, str):
                refuse(f"{place}: {key:.40}", value)
        yield _split(cast("dict[str, str]", row), place)
