"""Indices whose values can be counted, moved so that the least or the greatest is at an edge.

Owns which they are: numbers of 8 bits, and what a few operations make of them, are computed here
one by one from Python's rules and from what a width wraps to. Knows nothing of how anybody else
bounds them; where it counts too many or too few, the index is no worse than another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from tests.fuzz.bounds.draws import BITS, INTS, WEAK, Draws, reach

if TYPE_CHECKING:
    from tests.fuzz.bounds.statements import Body

MOST_LOCAL = 64
"""Elements of a local array that is as long as its index has values."""
_MOST_VALUES = 1200
_NARROW = ("int8", "int8", "uint8")


@dataclass(frozen=True)
class Counted:
    """An expression, its type, and the values that it may have."""

    text: str
    type: str
    values: frozenset[int]

    @property
    def is_signed(self) -> bool:
        return self.type[0] != "u"


_Step = Callable[[Random, Counted], tuple[str, Callable[[int], int]]]


def _literal(n: int) -> str:
    return f"({n})" if n < 0 else str(n)


def _by(sign: str, *numbers: int) -> _Step:
    def step(rng: Random, x: Counted) -> tuple[str, Callable[[int], int]]:
        fits = [n for n in numbers if n >= 0 or x.is_signed]
        n = rng.choice([n for n in fits if x.type == WEAK or sign != ">>" or n < BITS[x.type]])
        result: dict[str, Callable[[int], int]] = {
            "+": lambda v: v + n, "-": lambda v: v - n, "*": lambda v: v * n,
            "//": lambda v: v // n, "%": lambda v: v % n, ">>": lambda v: v >> n,
            "&": lambda v: v & n, "|": lambda v: v | n, "^": lambda v: v ^ n,
        }  # fmt: skip
        return f"({x.text} {sign} {_literal(n)})", result[sign]

    return step


def _least_or_greatest(rng: Random, x: Counted) -> tuple[str, Callable[[int], int]]:
    n = rng.choice((0, 1, 5, 20, 100))
    which = rng.choice((min, max))
    return f"sb.{which.__name__}({x.text}, {n})", lambda v: which(v, n)


def _magnitude(rng: Random, x: Counted) -> tuple[str, Callable[[int], int]]:
    return f"sb.abs({x.text})", abs


def _opposite(rng: Random, x: Counted) -> tuple[str, Callable[[int], int]]:
    if rng.random() < 0.5:
        return f"(-{x.text})", lambda v: -v
    return f"(~{x.text})", lambda v: ~v


def _choice(rng: Random, x: Counted) -> tuple[str, Callable[[int], int]]:
    limit, other = rng.choice((0, 1, 3, 10, 50)), rng.choice((0, 1, 2, 4, 9))
    if rng.random() < 0.5:
        text = f"({x.text} if {x.text} < {limit} else {other})"
        return text, lambda v: v if v < limit else other
    text = f"({other} if {x.text} < {limit} else {x.text})"
    return text, lambda v: other if v < limit else v


_SPREAD = ("", "", " * 64", " * 64", " * 32", " * 16", " * 37", " + 126", " - 127", " + 120")
"""What makes small numbers lie all over 8 bits, their ends among them."""
_STEPS: tuple[_Step, ...] = (
    _by("+", 1, 3, -1), _by("-", 1, 2), _by("*", 2, 3, -1, -2), _by("//", 2, 3, 5, 7, -2, -3),
    _by("//", 3, 6, 10), _by("%", 2, 3, 5, 7, 10, -3, -5), _by(">>", 1, 2, 3, 5, 7, 63, 64, 70),
    _by("&", 1, 3, 6, 12, 100, -2, -8), _by("|", 1, 8, 64), _by("^", 1, 3, 127),
    _least_or_greatest, _magnitude, _magnitude, _opposite, _choice, _choice,
)  # fmt: skip
_PAIRS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    ">>": lambda a, b: a >> b, "&": lambda a, b: a & b, "|": lambda a, b: a | b,
}  # fmt: skip


def _wrapped(n: int, t: str) -> int:
    low, high = reach(t)
    return n if t == WEAK else (n - low) % (high - low + 1) + low


def _few(rng: Random, values: frozenset[int]) -> list[int]:
    """The extremes of many values, and some of the others."""
    known = sorted(values)
    return [*known[:6], *rng.sample(known, min(16, len(known))), *known[-6:]]


def _leaf(body: Body) -> Counted:
    """A name for a number of 8 bits, by itself or as a Python int."""
    rng, draws = body.rng, body.draws
    t, name = rng.choice(_NARROW), body.fresh("n")
    text = f"{t}({_anything(rng, draws)}{rng.choice(_SPREAD)})"
    low, high = reach(t)
    kept = t if rng.random() < 0.4 else WEAK
    body.emit(f"{name} = {text if kept == t else f'int({text})'}")
    return Counted(name, kept, frozenset(range(low, high + 1)))


def _anything(rng: Random, draws: Draws) -> str:
    """A number of fixed width, which wraps where it is made narrower."""
    names = [name for t in INTS for name in draws.numbers(t)]
    names += [f"int64({name})" for name in (*draws.numbers(WEAK), *draws.counters())]
    found = draws.element(rng.choice(INTS)) if rng.random() < 0.2 else None
    return found or (rng.choice(names) if names else f"int64({draws.literal(WEAK)})")


def _drawn(body: Body) -> Counted:
    rng = body.rng
    x = _leaf(body)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
        if rng.random() < 0.2:
            y = _leaf(body)
            sign = rng.choice((*_PAIRS, ">>"))
            of_y = frozenset(v & 15 for v in y.values) if sign == ">>" else y.values
            right = f"({y.text} & 15)" if sign == ">>" else y.text
            if y.type != x.type:
                right = f"int({right})" if x.type == WEAK else f"{x.type}({right})"
            pairs = [(a, b) for a in _few(rng, x.values) for b in _few(rng, of_y)]
            text, values = f"({x.text} {sign} {right})", [_PAIRS[sign](a, b) for a, b in pairs]
        else:
            text, result = rng.choice(_STEPS)(rng, x)
            values = [result(v) for v in x.values]
        x = Counted(text, x.type, frozenset(_wrapped(v, x.type) for v in values[:_MOST_VALUES]))
    return x


def narrow_access(body: Body) -> None:
    """An access whose index has its least value at 0, or just beside it: to an array of which only
    the length is tested, from one end or the other, or to one as long as there are values."""
    rng, draws = body.rng, body.draws
    x = _drawn(body)
    least, greatest = min(x.values), max(x.values)
    offset = rng.choice((0, 0, -1, -1, -1, -2, 1)) - least
    index = body.fresh("n")
    plain = x.text if x.type == WEAK else f"int({x.text})"
    moved = f"{plain} {'+' if offset >= 0 else '-'} {abs(offset)}" if offset else plain
    body.emit(f"{index} = {moved}")
    if rng.random() < 0.5:
        draws.add(WEAK, index)
    arrays = [a for a in draws.arrays() if len(a.lengths) == 1 and a.own is None]
    count = greatest - least + 1
    if not body.parallel and (not arrays or (count <= MOST_LOCAL and rng.random() < 0.5)):
        size = max(1, min(MOST_LOCAL, count + rng.choice((0, 0, -1, -1, 1))))
        name, element = body.fresh("z"), rng.choice(INTS)
        body.emit(f"{name} = sb.zeros({size}, {element})")
        body.emit(f"{name}[{index}] = {draws.fixed(element, 0)}")
        body.emit(f"total = total * uint64(31) + uint64({name}[{index}])")
        return
    if not arrays:
        return
    array = rng.choice(arrays)
    length = array.lengths[0]
    place = array.place.format(index if rng.random() < 0.7 else f"{length} - 1 - {index}")
    body.emit(f"if {index} < {length}:")
    body.level += 1
    if array.readonly and body.parallel:
        body.emit(f"{body.fresh('v')} = {place}")
    elif array.readonly or (not body.parallel and rng.random() < 0.4):
        body.emit(f"total = total * uint64(31) + uint64({place})")
    else:
        body.emit(f"{place} = {body.value(array.element)}")
    body.level -= 1


def rolling_access(body: Body) -> None:
    """A loop in which a number of fixed width goes one way and comes out at its other end."""
    rng, draws = body.rng, body.draws
    arrays = [a for a in draws.arrays() if len(a.lengths) == 1 and not a.readonly]
    if body.parallel or not arrays:
        return body.assign()
    t, name, counter = rng.choice((*_NARROW, "int16", "int32")), body.fresh("n"), body.fresh("i")
    low, high = reach(t)
    step, near = rng.choice((1, 1, 2, 3)), rng.choice((0, 1, 2, 3, 5))
    up = rng.random() < 0.5
    array = rng.choice(arrays)
    length = array.lengths[0]
    body.emit(f"{name} = {t}({_literal(high - near if up else low + near)})")
    body.emit(f"for {counter} in range({rng.choice((length, '6', draws.weak(0)))}):")
    body.level += 1
    changed = f"{name} {'+' if up else '-'}= {step}"
    index = f"int({name})"
    if rng.random() < 0.5:
        moved = high - near if up else low + near
        index = f"{index} {'-' if moved >= 0 else '+'} {abs(moved)}"
    lines = [changed, f"if {draws.inside(f'({index})', length)}:",
             f"    {array.place.format(index)} = {body.value(array.element)}"]  # fmt: skip
    if rng.random() < 0.5:
        lines = [*lines[1:], lines[0]]
    for line in lines:
        body.emit(line)
    body.level -= 1
