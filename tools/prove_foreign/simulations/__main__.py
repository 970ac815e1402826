"""`python -m tools.prove_foreign.simulations`: public simulations, built in many ways and judged.

Each is fetched by its version into a build folder, with a scene of ours that records every body
after each frame. Strict builds are compared, with the platforms' math libraries and with
samebits'; then builds with flags that break them are diagnosed. Writes
docs/results/foreign-simulations.md. Exit status 1 where a cause is wrong and stated as certain,
or builds with samebits' math library part.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from tools.prove_foreign.cases import FLAGS, STRICT, Case
from tools.prove_foreign.judge import Judged, judged
from tools.prove_foreign.simulations.fetch import Absent, unpacked
from tools.prove_foreign.simulations.packages import PACKAGES, Package
from tools.prove_foreign.simulations.page import Agreement, Figures, page

from samebits.errors import SamebitsError
from samebits.foreign.pair import first_difference
from samebits.foreign.programs.description import Program, ProgramSide
from samebits.foreign.programs.running import recorded
from samebits.foreign.programs.workshop import Workshop
from samebits.foreign.records import ForeignRun
from samebits.output import write_file

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "docs" / "results" / "foreign-simulations.md"
DRIVERS = Path(__file__).parent / "drivers"
LIBRARIES = ("x86-64-v1", "aarch64")
FIRST = "gcc 12"
SIDES = {
    FIRST: (("gcc-12",), "", (), "x86-64-v1"),
    "gcc 11": (("gcc-11",), "", (), "x86-64-v1"),
    "clang 16": (("clang-16",), "", (), "x86-64-v1"),
    "clang 16 -O3": (("clang-16",), "", ("-O3",), "x86-64-v1"),
    "zig, musl": ((sys.executable, "-m", "ziglang", "cc"), "x86_64-linux-musl", (), "x86-64-v1"),
    "gcc 12, i686 with SSE2": (("gcc-12",), "", ("-m32", "-msse2", "-mfpmath=sse"), ""),
    "gcc, aarch64": (("aarch64-linux-gnu-gcc",), "", (), "aarch64"),
}
"""Compiler of C, its target, more flags, and the target of samebits' math library."""
_CPP = {"gcc": "g++", "clang": "clang++", "cc": "c++"}


def sides(package: Package, libraries: Path | None) -> dict[str, ProgramSide]:
    """The strict sides; with samebits' math library where `libraries` has it for them."""
    found: dict[str, ProgramSide] = {}
    for name, (compiler, target, more, library) in SIDES.items():
        if libraries is not None and not library:
            continue
        arm = "aarch64" in compiler[0]
        built = libraries / library / "libsbmath_libm.a" if libraries is not None else ""
        flags = (*STRICT, *more, *(("-fno-builtin",) if built else ()))
        found[name] = ProgramSide(
            name, _compiler(compiler, package), flags, ("-static",) if arm else (), target,
            str(built), wrapper=("qemu-aarch64",) if arm else (),
        )  # fmt: skip
    return found


def _compiler(words: tuple[str, ...], package: Package) -> tuple[str, ...]:
    if not package.is_cpp:
        return words
    last = words[-1]
    for c, cpp in _CPP.items():
        if last == c or last.startswith(f"{c}-") or last.endswith(f"-{c}"):
            last = last.replace(c, cpp)
            break
    return (*words[:-1], last)


def cases(package: Package) -> list[Case]:
    """Builds with flags that break them, beside a strict one."""
    side = ProgramSide("strict", _compiler(("gcc-12",), package), STRICT)
    found: list[Case] = []
    for name, (compiler, words, hazards) in FLAGS.items():
        mine = ("gcc-12",) if compiler[0] == "g++" else ("clang-16",)
        link = ("-ffast-math",) if "crtfastmath" in name else ()
        other = ProgramSide("broken", _compiler(mine, package), words, link)
        found.append(Case(name, side, other, hazards=hazards))
    return found


