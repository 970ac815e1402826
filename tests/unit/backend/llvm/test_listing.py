"""Inspected code is the compiled code, and its lines lead back to the source."""

from __future__ import annotations

import re
from functools import cache

import pytest
from tests.support.kernels.inspected_kernels import fused, line, loops, module_of

from samebits.backend.emit.module import emit_module
from samebits.backend.llvm.compile import Listing, assembly_text, listing
from samebits.backend.llvm.listing import assembly_lines, llvm_lines
from samebits.backend.targets.instructions import (
    InstructionKind,
    comment_mark,
    kinds,
    without_comment,
)
from samebits.backend.targets.table import TARGETS

NAMES = list(TARGETS)
CODE = {
    InstructionKind.PACKED, InstructionKind.SCALAR, InstructionKind.CALL, InstructionKind.OTHER,
}  # fmt: skip


@cache
def listing_of_loops(name: str, opt: int = 3) -> Listing:
    return listing(*module_of(loops), TARGETS[name], opt)


def test_an_ordinary_compile_has_no_debug_locations() -> None:
    module, entries = module_of(loops)
    text = emit_module(module, entries, TARGETS["x86-64-v3"]).text
    assert "!dbg" not in text
    assert "DILocation" not in text


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("opt", [0, 3])
def test_the_assembly_shown_is_that_of_an_ordinary_compile(name: str, opt: int) -> None:
    target = TARGETS[name]
    module, entries = module_of(loops)
    listing = listing_of_loops(name, opt)
    shown = [
        " ".join(found.text.split())
        for found in assembly_lines(listing, target)
        if found.kind is not InstructionKind.COMMENT
    ]
    mark = comment_mark(target)
    ordinary = assembly_text(module, entries, target, opt).splitlines()
    bare = (" ".join(without_comment(text, mark).split()) for text in ordinary)
    assert shown == [text for text in bare if text]


def instructions(text: str) -> list[str]:
    """Instructions alone, in no order and without the stack's own: what tells debuggers how to
    unwind it keeps some in theirs, and one sum apart from a store on AArch64."""
    found = (" ".join(line.split()) for line in text.splitlines() if re.match(r"\s+[a-z]", line))
    return sorted(re.sub(r"tmp\d+", "tmp", x) for x in found if not re.search(r"\bsp\b", x))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("opt", [0, 3])
def test_debug_locations_change_no_instruction(name: str, opt: int) -> None:
    target = TARGETS[name]
    listing = listing_of_loops(name, opt)
    mark = comment_mark(target)

    def bare(text: str) -> str:
        return "\n".join(without_comment(line, mark) for line in text.splitlines())

    assert instructions(bare(listing.assembly)) == instructions(bare(listing.located_assembly))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("opt", [0, 3])
def test_most_instructions_know_their_source_line(name: str, opt: int) -> None:
    target = TARGETS[name]
    listing = listing_of_loops(name, opt)
    code = [found for found in assembly_lines(listing, target, True) if found.kind in CODE]
    assert sum(bool(found.place) for found in code) > len(code) / 2
    text = [found for found in llvm_lines(listing) if found.text.startswith("  ")]
    assert sum(bool(found.place) for found in text) > len(text) * 0.8


def test_the_product_of_a_line_is_led_back_to_it_and_an_inlined_sum_to_both_lines() -> None:
    target = TARGETS["x86-64-v3"]
    listing = listing_of_loops(target.name)
    found = assembly_lines(listing, target)
    products = [x for x in found if x.text.split()[:1] == ["vmulps"] and len(x.place) == 2]
    assert line("map body") in {x.place[0].span.line for x in products}
    sums = [x for x in found if x.text.split()[:1] == ["vaddps"]]
    lines = {tuple(place.span.line for place in x.place)[:2] for x in sums}
    assert (line("inlined"), line("map body")) in lines
    llvm_sums = [x for x in llvm_lines(listing) if "fadd <8 x float>" in x.text]
    assert (line("inlined"), line("map body")) in {
        tuple(place.span.line for place in x.place)[:2] for x in llvm_sums
    }


@pytest.mark.parametrize("name", ["x86-64-v3", "aarch64", "ppc64le", "s390x", "riscv64"])
def test_a_fused_operation_is_forbidden_unless_the_source_asks_for_it(name: str) -> None:
    module, entries = module_of(fused)
    text = listing(module, entries, TARGETS[name]).assembly
    assert InstructionKind.FORBIDDEN in kinds(text, TARGETS[name])
    allowed = kinds(text, TARGETS[name], allow_fma=True)
    assert InstructionKind.FORBIDDEN not in allowed
    assert InstructionKind.SCALAR in allowed


PACKED = [
    ("x86-64-v3", "\tvaddps\t%ymm1, %ymm0, %ymm2", "\tvaddss\t%xmm1, %xmm0, %xmm2"),
    ("x86-64-v1", "\tpaddd\t%xmm1, %xmm0", "\tcvtsi2sdq\t%rax, %xmm0"),
    ("x86-64-v4", "\tvfmadd213pd\t%zmm1, %zmm0, %zmm2", "\tvucomisd\t%xmm1, %xmm0"),
    ("aarch64", "\tfadd\tv0.4s, v1.4s, v2.4s", "\tfadd\ts0, s1, s2"),
    ("aarch64", "\tldp\tq0, q1, [x0]", "\tldr\td0, [x0, x1]"),
    ("aarch64-macos", "\tfadd.4s\tv0, v1, v2", "\tfcvt\td0, s0"),
    ("ppc64le", "\txvaddsp 34, 34, 35", "\txsaddsp 1, 1, 2"),
    ("wasm32-simd", "\tf32x4.add", "\tf32.add"),
    ("wasm32-simd", "\tv128.load\t0:p2align=2", "\ti32.reinterpret_f32"),
]


@pytest.mark.parametrize(("name", "packed", "scalar"), PACKED)
def test_lanes_are_packed_and_one_float_is_scalar(name: str, packed: str, scalar: str) -> None:
    found = kinds(f"{packed}\n{scalar}", TARGETS[name], allow_fma=True)
    assert found == [InstructionKind.PACKED, InstructionKind.SCALAR]


OTHERS = {
    "x86-64-v3": "\taddq\t$4, %rax", "aarch64": "\tadd\tx0, x0, #16", "armv7": "\tadd\tr0, r0, #4",
    "riscv64": "\taddi\ta0, a0, 4", "ppc64le": "\taddi 3, 3, 4", "s390x": "\taghi\t%r2, 4",
    "loongarch64": "\taddi.d\t$a0, $a0, 4", "mips64el": "\tdaddiu\t$4, $4, 4",
    "wasm32": "\tlocal.get\t0",
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_an_integer_sum_is_neither(name: str) -> None:
    assert kinds(OTHERS[name], TARGETS[name]) == [InstructionKind.OTHER]


@pytest.mark.parametrize("name", NAMES)
def test_targets_without_vectors_have_no_packed_instruction(name: str) -> None:
    target = TARGETS[name]
    found = kinds(listing_of_loops(name).assembly, target, allow_fma=True)
    assert InstructionKind.SCALAR in found
    assert InstructionKind.CALL in found
    assert (InstructionKind.PACKED in found) == bool(target.vector_bits)
