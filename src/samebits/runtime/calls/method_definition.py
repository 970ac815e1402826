"""CPython's description of a function in C.

Only second calls need it, and to make its class takes as long as to import a module.
"""

from __future__ import annotations

import ctypes


class MethodDef(ctypes.Structure):
    """CPython's `PyMethodDef`."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )  # fmt: skip
