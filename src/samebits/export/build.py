"""`samebits build`: one folder per target, complete for clients and independent of this host."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from samebits.backend.llvm import engine
from samebits.backend.objects import TrapSite
from samebits.backend.targets.table import FAMILIES, TARGETS, Target, of_levels
from samebits.errors import TargetError
from samebits.export import toolchain, wasm
from samebits.export.header import header_text, places
from samebits.export.interface import Interface, interface_of
from samebits.export.library import Kernels, kernels_of, level_name, library_text
from samebits.export.output_folder import (
    Built,
    Show,
    check_free,
    make_folder,
    move,
    silent,
    write,
)
from samebits.export.peer import codec_of, peer_header_text, peer_text
from samebits.export.platforms import platform_of
from samebits.export.readme import cmake_text, readme_text
from samebits.export.report import report_text
from samebits.export.templates import render
from samebits.runtime.emulation.link import LINUX
from samebits.runtime.work_folders import work_folder
from samebits.sim.simulation import Simulation

_MARKS = (
    b"A simulation that gives the same bits on every machine, as a library.",
    b": a simulation with the same bits on every machine.",
    b": a peer of a match over a network.",
    b" as the CMake target ",
)
"""Each text that a build writes begins with one of these."""

_FILES = ("library.c", "report.c")
"""The C files around the kernels, and `peer.c` where there is a peer."""


def host_row() -> str:
    """The name of the row for this machine: its highest level. Raises TargetError."""
    row = engine.host_target()
    if sys.platform == "darwin":
        return f"{row.architecture}-macos"
    return "x86_64-windows" if sys.platform == "win32" else row.name


def choose_targets(names: Sequence[str]) -> tuple[Target, ...]:
    """The targets of those names, or this machine's if none is named. Raises TargetError."""
    found = {name: TARGETS.get(name) or of_levels(name) for name in names or [host_row()]}
    for name, target in found.items():
        if target is None:
            raise TargetError(
                f"there is no target '{name}'",
                note=f"the targets are {', '.join(TARGETS)}, and {', '.join(FAMILIES)} for all "
                "levels in one library, or x86-64-v1+v3 for some",
                fix="choose among them; without --target, it is this machine's",
            )
    return tuple(target for target in found.values() if target is not None)


def build(
    simulation: Simulation,
    targets: Sequence[Target],
    out: Path,
    name: str | None = None,
    show: Show | None = None,
) -> list[Built]:
    """Write everything for each target below `out`, which is created if missing.

    The same simulation gives the same bytes, on any machine, into any folder. Raises
    CompileError, TargetError if a tool fails or is missing, SimulationError if `out` cannot be
    written.
    """
    toolchain.require_zig()
    make_folder(out)
    interface = interface_of(simulation, name)
    files = ["README.md", *(f"{interface.name}{end}" for end in (".cmake", ".h", "_peer.h"))]
    check_free(out, [target.name for target in targets], files, _MARKS)
    kernels = kernels_of(simulation.program)
    built: list[Built] = []
    for target in targets:
        with work_folder() as folder:
            made = _Target(interface, kernels, target, folder, show or silent).make()
            built.append(Built(target.name, move(folder, made, out / target.name)))
    text = {"README.md": readme_text(interface, targets)}
    if any(target.zig for target in targets):
        text[f"{interface.name}.cmake"] = cmake_text(interface, targets)
        # The traps follow from the IR, so that every target has the same table.
        text[f"{interface.name}.h"] = header_text(interface, kernels.sites(targets[0]))
        if (codec := codec_of(interface)) is not None:
            text[f"{interface.name}_peer.h"] = peer_header_text(interface, codec)
    return [*built, Built("", write(out, text))]


@dataclass(frozen=True, slots=True)
class _Target:
    """One target's files, made in a working folder."""

    interface: Interface
    kernels: Kernels
    target: Target
    folder: Path
    show: Show

    @property
    def name(self) -> str:
        return self.interface.name

    def make(self) -> list[str]:
        """Make all files and return their names."""
        self.show(self.target.name, "kernels")
        levels = [TARGETS[name] for name in self.target.levels]
        objects = [f"kernels-v{level.level}.o" for level in levels] or ["kernels.o"]
        prefixes = [level_name(self.name, level) for level in levels] or [self.name]
        sites: tuple[TrapSite, ...] = ()
        for row, file, prefix in zip(levels or [self.target], objects, prefixes, strict=True):
            code, sites = self.kernels.object_code(row, prefix)
            self._write(file, code)
        self._write(f"{self.name}.h", header_text(self.interface, sites).encode())
        self._write("library.c", library_text(self.interface, sites, levels).encode())
        self._write("report.c", report_text(self.interface, sites, self.target).encode())
        files = [*_FILES]
        if (codec := codec_of(self.interface)) is not None:
            self._write(f"{self.name}_peer.h", peer_header_text(self.interface, codec).encode())
            self._write("peer.c", peer_text(self.interface, codec, self.target).encode())
            files.append("peer.c")
        if not self.target.zig:
            self.show(self.target.name, "module")
            return wasm.make(self.interface, self.target, self.folder, sites)
        platform = platform_of(self.target)
        self.show(self.target.name, "static library")
        made = [f"lib{self.name}.a"]
        own = [self._compiled(file, "", ".o") for file in files]
        toolchain.archive(self.folder, self.target.zig, made[0], [*own, *objects])
        if platform.shared:
            self.show(self.target.name, "shared library")
            own = [self._compiled(file, platform.export, "-shared.o") for file in files]
            made += [text.format(self.name) for text in (platform.shared, *platform.extra)]
            options = [option.format(self.name) for option in platform.link]
            self._link(made[1], *options, *own, *objects)
        if platform.program:
            first = "" if platform.without_libc else " (the first one takes a minute or two)"
            self.show(self.target.name, f"verifier{first}")
            self._write("verify.c", render("verify.c", **places(self.interface)).encode())
            made.append(platform.program.format(self.name))
            self._verifier(made[-1], made[0], platform.without_libc)
        return made

    def _verifier(self, out: str, library: str, without_libc: bool) -> None:
        if not without_libc:
            toolchain.compile_c(
                self.folder, self.target.zig, self.target.zig_cpu, "verify.c", "verify.o",
                "-D_CRT_SECURE_NO_WARNINGS",
            )  # fmt: skip
            self._link(out, "verify.o", library)
            return
        self._write("linux.h", LINUX.read_bytes())
        # Otherwise the memory functions would be compiled to calls of themselves.
        options = ["-fno-builtin", f"-D{self.name.upper()}_WITHOUT_LIBC", "-std=c11"]
        self._compile("verify.c", "verify.o", *options)
        link = ["ld.lld", "-static", "-s", "--gc-sections", "--build-id=none", "-e", "_start"]
        toolchain.zig(self.folder, [*link, "verify.o", library, "-o", out])

    def _write(self, name: str, data: bytes) -> None:
        (self.folder / name).write_bytes(data)

    def _compiled(self, file: str, export: str, ending: str) -> str:
        """The object of a file of the library, whose functions are declared with `export`."""
        out = file.removesuffix(".c") + ending
        self._compile(file, out, f"-D{self.name.upper()}_API={export}")
        return out

    def _compile(self, source: str, out: str, *more: str) -> None:
        toolchain.compile_c(
            self.folder, self.target.zig, self.target.zig_cpu, source, out, "-ffreestanding", *more
        )

    def _link(self, out: str, *arguments: str) -> None:
        toolchain.link(self.folder, self.target.zig, self.target.zig_cpu, out, *arguments)
