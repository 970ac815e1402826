"""Range analysis where numbers are as large as they get, and where code cannot be reached."""

from __future__ import annotations

import numpy as np
from tests.support.programs.loop_kernels import VECTOR, Kernel
from tests.support.programs.outcomes import outcome

import samebits as sb
from samebits import int32
from samebits.ir.builder import Builder
from samebits.ir.grammar import Module, Op, Value, walk
from samebits.ir.verify import verify
from samebits.passes.bounds.prover import FactBase, product_bounds
from samebits.passes.pipeline import optimise
from samebits.types import FLOAT64, INT


def test_a_slot_read_before_a_loop_does_not_rise_in_it() -> None:
    # t is 5; the loop sets it to what it was before that, plus 1.
    b = Kernel("f", {"a": VECTOR, "n": INT})
    b.set("t", b.number(-9))
    old = b.get("t")
    b.set("t", b.number(5))
    with b.into(b.loop("i", b.number(0), b.get("n"))):
        b.set("t", b.op("add", old, b.number(1)))
    b.emit("assert", b.op("ge", b.get("t"), b.number(5)))
    module = Module({"f": b.ret()})
    verify(module)
    args = [np.zeros(4, np.float32), 2]
    expected = outcome(module, "f", args)
    assert expected[0][0] == "assert"
    assert outcome(optimise(module, ["f"]), "f", args) == expected


def test_a_slot_that_only_rises_keeps_its_lower_bound() -> None:
    b = Kernel("f", {"a": VECTOR, "n": INT})
    b.set("t", b.number(5))
    with b.into(b.loop("i", b.number(0), b.get("n"))):
        b.set("t", b.op("add", b.get("t"), b.number(1)))
    b.emit("assert", b.op("ge", b.get("t"), b.number(5)))
    module = optimise(Module({"f": b.ret()}), ["f"])
    ops = [s for s in walk(module.functions["f"].body) if isinstance(s, Op)]
    assert "assert" not in [op.opcode for op in ops]


@sb.kernel
def endless_inside(a: sb.Array[int32], n: int) -> None:
    for i in range(n):
        for j in range(-9223372036854775807, 9223372036854775807):
            a[i + j + 9223372036854775807] = 1
            if j > -9223372036854775806:
                break


def test_a_loop_of_more_than_2_to_the_63_iterations_compiles() -> None:
    array = np.zeros(8, np.int32)
    endless_inside(array, 4)
    assert array.tolist() == [1] * 6 + [0] * 2


def test_numbers_that_trap_always_do_not_grow() -> None:
    b = Builder("f", {"n": INT}, [FLOAT64], {"t": INT})
    x = b.const(INT, 1 << 62)
    for _ in range(40):
        x = b.op("mul", x, x)
    module = Module({"f": b.ret(b.to(FLOAT64, x))})
    done = optimise(module, ["f"])
    assert outcome(done, "f", [1]) == outcome(module, "f", [1])


def test_squares_of_squares_do_not_grow() -> None:
    b = Builder("f", {"n": INT}, [INT], {"t": INT})
    x = b.get("n")
    for _ in range(40):
        x = b.op("mul", x, b.op("add", x, b.const(INT, 1)))
    module = Module({"f": b.ret(x)})
    done = optimise(module, ["f"])
    for n in (0, -1, 1, 2):
        assert outcome(done, "f", [n]) == outcome(module, "f", [n])


def test_bounds_at_birth_hold_for_products_of_products() -> None:
    facts = FactBase()
    word = (-(1 << 63), (1 << 64) - 1)
    atom, bounds = facts.fresh(*word), word
    for _ in range(3):
        other = facts.fresh(*word)
        atom, bounds = facts.product(atom, other), product_bounds(bounds, word)
        assert facts.bounds(atom) == bounds


def test_a_factor_beyond_int64_is_in_no_guard() -> None:
    # z is 0 for sure, though no constant: it can have any factor.
    b = Kernel("f", {"a": VECTOR, "n": INT, "m": INT})
    z: Value = b.op("and", b.get("m"), b.number(0))
    for _ in range(3):
        z = b.op("mul", z, b.number(1 << 40))
    with b.into(b.loop("i", b.number(0), b.get("n"))):
        b.write("a", b.op("add", b.get("i"), z), b.const(VECTOR.element, 1.0))
    module = Module({"f": b.ret()})
    done = optimise(module, ["f"])
    verify(done)
    for n in (-1, 0, 3, 4, 5):
        args = [np.zeros(4, np.float32), n, 7]
        assert outcome(done, "f", args) == outcome(module, "f", args)
