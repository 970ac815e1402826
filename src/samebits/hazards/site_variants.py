"""What a hazard makes of the expression at a place: other evaluations, lowered one by one.

Owns which evaluations count as the place's own: those that change its last operation, not only
one inside, which has a place of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.softfloat import Format
from samebits.fpmodel.tree import Node, Operand, Tree, nodes, written
from samebits.hazards.catalogue import ExpressionHazard
from samebits.hazards.catalogue.hazard import Evaluation
from samebits.hazards.expressions import Site, Sites
from samebits.ir.refs import OpRef

MOST_VARIANTS = 4096
"""Evaluations of one site that are considered."""
ACROSS = "; across statements"
"""How the note of a wide site's way ends."""
_TOP = 4
"""Levels of operations that say whether a hazard changes the last one."""
_ROUNDED = frozenset({"add", "sub", "mul", "div", "sqrt", "fma"})
_SIGN_ONLY = frozenset({"neg", "abs"})


@dataclass(frozen=True)
class SiteVariant:
    """One evaluation of a site, other than the function's own."""

    hazard: ExpressionHazard
    place: OpRef
    site: Site
    tree: Tree
    arithmetic: Arithmetic
    practice: str
    """What does it."""

    @property
    def note(self) -> str:
        """What does it, and whether it takes in other statements. Ways of one note at different
        places are what one cause does to each."""
        return self.practice + ACROSS if self.site.wide else self.practice

    @cached_property
    def expression(self) -> str:
        """The evaluation, as C would have it."""
        return written(self.tree)

    @property
    def whole(self) -> bool:
        """Whether it evaluates the whole expression anew, so that what its inner operations give
        has no part in it."""
        return self.arithmetic.working is not self.site.form


def first_variants_of(
    hazard: ExpressionHazard, sites: Sites, place: OpRef
) -> dict[str, SiteVariant]:
    """The first way of a hazard at one operation that has each note."""
    first: dict[str, SiteVariant] = {}
    for site in _sites(sites, place):
        most = None if hazard.notes is None else len(first) + hazard.notes(site.tree)
        for way in _of_site(hazard, sites, site, place):
            first.setdefault(way.note, way)
            if len(first) == most:
                break
    return first


def variants_of(hazard: ExpressionHazard, sites: Sites, place: OpRef) -> Iterator[SiteVariant]:
    """The ways of a hazard at one operation: within its expression, then across statements."""
    for site in _sites(sites, place):
        yield from _of_site(hazard, sites, site, place)


def _sites(sites: Sites, place: OpRef) -> Iterator[Site]:
    """The expression that ends in an operation, and, where that is another, the wide one."""
    narrow = sites.at(place.op)
    if narrow is None:
        return
    yield narrow
    wide = sites.at(place.op, wide=True)
    if wide is not None and wide.tree != narrow.tree:
        yield wide


def _of_site(
    hazard: ExpressionHazard, sites: Sites, site: Site, place: OpRef
) -> Iterator[SiteVariant]:
    top = replace(site, tree=_top(site.tree, _TOP))
    if next(_changes(hazard, sites, top, site), None) is None:
        return
    alone = sites.at(place.op, most=1) if not site.wide else None
    for tree, arithmetic, practice in _changes(hazard, sites, site, site):
        if tree == site.tree and _each_by_itself(site, arithmetic):
            # Each operation does it by itself: this one has only its own part in it.
            if alone is not None and _matters(alone, arithmetic):
                yield SiteVariant(hazard, place, alone, alone.tree, arithmetic, practice)
        else:
            yield SiteVariant(hazard, place, site, tree, arithmetic, practice)


def _changes(
    hazard: ExpressionHazard, sites: Sites, site: Site, whole: Site
) -> Iterator[Evaluation]:
    """The evaluations that change the last operation of a site, or of the top of a `whole` one,
    each once."""
    change = _Change(hazard, sites, site, whole)
    seen: set[tuple[Tree, Arithmetic]] = {(site.tree, site.strict)}
    for tree, arithmetic, practice in islice(
        hazard.variants(site.tree, site.strict), MOST_VARIANTS
    ):
        sites.pay()
        if (tree, arithmetic) not in seen:
            seen.add((tree, arithmetic))
            if change.is_here(tree, arithmetic):
                yield tree, arithmetic, practice


