"""Dispatch: the parameter types of a call from Python, by its values."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from samebits.lang.annotations import ArrayAnnotation
from samebits.lang.kernel import Kernel
from samebits.lang.memory.arrays import ManagedArray
from samebits.lang.memory.strided import Strided
from samebits.lang.memory.structs import Struct
from samebits.lang.values.fixed.fixed_point import FixedPoint
from samebits.lang.values.scalars import SCALAR_CLASSES
from samebits.lang.values.vectors import Vector
from samebits.types import BY_DTYPE, MATRICES, VECTORS, ArrayType, Type


def argument_type(value: Any, annotation: object) -> Type | None:
    """The type that a Python argument brings to a generic parameter; None for a literal."""
    if isinstance(value, Strided):
        value = value.array
    if isinstance(value, ManagedArray):
        return ArrayType(value.element, len(value.shape), value.readonly)
    if isinstance(value, (Vector, Struct, FixedPoint)):
        return value.__sb_type__
    if isinstance(value, np.ndarray):
        if isinstance(annotation, ArrayAnnotation):
            return _array_type(cast("np.ndarray[Any, Any]", value), annotation)
        return None
    if isinstance(value, np.generic):
        return BY_DTYPE.get(cast("Any", value).dtype)
    return None


def _array_type(value: np.ndarray[Any, Any], annotation: ArrayAnnotation) -> Type | None:
    scalars = [t for t in SCALAR_CLASSES if t.dtype == value.dtype]
    shape = value.shape[annotation.ndim :]
    composites = {1: VECTORS, 2: MATRICES}.get(value.ndim - annotation.ndim, {}).values()
    elements = [c for t in scalars for c in composites if c.element == t and c.shape == shape]
    for element in scalars if value.ndim == annotation.ndim else elements:
        return ArrayType(element, annotation.ndim, annotation.readonly)
    return None


def types_for(kernel: Kernel, args: tuple[Any, ...]) -> tuple[Type, ...]:
    """The parameter types for a call with these Python values."""
    if kernel.fixed_types is not None:
        return kernel.fixed_types
    found = (argument_type(v, a) for v, a in zip(args, kernel.signature.annotations, strict=True))
    return kernel.signature.resolve(tuple(found))
