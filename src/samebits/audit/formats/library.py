"""The one way to lief, which reads containers of all formats, silent on standard error."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any


@cache
def lief() -> Any:
    """The module, whose log and remarks at the end of the process are off."""
    module: Any = import_module("lief")
    module.logging.disable()
    module.disable_leak_warning()
    return module
