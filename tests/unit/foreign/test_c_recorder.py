"""samebits.h records the same bytes under every compiler, flag and processor, and outlives its
program."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from tests.support.foreign_records import (
    compiled_program,
    cross_compiler,
    portable_part,
    records_of,
)
from tests.support.limits import HANG_SECONDS

from samebits.bits import xxh64
from samebits.foreign.records import read_record
from samebits.foreign.report import report_of_run

PROGRAMS = Path(__file__).parent / "programs"
GOLDEN = Path(__file__).parent / "golden.sbt"
WARNINGS = ("-Wall", "-Wextra", "-pedantic", "-Werror")
BUILDS = {
    "c99-O0": ("gcc", "-std=c99", "-O0", *WARNINGS),
    "gnu17-O3-fast": ("gcc", "-std=gnu17", "-Ofast", "-march=native", *WARNINGS),
    "c++11": ("g++", "-x", "c++", "-std=c++11", "-O2", *WARNINGS),
    "x87": ("gcc", "-m32", "-O2", *WARNINGS),
    "stdio": ("gcc", "-DSAMEBITS_STDIO", "-O1", *WARNINGS),
    "sanitised": ("gcc", "-O1", "-fsanitize=undefined", "-fno-sanitize-recover"),
}


def ran(tmp_path: Path, *command: str) -> bytes:
    """The record that a program writes."""
    path = tmp_path / "run.sbt"
    subprocess.run([*command, str(path)], check=True, timeout=HANG_SECONDS)
    return path.read_bytes()


@pytest.mark.parametrize("build", BUILDS)
def test_every_build_writes_the_golden_record(build: str, tmp_path: Path) -> None:
    program = compiled_program(tmp_path, PROGRAMS / "golden_run.c", BUILDS[build])
    assert portable_part(ran(tmp_path, str(program))) == GOLDEN.read_bytes()


@pytest.mark.parametrize("machine", ["aarch64", "s390x"])
def test_other_processors_write_the_golden_record(machine: str, tmp_path: Path) -> None:
    compiler, emulator = cross_compiler(machine)
    source = PROGRAMS / "golden_run.c"
    program = compiled_program(tmp_path, source, (compiler, "-O2", "-static", *WARNINGS))
    assert portable_part(ran(tmp_path, emulator, str(program))) == GOLDEN.read_bytes()


def test_the_golden_record_holds_canonical_states() -> None:
    run = read_record(str(GOLDEN))
    assert (run.name, run.version, run.seed, run.rate, run.players) == ("golden", "1", 7, 50, 2)
    assert list(run.hashes) == list(range(-1, 10))
    assert run.is_ended
    assert run.again == 2
    assert run.damage is None
    for frame, hash_ in run.hashes.items():
        state = run.state_after(frame)
        assert state is not None
        assert xxh64(state) == hash_
    report = report_of_run(run)
    third, fourth = report.state(4), report.state(5)
    assert third is not None
    assert third[8:12] == bytes.fromhex("0000c07f")  # a signalling NaN with a payload
    assert fourth is not None
    assert fourth[20:28] == bytes.fromhex("000000000000f87f")
    inputs = report.inputs_array(8)
    assert inputs is not None
    assert inputs["push"].tolist() == [2.5, 1.5]
    assert inputs["jump"].tolist() == [False, True]


def test_a_frame_that_is_run_again_takes_the_place_of_those_behind_it() -> None:
    run = read_record(str(GOLDEN))
    begun = [whole for kind, whole in records_of(GOLDEN.read_bytes()) if kind == b"begn"]
    frames = [int.from_bytes(whole[16:24], "little", signed=True) for whole in begun]
    assert frames == [-1, 0, 1, 2, 3, 4, 5, 6, 5, 6, 7, 8, 9]
    assert run.inputs[6] == begun[9][24 : 24 + len(run.inputs[6])]


KILLED = """
#include <signal.h>
#define SAMEBITS_IMPLEMENTATION
#include "samebits.h"
static float x[64];
int main(int argc, char **argv) {
  sb_run *run = sb_open(argv[1], "killed", "1");
  int n;
  (void)argc;
  sb_region(run, "x", x, sizeof x, "f32[64]");
  for (n = 0;; n++) {
    sb_begin(run, n, &n, sizeof n);
    x[n % 64] += 1.0f;
    if (n == 41) raise(SIGKILL);
    sb_end(run, n);
  }
}
"""


@pytest.mark.parametrize("form", ["mmap", "stdio"])
def test_a_killed_program_leaves_every_whole_frame(form: str, tmp_path: Path) -> None:
    source = tmp_path / "killed.c"
    source.write_text(KILLED)
    stdio = ("-DSAMEBITS_STDIO",) if form == "stdio" else ()
    program = compiled_program(tmp_path, source, ("gcc", "-O1", *stdio))
    path = tmp_path / "run.sbt"
    done = subprocess.run([str(program), str(path)], timeout=HANG_SECONDS)
    assert done.returncode == -signal.SIGKILL
    run = read_record(str(path))
    assert list(run.hashes) == list(range(-1, 41))
    assert run.unfinished == 41
    assert run.inputs[41][4:8] == (41).to_bytes(4, "little")
    assert run.damage is None
    assert report_of_run(run).remarks == (
        f"{path} stops in frame 41, which had begun: the program ended there",
    )


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not here")
def test_faults_are_told_once_and_the_program_goes_on(tmp_path: Path) -> None:
    source = tmp_path / "faults.c"
    source.write_text("""
