"""SAMEBITS_CHECK() says what one source file does, and FP guards who changed the environment."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.support.foreign_records import compiled_program
from tests.support.limits import HANG_SECONDS

from samebits.foreign.records import read_record
from samebits.foreign.report import report_of_run

PROBE = """
#define SAMEBITS_IMPLEMENTATION
#include "samebits.h"
SAMEBITS_TELL();
int main(void) { char t[128]; puts(sb_unit_words(sb_units_->probe(), t)); return 0; }
"""
FAST = "reassociated, flushed, reciprocal, no NaN, no signed zero"
FLAGS = {
    "-O0": "strict",
    "-O2 -mfma": "fused",
    "-O2 -mfma -ffp-contract=off": "strict",
    "-O3 -ffast-math -march=haswell": f"fused, {FAST}",
    "-O2 -freciprocal-math": "reciprocal",
    "-m32 -O2 -mfpmath=387": "wider",
    "-m32 -O2 -msse2 -mfpmath=sse": "strict",
}
CPUINFO = Path("/proc/cpuinfo")
NEEDS_FMA = pytest.mark.skipif(
    not CPUINFO.exists() or "fma" not in CPUINFO.read_text().split(),
    reason="this processor has no FMA",
)


def flags() -> list[object]:
    needs = ("-mfma", "haswell")
    return [
        pytest.param(each, marks=NEEDS_FMA if any(word in each for word in needs) else ())
        for each in FLAGS
    ]


def program(tmp_path: Path, text: str, *flags: str) -> Path:
    source = tmp_path / "simulation.c"
    source.write_text(text)
    return compiled_program(tmp_path, source, ("gcc", *flags))


def run(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(path), *arguments], capture_output=True, text=True, timeout=HANG_SECONDS
    )


@pytest.mark.parametrize("given", flags())
def test_the_probe_says_what_the_flags_did(given: str, tmp_path: Path) -> None:
    assert run(program(tmp_path, PROBE, *given.split())).stdout == f"{FLAGS[given]}\n"


def test_a_file_that_is_not_strict_ends_the_program_as_it_starts(tmp_path: Path) -> None:
    text = PROBE.replace("SAMEBITS_TELL", "SAMEBITS_CHECK")
    assert run(program(tmp_path, text, "-O2")).returncode == 0
    done = run(program(tmp_path, text, "-O2", "-freciprocal-math"))
    assert done.returncode == 3
    assert done.stdout == ""
    first, second = done.stderr.splitlines()
    assert first.endswith("simulation.c is not strict: reciprocal")
    assert second.startswith("  compile it with -ffp-contract=off -fno-fast-math")


def test_a_build_that_requires_strictness_stops_at_fast_math(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="this file is compiled with fast math"):
        program(tmp_path, PROBE, "-DSAMEBITS_REQUIRE_STRICT", "-ffast-math")


GUARD = """
#define SAMEBITS_IMPLEMENTATION
#include "samebits.h"
#include <fenv.h>
static float x[4];
static void harmless(void) { x[0] += 1.0f; }
static void audio_mix(void) { fesetround(FE_UPWARD); }
int main(int argc, char **argv) {
  sb_run *run = sb_open(argv[1], "guarded", "1");
  sb_fp_guard guard;
  sb_region(run, "x", x, sizeof x, "f32[4]");
  (void)argc;
  fesetround(FE_DOWNWARD);
  sb_begin(run, 0, 0, 0);
  sb_fp_begin(&guard, "step, main thread");
  SB_FP_CALL(&guard, harmless());
  if (fegetround() != FE_TONEAREST) return 2;
  SB_FP_CALL(&guard, audio_mix());
  if (fegetround() != FE_TONEAREST) return 3;
  printf("%u %s\\n", sb_fp_end(&guard), guard.where);
  if (fegetround() != FE_DOWNWARD) return 4;
  sb_fp_tell(run, &guard);
  sb_end(run, 0);
  return sb_close(run);
}
"""


def test_a_guard_pins_the_environment_and_names_the_call_that_changed_it(tmp_path: Path) -> None:
    record = tmp_path / "run.sbt"
    done = run(program(tmp_path, GUARD, "-O1", "-frounding-math"), str(record))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"1 audio_mix() at {tmp_path}")
    assert done.stdout.endswith("simulation.c:18\n")
    environment = report_of_run(read_record(str(record))).machine.environment
    assert environment.startswith("rounds down, x87 rounds down; ")
    told = (
        "mxcsr changed by audio_mix() at simulation.c:18, in step, main thread, frame 0: rounds up"
    )
    assert told in environment
