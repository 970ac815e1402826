"""What LLVM's vectoriser did with a loop is known of every loop of the source."""

from __future__ import annotations

import pytest
from tests.support.kernels.inspected_kernels import fused, line, loops, module_of, remainders

from samebits.backend.llvm import engine
from samebits.backend.llvm.remarks import (
    CHECKED,
    DIVIDES,
    NO_VECTORS,
    NOT_INNERMOST,
    SUMS,
    Remark,
    loop_remarks,
)
from samebits.backend.targets.table import TARGETS, Target
from samebits.errors import RunnerError
from samebits.lang.kernel import Kernel


def remarks(kernel: Kernel, name: str = "x86-64-v3", opt: int = 3) -> dict[int, list[Remark]]:
    module, entries = module_of(kernel)
    found: dict[int, list[Remark]] = {}
    for remark in loop_remarks(module, entries, TARGETS[name], opt):
        found.setdefault(remark.span.line, []).append(remark)
    return found


@pytest.mark.parametrize(("name", "width"), [("x86-64-v3", 8), ("aarch64", 4), ("wasm32-simd", 4)])
def test_each_loop_has_a_verdict_with_its_width_or_its_reason(name: str, width: int) -> None:
    found = remarks(loops, name)
    for text in ("map", "sine"):
        best = found[line(text)][0]
        assert (best.vectorised, best.width) == (True, width)
    (total,) = found[line("sum")]
    if name == "aarch64":  # in order, within the lanes
        assert total.vectorised
    else:
        assert total.message == SUMS
        assert total.at.line == line("sum")
    checked = found[line("scatter")][0]
    assert checked.message == CHECKED
    assert checked.at.line == line("scatter body")
    assert {r.message for r in found[line("outer")]} == {NOT_INNERMOST}
    inner = found[line("inner")][0]
    assert "dependent memory operations" in inner.message
    assert "samebits:" not in inner.message
    assert "#pragma" not in inner.message


def test_a_loop_that_divides_says_so() -> None:
    assert {r.message for r in remarks(remainders)[line("remainders")]} == {DIVIDES}


def test_a_target_without_vectors_and_an_unoptimised_compile_need_no_other_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(text: str, target: Target, opt: int) -> str:
        raise AssertionError((text, target, opt))

    monkeypatch.setattr(engine, "remarks_text", refuse)
    assert {r.message for rs in remarks(loops, "riscv64").values() for r in rs} == {NO_VECTORS}
    assert not any(r.vectorised for rs in remarks(loops, opt=0).values() for r in rs)
    assert remarks(fused) == {}


def test_remarks_that_can_not_be_had_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(RunnerError, match="remarks can't be read"):
        remarks(loops)
