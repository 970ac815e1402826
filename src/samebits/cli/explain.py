"""`samebits explain`: which evaluation gives the bits that another machine reported."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from samebits.bits import bits_to_float, float_to_bits
from samebits.cli.exit_status import DIFFERS, SAME
from samebits.diagnosis.explain import Cause, Explanation, Miss, explain
from samebits.diagnosis.explain_rows import LARGEST_FILE, RESULT, GivenRow, Row, read_rows
from samebits.errors import ArgumentError
from samebits.fpmodel.softfloat import FLOAT16, Format

_ROW_FIX = f'write the operands and the result, as in --row "a=1.5 b=2 {RESULT}=0x40400000"'
_SHOWN = 6
"""Rows that the text shows."""


def run(
    expression: str,
    values: Sequence[str],
    got: str | None,
    more: Sequence[str],
    file: str | None,
    type: str,
    in_json: bool,
) -> int:
    """Try and print; return 0 if some evaluation gives the bits, 1 if none does."""
    rows = given(values, got, more, file)
    explanation = explain(expression, [row for row, _ in rows], [got for _, got in rows], type)
    if in_json:
        print(json.dumps(as_json(explanation), indent=1))
    else:
        print("\n".join(as_text(explanation)))
    return SAME if explanation.causes else DIFFERS


def given(
    values: Sequence[str], got: str | None, more: Sequence[str], file: str | None
) -> list[GivenRow]:
    """The rows of a command line: of its operands and --got, of each --row, of a file."""
    rows: list[GivenRow] = []
    if got is not None:
        rows.append((named(values), got))
    elif values:
        raise ArgumentError("the observed result of these operands is not given", fix="add --got")
    for text in more:
        row: dict[str, str] = named(text.split())
        result = row.pop(RESULT, None)
        if result is None:
            raise ArgumentError(f"--row {text:.60} has no {RESULT}", fix=_ROW_FIX)
        rows.append((row, result))
    if file is not None:
        rows += read_rows(_content(file), file)
    if not rows:
        raise ArgumentError(
            "no observed result is given", fix="add --got, --row or --rows with what was observed"
        )
    return rows


def _content(file: str) -> bytes:
    try:
        if not Path(file).is_file():
            raise ArgumentError(f"there is no file {file}", fix="give a CSV or JSON file of rows")
        with open(file, "rb") as opened:
            return opened.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        raise ArgumentError(f"{file} cannot be read: {error}", fix="give a file of rows") from None


def named(values: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE pairs as a dict."""
    found: dict[str, str] = {}
    for text in values:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name.isidentifier():
            raise ArgumentError(
                f"{text!r:.60} is not an operand", fix="write NAME=VALUE, as in a=0x3dcccccd"
            )
        if name in found:
            raise ArgumentError(f"{name} is given twice", fix="leave one out")
        found[name] = value
    return found


def shown(bits: int, form: Format) -> str:
    """A bit pattern and its value, as the shortest decimal that reads back as it."""
    value = bits_to_float(bits, form.bits)
    if form.bits == 64 or value != value:
        text = repr(value)
    else:
        digits = (f"{value:.{n}g}" for n in range(1, 10))
        text = next(t for t in digits if float_bits(t, form.bits) == bits)
    return f"0x{bits:0{form.bits // 4}x}  {text}"


def float_bits(text: str, bits: int) -> int:
    """The pattern of a decimal in a type of that many bits; −1 if it is out of range."""
    try:
        return float_to_bits(float(text), bits)
    except OverflowError:
        return -1


def as_text(e: Explanation) -> list[str]:
    """The lines that the command prints."""
    computed = "float32, rounded to float16" if e.form is FLOAT16 else e.form.name
    lines = [f"{e.expression}   in {computed}"]
    if len(e.rows) == 1:
        lines += _row(e.rows[0], e.form, "  ")
    else:
        for count, row in enumerate(e.rows[:_SHOWN], 1):
            lines += [f" row {count}", *_row(row, e.form, "  ")]
        unlike = sum(row.strict != row.observed for row in e.rows)
        shown = f", {_SHOWN} of them shown" if len(e.rows) > _SHOWN else ""
        differ = "differs" if unlike == 1 else "differ"
        lines += [f" {len(e.rows):,} rows{shown}; {unlike:,} {differ} from the strict result"]
    lines += [""]
    these = "these bits" if len(e.rows) == 1 else "the bits of every row"
    tried = f"{e.tried:,} evaluations were tried"
    if not e.causes:
        lines += [f"no evaluation tried gives {these}, nor do two hazards together:"]
    elif not e.causes[0].hazards:
        lines += [f"the strict evaluation gives {these}"]
        others = ", ".join(_names(cause) for cause in e.causes[1:])
        lines += [f"so do: {others}"] * bool(others)
    else:
        together = ", two hazards together" if len(e.causes[0].hazards) > 1 else ""
        sure = " (certain)" if e.certain else ""
        lines += [f"gives {these}{together}{sure}:", *_cause(e.causes[0])]
        if len(e.causes) > 1:
            lines += ["also explained by:"]
            lines += [line for cause in e.causes[1:] for line in _cause(cause)]
        lines += _what_decides(e)
    lines += ["", *_misses(e.misses, these), tried + ("" if e.complete else "; there are more")]
    return lines


