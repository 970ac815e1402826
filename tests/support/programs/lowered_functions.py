"""Functions that compute one evaluation of a tree, as it is lowered, and operands to try."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count

from samebits.bits import bits_to_float, float_to_bits
from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.lowering import Lowered, Unlowered, lower
from samebits.fpmodel.parse import operands
from samebits.fpmodel.softfloat import FLOAT32, Format
from samebits.fpmodel.tree import Constant, Node, Operand, Tree
from samebits.frontend.compile import link
from samebits.hazards.expressions import Site
from samebits.ir.builder import Builder
from samebits.ir.grammar import Module
from samebits.ir.interp.evaluator import Evaluator
from samebits.ir.verify import verify
from samebits.types import FLOAT32 as T32
from samebits.types import FLOAT64 as T64
from samebits.types import INT32, INT64, UINT32, UINT64, ScalarType

_TYPES = {t.name: t for t in (INT32, UINT32, INT64, UINT64)}
_EDGES = {
    32: (0, 1, 0x007FFFFF, 0x00800000, 0x3F800000, 0x4F000000, 0x4F800000, 0x5F000000,
         0x7F7FFFFF, 0x7F800000, 0x7FC00000),
    64: (0, 1, (1 << 52) - 1, 1 << 52, 0x3FF0 << 48, 0x41E0 << 48, 0x41EFFFFFFFF << 20,
         0x43E0 << 48, 0x43F0 << 48, (0x7FF0 << 48) - 1, 0x7FF0 << 48, 0x7FF8 << 48),
}  # fmt: skip


def function_of(tree: Tree, form: Format, result: ScalarType | None = None) -> Site:
    """A site whose operands are parameters; `result` is that of a conversion or a bitcast."""
    t = T32 if form is FLOAT32 else T64
    names = operands(tree)
    b = Builder("f", dict.fromkeys(names, t), [result or t])
    values = {name: b.get(name) for name in names}
    kinds = {"convert": "convert"} if isinstance(tree, Node) and tree.name == "convert" else {}
    opcode = "add" if result is None else kinds.get("convert", "bitcast")
    op = b.emit(opcode, types=[result or t])
    b.ret(op.result)
    return Site(op, tree, form, values, {})


def module_of(site: Site, tree: Tree, arithmetic: Arithmetic) -> Module | Unlowered:
    """The function `f` with one evaluation in the place of the site, and what it calls."""
    t = T32 if site.form is FLOAT32 else T64
    b = Builder("f", dict.fromkeys(site.operands, t), [site.result])
    for name in site.operands:
        b.get(name)
    ids = count(1000)
    found = lower(tree, arithmetic, site.operands, ids, site.op)
    if isinstance(found, Unlowered):
        return found
    b.region += found.ops
    function = b.ret(site.op.result)
    return joined(found, Module({"f": function}))


def joined(lowered: Lowered, module: Module) -> Module:
    made = Module({f.name: f for f in lowered.hosts})
    for unit in lowered.units:
        linked = link(unit)
        made.functions.update(linked.functions)
        made.tables.update(linked.tables)
    made.functions.update(module.functions)
    verify(made)
    return made


def differences(
    site: Site, tree: Tree, arithmetic: Arithmetic, times: int, seed: object
) -> Iterator[str]:
    """Where the lowered evaluation and the reference give other bits."""
    module = module_of(site, tree, arithmetic)
    assert isinstance(module, Module), module
    evaluator = Evaluator(module)
    for given in samples(site, times, seed):
        numbers = [bits_to_float(bits, site.form.bits) for bits in given.values()]
        (number,) = evaluator.run("f", numbers)
        t = site.result
        found = float_to_bits(number, t.bits) if t.is_float else int(number) & ((1 << t.bits) - 1)
        expected = site.bits(tree, arithmetic, given)
        if found != expected:
            shown = {name: f"{bits:x}" for name, bits in given.items()}
            yield f"{shown}: {found:x}, where the reference has {expected:x}"


def samples(site: Site, times: int, seed: object) -> Iterator[Mapping[str, int]]:
    """Patterns for each operand: edges, neighbours in magnitude, and anything."""
    source, bits = random.Random(str(seed)), site.form.bits
    sign = 1 << bits - 1
    one = _EDGES[bits][4]
    for _ in range(times):
        near = one + source.randrange(-40, 40) * (1 << site.form.precision - 1)
        choices = [
            lambda: source.choice(_EDGES[bits]) | source.choice((0, sign)),
            lambda: one + source.getrandbits(site.form.precision) | source.choice((0, sign)),
            lambda near=near: near + source.getrandbits(site.form.precision + 1),
            lambda: source.getrandbits(site.form.precision) | source.choice((0, sign)),
            lambda: source.getrandbits(bits),
        ]
        given = {name: source.choice(choices)() for name in site.operands}
        yield {n: _canonical(b, bits) for n, b in given.items()}


def _canonical(pattern: int, bits: int) -> int:
    return float_to_bits(bits_to_float(pattern, bits), bits)


_BINARY = ("add", "sub", "mul", "div", "add", "mul", "min", "max")
_CALLS = ("floor", "trunc", "copysign", "fmod", "sin", "exp", "rsqrt")


def generated(seed: object, size: int) -> Tree:
    """A tree of `size` operations or a few less."""
    source = random.Random(str(seed))

    def grow(left: int) -> Tree:
        if left <= 0:
            if source.random() < 0.2:
                return Constant(source.choice(("0", "1", "0.1", "-2.5", "3e-39", "1e30", "0.5")))
            return Operand(f"x{source.randrange(4)}")
        kind = source.random()
        if kind < 0.6:
            half = source.randrange(left)
            return Node(source.choice(_BINARY), (grow(half), grow(left - 1 - half)))
        if kind < 0.7:
            return Node("fma", (grow((left - 1) // 2), grow((left - 1) // 2), grow(0)))
        if kind < 0.78:
            return Node("sqrt", (grow(left - 1),))
        if kind < 0.86:
            return Node(source.choice(("neg", "abs")), (grow(left - 1),))
        if kind < 0.92:
            return Node("convert", (grow(left - 1),), source.choice(list(_TYPES)))
        name = source.choice(_CALLS)
        other = (grow(0),) if name in ("copysign", "fmod") else ()
        return Node("call", (grow(left - 1), *other), name)

    return grow(size)


def renamed(site: Site, op: str) -> Site:
    """The site as another operation's."""
    return replace(site, op=replace(site.op, opcode=op))
