"""Math functions over NumPy arrays: broadcasting, layouts, `out` and overlap.

Owns how arrays reach the compiled loops (`ufunc.loops`): directly if their layout allows it, else
through NumPy's iterator, in buffered blocks.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from samebits.errors import ArgumentError, Trap
from samebits.lang.executions import executions
from samebits.lang.memory.overlaps import repeats
from samebits.lang.overloads import Overloads
from samebits.lang.values.conversions import kind_of
from samebits.lang.values.scalars import CONVERTERS, TYPE_OF
from samebits.modes import Precision
from samebits.runtime.ufunc.loops import IN_PLACE, has_loop, loop, result_types
from samebits.types import INT16, INT32, INT64, ScalarType, promote

_NDARRAY: Any = np.ndarray
_ARRAYS: tuple[Any, ...] = (np.ndarray, np.memmap)
_BOOLS: tuple[Any, ...] = (bool, np.bool_)

BLOCK = 8192
"""Elements of a buffered block, for arrays whose layout the loops cannot take."""


def number(x: Any, t: ScalarType) -> Any:
    """A scalar as an instance of type `t`. Raises ArgumentError for a weak int that does not
    fit."""
    if isinstance(x, _BOOLS):
        x = int(x)
    elif TYPE_OF.get(kind_of(x)) is None:
        x = x.item()  # a NumPy scalar that the language lacks, such as float16
    try:
        return CONVERTERS[t][kind_of(x)](x)
    except Trap:
        wider = promote(t, INT16 if t.size < 2 else INT32 if t.size < 4 else INT64)
        fix = "give an integer within these"
        if wider is not None and wider.is_int and wider.minimum <= x <= wider.maximum:
            fix = f"widen the array: x.astype(np.{wider})"
        raise ArgumentError(
            f"{int(x)} does not fit {t}, the type of the array",
            note=f"the range is {t.minimum} to {t.maximum}",
            fix=fix,
        ) from None


def as_int32(function: Overloads, n: int) -> int:
    """An integer argument as an int32. Raises ArgumentError if it does not fit."""
    nearest = max(INT32.minimum, min(INT32.maximum, n))
    if nearest != n and not function.saturates:
        raise ArgumentError(
            f"{function.__name__}() takes an int32, from −2³¹ to 2³¹ − 1, got {n}",
            fix="use math.pow(x, float(n)) for greater powers"
            if function.__name__ == "pown"
            else "give an integer within these",
        )
    return nearest


def over_arrays(
    function: Overloads, precision: Precision, t: ScalarType, args: tuple[Any, ...], out: Any
) -> Any:
    """A call with arrays, at float type `t`."""
    kernel = function.kernel_for(t, precision)
    types = cast("tuple[ScalarType, ...]", kernel.fixed_types)
    given, pattern = _operands(function, types, args)
    shape = _shape(function, given)
    results = result_types(function, t)
    outs = _outs(function, results, shape, out)
    if 0 in shape:
        # No loop runs: NumPy calls empty memory aligned even if it is not.
        empty = [
            np.empty(shape, r.dtype) if o is None else o for o, r in zip(outs, results, strict=True)
        ]
        return empty[0] if len(empty) == 1 else tuple(empty)
    simple = _simple(given, pattern, types, shape)
    if simple and has_loop(function, pattern) and not _overlap(given, outs):
        made = [
            o if o is not None else np.empty(shape, r.dtype)
            for o, r in zip(outs, results, strict=True)
        ]
        if all(o.flags.c_contiguous and o.flags.aligned and o.dtype.isnative for o in made):
            flat = [
                a.reshape(-1) if kind == "a" else a[()]
                for a, kind in zip(given, pattern, strict=True)
            ]
            loop(function, precision, t, pattern)(*flat, *(o.reshape(-1) for o in made))
            return made[0] if len(made) == 1 else tuple(made)
    if (
        len(outs) == 1 and outs[0] is args[0] and pattern == "a" and simple
        and has_loop(function, IN_PLACE)
    ):  # fmt: skip
        loop(function, precision, t, IN_PLACE)(outs[0].reshape(-1))
        return outs[0]
    dtypes = [p.dtype for p in types] + [r.dtype for r in results]
    return _in_blocks(loop(function, precision, t, "a" * len(args)), given, outs, dtypes)


def _operands(
    function: Overloads, types: tuple[ScalarType, ...], args: tuple[Any, ...]
) -> tuple[list[Any], str]:
    """The arguments as arrays, and the loop's pattern of arrays and scalars."""
    given: list[Any] = []
    pattern = ""
    for x, t, integer in zip(args, types, function.integers, strict=True):
        if isinstance(x, _NDARRAY):
            array = _NDARRAY.view(x, _NDARRAY)
            if integer and not np.can_cast(array.dtype, np.int32):
                low, high = max(np.iinfo(array.dtype).min, INT32.minimum), INT32.maximum
                if not function.saturates and array.size:
                    as_int32(function, int(array.min()))
                    as_int32(function, int(array.max()))
                array = np.clip(array, low, high).astype(np.int32)
            given.append(array)
            pattern += "a"
        else:
            with executions.pinned():
                value = as_int32(function, int(x)) if integer else number(x, t)
                given.append(np.array(value, t.dtype))
            pattern += "s"
    return given, pattern


