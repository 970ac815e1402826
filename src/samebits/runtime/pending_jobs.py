"""The pending jobs: scheduled and not completed.

While there are none, calls need not import `memory_claims`.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

PENDING: OrderedDict[int, Any] = OrderedDict()
"""Each a `memory_claims.Claimer`, by number, oldest first."""
