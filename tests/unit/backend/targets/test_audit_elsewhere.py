"""What is injected into another architecture's code is found there, and its plain code is clean."""

from __future__ import annotations

import pytest

from samebits.backend.llvm import engine
from samebits.backend.targets.audit import audit
from samebits.backend.targets.table import TARGETS

SCALAR = {
    "product and sum": "%p = fmul float %a, %b\n  %r = fadd float %p, %a",
    "fmuladd": "%r = call float @llvm.fmuladd.f32(float %a, float %b, float %a)",
    "fma": "%r = call float @llvm.fma.f32(float %a, float %b, float %a)",
    "sine": "%r = call float @llvm.sin.f32(float %a)",
    "remainder": "%r = frem float %a, %b",
    "fast root": "%s = call fast float @llvm.sqrt.f32(float %a)\n  %r = fdiv fast float 1.0, %s",
    "reciprocal root": "%s = call float @llvm.sqrt.f32(float %a)\n  %r = fdiv float 1.0, %s",
}
VECTOR = {
    "packed product": "%r = fmul <4 x float> %a, %b",
    "packed fmuladd": "%r = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %a, <4 x float> %b, "
    "<4 x float> %a)",
}
ELSEWHERE = [
    row for row in TARGETS.values() if row.architecture not in ("x86_64", "aarch64")
]  # fmt: skip


def rules(what: str, row: str, features: str = "") -> set[str]:
    target = TARGETS[row]
    target = target._replace(features=f"{target.features},{features}".strip(","))
    t = "float" if what in SCALAR else "<4 x float>"
    text = (
        f'target triple = "{target.triple}"\n'
        f"define {target.convention}{t} @f({t} %a, {t} %b) {{\n"
        f"  {(SCALAR | VECTOR)[what]}\n  ret {t} %r\n}}\n"
    )
    return {finding.rule for finding in audit(engine.assemble_text(text, target), target)}


@pytest.mark.parametrize("row", ELSEWHERE, ids=lambda t: t.name)
def test_calls_of_libm_are_found_on_every_architecture(row: engine.Target) -> None:
    assert "call" in rules("sine", row.name)
    assert "call" in rules("remainder", row.name)
    assert ("fused" if row.has_fma else "call") in rules("fma", row.name)


@pytest.mark.parametrize("row", ELSEWHERE, ids=lambda t: t.name)
def test_a_product_and_a_sum_are_left_apart(row: engine.Target) -> None:
    assert rules("product and sum", row.name) == set()


@pytest.mark.parametrize(
    ("what", "row", "features", "rule"),
    [
        ("fmuladd", "riscv64", "", "fused"),
        ("fmuladd", "ppc64le", "", "fused"),
        ("packed fmuladd", "ppc64le", "", "fused"),
        ("fmuladd", "ppc64", "", "fused"),
        ("fmuladd", "s390x", "", "fused"),
        ("fmuladd", "loongarch64", "", "fused"),
        ("packed fmuladd", "wasm32-simd", "+relaxed-simd", "fused"),
        # What the rows' features are there to prevent.
        ("product and sum", "mips64el", "-nomadd4", "fused"),
        ("product and sum", "armv7", "-slowfpvmlx", "fused"),
        ("packed product", "armv7", "+neon", "NEON"),
        ("packed product", "ppc64", "+altivec", "fused"),
        ("fast root", "ppc64", "", "estimate"),
        ("fast root", "i686", "", "estimate"),
        ("reciprocal root", "loongarch64", "", "estimate"),
        ("remainder", "i686", "", "x87"),
    ],
)
def test_what_is_injected_is_found(what: str, row: str, features: str, rule: str) -> None:
    assert rule in rules(what, row, features)


@pytest.mark.parametrize(
    ("row", "text", "rule"),
    [
        ("armv7", "vfma.f32 s0, s1, s2", "fused"), ("armv7", "vrsqrte.f32 d0, d1", "estimate"),
        ("armv7", "vadd.f32 q0, q1, q2", "NEON"), ("armv7", "vcvt.s32.f32 q0, q1", "NEON"),
        ("riscv64", "fnmsub.d fa0, fa1, fa2, fa3", "fused"),
        ("riscv64", "vfmacc.vv v1, v2, v3", "fused"), ("riscv64", "vfrsqrt7.v v1, v2", "estimate"),
        ("ppc64le", "xsmaddasp 1, 2, 3", "fused"), ("ppc64le", "xvrsqrtedp 1, 2", "estimate"),
        ("ppc64", "vaddfp 2, 3, 4", "AltiVec"), ("ppc64le", "xvf32gerpp 0, 1, 2", "matrix"),
        ("s390x", "madbr %f0, %f1, %f2", "fused"), ("s390x", "wfmasb %f0, %f1, %f2, %f3", "fused"),
        ("s390x", "adr %f0, %f2", "hexadecimal"), ("s390x", "mer %f0, %f2", "hexadecimal"),
        ("loongarch64", "fnmadd.s $fa0, $fa1, $fa2, $fa3", "fused"),
        ("loongarch64", "xvfrsqrte.s $xr0, $xr1", "estimate"),
        ("mips64el", "nmsub.d $f0, $f1, $f2, $f3", "fused"),
        ("mips64el", "recip.s $f0, $f1", "estimate"),
        ("mips64el", "maddf.d $f0, $f1, $f2", "fused"),
        ("wasm32-simd", "i32x4.relaxed_trunc_f32x4_s", "relaxed"), ("i686", "fildll (%esp)", "x87"),
        ("mips64el", "ld $25, %call16(sinf)($gp)", "call"),
        ("s390x", "brasl %r14, __multi3@PLT", "call"), ("riscv64", "call fmaf", "call"),
        ("loongarch64", "bl %plt(__addtf3)", "call"), ("armv7", "bl __aeabi_ldivmod", "call"),
        ("wasm32", "call __multi3", "call"), ("ppc64", "bl floor", "call"),
    ],
)  # fmt: skip
def test_each_family_of_instructions_is_named(row: str, text: str, rule: str) -> None:
    assert rule in {f.rule for f in audit(f"f:\n\t{text}\n", TARGETS[row])}


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("armv7", "vadd.f32 s0, s1, s2"), ("armv7", "vmul.f64 d0, d1, d2"),
        ("armv7", "vcvt.f64.f32 d0, s0"), ("armv7", "mla r0, r1, r2, r3"), ("armv7", "bx lr"),
        ("armv7", "bl __aeabi_memcpy8"), ("ppc64le", "xsaddsp 1, 2, 3"),
        ("ppc64", "vaddubm 2, 3, 4"),
        ("s390x", "ar %r0, %r1"), ("s390x", "meebr %f0, %f2"), ("s390x", "msr %r0, %r1"),
        ("s390x", "ddbr %f0, %f2"), ("s390x", "dr %r0, %r2"),
        ("loongarch64", "frecip.s $fa0, $fa1"),
        ("mips64el", "madd $4, $5"), ("mips64el", "ld $25, %call16(memcpy)($gp)"),
        ("riscv64", "fmax.d fa0, fa1, fa2"), ("wasm32", "f32.add"), ("i686", "mulsd %xmm0, %xmm1"),
    ],
)  # fmt: skip
def test_ordinary_instructions_are_not_named(row: str, text: str) -> None:
    assert audit(f"f:\n\t{text}\n", TARGETS[row]) == []