def _top(tree: Tree, levels: int) -> Tree:
    """The last operations of a tree, what is further inside being operands: no hazard looks there
    for whether it changes the last one."""
    if not isinstance(tree, Node):
        return tree
    if not levels:
        return Operand(f"({written(tree)})")
    return Node(tree.name, tuple([_top(arg, levels - 1) for arg in tree.args]), tree.detail)


def _each_by_itself(site: Site, arithmetic: Arithmetic) -> bool:
    """Whether the arithmetic leaves each result in the type, so that operations are independent."""
    return arithmetic.working is site.form and arithmetic.nans == "canonical"


class _Change:
    """Tells evaluations that change a site's last operation from those that change inner ones."""

    def __init__(self, hazard: ExpressionHazard, sites: Sites, site: Site, whole: Site) -> None:
        self._hazard = hazard
        self._sites = sites
        self._site = site
        self._whole = whole
        self._inner: dict[Tree, set[Tree]] = {}
        self._matter: dict[Arithmetic, bool] = {}

    def is_here(self, tree: Tree, arithmetic: Arithmetic) -> bool:
        site = self._site
        if arithmetic != site.strict:
            if arithmetic not in self._matter:
                self._matter[arithmetic] = _matters(self._whole, arithmetic)
            return self._matter[arithmetic]
        if site.op.opcode == "bitcast":
            return False
        old = site.tree
        if not isinstance(tree, Node) or not isinstance(old, Node):
            return tree != old
        if (tree.name, tree.detail, len(tree.args)) != (old.name, old.detail, len(old.args)):
            return True
        pairs = zip(old.args, tree.args, strict=True)
        return not all(a == b or self._is_inner(a, b) for a, b in pairs)

    def _is_inner(self, old: Tree, new: Tree) -> bool:
        """Whether the hazard makes one subtree of the other."""
        if not isinstance(old, Node):
            return False
        if old not in self._inner:
            inner = self._inner[old] = set[Tree]()
            for tree, _, _ in islice(self._hazard.variants(old, self._site.strict), MOST_VARIANTS):
                self._sites.pay()
                inner.add(tree)
        return new in self._inner[old]


def _matters(site: Site, arithmetic: Arithmetic) -> bool:
    """Whether a site under an arithmetic could give other bits; false only where it cannot."""
    signs = arithmetic.nans != "canonical"
    if signs or site.op.opcode == "bitcast":
        # A NaN that comes from elsewhere is the canonical one, whose sign is known.
        return signs and isinstance(_seen(site), Node)
    used = [node.name for node in nodes(site.tree)]
    if arithmetic.flush_inputs:
        return not _SIGN_ONLY.issuperset(used)
    rounding = [name for name in used if name in _ROUNDED or name in ("call", "cast", "convert")]
    if replace(arithmetic, working=site.form) != site.strict:
        return bool(rounding)
    return bool(rounding) and not (
        len(rounding) == 1 and _is_innocuous(rounding[0], site.form, arithmetic.working)
    )


def _seen(site: Site) -> Tree | None:
    """The expression whose sign the last operation looks at, whatever it is."""
    if site.op.opcode == "copysign" and isinstance(site.tree, Node):
        return site.tree.args[1]
    return site.tree if site.op.opcode == "bitcast" else None


def _is_innocuous(operation: str, form: Format, working: Format) -> bool:
    """Whether one operation in a format, then rounded to another, has one rounding's result: sums
    in no less precision, as they are never subnormal and inexact, and + − × ÷ √ in at least twice
    the precision and two bits (Figueroa 1995)."""
    ample = working.least <= 2 * form.least and working.limit >= 2 * (form.limit - form.least)
    if operation in ("add", "sub") and working.precision == form.precision:
        return ample
    twice = working.precision >= 2 * form.precision + 2
    return ample and twice and operation in _ROUNDED - {"fma"}
