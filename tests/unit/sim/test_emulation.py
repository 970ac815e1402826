"""Simulations on other machines: the same hashes, states and traps; what goes wrong is reported."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.folders import EXAMPLES, ROOT, SIMULATIONS
from tests.support.limits import HANG_SECONDS
from tests.support.machines.faulty_programs import NATIVE, SERVE, faulty
from tests.support.simulations.small_simulation import SMALL

from samebits.backend.emit.module import emit_module
from samebits.backend.llvm import engine
from samebits.backend.objects import CompiledObject
from samebits.backend.targets.host_levels import host_levels
from samebits.backend.targets.table import TARGETS, Target
from samebits.runtime.emulation.machines import EmulatedProgram, emulation_reason
from samebits.sim.emulation import EmulatedExecution
from samebits.sim.execution import Execution, NativeExecution
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation
from samebits.sim.sources import PlayerSource
from samebits.verify import verification as verify
from samebits.verify.executions import Row, all_rows, choose_rows
from samebits.verify.verification import Verification

EMULATED = [target for target in TARGETS.values() if not target.is_object_only]
V2_FEATURES = TARGETS["x86-64-v2"].requires


def emulated(simulation: Simulation, target: Target) -> EmulatedExecution:
    reason = emulation_reason(target)
    if reason is not None:
        pytest.skip(f"{target.name}: {reason}")
    return EmulatedExecution(simulation.program, simulation.program.emulated(target, 3))


def inputs_of(simulation: Simulation, players: str | None, frames: int) -> Any:
    source = PlayerSource(simulation, players, 1, frames)
    inputs = np.zeros((frames, simulation.players), simulation.input_type.dtype)
    for i, block in enumerate(source.blocks()):
        inputs[256 * i : 256 * i + len(block.inputs)] = block.inputs
    return inputs


def bits(execution: Execution, inputs: Any) -> tuple[Any, Any, bytes, int]:
    """Hashes, trap, state and its hash after a start and `inputs`."""
    execution.start(1)
    done = execution.advance(inputs)
    trap = done.trap and (done.trap.kind, done.trap.summary, str(done.trap.span))
    return done.hashes.tolist(), trap, execution.save(), execution.hash()


@pytest.fixture(scope="module")
def arena() -> Simulation:
    return load_simulation(str(EXAMPLES / "arena" / "arena.py"))


@pytest.fixture(scope="module")
def outer_planets() -> Simulation:
    return load_simulation(str(EXAMPLES / "outer_planets" / "outer_planets.py"))


@pytest.mark.parametrize("target", EMULATED, ids=lambda t: t.name)
def test_an_example_has_the_same_bits_on_every_target(
    target: Target, request: pytest.FixtureRequest
) -> None:
    """One of two in turn: `make verify` has both everywhere."""
    name = ("arena", "outer_planets")[EMULATED.index(target) % 2]
    simulation: Simulation = request.getfixturevalue(name)
    inputs = inputs_of(simulation, None, 300)
    execution = emulated(simulation, target)
    assert bits(execution, inputs) == bits(NATIVE.make(simulation), inputs)
    execution.close()


@pytest.mark.parametrize("target", EMULATED, ids=lambda t: t.name)
def test_traps_restored_states_and_random_inputs_have_the_same_bits(target: Target) -> None:
    execution, native = emulated(SMALL, target), NATIVE.make(SMALL)
    found = bits(execution, inputs_of(SMALL, "crash", 40))
    assert found == bits(native, inputs_of(SMALL, "crash", 40))
    assert (len(found[0]), found[1][0]) == (12, "index")
    inputs = inputs_of(SMALL, "push", 90)
    for one in (execution, native):
        one.start(7)
        one.advance(inputs[:30])
    state = execution.save()
    assert state == native.save()
    after = execution.advance(inputs[30:]).hashes.tolist()
    assert after == native.advance(inputs[30:]).hashes.tolist()
    execution.restore(state)
    assert execution.save() == state
    assert execution.advance(inputs[30:]).hashes.tolist() == after
    with pytest.raises(ValueError, match="bytes where"):
        execution.restore(state[:-1])
    execution.close()


def wasm_row(change: Any) -> Row:
    """The wasm32 row with its LLVM text put through `change`."""
    target = TARGETS["wasm32"]

    def make(simulation: Simulation) -> Execution:
        program = simulation.program
        entries = program.exported_entries
        made = emit_module(program.exported, entries, target)
        compiled = CompiledObject(engine.compile_text(change(made.text), target, 3), made.traps)
        return EmulatedExecution(program, EmulatedProgram(compiled, len(entries), target))

    return Row("wasm32-O3", "wasm32", "", make, emulated=True)


def verified(*rows: Row, frames: int = 60, **more: Any) -> Verification:
    done = Verification(SMALL, PlayerSource(SMALL, "push", 1, frames), rows, **more)
    done.run(lambda what, frames: None)
    return done


def test_a_wrong_operation_on_an_emulated_target_is_found_with_its_field() -> None:
    emulated(SMALL, TARGETS["wasm32"]).close()
    assert verified(NATIVE, wasm_row(lambda text: text)).same
    factor = f"0x{np.float64(np.float32(0.016)).view(np.uint64):016X}"
    other = f"0x{np.float64(np.nextafter(np.float32(0.016), np.float32(1))).view(np.uint64):016X}"

    def change(text: str) -> str:
        found, count = re.subn(factor, other, text, flags=re.IGNORECASE)
        assert count
        return found

    row = verified(NATIVE, wasm_row(change)).rows[1]
    assert (row.result, row.failure) == ("differs", None)
    assert row.divergence is not None
    assert row.divergence.field is not None
    assert re.fullmatch(r"bodies\[\d\]\.pos\.[xy]", row.divergence.field.path)


def test_crashing_hanging_and_lying_programs_are_failed_rows(tmp_path: Path) -> None:
    rows = [
        faulty(tmp_path, "crash", "os.kill(os.getpid(), signal.SIGSEGV)"),
        faulty(tmp_path, "hang", "signal.pause()"),
        faulty(tmp_path, "nonsense", "print('hello, world, here I am', flush=True)"),
        faulty(
            tmp_path,
            "status",
            SERVE.format(call="get.read(8 * b); reply(99); put.write(bytes(8 * b)); put.flush()"),
        ),
        faulty(tmp_path, "late", SERVE.format(call="signal.pause()")),
    ]
    done = verified(NATIVE, *rows)
    assert [row.result for row in done.rows] == ["not compared"] + ["failed"] * 5
    assert not done.same
    assert [row.failure for row in done.rows[1:3]] == [
        "the program crashed with SIGSEGV",
        "the program hung: no answer within 1.5 s",
    ]
    assert str(done.rows[3].failure).startswith("the program answered nonsense: b'hello, world")
    assert done.rows[0].frames == 60


def test_a_program_that_crashes_in_a_frame_keeps_what_it_had_shown() -> None:
    class Dying(EmulatedExecution):
        def advance(self, inputs: Any) -> Any:
            if self.frames >= 20:
                self.close()
            self.frames += len(inputs)
            return super().advance(inputs)

    def make(simulation: Simulation) -> Execution:
        made = emulated(simulation, TARGETS["wasm32"])
        made.__class__ = Dying
        made.frames = 0  # type: ignore[attr-defined]
        return made

    row = verified(NATIVE, Row("dying", "dying", "", make, emulated=True)).rows[1]
    assert (row.result, row.failure) == ("failed", "the program crashed with SIGKILL")
    assert 20 <= row.frames < 60


def test_emulated_rows_stop_at_a_stated_prefix_unless_told_to_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    emulated(SMALL, TARGETS["wasm32"]).close()
    monkeypatch.setattr(verify, "EMULATED_FRAMES", 300)
    row = wasm_row(lambda text: text)
    shown: list[tuple[str, int]] = []
    done = Verification(SMALL, PlayerSource(SMALL, "push", 1, 600), (NATIVE, row))
    done.show_row = lambda name, frames: shown.append((name, frames))
    done.run(lambda what, frames: None)
    assert [(r.frames, r.prefix, r.result) for r in done.rows] == [
        (600, False, "same"),
        (300, True, "same"),
    ]
    assert shown[-1] == ("wasm32-O3", 300)
    assert [r.frames for r in verified(NATIVE, row, frames=600, whole=True).rows] == [600, 600]
    assert not verified(NATIVE, row, frames=300).rows[1].prefix


def test_wasm_is_verified_by_default_and_object_code_never_is() -> None:
    names = {row.name for row in choose_rows(all_rows())}
    assert {"wasm32-O3", "wasm32-simd-O3", "s390x-O3", "ppc64-O3"} <= names
    assert not any(
        row.group in ("aarch64-ios", "x86_64-windows") for row in choose_rows(all_rows())
    )


INTERRUPTED = """
import sys
sys.path[:0] = {path!r}
from pathlib import Path
from tests.support.machines.faulty_programs import SERVE, NATIVE, faulty
from samebits.cli import main
from samebits.cli import verify as command
row = faulty(Path({tmp!r}), {name!r}, "import pathlib\\n" + SERVE.format(
    call="pathlib.Path({tmp!r}, 'called').touch(); signal.pause()"))
