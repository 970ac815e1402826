"""A state of matrices and quaternions is the same everywhere, in replays and in exports."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.runs.exported import compiled, host_folder, made, needs_zig, output
from tests.support.simulations.spinning_simulation import SPINNING, State, init

from samebits.bits import leaves
from samebits.export.header import header_text
from samebits.export.interface import interface_of
from samebits.export.views import declarations_text
from samebits.sim.sources import PlayerSource
from samebits.sim.state import schema
from samebits.verify.executions import all_rows, choose_rows
from samebits.verify.verification import Verification

FINAL = "db5491673829f644"
"""After 120 frames of swing, seed 1."""


def test_it_is_the_same_in_every_execution() -> None:
    rows = tuple(row for row in choose_rows(all_rows()) if not row.emulated)
    verification = Verification(SPINNING, PlayerSource(SPINNING, "swing", 1, 120), rows)
    verification.run(lambda what, frames: None)
    assert verification.same
    hashes = {row.name: row.final_hash for row in verification.rows if row.frames == 120}
    assert len(hashes) > 3
    assert {f"{value or 0:016x}" for value in hashes.values()} == {FINAL}


def test_a_replay_names_their_types() -> None:
    t = State.__sb_type__
    text = schema.to_json(t)
    assert '["pose", "quaternion"]'.replace('"', "'") in str(text)
    assert schema.from_json(text, 1 << 20) == t
    names = [path for path, _, _ in leaves(t)]
    assert "bodies[1].wide.c2.y" in names
    assert "whole.c0.z" in names


def test_the_header_has_columns() -> None:
    text = header_text(interface_of(SPINNING), ())
    assert re.search(r"typedef struct spinning_float2x3 {\s+spinning_float2 c0, c1, c2;", text)
    assert re.search(r"typedef struct spinning_quaternion {\s+float x, y, z, w;", text)
    for column in ("float2", "float3", "double3"):
        assert text.count(f"}} spinning_{column};") == 1
    assert "column after column" in declarations_text(interface_of(SPINNING))


CLIENT = """\
#include "spinning.h"
#include <stdio.h>

static spinning_State state;

int main(void)
{
    if (spinning_init(&state, 1)) return 1;
    printf("%.9g %.9g\\n", state.whole.c1.y, state.bodies[1].frame.c2.x);
    return 0;
}
"""


@needs_zig
def test_a_c_program_reads_columns_by_name(tmp_path: Path) -> None:
    out = made(SPINNING, tmp_path)
    program = compiled(out, CLIENT, "c", host_folder(out) / "libspinning.a")
    state = State()
    init(state, 1)
    expected = f"{state.whole.c1.y:.9g} {state.bodies[1].frame.c2.x:.9g}"
    assert output(program).strip() == expected
