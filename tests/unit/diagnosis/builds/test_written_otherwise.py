"""C that others have written, which compilers make other sums of than of what is written here."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from tools.prove_diagnose.foreign import binary
from tools.prove_diagnose.foreign.c.style import EXACT
from tools.prove_diagnose.foreign.compilers import Compiler

from samebits.bits import xxh64
from samebits.diagnosis.builds.compilers.build import STRICT
from samebits.diagnosis.builds.compilers.found import Compiler as Found
from samebits.diagnosis.builds.compilers.found import compilers
from samebits.diagnosis.builds.compilers.plans import BRANCHED, CAREFUL, CLEARED, Parts, Plan
from samebits.diagnosis.builds.compilers.rows import Row, rows
from samebits.diagnosis.builds.compilers.search import CompilerSearch
from samebits.diagnosis.clock import spent
from samebits.sides.input_stream import InputStream
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource

CLANG = next((each for each in compilers() if each.title.startswith("clang ")), None)
GCC = next((each for each in compilers() if each.family == "gcc"), None)
FAST = next(row for row in rows() if {"-ffast-math", "-mfma"} <= {*row.flags} and row.is_usual
            and row.families == ["clang"])  # fmt: skip
FAST_OF_GCC = next(row for row in rows() if tuple(row.flags) == ("-Ofast", "-mfma"))


@pytest.mark.skipif(CLANG is None, reason="there is no clang here")
def test_arrays_that_others_clear_where_they_declare_them_are_found(tmp_path: Path) -> None:
    assert CLANG is not None
    assert gives_all(CLANG, FAST, (CAREFUL, CLEARED), "falling", tmp_path) == [False, True]


@pytest.mark.skipif(GCC is None, reason="there is no gcc here")
def test_remainders_that_others_round_down_by_a_branch_are_found(tmp_path: Path) -> None:
    assert GCC is not None
    assert gives_all(GCC, FAST_OF_GCC, (CAREFUL, BRANCHED), "rough", tmp_path) == [False, True]


def gives_all(
    compiler: Found, row: Row, parts: Sequence[Parts], script: str, folder: Path
) -> list[bool]:
    """Whether the pendulum, built by a row's flags, gives the hashes that another port of it has,
    by each of some parts."""
    game = load_simulation("examples/pendulum/pendulum.py")
    source = PlayerSource(game, script, 7, 20)
    inputs = InputStream(source)
    shop = binary.Workshop(game, folder)
    theirs = shop.whole(
        Compiler(compiler.family, compiler.command, STRICT, ("-mfma",)), (*row.flags,), EXACT
    )
    states = shop.states(theirs, source.seed, inputs.between(0, 20))
    known = {n - 1: xxh64(state) for n, state in enumerate(states)}
    search = CompilerSearch(
        parse_side("", game), inputs, known, 0, spent() + 60, lambda text: None
    )  # fmt: skip
    with closing(search):
        return [search._gives_all(compiler, Plan(row, each)) for each in parts]  # pyright: ignore[reportPrivateUsage]
