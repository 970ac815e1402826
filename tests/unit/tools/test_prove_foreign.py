"""Foreign builds: the C is the source, the truth is had by running, wrong answers show."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools.prove_diagnose.foreign import evidence, judge, report, truth
from tools.prove_diagnose.foreign.binary import Workshop
from tools.prove_diagnose.foreign.c.operations import Unsupported, constant
from tools.prove_diagnose.foreign.c.style import EXACT, Style
from tools.prove_diagnose.foreign.case import OWN, SUBJECTS, Case, draw
from tools.prove_diagnose.foreign.compilers import BUILDS, COMPILERS, missing
from tools.prove_diagnose.foreign.judge import Limits, Verdict
from tools.prove_diagnose.foreign.port import port
from tools.prove_diagnose.foreign.truth import Truth
from tools.prove_diagnose.subjects import ROOT

from samebits.export.inputs_file import export_inputs
from samebits.sim.session import Session
from samebits.types import FLOAT32, FLOAT64

GCC = COMPILERS["gcc"]
needs_gcc = pytest.mark.skipif(bool(missing("gcc")), reason="gcc is not installed")
CASE = Case(0, "decay", "pour", 3, 40, "gcc -O3 fma", "one file", "list")


def shop_of(name: str, folder: Path) -> Workshop:
    return Workshop(SUBJECTS[name].simulation(), folder)


def test_a_case_comes_again_by_its_number() -> None:
    assert draw(7, 1, 0) == draw(7, 1, 0)
    assert draw(7, 1, 0) != draw(8, 1, 0)


def test_each_build_and_each_form_of_evidence_comes_in_turn() -> None:
    drawn = [draw(n, 1, 0) for n in range(4 * len(BUILDS))]
    assert {case.build for case in drawn} == {*BUILDS}
    assert len({case.form for case in drawn}) == 4
    assert len({case.subject for case in drawn}) == len(SUBJECTS)


def test_each_hazard_of_a_build_is_one_that_the_reference_names() -> None:
    page = (ROOT / "docs/reference/hazards.md").read_text()
    named = {*re.findall(r"^\| ([\w-]+) \|", page, re.MULTILINE)}
    for build in BUILDS.values():
        assert {*build.hazards} <= named, build.name
        assert all({*hazards} <= named for hazards, _ in build.narrower)
        assert bool(build.hazards) != build.control


@pytest.mark.parametrize(
    ("style", "number", "text"),
    [
        (EXACT, 0.1, "0.1f"),
        (Style(constants="bare"), 0.1, "0.1"),
        (Style(constants="hex"), 0.5, "0x1.0000000000000p-1f"),
        (Style(doubles=True), 0.5, "0.5"),
        (EXACT, -2.0, "(-2.0f)"),
    ],
)
def test_a_constant_is_written_by_habit(style: Style, number: float, text: str) -> None:
    assert constant(FLOAT32, float(np.float32(number)), style) == text
    assert constant(FLOAT64, 0.1, EXACT) == "0.1"


@needs_gcc
@pytest.mark.parametrize("style", [EXACT, Style(constants="hex"), Style(temporaries=True)])
def test_the_c_of_a_simulation_gives_its_bits(style: Style, tmp_path: Path) -> None:
    shop = shop_of("decay", tmp_path)
    seed, inputs = CASE.given()
    whole = shop.whole(GCC, GCC.strict, style)
    assert shop.states(whole, seed, inputs) == judge.strict_states(shop, CASE)


@pytest.mark.parametrize("style", sorted({b.style for b in BUILDS.values()}, key=str), ids=str)
def test_statements_are_the_same_functions_in_every_habit(style: Style, tmp_path: Path) -> None:
    shop = shop_of("particles", tmp_path)
    exact = shop.program(EXACT, True).statements
    other = shop.program(replace(style, temporaries=False), True).statements
    assert [s.prototype for s in other] == [s.prototype for s in exact]
    assert any("_sin)(" in s.text for s in exact)


@needs_gcc
def test_the_statement_that_a_build_rounds_otherwise_is_found(tmp_path: Path) -> None:
    shop = shop_of("decay", tmp_path)
    seed, inputs = CASE.given()
    strict = judge.strict_states(shop, CASE)
    build = BUILDS["gcc reciprocal"]
    found = truth.known(shop, build, "one file", seed, inputs, strict)
    lines = OWN["decay"].path.read_text().splitlines()
    assert found.frame is not None
    assert found.causes == {"reciprocal"}
    assert found.lines
    assert all("/" in lines[n - 1] for n in found.lines)
    assert found.functions <= {"decay.drain", "decay.step"}


@needs_gcc
@pytest.mark.parametrize("layout", ["one file", "separate files"])
def test_what_init_leaves_is_the_same_where_it_is_loaded(layout: str, tmp_path: Path) -> None:
    case = replace(CASE, subject="lights", inputs="tilt")
    shop = shop_of("lights", tmp_path)
    seed, inputs = case.given()
    strict = judge.strict_states(shop, case)
    frames = [
        truth.known(shop, BUILDS["gcc -O3 fma"], layout, seed, inputs, strict, loaded).frame
        for loaded in (False, True)
    ]
    assert frames[0] == -1
    assert frames[1] is not None
    assert frames[1] >= 0


@needs_gcc
def test_a_build_that_keeps_the_bits_differs_nowhere(tmp_path: Path) -> None:
    shop = shop_of("decay", tmp_path)
    seed, inputs = CASE.given()
    strict = judge.strict_states(shop, CASE)
    found = truth.known(shop, BUILDS["gcc -O2 off"], "one file", seed, inputs, strict)
    assert found.frame is None


@needs_gcc
def test_a_port_that_is_not_the_source_is_no_case(tmp_path: Path) -> None:
    shop = shop_of("decay", tmp_path)
    seed, inputs = CASE.given()
    strict = [bytes(len(s)) for s in judge.strict_states(shop, CASE)]
    with pytest.raises(truth.Different):
        truth.known(shop, BUILDS["gcc -O2 off"], "one file", seed, inputs, strict)


@pytest.mark.parametrize(
    ("needed", "sets"),
    [
        ([{"b"}], [["b"]]),
        ([{"a"}, {"c"}], [["a"], ["c"]]),
        ([{"a", "c"}], [["a", "c"]]),
        ([{"a", "b"}, {"b", "c"}], [["b", "c"], ["a", "b"]]),
        ([{"z"}], []),
    ],
)
def test_the_smallest_sets_are_found(needed: list[set[str]], sets: list[list[str]]) -> None:
    found = truth.smallest(["a", "b", "c"], lambda some: any(n <= {*some} for n in needed))
    assert found == sets


TRUTH = Truth(
    5, ("a.x", "a.y"), [], frozenset({"game.move"}), frozenset({12}), frozenset({"fma"}), ""
)


def answer(**changes: Any) -> dict[str, Any]:
    place = {"file": "game.py", "line": 12, "function": "move"}
    found: dict[str, Any] = {
        "answer": "frame 5", "frame": 5, "same": False, "certainty": "certain", "differing": 2,
        "fields": [{"path": "a.x"}, {"path": "a.y"}], "operation": {"place": place}, "notes": [],
        "causes": [{"hazard": "fma", "frames_same": 9}],
    }  # fmt: skip
    return {**found, **changes}


def verdict_on(found: dict[str, Any], status: int = 1, known: Truth = TRUTH) -> Verdict:
    verdict = Verdict(0, "game", "gcc", "list")
    judge.compare(verdict, found, status, known)
    return verdict


def test_what_is_right_is_right() -> None:
    assert verdict_on(answer()).right
    assert not verdict_on(answer()).falsely_certain


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"frame": 6}, "frame"),
        ({"causes": [{"hazard": "libm", "frames_same": 9}]}, "cause"),
        ({"operation": {"place": {"line": 13, "function": "move"}}}, "line"),
    ],
)
def test_what_is_wrong_and_certain_shows(changes: dict[str, Any], wrong: str) -> None:
    verdict = verdict_on(answer(**changes))
    assert getattr(verdict, wrong) is False
    assert verdict.falsely_certain
    assert not report.kept([verdict])
    assert not verdict_on(answer(**changes, certainty="likely")).falsely_certain


def test_a_list_has_no_hash_of_what_init_leaves() -> None:
    known = replace(TRUTH, frame=-1, later=("a.x",))
    given = answer(frame=0, differing=1, fields=[{"path": "a.x"}])
    verdict = verdict_on(given, known=known)
    assert (verdict.frame, verdict.fields, verdict.line) == (True, True, None)
    other = Verdict(0, "game", "gcc", "hashes")
    judge.compare(other, given, 1, known)
    assert other.frame is False


def test_fields_count() -> None:
    assert verdict_on(answer(differing=3)).fields is False


def test_one_of_several_causes_that_fit_as_well_is_right_if_none_is_certain() -> None:
    causes = [{"hazard": h, "frames_same": 9} for h in ("double-rounding", "fma")]
    assert verdict_on(answer(causes=causes, certainty="likely")).cause
    assert verdict_on(answer(causes=causes)).falsely_certain


def test_a_cause_that_no_evidence_could_tell_apart_is_not_judged_unless_certain() -> None:
    known = replace(TRUTH, causes=frozenset({"x87"}), fits="fma".__eq__)
    assert verdict_on(answer(certainty="likely"), known=known).cause is None
    assert verdict_on(answer(), known=known).falsely_certain
    other = replace(known, fits="".__eq__)
    assert verdict_on(answer(certainty="likely"), known=other).cause is False


@needs_gcc
def test_builds_that_leave_the_same_states_at_a_place_are_told(tmp_path: Path) -> None:
    shop = shop_of("decay", tmp_path)
    seed, inputs = CASE.given()
    strict = judge.strict_states(shop, CASE)
    found = truth.known(shop, BUILDS["clang on"], "some files", seed, inputs, strict)
    assert found.frame is not None
    assert found.fits("fma")
    assert not found.fits("reciprocal")


def test_a_line_that_could_not_be_known_is_not_judged() -> None:
    known = replace(TRUTH, functions=frozenset(), lines=frozenset())
    assert verdict_on(answer(), known=known).line is None
    only = replace(TRUTH, lines=frozenset())
    assert verdict_on(answer(), known=only).line


def test_where_nothing_differs_a_difference_is_wrong() -> None:
    known = replace(TRUTH, frame=None)
    assert verdict_on(answer(same=True, frame=None, certainty=""), 0, known).right
    assert verdict_on(answer(), 1, known).falsely_certain


@needs_gcc
@pytest.mark.parametrize("form", evidence.FORMS)
def test_a_case_is_diagnosed_and_judged(form: str, tmp_path: Path) -> None:
    limits = Limits(("gcc -O2 off",), ("decay",), (form,), tmp_path)
    verdict = judge.tried(0, 1, limits)
    assert verdict is not None
    assert verdict.failure == ""
    assert verdict.right
    assert verdict.command.startswith("samebits diagnose tools/prove_diagnose/foreign/simulations/")


@needs_gcc
def test_a_port_prints_the_hashes_of_a_session_and_dumps_its_state(tmp_path: Path) -> None:
    simulation = SUBJECTS["arena"].simulation()
    replay = ROOT / "examples/arena/replays/duel.mcap"
    export_inputs(replay, tmp_path / "inputs.bin", 20)
    game, math = port(simulation, tmp_path)
    flags = ("-O2", "-ffp-contract=off", "-fwrapv", "-fno-strict-aliasing")
    built = ["gcc", *flags, str(game), str(math), "-lm", "-o", str(tmp_path / "arena")]
    subprocess.run(built, check=True)
    played = subprocess.run(
        ["./arena", "inputs.bin", "9", "state.bin"],
        cwd=tmp_path, check=True, capture_output=True, text=True,
    )  # fmt: skip
    source = SUBJECTS["arena"].source("duel.mcap", 0, 20)
    session = Session(simulation, source.seed)
    expected = [f"init {session.hash():016x}"]
    inputs = np.concatenate([block.inputs for block in source.blocks()])
    hashes = [*session.run(inputs[:10])]
    assert (tmp_path / "state.bin").read_bytes() == session.canonical_state()
    hashes += [*session.run(inputs[10:])]
    expected += [f"{frame} {hash:016x}" for frame, hash in enumerate(hashes)]
    assert played.stdout.splitlines() == expected


def test_a_state_with_gaps_has_no_port(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="has gaps"):
        port(SUBJECTS["pinball"].simulation(), tmp_path)
