"""docs/results/accuracy.md: how far off each function is at most, and what that was found on."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tools.prove import identical, promises
from tools.prove.catalogue import ROWS, Row
from tools.prove.plan import ALL, HARD
from tools.prove.results import Part, Record, key
from tools.prove.rounding import kept
from tools.prove.rounding.document import section
from tools.prove.rounding.kept import Shown

PAGE = Path(__file__).parents[2] / "docs" / "results" / "accuracy.md"
PRECISIONS = ("HIGH", "MEDIUM", "LOW")
TYPES = ("float32", "float64")

INTRODUCTION = """\
# Accuracy of the math functions

Made by `make prove` from `tools/prove/results.json`. Errors are in ULP: the spacing of the type's
numbers at the exact result. HIGH functions are compared with the correctly rounded result (the
nearest number, ties to even): float32 with a float64 function and float64 with an 80-bit one where
those decide, with MPFR where a rounding boundary is too near for them, and for all special values
and {hard_cases}. The wide reference's own error is
measured against MPFR in every run;
{margins}.
MEDIUM and LOW are compared with the wide reference, float32 functions of one argument at all 2³²
inputs; of float64 ones, and of float32 ones of two arguments, whose row says *proven* it is shown
from their IR, as the margins below, that no error is larger than the number there.

A function marked **≤ 0.50x ULP** has results that are not correctly rounded; the number and the
largest error are in its row. MEDIUM and LOW are faster: their error is promised for the inputs
under *on*. *Identical on* says on which targets the same code gave the same bits, on special values
and random bit patterns (`make prove-targets`).
"""


def page(records: dict[str, Record], digests: dict[str, str]) -> str:
    """The whole page. `digests` are those of the kernels as they are now."""
    worst = {
        name: max((r.reference_error for k, r in records.items() if f" {name} " in k), default=0.0)
        for name in TYPES
    }
    margins = (
        f"the largest was {worst['float32']:.1f} of 64 half ULP of float64 left to MPFR, "
        f"{worst['float64']:.1f} of 8 half ULP of the 80-bit type"
    )
    current = [record for name, record in records.items() if record.digest == digests.get(name)]
    lines = [INTRODUCTION.format(margins=margins, hard_cases=hard_cases(current))]
    targets = identical.load()
    proofs = kept.load()
    for type_name in TYPES:
        lines += [
            f"## {type_name}\n",
            "| function | precision | promised, ULP | largest error, ULP | on | compared "
            "| correct rounding | identical on |",
            "|---|---|--:|--:|---|---|---|---|",
        ]
        for row in ROWS:
            lines += _rows(row, type_name, records, digests, targets, proofs)
        lines.append("")
    lines += [section(proofs, records, digests), ""]
    lines += _notes(records)
    return "\n".join(lines).rstrip() + "\n"


def hard_cases(records: Iterable[Record]) -> str:
    """How many hard cases were compared, and of how many functions, for the page."""
    counts = [sum(part.checked for part in record.parts if part.what == HARD) for record in records]
    if not sum(counts):
        return "no hard cases"
    kernels = sum(count > 0 for count in counts)
    return (
        f"{sum(counts):,} hard cases of {kernels} kernel{'s' * (kernels > 1)} "
        "(CORE-MATH's lists, and what `make search-hard` found where there is none; every sign)"
    )


def _rows(
    row: Row, type_name: str, records: dict[str, Record], digests: dict[str, str],
    targets: dict[str, dict[str, str]], proofs: dict[str, Shown],
) -> Iterable[str]:  # fmt: skip
    high = digests.get(key(row.name, type_name, "HIGH"))
    for precision in PRECISIONS:
        name = key(row.name, type_name, precision)
        digest = digests.get(name)
        if digest is None:
            yield f"| {row.name} | {precision} | | | | not there yet | | |"
            continue
        if precision != "HIGH" and digest == high:
            yield f"| {row.name} | {precision} | | as HIGH | | | | |"
            continue
        record = records.get(name)
        if record is None or record.digest != digest:
            why = "not compared yet" if record is None else "not compared since it changed"
            yield f"| {row.name} | {precision} | | | | {why} | | |"
            continue
        where = promises.where(row.name, type_name, precision)
        promise = promises.promised(row.name, type_name, precision)
        same = [t for t, found in targets.items() if found.get(name) == digest]
        cells = (
            _ulp(promise), _largest(record),
            where.text.replace("|", "\\|") if where else "all numbers", _compared(record),
            _verdict(record, precision, promise, proofs.get(f"{type_name} {row.name} {precision}")),
            f"{len(same)}: {', '.join(same)}" if same else "",
        )  # fmt: skip
        yield f"| {row.name} | {precision} | {' | '.join(cells)} |"


def _largest(record: Record) -> str:
    return _ulp(record.worst.worst) if record.wrong else "0.5"


def _ulp(value: float | None) -> str:
    if value is None:
        return "–"
    if value < 2:
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return f"{value:.1f}".removesuffix(".0") if value < 1e6 else f"{value:.1e}"


def _number(count: int) -> str:
    """Short where it is round."""
    exponent = len(str(count)) - 1
    return f"10^{exponent}" if count == 10**exponent and exponent > 4 else f"{count:,}"


def _compared(record: Record) -> str:
    said = [
        part.what if part.what.startswith("all") else f"{_number(part.checked)} {part.what}"
        for part in record.parts
    ]
    return ", ".join(said)


def _verdict(
    record: Record, precision: str, promise: float | None, proof: Shown | None = None
) -> str:
    if record.differ:
        return f"**{record.differ:,} differ between levels**"
    if precision != "HIGH":
        if record.wrong and promise is not None and record.worst.worst > promise:
            return "**more than promised**"
        said = [_bound(record, promise, proof)]
        if special := sum(part.special for part in record.parts):
            said.append(f"a NaN or a zero's sign is not right for {special:,}")
        return "; ".join(text for text in said if text)
    if record.wrong:
        return f"**≤ 0.50x ULP**: {record.wrong:,} are not"
    if any(part.what == ALL for part in record.parts):
        return "proven on all 2³²"
    return "on all of these"


def _bound(record: Record, promise: float | None, proof: Shown | None) -> str:
    """What is proven of an error at MEDIUM or LOW."""
    if any(part.what == ALL for part in record.parts):
        return "error found on all 2³²"
    if proof is None or promise is None or proof.digest != record.digest or proof.complaints:
        return ""
    worst = max(phase.worst for phase in proof.phases if "ULP" in phase.margin)
    return f"≤ {_ulp(promise * worst)} proven"


def _notes(records: dict[str, Record]) -> list[str]:
    lines: list[str] = []
    for name, record in records.items():
        bad: list[Part] = [p for p in record.parts if p.differ or (p.wrong and "HIGH" in name)]
        lines += [f"- {name}, {part.what}: {line}" for part in bad for line in part.named[:3]]
    return ["## What is not correctly rounded\n", *lines] if lines else []
