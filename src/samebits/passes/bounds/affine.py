"""Linear forms: a constant plus integer multiples of atoms, over the mathematical integers.

An atom stands for one integer that does not change while it is spoken of. Owns arithmetic on
forms; knows nothing of IR, bounds or widths.
"""

from __future__ import annotations

from typing import NamedTuple


class Form(NamedTuple):
    """`constant + sum(coefficient * atom)`; atoms ascending, no coefficient is 0."""

    constant: int
    terms: tuple[tuple[int, int], ...]


ZERO = Form(0, ())


def constant(value: int) -> Form:
    return Form(value, ())


def atom_form(atom: int) -> Form:
    return Form(0, ((atom, 1),))


def shift(a: Form, by: int) -> Form:
    """a + by."""
    return Form(a.constant + by, a.terms)


def scale(a: Form, by: int) -> Form:
    """a * by."""
    if by == 1:
        return a
    if by == 0:
        return ZERO
    return Form(a.constant * by, tuple([(atom, c * by) for atom, c in a.terms]))


def add(a: Form, b: Form) -> Form:
    if not b.terms:
        return Form(a.constant + b.constant, a.terms)
    if not a.terms:
        return Form(a.constant + b.constant, b.terms)
    merged = dict(a.terms)
    for atom, c in b.terms:
        merged[atom] = merged.get(atom, 0) + c
    return Form(
        a.constant + b.constant, tuple(sorted([item for item in merged.items() if item[1]]))
    )


def subtract(a: Form, b: Form) -> Form:
    return add(a, scale(b, -1))


def coefficient(a: Form, atom: int) -> int:
    """The multiple of `atom` in `a`; 0 where it does not occur."""
    for other, c in a.terms:
        if other == atom:
            return c
    return 0


def substitute(a: Form, atom: int, value: Form) -> Form:
    """`a` with `value` in the place of `atom`."""
    c = coefficient(a, atom)
    rest = Form(a.constant, tuple([term for term in a.terms if term[0] != atom]))
    return add(rest, scale(value, c))
