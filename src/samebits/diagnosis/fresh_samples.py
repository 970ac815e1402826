"""The strength of the evidence of rows for an evaluation, measured on operands like those given.

What agrees with the rows might do so by accident. Fresh samples say how often that is: how often an
evaluation gives the result of another one that is not strict, and how often the strict one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from random import Random

from samebits.fpmodel.softfloat import Format

COUNT = 96
"""Fresh samples of an expression."""
CERTAIN_BITS = 20.0
"""Evidence from which a single explanation is called certain: an accident once in a million."""
_FAR = 12
"""Powers of two by which operands of a far sample are moved at most."""
_NEAR = 1 << 6
"""ULPs by which operands of a near sample are moved at most."""

Operands = Mapping[str, int]


def fresh_samples(rows: Sequence[Operands], form: Format) -> list[dict[str, int]]:
    """Operands like those of the rows, the same each time: half of them within some ULPs of a row,
    half with each operand's sign and exponent from a row of its own and another significand."""
    chance = Random(0)
    names = list(rows[0])
    samples: list[dict[str, int]] = []
    for count in range(COUNT if names else 0):
        row = chance.choice(rows)
        if count % 2:
            samples.append({name: _moved(row[name], form, chance) for name in names})
        else:
            samples.append(
                {name: _alike(chance.choice(rows)[name], form, chance) for name in names}
            )
    return samples


def far_samples(rows: Sequence[Operands], form: Format) -> list[dict[str, int]]:
    """Operands of other sizes than the rows': exponents moved by up to `_FAR`, for a row that tells
    two evaluations apart."""
    chance = Random(1)
    names = list(rows[0])
    return [
        {
            name: _resized(_alike(chance.choice(rows)[name], form, chance), form, chance)
            for name in names
        }
        for _ in range(COUNT if names else 0)
    ]


def _resized(bits: int, form: Format, chance: Random) -> int:
    moved = bits + (chance.randint(-_FAR, _FAR) << form.precision - 1)
    same_sign = moved >= 0 and moved >> form.bits - 1 == bits >> form.bits - 1
    return moved if same_sign and not _is_special(moved, form) else bits


def _fields(bits: int, form: Format) -> tuple[int, int]:
    """The fraction's mask, and the biased exponent."""
    fraction = (1 << form.precision - 1) - 1
    return fraction, bits >> form.precision - 1 & (1 << form.bits - form.precision) - 1


def _is_special(bits: int, form: Format) -> bool:
    """Whether a pattern is a zero, an infinity or a NaN, which stay as they are."""
    _, biased = _fields(bits, form)
    magnitude = bits & (1 << form.bits - 1) - 1
    return not magnitude or biased == (1 << form.bits - form.precision) - 1


def _alike(bits: int, form: Format, chance: Random) -> int:
    if _is_special(bits, form):
        return bits
    fraction, _ = _fields(bits, form)
    return bits & ~fraction | chance.getrandbits(form.precision - 1)


def _moved(bits: int, form: Format, chance: Random) -> int:
    if _is_special(bits, form):
        return bits
    moved = bits + chance.randint(-_NEAR, _NEAR)
    return bits if _is_special(moved & (1 << form.bits) - 1, form) else moved


@dataclass(frozen=True, slots=True)
class Strength:
    """What fresh samples say of one evaluation."""

    differs: float
    """The share of samples whose result is not the strict one."""
    bits: float
    """Evidence: the binary logarithm of how unlikely it is that an evaluation of this kind agrees
    with all rows by accident."""


def strength(
    own: Sequence[int],
    strict: Sequence[int],
    rivals: Sequence[Sequence[int]],
    rows: tuple[int, int],
    tried: int,
) -> Strength:
    """The evidence for an evaluation that gives `own` in the samples.

    `rivals` are the results of other evaluations, `rows` how many rows differ from the strict
    result and how many do not, `tried` how many evaluations of this kind there were to agree. A row
    that differs counts by how seldom the evaluation gives what a rival gives that is not strict; a
    row that does not differ by how seldom it gives the strict result.
    """
    chances = hits = 0
    for rival in rivals:
        if all(a == b for a, b in zip(own, rival, strict=True)):
            continue
        for mine, other, plain in zip(own, rival, strict, strict=True):
            if other != plain:
                chances += 1
                hits += mine == other
    same = sum(a == b for a, b in zip(own, strict, strict=True))
    agrees = (hits + 0.5) / (chances + 1)
    equals = (same + 0.5) / (len(own) + 1)
    differ, do_not = rows
    bits = -differ * log2(agrees) - do_not * log2(equals) - log2(max(tried, 1))
    return Strength(1 - same / len(own) if own else 0.0, bits)
