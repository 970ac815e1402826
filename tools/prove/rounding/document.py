"""The part of docs/results/accuracy.md on proven margins: function by function, phase by phase."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log2

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
source to a relative 2^-168, and so are right unless a result that is no rounding boundary lies as
near to one (float32 `atan2`: 2^-98). Hard cases, published or searched (`make search-hard`: some
10^12 inputs of each function without a list), whose number is in the last column and on all of
which the results were compared, say that none does for the functions and ranges that they cover;
beyond them an argument chosen at random is that near with a probability of 2^-113, and all
2^64 together of one argument with one below 2^-49. (Of two arguments there are 2^128 pairs, so that
for `pow`, `atan2` and their kin the probability is that of each pair.) float32 functions of one
argument are compared on all 2^32, and rest on no margin. The margin of float32 `pow` and its kin is
in units in the last place of the float64 that is tested.

| function | phase | error | margin | cells | exact | rounded | rests on |
|---|---|--:|---|--:|--:|--:|---|
"""
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
    return TEXT + "\n".join([*lines, "", older] if older else lines)


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
