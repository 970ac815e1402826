"""How long a test waits before it says that something hangs."""

from __future__ import annotations

HANG_SECONDS = 600.0
"""Nothing that works takes a tenth of this on a machine with twenty times the work of its cores;
a test that passes waits for what happens, never for this."""
