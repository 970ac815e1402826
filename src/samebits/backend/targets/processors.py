"""Processors beyond what LLVM's tables say: names that it mistakes, widths of vectors that pay.

Data alone, which changes speed and never bits.
"""

from __future__ import annotations

from collections.abc import Mapping

VECTOR_BITS = {"sapphirerapids": 512, "emeraldrapids": 512, "graniterapids": 512}
"""The widest vectors that pay, by LLVM's name, where LLVM would rather have 256 bits: with 512
sums, dot products, Black-Scholes and filters are a fifth faster, stencils an eighth, and all pairs
of boids half again (measured on the first; the others have its kind of core)."""
_BY_FEATURE = {"amx-tile": "sapphirerapids"}
"""Features by which a processor is known whose model number LLVM takes for an older one's, as under
a hypervisor: the name to tune for."""


def tuned_name(cpu: str, features: Mapping[str, bool]) -> str:
    """The processor to tune for, in LLVM's spelling, where LLVM says that this one is `cpu`."""
    if not cpu or cpu in VECTOR_BITS:
        return cpu
    found = (name for feature, name in _BY_FEATURE.items() if features.get(feature, False))
    return next(found, cpu)
