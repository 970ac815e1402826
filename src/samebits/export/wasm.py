"""A WebAssembly module with its JavaScript wrapper and TypeScript declarations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from samebits.backend.llvm import engine
from samebits.backend.objects import TrapSite
from samebits.backend.targets.table import Target
from samebits.export import match, toolchain
from samebits.export.header import places, printable
from samebits.export.interface import Interface
from samebits.export.peer import codec_of
from samebits.export.templates import render
from samebits.export.views import declarations_text, view_name, views_text
from samebits.runtime.emulation.link import WASM_MEMORY, WASM_STACK

C_TARGET = "wasm32-freestanding"
C_CPU = "mvp"
"""The features of the code around the kernels: no more than the kernels need."""


def file_names(interface: Interface) -> list[str]:
    """The module's files, and those of the peer of a match where there is one. TypeScript has a
    .mjs file's types in .d.mts, other tools in .d.ts."""
    names = [interface.name, *[f"{interface.name}_match"] * (codec_of(interface) is not None)]
    return [f"{name}.{form}" for name in names for form in ("wasm", "mjs", "d.mts", "d.ts")]


def make(
    interface: Interface, target: Target, folder: Path, sites: tuple[TrapSite, ...]
) -> list[str]:
    """Make the module's files in `folder`, beside the kernels and the library's files, and return
    their names."""
    name = interface.name
    (folder / "module.c").write_text(_module_c(interface), encoding="utf-8", newline="\n")
    (folder / "memory.o").write_bytes(engine.compile_text(WASM_MEMORY, target))
    (folder / "wasm.h").write_text(render("wasm.h"), encoding="utf-8", newline="\n")
    both = ["kernels.o", "memory.o", _compiled(folder, "library"), _compiled(folder, "report")]
    link(folder, [*both, _compiled(folder, "module")], f"{name}.wasm")
    codec = codec_of(interface)
    if codec is not None:
        for file, text in match.sources(interface, codec).items():
            (folder / file).write_text(text, encoding="utf-8", newline="\n")
        own = [_compiled(folder, "peer"), _compiled(folder, "match")]
        link(folder, [*both, *own], f"{name}_match.wasm")
    facts = _facts(interface)
    for form, text in (
        ("mjs", render("module.mjs", **facts, **_script(interface, sites))),
        ("d.mts", render("module.d.mts", **facts, TYPES=declarations_text(interface))),
        ("d.ts", render("module.d.ts", **facts)),
    ):
        (folder / f"{name}.{form}").write_text(text, encoding="utf-8", newline="\n")
    return file_names(interface)


def _compiled(folder: Path, part: str) -> str:
    """The object of a C file around the kernels."""
    out = f"{part}.o"
    toolchain.compile_c(folder, C_TARGET, C_CPU, f"{part}.c", out, "-ffreestanding")
    return out


def link(folder: Path, objects: Sequence[str], out: str) -> None:
    """Link objects to a module without an entry, stripped."""
    options = ["--no-entry", "--strip-all", "--gc-sections", "--stack-first"]
    toolchain.zig(
        folder, ["wasm-ld", *options, "-z", f"stack-size={WASM_STACK}", *objects, "-o", out]
    )


def _module_c(interface: Interface) -> str:
    block = interface.block_frames
    return render(
        "module.c",
        **places(interface),
        BLOCK=block,
        BYTES=max(interface.state_bytes, block * interface.players * interface.input_bytes),
    )


def _facts(interface: Interface) -> dict[str, object]:
    return {
        **places(interface),
        "SIMULATION": printable(interface.simulation.name),
        "STATE_VIEW": view_name(interface, interface.state),
        "INPUT_VIEW": view_name(interface, interface.input),
    }


def _script(interface: Interface, sites: tuple[TrapSite, ...]) -> dict[str, object]:
    simulation = interface.simulation
    rows = [[t.message, t.file, t.function, t.line] for t in interface.trap_lines(sites)]
    return {
        "NAME_TEXT": json.dumps(simulation.name),
        "VERSION": json.dumps(simulation.version),
        "INPUT_SIZE": interface.input.size,
        "BLOCK": interface.block_frames,
        "TRAPS": json.dumps(rows, indent=2),
        "VIEWS": views_text(interface),
    }
