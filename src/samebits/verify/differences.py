"""The first difference of a row, in words."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.sim.outcome import Divergence, RowReport


def place(divergence: Divergence) -> str:
    """Its frame, and its field where that is known."""
    frame = "after init" if divergence.frame < 0 else f"frame {divergence.frame:,}"
    return f"{frame}, {divergence.field.path}" if divergence.field else frame


def difference(row: RowReport) -> Iterator[str]:
    """The lines that tell a row's divergence, if it has one."""
    d = row.divergence
    if d is None:
        return
    reference = "this run" if d.reference == "all" else d.reference
    field = d.field
    width = max(len(reference), len(row.name))
    if field is None:
        yield f"{row.name} differs from {reference}, {place(d)}"
        yield f"  {reference:{width}}  {d.expected}"
        yield f"  {row.name:{width}}  {d.found}"
        if d.note:
            yield f"  {d.note}"
        return
    more = f", and {field.others:,} more fields" if field.others else ""
    ulps = f", {field.ulps:,} ULP apart" if field.ulps is not None else ""
    yield f"{row.name} differs from {reference}, {place(d)} ({field.type}){ulps}{more}"
    yield f"  {reference:{width}}  {field.expected_bits}  {field.expected}"
    yield f"  {row.name:{width}}  {field.found_bits}  {field.found}"
