"""Loops in blocks of iterations do what they did: values, memory, traps, whatever overlaps."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.support.programs.block_loops import MULTIPLY, BlockLoop
from tests.support.programs.outcomes import outcome

from samebits.errors import Trap
from samebits.ir.grammar import For, Module, Op, walk
from samebits.ir.interp.evaluator import evaluate
from samebits.ir.text import parse_module, print_module
from samebits.ir.verify import verify
from samebits.passes.bounds import blocks
from samebits.passes.bounds.dry_run import FIXED_PRODUCT
from samebits.passes.pipeline import optimise
from samebits.types import INT, INT32, INT64

CELLS = 60
NEAR = (0, 1, -1, 2, 5, 1 << 16, 1 << 32, -(1 << 32), 3 << 40)
FAR = (1 << 47, 1 << 48, (1 << 62) + 1, (1 << 63) - 1, -(1 << 63))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 3)
    monkeypatch.setattr(blocks, "LEAST", 2)


def in_blocks(module: Module) -> bool:
    body = module.functions["f"].body
    return any(isinstance(s, For) and s.slot.startswith("block.") for s in walk(body))


def result(module: Module, cells: np.ndarray[Any, Any], views: list[slice], *rest: int) -> Any:
    """How `f` ends, and the memory that its arrays share."""
    memory = cells.copy()
    try:
        ending: Any = evaluate(module, "f", [*(memory[view] for view in views), *rest])
    except Trap as trap:
        ending = (trap.kind, trap.span, trap.detail)
    return ending, memory.tobytes()


def arguments(random: Random) -> tuple[Any, list[slice], int, int]:
    wild = random.choice((0.0, 0.0, 0.02, 0.2))
    cells = [random.choice(FAR if random.random() < wild else NEAR) for _ in range(CELLS)]
    length = random.randrange(0, 15)
    views: list[slice] = []
    for _ in range(3):
        start = random.choice((0, 0, 1, 20, 21, 40, random.randrange(40)))
        views.append(slice(start, start + length + (random.random() < 0.2)))
    n = length if random.random() < 0.7 else random.randrange(20)
    return np.array(cells, np.int64), views, n, random.choice((0, 1, -3, 1 << 40))


@pytest.mark.parametrize("seed", range(150))
def test_a_loop_in_blocks_gives_the_same_values_memory_and_traps(seed: int) -> None:
    random = Random(seed)
    original = BlockLoop(random).module()
    verify(original)
    before = deepcopy(original)
    done = optimise(original, ["f"])
    verify(done)
    assert original == before
    assert parse_module(print_module(done)) == done
    for _ in range(25):
        args = arguments(random)
        assert result(done, *args) == result(original, *args), print_module(done)


def test_most_loops_without_odd_statements_go_in_blocks() -> None:
    modules = [optimise(BlockLoop(Random(seed), odd=0).module(), ["f"]) for seed in range(40)]
    assert sum(map(in_blocks, modules)) >= 20


def test_without_blocks_nothing_goes_in_blocks() -> None:
    modules = [BlockLoop(Random(seed), odd=0).module() for seed in range(20)]
    assert not any(in_blocks(optimise(module, ["f"], blocks=False)) for module in modules)


def test_the_fixed_point_product_is_the_one_that_dry_runs_know() -> None:
    assert MULTIPLY.name == FIXED_PRODUCT
    assert [t for _, t in MULTIPLY.params] == [INT64] * 3


def product_loop(bits: int) -> Module:
    """out[i] = a[i] * b[i], with a trap where that overflows."""
    b = BlockLoop(Random(0), odd=0)
    loop = b.for_("i", b.const(INT, 0), b.length(b.get("out")))
    with b.into(loop.body):
        b.values = [b.load_from("a"), b.load_from("b")]
        value, excess = b.call(MULTIPLY, *b.values, b.const(INT64, bits))
        b.emit("overflow", b.op("ne", excess, b.const(INT32, 0)))
        b.store(b.at(b.get("out"), b.get("i")), value)
    b.ret(b.get("k"))
    module = BlockLoop(Random(0), odd=0).module()
    return Module({**module.functions, "f": b.function})


@pytest.mark.parametrize("bits", [16, 32])
def test_no_product_at_the_edge_of_the_range_slips_through_a_dry_run(bits: int) -> None:
    """Pairs whose product is as near to ±2^63 steps as can be, each in a block with small ones."""
    module = product_loop(bits)
    done = optimise(module, ["f"])
    assert in_blocks(done)
    random = Random(bits)
    for _ in range(300):
        a = random.randrange(1 << bits, 1 << 62)
        b = (1 << (63 + bits)) // a + random.randrange(-1, 2)
        b = max(min(b, (1 << 63) - 1), -(1 << 63)) * random.choice((1, -1))
        arrays = [np.ones(8, np.int64), np.ones(8, np.int64), np.zeros(8, np.int64)]
        arrays[0][5], arrays[1][5] = a, b
        assert outcome(done, "f", [*arrays, 8, 0]) == outcome(module, "f", [*arrays, 8, 0])


def doubling(source: str, read: int, written: int, again: bool = False) -> Module:
    """out[i + written] = source[i + read] + source[i + read], with a trap where that overflows; or
    the same of what was just written."""
    b = BlockLoop(Random(0), odd=0)
    length = b.length(b.get("out"))
    loop = b.for_("i", b.const(INT, 1), b.op("sub", length, b.const(INT, 1)))
    with b.into(loop.body):
        out, i = b.get("out"), b.get("i")
        target = b.at(out, b.op("add", i, b.const(INT, written)))
        if again:
            b.store(target, b.load(b.at(b.get("a"), i)))
        value = b.load(b.at(b.get(source), b.op("add", i, b.const(INT, read))))
        total = b.op("add", b.to(INT, value), b.to(INT, value))
        b.store(target, b.to(INT64, total))
    b.ret(b.get("k"))
    return Module({"f": b.function})


@pytest.mark.parametrize("shift", [-1, 0, 1])
@pytest.mark.parametrize(("source", "again"), [("a", False), ("out", False), ("out", True)])
def test_what_an_iteration_reads_of_another_is_not_read_ahead(
    source: str, again: bool, shift: int
) -> None:
    """Sixty doublings leave int64, of memory that no iteration alone would overflow."""
    module = doubling(source, 0, shift, again)
    done = optimise(module, ["f"])
    for offset in (-1, 0, 1, 2):
        cells = np.zeros(90, np.int64)
        cells[1:4] = 1
        views = [slice(max(-offset, 0), 88), slice(0, 0), slice(max(offset, 0), 88)]
        args = cells, views, 0, 0
        assert result(done, *args) == result(module, *args)


@pytest.mark.parametrize(
    ("source", "read", "written", "again", "goes"),
    [
        ("out", 0, 0, False, True), ("out", 1, 1, False, True), ("out", 0, 1, False, False),
        ("out", 0, -1, False, False), ("out", 0, 0, True, False), ("a", 0, 1, False, True),
    ],
)  # fmt: skip
def test_only_loops_whose_iterations_read_nothing_of_each_other_go_in_blocks(
    source: str, read: int, written: int, again: bool, goes: bool
) -> None:
    assert in_blocks(optimise(doubling(source, read, written, again), ["f"])) == goes


def test_a_dry_run_stores_nothing_and_cannot_trap() -> None:
    done = optimise(product_loop(32), ["f"])
    (outer,) = [s for s in walk(done.functions["f"].body)
                if isinstance(s, For) and s.slot.startswith("block.")]  # fmt: skip
    sweep = next(s for s in outer.body if isinstance(s, For))
    opcodes = {s.opcode for s in walk(sweep.body) if isinstance(s, Op)}
    assert "load" in opcodes
    assert not opcodes & {"store", "overflow", "index"}
