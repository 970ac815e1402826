"""What a program sets for its own threads is not what the library's threads have."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.limits import HANG_SECONDS

PROGRAM = """\
import threading
import numpy as np
import samebits as sb
from samebits import int32

@sb.job
class Large(sb.ParallelFor):
    a: sb.Array[int32]
    def execute(self, i: int32):
        x = sb.zeros(60000, int32)
        for k in range(60000):
            x[k] = int32(k) + i
        self.a[i] = x[59999]

@sb.kernel
def ranged(a: sb.Array[int32]) -> None:
    for i in sb.prange(len(a)):
        x = sb.zeros(60000, int32)
        for k in range(60000):
            x[k] = int32(k) + int32(i)
        a[i] = x[59999]

from samebits.runtime.threads.pool import set_workers
set_workers(3)
threading.stack_size(65536)
found = np.zeros((2, 200), np.int32)
for _ in range(5):
    Large(a=found[0]).schedule(200, batch=1).complete()
    ranged(found[1])
assert threading.stack_size() == 65536
assert (found == np.arange(200) + 59999).all()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the size is a hint there")
def test_jobs_and_ranges_run_whatever_stack_a_programs_threads_have(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    subprocess.run([sys.executable, str(tmp_path / "program.py")], check=True, timeout=HANG_SECONDS)
