"""Costs of tests are written by each process that runs some, and summed up by place."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support import costs
from tests.support.folders import ROOT

TESTS = """\
import subprocess, sys, time

def busy(): 
    begun = time.process_time()
    while time.process_time() - begun < 0.2: pass

def test_own(): busy()

def test_child():
    subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < 0.2: pass"])
"""


def test_own_time_and_that_of_children_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS)
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-p",
         "tests.support.costs", "--costs", "found", "--rootdir", ".", "test_some.py"],
        cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, check=True, capture_output=True,
    )  # fmt: skip
    found = {cost.test.partition("::")[2]: cost for cost in costs.read(tmp_path / "found")}
    assert found.keys() == {"", "test_own", "test_child"}
    assert found["test_own"].own >= 0.15 > found["test_own"].children
    assert found["test_child"].children >= 0.15 > found["test_child"].own


def test_tables_have_the_dearest_first() -> None:
    some = [
        costs.Cost("tests/unit/sim/test_a.py::test_x[1]", 1, 0, 2),
        costs.Cost("tests/unit/sim/test_a.py::test_x[2]", 1, 2, 2),
        costs.Cost("tests/bits/test_b.py::test_y", 3, 0, 3),
        costs.Cost("", 0.5, 0, 1),
    ]
    names = [[row.split()[-1] for row in costs.table(some, each)[1:]] for each in costs.GROUPS]
    assert names[0] == ["tests/unit/sim", "tests/bits", "collection"]
    assert names[1][0] == "tests/unit/sim/test_a.py"
    assert names[2][0] == "tests/unit/sim/test_a.py::test_x"
    assert costs.table(some, costs.folder_of)[1].split()[:4] == ["2.0", "2.0", "4.0", "2"]
