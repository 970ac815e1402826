"""C and C++ programs, and whatever loads a shared library, get Python's hashes from an export."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.support.runs.exported import (
    arena,
    compiled,
    duel_inputs,
    host_folder,
    made,
    needs_zig,
    output,
    small,
)

import samebits as sb
from samebits import float64, math, uint8, uint64
from samebits.backend.emit.module import emit_module
from samebits.backend.llvm import engine
from samebits.backend.targets.table import TARGETS
from samebits.errors import Trap
from samebits.export.header import header_text
from samebits.export.interface import interface_of
from samebits.export.library import kernels_of, named
from samebits.export.names import file_name, member_names
from samebits.lang.memory.structs import Struct
from samebits.sim.simulation import Simulation

pytestmark = [
    needs_zig,
    pytest.mark.skipif(sys.platform != "linux", reason="file names are those of Linux"),
]

CLIENT = """\
#include "arena.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static arena_State state, other;
static arena_scratch scratch;
static arena_Input inputs[10000 * ARENA_PLAYERS];
static uint64_t hashes[10000];
static uint8_t bytes[ARENA_STATE_BYTES], again[ARENA_STATE_BYTES];

int main(int count, char **arguments)
{
    FILE *file = fopen(arguments[1], "rb");
    uint64_t seed = strtoull(arguments[2], NULL, 10);
    size_t frames, done = 0, frame;
    if (count != 3 || !file) return 2;
    frames = fread(inputs, sizeof inputs[0] * ARENA_PLAYERS, 10000, file);
    fclose(file);

    if (arena_init(&state, seed)) return 3;
    for (frame = 0; frame < frames; frame++)
        if (arena_step(&state, inputs + frame * ARENA_PLAYERS, &scratch)) return 4;
    printf("%016" PRIx64 "\\n", arena_hash(&state, &scratch));

    if (arena_init(&other, seed)) return 3;
    if (arena_run(&other, inputs, frames, hashes, &done, &scratch) || done != frames) return 5;
    printf("%016" PRIx64 "\\n", hashes[frames - 1]);

    arena_save(&state, bytes);
    memset(&other, 0xAA, sizeof other);
    if (arena_restore(&other, bytes, sizeof bytes)) return 7;
    arena_save(&other, again);
    if (memcmp(bytes, again, sizeof bytes)) return 6;
    printf("%016" PRIx64 "\\n", arena_hash(&other, &scratch));
    printf("%s %s\\n", arena_digest(), ARENA_DIGEST);
    return 0;
}
"""


@pytest.fixture(scope="module")
def arena_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(arena(), tmp_path_factory.mktemp("arena"))


@pytest.fixture(scope="module")
def small_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(small(), tmp_path_factory.mktemp("small"))


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("library", ["libarena.a", "libarena.so"])
def test_a_program_gets_the_replays_final_hash(
    arena_folder: Path, tmp_path: Path, language: str, library: str
) -> None:
    seed, inputs, final = duel_inputs()
    (tmp_path / "arena.h").write_bytes((arena_folder / "arena.h").read_bytes())
    (tmp_path / "inputs").write_bytes(inputs.tobytes())
    link = host_folder(arena_folder) / library
    program = compiled(tmp_path, CLIENT, language, link)
    if library.endswith(".so"):
        program = _with_path(program, link.parent)
    digest = arena().digest
    assert output(program, tmp_path / "inputs", seed).split() == [
        final,
        final,
        final,
        digest,
        digest,
    ]


def _with_path(program: Path, folder: Path) -> Path:
    script = program.with_suffix(".sh")
    script.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH="{folder}" exec "{program}" "$@"\n')
    script.chmod(0o755)
    return script


class Loaded:
    """The small simulation's shared library in this process."""

    def __init__(self, folder: Path) -> None:
        name = interface_of(small()).name
        self.lib = ctypes.CDLL(str(host_folder(folder) / f"lib{name}.so"))
        self.name = name
        self.state = np.zeros(1, small().state_type.dtype)
        self.scratch = np.zeros(65536, np.uint8)
        for function in ("trap_message", "trap_file", "trap_function"):
            self[function].restype = ctypes.c_char_p
        self["hash"].restype = ctypes.c_uint64

    def __getitem__(self, function: str) -> ctypes._NamedFuncPointer:
        return getattr(self.lib, f"{self.name}_{function}")

    def init(self, seed: int) -> int:
        return int(self["init"](_at(self.state), ctypes.c_uint64(seed)))

    def run(self, inputs: np.ndarray, hashes: np.ndarray | None = None) -> tuple[int, int]:
        done = ctypes.c_size_t(99)
        code = self["run"](
            _at(self.state), _at(inputs), ctypes.c_size_t(len(inputs)),
            None if hashes is None else _at(hashes), ctypes.byref(done), _at(self.scratch),
        )  # fmt: skip
        return int(code), done.value

    def hash(self) -> int:
        return int(self["hash"](_at(self.state), _at(self.scratch)))


