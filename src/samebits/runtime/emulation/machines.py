"""The machine that runs each target here, and compiled objects as emulated programs."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys

from samebits.backend.objects import CompiledObject
from samebits.backend.targets.table import QEMU_PACKAGE, Target
from samebits.errors import RunnerError
from samebits.runtime.emulation.link import HERE, link_program, link_wasm
from samebits.runtime.emulation.remote import LIMIT_SECONDS, Remote
from samebits.runtime.work_folders import folder_of

WASM_DRIVER = HERE / "wasm_driver.py"
_UNKNOWN_TO_QEMU = "avx512"
"""Name prefix of features that no release of qemu-x86_64 emulates."""


def emulation_reason(target: Target) -> str | None:
    """Why `target` cannot run in an emulator here, with what to install; None if it can."""
    if target.runner is None:
        return "only object code is made for it here"
    if os.name != "posix":
        return "emulated targets run on POSIX systems"
    wheels = ["ziglang", *(["wasmtime"] if target.runner == "wasmtime" else [])]
    missing = [name for name in wheels if importlib.util.find_spec(name) is None]
    if missing:
        return f"install {' and '.join(missing)} (pip install 'samebits[targets]')"
    if target.runner == "wasmtime":
        return None
    if any(name.startswith(_UNKNOWN_TO_QEMU) for name in target.requires):
        return f"{target.qemu} does not know {_UNKNOWN_TO_QEMU.upper()}"
    if not sys.platform.startswith("linux"):
        return f"{target.qemu} runs on Linux"
    if shutil.which(target.qemu) is None:
        return f"install {QEMU_PACKAGE} (apt-get install {QEMU_PACKAGE})"
    return None


class EmulatedProgram:
    """A linked object. Its folder lives as long as this object."""

    def __init__(self, compiled: CompiledObject, entries: int, target: Target) -> None:
        """Link the object. Raises RunnerError, also if `target` cannot run here."""
        reason = emulation_reason(target)
        if reason is not None:
            raise RunnerError(f"target '{target.name}' cannot run here: {reason}")
        self.target = target
        self.traps = compiled.traps
        folder = folder_of(self)
        if target.runner == "wasmtime":
            module = link_wasm(compiled.object_bytes, target, entries, folder)
            self._command = [sys.executable, "-P", str(WASM_DRIVER), str(module)]
        else:
            program = link_program(compiled.object_bytes, target, entries, folder)
            cpu = ["-cpu", target.qemu_cpu] if target.qemu_cpu else []
            self._command = [target.qemu, *cpu, str(program)]

    def start(self, limit: float = LIMIT_SECONDS) -> Remote:
        """Start a new process of it. Raises RunnerError."""
        return Remote(self._command, self.target.little_endian, limit)
