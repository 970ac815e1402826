"""Arrays whose every use from Python is checked against scheduled jobs.

Owns the array class alone; `memory_claims` knows what jobs have claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, cast

import numpy as np

from samebits.errors import ArgumentError, folding
from samebits.lang.signal_safe import keeps_flags
from samebits.runtime.memory_claims import check_memory
from samebits.runtime.pending_jobs import PENDING

_Array = np.ndarray[Any, Any]

READS = (
    "__array__", "__bool__", "__complex__", "__contains__", "__copy__", "__deepcopy__",
    "__float__", "__format__", "__getitem__", "__index__", "__int__", "__iter__", "__reduce__",
    "__reduce_ex__", "argmax", "argmin", "argpartition", "argsort", "astype", "choose", "compress",
    "copy", "dot", "dump", "dumps", "flatten", "item", "nonzero", "repeat", "searchsorted", "take",
    "tobytes", "tofile", "tolist", "trace",
)  # fmt: skip
"""Methods that read elements. Arithmetic and comparisons arrive as ufuncs; views, shapes and slices
read nothing: their later uses are checked."""
WRITES = ("__setitem__", "byteswap", "fill", "partition", "put", "resize", "setfield", "sort")
"""Methods that write elements."""

WRITING_FUNCTIONS = frozenset({
    "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask",
})  # fmt: skip
"""Functions of NumPy that write their first argument."""
FREE_FUNCTIONS = frozenset({
    "broadcast_arrays", "broadcast_to", "empty_like", "expand_dims", "may_share_memory", "moveaxis",
    "ndim", "ones_like", "ravel", "reshape", "result_type", "shape", "shares_memory", "size",
    "squeeze", "swapaxes", "transpose", "zeros_like",
})  # fmt: skip
"""Functions of NumPy that read no element."""


class GuardedArray(_Array):
    """An ndarray that raises ArgumentError if Python accesses memory that a scheduled job writes,
    or writes memory that one reads, until the job is completed.

    Views of it are guarded too; results of arithmetic are plain arrays. Accesses of NumPy or C code
    that bypass the array's methods, such as `np.asarray(guarded)`, are not detected.
    """

    __sb_guarded__ = True
    """Tells samebits' functions to take it as a plain array: they check scheduled jobs
    themselves."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        written: list[Any] = [x for x in kwargs.get("out", ()) if x is not None]
        if method == "at":
            written.append(inputs[0])
        _check(f"np.{ufunc.__name__}", inputs, written)
        if "out" in kwargs:
            kwargs["out"] = tuple([plain(x) for x in kwargs["out"]])
        result = getattr(ufunc, method)(*map(plain, inputs), **kwargs)
        return written[0] if len(written) == 1 and method != "at" else result

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any
    ) -> Any:
        written = [kwargs["out"]] if "out" in kwargs else []
        written += args[:1] if func.__name__ in WRITING_FUNCTIONS else []
        if func.__name__ not in FREE_FUNCTIONS:
            _check(f"np.{func.__name__}", [*_inside(args), *_inside(kwargs.values())], written)
        return super().__array_function__(func, types, args, kwargs)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]

    def __repr__(self) -> str:
        try:
            return "guarded" + super().__repr__().removeprefix("GuardedArray")
        except ArgumentError:
            return f"<guarded array of {self.dtype}, shape {self.shape}, in use by a scheduled job>"

    __str__ = __repr__


@folding
@keeps_flags
def guarded(array: object) -> GuardedArray:
    """`array`, an ndarray, as a GuardedArray over the same memory. Raises ArgumentError."""
    if not isinstance(array, np.ndarray):
        raise ArgumentError(
            f"guarded() takes an ndarray; got {type(array).__name__}",
            fix="write sb.guarded(np.zeros(n, np.float32))",
        )
    return cast("_Array", array).view(GuardedArray)


def plain(value: Any) -> Any:
    """A guarded array's memory as a plain array; any other value unchanged."""
    return value.view(np.ndarray) if isinstance(value, GuardedArray) else value


def _inside(values: Iterable[Any]) -> Iterable[Any]:
    """The arrays among arguments, those in lists and tuples included."""
    for value in values:
        if isinstance(value, list | tuple):
            yield from _inside(cast("Iterable[Any]", value))
        else:
            yield value


def _check(name: str, read: Iterable[Any], written: Iterable[Any]) -> None:
    if PENDING:
        check_memory(
            name, [*(("array", v, False) for v in read), *(("array", v, True) for v in written)]
        )


def _guard(name: str, writes: bool) -> Callable[..., Any]:
    plain: Callable[..., Any] = getattr(np.ndarray, name)
    is_view = name == "__getitem__"

    @wraps(plain)
    def method(self: GuardedArray, *args: Any, **kwargs: Any) -> Any:
        found = plain(self, *args, **kwargs) if is_view else None
        if isinstance(found, GuardedArray) and np.may_share_memory(found, self):
            return found
        _check(f"ndarray.{name}", () if writes else (self,), (self,) if writes else ())
        return found if is_view else plain(self, *args, **kwargs)

    return method


for _name in READS:
    setattr(GuardedArray, _name, _guard(_name, writes=False))
for _name in WRITES:
    setattr(GuardedArray, _name, _guard(_name, writes=True))
