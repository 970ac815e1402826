"""The language's form of a Python number that a kernel captures."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from samebits.lang.values.conversions import kind_of
from samebits.lang.values.scalars import CONVERTERS, SCALAR_CLASSES, TYPE_OF
from samebits.types import BY_DTYPE


def constant(value: Any) -> Any:
    """The language's own form of a captured object; what is not a number stays itself.

    NumPy's scalars become the language's (a NaN the canonical one), its bool and subclasses of
    Python's numbers, such as an IntEnum's members, become plain ones.
    """
    if isinstance(value, bool | np.bool_):
        return bool(cast("Any", value))
    if isinstance(value, np.generic):
        number = cast("Any", value)
        t = BY_DTYPE.get(number.dtype)
        if t is None or kind_of(number) is SCALAR_CLASSES[t] or kind_of(number) not in TYPE_OF:
            return number
        return CONVERTERS[t][kind_of(number)](number)
    if isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, float) else value
