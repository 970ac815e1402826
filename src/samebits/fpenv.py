"""The floating-point environment: `sb.fpenv.state()`, `pinned()` and `threads()`.

Kernels pin the environment themselves. This is for the host's own Python code, and to see
what a foreign library changed.
"""

from samebits.runtime.fp_state.pin import pinned, state
from samebits.runtime.fp_state.registers import X87, State
from samebits.runtime.fp_state.threads import ThreadState, threads

__all__ = ["X87", "State", "ThreadState", "pinned", "state", "threads"]
