"""Evaluations in a wider format, with intermediate results stored in the type on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.softfloat import FLOAT16, Format
from samebits.fpmodel.tree import Node, Tree, choices
from samebits.hazards.catalogue.hazard import Evaluation

_MOST_SPILLS = 256


def cast(form: Format, tree: Tree) -> Node:
    """`tree`, with its result rounded to a format."""
    return Node("cast", (tree,), form.name)


def _spilled(tree: Tree, form: Format) -> Iterator[Tree]:
    """The tree with each subset of its intermediate results rounded to the type."""

    def options(node: Node) -> list[Tree]:
        return [] if node.name in ("cast", "neg", "abs") else [cast(form, node)]

    if not isinstance(tree, Node):
        return
    # The result itself is rounded in any case.
    for variant in choices(tree, options, _MOST_SPILLS):
        if not (
            isinstance(variant, Node) and variant.name == "cast" and variant.detail == form.name
        ):
            yield variant


def stored_as_half(tree: Tree) -> bool:
    """Whether an expression's result is finally rounded to half precision."""
    return isinstance(tree, Node) and tree.name == "cast" and tree.detail == FLOAT16.name


def widened(tree: Tree, arithmetic: Arithmetic, form: Format, note: str) -> Iterator[Evaluation]:
    """`tree` evaluated in `form`, with each subset of its inner results rounded to the type; first
    with those of calls, which functions of the type return."""
    wide = replace(arithmetic, working=form)
    yield tree, wide, note
    returned = _returned(tree, arithmetic.form)
    for variant in dict.fromkeys([returned, *_spilled(tree, arithmetic.form)]):
        if variant != tree:
            yield variant, wide, f"{note}; what is cast was stored on the way"


def _returned(tree: Tree, form: Format) -> Tree:
    """The tree with the results of calls within it rounded to the type."""
    if not isinstance(tree, Node):
        return tree

    def rounded(inner: Tree) -> Tree:
        made = _returned(inner, form)
        is_call = isinstance(made, Node) and made.name == "call"
        return cast(form, made) if is_call else made

    return replace(tree, args=tuple([rounded(arg) for arg in tree.args]))


def plain(arithmetic: Arithmetic) -> bool:
    """Whether every operation rounds to the expression's type."""
    return arithmetic.working is arithmetic.form
