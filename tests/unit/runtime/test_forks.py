"""A process that is forked while another thread compiles for the first time compiles as well."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.limits import HANG_SECONDS

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

PLACES = {
    "import": "samebits.runtime.compile",
    "own stack": "samebits.runtime.threads.own_stack",
    "room": "samebits.runtime.threads.preempt",
    "managed": "samebits.managed.run",
    "front end": "samebits.frontend.compile",
    "passes": "samebits.passes.pipeline",
    "call": "samebits.runtime.calls.native_call",
    "llvm": "llvmlite.binding",
    "any import": "samebits.sim.state.difference",
    "parse": "",
}

PROGRAM = """
import ast, os, signal, sys, threading, time, warnings
import samebits as sb
from samebits import float32
warnings.simplefilter("ignore", DeprecationWarning)
sb.set_cache_dir(None)
place = sys.argv[1]

@sb.kernel
def k(x: float32) -> float32:
    return x * 2

inside, forking = threading.Event(), threading.Event()

def stop():
    if threading.current_thread() is not threading.main_thread() and not inside.is_set():
        inside.set()
        forking.wait()
        time.sleep(0.1)  # a fork that does not wait comes before this ends

class Finder:
    # Stops the other thread within an import: Python holds that module's lock.
    def find_spec(self, name, path=None, target=None):
        if name == place:
            stop()

parse = ast.parse
def stopped_parse(*args, **named):
    stop()
    return parse(*args, **named)

if place:
    assert place not in sys.modules, place
    sys.meta_path.insert(0, Finder())
else:
    ast.parse = stopped_parse
# Registered last, this runs first of all that is to be done before a fork.
os.register_at_fork(before=forking.set)

def imported(x):
    # As what is used late is, outside of any lock: here by a module that is half made then.
    from samebits.sim import outcome
    return x * 2

call = imported if ".sim." in place else k.managed if ".managed." in place else k
thread = threading.Thread(target=lambda: call(1.0))
thread.start()
inside.wait()
child = os.fork()
if child == 0:
    signal.alarm(int(float(sys.argv[2])))
    os._exit(0 if float(call(3.0)) == 6.0 else 1)
thread.join()
assert float(k(2.0)) == 4.0
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize("place", PLACES)
def test_a_child_of_the_first_compilation_compiles(tmp_path: Path, place: str) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    command = [sys.executable, str(path), PLACES[place], str(HANG_SECONDS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_SECONDS)
    assert (done.returncode, done.stderr) == (0, "")
