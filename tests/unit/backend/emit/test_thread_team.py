"""The team is code for every system that can load compiled kernels."""

from __future__ import annotations

import pytest

from samebits.backend.emit.thread_team import ASSEMBLE, RUN, TEAM, WORK, team_text
from samebits.backend.llvm import engine
from samebits.backend.targets.table import TARGETS

LOADABLE = [t for t in TARGETS.values() if not t.architecture.startswith("wasm")]
TOLD = {"x86_64": "pause", "i686": "pause", "aarch64": "isb"}


@pytest.mark.parametrize("target", LOADABLE, ids=lambda t: t.name)
def test_its_object_has_what_a_process_asks_for(target: engine.Target) -> None:
    code = engine.compile_text(team_text(target), target)
    for symbol in (TEAM, RUN, WORK, ASSEMBLE):
        assert symbol.encode() in code


@pytest.mark.parametrize(
    "target", [t for t in LOADABLE if t.architecture in TOLD], ids=lambda t: t.name
)
def test_a_thread_that_looks_tells_its_processor(target: engine.Target) -> None:
    assembly = engine.assemble_text(team_text(target), target)
    assert assembly.count(TOLD[target.architecture]) >= 3
