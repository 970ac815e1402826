"""Code that departs from the rules where a diagnosis wants it to: environments, single flags."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping

import pytest

import samebits as sb
from samebits import float32, float64
from samebits.backend.emit.module import emit_module
from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import compile_module
from samebits.backend.targets.fp_control import pinned_call
from samebits.backend.targets.fp_environments import ENVIRONMENTS, environment_bits
from samebits.backend.targets.table import TARGETS
from samebits.backend.text.overrides import CodegenOverrides
from samebits.bits import bits_to_float, float_to_bits
from samebits.errors import TargetError
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Module, Op, walk
from samebits.lang.kernel import Kernel
from samebits.passes.semantics.float_modes import lower_float_modes
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.native import NativeModule

HOST = engine.host_target()
IS_X86 = HOST.fp_control == "mxcsr"


@sb.kernel
def quotient(a: float32, b: float32) -> float32:
    return a / b


@sb.kernel(mode=sb.FAST)
def two_sums(a: float64, b: float64, c: float64) -> float64:
    return a * b + c + (a + b - a)


def linked(kernel: Kernel) -> tuple[Module, str]:
    assert kernel.fixed_types is not None
    unit = compile_kernel(kernel, kernel.fixed_types)
    return link(unit), unit.function.name


def compiled(kernel: Kernel, overrides: CodegenOverrides) -> NativeModule:
    module, name = linked(kernel)
    return NativeModule(
        compile_module(lower_float_modes(module), [name], HOST, 3, overrides=overrides), 1
    )


def divided(a: float, b: float, *environment: str) -> float:
    slots = (ctypes.c_uint64 * 3)(float_to_bits(a, 32), float_to_bits(b, 32))
    compiled(quotient, CodegenOverrides(environment)).entry(0).run(slots)
    return bits_to_float(slots[2], 32)


THIRD = 0x3EAAAAAA
"""The pattern of the float32 below 1/3; the nearest is the next one."""


def test_code_rounds_as_its_environment_says_and_the_thread_stays_as_it_was() -> None:
    before = fpenv.read()
    found = {word: float_to_bits(divided(1, 3, word), 32) for word in ("up", "down", "toward-zero")}
    assert found == {"up": THIRD + 1, "down": THIRD, "toward-zero": THIRD}
    assert float_to_bits(divided(-1, 3, "up"), 32) == THIRD | 1 << 31
    assert float_to_bits(divided(1, 3), 32) == THIRD + 1
    assert fpenv.read() == before


@pytest.mark.skipif(not IS_X86, reason="MXCSR flushes results and operands by two bits")
def test_code_flushes_what_its_environment_flushes() -> None:
    least = 2.0**-149
    assert divided(2.0**-126, 2, "ftz") == 0.0 != divided(2.0**-126, 2, "daz")
    assert divided(least, 2.0**-100, "daz") == 0.0
    assert divided(least, 2.0**-100, "ftz") == 2.0**-49
    assert divided(2.0**-126, 2, "flush", "up") == 0.0 == divided(least, 2.0**-100, "flush", "up")


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_the_default_environment_is_what_it_is_without_words(name: str) -> None:
    control = TARGETS[name].fp_control
    assert environment_bits(control, ()) == 0
    for word in ENVIRONMENTS.get(control or "", {}):
        assert pinned_call(control, "@body", [word]) != pinned_call(control, "@body")


def test_words_that_a_register_has_no_bit_for_are_refused() -> None:
    with pytest.raises(TargetError) as caught:
        environment_bits("fpc", ["flush"])
    assert caught.value.message == "this target has no floating-point environment 'flush'"
    assert caught.value.note == "it has toward-zero, up, down"
    with pytest.raises(TargetError) as caught:
        environment_bits(None, ["up"])
    assert caught.value.note == "its environment cannot be changed"
    with pytest.raises(TargetError, match="up and down are two directions of rounding"):
        environment_bits("mxcsr", ["up", "down"])


def flags_by_operation(fast: Mapping[str, Mapping[int, str]] | None) -> list[str]:
    module, name = linked(two_sums)
    text = emit_module(
        lower_float_modes(module, fast),
        [name],
        TARGETS["x86-64-v1"],
        overrides=CodegenOverrides(fast=fast),
    ).text
    body = re.search(rf'define [^\n]*@"k:{re.escape(name)}"(.*?)\n}}', text, re.DOTALL)
    assert body is not None
    return [" ".join(found) for found in re.findall(r"= (f\w+) ([a-z ]*)double", body[1])]


def test_only_the_operations_that_are_named_are_free() -> None:
    module, name = linked(two_sums)
    ops = [op for op in walk(module.functions[name].body) if isinstance(op, Op)]
    sums = [op.id for op in ops if op.opcode in ("add", "sub")]
    every = "reassoc nsz arcp contract afn "
    assert flags_by_operation(None).count(f"fadd {every}") == 3
    assert not [found for found in flags_by_operation({}) if not found.endswith(" ")]
    assert {found.split()[-1] for found in flags_by_operation({})} == {"fmul", "fadd", "fsub"}
    chosen = flags_by_operation({name: {sums[1]: "contract "}})
    assert [found for found in chosen if "contract" in found] == ["fadd contract "]


@sb.kernel(mode=sb.FAST)
def sum_of_product(a: float64, b: float64, c: float64) -> float64:
    return a * b + c


@pytest.mark.skipif(not HOST.has_fma, reason="fused products are what is seen")
def test_with_no_operation_free_fast_code_is_strict() -> None:
    module, name = linked(sum_of_product)
    found: list[float] = []
    choices: tuple[Mapping[str, Mapping[int, str]] | None, ...] = (None, {})
    for fast in choices:
        code = compile_module(
            lower_float_modes(module, fast), [name], HOST, 3, overrides=CodegenOverrides(fast=fast)
        )
        values = (1 + 2.0**-30, 1 - 2.0**-30, -1.0)
        slots = (ctypes.c_uint64 * 4)(*(float_to_bits(value, 64) for value in values))
        NativeModule(code, 1).entry(0).run(slots)
        found.append(bits_to_float(slots[3], 64))
    assert found == [-(2.0**-60), 0.0]
