"""The jobs that are scheduled and not completed. While there are none, calls need know no more of
claims than that.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

PENDING: OrderedDict[int, Any] = OrderedDict()
"""A `claims.Claimer` each, by number, oldest first."""