def _shape(function: Overloads, given: list[Any]) -> tuple[int, ...]:
    if len(given) == 1:
        return given[0].shape
    try:
        return np.broadcast_shapes(*(a.shape for a in given))
    except ValueError:
        shapes = " and ".join(str(a.shape) for a in given if a.ndim)
        raise ArgumentError(
            f"{function.__name__}() of arrays of shapes {shapes}, which do not broadcast",
            fix="give lengths that are equal or 1, counted from the last axis",
        ) from None


def _simple(
    given: list[Any], pattern: str, types: tuple[ScalarType, ...], shape: tuple[int, ...]
) -> bool:
    """Whether the loop can take every array directly."""
    return all(
        kind == "s"
        or (a.dtype == t.dtype and a.shape == shape and a.flags.c_contiguous and a.flags.aligned)
        for a, kind, t in zip(given, pattern, types, strict=True)
    )


def _overlap(given: list[Any], outs: list[Any]) -> bool:
    """Whether a given result may overlap an argument or another result."""
    known = [o for o in outs if o is not None]
    pairs = [(a, o) for o in known for a in given]
    if len(known) == 2:
        pairs.append((known[0], known[1]))
    return any(np.may_share_memory(a, b) for a, b in pairs)


def _outs(
    function: Overloads, results: tuple[ScalarType, ...], shape: tuple[int, ...], out: Any
) -> list[Any]:
    """The given results, checked; None for one to be made."""
    if out is None:
        return [None] * len(results)
    several = isinstance(out, tuple) and len(results) > 1
    given = cast("tuple[Any, ...]", out if several else (out,))
    if len(given) != len(results):
        raise ArgumentError(
            f"{function.__name__}(): `out` is a tuple of {len(results)} arrays or None",
            fix=f"write out=({', '.join(['None'] * len(results))}) with your arrays in it",
        )
    for o, t in zip(given, results, strict=True):
        if o is not None:
            _check_out(f"{function.__name__}()", o, t, shape)
    if several and given[0] is not None and given[1] is not None and np.shares_memory(*given):
        raise ArgumentError(
            f"{function.__name__}(): the arrays of `out` share memory",
            fix="give each result an array of its own",
        )
    return [*given]


def _check_out(what: str, o: Any, t: ScalarType, shape: tuple[int, ...]) -> None:
    fix = f"write out=np.empty({shape}, np.{t})"
    if type(o) not in _ARRAYS:
        raise ArgumentError(f"{what}: `out` is {type(o).__name__}, no plain array", fix=fix)
    if o.dtype.newbyteorder("=") != t.dtype:
        raise ArgumentError(f"{what}: `out` is an array of {o.dtype}, the result is {t}", fix=fix)
    if o.shape != shape:
        raise ArgumentError(f"{what}: `out` has shape {o.shape}, the result has {shape}", fix=fix)
    if not o.flags.writeable:
        raise ArgumentError(f"{what}: `out` is read-only", fix="give an array of your own")
    if repeats(o):
        raise ArgumentError(f"{what}: elements of `out` are the same memory", fix=fix)


def _in_blocks(native: Any, given: list[Any], outs: list[Any], dtypes: list[Any]) -> Any:
    """Run the loop on any layout, byte order, dtype and overlap: NumPy's iterator converts in
    blocks."""
    laid = ["contig", "aligned", "nbo"]
    reading: list[Any] = [["readonly", *laid] for _ in given]
    writing: list[Any] = [["writeonly", "allocate", "no_subtype", *laid] for _ in outs]
    with executions.pinned():
        iterator = np.nditer(
            [*given, *outs],
            flags=["external_loop", "buffered", "growinner", "copy_if_overlap"],
            op_flags=[*reading, *writing],
            op_dtypes=dtypes,
            casting="same_kind",
            buffersize=BLOCK,
        )
        with iterator:
            made = cast("tuple[Any, ...]", iterator.operands)[len(given) :]
            for block in iterator:
                native(*block)
    found = tuple(m if o is None else o for m, o in zip(made, outs, strict=True))
    return found[0] if len(found) == 1 else found
