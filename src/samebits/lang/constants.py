"""What a Python number from outside a kernel is to the language, once it is captured."""

from __future__ import annotations

from typing import Any

import numpy as np

from samebits.lang.scalars import CONVERTERS, SCALAR_CLASSES, TYPE_OF
from samebits.types import STRONG_SCALARS

_BY_DTYPE = {t.dtype: t for t in STRONG_SCALARS}


def constant(value: Any) -> Any:
    """The language's own form of a captured object; what is not a number stays itself.

    NumPy's scalars become the language's (a NaN the canonical one), its bool and subclasses of
    Python's numbers, such as an IntEnum's members, become plain ones.
    """
    match value:
        case bool() | np.bool_():
            return bool(value)
        case np.generic():
            t = _BY_DTYPE.get(value.dtype)
            if t is None or type(value) is SCALAR_CLASSES[t] or type(value) not in TYPE_OF:
                return value
            return CONVERTERS[t][type(value)](value)
        case int():
            return int(value)
        case float():
            return float(value)
        case _:
            return value
