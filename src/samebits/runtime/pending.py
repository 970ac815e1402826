"""The jobs that are scheduled and not completed. While there are none, calls need know no more of
claims than that.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samebits.runtime.claims import Claimer

PENDING: OrderedDict[int, Claimer] = OrderedDict()
"""By number, oldest first."""