def _count(array: np.ndarray) -> ctypes.c_size_t:
    return ctypes.c_size_t(array.nbytes)


def _at(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


@pytest.fixture
def loaded(small_folder: Path) -> Loaded:
    return Loaded(small_folder)


def inputs_for(frames: int) -> np.ndarray:
    inputs = np.zeros((frames, 2), small().input_type.dtype)
    inputs["push"] = np.random.default_rng(1).normal(size=(frames, 2))
    inputs["turn"] = np.arange(2 * frames).reshape(frames, 2) % 7
    return inputs


def test_a_run_with_and_without_hashes_is_a_session(loaded: Loaded) -> None:
    session, inputs = small().start(7), inputs_for(100)
    hashes = np.zeros(100, np.uint64)
    assert loaded.init(7) == 0
    assert loaded.run(inputs, hashes) == (0, 100)
    assert hashes.tolist() == session.run(inputs).tolist()
    assert loaded.init(7) == 0
    assert loaded.run(inputs) == (0, 100)
    assert loaded.hash() == session.hash()


@pytest.mark.parametrize("hashed", [True, False])
def test_a_trap_has_pythons_line_and_leaves_the_last_whole_frame(
    loaded: Loaded, hashed: bool
) -> None:
    session, inputs = small().start(7), inputs_for(20)
    inputs["at"][13, 1] = 99
    with pytest.raises(Trap) as raised:
        session.run(inputs)
    hashes = np.zeros(20, np.uint64) if hashed else None
    assert loaded.init(7) == 0
    code, done = loaded.run(inputs, hashes)
    assert (done, loaded.hash()) == (13, session.hash())
    trap = raised.value
    assert trap.span is not None
    assert loaded["trap_message"](code) == trap.message.encode()
    assert loaded["trap_file"](code) == b"small_simulation.py"
    assert loaded["trap_function"](code) == trap.span.function.encode()
    assert loaded["trap_line"](code) == trap.span.line


@pytest.mark.parametrize("code", [0, -1, 10_000, -(2**31)])
def test_a_code_that_is_no_traps_has_no_text(loaded: Loaded, code: int) -> None:
    assert loaded["trap_message"](code) == b""
    assert loaded["trap_line"](code) == 0


def test_saved_bytes_are_pythons_and_hostile_memory_is_made_canonical(loaded: Loaded) -> None:
    session, inputs = small().start(7), inputs_for(50)
    session.run(inputs)
    loaded.init(7)
    loaded.run(inputs)
    saved = np.zeros(len(session.canonical_state()), np.uint8)
    loaded["save"](_at(loaded.state), _at(saved))
    assert saved.tobytes() == session.canonical_state()
    loaded.state["energy"].view(np.uint64)[:] = 0xFFF0_0000_0000_1234  # a signalling NaN
    loaded.state["bodies"]["alive"].view(np.uint8)[:] = 200
    expected = sb.bits.to_canonical(small().state_type, loaded.state)
    loaded["save"](_at(loaded.state), _at(saved))
    assert saved.tobytes() == expected
    assert loaded.hash() == sb.bits.xxh64(expected)


def test_any_bytes_restore_as_in_python(loaded: Loaded) -> None:
    t = small().state_type
    data = np.random.default_rng(3).integers(0, 256, sb.bits.canonical_size(t), dtype=np.uint8)
    loaded.state.view(np.uint8)[:] = 0xAA
    assert loaded["restore"](_at(loaded.state), _at(data), _count(data)) == 0
    assert loaded.state.tobytes() == sb.bits.from_canonical(t, data.tobytes()).tobytes()


REFUSED = -1


@pytest.mark.parametrize("function", ["restore", "input_restore"])
def test_bytes_of_another_size_are_refused_and_change_nothing(
    loaded: Loaded, function: str
) -> None:
    t = small().state_type if function == "restore" else small().input_type
    size = sb.bits.canonical_size(t)
    data, place = np.zeros(size + 1, np.uint8), np.full(t.size, 0xAA, np.uint8)
    for wrong in (0, 1, size - 1, size + 1, 2**32 + size, 2**63, 2**64 - 1):
        assert loaded[function](_at(place), _at(data), ctypes.c_size_t(wrong)) == REFUSED
    assert loaded[function](_at(place), None, ctypes.c_size_t(size)) == REFUSED
    assert (place == 0xAA).all()
    assert loaded[function](_at(place), _at(data), ctypes.c_size_t(size)) == 0
    assert not place.any()


@pytest.mark.parametrize("hashed", [False, True])
def test_more_frames_than_memory_holds_are_refused(loaded: Loaded, hashed: bool) -> None:
    assert loaded.init(7) == 0
    before = loaded.state.tobytes()
    size = small().input_type.size * small().players
    inputs, hashes = np.zeros(64, np.uint8), np.zeros(1, np.uint64)
    for frames in (2**64 // size + 1, 2**63, 2**64 - 1):
        done = ctypes.c_size_t(99)
        code = loaded["run"](
            _at(loaded.state), _at(inputs), ctypes.c_size_t(frames),
            _at(hashes) if hashed else None, ctypes.byref(done), _at(loaded.scratch),
        )  # fmt: skip
        assert (code, done.value) == (REFUSED, 0)
    assert loaded.state.tobytes() == before


def test_an_inputs_bytes_are_pythons_both_ways(loaded: Loaded) -> None:
    t = small().input_type
    given = inputs_for(1)[0, 1:].copy()
    saved = np.zeros(sb.bits.canonical_size(t), np.uint8)
    loaded["input_save"](_at(given), _at(saved))
    assert saved.tobytes() == sb.bits.to_canonical(t, given)
    back = np.full(1, 0x55, np.uint8).repeat(t.size)
    assert loaded["input_restore"](_at(back), _at(saved), _count(saved)) == 0
    assert back.tobytes() == sb.bits.from_canonical(t, saved.tobytes()).tobytes()


def awkward() -> Simulation:
    def struct(name: str, **fields: type) -> type[Struct]:
        return sb.struct(type(name, (), {"__annotations__": fields}))

    inner = struct("float3", new=sb.float64, x=sb.double2)
    state = struct(
        "run", **{"class": inner, "int": sb.uint8, "int_": sb.float2, "été": sb.int64},
        small=sb.uint8, deep=sb.FixedArray[inner, 2, 3], flags=sb.bool3,
    )  # fmt: skip
    given = struct("scratch", default=sb.int8, NULL=sb.float64)
    return Simulation(
        name="2 awkward*/ \N{GREEK SMALL LETTER PI}", version='1"\\??/', state=state, input=given,
        players=1, init=_typed_kernel("init", state), step=_typed_kernel("step", state, given),
    )  # fmt: skip


def _typed_kernel(what: str, state: type, given: type | None = None) -> sb.Kernel:
    if given is None:

        def init(state, seed):  # type: ignore[no-untyped-def]
            state.small = sb.uint8(1)

        init.__annotations__ = {"state": state, "seed": sb.uint64, "return": None}
        return sb.kernel(init)

    def step(state, inputs):  # type: ignore[no-untyped-def]
        state.small += 1

    step.__annotations__ = {"state": state, "inputs": sb.ReadOnly[given], "return": None}
    return sb.kernel(step)


@pytest.mark.parametrize("language", ["c", "c++"])
def test_names_that_c_has_other_uses_for_still_make_a_header(tmp_path: Path, language: str) -> None:
    simulation = awkward()
    interface = interface_of(simulation)
    assert interface.name == "sim_2_awkward"
    (tmp_path / f"{interface.name}.h").write_text(header_text(interface, ()), encoding="utf-8")
    source = f'#include "{interface.name}.h"\nint main(void) {{ return 0; }}\n'
    assert output(compiled(tmp_path, source, language)) == ""


def test_fields_keep_their_names_wherever_they_can() -> None:
    names = member_names(["class", "class_", "x", "été"])
    assert names == {"class": "class__", "class_": "class_", "x": "x", "été": "_t__"}
    assert file_name("π") == "simulation"
    assert file_name("float") == "float"  # names only ever start with it


FOREIGN = """\
#include "arena.h"
#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

static arena_State state;
static arena_scratch scratch;
static arena_Input inputs[ARENA_PLAYERS];
static uint64_t hash;

int main(void)
{
    int frame;
    fesetround(FE_UPWARD);
#if defined(__x86_64__)
    _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, denormals are zero */
#endif
    if (arena_init(&state, 1)) return 1;
    for (frame = 0; frame < 300; frame++) {
        inputs[0].thrust = 127;
        inputs[0].turn = (int8_t)(frame % 50);
        if (arena_step(&state, inputs, &scratch)) return 2;
        if (arena_run(&state, inputs, 1, &hash, NULL, &scratch)) return 3;
    }
    if (fegetround() != FE_UPWARD) return 4;
#if defined(__x86_64__)
    if ((_mm_getcsr() & 0xE040) != 0xC040) return 5;
#endif
    printf("%016" PRIx64 "\\n", arena_hash(&state, &scratch));
    return 0;
}
"""


def test_a_programs_own_floating_point_environment_changes_no_bits_and_stays(
    arena_folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "arena.h").write_bytes((arena_folder / "arena.h").read_bytes())
    library = host_folder(arena_folder) / "libarena.a"
    program = compiled(tmp_path, FOREIGN, "c", library, Path("-lm"))
    session = arena().start(1)
    for frame in range(300):
        row = [{"thrust": 127, "turn": frame % 50}, {}]
        session.step(row)
        session.step(row)
    assert output(program) == f"{session.hash():016x}\n"


def test_threads_that_share_nothing_do_not_meet(small_folder: Path) -> None:
    def play(seed: int) -> int:
        library = Loaded(small_folder)
        for _ in range(20):
            assert library.init(seed) == 0
            assert library.run(inputs_for(400), np.zeros(400, np.uint64)) == (0, 400)
        return library.hash()

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(play, range(8)))
    expected = []
    for seed in range(8):
        session = small().start(seed)
        session.run(inputs_for(400))
        expected.append(session.hash())
    assert found == expected


def test_a_library_shows_the_headers_functions_alone(arena_folder: Path) -> None:
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("nm is not installed: apt-get install binutils")
    library = host_folder(arena_folder) / "libarena.so"
    done = subprocess.run([nm, "-D", library], capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    shown = {row[-1] for row in rows if row[-2] != "U"}
    needed = {row[-1] for row in rows if row[-2] == "U"}
    headers = _header(arena_folder) + (arena_folder / "arena_peer.h").read_text()
    assert shown == set(re.findall(r"^ARENA_API .*?(arena_\w+)\(", headers, re.M))
    assert needed <= {"memcpy", "memmove", "memset"}


def _header(folder: Path) -> str:
    return (folder / "arena.h").read_text()


@sb.struct
class Waves:
    x: sb.FixedArray[float64, 256]


@sb.struct
class Nothing:
    unused: uint8


@sb.kernel
def _sines(state: Waves, inputs: sb.ReadOnly[Nothing]) -> None:
    for i in range(256):
        state.x[i] = math.exp(math.sin(state.x[i]))


@sb.kernel
def _start(state: Waves, seed: uint64) -> None:
    for i in range(256):
        state.x[i] = float64(i)


def test_loops_around_math_functions_vectorise_as_in_python() -> None:
    simulation = sb.Simulation(
        name="waves", version="1", state=Waves, input=Nothing, players=1, init=_start, step=_sines
    )
    kernels = kernels_of(simulation.program)
    target = TARGETS["x86-64-v3"]
    text = emit_module(kernels.module, kernels.entries, target).text
    counts = [
        len(re.findall(r"\bv(?:mul|fmadd)\w*pd\b.*%ymm", engine.assemble_text(t, target)))
        for t in (text, named(text, "waves"))
    ]
    assert counts[0] == counts[1] > 20