def _what_decides(e: Explanation) -> list[str]:
    """What would tell the explanations apart, or make a single one certain."""
    if e.certain:
        return []
    if e.decisive is None:
        many = "no fresh sample tells these apart: operands of other sizes may"
        return [many if len(e.causes) > 1 else "more rows would make it certain"]
    lines = ["this row would tell them apart:"]
    lines += [f"  {name:<9} {shown(bits, e.form)}" for name, bits in e.decisive.operands.items()]
    by_result: dict[int, list[str]] = {}
    for cause, bits in zip(e.causes, e.decisive.results, strict=True):
        by_result.setdefault(bits, []).append(_names(cause))
    lines += [f"  gives {shown(b, e.form)}: {', '.join(who)}" for b, who in by_result.items()]
    return lines


def _row(row: Row, form: Format, indent: str) -> list[str]:
    lines = [f"{indent}{name:<9} {shown(bits, form)}" for name, bits in row.operands.items()]
    away = "a NaN" if row.distance is None else f"{row.distance:,} ULP from the strict result"
    return [
        *lines,
        f"{indent}strict    {shown(row.strict, form)}",
        f"{indent}observed  {shown(row.observed, form)}   {away}",
    ]


def _names(cause: Cause) -> str:
    return " + ".join(hazard.title for hazard in cause.hazards)


def _cause(cause: Cause) -> list[str]:
    first = cause.evaluations[0]
    more = len(cause.evaluations) - 1
    lines = [f"  {_names(cause)}", f"    {first.expression}"]
    lines += [f"    seen with {practice}" for practice in first.practice]
    differs = f"{cause.strength.differs:.0%} of fresh samples differ from the strict result"
    lines += [f"    {differs}; {_evidence(round(cause.strength.bits))}"]
    return [*lines, f"    and {more:,} more of its evaluations"] if more else lines


def _evidence(bits: int) -> str:
    if bits <= 0:
        return "no evidence: of as many as were tried, one fits by accident"
    return f"evidence {bits} bit{'s' * (bits != 1)}"


def _misses(misses: Sequence[Miss], these: str) -> list[str]:
    tried = [miss for miss in misses if miss.evaluations]
    idle = [miss.hazard.name for miss in misses if not miss.evaluations]
    what = "the bits" if these == "these bits" else these
    lines = [f"these do not give {what}:"] if tried else []
    for miss in tried:
        near = "a NaN" if miss.nearest is None else f"{miss.nearest:,} ULP off at best"
        lines.append(f"  {miss.hazard.title} ({near})")
    return [*lines, f"not applicable: {', '.join(idle)}"] if idle else lines


def as_json(e: Explanation) -> dict[str, Any]:
    """The explanation for programs. Bits are hexadecimal text."""

    def bits(pattern: int) -> str:
        return f"0x{pattern:0{e.form.bits // 4}x}"

    def row(row: Row) -> dict[str, Any]:
        return {
            "operands": {name: bits(pattern) for name, pattern in row.operands.items()},
            "strict": bits(row.strict),
            "observed": bits(row.observed),
            "ulp": row.distance,
        }

    from samebits.cli.printing import JSON_FORMAT  # whose tables nothing else here needs

    return {
        "format": JSON_FORMAT,
        "expression": e.expression,
        "type": e.form.name,
        **row(e.rows[0]),
        "rows": [row(each) for each in e.rows],
        "causes": [
            {
                "hazards": [hazard.name for hazard in cause.hazards],
                "differs": round(cause.strength.differs, 3),
                "evidence_bits": round(cause.strength.bits, 1),
                "evaluations": [
                    {"expression": each.expression, "practice": list(each.practice)}
                    for each in cause.evaluations
                ],
            }
            for cause in e.causes
        ],
        "does_not": [
            {"hazard": m.hazard.name, "evaluations": m.evaluations, "nearest_ulp": m.nearest}
            for m in e.misses
        ],
        "certain": e.certain,
        "decisive": None
        if e.decisive is None
        else {
            "operands": {name: bits(pattern) for name, pattern in e.decisive.operands.items()},
            "results": [bits(pattern) for pattern in e.decisive.results],
        },
        "tried": e.tried,
        "complete": e.complete,
    }
