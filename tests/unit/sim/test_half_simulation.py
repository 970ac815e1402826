"""A simulation that keeps halves is verified, saved, reported and exported like any other."""

import ctypes
import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from tests.support.folders import SIMULATIONS
from tests.support.limits import HANG_SECONDS
from tests.support.runs.exported import host_folder, made, needs_zig
from tests.support.simulations.half_simulation import SIMULATION, State

import samebits as sb
from samebits.bits import canonical_size, from_canonical, to_canonical, xxh64
from samebits.diagnosis.driver import diagnose
from samebits.diagnosis.frame.state_diff import differences
from samebits.export.header import header_text
from samebits.export.interface import interface_of
from samebits.ir.grammar import Module
from samebits.ir.interp.evaluator import evaluate
from samebits.ir.verify import verify
from samebits.sides.side import parse_side
from samebits.sim.players import player
from samebits.sim.sources import PlayerSource
from samebits.sim.state import schema
from samebits.sim.state.difference import first_difference
from samebits.sim.state.hashing import word_type
from samebits.sim.state.unpacking import UNPACK, unpack_function
from samebits.verify.executions import all_rows, choose_rows
from samebits.verify.verification import Verification

T = State.__sb_type__
HALVES = [path for path, t, _ in sb.bits.leaves(T) if t.name == "float16"]
NODE = shutil.which("node")


def inputs_of(name, frames):
    return player(SIMULATION, name, 1)(0, frames)


@pytest.mark.parametrize("name", ["pushed", "random"])
def test_every_execution_has_the_same_hashes(name):
    wanted = ("managed", "evaluate", "x86-64", "aarch64", "s390x", "wasm32")
    rows = tuple(row for row in choose_rows(all_rows()) if row.name.startswith(wanted))
    verification = Verification(SIMULATION, PlayerSource(SIMULATION, name, 1, 40), rows)
    verification.run(lambda what, frames: None)
    assert verification.same


def test_schemas_keep_the_type():
    text = schema.to_json(T)
    assert ["height", "float16"] in text["fields"]
    assert ["drift", "half3"] in text["fields"]
    assert schema.from_json(text, 1 << 20).fields == T.fields


def test_a_difference_is_reported_in_numbers():
    a = np.zeros(1, T.dtype)
    b = a.copy()
    a["height"], b["height"] = 0.1, np.nextafter(np.float16(0.1), np.float16(1))
    found = first_difference(T, to_canonical(T, a), to_canonical(T, b))
    assert (found.path, found.type, found.expected, found.found) == (
        "height", "float16", "0.1", "0.10004",
    )  # fmt: skip
    assert (found.expected_bits, found.found_bits, found.ulps) == ("0x2e66", "0x2e67", 1)
    b["height"] = np.nan
    b["sparks"]["heat"][0, 2] = -3.0
    fields = differences(T, to_canonical(T, a), to_canonical(T, b)).first
    assert [(f.path, f.b.text, f.ulps) for f in fields] == [
        ("height", "nan", None), ("sparks[2].heat", "-3.0", 0x4200 + 1),
    ]  # fmt: skip


def test_a_diagnosis_names_the_field_and_its_numbers(tmp_path):
    source = (SIMULATIONS / "half_simulation.py").read_text()
    assert source.count("float32(0.75)") == 1
    other = tmp_path / "half_simulation.py"
    other.write_text(source.replace("float32(0.75)", "float32(0.7501)"))
    found = diagnose(
        SIMULATION, PlayerSource(SIMULATION, "pushed", 1, 40),
        parse_side("", SIMULATION), parse_side(f"source={other}", SIMULATION),
    )  # fmt: skip
    (field,) = found.fields
    assert (field.path, field.a.type, field.ulps) == ("height", "float16", 1)
    assert (field.a.bits, field.a.text, field.b.text) == ("0x3e74", "1.613", "1.614")


def hostile():
    """A state in which every half is a NaN that is not the canonical one."""
    memory = np.zeros(1, T.dtype)
    memory["height"].view(np.uint16)[:] = 0xFC01
    memory["field"].view(np.uint16)[:] = 0x7C01
    memory["drift"].view(np.uint16)[:] = 0xFFFF
    return memory


def test_a_session_goes_on_from_what_it_saved_and_hashes_canonical_nans():
    inputs = inputs_of("pushed", 40)
    session = SIMULATION.start(1)
    session.run(inputs[:20])
    blob = session.save()
    after = session.run(inputs[20:])
    again = SIMULATION.start(2)
    again.restore(blob)
    assert again.run(inputs[20:]).tolist() == after.tolist()
    session.state.memory.reshape(1)[:] = hostile()
    expected = to_canonical(T, hostile())
    assert b"\x00\x7e" * 24 in expected
    assert session.canonical_state() == expected
    assert session.hash() == xxh64(expected)


