"""The time that a test waits before it says that something hangs."""

from __future__ import annotations

import sys

HANG_SECONDS = 600.0
"""Nothing that works takes a tenth of this on a machine with twenty times the work of its cores;
a test that passes waits for what happens, never for this."""

LEAST_STACK = (256 if sys.version_info >= (3, 14) else 32) << 10
"""Bytes of a stack on which Python code runs at all: from 3.14 on Python keeps some for itself."""
