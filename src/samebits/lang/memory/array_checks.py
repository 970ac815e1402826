"""What an ndarray must be to stand for an array parameter, and the message where it is not."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from samebits.errors import ArgumentError
from samebits.types import ArrayType, FixedPointType, MemoryType, StructType, VectorType


def dtype_name(t: MemoryType) -> str:
    """How a host writes the element's dtype."""
    if isinstance(t, StructType):
        return f"{t.name}.dtype"
    scalar = t.element if isinstance(t, VectorType) else t
    if isinstance(scalar, FixedPointType):
        return f"np.{scalar.dtype}"
    return "bool" if str(scalar) == "bool" else f"np.{scalar}"


def _shape_name(t: ArrayType) -> str:
    lengths = ["n"] if t.ndim == 1 else ["n", "m"]
    if isinstance(t.element, VectorType):
        lengths += map(str, t.element.shape)
    return f"({', '.join(lengths)}{',' if len(lengths) == 1 else ''})"


def _dtype_text(dtype: np.dtype[Any]) -> str:
    return "a structured dtype" if dtype.names else str(dtype)


def _converted(name: str, t: MemoryType, found: np.dtype[Any]) -> str:
    """How a host makes an array of `t` from the array `name` of another dtype."""
    scalar = t.element if isinstance(t, VectorType) else t
    if isinstance(scalar, FixedPointType) and found.kind == "f":
        return f"steps: np.rint({name} * 2.0**{scalar.fraction}).astype({dtype_name(t)})"
    return f"{name}.astype({dtype_name(t)})"


def check_array(value: Any, t: ArrayType, parameter_name: str) -> None:
    """Raise ArgumentError unless `value` can be viewed as `t` without a copy.

    It must be an ndarray of the element's dtype in native byte order, of the right shape,
    C-contiguous, aligned, and writable unless `t` is read-only.
    """
    name, element = parameter_name, dtype_name(t.element)
    expected = f"parameter '{name}': expected {t}, an ndarray of {element}"
    if not isinstance(value, np.ndarray):
        raise ArgumentError(
            f"{expected}; got {type(value).__name__}", fix=f"pass np.array({name}, {element})"
        )
    array = cast("np.ndarray[Any, Any]", value)
    if hasattr(array, "mask"):
        raise ArgumentError(
            f"{expected}; got {type(array).__name__}, whose mask a kernel can't see",
            fix=f"pass {name}.filled(0), and the mask as an array of bool",
        )
    copied = None if t.readonly else "what is written goes into the copy: keep it"
    dtype = t.element.element.dtype if isinstance(t.element, VectorType) else t.element.dtype
    if array.dtype != dtype:
        if array.dtype.newbyteorder("=") == dtype:
            found = "another" if array.dtype.names else array.dtype.str
            raise ArgumentError(
                f"{expected} in native byte order; got {found}",
                note=copied,
                fix=f"pass {name}.astype({element})",
            )
        raise ArgumentError(
            f"{expected}; got {_dtype_text(array.dtype)}",
            fix=f"pass {_converted(name, t.element, array.dtype)}",
        )
    tail = t.element.shape if isinstance(t.element, VectorType) else ()
    if array.ndim != t.ndim + len(tail) or array.shape[t.ndim :] != tail:
        raise ArgumentError(
            f"{expected} of shape {_shape_name(t)}; got shape {array.shape}",
            fix=f"pass an array of shape {_shape_name(t)}, for example by {name}.reshape(...)",
        )
    if not array.flags.c_contiguous:
        raise ArgumentError(
            f"{expected}, C-contiguous; got strides {array.strides}",
            note=copied,
            fix=f"pass np.ascontiguousarray({name})",
        )
    # NumPy asks no alignment of structured dtypes.
    if not array.flags.aligned or array.ctypes.data % t.element.align:
        raise ArgumentError(
            f"{expected}, aligned; got misaligned memory", note=copied, fix=f"pass {name}.copy()"
        )
    if not t.readonly and not array.flags.writeable:
        raise ArgumentError(
            f"{expected}, writable; got a read-only array",
            note=copied,
            fix=f"pass {name}.copy(), or declare ReadOnly{str(t)[5:]}",
        )
