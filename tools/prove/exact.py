"""Functions whose results are exact or one rounding of an exact number: NumPy's decide, by bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from tools.prove.functions import Format
from tools.prove.inputs import Arguments
from tools.prove.reference import NAMED_INPUTS, Finding


def canonical(values: Any) -> Any:
    """With the one NaN that samebits has."""
    return np.where(np.isnan(values), values.dtype.type(np.nan), values)


class ByNumPy:
    """Compares frexp, ldexp and modf."""

    def __init__(self, name: str, form: Format) -> None:
        self._name = name
        self._form = form

    def _wanted(self, arguments: Arguments) -> tuple[Any, ...]:
        with np.errstate(all="ignore"):
            found = getattr(np, self._name)(*arguments)
        found = found if isinstance(found, tuple) else (found,)
        return tuple(canonical(r) if r.dtype.kind == "f" else r for r in found)

    def __call__(self, arguments: Arguments, results: Sequence[Any]) -> Finding:
        part = Finding(checked=len(arguments[0]))
        for got, wanted in zip(results, self._wanted(arguments), strict=True):
            bits = np.dtype(f"u{got.itemsize}")
            for at in np.flatnonzero(got.view(bits) != wanted.view(bits)).tolist():
                part.wrong += 1
                part.worst = np.inf
                if len(part.named) < NAMED_INPUTS:
                    values = ", ".join(float(a[at]).hex() for a in arguments)
                    part.named.append(
                        f"{self._name}({values}) = {got[at]!r}, wanted {wanted[at]!r}"
                    )
        return part
