"""`make prove`: compare every math function with correct rounding; docs/results/accuracy.md.

First the margins of fast phases are proven. What has not changed since it was last proven or
compared is left alone. Exit status 1 if a margin is not proven, or a HIGH result is wrong, or
differs between two levels of this processor.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from tools.prove import catalogue, document, inputs, promises, results
from tools.prove.functions import FORMATS, NAMED
from tools.prove.plan import Sizes, Subject, prove, sets
from tools.prove.reference import library
from tools.prove.results import Record
from tools.prove.rounding import kept
from tools.prove.rounding.__main__ import said
from tools.prove.rounding.claims import CLAIMS
from tools.prove.rounding.document import earlier
from tools.prove.subject import Linked, host_rows, library_loops

TRUSTED = 0.6
"""The wide reference must not be further off than this part of what is left to MPFR."""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.prove", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=[*catalogue.NAMED], metavar="FUNCTION")
    parser.add_argument("--types", nargs="+", choices=[*FORMATS], default=[*FORMATS])
    parser.add_argument(
        "--precisions", nargs="+", choices=document.PRECISIONS, default=document.PRECISIONS
    )
    parser.add_argument("--again", action="store_true", help="also what has not changed")
    parser.add_argument("--tenth", action="store_true", help="a tenth of the random inputs")
    parser.add_argument("--quick", action="store_true", help="a thousandth of the random inputs")
    parser.add_argument("--every", type=int, default=Sizes.stride, metavar="N",
                        help="every Nth float32 at MEDIUM and LOW")  # fmt: skip
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--page-only", action="store_true", help="write the page from what is kept")
    parser.add_argument("--results", type=Path, default=results.PLACE)
    parser.add_argument("--page", type=Path, default=document.PAGE)
    return parser.parse_args()


def main() -> int:
    """Prove what the options ask for."""
    options = _arguments()
    console = Console(stderr=True)
    records = results.load(options.results)
    subjects = library_loops()
    digests = {name: it.digest() for name, it in subjects.items()}
    sizes = Sizes(stride=options.every)
    if options.tenth:
        sizes = Sizes(10**8, 10**7, 10**5, 10**6, 256)
    if options.quick:
        sizes = Sizes(10**6, 10**5, 10**4, 10**4, 1 << 12, 1 << 12)
    if not any(_chosen(name, options) for name in subjects):
        console.print("no function has such a type and precision: nothing would be compared")
        return 2
    lacking = None if options.page_only else inputs.without_hard_cases()
    if lacking:
        console.print(lacking, highlight=False, soft_wrap=True)
    if not options.page_only:
        _prove_margins(options, digests)
        with tempfile.TemporaryDirectory() as folder:
            _prove_all(options, subjects, digests, records, sizes, Path(folder), console)
    records = {name: record for name, record in records.items() if name in digests}
    options.page.write_text(document.page(records, digests))
    current = [record for name, record in records.items() if record.digest == digests[name]]
    checked = sum(part.checked for record in current for part in record.parts)
    console.print(
        f"compared: {checked:,} inputs of {len(current)} of {len(digests)} kernels, "
        f"{document.hard_cases(current)} among them",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
    complaints = [
        f"{name}: {text}" for name, record in records.items()
        if record.digest == digests[name] for text in _complaints(name, record)
    ]  # fmt: skip
    complaints += _unproven(digests)
    for text in complaints:
        console.print(text, highlight=False, soft_wrap=True)
    return 1 if complaints else 0


def _prove_margins(options: argparse.Namespace, digests: dict[str, str]) -> None:
    """Prove the margins of what has changed, and say of each function what was shown."""
    proofs = kept.load()
    for name in CLAIMS:
        key = _of_claim(name)
        if not _chosen(key, options):
            continue
        shown = proofs.get(name)
        if shown is None or shown.digest != digests[key] or options.again:
            shown = kept.show(name)
            kept.save(name, shown)
        for line in said(name, shown):
            print(line, flush=True)
    if older := earlier(kept.load()):
        print(older, flush=True)


def _unproven(digests: dict[str, str]) -> Iterator[str]:
    for name, shown in kept.load().items():
        if name in CLAIMS and shown.digest == digests[_of_claim(name)]:
            yield from (f"{name}: {text}" for text in shown.complaints)


def _of_claim(name: str) -> str:
    return results.key(*kept.parts_of(name))


def _complaints(name: str, record: Record) -> Iterator[str]:
    function, type_name, precision = name.split()
    if not sum(part.checked for part in record.parts):
        yield "nothing was compared"
    if record.differ:
        yield f"{record.differ:,} results differ between {', '.join(record.levels)}"
    if precision == "HIGH" and record.wrong:
        yield f"{record.wrong:,} results are not correctly rounded"
    most = promises.promised(function, type_name, precision)
    if most is not None and record.wrong and record.worst.worst > most:
        at = ", ".join(record.worst.worst_at)
        yield f"{record.worst.worst:.6g} ULP off at {at}, where {most:g} is promised"
    function_row = catalogue.NAMED[function]
    margins = [FORMATS[type_name].margin(NAMED[f]) for f in function_row.like if f in NAMED]
    unit = FORMATS[type_name].unit
    if margins and min(margins) and record.reference_error > TRUSTED * min(margins) / unit:
        yield f"the wide reference is {record.reference_error:.3g} units off: too near its margin"


def _chosen(name: str, options: argparse.Namespace) -> bool:
    function, type_name, precision = name.split()
    return (
        (not options.only or function in options.only)
        and type_name in options.types
        and precision in options.precisions
    )


def _prove_all(
    options: argparse.Namespace, subjects: dict[str, Linked], digests: dict[str, str],
    records: dict[str, Record], sizes: Sizes, folder: Path, console: Console,
) -> None:  # fmt: skip
    made = library(folder)
    rows = [*host_rows().values()]
    levels = [rows[-1], rows[0]] if len(rows) > 1 else rows
    for name, it in subjects.items():
        if not _chosen(name, options):
            continue
        function, type_name, precision = name.split()
        kept = records.get(name)
        row, form = catalogue.NAMED[function], FORMATS[type_name]
        wanted = {what: count for what, _, count, _ in sets(row, form, precision, sizes)}
        same = kept is not None and kept.digest == digests[name] and not options.again
        if same and kept is not None and kept.covers(wanted):
            continue
        if precision != "HIGH" and digests[name] == digests[f"{function} {type_name} HIGH"]:
            records.pop(name, None)
            continue
        subject = Subject(
            row, form, precision, it, levels, made, options.threads,
        )  # fmt: skip
        records[name] = _shown(subject, name, sizes, console)
        results.save(records, options.results)


def _shown(subject: Subject, name: str, sizes: Sizes, console: Console) -> Record:
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(name)

        def shown(what: str, done: int, total: int) -> None:
            bar.update(task, description=f"{name}, {what}", completed=done, total=total)

        record = prove(subject, sizes, shown)
    for part in record.parts:
        console.print(
            f"{name}, {part.what}: {part.checked:,} inputs, {part.wrong:,} not correctly rounded, "
            f"{part.worst:.6g} ULP, {part.differ} differ, {part.by_mpfr:,} by MPFR, "
            f"{part.seconds:.0f} s",
            highlight=False, soft_wrap=True,
        )  # fmt: skip
        for line in part.named[:3] if subject.precision == "HIGH" else ():
            console.print(f"  {line}", highlight=False, soft_wrap=True)
    return dataclasses.replace(record)


if __name__ == "__main__":
    sys.exit(main())
