"""A C++ simulation of 1,000 lines, recorded twice: every planted difference is named by its first
frame and field, and strict builds agree on every processor."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.support.folders import HARBOUR
from tests.support.foreign_records import cross_compiler, portable_part
from tests.support.limits import HANG_SECONDS

from samebits.diagnosis.driver import diagnose_reports
from samebits.foreign.pair import reports_of
from samebits.foreign.recorder_sources import recorder_source
from samebits.foreign.records import read_record

FRAMES = 120


class Seen(NamedTuple):
    """What a plant shows: first frame, first field, how many scalars, and the inputs' shape."""

    frame: int
    field: str
    differing: int
    shape: str = ""


PLANTS = {
    "fused move": Seen(67, "ships[2].speed.x", 6),
    "reassociated sum": Seen(21, "ships[10].speed.y", 280),
    "reciprocal": Seen(0, "ships[0].speed.y", 28),
    "flushed echo": Seen(63, "weather.echo", 1),
    "wider dot": Seen(1, "ships[17].speed.y", 7),
    "narrow energy": Seen(31, "energy", 1),
    "estimated root": Seen(-1, "ropes[0].rest", 6),
    "other sine": Seen(-1, "gulls[0].speed.y", 14),
    "rounding up": Seen(7, "ships[2].cargo[0]", 50),
    "negative shift": Seen(3, "berths[2].price[0]", 5),
    "char sign": Seen(51, "ships[2].speed.x", 93),
    "argument order": Seen(60, "sparks.items[6].place.x", 8),
    "pair order": Seen(11, "ships[19].speed.x", 25),
    "unset field": Seen(32, "gulls[2].place.x", 5),
    "extra draw": Seen(77, "chance.state", 1),
    "late input": Seen(44, "ships[1].cargo[0]", 5, "late"),
    "dropped input": Seen(45, "ships[0].place.x", 9, "dropped"),
    "set-up terrain": Seen(-1, "depth[9, 20]", 1),
    "negative zero": Seen(64, "ships[1].turning", 11),
    "nan compare": Seen(5, "gulls[5].patience", 1),
}
"""As measured where all of these are built strictly: GCC 12.2, x86-64 and aarch64."""


def built(folder: Path, compiler: str, *flags: str) -> Path:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not here")
    (folder / "samebits.h").write_text(recorder_source("c"))
    program = folder / "harbour"
    done = subprocess.run(
        [compiler, "-std=c++11", *flags, "-I", str(folder),
         *map(str, sorted(HARBOUR.glob("*.cpp"))), "-o", str(program)],
        capture_output=True, text=True, timeout=HANG_SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return program


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("harbour")
    return built(folder, "g++", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")


def recorded(*command: object, plant: int = 0) -> None:
    options = ["--frames", str(FRAMES), *(["--plant", str(plant)] if plant else [])]
    subprocess.run(
        [*map(str, command), *options], check=True, timeout=HANG_SECONDS, stdout=subprocess.DEVNULL
    )


@pytest.fixture(scope="module")
def strict(harbour: Path) -> Path:
    path = harbour.parent / "strict.sbt"
    recorded(harbour, path)
    return path


def test_every_plant_has_a_row(harbour: Path) -> None:
    listed = subprocess.run(
        [str(harbour), "--list"], capture_output=True, text=True, timeout=HANG_SECONDS
    )
    assert [line.split(" ", 1)[1] for line in listed.stdout.splitlines()] == ["none", *PLANTS]


@pytest.mark.parametrize("plant", PLANTS)
def test_a_planted_difference_is_named_by_its_first_frame_and_field(
    plant: str, harbour: Path, strict: Path, tmp_path: Path
) -> None:
    path = tmp_path / "other.sbt"
    recorded(harbour, path, plant=list(PLANTS).index(plant) + 1)
    found = diagnose_reports(*reports_of(read_record(str(strict)), read_record(str(path))))
    assert found.frame is not None
    shape = found.inputs[0].shape if found.inputs else ""
    assert Seen(found.frame, found.fields[0].path, found.differing, shape) == PLANTS[plant]
    assert not found.causes, "a cause was invented"


def test_a_strict_build_for_another_processor_records_the_same_run(
    strict: Path, tmp_path: Path
) -> None:
    _, emulator = cross_compiler("aarch64")
    program = built(tmp_path, "aarch64-linux-gnu-g++", "-O0", "-ffp-contract=off", "-static")
    recorded(emulator, program, tmp_path / "run.sbt")
    assert portable_part((tmp_path / "run.sbt").read_bytes()) == portable_part(strict.read_bytes())
