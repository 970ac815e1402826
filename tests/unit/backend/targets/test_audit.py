"""The audit finds what is injected, and finds nothing in what the emitter makes."""

from __future__ import annotations

import itertools

import pytest
from tests.support.programs.compiled_kernels import HOST_TARGETS
from tests.support.programs.scalar_operations import LOOPS, loop

from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import assembly_text
from samebits.backend.targets.audit import FORBIDDEN, audit
from samebits.backend.targets.table import TARGETS, Target
from samebits.ir.builder import Builder
from samebits.ir.grammar import Function, Module
from samebits.types import FLOAT32, FLOAT64, INT, ArrayType, ScalarType

X86 = [row for row in TARGETS.values() if row.architecture == "x86_64"]


def axpy(unchecked: bool = True) -> Function:
    """a[i] = a[i]*x + b[i]: what contraction would fuse, and vectorisation must find."""
    array = ArrayType(FLOAT32, 1)
    b = Builder("axpy", {"a": array, "x": FLOAT32, "b": array}, [], {"i": INT})
    a, other = b.get("a"), b.get("b")
    loop = b.for_("i", b.const(INT, 0), b.length(a))
    with b.into(loop.body):
        i = b.get("i")
        for array in (a, other):
            b.emit("index", i, b.length(array), unchecked=unchecked)
        place = b.element(a, i)
        product = b.op("mul", b.load(place), b.get("x"))
        b.store(place, b.op("add", product, b.load(b.element(other, i))))
    return b.ret()


@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda t: t.name)
@pytest.mark.parametrize("opt", [0, 3])
def test_emitted_loops_are_clean_on_every_row(target: Target, opt: int) -> None:
    """Single operations are looked at where they run."""
    functions = [axpy(), *(loop(*row) for row in LOOPS)]
    module = Module({f.name: f for f in functions})
    text = assembly_text(module, list(module.functions), target, opt)
    assert audit(text, target) == []


def returning(t: ScalarType, count: int, traps: bool) -> list[Function]:
    """A function of `count` results, and one that calls it and returns them."""
    name = f"{count}_{t}_{traps}"
    several = Builder(f"several_{name}", {"x": t}, [t] * count)
    x = several.get("x")
    if traps:
        several.emit("assert", several.op("lt", x, several.const(t, 1.0)))
    products = [x]
    for _ in range(count):
        products.append(several.op("mul", products[-1], x))
    callee = several.ret(*products[1:])
    b = Builder(f"caller_{name}", {"x": t}, [t] * count)
    return [callee, b.ret(*b.call(callee, b.get("x")))]


@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda t: t.name)
def test_functions_of_any_number_of_results_are_clean(target: Target) -> None:
    rows = itertools.product((FLOAT32, FLOAT64), range(1, 21), (False, True))
    functions = [f for row in rows for f in returning(*row)]
    module = Module({f.name: f for f in functions})
    callers = [f.name for f in functions if f.name.startswith("caller")]
    assert audit(assembly_text(module, callers, target, 0), target) == []


@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda t: t.name)
def test_fma_is_fused_only_where_the_row_has_it_and_the_kernel_asks(target: Target) -> None:
    b = Builder("fma", {c: FLOAT64 for c in "abc"}, [FLOAT64])
    function = b.ret(b.op("fma", b.get("a"), b.get("b"), b.get("c")))
    text = assembly_text(Module({"fma": function}), ["fma"], target)
    assert [f.rule for f in audit(text, target)] == ["fused"] * target.has_fma
    assert audit(text, target, allow_fma=True) == []


INJECTED = {
    "fmuladd": "%r = call float @llvm.fmuladd.f32(float %a, float %b, float %a)",
    "fast division": "%r = fdiv fast float 1.0, %a",
    "sine": "%r = call float @llvm.sin.f32(float %a)",
    "remainder": "%r = frem float %a, %b",
    "floor": "%r = call float @llvm.floor.f32(float %a)",
}


