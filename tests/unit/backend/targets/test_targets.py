"""Rows say which host can run them, and why another cannot."""

from __future__ import annotations

import re
from itertools import pairwise

import samebits as sb
from samebits.backend.emit.module import emit_module
from samebits.backend.targets.host_levels import best_level, host_levels
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link

EVERYTHING = {name: True for row in TARGETS.values() for name in row.requires}


def test_a_host_with_every_feature_runs_every_row_of_its_architecture() -> None:
    levels = host_levels("x86_64-unknown-linux-gnu", EVERYTHING)
    assert [level.target.name for level in levels if level.reason is None] == [
        "x86-64-v1", "x86-64-v2", "x86-64-v3", "x86-64-v4",
    ]  # fmt: skip
    best = best_level(levels)
    assert best is not None
    assert best.name == "x86-64-v4"


def test_a_missing_feature_is_named() -> None:
    levels = host_levels("x86_64-apple-darwin", EVERYTHING | {"avx512cd": False, "fma": False})
    reasons = {level.target.name: level.reason for level in levels}
    assert reasons["x86-64-v2"] is None
    assert reasons["x86-64-v3"] == "this processor lacks fma"
    assert reasons["x86-64-v4"] == "this processor lacks fma, avx512cd"


def test_objects_for_a_host_have_the_hosts_triple() -> None:
    best = best_level(host_levels("arm64-apple-darwin23", {}))
    assert best is not None
    assert (best.name, best.triple) == ("aarch64", "arm64-apple-darwin23")


def test_objects_for_a_host_are_tuned_for_its_processor() -> None:
    best = best_level(host_levels("x86_64-unknown-linux-gnu", EVERYTHING, "znver5"))
    assert best is not None
    assert best.tune == "znver5"
    assert {row.tune for row in TARGETS.values()} == {""}


def test_a_processor_that_is_taken_for_another_is_known_by_a_feature() -> None:
    linux = "x86_64-unknown-linux-gnu"
    found: dict[tuple[str, bool], str] = {}
    for cpu in ("rocketlake", "graniterapids", "znver5"):
        for tiles in (False, True):
            best = best_level(host_levels(linux, EVERYTHING | {"amx-tile": tiles}, cpu))
            assert best is not None
            found[cpu, tiles] = best.tune
    assert found["rocketlake", False] == "rocketlake"
    assert found["rocketlake", True] == "sapphirerapids"
    assert found["graniterapids", True] == "graniterapids"
    assert found["znver5", False] == "znver5"


def test_vectors_are_as_wide_as_pays_on_the_processor() -> None:
    @sb.kernel
    def total(x: sb.Array[sb.float32]) -> sb.float32:
        return sb.math.sum(x)

    assert total.fixed_types is not None
    unit = compile_kernel(total, total.fixed_types)
    module = link(unit)
    for tune, widths in (("sapphirerapids", {"512"}), ("rocketlake", set[str]()), ("", set[str]())):
        target = TARGETS["x86-64-v4"]._replace(tune=tune)
        text = emit_module(module, [unit.function.name], target).text
        assert set(re.findall(r'"prefer-vector-width"="(\d+)"', text)) == widths


def test_a_host_without_a_row_has_no_level() -> None:
    levels = host_levels("sparc64-unknown-netbsd", {})
    assert best_level(levels) is None
    assert {level.reason for level in levels} == {
        "this machine is sparc64", "only object code is made for it here",
    }  # fmt: skip


def test_each_level_requires_what_the_one_below_does() -> None:
    rows = [TARGETS[f"x86-64-v{n}"] for n in (1, 2, 3, 4)]
    for low, high in pairwise(rows):
        assert set(low.requires) < set(high.requires)
        assert (low.has_fma, low.has_round) <= (high.has_fma, high.has_round)
