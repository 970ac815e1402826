"""The class of every type of several scalars that is a value: vectors, matrices, quaternions.

Completes the vectors, which know no other class, with the product of two.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import Any

from samebits.lang.values.matrices import MATRIX_CLASSES
from samebits.lang.values.quaternions import QUATERNION_CLASSES
from samebits.lang.values.vectors import VECTOR_CLASSES, Vector
from samebits.types import VectorType

_PARTS: Any = (VECTOR_CLASSES, MATRIX_CLASSES, QUATERNION_CLASSES)
COMPOSITE_CLASSES: Mapping[VectorType, type[Vector]] = ChainMap(*_PARTS)
"""A view: a vector class that is registered later is in it too."""


def _product(a: Any, b: Any) -> Any:
    from samebits.lang.values.products import mul

    return mul(a, b)


Vector.__sb_product__ = _product
