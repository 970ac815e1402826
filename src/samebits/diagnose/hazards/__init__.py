"""The hazards, the most plausible first: adding one is a file and a row here."""

from samebits.diagnose.hazards.algebra import ALGEBRA
from samebits.diagnose.hazards.constant import CONSTANT
from samebits.diagnose.hazards.direction import DIRECTION
from samebits.diagnose.hazards.double_rounding import DOUBLE
from samebits.diagnose.hazards.estimate import ESTIMATE
from samebits.diagnose.hazards.flush import FLUSH
from samebits.diagnose.hazards.fused import FUSED
from samebits.diagnose.hazards.hazard import Hazard
from samebits.diagnose.hazards.library import LIBRARY
from samebits.diagnose.hazards.library_ulps import OFFSET
from samebits.diagnose.hazards.min_max import MIN_MAX
from samebits.diagnose.hazards.nan_bits import NAN_BITS
from samebits.diagnose.hazards.narrower import NARROW
from samebits.diagnose.hazards.order import ORDER
from samebits.diagnose.hazards.reciprocal import RECIPROCAL
from samebits.diagnose.hazards.signed_zero import SIGNED_ZERO
from samebits.diagnose.hazards.to_integer import TO_INTEGER
from samebits.diagnose.hazards.x87 import X87

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