def test_bytes_of_another_machine_are_unpacked_with_one_nan():
    function = unpack_function(T)
    module = Module({function.name: function})
    verify(module)
    data = b"\xff" * canonical_size(T)
    memory = np.zeros(1, T.dtype)
    evaluate(module, UNPACK, [memory, np.frombuffer(data, word_type(T).dtype).copy()])
    assert memory.tobytes() == from_canonical(T, data).tobytes()
    assert memory["drift"].tobytes() == b"\x00\x7e" * 3


def test_the_c_header_and_the_views_say_what_the_words_are():
    text = header_text(interface_of(SIMULATION), ())
    assert "uint16_t height; /* at 0, the bits of a binary16 */" in text
    assert "halves_half3 drift; /* at 120, the bits of a binary16 */" in text
    assert "uint16_t field[4][6]; /* at 58, the bits of a binary16 */" in text


def at(array):
    return ctypes.c_void_p(array.ctypes.data)


@needs_zig
@pytest.mark.skipif(sys.platform != "linux", reason="file names are those of Linux")
def test_an_exported_library_has_the_hashes_and_makes_nans_canonical(tmp_path):
    folder = made(SIMULATION, tmp_path)
    lib = ctypes.CDLL(str(host_folder(folder) / "libhalves.so"))
    lib.halves_hash.restype = ctypes.c_uint64
    state, scratch = np.zeros(1, T.dtype), np.zeros(1 << 16, np.uint8)
    inputs, hashes, done = inputs_of("pushed", 40), np.zeros(40, np.uint64), ctypes.c_size_t()
    assert lib.halves_init(at(state), ctypes.c_uint64(1)) == 0
    count = ctypes.c_size_t(40)
    assert (
        lib.halves_run(at(state), at(inputs), count, at(hashes), ctypes.byref(done), at(scratch))
        == 0
    )
    assert hashes.tolist() == SIMULATION.start(1).run(inputs).tolist()
    state = hostile()
    expected = to_canonical(T, state)
    saved = np.zeros(canonical_size(T), np.uint8)
    lib.halves_save(at(state), at(saved))
    assert saved.tobytes() == expected
    assert lib.halves_hash(at(state), at(scratch)) == xxh64(expected)
    noise = np.random.default_rng(3).integers(0, 256, canonical_size(T), dtype=np.uint8)
    noise[:2] = 0x01, 0xFE
    assert lib.halves_restore(at(state), at(noise), ctypes.c_size_t(noise.nbytes)) == 0
    assert state.tobytes() == from_canonical(T, noise.tobytes()).tobytes()
    assert state["height"].tobytes() == b"\x00\x7e"


@needs_zig
@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_an_exported_module_has_the_hashes_and_shows_the_bits(tmp_path):
    folder = made(SIMULATION, tmp_path, "wasm32")
    (folder / "client.mjs").write_text(
        'import { load } from "./wasm32/halves.mjs";\n'
        "const game = (await load()).start(1n);\n"
        "for (let frame = 0; frame < 9; frame++) {\n"
        "  game.inputs[0].push = 0x3800; game.inputs[0].at = frame; game.step();\n"
        "}\n"
        "const before = game.hash();\n"
        "game.state.height = 0xfc01;\n"
        "console.log(JSON.stringify({ before, after: game.hash(), height: game.state.height,\n"
        "  field: [...game.state.field] }, (_, v) => typeof v === 'bigint' ? `${v}` : v));\n"
    )
    done = subprocess.run(
        [str(NODE), "client.mjs"], cwd=folder, capture_output=True, text=True,
        timeout=HANG_SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    session = SIMULATION.start(1)
    for frame in range(9):
        session.step([{"push": 0.5, "at": frame}])
    assert int(found["before"]) == session.hash()
    memory = session.state.memory.reshape(1)
    assert found["field"] == memory["field"].view(np.uint16).ravel().tolist()
    memory["height"] = np.nan
    assert int(found["after"]) == session.hash()


def test_random_inputs_have_every_kind_of_half_but_nan():
    patterns = inputs_of("random", 20_000)["push"].view(np.uint16)
    assert {0x0000, 0x8000, 0x0001, 0x7BFF, 0x7C00, 0xFC00} <= set(patterns.ravel().tolist())
    assert not np.isnan(patterns.view(np.float16)).any()
    assert len(np.unique(patterns)) > 5000
