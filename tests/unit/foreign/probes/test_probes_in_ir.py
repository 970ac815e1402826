"""Probes in LLVM IR: which instructions get one, and that the module stays one that LLVM takes."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from samebits.foreign.probes.debug_info import SourcePlace
from samebits.foreign.probes.instructions import instruction_of
from samebits.foreign.probes.instrument import (
    MEMORY,
    OPERATIONS,
    STORES,
    instrumented,
    plain_name,
)

llvm: Any = import_module("llvmlite.binding")
MODULE = """\
declare float @cosf(float)
declare i32 @sb_begin(ptr, i64, ptr, i64)
declare i32 @sb_end(ptr, i64)
declare float @llvm.fmuladd.f32(float, float, float)

define void @step(ptr %0, float %1) !dbg !4 {
  %3 = alloca float, align 4
  store float %1, ptr %3, align 4, !dbg !6
  %4 = load float, ptr %3, align 4, !dbg !6
  %5 = fmul contract float %4, 0x3FE99999A0000000, !dbg !7
  %6 = fadd contract float %5, %1, !dbg !7
  %7 = call float @cosf(float noundef %6), !dbg !8
  %8 = call contract float @llvm.fmuladd.f32(float %7, float %6, float %1), !dbg !8
  %9 = fptosi float %8 to i32, !dbg !9
  %10 = insertelement <2 x float> undef, float %7, i32 0, !dbg !9
  %11 = fadd <2 x float> %10, %10, !dbg !9
  store float %8, ptr %0, align 4, !dbg !9
  store i32 %9, ptr %0, align 4, !dbg !9
  store <2 x float> %11, ptr %0, align 8, !dbg !9
  store ptr %0, ptr %0, align 8, !dbg !9
  ret void, !dbg !9
}

define void @sb_own(ptr %0) !dbg !10 {
  store float 1.0, ptr %0, align 4, !dbg !11
  ret void, !dbg !11
}

define void @main(ptr %0) !dbg !12 {
  %2 = call i32 @sb_begin(ptr noundef %0, i64 noundef 7, ptr noundef null, i64 noundef 0), !dbg !13
  call void @step(ptr %0, float 1.0), !dbg !13
  %3 = call i32 @sb_end(ptr noundef %0, i64 noundef 7), !dbg !13
  ret void, !dbg !13
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "step.c", directory: "/game")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !5)
!4 = distinct !DISubprogram(name: "step", scope: !1, file: !1, line: 3, type: !3, spFlags: DISPFlagDefinition, unit: !0)
!5 = !{null}
!6 = !DILocation(line: 3, column: 20, scope: !4)
!7 = !DILocation(line: 4, column: 9, scope: !4)
!8 = !DILocation(line: 5, column: 11, scope: !14)
!9 = !DILocation(line: 6, column: 3, scope: !4)
!10 = distinct !DISubprogram(name: "sb_own", scope: !1, file: !1, line: 8, type: !3, spFlags: DISPFlagDefinition, unit: !0)
!11 = !DILocation(line: 9, column: 3, scope: !10)
!12 = distinct !DISubprogram(name: "main", scope: !1, file: !1, line: 12, type: !3, spFlags: DISPFlagDefinition, unit: !0)
!13 = !DILocation(line: 13, column: 3, scope: !12)
!14 = distinct !DILexicalBlock(scope: !4, file: !1, line: 5, column: 4)
"""  # noqa: E501
SITES = {
    OPERATIONS: [
        (3, "store"), (4, "fmul"), (4, "fadd"), (5, "@cosf"), (5, "@llvm.fmuladd.f32"),
        (6, "fptosi"), (6, "fadd"), (6, "store"), (6, "store"), (6, "store"),
    ],
    STORES: [(3, "store"), (6, "store"), (6, "store"), (6, "store")],
    MEMORY: [(6, "store"), (6, "store"), (6, "store")],
}  # fmt: skip


@pytest.mark.parametrize("level", SITES)
def test_a_level_has_its_instructions_and_llvm_takes_the_module(level: str) -> None:
    done = instrumented(MODULE, level, 100, "step.c")
    assert [(site.place.line, site.opcode) for site in done.sites] == SITES[level]
    module = llvm.parse_assembly(done.text)
    module.verify()
    called = str(module).count("call void @sb_probe(i32 ")
    assert called == len(done.sites)
    assert done.frames == 2
    assert "call void @sb_probe_begin(i64 7)" in done.text
    assert "call void @sb_probe_end(i64 7)" in done.text


def test_a_site_has_the_place_of_its_source() -> None:
    site = instrumented(MODULE, OPERATIONS, 0, "step.c").sites[3]
    assert site.place == SourcePlace("/game/step.c", "step", 5, 11)
    assert (site.type, site.operands, site.literals, site.symbol) == (
        "float", ("float",), (False,), "step",
    )  # fmt: skip
    assert instrumented(MODULE, OPERATIONS, 0, "step.c").sites[1].literals == (False, True)


@pytest.mark.parametrize(
    ("symbol", "name"),
    [("@sqrtf", "sqrt"), ("@llvm.sqrt.f32", "sqrt"), ("@__powf_finite", "pow"), ("@sin", "sin"),
     ("@llvm.fma.f64", "fma"), ("@fmuladd_like", "@fmuladd_like"), ("@draw", "@draw"),
     ("@llvm.fmuladd.f32", "fmuladd")],
)  # fmt: skip
def test_math_functions_have_one_name_on_all_sides(symbol: str, name: str) -> None:
    assert plain_name(symbol) == name


@pytest.mark.parametrize(
    "line",
    ["  br label %5", "  %3 = load float, ptr %1", "  store ptr %0, ptr %1", "}", "",
     "  %2 = phi float [ %1, %3 ]", "  musttail call void @f()", "  %3 = call ptr @g()"],
)  # fmt: skip
def test_other_lines_have_no_probe(line: str) -> None:
    assert instruction_of(line) is None


def test_operands_of_a_call_are_its_numbers() -> None:
    found = instruction_of(
        "  %7 = call noundef float @f(ptr noundef %1, float noundef 0x3FC0000000000000, "
        "i32 noundef -4, { i64, i64 } %3, double %4), !dbg !9"
    )
    assert found is not None
    assert found.operands == (("float", "0x3FC0000000000000"), ("i32", "-4"), ("double", "%4"))
