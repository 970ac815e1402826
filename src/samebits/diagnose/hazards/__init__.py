"""The hazards, the most plausible first: adding one is a file and a row here."""

from samebits.diagnose.hazards.environment import DIRECTION, FLUSH
from samebits.diagnose.hazards.fused import FUSED
from samebits.diagnose.hazards.hazard import Hazard
from samebits.diagnose.hazards.library import LIBRARY, OFFSET
from samebits.diagnose.hazards.order import ALGEBRA, ORDER
from samebits.diagnose.hazards.precision import DOUBLE, NARROW, X87
from samebits.diagnose.hazards.reciprocal import ESTIMATE, RECIPROCAL
from samebits.diagnose.hazards.values import CONSTANT, MIN_MAX, NAN_BITS, SIGNED_ZERO, TO_INTEGER

__all__ = ["HAZARDS", "Hazard"]

HAZARDS: tuple[Hazard, ...] = (
    FUSED,
    LIBRARY,
    NAN_BITS,
    MIN_MAX,
    TO_INTEGER,
    SIGNED_ZERO,
    FLUSH,
    ORDER,
    RECIPROCAL,
    DOUBLE,
    X87,
    ESTIMATE,
    ALGEBRA,
    OFFSET,
    CONSTANT,
    NARROW,
    DIRECTION,
)
