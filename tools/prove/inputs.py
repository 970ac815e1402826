"""The inputs of a check: all bit patterns, hard cases, special values, random ones."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from tools.prove.functions import Format, Function
from tools.prove.hard.cases import read as searched

HARD_CASES = Path(__file__).parents[3] / "shared" / "data" / "core-math"
"""A folder of CORE-MATH's lists beside the repository, which is no part of it."""
_LISTED_AS = {"powr": "pow"}
BLOCK = 1 << 17
SMALL_BLOCK = 1 << 16
"""Stays in a processor's cache: for what is compared as fast as it is read."""
Arguments = tuple[Any, ...]


def ordered(value: float, form: Format) -> int:
    """A float's place among all of its type: consecutive floats are consecutive integers."""
    bits = int(np.array(value, form.float_type).view(form.bits_type))
    sign = 1 << (8 * np.dtype(form.bits_type).itemsize - 1)
    return sign - bits if bits & sign else bits


def patterns(first: int, last: int, form: Format, stride: int = 1) -> Iterator[Arguments]:
    """Every float, or every `stride`-th, from place `first` to `last`, in blocks."""
    sign = 1 << (8 * np.dtype(form.bits_type).itemsize - 1)
    for start in range(first, last + 1, BLOCK * stride):
        places = np.arange(start, min(start + BLOCK * stride, last + 1), stride, dtype=np.int64)
        yield (_floats(places, sign, form),)


def _floats(places: Any, sign: int, form: Format) -> Any:
    bits = np.where(places < 0, sign - places, places) if sign < 1 << 63 else None
    if bits is None:
        bits = np.where(places < 0, np.int64(-(2**63)) - places, places).view(np.uint64)
    return bits.astype(form.bits_type).view(form.float_type)


def every_pattern(form: Format, mirrored: bool = False) -> Iterator[Arguments]:
    """All 2³² of float32, in blocks; where `mirrored`, half a block is the other half negated."""
    assert form.precision == 24
    block = SMALL_BLOCK // 2 if mirrored else SMALL_BLOCK
    steps = np.arange(block, dtype=np.uint32)
    sign = np.uint32(1 << 31)
    for start in range(0, 1 << 31 if mirrored else 1 << 32, block):
        bits = steps + np.uint32(start)
        yield ((np.concatenate([bits, bits | sign]) if mirrored else bits).view(np.float32),)


def special(arity: int, form: Format) -> Arguments:
    """Zeros, infinities, NaN, limits, subnormals, small integers and halves, and their pairs."""
    info = np.finfo(form.float_type)
    positive = [
        0.0, info.smallest_subnormal, float(info.tiny) / 2, float(info.tiny), float(info.max),
        float(np.nextafter(info.tiny, info.dtype.type(0))), np.inf, float(info.eps),
        float(info.eps) / 2, float(info.eps) / 4, 1.0 - float(info.epsneg), 1.0 + float(info.eps),
        *(k / 2 for k in range(1, 41)), *(10.0**k for k in range(2, 23)), 0.1, 0.25, 0.75, 0.125,
        *(2.0**k for k in range(5, 130, 3)), *(2.0**-k for k in range(4, 149, 3)),
        2.0**23 + 0.5, 2.0**24 - 1, 2.0**24 + 1, 2.0**52 + 0.5, 2.0**53 - 1, 2.0**53 + 1, 2.0**62,
        np.pi, np.pi / 2, np.e, 1 / 3,
    ]  # fmt: skip
    with np.errstate(over="ignore"):
        values = np.array([*positive, *(-v for v in positive), np.nan], form.float_type)
    if arity == 1:
        return (values,)
    return np.repeat(values, len(values)), np.tile(values, len(values))


def without_hard_cases(folder: Path = HARD_CASES) -> str | None:
    """What is to be said where no list of hard cases can be read; None where there are some."""
    if any(folder.glob("*.wc.xz")):
        return None
    return (
        f"no hard cases are compared: CORE-MATH's lists, NAME.wc.xz, are not in {folder}\n"
        "  note: what is compared anew without them counts as compared without"
    )


def _of_core_math(function: Function, form: Format, folder: Path) -> list[list[float]]:
    name = _LISTED_AS.get(function.name, function.name) + ("f" if form.precision == 24 else "")
    path = folder / f"{name}.wc.xz"
    rows: list[list[float]] = []
    if not path.exists():
        return rows
    with lzma.open(path, "rt") as file:
        for line in file:
            text = line.split("#")[0].strip()
            if text:
                fields = text.lower().replace("snan", "nan").replace("qnan", "nan").split(",")
                rows.append([float.fromhex(field.strip()) for field in fields[: function.arity]])
    return rows


