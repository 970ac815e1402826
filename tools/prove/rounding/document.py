"""The part of docs/results/accuracy.md on proven margins: function by function, phase by phase."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import erfc, floor, log2

from tools.prove.catalogue import ROWS, Row
from tools.prove.functions import NAMED
from tools.prove.plan import ALL
from tools.prove.results import Record, key
from tools.prove.rounding.kept import Shown, rules

TEXT = """\
## Proven margins

A float64 function at HIGH, and a float32 function of two arguments, first computes a value in a
*fast phase*, with a *margin* of its error; where all within the margin rounds to one number, that
is the result. `make prove` proves from the kernel's IR that no error exceeds the margin in the
source, again for each kernel that has changed, and fails where one does: *error* is the largest
that the proof cannot exclude, as a part of the margins (cells are halved only until that is below
1). *Exact* operations are those of which a theorem, whose conditions are discharged all over each
cell of inputs, says that they round nothing; *rounded* ones may be off as far as rounding goes.

What the fast phase leaves open is decided by an *exact phase*. Roots are algebraic: theirs compares
integers, and rests on nothing else. All others are computed with 192 bits, by the bounds in their
source to a relative 2^-p, and so are right unless a result that is no rounding boundary lies as
near to one. Hard cases, published or searched (`make search-hard`: some 10^12 inputs of each
function without a list), whose number is in the last column and on all of which the results were
compared, say that none does for the functions and ranges that they cover. Beyond them the odds of
such an argument, if they are taken at random, are these, of p bits of which 53 are the result's:

| function | p | odds of one argument | number of them | odds of all |
|---|--:|--:|--:|--:|
{odds}

float32 functions of one argument are compared on all 2^32, and rest on no margin. The margin of
float32 `pow` and its kin is in units in the last place of the float64 that is tested.

| function | phase | error | margin | cells | exact | rounded | rests on |
|---|---|--:|---|--:|--:|--:|---|
"""
ONE, PAIRS = 64, 128
"""The arguments of a function of one number and of two: the logarithm to the base 2."""
ERFC_BITS, LGAMMA_BITS = 175, 116
"""The exact phase of erfc loses one of these for each power of two that its result is below 1;
that of lgamma has these at its results nearest to 0, one more for each power of two farther."""


def _erfc_bits(x: float) -> int:
    return ERFC_BITS + floor(log2(erfc(x)))


EXACT_PHASES: tuple[tuple[str, int, int], ...] = (
    ("of one argument, but those below", 168, ONE),
    ("`erfc` from 2 to 4", _erfc_bits(4.0), 52),
    ("`erfc` from 4 to 6", _erfc_bits(6.0), 51),
    ("`lgamma` next to a zero; as likely again for each power of two farther", LGAMMA_BITS, 0),
    ("of two arguments, but `logaddexp` next to 0, which is as `erfc` of that size", 168, PAIRS),
    ("float32 `atan2`", 98, ONE),
)
"""The precision of exact phases, and the logarithm of the number of arguments there."""


def odds(precision: int, arguments: int, digits: int = 53) -> tuple[int, int]:
    """The exponents of the probability that one random argument, and that one of so many, has a
    result that is no boundary of rounding and nearer to one than 2^-precision."""
    one = digits + 2 - precision
    return one, one + arguments


def _odds() -> str:
    lines: list[str] = []
    for name, precision, arguments in EXACT_PHASES:
        one, every = odds(precision, arguments, 24 if name.startswith("float32") else 53)
        total = "some are expected" if every >= 0 else f"2^{every}"
        lines.append(f"| {name} | {precision} | 2^{one} | 2^{arguments} | {total} |")
    return "\n".join(lines)


ALGEBRAIC = ("cbrt", "rsqrt", "hypot")
WITHOUT = {
    "hypot float32": "none: rounding keeps the order of sums and roots, and ties are told exactly",
}
"""Functions without a margin, and why none is needed."""


def section(
    proofs: Mapping[str, Shown], records: Mapping[str, Record], digests: Mapping[str, str]
) -> str:
    """The whole part. `digests` are those of the kernels as they are now."""
    lines: list[str] = []
    for type_name in ("float64", "float32"):
        for row in ROWS:
            name = key(row.name, type_name, "HIGH")
            record = records.get(name)
            every = record is not None and any(part.what == ALL for part in record.parts)
            margin = row.signature.endswith("->x") and bool(row.like) and NAMED[row.name].margin_f64
            if margin and name in digests and not every:
                shown = proofs.get(f"{type_name} {row.name}")
                lines += _rows(row, type_name, shown, digests[name], record)
    older = earlier(proofs)
    return TEXT.format(odds=_odds()) + "\n".join([*lines, "", older] if older else lines)


def earlier(proofs: Mapping[str, Shown]) -> str:
    """Which proofs are older than the prover's rules; nothing where none is."""
    found = [name for name, shown in proofs.items() if shown.rules != rules()]
    if not found:
        return ""
    return (
        f"The prover's rules have changed since {len(found)} of these {len(proofs)} proofs were "
        f"made (`make prove-rounding` makes them anew): {', '.join(found)}."
    )


def _rows(
    row: Row, type_name: str, shown: Shown | None, digest: str, record: Record | None
) -> Iterator[str]:
    name = f"{row.name} {type_name}"
    rests = _rests(row, record)
    if name in WITHOUT:
        yield from _without_margin(name, shown, digest, rests)
        return
    if shown is None or shown.digest != digest:
        why = "not proven since it changed" if shown else "measured, not proven"
        yield f"| {name} | | | {why} | | | | {rests} |"
        return
    for phase in shown.phases:
        margin = ", ".join(f"{name} = {power(value)}" for name, value in phase.margin.items())
        bad = "**not proven**: " if [*phase.complaints] else ""
        exact = sum(phase.exact.values())
        yield (
            f"| {name} | {phase.name} | {bad}{phase.worst:.3f} | {margin} | {phase.cells:,} "
            f"| {exact:,} | {phase.rounded:,} | {rests} |"
        )


def _without_margin(name: str, shown: Shown | None, digest: str, rests: str) -> Iterator[str]:
    if shown is None or shown.digest != digest or shown.complaints:
        yield f"| {name} | | | {WITHOUT[name]}: not proven | | | | {rests} |"
        return
    for phase in shown.phases:
        exact = sum(phase.exact.values())
        yield (
            f"| {name} | {phase.name} | | {WITHOUT[name]} | {phase.cells:,} | {exact:,} "
            f"| {phase.rounded:,} | {rests} |"
        )


def _rests(row: Row, record: Record | None) -> str:
    if row.name in ALGEBRAIC:
        return "nothing"
    if record is None:
        return "not compared yet"
    hard = sum(part.checked for part in record.parts if part.what == "hard cases")
    return f"{hard:,} hard cases" if hard else "probability alone"


def power(value: float) -> str:
    """Such as 1.5·2^-68."""
    exponent = int(log2(value) // 1)
    factor = value / 2.0**exponent
    return f"2^{exponent}" if factor == 1 else f"{factor:.6g}·2^{exponent}"
