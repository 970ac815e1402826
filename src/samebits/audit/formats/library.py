"""The one way to lief, which reads containers of all formats, silent on standard error."""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from typing import Any


@cache
def lief() -> Any:
    """The module, whose log, warnings and remarks at the end of the process are off: of a number
    that it has no name for it gives the number."""
    module: Any = import_module("lief")
    module.logging.disable()
    warnings.filterwarnings("ignore", r".* is not a valid ", RuntimeWarning)
    module.disable_leak_warning()
    return module
