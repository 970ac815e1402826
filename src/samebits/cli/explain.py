"""`samebits explain`: which evaluation gives the bits that another machine reported."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from samebits.bits import bits_to_float, float_to_bits
from samebits.cli.exit_status import DIFFERS, SAME
from samebits.diagnosis.explain import Cause, Explanation, Miss, explain
from samebits.errors import ArgumentError
from samebits.fpmodel.softfloat import FLOAT16, Format


def run(expression: str, values: Sequence[str], got: str, type: str, in_json: bool) -> int:
    """Try and print; return 0 if some evaluation gives the bits, 1 if none does."""
    explanation = explain(expression, named(values), got, type)
    if in_json:
        print(json.dumps(as_json(explanation), indent=1))
    else:
        print("\n".join(as_text(explanation)))
    return SAME if explanation.causes else DIFFERS


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
    lines += [f"  {name:<9} {shown(bits, e.form)}" for name, bits in e.operands.items()]
    lines += [f"  strict    {shown(e.strict, e.form)}"]
    away = "a NaN" if e.distance is None else f"{e.distance:,} ULP from the strict result"
    lines += [f"  observed  {shown(e.observed, e.form)}   {away}", ""]
    tried = f"{e.tried:,} evaluations were tried"
    if not e.causes:
        lines += ["no evaluation tried gives these bits, nor do two hazards together:"]
    elif not e.causes[0].hazards:
        lines += ["the strict evaluation gives these bits"]
        others = ", ".join(_names(cause) for cause in e.causes[1:])
        lines += [f"so do: {others}"] * bool(others)
    else:
        together = ", two hazards together" if len(e.causes[0].hazards) > 1 else ""
        lines += [f"gives these bits{together}:", *_cause(e.causes[0])]
        if len(e.causes) > 1:
            lines += ["also explained by:"]
            lines += [line for cause in e.causes[1:] for line in _cause(cause)]
    lines += ["", *_misses(e.misses), tried + ("" if e.complete else "; there are more")]
    return lines


def _names(cause: Cause) -> str:
    return " + ".join(hazard.title for hazard in cause.hazards)


def _cause(cause: Cause) -> list[str]:
    first = cause.evaluations[0]
    more = len(cause.evaluations) - 1
    lines = [f"  {_names(cause)}", f"    {first.expression}"]
    lines += [f"    seen with {practice}" for practice in first.practice]
    return [*lines, f"    and {more:,} more of its evaluations"] if more else lines


def _misses(misses: Sequence[Miss]) -> list[str]:
    tried = [miss for miss in misses if miss.evaluations]
    idle = [miss.hazard.name for miss in misses if not miss.evaluations]
    lines = ["these do not give the bits:"] if tried else []
    for miss in tried:
        near = "a NaN" if miss.nearest is None else f"{miss.nearest:,} ULP off at best"
        lines.append(f"  {miss.hazard.title} ({near})")
    return [*lines, f"not applicable: {', '.join(idle)}"] if idle else lines


def as_json(e: Explanation) -> dict[str, Any]:
    """The explanation for programs. Bits are hexadecimal text."""

    def bits(pattern: int) -> str:
        return f"0x{pattern:0{e.form.bits // 4}x}"

    from samebits.cli.printing import JSON_FORMAT  # whose tables nothing else here needs

    return {
        "format": JSON_FORMAT,
        "expression": e.expression,
        "type": e.form.name,
        "operands": {name: bits(pattern) for name, pattern in e.operands.items()},
        "strict": bits(e.strict),
        "observed": bits(e.observed),
        "ulp": e.distance,
        "causes": [
            {
                "hazards": [hazard.name for hazard in cause.hazards],
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
        "tried": e.tried,
        "complete": e.complete,
    }
