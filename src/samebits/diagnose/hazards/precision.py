"""Intermediate results in another precision than the type's: x87's, a wider or a narrower one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samebits.diagnose.arithmetic import Arithmetic
from samebits.diagnose.hazards.hazard import Hazard, Variant
from samebits.diagnose.numbers import (
    FLOAT16,
    FLOAT32,
    FLOAT64,
    X87_24,
    X87_53,
    X87_64,
    Format,
)
from samebits.diagnose.trees import Op, Tree, choices, nodes, replaced

_MOST_SPILLS = 256
_X87 = (
    (X87_64, "32-bit x86 without SSE2 (-mfpmath=387), long double; Linux's control word"),
    (X87_53, "x87 with 53-bit control: 32-bit Windows and BSD programs"),
    (X87_24, "x87 with 24-bit control: set by Direct3D 9 and earlier"),
)
_WIDE = (
    "float computed as double: JavaScript without Math.fround, Lua, Python, C with "
    "FLT_EVAL_METHOD 1, a missing f behind constants"
)


def _cast(form: Format, tree: Tree) -> Op:
    return Op("cast", (tree,), form.name)


def _spilled(tree: Tree, form: Format) -> Iterator[Tree]:
    """The tree with each subset of its intermediate results stored in the type."""

    def options(node: Op) -> list[Tree]:
        return [] if node.name in ("cast", "neg", "abs") else [_cast(form, node)]

    if not isinstance(tree, Op):
        return
    # The result itself is stored in any case.
    for variant in choices(tree, options, _MOST_SPILLS):
        if not (isinstance(variant, Op) and variant.name == "cast"):
            yield variant


def _working(tree: Tree, arithmetic: Arithmetic, form: Format, note: str) -> Iterator[Variant]:
    wide = replace(arithmetic, working=form)
    yield tree, wide, note
    for variant in _spilled(tree, arithmetic.form):
        if variant != tree:
            yield variant, wide, f"{note}; what is cast was stored on the way"


def _plain(arithmetic: Arithmetic) -> bool:
    return arithmetic.working is arithmetic.form


def _x87(tree: Tree, arithmetic: Arithmetic) -> Iterator[Variant]:
    if _plain(arithmetic):
        for form, note in _X87:
            yield from _working(tree, arithmetic, form, note)


def _double(tree: Tree, arithmetic: Arithmetic) -> Iterator[Variant]:
    if _plain(arithmetic) and arithmetic.form is FLOAT32:
        yield from _working(tree, arithmetic, FLOAT64, _WIDE)


def _narrow(tree: Tree, arithmetic: Arithmetic) -> Iterator[Variant]:
    if not _plain(arithmetic):
        return
    if arithmetic.form is FLOAT64:
        note = "double computed as float: a wrong type, -fsingle-precision-constant, GPUs"
        yield tree, replace(arithmetic, working=FLOAT32), note
        # One intermediate result that passes through a float.
        for node in nodes(tree):
            if node != tree:
                yield (
                    replaced(tree, node, _cast(FLOAT32, node)),
                    arithmetic,
                    ("an intermediate result stored in a float"),
                )
    else:
        note = "half precision: mediump and min16float in shaders, results stored as half"
        yield tree, replace(arithmetic, working=FLOAT16), note


X87 = Hazard("x87", "x87 extended precision", _x87)
DOUBLE = Hazard("double-rounding", "float32 computed in float64", _double)
NARROW = Hazard("narrower", "a narrower precision on the way", _narrow)