def hard_cases(function: Function, form: Format, folder: Path = HARD_CASES) -> Arguments | None:
    """CORE-MATH's inputs of a function and those that `tools.prove.hard` found, with every sign;
    None where there are none."""
    rows = _of_core_math(function, form, folder)
    if form.precision == 53:
        rows += map(list, searched(function.name))
    if not rows:
        return None
    table = np.array(rows, np.float64)
    if function.integer:
        x, n = np.concatenate([table, table * (-1, 1)]).T
        return np.ascontiguousarray(x.astype(form.float_type)), n.astype(np.int32)
    columns = [table[:, k] for k in range(function.arity)]
    if function.arity == 1:
        signed: list[Any] = [np.concatenate([columns[0], -columns[0]])]
    else:
        x, y = columns
        pairs = [(x, y), (-x, y), (x, -y), (-x, -y)]
        if function.name == "hypot":
            pairs.append((y, x))
        signed = [np.concatenate([p[k] for p in pairs]) for k in (0, 1)]
    with np.errstate(over="ignore"):
        return tuple(np.ascontiguousarray(column.astype(form.float_type)) for column in signed)


def random(
    function: Function, form: Format, count: int, seed: int, limits: tuple[float, float] | None
) -> Iterator[Arguments]:
    """`count` random inputs in blocks: by value, by exponent and of any bits in turn.

    With `limits`, only between them.
    """
    done = 0
    rng = np.random.default_rng([seed, *function.name.encode(), form.precision])
    while done < count:
        n = min(BLOCK, count - done)
        drawn = (_one if function.arity == 1 else _two)(function, form, n, rng, limits)
        last = np.int32 if function.integer else form.float_type
        yield (
            *(np.ascontiguousarray(a, form.float_type) for a in drawn[:-1]),
            np.ascontiguousarray(drawn[-1], last),
        )
        done += n


def special_with_integers(form: Format) -> Arguments:
    """Every special value with small integers, limits, and powers of two and their neighbours."""
    (values,) = special(1, form)
    powers = [2**k + d for k in (6, 10, 16, 24, 30) for d in (-1, 0, 1)]
    some = [*range(13), 52, 53, 148, 149, 1074, 2**31 - 1, *powers]
    integers = np.array([*some, *(-n for n in some), -(2**31)], np.int32)
    return np.repeat(values, len(integers)), np.tile(integers, len(values))


def any_bits(form: Format, count: int, seed: int = 1) -> Iterator[Arguments]:
    """Any bit patterns, in blocks."""
    rng = np.random.default_rng([seed, form.precision])
    for start in range(0, count, BLOCK):
        yield (_any_bits(form, min(BLOCK, count - start), rng),)


