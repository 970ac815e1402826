"""What of a program is built by which flags, and in what order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from samebits.diagnosis.builds.compilers.found import compilers
from samebits.diagnosis.builds.compilers.plans import (
    BRANCHED,
    BRANCHED_CLEARED,
    CAREFUL,
    CAREFUL_LIBRARY,
    CLEARED,
    CLEARED_LIBRARY,
    FLAT,
    OWN,
    SOME,
    SOME_CAREFUL,
    STAGES,
    STAGES_OF_ITS_BITS,
    WITH_LIBRARY,
    Known,
    Plan,
    rows_for,
)
from samebits.diagnosis.builds.compilers.rows import Row, rows
from samebits.export.plain_c.widths import Widths
from samebits.types import FLOAT32, FLOAT64

GCC = next((each for each in compilers() if each.family == "gcc"), None)
ROWS = [row for row in rows() if "gcc" in row.families]
QUICK = {"-fassociative-math", "-freciprocal-math", "-funsafe-math-optimizations"}
KNOWN = Known(ROWS, (), (), calls_library=True, has_vectors=True)


def plans(known: Known = KNOWN) -> list[Plan]:
    return [plan for stage in STAGES for plan in stage(known)]


def first_rare(every: list[Plan]) -> int:
    """Where flags begin that are neither usual nor quick to try, of processors of 32 bits and of
    floats in other widths, or with the math library."""
    return next(
        n
        for n, each in enumerate(every)
        if not (each.row.is_usual or each.row.hazards == ["constant"])
        and not QUICK & {*each.row.flags}
        and (each.row.bits == 32 or each.row.writes_widths or each.parts.library)
    )


def first_library(every: list[Plan]) -> int:
    """Where the math library begins to be built so too, by flags that take builds of their own."""
    return next(
        n for n, plan in enumerate(every) if plan.parts.library and not QUICK & {*plan.row.flags}
    )


def row_of(*flags: str) -> Row:
    return next(row for row in ROWS if {*flags} <= {*row.flags} and row.bits == 32)


def test_x87_by_a_standard_of_c_is_tried_in_some_functions_before_flags_that_are_rare() -> None:
    every = plans()
    standard = Plan(row_of("-mfpmath=387", "-fexcess-precision=standard"), SOME)
    rare = first_rare(every)
    assert every.index(standard) < rare


def test_some_functions_are_tried_by_all_flags_before_arrays_are_written_otherwise() -> None:
    every = plans()
    estimates = Plan(next(row for row in ROWS if "-mrecip" in row.flags), SOME)
    flat = next(n for n, plan in enumerate(every) if plan.parts.flat and not plan.row.is_usual)
    assert every.index(estimates) < flat


def test_estimates_are_tried_before_what_takes_many_builds() -> None:
    every = plans()
    row = next(row for row in ROWS if "-mrecip" in row.flags)
    library = first_library(every)
    assert every.index(Plan(row, OWN)) < every.index(Plan(row, SOME)) < library
    narrow = next(
        n for n, plan in enumerate(every)
        if plan.parts != OWN and (plan.row.bits == 32 or plan.row.writes_widths)
    )  # fmt: skip
    assert every.index(Plan(row, FLAT)) < narrow


def test_what_vectors_depend_on_is_tried_for_what_makes_vectors_alone() -> None:
    every = [plan for plan in plans() if plan.parts.flat or plan.parts.flags]
    assert any("-mfma" in plan.row.flags for plan in every)
    assert not any("-mfpmath=387" in plan.row.flags for plan in every)
    assert {plan.widths for plan in every} == {Widths.SAME}


def test_usual_flags_are_tried_with_the_library_and_for_what_makes_vectors_before_rare_ones() -> (
    None
):
    every = plans()
    usual = next(row for row in ROWS if row.is_usual and tuple(row.flags) == ("-Ofast", "-mfma"))
    rare = first_rare(every)
    for parts in (WITH_LIBRARY, CAREFUL, CAREFUL_LIBRARY):
        assert every.index(Plan(usual, parts)) < rare


def test_usual_flags_are_tried_for_some_functions_before_the_library_is_built_so_too() -> None:
    every = plans()
    usual = next(row for row in ROWS if row.is_usual and tuple(row.flags) == ("-Ofast", "-mfma"))
    library = first_library(every)
    assert every.index(Plan(usual, SOME)) < library
    assert every.index(Plan(usual, SOME_CAREFUL)) < library


def test_arrays_that_are_cleared_are_tried_for_what_reorders_sums_before_rare_flags() -> None:
    every = plans(replace(KNOWN, has_locals=True))
    usual = next(row for row in ROWS if row.is_usual and tuple(row.flags) == ("-Ofast", "-mfma"))
    rare = first_rare(every)
    for parts in (CLEARED, CLEARED_LIBRARY):
        assert every.index(Plan(usual, parts)) < rare
    cleared = [plan for plan in every if plan.parts.cleared]
    assert all("order" in plan.row.hazards for plan in cleared)
    assert not any(plan.parts.cleared for plan in plans()), "without arrays there is nothing"


def test_integers_rounded_down_by_a_branch_are_tried_for_what_reorders_sums() -> None:
    every = plans(replace(KNOWN, has_locals=True, has_remainders=True))
    usual = next(row for row in ROWS if row.is_usual and tuple(row.flags) == ("-Ofast", "-mfma"))
    rare = first_rare(every)
    for parts in (BRANCHED, BRANCHED_CLEARED):
        assert every.index(Plan(usual, parts)) < rare
    branched = [plan for plan in every if plan.parts.branches]
    assert all("order" in plan.row.hazards for plan in branched)
    without = plans(replace(KNOWN, has_locals=True))
    assert not any(plan.parts.branches for plan in without), "without remainders there is nothing"


def test_parts_of_fast_math_are_tried_with_the_library_as_soon_as_the_functions_are_built() -> None:
    every = plans()
    parts = [row for row in ROWS if QUICK & {*row.flags}]
    some = next(n for n, plan in enumerate(every) if plan.parts.files == "some")
    assert all(every.index(Plan(row, WITH_LIBRARY)) < some for row in parts)


def test_parts_of_fast_math_are_tried_before_the_library_is_built_so_too() -> None:
    every = plans()
    library = next(n for n, plan in enumerate(every) if plan.parts.library)
    parts = [row for row in ROWS if QUICK & {*row.flags} and "-mavx2" not in row.flags]
    assert len(parts) > 3
    assert all(every.index(Plan(row, OWN)) < library for row in parts)


def test_floats_of_other_widths_in_some_functions_come_before_rare_flags_with_the_library() -> None:
    every = plans()
    estimates = next(row for row in ROWS if "-mrecip" in row.flags)
    rare = [plan for plan in every if plan.row.writes_widths and not plan.row.is_usual]
    some, own = (next(plan for plan in rare if plan.parts == parts) for parts in (SOME, OWN))
    for parts in (WITH_LIBRARY, CAREFUL_LIBRARY):
        with_library = every.index(Plan(estimates, parts))
        assert every.index(some) < with_library < every.index(own)


def test_usual_flags_of_32_bits_are_tried_with_the_library_before_others() -> None:
    every = [plan for stage in STAGES_OF_ITS_BITS for plan in stage(KNOWN)]
    usual = row_of("-mfpmath=387", "-O2")
    other = next(n for n, each in enumerate(every) if not each.row.is_usual)
    assert usual.is_usual
    assert every.index(Plan(usual, WITH_LIBRARY)) < other


def test_all_usual_flags_and_more_are_tried_before_arrays_are_written_otherwise() -> None:
    every = plans()
    fused = next(row for row in ROWS if tuple(row.flags) == ("-O3", "-mfma"))
    sums = next(row for row in ROWS if "-fassociative-math" in row.flags and not row.is_usual)
    flat = next(n for n, plan in enumerate(every) if plan.parts.flat)
    rare = first_rare(every)
    for parts in (WITH_LIBRARY, CAREFUL, CAREFUL_LIBRARY):
        assert every.index(Plan(fused, parts)) < flat
    assert every.index(Plan(sums, CAREFUL)) < rare


@pytest.mark.skipif(GCC is None, reason="there is no gcc here")
def test_x87_is_of_other_machines_where_the_one_looked_for_has_none() -> None:
    assert GCC is not None
    for architecture in ("x86_64", "riscv64", "s390x"):
        own, others = rows_for(GCC, architecture, [FLOAT32])
        assert {row.bits for row in own} == {64}
        assert {row.bits for row in others} <= {32}


def test_single_constants_by_a_flag_of_gcc_are_tried_in_some_functions() -> None:
    row = next(row for row in ROWS if "-fsingle-precision-constant" in row.flags)
    assert row.hazards == ["constant"]
    every = plans()
    rare = first_rare(every)
    assert every.index(Plan(row, SOME)) < rare, "it takes little"


@pytest.mark.skipif(GCC is None, reason="there is no gcc here")
def test_constants_of_double_are_tried_where_there_are_doubles_alone() -> None:
    assert GCC is not None
    for floats, has in ((FLOAT32,), False), ((FLOAT32, FLOAT64), True):
        own, _ = rows_for(GCC, "", floats)
        assert any("-fsingle-precision-constant" in row.flags for row in own) == has


def test_what_vectors_depend_on_is_tried_in_some_functions_before_rare_flags() -> None:
    every = plans()
    fused = next(row for row in ROWS if tuple(row.flags) == ("-O3", "-mfma"))
    rare = first_rare(every)
    assert every.index(Plan(fused, SOME_CAREFUL)) < rare