def agreements(shop: Workshop, package: Package, libraries: Path) -> list[Agreement]:
    """From which frame on each strict side parts from the first."""
    plain = _compared(shop, sides(package, None))
    mine = _compared(shop, sides(package, libraries))
    return [Agreement(name, said, mine.get(name, "-")) for name, said in plain.items()]


def _compared(shop: Workshop, given: dict[str, ProgramSide]) -> dict[str, str]:
    first: ForeignRun | None = None
    found: dict[str, str] = {}
    for name, side in given.items():
        if shutil.which(side.compiler[0]) is None:
            found[name] = "not here"
            continue
        try:
            run = recorded(shop.program, side, shop.built(side), shop.path("run.sbt")).run
        except SamebitsError as error:
            found[name] = f"does not build or run: {error.message:.80}"
            continue
        first = first or run
        frame = first_difference(first, run)
        found[name] = "same" if frame is None else f"parts in frame {frame}"
        print(f"  {name}: {found[name]}", flush=True)
    return found


def measured(package: Package, folder: Path, libraries: Path, only: str) -> Figures:
    """All figures of a package."""
    program = _program(package, folder)
    with Workshop(program) as shop:
        found = agreements(shop, package, libraries)
        figures = Figures(package.name, package.version, len(program.sources), found, [])
        for case in cases(package):
            if only not in case.name:
                continue
            same = _is_same(shop, case)
            figures.rows.append(_without_effect(case) if same else judged(shop, case))
            print(f"  {figures.rows[-1]}", flush=True)
            _keep(figures, folder)
    return figures


def _keep(figures: Figures, folder: Path) -> None:
    write_file(folder / f"{figures.name}.json", json.dumps(asdict(figures), indent=1))


def _is_same(shop: Workshop, case: Case) -> bool:
    runs = [
        recorded(shop.program, side, shop.built(side), shop.path("run.sbt")).run
        for side in (case.a, case.b)
    ]
    return first_difference(*runs) is None


def _without_effect(case: Case) -> Judged:
    return Judged(case.name, "same bits", "", "", "none", "none", 0.0)


def _program(package: Package, folder: Path) -> Program:
    source = unpacked(package, folder)
    home = folder / package.name
    scene = home / package.scene
    shutil.copy(DRIVERS / package.scene, scene)
    files = [file for pattern in package.sources for file in sorted(source.glob(pattern))]
    return Program(
        home / "sim.toml", package.name, (scene, *files),
        tuple(source / each for each in package.include), package.flags, ("-pthread",), (), "",
        ("{program}",), 120.0, (),
    )  # fmt: skip


def _libraries(folder: Path) -> Path:
    out = folder / "math-library"
    if not all((out / each / "libsbmath_libm.a").is_file() for each in LIBRARIES):
        words = ["build", "--math-library", "--target", ",".join(LIBRARIES), "-o", str(out)]
        subprocess.run([sys.executable, "-P", "-m", "samebits", *words], check=True)
    return out


def main() -> int:
    """Fetch, build, compare, judge, and write the page."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.prove_foreign.simulations", description=__doc__
    )
    parser.add_argument("--package", metavar="NAME", help="this package alone")
    parser.add_argument("--only", metavar="TEXT", default="", help="flags that have this")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "simulations")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the page (docs/results)")
    given = parser.parse_args()
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    libraries = _libraries(folder)
    for package in PACKAGES:
        if given.package in (None, package.name):
            print(package.name, flush=True)
            try:
                _keep(measured(package, folder, libraries, given.only), folder)
            except Absent as error:
                print(error, file=sys.stderr)
    every = [_read(folder / f"{p.name}.json") for p in PACKAGES]
    told = [each for each in every if each is not None]
    write_file(given.out, page(told))
    return 1 if any(each.is_wrong for each in told) else 0


def _read(path: Path) -> Figures | None:
    if not path.is_file():
        return None
    data = json.loads(path.read_text())
    data["agreements"] = [Agreement(**each) for each in data["agreements"]]
    data["rows"] = [Judged(**each) for each in data["rows"]]
    return Figures(**data)


if __name__ == "__main__":
    sys.exit(main())
