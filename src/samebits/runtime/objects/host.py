"""The host target and LLVM's version, stored in the object cache.

A process that compiles nothing need not load LLVM.

An entry is for one processor, as the system describes it, one system, and one LLVM library,
identified by metadata that no copy of a file has.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

from samebits.backend.objects import CompiledObject
from samebits.compiling import lock
from samebits.lang.signal_safe import closing_descriptors, open_descriptor
from samebits.lang.stacks import loaded
from samebits.runtime.cache import compiler_fingerprint, current_cache, digest

if TYPE_CHECKING:
    from samebits.backend.targets.table import Target

PROCESSORS = "/proc/cpuinfo"
_BYTES = 1 << 14
_VARYING = {
    "processor", "cpu MHz", "physical id", "siblings", "core id", "cpu cores", "apicid",
    "initial apicid", "bogomips",
}  # fmt: skip
"""Fields of the processor's description that do not determine its abilities."""
_LLVM = {"win32": "llvmlite.dll", "darwin": "libllvmlite.dylib"}.get(sys.platform, "libllvmlite.so")


class Host:
    """The host's target without the table of targets, which a process that finds its objects in the
    cache need not load: some columns of its row, and the triple and processor that LLVM names;
    `llvm` is LLVM's version."""

    __slots__ = ("architecture", "cpu", "fp_control", "llvm", "name", "triple", "tune")

    def __init__(
        self,
        name: str,
        architecture: str,
        fp_control: str | None,
        triple: str,
        cpu: str,
        tune: str,
        llvm: str,
    ) -> None:
        self.name, self.architecture, self.fp_control = name, architecture, fp_control
        self.triple, self.cpu, self.tune, self.llvm = triple, cpu, tune, llvm

    @property
    def row(self) -> tuple[str, str, str, str]:
        """What tells it from other targets of one compiler: as of `Target`."""
        return self.name, self.triple, self.cpu, self.tune


def host_target() -> Target:
    """As `engine.host_target`. Raises TargetError if the host has no row."""
    return _target(host())


def llvm_version() -> str:
    """As `engine.llvm_version`."""
    return host().llvm


@cache
def host() -> Host:
    """The facts of `host_target()` and `llvm_version()`. Raises TargetError if the host has no
    row."""
    store = current_cache()
    key = None if store is None else _key()
    if store is None or key is None:
        return loaded(_asked)
    found = store.get(key)
    if found is not None:
        name, architecture, control, *rest = found.object_bytes.decode().split("\n")
        return Host(name, architecture, control or None, *rest)
    made = loaded(_asked)
    columns = made.name, made.architecture, made.fp_control or ""
    note = "\n".join((*columns, made.triple, made.cpu, made.tune, made.llvm))
    store.put(key, CompiledObject(note.encode(), ()))
    return made


@cache
def _target(known: Host) -> Target:
    with lock():
        from samebits.backend.targets.table import TARGETS
    return TARGETS[known.name]._replace(triple=known.triple, tune=known.tune)


def _asked() -> Host:
    with lock():
        from samebits.backend.llvm import engine

        t = engine.host_target()
        columns = t.name, t.architecture, t.fp_control, t.triple, t.cpu, t.tune
        return Host(*columns, engine.llvm_version())


def _key() -> str | None:
    """The cache key of the answers; None if it cannot be determined without LLVM."""
    processor, library = _processor(), _library()
    if processor is None or library is None:
        return None
    system = os.uname()
    parts = (system.sysname, system.release, system.version, system.machine)
    return digest("host", processor, library, *parts, compiler_fingerprint())


def _processor() -> str | None:
    """Linux's description of the first processor: its model, and every feature by name."""
    held: list[int] = []
    try:
        with closing_descriptors(held):
            handle = open_descriptor(held, PROCESSORS, os.O_RDONLY)
            text = os.read(handle, _BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    first, end, _ = text.partition("\n\n")
    fields = {line: line.split(":", 1)[0].strip() for line in first.splitlines()}
    if not end or {"flags", "Features"}.isdisjoint(fields.values()):
        return None
    return "\n".join(line for line, name in fields.items() if name not in _VARYING)


def _library() -> str | None:
    """Metadata of LLVM's shared library, and of the file with llvmlite's version, that changes
    whenever they do."""
    spec: Any = PathFinder.find_spec("llvmlite")
    rows: list[str] = []
    try:
        for folder in spec.submodule_search_locations:
            for path in (f"{folder}/binding/{_LLVM}", f"{folder}/_version.py"):
                s = os.stat(path)
                changed = f"{s.st_size} {s.st_mtime_ns} {s.st_ctime_ns}"
                rows.append(f"{path} {s.st_dev} {s.st_ino} {changed}")
    except (AttributeError, OSError, TypeError):
        return None
    return "\n".join(rows) or None
