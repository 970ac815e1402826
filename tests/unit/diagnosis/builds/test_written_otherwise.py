"""C that others have written, which compilers make other sums of than of what is written here."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from tools.prove_diagnose.foreign import binary
from tools.prove_diagnose.foreign.c.style import EXACT
from tools.prove_diagnose.foreign.compilers import Compiler

from samebits.bits import xxh64
from samebits.diagnosis.builds.compilers.build import STRICT
from samebits.diagnosis.builds.compilers.found import compilers
from samebits.diagnosis.builds.compilers.plans import CAREFUL, CLEARED, Plan
from samebits.diagnosis.builds.compilers.rows import rows
from samebits.diagnosis.builds.compilers.search import CompilerSearch
from samebits.diagnosis.clock import spent
from samebits.sides.input_stream import InputStream
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource

CLANG = next((each for each in compilers() if each.title.startswith("clang ")), None)
FAST = next(row for row in rows() if {"-ffast-math", "-mfma"} <= {*row.flags} and row.is_usual
            and row.families == ["clang"])  # fmt: skip


@pytest.mark.skipif(CLANG is None, reason="there is no clang here")
def test_arrays_that_others_clear_where_they_declare_them_are_found(tmp_path: Path) -> None:
    assert CLANG is not None
    game = load_simulation("examples/pendulum/pendulum.py")
    source = PlayerSource(game, "falling", 7, 20)
    inputs = InputStream(source)
    shop = binary.Workshop(game, tmp_path)
    theirs = shop.whole(Compiler("clang", CLANG.command, STRICT, ("-mfma",)), (*FAST.flags,), EXACT)
    states = shop.states(theirs, source.seed, inputs.between(0, 20))
    known = {n - 1: xxh64(state) for n, state in enumerate(states)}
    search = CompilerSearch(
        parse_side("", game), inputs, known, 0, spent() + 60, lambda text: None
    )  # fmt: skip
    with closing(search):
        gives = [search._gives_all(CLANG, Plan(FAST, parts)) for parts in (CAREFUL, CLEARED)]  # pyright: ignore[reportPrivateUsage]
    assert gives == [False, True]
