"""Without Gymnasium everything else works, and what needs it says how to get it."""

from __future__ import annotations

import subprocess
import sys

from tests.support.folders import ROOT
from tests.support.limits import HANG_SECONDS

_PROGRAM = """
import sys
sys.modules["gymnasium"] = sys.modules["pettingzoo"] = None
from samebits import *
import samebits.gym
from samebits import gym
try:
    gym.make
except sb_errors.ArgumentError as error:
    print(error.message, error.fix)
"""


def test_gymnasium_is_asked_for_where_it_is_missing() -> None:
    program = "from samebits import errors as sb_errors\n" + _PROGRAM
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        env={"PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr
    expected = "samebits.gym.make needs gymnasium python -m pip install 'samebits[gym]'"
    assert done.stdout.strip() == expected
