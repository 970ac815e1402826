"""Kernels as parameters, for type checkers: what a kernel and a math function both are."""

from typing import ParamSpec, Protocol, TypeVar

_P = ParamSpec("_P")
_R_co = TypeVar("_R_co", covariant=True)

class Kernel(Protocol[_P, _R_co]):
    """Annotation of a parameter that takes a kernel: `Kernel[[float64], float64]`."""

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R_co: ...