def injected(what: str, target: Target) -> list[str]:
    attributes = '{ "reciprocal-estimates"="divf:1,vec-divf:1" "unsafe-fp-math"="true" }'
    text = (
        f'target triple = "{target.triple}"\n'
        f"define float @f(float %a, float %b) #0 {{\n  {INJECTED[what]}\n  ret float %r\n}}\n"
        f"attributes #0 = {attributes}\n"
    )
    return [f.rule for f in audit(engine.assemble_text(text, target), target)]


@pytest.mark.parametrize(
    ("what", "row", "rules"),
    [
        ("fmuladd", "x86-64-v3", ["fused"]),
        ("fmuladd", "x86-64-v4", ["fused"]),
        ("fmuladd", "aarch64", ["fused"]),
        ("fmuladd", "x86-64-v1", []),
        ("fast division", "x86-64-v1", ["estimate"]),
        ("sine", "x86-64-v3", ["call"]),
        ("sine", "aarch64", ["call"]),
        ("remainder", "x86-64-v2", ["call"]),
        ("floor", "x86-64-v1", ["call"]),
        ("floor", "x86-64-v2", []),
    ],
)
def test_what_is_injected_is_found(what: str, row: str, rules: list[str]) -> None:
    assert injected(what, TARGETS[row]) == rules


def test_x87_is_found() -> None:
    text = (
        'target triple = "x86_64-unknown-linux-gnu"\n'
        "define x86_fp80 @f(x86_fp80 %a) {\n  %r = fmul x86_fp80 %a, %a\n  ret x86_fp80 %r\n}\n"
    )
    found = audit(engine.assemble_text(text, TARGETS["x86-64-v1"]), TARGETS["x86-64-v1"])
    assert {f.rule for f in found} == {"x87"}
    assert "fmul" in " ".join(f.text for f in found)


@pytest.mark.parametrize(
    ("row", "mnemonic"),
    [
        ("x86-64-v3", "vfmadd231ps"), ("x86-64-v3", "vfnmsub132sd"),
        ("x86-64-v4", "vfmaddsub213pd"), ("x86-64-v3", "rcpps"), ("x86-64-v3", "vrsqrt14pd"),
        ("x86-64-v1", "fsin"), ("x86-64-v1", "fldt"), ("x86-64-v1", "fmulp"),
        ("x86-64-v1", "fstpl"), ("aarch64", "fmadd"), ("aarch64", "fnmsub"),
        ("aarch64", "fmla"), ("aarch64", "frsqrte"),
    ],
)  # fmt: skip
def test_each_family_of_instructions_is_named(row: str, mnemonic: str) -> None:
    findings = audit(f"f:\n\t{mnemonic}\t%xmm0, %xmm1\n", TARGETS[row])
    assert [(f.line, f.function) for f in findings] == [(2, "f")]


def test_ordinary_instructions_are_not_named() -> None:
    for mnemonic in ("vmulps", "addsd", "sqrtps", "roundsd", "cvtsi2sd", "call", "movaps", "fence"):
        assert audit(f"\t{mnemonic}\t%xmm0, %xmm1\n", TARGETS["x86-64-v3"]) == []
    for mnemonic in ("fmul", "fadd", "fsqrt", "frintn", "fmov", "fcmp", "fcvtzs", "fminnm"):
        assert audit(f"\t{mnemonic}\ts0, s1\n", TARGETS["aarch64"]) == []


def test_every_architecture_with_a_row_has_a_table() -> None:
    assert {row.architecture for row in TARGETS.values()} <= set(FORBIDDEN)


@pytest.mark.parametrize("target", X86, ids=lambda t: t.name)
def test_a_loop_without_checks_becomes_packed_arithmetic(target: Target) -> None:
    text = assembly_text(Module({"axpy": axpy()}), ["axpy"], target)
    assert "mulps" in text
    assert "addps" in text
    assert ("ymm" in text) == (target.level >= 3)


def test_every_host_level_is_tested_here() -> None:
    assert HOST_TARGETS
