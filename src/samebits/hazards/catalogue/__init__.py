"""The hazards, the most plausible first: adding one is a file and a row here."""

from samebits.diagnose.hazards.algebra import ALGEBRA
from samebits.diagnose.hazards.changed_constant import CHANGED_CONSTANT
from samebits.diagnose.hazards.changed_input import CHANGED_INPUT
from samebits.diagnose.hazards.changed_operation import CHANGED_OPERATION
from samebits.diagnose.hazards.constant import CONSTANT
from samebits.diagnose.hazards.direction import DIRECTION
from samebits.diagnose.hazards.double_rounding import DOUBLE
from samebits.diagnose.hazards.estimate import ESTIMATE
from samebits.diagnose.hazards.flush import FLUSH
from samebits.diagnose.hazards.fused import FUSED
from samebits.diagnose.hazards.hazard import Hazard, Structural
from samebits.diagnose.hazards.host import HOST
from samebits.diagnose.hazards.iteration_order import ITERATION
from samebits.diagnose.hazards.lanes import LANES
from samebits.diagnose.hazards.library import LIBRARY
from samebits.diagnose.hazards.library_ulps import OFFSET
from samebits.diagnose.hazards.lost_store import LOST_STORE
from samebits.diagnose.hazards.min_max import MIN_MAX
from samebits.diagnose.hazards.nan_bits import NAN_BITS
from samebits.diagnose.hazards.narrower import NARROW
from samebits.diagnose.hazards.order import ORDER
from samebits.diagnose.hazards.reciprocal import RECIPROCAL
from samebits.diagnose.hazards.signed_zero import SIGNED_ZERO
from samebits.diagnose.hazards.to_integer import TO_INTEGER
from samebits.diagnose.hazards.unhashed import UNHASHED
from samebits.diagnose.hazards.uninitialised import UNINITIALISED
from samebits.diagnose.hazards.x87 import X87
from samebits.diagnose.nearest import nearest
from samebits.errors import HazardError

__all__ = ["HAZARDS", "STRUCTURAL", "Hazard", "Structural", "by_name"]

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
"""Those of an expression."""

STRUCTURAL: tuple[Structural, ...] = (
    LANES,
    ITERATION,
    UNINITIALISED,
    UNHASHED,
    LOST_STORE,
    CHANGED_INPUT,
    CHANGED_CONSTANT,
    CHANGED_OPERATION,
    HOST,
)
"""Those of control flow, memory and inputs."""

_BY_NAME = {hazard.name: hazard for hazard in (*HAZARDS, *STRUCTURAL)}


def by_name(name: str) -> Hazard | Structural:
    """The hazard of a name. Raises HazardError, which lists them, and names the nearest."""
    found = _BY_NAME.get(name)
    if found is None:
        meant = nearest(name, _BY_NAME)
        raise HazardError(
            f"there is no hazard {name!r:.60}",
            note=f"the hazards are {', '.join(_BY_NAME)}",
            fix=None if meant is None else f"write {meant}",
        )
    return found
