"""The class of every type of several scalars that is a value: vectors, matrices, quaternions.

Completes the vectors, which know no other class, with the product of two.
"""

from __future__ import annotations

from typing import Any

from samebits.lang.values import matrices as matrices
from samebits.lang.values import quaternions as quaternions
from samebits.lang.values.vectors import COMPOSITE_CLASSES as COMPOSITE_CLASSES
from samebits.lang.values.vectors import Vector


def _product(a: Any, b: Any) -> Any:
    from samebits.lang.values.products import mul

    return mul(a, b)


Vector.__sb_product__ = _product
