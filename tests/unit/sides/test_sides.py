"""A side is what its words say, runs as they say, and words that don't go together are refused."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.support.runs.observed_frames import ARENA
from tests.support.runs.small_runs import SMALL, SWARM, changed_source, hashes, inputs, side
from tests.support.shared_ranges import ranges_shared

from samebits.backend.llvm import engine
from samebits.backend.targets.table import TARGETS
from samebits.errors import SamebitsError, SideError, TargetError
from samebits.ir.grammar import Op, walk
from samebits.ir.interp.evaluator import Evaluator
from samebits.modes import FAST, LOW
from samebits.runtime.emulation.machines import emulation_reason
from samebits.runtime.threads import pool, team
from samebits.sides.other_source import folder_of
from samebits.sides.run import open_run
from samebits.sides.side import parse_side
from samebits.sides.words import described_words, read_words
from samebits.sim.inputs import Inputs
from samebits.sim.sources import PlayerSource

HOST = engine.host_target()
FRAMES = 20


def told(text: str) -> dict[str, Any]:
    found = read_words(text)
    facts = {
        "kind": found.kind, "target": found.target and found.target.name, "opt": found.opt,
        "workers": found.workers, "environment": found.environment, "source": found.source,
        "hazards": found.hazards, "start": found.start, **found.options,
    }  # fmt: skip
    return {name: value for name, value in facts.items() if value not in (None, ())}


def test_words_are_read() -> None:
    native = {"kind": "native", "target": HOST.name, "opt": 3}
    assert told("") == told(" ") == native
    assert told("managed") == {"kind": "managed", "opt": 3}
    assert told(f"{HOST.name}-O0") == told(f"opt=0, {HOST.name}") == {**native, "opt": 0}
    assert told("contract,mode=DETERMINISTIC")["contract"] is True
    assert told("contract=off")["contract"] is False
    assert told("mode=FAST,precision=LOW") == {**native, "mode": FAST, "precision": LOW}
    assert told("workers=3,source=other/game.py:G") == {
        **native, "workers": 3, "source": "other/game.py:G",
    }  # fmt: skip
    assert told("hazard=fma@game.py:131:20#0,hazard=flush,from=1200") == {
        **native, "hazards": ("fma@game.py:131:20#0", "flush"), "start": 1200,
    }  # fmt: skip
    assert told("fpenv=up") == {**native, "environment": ("up",)}


REFUSED = {
    "manged": "'manged' does not name an execution or an option",
    "x86-64-v3-O2": "'x86-64-v3-O2' does not name an execution or an option",
    "speed=fast": "'speed=fast' does not name an execution or an option",
    "managed,evaluate": "'managed,evaluate' names two executions: managed and evaluate",
    "managed,": "'managed,' has an empty word",
    "opt=0,opt=3": "'opt=0,opt=3' gives opt= twice",
    f"{HOST.name}-O0,opt=3": f"'{HOST.name}-O0,opt=3' gives two optimisation levels",
    "opt=1": "opt= takes 0 or 3, not '1'",
    "mode=fast": "mode= takes STRICT or DETERMINISTIC or FAST, not 'fast'",
    "workers=0": "workers= takes a whole number from 1 to 1,024, not '0'",
    "workers=٣": "workers= takes a whole number from 1 to 1,024, not '٣'",
    "fpenv=ftz+odd": "fpenv= takes flush, ftz, daz, up, down, toward-zero, joined by + ('odd' is "
    "unknown), not 'ftz+odd'",
    "managed,precision=LOW": "precision= does not apply to managed",
    "evaluate,opt=0": "opt= does not apply to evaluate",
    "wasm32,workers=2": "workers= does not apply to wasm32",
    "from=12": "from= needs a hazard= or an fpenv= that acts from that frame on",
    "source=": "source= takes text, not ''",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_side_is_refused(text: str) -> None:
    with pytest.raises(SamebitsError) as caught:
        read_words(text)
    assert caught.value.message == REFUSED[text]


def test_the_error_lists_what_there_is() -> None:
    with pytest.raises(SideError) as caught:
        read_words("x87")
    assert caught.value.note is not None
    names = [name for name, row in TARGETS.items() if not row.is_object_only]
    for word in (*names, "managed", "evaluate", "precision=HIGH|MEDIUM|LOW", "contract"):
        assert word in caught.value.note
    assert "fpenv=WORD[+WORD]" in {name for name, _ in described_words()}


def test_a_target_that_cannot_run_here_says_why() -> None:
    with pytest.raises(TargetError) as caught:
        read_words("aarch64-macos")
    assert caught.value.message == (
        "target 'aarch64-macos' cannot run here: only object code is made for it here"
    )


@pytest.mark.parametrize(
    "text", [f"{HOST.name}-O0", "evaluate", "managed", "mode=DETERMINISTIC,evaluate",
             "precision=MEDIUM", "denormals=keep", "optimize_for=size", "workers=2"],
)  # fmt: skip
def test_what_changes_no_bits_gives_the_same_hashes(text: str) -> None:
    assert hashes(text, FRAMES) == hashes("", FRAMES)


def arena_after(text: str, frames: int = 1) -> int:
    running = open_run(parse_side(text, ARENA))
    try:
        running.start(1)
        running.advance(next(iter(PlayerSource(ARENA, None, 1, frames).blocks())).inputs)
        return running.hash()
    finally:
        running.close()


def test_options_are_those_of_every_kernel_of_its_own() -> None:
    plain = arena_after("opt=0")
    for option in ("precision=LOW", "mode=DETERMINISTIC,contract"):
        assert plain != arena_after(f"{option},opt=0") == arena_after(f"{option},evaluate")
    functions = parse_side("mode=FAST", ARENA).program.kernels.functions
    modes = {name: f.options.mode is FAST for name, f in functions.items()}
    assert modes["arena.bounce"]
    assert not any(fast for name, fast in modes.items() if name.startswith("samebits."))
    if HOST.has_fma:
        assert arena_after("mode=FAST,opt=0") != plain


def test_every_target_has_the_environment_that_its_words_say() -> None:
    words = ("up", "down", "toward-zero")
    expected = {word: hashes(f"fpenv={word}", 30) for word in words}
    assert len({tuple(value) for value in expected.values()}) == 3
    assert hashes("", 30) not in expected.values()
    for name, word in zip(("aarch64", "riscv64", "s390x"), words, strict=True):
        if emulation_reason(TARGETS[name]) is None:
            assert hashes(f"{name},fpenv={word}", 30) == expected[word], name


def test_a_model_is_there_where_its_evaluation_gives_the_bits() -> None:
    for text in ("opt=0", "precision=LOW,opt=0", "managed"):
        chosen = parse_side(text, ARENA)
        model = chosen.model(0)
        assert model is not None
        running = open_run(chosen)
        running.start(1)
        rows = PlayerSource(ARENA, None, 1, 1).blocks()
        given: Inputs = next(iter(rows)).inputs
        state = running.execution.memory.copy()
        running.advance(given)
        Evaluator(model.module).run(model.step, [state, given[0]])
        assert state.tobytes() == running.execution.memory.tobytes(), text
    assert parse_side("mode=FAST", ARENA).model(0) is None
    late = parse_side("fpenv=flush,from=5", ARENA)
    assert [late.model(frame) is None for frame in (-1, 4, 5)] == [False, False, True]
    upward = parse_side("fpenv=up,from=5", ARENA)
    models = [upward.model(frame) for frame in (4, 5)]
    assert [model and model.environment for model in models] == [(), ("up",)]


def test_the_managed_model_leaves_out_what_modes_rewrite(tmp_path: Path) -> None:
    contracted = "@sb.kernel(mode=sb.DETERMINISTIC, contract=True)\ndef step"
    path = changed_source(tmp_path, ("@sb.kernel\ndef step", contracted))
    managed, evaluated = (f"{kind},source={path}" for kind in ("managed", "evaluate"))
    assert hashes(managed, FRAMES) == hashes("", FRAMES) != hashes(evaluated, FRAMES)
    fused: dict[str, bool] = {}
    for text in (managed, evaluated):
        model = parse_side(text, SMALL).model(0)
        assert model is not None
        step = model.module.functions[model.step]
        fused[text] = any(isinstance(op, Op) and op.opcode == "fma" for op in walk(step.body))
    assert fused == {managed: False, evaluated: True}


def test_an_environment_acts_from_its_frame_on() -> None:
    plain, all_along = hashes("", FRAMES), hashes("fpenv=up", FRAMES)
    late = hashes("fpenv=up,from=7", FRAMES)
    assert late[:7] == plain[:7]
    assert all(a != b for a, b in zip(late[7:], plain[7:], strict=True))
    assert late != all_along
    assert hashes("fpenv=up,from=0", FRAMES)[0] != plain[0]
    assert hashes("fpenv=up,from=1000", FRAMES) == plain


def test_a_run_goes_back_to_where_it_was() -> None:
    running = side("fpenv=up,from=7")
    running.start(1)
    rows = inputs(FRAMES).between(0, FRAMES)
    running.advance(rows[:5])
    kept = running.snapshot()
    first = running.advance(rows[5:]).hashes.tolist()
    running.restore(kept)
    assert (running.frame, running.advance(rows[5:]).hashes.tolist()) == (5, first)
    running.restore_canonical(5, kept.canonical)
    assert running.advance(rows[5:]).hashes.tolist() == first


def test_workers_are_a_side_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    made = team._team()
    assemble = made._assemble

    def noted(lines: object, count: int, ready: int) -> None:
        seen.append(count)
        assemble(lines, count, ready)

    monkeypatch.setattr(made, "_assemble", noted)
    shared = ranges_shared()
    before = pool.workers()
    running = open_run(parse_side("workers=3", SWARM))
    running.start(1)
    for block in PlayerSource(SWARM, "pull", 1, 2).blocks():
        running.advance(block.inputs)
    assert set(seen) == {0, 2}  # besides the thread that asks; none in between
    assert ranges_shared() > shared
    assert pool.workers() == before


def test_another_version_runs_beside_the_first(tmp_path: Path) -> None:
    path = changed_source(tmp_path / "a", ("* 0.999", "* 0.998"))
    same = changed_source(tmp_path / "b", ("frame * 0.01", "frame * 0.02"))
    modules = dict(sys.modules)
    assert hashes(f"source={path}", FRAMES) != hashes("", FRAMES)
    assert hashes(f"source={same}:SMALL", FRAMES) == hashes(f"managed,source={same}", FRAMES)
    assert hashes(f"source={same}", FRAMES) == hashes("", FRAMES)
    assert all(sys.modules[name] is module for name, module in modules.items())


def test_a_version_has_its_own_helpers(tmp_path: Path) -> None:
    for name, factor in (("one", "0.999"), ("two", "0.5")):
        path = changed_source(
            tmp_path / name,
            ("* 0.999", "* drag.FACTOR"),
            ("import samebits as sb\n", "import samebits as sb\nimport drag\n"),
        )
        path.with_name("drag.py").write_text(f"FACTOR = {factor}\n")
    one, two = (
        parse_side(f"source={tmp_path / name / path.name}", SMALL) for name in ("one", "two")
    )
    found: list[int] = []
    for version in (one, two):
        running = open_run(version)
        running.start(1)
        running.advance(inputs(3).between(0, 3))
        found.append(running.hash())
    assert found[0] == hashes("", 3)[-1] != found[1]


def test_a_module_is_in_the_folder_that_its_links_lead_to(tmp_path: Path) -> None:
    source, links = tmp_path / "source", tmp_path / "links"
    (source / "package").mkdir(parents=True)
    (source / "package" / "__init__.py").touch()
    (source / "drag.py").touch()
    links.symlink_to(source)
    (tmp_path / "pull.py").symlink_to(source / "drag.py")
    folders: dict[str, str | None] = {}
    for file in ("links/drag.py", "links/package/__init__.py", "pull.py", "gone.py"):
        module = ModuleType("drag")
        module.__file__ = str(tmp_path / file)
        folders[file] = folder_of(module, os.path.realpath)
    inside = ["links/drag.py", "links/package/__init__.py", "pull.py"]
    assert folders == {**dict.fromkeys(inside, str(source)), "gone.py": str(tmp_path)}
    assert folder_of(ModuleType("built_in"), os.path.realpath) is None


UNLIKE = "the {} of {{}} has another layout than that of 'small': {}"
LAYOUTS = {
    "charge: int16": (
        "charge: uint32",
        UNLIKE.format("state", "state.bodies[].charge is uint32, not int16"),
    ),
    "    push: float32\n": (
        "    shove: float32\n    push: float32\n",
        UNLIKE.format("input", "input.push is called shove"),
    ),
    "players=2": ("players=1", "{} is for 1 players, and 'small' for 2"),
}


@pytest.mark.parametrize("old", LAYOUTS)
def test_a_version_of_another_layout_is_refused(tmp_path: Path, old: str) -> None:
    new, message = LAYOUTS[old]
    path = changed_source(tmp_path, (old, new))
    with pytest.raises(SideError) as caught:
        parse_side(f"source={path}", SMALL)
    assert caught.value.message == message.format(path)
