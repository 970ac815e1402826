"""The zig of the `ziglang` wheel: the words that start it.

The wheel's own way, `python -m ziglang`, starts an interpreter to be replaced by zig at once: that
takes four times as long as a linker of one object. Knows no arguments.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.machinery import PathFinder


@cache
def zig_command() -> tuple[str, ...]:
    """The program of the wheel, or `python -m ziglang` where it is not beside its module.

    As with Python's `-P`, no wheel in the current folder is looked at: anybody may have put it
    there.
    """
    here = os.getcwd()
    path = [place for place in sys.path if os.path.abspath(place or here) != here]
    spec = PathFinder.find_spec("ziglang", path)
    if spec is not None and spec.origin is not None:
        name = "zig.exe" if os.name == "nt" else "zig"
        program = os.path.join(os.path.dirname(spec.origin), name)
        if os.access(program, os.X_OK):
            return (program,)
    return sys.executable, "-P", "-m", "ziglang"
