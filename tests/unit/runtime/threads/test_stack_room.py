"""What a thread's stack has no room for is an error, not a crash."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.support.folders import ROOT
from tests.support.kernels.large_kernels import five, many_values, three
from tests.support.kernels.long_kernels import needs_signals
from tests.support.limits import HANG_SECONDS, LEAST_STACK

import samebits as sb
from samebits.errors import StackError

pytestmark = needs_signals
STACKS = """
import sys, threading
sys.path.insert(0, {repository!r})
import numpy as np
from tests.support.kernels.large_kernels import large
from tests.support.kernels.long_kernels import count
found = []
def run():
    try:
        found.append({call})
    except Exception as error:
        found.append(f"{{type(error).__name__}}: {{error.message}}")
threading.stack_size({size})
thread = threading.Thread(target=run)
thread.start()
thread.join()
print(*found)
"""

SMALL = "StackError: this thread's stack has no room for the 256,"


def _on_a_stack(size: int, call: str, before: str = "") -> str:
    script = before + STACKS.format(repository=str(ROOT), call=call, size=size)
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_local_memory_that_a_threads_stack_has_no_room_for_is_an_error() -> None:
    assert _on_a_stack(262_144, "large(7)").startswith(SMALL)
    assert _on_a_stack(1 << 20, "large(7)") == "7.0\n"
    alone = "StackError: this thread's stack has no room for compiled code\n"
    if LEAST_STACK == 32_768:  # else Python itself has no room there
        assert _on_a_stack(LEAST_STACK, "count(np.zeros(1, np.int64), 1)") == alone


@pytest.mark.skipif(LEAST_STACK != 32_768, reason="Python itself has no room on such a stack")
def test_values_that_a_threads_stack_has_no_room_for_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "values.py").write_text(many_values(190))
    before = f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nfrom values import many\n"
    before += "import numpy as np\nmany(np.ones((190, 4, 4)))\n"
    call = "many(np.ones((190, 4, 4)))"
    assert "StackError: this thread's stack has no room for the 2" in _on_a_stack(
        LEAST_STACK, call, before
    )
    assert _on_a_stack(1 << 18, call, before) == "95.5\n"


def test_threads_with_small_stacks_leave_a_ranges_iterations_to_those_with_room() -> None:
    call = "(set_workers(3), o := np.zeros(64), many_large(o), (o == np.arange(64)).all())[-1]"
    before = "import threading\nthreading.stack_size(262144)\n"
    direct = before + (
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "import numpy as np\n"
        "from samebits.runtime.threads.pool import set_workers\n"
        "from tests.support.kernels.large_kernels import many_large\n"
        f"print({call})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", direct],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("True\n", 0), done.stderr


def test_a_job_on_threads_with_small_stacks_fails_and_says_so() -> None:
    script = (
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "import numpy as np\n"
        "from samebits.errors import StackError\n"
        "from samebits.runtime.threads.pool import set_workers\n"
        "from tests.support.kernels.large_kernels import Large\n"
        "from samebits.runtime.threads import own_stack\nown_stack.STACK_BYTES = 262144\n"
        "set_workers(2)\n"
        "handle = Large(out=np.zeros(8)).schedule(8, batch=1)\n"
        "while not handle.is_completed: pass\n"
        "try:\n    handle.complete()\nexcept StackError as error:\n    print(error.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.stdout.startswith(SMALL.removeprefix("StackError: ")), done.stderr


def test_local_memory_is_counted_once() -> None:
    """768 KiB of the 1,024 that a call may have; not twice that."""
    x = np.linspace(0.0, 1.0, 100)
    assert three(x, 7) == three.managed(x, 7)
    with pytest.raises(sb.CompileError, match="does not fit the stack") as caught:
        five()
    assert "it takes 1,310,720 bytes" in str(caught.value)


def test_a_stack_error_can_be_pickled() -> None:
    import pickle

    error = pickle.loads(pickle.dumps(StackError("256,000")))
    assert str(error) == str(StackError("256,000"))
