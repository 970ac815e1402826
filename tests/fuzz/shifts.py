"""Small random programs that shift by constants and by variables, at the width and around it.

A constant count past the width is refused; the same program with the count in a variable is not.
"""

from __future__ import annotations

from random import Random

from samebits.types import INT, STRONG_SCALARS, VECTORS, ScalarType, Type, VectorType

SIZED = tuple(t for t in STRONG_SCALARS if t.is_int)
SHIFTED: tuple[ScalarType | VectorType, ...] = (
    *SIZED, *SIZED, *(t for t in VECTORS.values() if t.element in SIZED),
)  # fmt: skip
FORMS = (
    "r = x {sign} {count}",
    "r = x | y {sign} {count}",
    "r = (x + y) {sign} {count}",
    "r = x\nr {sign}= {count}",
    "r = x\nif n > 5:\n    r = y {sign} {count}",
    "r = x\nfor i in range(n & 3):\n    r = r ^ y {sign} {count}",
)


def refused(seed: int) -> str:
    """The source of a kernel `entry(x, y, n)` with a constant shift past the width."""
    rng = Random(f"samebits fuzz refused shifts {seed}")
    t, body = _drawn(rng)
    count = _width(t) + rng.choice((0, 0, 1, 2, rng.randrange(300)))
    half = rng.randrange(count)
    above, text = rng.choice(
        (("", str(count)), (f"K = {count}\n", "K"), (f"K = {half}\n", f"(K + {count - half})"))
    )
    return above + _kernel(t, body.format(sign=rng.choice(("<<", ">>")), count=text))


def parts(rng: Random) -> tuple[list[str], list[Type]]:
    """A kernel with a constant within the width or a variable of any number, and its parameters."""
    t, body = _drawn(rng)
    count = str(rng.randrange(_width(t))) if rng.random() < 0.4 else "k"
    low = rng.choice((0, _width(t) - 2))
    given = _kernel(t, body.format(sign=rng.choice(("<<", ">>")), count=count))
    head, rest = given.split("\n    ", 1)
    return [f"{head}\n    k = {low} + (n & 3)\n    {rest}"], [t, t, INT]


def _drawn(rng: Random) -> tuple[ScalarType | VectorType, str]:
    return rng.choice(SHIFTED), rng.choice(FORMS)


def _width(t: ScalarType | VectorType) -> int:
    return (t.element if isinstance(t, VectorType) else t).bits


def _kernel(t: ScalarType | VectorType, body: str) -> str:
    lines = "\n".join(f"    {line}" for line in (*body.split("\n"), "return r"))
    return f"@sb.kernel\ndef entry(x: {t.name}, y: {t.name}, n: int) -> {t.name}:\n{lines}"
