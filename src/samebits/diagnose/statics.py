"""Where the statements of a function lie: in which statements, in which of their regions.

Knows one module, and nothing of what happened when it ran.
"""

from __future__ import annotations
