"""Generated programs, TestFloat's vectors and math functions give the host's bits elsewhere.

The small version of `make prove-targets`: WebAssembly, and where qemu-user is installed one target
of each byte order.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from tests.fuzz.loading import load_kernel
from tools.prove import catalogue
from tools.prove_targets import functions, vectors
from tools.prove_targets.finding import Finding
from tools.prove_targets.programs import Batch

import samebits as sb
from samebits import float32, float64, int64, math, uint64
from samebits.backend.emit.module import emit_module
from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import assembly_text, compile_module
from samebits.backend.objects import CompiledObject
from samebits.backend.targets.audit import audit
from samebits.backend.targets.table import TARGETS, Target
from samebits.ir.builder import Builder
from samebits.ir.grammar import Module
from samebits.runtime.emulation.calls import ImageBuilder, machine, runners
from samebits.types import FLOAT64, INT, INT16, UINT8, ArrayType, RefType, StructType

NAMES = ("wasm32", "aarch64", "s390x")
FIRST_SEED = 900_000
PROGRAMS, SHARD = 60, 30


def runnable(name: str) -> Target:
    (found,) = (runner for runner in runners() if runner.target.name == name)
    if found.reason is not None:
        pytest.skip(f"{name}: {found.reason}")
    return found.target


def assert_same(found: Finding) -> None:
    assert found.failure is None
    assert not found.differing, "\n".join(found.differing)


@pytest.mark.parametrize("first", range(FIRST_SEED, FIRST_SEED + PROGRAMS, SHARD))
def test_generated_programs_give_the_same_bits_wherever_they_can_run(first: int) -> None:
    here = [r.target for r in runners() if r.target.name in NAMES and r.reason is None]
    if not here:
        pytest.skip("; ".join(f"{r.target.name}: {r.reason}" for r in runners()))
    with Batch(range(first, first + SHARD), 2) as batch:
        assert batch.refused == []
        for target in here:
            found = batch.on(target)
            assert_same(found)
            assert found.count == SHARD


FEW = frozenset((*functions.FUNCTIONS, "exp2", "sincos", "frexp", "ldexp"))
"""Every operation, and as many elementary functions as compile in a second or two."""


@pytest.mark.parametrize("name", NAMES)
def test_math_functions_give_the_same_bits(name: str) -> None:
    found = functions.on(runnable(name), 1 << 12, FEW)
    assert_same(found)
    assert found.count == (1 << 12) * len([*functions.entries(FEW)])
    assert "sincos float64 HIGH" in found.agreed


def test_no_math_function_is_forgotten() -> None:
    known = functions.FUNCTIONS.keys() | functions.OTHERS | catalogue.NAMED.keys()
    assert known == set(math.__all__)


@pytest.mark.parametrize("name", NAMES)
def test_vectors_of_testfloat_hold(name: str) -> None:
    reason = vectors.missing()
    if reason:
        pytest.skip(reason)
    assert_same(vectors.on(runnable(name)))


@pytest.mark.parametrize("name", ["wasm32", "wasm32-simd"])
def test_high_halves_of_products_need_no_library(name: str) -> None:
    module, symbols = functions.module(frozenset(("sin",)))
    assembly = assembly_text(module, symbols, TARGETS[name])
    assert "call\t__multi3" in assembly
    assert not audit(assembly, TARGETS[name], allow_fma=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_program_that_differs_is_named_by_its_seed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = runnable(name)
    with Batch(range(FIRST_SEED, FIRST_SEED + 8), 2) as batch:
        _ = batch.expected
        text = emit_module(batch.module, batch.symbols, target)
        entry = text.text.index("@sb_entry_3(")
        body = text.text.rindex("define internal i32 @sb.body.3", 0, entry)
        wrong = (
            text.text[:body]
            + text.text[body:entry].replace("ret i32 ", "ret i32 1 ;", 1)
            + text.text[entry:]
        )
        made = CompiledObject(engine.compile_text(wrong, target, 3), text.traps)
        monkeypatch.setattr(batch, "compiled", lambda target: made)
        found = batch.on(target)
    assert found.failure is None
    assert [said.split(":")[0] for said in found.differing] == [f"seed {FIRST_SEED + 3}"]


@pytest.mark.parametrize("name", NAMES)
def test_memory_arrives_by_value_in_either_byte_order(name: str) -> None:
    struct = StructType("S", (("a", UINT8), ("b", FLOAT64), ("c", INT16)))
    target = runnable(name)
    b = Builder("k", {"s": RefType(struct), "x": ArrayType(INT16, 1)})
    place = b.element(b.get("x"), b.const(INT, 1))
    b.store(place, b.op("add", b.load(place), b.const(INT16, 1)))
    compiled = compile_module(Module({"k": b.ret()}), ["k"], target)
    builder = ImageBuilder()
    s = np.array([(7, 1.5, -2)], struct.dtype)
    x = np.array([1, 0x0102, 3], np.int16)
    places = builder.add(s.tobytes(), struct), builder.add(x.tobytes(), INT16)
    image = builder.image()
    assert image.swapped(image.swapped(image.data)) == image.data
    swapped = np.frombuffer(image.swapped(image.data), struct.dtype.newbyteorder(), 1)
    assert swapped.tolist() == s.tolist()
    there = machine(compiled, 1, target, 10)
    answer = there.call(0, [*places, 3], image)
    there.close()
    x[1] += 1
    assert answer.data[places[1].offset :] == x.tobytes()
    assert answer.data[: struct.size] == s.tobytes()


def test_a_program_that_crashes_is_a_failure_of_its_target_not_of_the_command() -> None:
    target = runnable("wasm32")
    with Batch(range(FIRST_SEED, FIRST_SEED + 2), 1) as batch:
        _ = batch.expected
        batch.symbols.append("no such function")
        found = batch.on(target)
    assert (found.count, found.same) == (0, False)
    assert "no such function" in str(found.failure)


@sb.kernel
def length_as_float(a: sb.ReadOnly[float32]) -> float64:
    return float64(len(a))


@sb.kernel
def product_of_widened(a: float32, b: float32) -> float64:
    return float64(a) * float64(b)


@sb.kernel
def single_from_int64(a: int64, b: uint64) -> tuple[float32, float32]:
    return float32(a), float32(b)


def assembly(kernel: Any, target: str, opt: int = 3) -> str:
    program = load_kernel(kernel)
    return assembly_text(program.optimised, [program.symbol], TARGETS[target], opt)


@pytest.mark.parametrize("name", ["ppc64", "ppc64le"])
def test_a_length_becomes_a_float_on_powerpc(name: str) -> None:
    text = assembly(length_as_float, name)
    assert re.search(r"\t(fcfidu?|xscv[su]xddp)\s", text)


def test_widened_floats_are_multiplied_as_wide_ones_on_s390x() -> None:
    text = assembly(product_of_widened, "s390x")
    assert "mdbr" in text
    assert "mdeb" not in text


@pytest.mark.parametrize("opt", [0, 3])
def test_no_instruction_that_emulators_round_twice_makes_singles_of_int64(opt: int) -> None:
    text = assembly(single_from_int64, "ppc64le", opt)
    assert "xscvsxdsp" not in text
    assert "xscvuxdsp" not in text


@pytest.mark.parametrize("seed", [409, 430, 646])
def test_programs_that_have_differed_on_s390x_are_the_same(seed: int) -> None:
    target = runnable("s390x")
    with Batch([seed]) as batch:
        assert_same(batch.on(target))
