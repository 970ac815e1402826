"""Two traces of a frame side by side: where they part, in which way, and what noise is."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from samebits.foreign.probes.align import first_parting, noisy_sites
from samebits.foreign.probes.debug_info import SourcePlace
from samebits.foreign.probes.instrument import Site
from samebits.foreign.probes.trace import Trace, read_trace

Row = tuple[int, int, int, int, int]


def site(line: int, file: str = "step.c") -> Site:
    place = SourcePlace(f"/game/{file}", "step", line, 1)
    return Site(
        place, "fadd", "float", ("float", "float"), 0, "", line, file, "step", (False, False)
    )


SITES = [site(1), site(2), site(3, "other.c")]


def trace(*rows: Row, sites: list[Site] | None = None) -> Trace:
    return Trace(sites or SITES, np.array(rows, np.uint64).reshape(len(rows), 5))


A = trace((0, 1, 2, 0, 3), (1, 3, 3, 0, 6), (2, 6, 1, 0, 7))


def test_the_same_traces_part_nowhere() -> None:
    assert first_parting(A, A) is None


def test_a_result_of_the_same_operands_is_told_from_an_operand() -> None:
    other = trace((0, 1, 2, 0, 3), (1, 3, 3, 0, 9), (2, 9, 1, 0, 10))
    found = first_parting(A, other)
    assert found is not None
    assert (found.kind, found.a, found.b, found.compared, found.before) == (
        "result", 1, 1, 1, (0, 0),
    )  # fmt: skip
    later = first_parting(A, other, files=["other.c"])
    assert later is not None
    assert (later.kind, later.a) == ("operand", 2)


def test_a_record_that_one_side_lacks_is_a_path() -> None:
    found = first_parting(A, trace((0, 1, 2, 0, 3), (2, 6, 1, 0, 7)))
    assert found is not None
    assert (found.kind, found.a, found.b) == ("path", 1, 1)
    short = first_parting(A, trace((0, 1, 2, 0, 3), (1, 3, 3, 0, 6)))
    assert short is not None
    assert (short.kind, short.a, short.b) == ("path", 2, None)


def test_sites_that_one_side_lacks_are_passed_over() -> None:
    assert first_parting(A, trace((0, 3, 3, 0, 6), sites=[SITES[1]])) is None
    assert first_parting(A, trace((0, 1, 2, 0, 3), (1, 6, 1, 0, 7), sites=SITES[::2])) is None
    assert first_parting(A, trace((0, 3, 3, 0, 7), sites=[SITES[1]])) is not None


def test_noise_is_what_two_runs_give_differently() -> None:
    again = trace((0, 1, 2, 0, 3), (1, 3, 3, 0, 8), (2, 6, 1, 0, 7))
    keys, unsteady = noisy_sites(A, again)
    assert keys == {SITES[1].key}
    assert not unsteady
    assert first_parting(A, again, keys) is None
    assert noisy_sites(A, trace((0, 1, 2, 0, 3)))[1]


@pytest.mark.parametrize("order", "<>")
def test_a_trace_is_read_in_either_byte_order(order: str, tmp_path: Path) -> None:
    words = struct.pack(f"{order}6Q", 0x3142524243525442, 1, 3, 3, 0, 6)
    (tmp_path / "t").write_bytes(words + b"\1\2\3")
    found = read_trace(tmp_path / "t", SITES)
    assert found is not None
    assert found.rows.tolist() == [[1, 3, 3, 0, 6]]
    assert (found.site(0), found.operands(0), found.result(0)) == (SITES[1], (3, 3), 6)


@pytest.mark.parametrize(
    "data", [b"", b"\0" * 48, struct.pack("<6Q", 0x3142524243525442, 9, 0, 0, 0, 0)]
)
def test_a_file_that_is_no_trace_is_none(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(data)
    assert read_trace(tmp_path / "t", SITES) is None
    assert read_trace(tmp_path / "none", SITES) is None
