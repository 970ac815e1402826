"""`samebits build --math-library`: the files of the math library, one folder a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from samebits.backend.llvm import engine
from samebits.backend.targets.table import Target
from samebits.errors import TargetError
from samebits.export import toolchain
from samebits.export.math_library.drop_in import named_objects, replacing_header
from samebits.export.math_library.functions import FUNCTIONS, WIDTHS, MathFunction
from samebits.export.math_library.header import header_text
from samebits.export.math_library.objects import PINNED, objects
from samebits.export.math_library.packages import linked_packages, target_packages
from samebits.export.math_library.readme import readme_text
from samebits.export.output_folder import (
    Built,
    Show,
    check_free,
    make_folder,
    move,
    silent,
    write,
)
from samebits.export.platforms import platform_of
from samebits.export.templates import render
from samebits.runtime.emulation.link import WASM_MEMORY, WASM_STACK
from samebits.runtime.work_folders import work_folder

NAME = "sbmath"
_MARKS = (
    b"The math functions of samebits, as a library.",
    b"The math functions of samebits, correctly rounded",
    b"The math functions of samebits in place of",
    b"The math functions of samebits, as the CMake package",
    b"The math functions of samebits, as a crate.",
    b"The math functions of samebits: ",
)
"""Each text that a build writes begins with one of these."""


def build_math_library(
    targets: Sequence[Target],
    out: Path,
    show: Show | None = None,
    functions: Sequence[MathFunction] = FUNCTIONS,
) -> list[Built]:
    """Write the library of `functions` for each target below `out`, which is created if missing.

    The same bytes on any machine, into any folder. Raises TargetError for a target of several
    levels and if a tool fails or is missing, SimulationError if `out` cannot be written.
    """
    toolchain.require_zig()
    for target in targets:
        if target.levels:
            raise TargetError(
                f"the math library for {target.name} would be one for several levels",
                fix=f"name the level: --target {target.levels[0]},{target.levels[-1]}",
            )
    make_folder(out)
    texts = {
        "README.md": readme_text(functions, targets),
        f"{NAME}.h": header_text(functions),
        f"{NAME}_replace.h": replacing_header(functions),
        **linked_packages(functions, targets),
    }
    check_free(out, ["rust", *(target.name for target in targets)], list(texts), _MARKS)
    built: list[Built] = []
    for target in targets:
        with work_folder() as folder:
            made = _Target(functions, target, folder, show or silent).make()
            built.append(Built(target.name, move(folder, made, out / target.name)))
    return [*built, Built("", write(out, texts))]


def exported_symbols(functions: Sequence[MathFunction]) -> list[str]:
    """Every C function of a library, in the header's order."""
    found = [PINNED]
    for function in functions:
        found += [function.symbol(t) for t in WIDTHS]
        found += [function.array_symbol(t) for t in WIDTHS]
    return found


@dataclass(frozen=True, slots=True)
class _Target:
    """One target's files, made in a working folder."""

    functions: Sequence[MathFunction]
    target: Target
    folder: Path
    show: Show

    def make(self) -> list[str]:
        """Make all files and return their names."""
        made: list[str] = []
        packages = target_packages(self.functions, self.target)
        for name, text in packages.items():
            (self.folder / name).write_text(text, encoding="utf-8", newline="\n")
        for name, code in objects(self.functions, self.target):
            self.show(self.target.name, name.removesuffix(".o").replace("_", " "))
            (self.folder / name).write_bytes(code)
            made.append(name)
        (self.folder / "run.c").write_text(render("math/run.c"), encoding="utf-8", newline="\n")
        made.append("run.o")
        if not self.target.zig:
            return [*self._module(made), *packages]
        self._compile(self.target.zig, self.target.zig_cpu)
        self.show(self.target.name, "libraries")
        files = [f"lib{NAME}.a"]
        toolchain.archive(self.folder, self.target.zig, files[0], made)
        files.append(self._drop_in([name for name in made if "_loops" not in name]))
        platform = platform_of(self.target)
        if platform.shared:
            files += [text.format(NAME) for text in (platform.shared, *platform.extra)]
            options = [option.format(NAME) for option in platform.link]
            zig, cpu = self.target.zig, self.target.zig_cpu
            toolchain.link(self.folder, zig, cpu, platform.shared.format(NAME), *options, *made)
        return [*files, *packages]

    def _drop_in(self, made: Sequence[str]) -> str:
        """The archive with C's names and the functions that they call."""
        names: list[str] = []
        for name, code in named_objects(self.functions, self.target):
            (self.folder / name).write_bytes(code)
            names.append(name)
        archive = f"lib{NAME}_libm.a"
        toolchain.archive(self.folder, self.target.zig, archive, [*names, *made])
        return archive

    def _compile(self, zig: str, cpu: str) -> None:
        toolchain.compile_c(self.folder, zig, cpu, "run.c", "run.o", "-ffreestanding")

    def _module(self, made: list[str]) -> list[str]:
        """The WebAssembly module."""
        self._compile("wasm32-freestanding", "mvp")
        (self.folder / "memory.o").write_bytes(engine.compile_text(WASM_MEMORY, self.target))
        exports = [f"--export={symbol}" for symbol in exported_symbols(self.functions)]
        options = ["--no-entry", "--strip-all", "--gc-sections", "--stack-first"]
        options += ["-z", f"stack-size={WASM_STACK}", "--export=__heap_base", "--export-table"]
        toolchain.zig(
            self.folder,
            ["wasm-ld", *options, *exports, *made, "memory.o", "-o", f"{NAME}.wasm"],
        )
        return [f"{NAME}.wasm"]
