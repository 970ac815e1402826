"""A hazard's alternative evaluations of one expression.

Owns which evaluations belong to a place: those that change its last operation. One that changes
only an inner operation belongs to that operation's place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from samebits.fpmodel.evaluate import Arithmetic, constant
from samebits.fpmodel.softfloat import Format
from samebits.fpmodel.tree import Constant, Node, Operand, Tree, nodes, written
from samebits.hazards.catalogue import ExpressionHazard
from samebits.hazards.catalogue.hazard import Evaluation
from samebits.hazards.expressions import Site, Sites
from samebits.ir.refs import OpRef

MOST_VARIANTS = 4096
"""Evaluations of one site that are considered."""
ACROSS = "; across statements"
"""How the note of a wide site's variant ends."""
_TOP = 4
"""Levels of operations that suffice to see whether a hazard changes the last one."""
_ROUNDED = frozenset({"add", "sub", "mul", "div", "sqrt", "fma"})
_SIGN_ONLY = frozenset({"neg", "abs"})


@dataclass(frozen=True)
class SiteVariant:
    """One evaluation of a site other than the function's own."""

    hazard: ExpressionHazard
    place: OpRef
    site: Site
    tree: Tree
    arithmetic: Arithmetic
    practice: str
    """What does it in practice."""

    @property
    def note(self) -> str:
        """What does it, and whether it spans statements. Variants with the same note at different
        places have one cause."""
        return self.practice + ACROSS if self.site.wide else self.practice

    @cached_property
    def expression(self) -> str:
        """The evaluation in C's notation."""
        return written(self.tree)

    @property
    def whole(self) -> bool:
        """Whether it evaluates the whole expression anew, without the results of its inner
        operations."""
        return self.arithmetic.working is not self.site.form


def first_variants_of(
    hazard: ExpressionHazard, sites: Sites, place: OpRef
) -> dict[str, SiteVariant]:
    """The first variant with each note of a hazard at one operation."""
    first: dict[str, SiteVariant] = {}
    for site in _sites(sites, place):
        most = None if hazard.notes is None else len(first) + hazard.notes(site.tree)
        for variant in _of_site(hazard, sites, site, place):
            first.setdefault(variant.note, variant)
            if len(first) == most:
                break
    return first


def variants_of(hazard: ExpressionHazard, sites: Sites, place: OpRef) -> Iterator[SiteVariant]:
    """The variants of a hazard at one operation: within its expression, then across statements."""
    for site in _sites(sites, place):
        yield from _of_site(hazard, sites, site, place)


def _sites(sites: Sites, place: OpRef) -> Iterator[Site]:
    """The expression that ends in an operation, then the wide one if it differs."""
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
            # Each operation rounds by itself, so this place has only its own operation's part.
            if alone is not None and _matters(alone, arithmetic):
                yield SiteVariant(hazard, place, alone, alone.tree, arithmetic, practice)
        else:
            yield SiteVariant(hazard, place, site, tree, arithmetic, practice)


def _changes(
    hazard: ExpressionHazard, sites: Sites, site: Site, whole: Site
) -> Iterator[Evaluation]:
    """The distinct evaluations that change the last operation of a site, which may be the top of
    a `whole` one."""
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
    """The last operations of a tree, with deeper subtrees as operands: enough to decide whether a
    hazard changes the last one."""
    if not isinstance(tree, Node):
        return tree
    if not levels:
        return Operand(f"({written(tree)})")
    return Node(tree.name, tuple([_top(arg, levels - 1) for arg in tree.args]), tree.detail)


def _each_by_itself(site: Site, arithmetic: Arithmetic) -> bool:
    """Whether every result is rounded to the type, so that operations are independent."""
    return arithmetic.working is site.form and arithmetic.nans == "canonical"


class _Change:
    """Distinguishes evaluations that change a site's last operation from those that change inner
    ones only."""

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
            return self._matter[arithmetic] or _has_other_constants(tree, site.form)
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
        """Whether `new` is a variant of the subtree `old`."""
        if not isinstance(old, Node):
            return False
        if old not in self._inner:
            inner = self._inner[old] = set[Tree]()
            for tree, _, _ in islice(self._hazard.variants(old, self._site.strict), MOST_VARIANTS):
                self._sites.pay()
                inner.add(tree)
        return new in self._inner[old]


def _has_other_constants(tree: Tree, form: Format) -> bool:
    """Whether a constant has another value than in the expression's own format."""
    return any(
        isinstance(arg, Constant) and constant(arg, form) != constant(replace(arg, form=""), form)
        for node in nodes(tree)
        for arg in node.args
    )


def _matters(site: Site, arithmetic: Arithmetic) -> bool:
    """Whether a site can have other bits under an arithmetic; False only if that is impossible."""
    signs = arithmetic.nans != "canonical"
    if signs or site.op.opcode == "bitcast":
        # An operand that is NaN is canonical, so its sign is known.
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
    """The expression whose sign the last operation reads, NaN's included."""
    if site.op.opcode == "copysign" and isinstance(site.tree, Node):
        return site.tree.args[1]
    return site.tree if site.op.opcode == "bitcast" else None


def _is_innocuous(operation: str, form: Format, working: Format) -> bool:
    """Whether an operation in `working`, then rounded to `form`, equals the operation rounded once:
    sums in the same precision, as they are never subnormal and inexact, and + − × ÷ √ in at least
    twice the precision plus two bits (Figueroa 1995)."""
    ample = working.least <= 2 * form.least and working.limit >= 2 * (form.limit - form.least)
    if operation in ("add", "sub") and working.precision == form.precision:
        return ample
    twice = working.precision >= 2 * form.precision + 2
    return ample and twice and operation in _ROUNDED - {"fma"}
