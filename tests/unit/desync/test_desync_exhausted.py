"""Files of one program that exhausts the whole budget of a report, from the command line: facts and
a verdict, what was cut, by which limit, and what to do about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.runs.deep_programs import DEEP, brought, calls, filling, report
from tests.support.runs.desync_files import SMALL, made, signed
from tests.support.simulations.wasteful_simulation import WASTEFUL

from samebits.cli import status
from samebits.desync.format import PROGRAM, Key
from samebits.desync.record import ReportRequest
from samebits.desync.writer import report_bytes
from samebits.ir.analysis.budget import FRAME, MEMORY, OPERATIONS, TEXT
from samebits.sides.side import parse_side
from samebits.sim.sources import PlayerSource

MORE = (
    "note: that is what the programs of anybody's reports may take: for reports of machines that "
    "you trust, --budget 8 allows 8 times as much as without it\n"
)
DEEPEST = "note: that is as deep as the interpreter goes with a report's program, whoever made it\n"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def diagnosed(
    capsys: pytest.CaptureFixture[str], a: bytes, b: bytes, *options: str
) -> tuple[int, str]:
    """The exit status and what is printed, of two files; nothing is on stderr."""
    for name, data in (("a.desync", a), ("b.desync", b)):
        Path(name).write_bytes(data)
    code = status(["diagnose", "a.desync", "b.desync", *options])
    out, err = capsys.readouterr()
    assert err == ""
    return code, out


def wasteful(text: str) -> bytes:
    side = parse_side(text, WASTEFUL)
    return report_bytes(
        made(PlayerSource(WASTEFUL, "push", 1, 6), ReportRequest(range(6), 0), side)
    )


def test_a_program_that_takes_all_operations_leaves_what_was_found_before(
    capsys: pytest.CaptureFixture[str],
) -> None:
    a, b = wasteful("evaluate"), wasteful("evaluate,hazard=fma,from=0")
    code, out = diagnosed(capsys, a, b)
    assert code == 1
    assert "\nframe: frame 0 of 6 is the first that differs\n" in out
    assert "\nfield: pos[1]; one scalar differs after the frame\n" in out
    assert "\noperation: sum in step, " in out
    assert "\ncause: fused multiply-add (fma), likely\n" in out
    spent = f"all that is done with the reports' programs takes more than {OPERATIONS:,} operations"
    assert f"\nnote: not all that might explain it was tried: {spent}\n" in out
    assert f"\nnote: the exposed operations are unknown: {spent}\n" in out
    assert out.count(MORE) == 1
    code, more = diagnosed(capsys, a, b, "--budget", "4")
    assert (code, "note: " in more) == (1, False)
    assert "also explained by:" in more


SHAPES = {
    "depth": (calls(300, 1), DEEP, DEEPEST),
    "a frame": (
        filling(), f"a frame of the report's program takes more than {FRAME:,} operations", MORE,
    ),
    "bytes": ("\n" * TEXT, f" characters, more than {TEXT:,}", MORE),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_one_that_goes_beyond_another_limit_leaves_frame_and_fields(
    shape: str, capsys: pytest.CaptureFixture[str]
) -> None:
    functions, why, advice = SHAPES[shape]
    other = brought(report(), functions, "last")
    code, out = diagnosed(capsys, report_bytes(report("evaluate")), other)
    assert code == 1
    assert "\nframe: frame 12 of 20 is the first that differs\n" in out
    assert "\nfield: energy; one scalar differs after the frame\n" in out
    assert why in out
    assert out.endswith(advice)
    assert "write another" not in out  # no report tells what would go beyond the limit too


def huge(text: str) -> bytes:
    """A report of hashes alone, of states that would take 96 MB."""
    source = PlayerSource(SMALL, "push", 1, 20)
    whole = made(source, ReportRequest(None), parse_side(text, SMALL))
    program = whole.parts[Key(PROGRAM, 0)].decode().replace("int32[3, 4]", "int32[6000, 4000]")
    contents = replace(whole.contents, program=len(program))
    parts = {**whole.parts, Key(PROGRAM, 0): program.encode()}

    def change(values: dict[str, Any]) -> None:
        run = values["run"]
        run["schema"] = run["schema"].replace("[3,4]", "[6000,4000]")
        run["state_size"] = str(int(run["state_size"]) + 4 * (6000 * 4000 - 12))

    return signed(replace(whole, parts=parts, contents=contents), change)


def test_a_state_that_is_claimed_to_be_huge_leaves_the_frame(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out = diagnosed(capsys, huge("evaluate"), huge("evaluate,hazard=fma,from=12"))
    assert code == 1
    assert "\nframe: frame 12 of 20 is the first that differs\n" in out
    assert f" bytes, more than {MEMORY:,}" in out
    assert out.endswith(MORE)