#define SAMEBITS_IMPLEMENTATION
#include "samebits.h"
static struct { double d; char c; } s[2];
int main(int argc, char **argv) {
  sb_run *run = sb_open(argv[1], "faults", "1");
  (void)argc;
  if (sb_region(run, "s", s, sizeof s, "{d:f64 c:i8 e:i8}[3]") >= 0) return 2;
  puts(sb_fault(run));
  if (sb_region(run, "t", s, sizeof s, "{d:f64 c:i9}[2]") >= 0) return 3;
  if (sb_begin(run, 0, 0, 0) >= 0) return 4;
  return sb_close(run) == -1 && sb_begin(0, 0, 0, 0) == 0 ? 0 : 5;
}
""")
    program = compiled_program(tmp_path, source, ("gcc", "-O1"))
    done = subprocess.run(
        [str(program), str(tmp_path / "run.sbt")], capture_output=True, text=True,
        timeout=HANG_SECONDS,
    )  # fmt: skip
    said = "the layout of s: it has 48 bytes, the memory 32: say _:N for padding"
    assert done.returncode == 0
    assert done.stdout == f"{said}\n"
    assert done.stderr == f"samebits: faults: {said}\n"


NUMBERS = {
    2: (0x7E00, 0x7C00, (0, 1, 0x3C00, 0x7BFF, 0x7C00, 0x7C01, 0x7DFF, 0x7E00, 0x7FFF)),
    4: (0x7FC00000, 0x7F800000,
        (0, 1, 0x3F800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF)),
    8: (0x7FF8 << 48, 0x7FF0 << 48,
        (0, 1, 0x3FF0 << 48, (0x7FF0 << 48) - 1, 0x7FF0 << 48, (0x7FF0 << 48) + 1, (1 << 63) - 1)),
}  # fmt: skip
"""Of floats by their bytes: the canonical NaN, infinity, and patterns at the edges."""


@pytest.mark.parametrize("optimised", ["-O0", "-O2"])
def test_each_nan_is_made_canonical_wherever_it_stands(optimised: str, tmp_path: Path) -> None:
    chance = Random(7)
    data, states = b"", b""
    for length in range(1, 10):
        for row in range(3):
            for size, (canonical, infinity, patterns) in NUMBERS.items():
                for _ in range(length):
                    word = chance.choice(patterns if chance.random() < 0.3 else patterns[:4])
                    sign = chance.randrange(2) << (8 * size - 1)
                    data += (word | sign).to_bytes(size, sys.byteorder)
                    kept = canonical if word > infinity else word | sign
                    states += kept.to_bytes(size, "little")
            states += bytes([row])
    (tmp_path / "numbers").write_bytes(data)
    program = compiled_program(tmp_path, PROGRAMS / "rare_floats.c", ("gcc", optimised, *WARNINGS))
    record = tmp_path / "run.sbt"
    subprocess.run([program, record, tmp_path / "numbers"], check=True, timeout=HANG_SECONDS)
    assert read_record(str(record)).state_after(-1) == states
