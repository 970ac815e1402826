"""Expressions that a trace's values show, flags between two builds, and lines made strict."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.foreign.probes.test_probes_in_ir import MODULE

from samebits.bits import float_to_bits
from samebits.diagnosis.programs.causes import explained
from samebits.diagnosis.programs.flag_table import PARTS, row_of
from samebits.diagnosis.programs.mixed import Switched, applied, edits_between
from samebits.diagnosis.programs.slices import slices_of, value_row
from samebits.diagnosis.programs.switching import made_strict
from samebits.diagnosis.programs.verdict import flags_cause, tell_causes
from samebits.diagnosis.report.findings import CauseFact
from samebits.foreign.probes.debug_info import SourcePlace
from samebits.foreign.probes.instrument import Site
from samebits.foreign.probes.trace import Trace


def site(opcode: str, line: int, operands: int = 2, literals: tuple[bool, ...] = ()) -> Site:
    return Site(
        SourcePlace("/game/a.c", "step", line, 1), opcode, "float", ("float",) * operands, 0, "",
        line, "a.c", "step", literals or (False,) * operands,
    )  # fmt: skip


def bits(value: float) -> int:
    return float_to_bits(value, 32)


SITES = [site("fmul", 1), site("fadd", 2), site("store", 3, 1), site("@cosf", 4, 1)]


def trace(*rows: tuple[int, float, float, float]) -> Trace:
    words = [(number, bits(a), bits(b), 0, bits(result)) for number, a, b, result in rows]
    return Trace(SITES, np.array(words, np.uint64))


PRODUCT = float(np.float32(0.1) * np.float32(0.1))
SUM = float(np.float32(PRODUCT) + np.float32(-0.01))
MULTIPLY_ADD = trace((0, 0.1, 0.1, PRODUCT), (1, PRODUCT, -0.01, SUM), (2, SUM, 0.0, SUM))


def test_a_store_stands_for_the_operation_that_gave_its_bits() -> None:
    assert value_row(MULTIPLY_ADD, 2) == 1
    assert [each.text for each in slices_of(MULTIPLY_ADD, 1)] == ["(a + b)", "((a * a) + b)"]


def test_an_operand_that_stands_in_the_code_is_no_operations() -> None:
    sites = [*SITES, site("fadd", 5, 2, (True, False))]
    rows = [*MULTIPLY_ADD.rows.tolist(), (4, bits(PRODUCT), bits(2.5), 0, bits(2.51))]
    found = slices_of(Trace(sites, np.array(rows, np.uint64)), 3)
    assert [each.text for each in found] == ["(a + b)"]


def test_the_fused_bits_of_a_product_and_a_sum_are_explained_by_fusing() -> None:
    found = explained(
        MULTIPLY_ADD, 2, 0x300F5C29, frozenset(("rounding", "x87", "double-rounding"))
    )
    assert found is not None
    assert next(cause.hazard for cause in found.causes()) == "fma"
    assert found.ask.endswith("--got 0x300f5c29 --type float32")


def test_bits_that_nothing_gives_have_no_explanation() -> None:
    assert explained(MULTIPLY_ADD, 2, bits(77.0)) is None


def test_a_math_function_is_an_operation_by_its_own_name() -> None:
    assert slices_of(trace((3, 0.5, 0.0, 0.877)), 0)[0].text == "cos(a)"


def test_edits_make_one_sides_flags_of_the_others() -> None:
    a, b = ("-O2", "-ffp-contract=off", "-g"), ("-Ofast", "-g", "-mfma")
    edits = edits_between(a, b)
    assert edits == ["-Ofast", "-mfma", "without -O2", "without -ffp-contract=off"]
    assert applied(a, edits) == ("-g", "-Ofast", "-mfma")
    assert applied(a, ["-DA=b c"]) == (*a, "-DA=b c")
    assert applied((), PARTS["-funsafe-math-optimizations"][:1]) == (
        "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math",
    )  # fmt: skip


def test_each_flag_of_which_others_are_made_is_known_itself() -> None:
    assert [flag for flag in PARTS if row_of(flag) is None] == []
    assert row_of("-Wall") is None


@pytest.mark.parametrize("line", [4, 5])
def test_one_line_alone_is_made_strict(line: int) -> None:
    text = made_strict({("/game/step.c", line)})("step.c", MODULE)
    pairs = zip(MODULE.split("\n"), text.split("\n"), strict=False)
    changed = [new for old, new in pairs if old != new]
    assert ("fmul contract" in text, "fmuladd.f32(float %7" in text) == (line != 4, line != 5)
    if line == 4:
        assert changed == [
            "  %5 = fmul float %4, 0x3FE99999A0000000, !dbg !7",
            "  %6 = fadd float %5, %1, !dbg !7",
        ]
    else:
        assert (
            "  %sb.product.8 = fmul float %7, %6, !dbg !8\n  %8 = fadd float %sb.product.8, %1"
            in text
        )


def cause(hazard: str) -> CauseFact:
    return CauseFact(hazard, hazard, "", "", "", "", 0, 0)


def switched(same: int, *flags: str) -> Switched:
    return Switched(("a.c",), flags, same, 10, True)


def test_certain_is_alone_what_both_say_in_every_frame() -> None:
    for same, sure in ((10, "certain"), (9, "likely")):
        found = switched(same, "-ffp-contract=fast")
        told = tell_causes([cause("fma")], flags_cause(found), found, (), strict=False)
        assert told is not None
        assert (told[0][0].hazard, told[1]) == ("fma", sure)


def test_what_a_flag_is_for_comes_before_what_else_gives_the_bits() -> None:
    found = switched(10, "-mfpmath=387")
    causes = [cause("double-rounding"), cause("x87")]
    told = tell_causes(causes, flags_cause(found), found, (), strict=False)
    assert told is not None
    assert [each.hazard for each in told[0]] == ["x87", "double-rounding"]


def test_bits_and_flags_that_say_other_things_are_likely_at_most() -> None:
    found = switched(10, "-mfpmath=387")
    told = tell_causes([cause("order")], flags_cause(found), found, (), strict=False)
    assert told is not None
    assert ([each.hazard for each in told[0]], told[1]) == (["x87", "order"], "likely")
    alone = tell_causes([cause("order")], None, None, (), strict=False)
    assert alone is not None
    assert alone[1] == "possible"
