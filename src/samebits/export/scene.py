"""A scene whose `draw` is a kernel, as a WebAssembly module of its own.

It takes canonical bytes of a state and gives shapes. The simulation's module stays as it is: how a
state looks is no part of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from samebits.backend.emit.module import emit_module
from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import compile_emitted
from samebits.backend.objects import TrapSite
from samebits.backend.targets.table import TARGETS
from samebits.containers.list import List
from samebits.export import toolchain
from samebits.export.codec import codec_text
from samebits.export.header import header_text, places
from samebits.export.interface import Interface, TrapLine
from samebits.export.library import named
from samebits.export.templates import render
from samebits.export.wasm import C_CPU, C_TARGET, link
from samebits.frontend.compile import compile_kernel
from samebits.frontend.compile import link as linked
from samebits.lang.executions import executions
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.passes.semantics.float_modes import lower_float_modes
from samebits.passes.without_output import without_output
from samebits.runtime.emulation.link import WASM_MEMORY
from samebits.runtime.work_folders import work_folder
from samebits.scene.marks import Mark

_TARGET = TARGETS["wasm32"]


@dataclass(frozen=True)
class SceneModule:
    """The module, and what its statuses 1, 2, … stand for."""

    wasm: bytes
    traps: tuple[TrapLine, ...]


def scene_module(interface: Interface) -> SceneModule | None:
    """The module of a simulation's scene; None where it has none whose `draw` is a kernel.

    Raises CompileError, TargetError if a tool fails or is missing.
    """
    scene = interface.simulation.scene
    if scene is None or scene.kernel is None:
        return None
    kernel, _, capacity = scene.kernel
    whole: Any = List[Mark, capacity]
    name = interface.name
    with work_folder() as folder:
        code, sites = _object(kernel, name)
        (folder / "kernels.o").write_bytes(code)
        (folder / "memory.o").write_bytes(engine.compile_text(WASM_MEMORY, _TARGET))
        for file, text in (
            ("wasm.h", render("wasm.h")),
            (f"{name}.h", header_text(interface, ())),
            ("scene.c", _source(interface, whole.__sb_type__.size)),
        ):
            (folder / file).write_text(text, encoding="utf-8", newline="\n")
        options = ["-ffreestanding", "-Wno-unused-function"]
        toolchain.compile_c(folder, C_TARGET, C_CPU, "scene.c", "scene.o", *options)
        link(folder, ["kernels.o", "memory.o", "scene.o"], "scene.wasm")
        wasm = (folder / "scene.wasm").read_bytes()
    return SceneModule(wasm, tuple(interface.trap_lines(sites)))


def _object(kernel: Kernel, name: str) -> tuple[bytes, tuple[TrapSite, ...]]:
    unit = compile_kernel(kernel, kernel.signature.resolve(()))
    entries = (unit.function.name,)
    with executions.pinned():  # constants are folded with this thread's arithmetic
        module = without_output(lower_float_modes(linked(unit)))
        emitted = emit_module(optimise(module, entries, blocks=False), entries, _TARGET)
        own = replace(emitted, text=named(emitted.text, name, [f"{name}_scene_draw"]))
        return compile_emitted(own, _TARGET), emitted.traps


def _source(interface: Interface, size: int) -> str:
    return render(
        "scene.c",
        **places(interface),
        CODEC=codec_text(interface),
        PUT_STATE=interface.structs[interface.state],
        MARKS_BYTES=size,
    )