import samebits.sim.emulation as emulation
row.make.__globals__["EmulatedExecution"] = lambda program, emulated, limit: (
    emulation.EmulatedExecution(program, emulated, {limit}))
command.targets.all_rows = lambda: (NATIVE, row)
main(["verify", {small!r}, "--frames", "30"])
"""


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_everything_and_says_what_was_done(by: signal.Signals, tmp_path: Path) -> None:
    name = f"hang{os.getpid()}"
    code = INTERRUPTED.format(
        path=[str(ROOT)],
        tmp=str(tmp_path),
        name=name,
        limit=HANG_SECONDS,
        small=str(SIMULATIONS / "small_simulation.py"),
    )
    command = [sys.executable, "-c", code]
    folders = tmp_path / "folders"
    folders.mkdir()
    made: list[str] = []
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folders)},
    ) as process:
        try:
            while not (tmp_path / "called").exists() and process.poll() is None:
                time.sleep(0.05)
            made += [path.name for path in folders.glob("samebits-*")]
            process.send_signal(by)
            out, err = process.communicate(timeout=HANG_SECONDS)
        finally:
            process.kill()
    word, status = ("interrupted", 130) if by == signal.SIGINT else ("terminated", 143)
    assert process.returncode == status, err
    assert f"{word}: 0 frames compared" in err
    assert made
    assert not list(folders.glob("samebits-*"))
    assert NATIVE.name in out
    assert "failed" not in out  # none that was ended did
    left = [
        path
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if f"{name}.py".encode() in _content(path)
    ]
    assert left == []


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_native_rows_are_not_emulated() -> None:
    assert isinstance(NATIVE.make(SMALL), NativeExecution)


def test_levels_above_this_processor_run_under_qemu_where_it_knows_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    levels = host_levels("x86_64-unknown-linux-gnu", {name: True for name in V2_FEATURES})
    monkeypatch.setattr(engine, "available_targets", lambda: levels)
    rows = {row.name: row for row in all_rows()}
    assert not rows["x86-64-v2-O3"].emulated
    assert "x86-64-v3-O0" not in rows
    assert (rows["x86-64-v3-O3"].emulated, rows["x86-64-v4-O3"].emulated) == (True, True)
    assert rows["x86-64-v3-O3"].what == "compiled, optimised, under qemu-x86_64"
    reason = str(rows["x86-64-v4-O3"].reason)
    assert reason.startswith("this processor lacks avx, avx2, ")
    if emulation_reason(TARGETS["x86-64-v3"]) is None:
        assert rows["x86-64-v3-O3"].reason is None
        assert reason.endswith("; qemu-x86_64 does not know AVX512")
