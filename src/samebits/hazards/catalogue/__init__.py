"""The table of hazards, the most plausible first: a new one is a file and a row here."""

from samebits.errors import HazardError, nearest
from samebits.hazards.catalogue.expressions.algebra import ALGEBRA
from samebits.hazards.catalogue.expressions.constant_ulp import CONSTANT
from samebits.hazards.catalogue.expressions.double_rounding import DOUBLE
from samebits.hazards.catalogue.expressions.float_to_int import TO_INTEGER
from samebits.hazards.catalogue.expressions.fma_contraction import FUSED
from samebits.hazards.catalogue.expressions.libm_ulps import OFFSET
from samebits.hazards.catalogue.expressions.min_max import MIN_MAX
from samebits.hazards.catalogue.expressions.nan_bits import NAN_BITS
from samebits.hazards.catalogue.expressions.narrower_precision import NARROW
from samebits.hazards.catalogue.expressions.other_libm import LIBRARY
from samebits.hazards.catalogue.expressions.reassociation import ORDER
from samebits.hazards.catalogue.expressions.reciprocal import RECIPROCAL
from samebits.hazards.catalogue.expressions.reciprocal_estimate import ESTIMATE
from samebits.hazards.catalogue.expressions.rounding_direction import DIRECTION
from samebits.hazards.catalogue.expressions.signed_zero import SIGNED_ZERO
from samebits.hazards.catalogue.expressions.subnormal_flush import FLUSH
from samebits.hazards.catalogue.expressions.x87 import X87
from samebits.hazards.catalogue.hazard import ExpressionHazard, ProgramHazard
from samebits.hazards.catalogue.programs.changed_constant import CHANGED_CONSTANT
from samebits.hazards.catalogue.programs.changed_input import CHANGED_INPUT
from samebits.hazards.catalogue.programs.changed_operation import CHANGED_OPERATION
from samebits.hazards.catalogue.programs.host_randomness import HOST
from samebits.hazards.catalogue.programs.iteration_order import ITERATION
from samebits.hazards.catalogue.programs.lost_store import LOST_STORE
from samebits.hazards.catalogue.programs.simd_reduction import LANES
from samebits.hazards.catalogue.programs.unhashed_state import UNHASHED
from samebits.hazards.catalogue.programs.uninitialised import UNINITIALISED

__all__ = ["EXPRESSION_HAZARDS", "PROGRAM_HAZARDS", "ExpressionHazard", "ProgramHazard", "by_name"]

EXPRESSION_HAZARDS: tuple[ExpressionHazard, ...] = (
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
"""Hazards that change how an expression is evaluated."""

PROGRAM_HAZARDS: tuple[ProgramHazard, ...] = (
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
"""Hazards that change control flow, memory or inputs."""

_BY_NAME = {hazard.name: hazard for hazard in (*EXPRESSION_HAZARDS, *PROGRAM_HAZARDS)}


def by_name(name: str) -> ExpressionHazard | ProgramHazard:
    """The hazard of a name. Raises HazardError, which lists all and suggests the nearest."""
    found = _BY_NAME.get(name)
    if found is None:
        meant = nearest(name, _BY_NAME)
        raise HazardError(
            f"there is no hazard {name!r:.60}",
            note=f"the hazards are {', '.join(_BY_NAME)}",
            fix=None if meant is None else f"write {meant}",
        )
    return found
