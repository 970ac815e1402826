"""Operands on which soft floating point is most easily wrong, and their three scalars."""

from __future__ import annotations

from random import Random

from samebits.fpmodel.soft.wide import FINITE, INFINITE, NEGATIVE
from samebits.fpmodel.soft.wide import NAN as NAN_KIND
from samebits.fpmodel.softfloat import NAN, Format, Number, infinity, zero

Wide = tuple[int, int, int]
TOP = 1 << 63
ONES = (1 << 64) - 1


def wide(x: Number) -> Wide:
    """The mantissa, exponent and kind of a number of at most 64 bits."""
    sign = NEGATIVE if x.negative else 0
    if x.is_nan:
        return 0, 0, NAN_KIND
    if x.kind == "infinite":
        return 0, 0, INFINITE | sign
    if not x.mantissa:
        return 0, 0, sign
    length = x.mantissa.bit_length()
    assert length <= 64 or not x.mantissa & ((1 << (length - 64)) - 1)
    shift = 64 - length
    mantissa = x.mantissa << shift if shift >= 0 else x.mantissa >> -shift
    return mantissa, x.exponent + length - 1, FINITE | sign


def mantissa(source: Random, precision: int, near: int) -> int:
    """64 bits, the first of them set: few, many, or such that they or a sum lie near a tie."""
    unit = 1 << (64 - precision)
    match source.randrange(8):
        case 0:
            return TOP
        case 1:
            return ONES - source.choice((0, unit - 1, unit // 2, 1))
        case 2:
            return TOP | (source.getrandbits(64) >> source.randrange(64))
        case 3:
            return TOP | (1 << source.randrange(64)) | (1 << source.randrange(64))
        case 4:
            return near
        case 5:
            return max(TOP, min(ONES, near + source.choice((-unit, -1, 1, unit, unit // 2))))
        case 6:
            # A tie, or a bit above or below one.
            whole = (TOP | source.getrandbits(64)) // unit * unit + unit // 2
            return max(TOP, min(ONES, whole + source.randrange(-1, 2)))
        case _:
            return (TOP | source.getrandbits(64)) // unit * unit


def exponents(source: Random, name: str, form: Format) -> list[int]:
    """Three operands' exponents, such that results lie anywhere, or near a border of the format."""
    least, most = form.smallest_normal, form.limit - 1
    border = source.choice((least - form.precision, least, least, most, 0))
    target = border + source.randrange(-3, 3)
    first = source.choice((target, 0, least, most, source.randrange(least, most)))
    far = (0, 1, 1, 2, form.precision, form.precision + 1, 63, 64, 65, 66, 128, 129, 130, 200)
    apart = source.choice(far) * source.choice((-1, 1)) + source.randrange(-1, 2)
    match name:
        case "mul":
            return [first, target - first]
        case "div":
            return [first, first - target]
        case "sqrt":
            return [first]
        case "fma":
            second = target - first
            return [first, second, first + second + apart]
        case _:
            return [first, first + apart]


def operands(source: Random, name: str, form: Format) -> list[Number]:
    """Operands of one operation, with at most 64 bits whatever the format."""
    given = exponents(source, name, form)
    least, most = form.smallest_normal, form.limit - 1
    found: list[Number] = []
    near = TOP
    for exponent in given:
        negative = bool(source.getrandbits(1)) if name != "sqrt" else source.random() < 0.05
        special = source.randrange(30)
        if special < 4:
            found.append((zero(negative), zero(negative), infinity(negative), NAN)[special])
            continue
        bits = form.precision if source.random() < 0.8 else 64
        near = mantissa(source, bits, near)
        exponent = max(least - form.precision + 1, min(most, exponent))
        found.append(Number(negative, near, exponent - 63))
    if name == "fma" and source.random() < 0.5:
        cancelled(source, found, form)
    return found


def cancelled(source: Random, found: list[Number], form: Format) -> None:
    """Makes the third operand nearly undo the product of the first two."""
    a, b = found[0], found[1]
    if not (a.mantissa and b.mantissa) or a.kind != "finite" or b.kind != "finite":
        return
    product = a.mantissa * b.mantissa
    drop = product.bit_length() - source.choice((form.precision, 64))
    near = (product >> drop) + source.randrange(-1, 2)
    found[2] = Number(a.negative == b.negative, near, a.exponent + b.exponent + drop)
