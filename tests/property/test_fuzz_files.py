"""Some thousand hostile files, for every format that samebits reads."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from tests.fuzz.files.engine import Finding, Fuzz
from tests.fuzz.files.targets import TARGETS
from tests.fuzz.files.tracing import Steps

from samebits.output import Output

CASES = {
    "replays": 60,
    "reports": 25,
    "two-reports": 12,
    "goldens": 100,
    "bits": 50,
    "verdicts": 60,
    "hash-lists": 100,
    "dumps": 100,
    "cache": 1000,
    "saves": 1000,
    "sources": 60,
    "expressions": 300,
    "records": 400,
    "sim-toml": 500,
    "lua": 200,
    "elf": 50,
    "pe": 60,
    "coff": 60,
    "mach-o": 60,
    "wasm": 75,
    "archives": 40,
    "builds": 60,
}
"""`make fuzz-files` goes on; these are the first."""


def run(name: str, folder: Path, cases: int) -> Fuzz:
    for module in TARGETS[name].needs:
        pytest.importorskip(module)
    fuzz = Fuzz(TARGETS[name](folder))
    fuzz.run(cases)
    return fuzz


def shown(finding: Finding) -> str:
    return f"{finding.kind}: {finding.what}: {finding.data[:2000]!r}"


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_files_are_refused_or_read_within_bounds(name: str, tmp_path: Path) -> None:
    fuzz = run(name, tmp_path, CASES[name])
    assert not fuzz.found, "\n".join(map(shown, fuzz.found[:5]))
    assert fuzz.cases == CASES[name]
    assert len(fuzz.corpus) > len(fuzz.target.seeds()), "nothing led anywhere new"


def test_garbage_of_others_is_no_step_of_a_reader() -> None:
    steps = Steps()
    old = gc.get_threshold()
    gc.set_threshold(1)
    try:
        with steps.counted(100):
            for _ in range(100):
                left = Output.__new__(Output)
                left.path = left  # pyright: ignore[reportAttributeAccessIssue] - a cycle
                del left
    finally:
        gc.set_threshold(*old)
    assert not steps.edges


def test_the_same_cases_are_the_same_files(tmp_path: Path) -> None:
    corpora: list[list[bytes]] = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        corpora.append(run("goldens", tmp_path / folder, 60).corpus)
    assert corpora[0] == corpora[1]