def with_integers(form: Format, count: int, seed: int = 1) -> Iterator[Arguments]:
    """Any bit patterns, each with an int32: mostly small, some any."""
    rng = np.random.default_rng([seed, form.precision])
    for start in range(0, count, BLOCK):
        n = min(BLOCK, count - start)
        integers = rng.integers(-2200, 2200, n).astype(np.int32)
        integers[: n // 16] = rng.integers(-(2**31), 2**31, n // 16)
        yield _any_bits(form, n, rng), integers


def near_quarter_turns(form: Format, count: int, seed: int = 1) -> Iterator[Arguments]:
    """Multiples of π/2 up to 2^40 times, off by 0 to 2^31 floats, nearer ones as often."""
    rng = np.random.default_rng([seed, form.precision])
    for start in range(0, count, BLOCK):
        n = min(BLOCK, count - start)
        multiples = np.exp2(rng.uniform(0, 40, n)).astype(np.int64)
        whole = multiples * (np.longdouble(np.pi) + np.longdouble(1.2246467991473532e-16)) / 2
        off = rng.integers(0, 1 << 31, n) >> rng.integers(0, 32, n)
        bits = whole.astype(np.float64).view(np.int64) + np.where(rng.random(n) < 0.5, off, -off)
        sign = np.where(rng.random(n) < 0.5, -1.0, 1.0)
        yield (bits.view(np.float64) * sign,)


def _any_bits(form: Format, n: int, rng: np.random.Generator) -> Any:
    size = 8 * np.dtype(form.bits_type).itemsize
    return rng.integers(0, 1 << size, n, form.bits_type, endpoint=False).view(form.float_type)


def _by_exponent(low: float, high: float, form: Format, n: int, rng: np.random.Generator) -> Any:
    """Uniform among the floats in [low, high]."""
    sign = 1 << (8 * np.dtype(form.bits_type).itemsize - 1)
    places = rng.integers(ordered(low, form), ordered(high, form), n, endpoint=True)
    return _floats(places, sign, form)


def _one(
    function: Function, form: Format, n: int, rng: np.random.Generator,
    limits: tuple[float, float] | None,
) -> tuple[Any]:  # fmt: skip
    low, high = limits or function.interesting
    by_value = (low + (high - low) * rng.random(n * 9 // 20)).astype(form.float_type)
    if limits:
        by_value = np.clip(by_value, low, high)
        return (np.concatenate([by_value, _by_exponent(low, high, form, n - len(by_value), rng)]),)
    count = n * 9 // 20
    near = _by_exponent(low, high, form, count * 2, rng)
    # Half of the floats in an interval around 0 are below 2^-500: no place for half of the inputs.
    tiny = np.abs(near) < 2.0**-70
    near = np.concatenate([near[~tiny], near[tiny]])[:count]
    rest = _any_bits(form, n - len(by_value) - len(near), rng)
    return (np.concatenate([by_value, near, rest]),)


def _two(
    function: Function, form: Format, n: int, rng: np.random.Generator,
    limits: tuple[float, float] | None,
) -> tuple[Any, Any]:  # fmt: skip
    if limits:
        low, high = limits
        return _by_exponent(low, high, form, n, rng), _by_exponent(low, high, form, n, rng)
    with np.errstate(all="ignore"):
        if function.name in ("pow", "powr"):
            return _pow(form, n, rng)
        if function.name == "logaddexp":
            return _sums(form, n, rng)
        if function.integer:
            return _with_power(function, form, n, rng)
        x = _any_bits(form, n, rng)
        spread = {"hypot": 30, "atan2": 60, "atan2pi": 60}.get(function.name, 40)
        # The second of like magnitude, else the result is trivial.
        factor = np.exp2(rng.uniform(-spread, spread, n).astype(form.float_type))
        y = x * factor * _signs(form, n, rng)
        rest = n // 16
        y[:rest] = _any_bits(form, rest, rng)
        return x, y


def _uniform(low: float, high: float, form: Format, n: int, rng: np.random.Generator) -> Any:
    real = np.dtype(form.float_type).type
    return real(low) + rng.random(n, form.float_type) * real(high - low)


def _signs(form: Format, n: int, rng: np.random.Generator) -> Any:
    return (rng.integers(0, 2, n, np.int8) * 2 - 1).astype(form.float_type)


def _pow(form: Format, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Half with a result of any exponent, a quarter near base 1, some with small integer or half
    exponents and short bases (exact and halfway cases), the rest any bits."""
    top = float(form.emax)
    x = np.abs(_any_bits(form, n, rng))
    half, quarter, few = n // 2, n // 4, n // 128
    x[half : half + quarter] = _uniform(0.5, 2.0, form, quarter, rng)
    y = _uniform(-top * 1.2, top * 1.05, form, n, rng) / np.log2(x)
    short = slice(half + quarter, half + quarter + few)
    x[short] = rng.integers(1, 1 << 13, few) * np.exp2(rng.integers(-14, 8, few))
    y[short] = rng.integers(-40, 80, few) / np.exp2(rng.integers(0, 3, few))
    some = slice(0, n // 10)  # negative, with integers
    x[some] = -x[some]
    y[some] = np.where(np.abs(y[some]) < 2**30, np.rint(y[some]), y[some])
    rest = n - half - quarter - few
    x[-rest:], y[-rest:] = _any_bits(form, rest, rng), _any_bits(form, rest, rng)
    return x, y


def _sums(form: Format, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """A quarter of which the result is near 0, an eighth next to 0, most of like size, some any
    bits."""
    x = _uniform(-40.0, 40.0, form, n, rng)
    y = x + _uniform(-60.0, 60.0, form, n, rng)
    quarter, rest = n // 4, n // 8
    x[:quarter] = _uniform(-5.0, 0.0, form, quarter, rng)
    y[:quarter] = np.log1p(-np.exp(x[:quarter].astype(np.float64)))
    x[quarter : quarter + rest] = np.ldexp(_uniform(-1.0, 1.0, form, rest, rng), -form.emax)
    x[quarter : quarter + rest // 2] = 0.0
    y[quarter : quarter + rest] = _uniform(-100.0, -1.0, form, rest, rng)
    x[-2 * rest : -rest] = _any_bits(form, rest, rng)
    y[-2 * rest : -rest] = x[-2 * rest : -rest] * _uniform(0.5, 2.0, form, rest, rng)
    x[-rest:], y[-rest:] = _any_bits(form, rest, rng), _any_bits(form, rest, rng)
    return x, y


def _with_power(
    function: Function, form: Format, n: int, rng: np.random.Generator
) -> tuple[Any, Any]:
    """Half with a result of any exponent, a quarter with small integers, some near 1 and short
    bases (exact and halfway cases), the rest any bits."""
    top = float(form.emax)
    x = np.abs(_any_bits(form, n, rng))
    half, quarter, few = n // 2, n // 4, n // 16
    x[half - 4 * few : half] = _uniform(0.5, 2.0, form, 4 * few, rng)
    small = rng.integers(-64, 65, n)
    if function.name == "rootn":
        integers = np.where(rng.random(n) < 0.5, small, rng.integers(-4000, 4001, n))
    else:
        base = np.log2(x) if function.name == "pown" else np.log1p(x) / np.log(2.0)
        wanted = _uniform(-top * 1.2, top * 1.05, form, n, rng) / base
        integers = np.clip(np.nan_to_num(wanted), -(2.0**31), 2.0**31 - 1).astype(np.int64)
    integers[half : half + quarter] = small[half : half + quarter]
    x[half : half + few] = rng.integers(1, 1 << 13, few) * np.exp2(rng.integers(-14, 8, few))
    rest = n // 16
    x[-rest:] = _any_bits(form, rest, rng)
    integers[-rest:] = rng.integers(-(2**31), 2**31, rest)
    x[::9] = -x[::9]
    return x, integers
