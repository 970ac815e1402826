"""The conditions on this host that can change floating-point results outside kernels, row by row.

Each row has a value and a verdict: `ok`, `note` (differs between machines; with consequence and
remedy) or `warning` (something is wrong here). Knows nothing of how rows are printed.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from samebits.backend.llvm import engine
from samebits.errors import SamebitsError
from samebits.runtime.fingerprint import Fingerprint, math_fingerprint, processor
from samebits.runtime.fp_state.registers import REGISTERS
from samebits.runtime.fp_state.threads import ThreadState, threads
from samebits.version import __version__

Verdict = Literal["ok", "note", "warning"]


@dataclass(frozen=True, slots=True)
class HostRow:
    """One fact. `consequence` and `remedy` are empty if the verdict is ok."""

    name: str
    value: str
    verdict: Verdict = "ok"
    consequence: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Rows that belong together."""

    title: str
    rows: tuple[HostRow, ...]


FOREIGN = (
    "kernels pin their own environment and keep their bits; Python, NumPy and other libraries on "
    "this thread round or flush differently"
)
INHERITED = "find what set it: samebits doctor PROGRAM.py; or compute inside sb.fpenv.pinned()"

VARIABLES = {
    "GLIBC_TUNABLES": "chooses among the C library's versions of sin, exp and others",
    "LD_PRELOAD": "may put other functions in the place of the C library's",
    "DYLD_INSERT_LIBRARIES": "may put other functions in the place of the C library's",
    "NPY_DISABLE_CPU_FEATURES": "makes NumPy use other loops than this processor's",
    "NPY_ENABLE_CPU_FEATURES": "makes NumPy use other loops than this processor's",
    "OPENBLAS_CORETYPE": "makes OpenBLAS use the loops of another processor",
    "OPENBLAS_NUM_THREADS": "changes how BLAS cuts sums into parts",
    "OMP_NUM_THREADS": "changes how libraries with OpenMP cut sums into parts",
    "MKL_NUM_THREADS": "changes how MKL cuts sums into parts",
    "MKL_CBWR": "fixes MKL's code path",
    "MKL_DEBUG_CPU_TYPE": "makes MKL use the loops of another processor",
    "VECLIB_MAXIMUM_THREADS": "changes how Accelerate cuts sums into parts",
}
"""Environment variables that change the host's results, and how."""


def sections(peer: Fingerprint | None = None) -> list[Section]:
    """All facts on this process and its host. `peer` is compared with the math fingerprint."""
    return [
        Section("machine", tuple(_machine())),
        Section("floating-point environment", tuple(thread_rows(threads()))),
        Section("host libraries", tuple(_libraries())),
        Section("fingerprint", tuple(_fingerprint(peer))),
    ]


def _machine() -> list[HostRow]:
    target = engine.host_target()
    system = f"{platform.system()} {platform.release()}, {platform.machine()}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return [
        HostRow("system", system),
        HostRow("processor", processor()),
        HostRow("target", f"{target.name}, tuned for {target.tune or target.cpu}"),
        HostRow("Python", python),
        HostRow("samebits", f"{__version__}, {engine.llvm_version()}"),
    ]


def thread_rows(found: Sequence[ThreadState], remedy: str = INHERITED) -> list[HostRow]:
    """A row for each thread; healthy threads with equal state share one.

    `remedy` is the advice for the others.
    """
    rows: list[HostRow] = []
    healthy: dict[str, list[ThreadState]] = {}
    for thread in found:
        if thread.state is None:
            reason = thread.reason or "unknown"
            rows.append(HostRow(_thread(thread), f"not readable: {reason}", "note",
                            "nothing is known of this thread",
                            "call sb.fpenv.state() on it"))  # fmt: skip
        elif thread.state.oddities():
            fix = remedy if thread.library is None else _own_threads(thread.library, remedy)
            rows.append(HostRow(_thread(thread), str(thread.state), "warning", FOREIGN, fix))
        else:
            row = REGISTERS[thread.state.register]
            shown = replace(thread.state, word=thread.state.word & ~row.sticky)
            healthy.setdefault(str(shown), []).append(thread)
    for text, alike in healthy.items():
        name = _thread(alike[0]) if len(alike) == 1 else f"{len(alike)} threads"
        rows.insert(0, HostRow(name, text))
    return rows


def _own_threads(library: str, remedy: str) -> str:
    name = os.path.basename(library)
    then = "build it without -ffast-math" if remedy is INHERITED else remedy
    return f"{name} sets it on its own threads, or started them where it was set; {then}"


def _thread(thread: ThreadState) -> str:
    name = thread.name if thread.is_python else f"{thread.name or 'unnamed'}, not Python's"
    if thread.library is not None:
        name += f", of {thread.library}"
    return f"thread {thread.number} ({name})"


def _libraries() -> list[HostRow]:
    differs = "its functions and sums are not the same on every processor and in every version"
    rows = [
        HostRow("libm", _libm(), "note", "every C library rounds sin, exp and pow in its own way",
            "use samebits' math where bits matter"),
        HostRow("NumPy", f"{np.__version__}, {_dispatch()}", "note", differs,
            "use samebits' math and reductions where bits matter"),
        HostRow("BLAS", _blas(), "note",
            "matrix products depend on its version, the processor and the number of threads",
            "write products that must agree as kernels"),
        _hash_seed(),
    ]  # fmt: skip
    for name, effect in VARIABLES.items():
        value = os.environ.get(name)
        if value:
            fix = f"unset {name}, or set it the same on every machine"
            rows.append(HostRow(name, f"{value:.60}", "note", effect, fix))
    return rows


def _libm() -> str:
    name, version = platform.libc_ver()
    if name:
        return f"{name} {version}"
    return "musl, or unknown" if sys.platform.startswith("linux") else f"{platform.system()}'s"


def _numpy_configuration(part: str) -> dict[str, Any]:
    config = cast("dict[str, Any] | None", np.show_config(mode="dicts"))
    return (config or {}).get(part, {})


def _dispatch() -> str:
    extensions = _numpy_configuration("SIMD Extensions")
    found: list[str] = [*extensions.get("baseline", ()), *extensions.get("found", ())]
    return f"loops for {', '.join(found)}" if found else "no loops for a particular processor"


def _blas() -> str:
    blas = _numpy_configuration("Build Dependencies").get("blas", {})
    if not blas.get("found"):
        return "NumPy's own"
    core = _openblas_core()
    loops = f", loops for {core}" if core else ""
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip() + loops


_CORE_NAMES = ("scipy_openblas_get_corename64_", "scipy_openblas_get_corename",
               "openblas_get_corename64_", "openblas_get_corename")  # fmt: skip
"""Names of OpenBLAS's function that returns the processor whose loops it uses."""


def _openblas_core() -> str:
    """The processor that the loaded OpenBLAS has detected; empty if it does not say."""
    try:
        mapped = Path("/proc/self/maps").read_text(errors="replace")
    except OSError:
        return ""
    for path in sorted({line.split()[-1] for line in mapped.splitlines() if "openblas" in line}):
        try:
            library = ctypes.CDLL(path)
        except OSError:  # its file was replaced since
            continue
        for name in _CORE_NAMES:
            if hasattr(library, name):
                function = getattr(library, name)
                function.argtypes, function.restype = (), ctypes.c_char_p
                return (function() or b"").decode("ascii", "replace")
    return ""


def _hash_seed() -> HostRow:
    seed = os.environ.get("PYTHONHASHSEED", "")
    if not sys.flags.hash_randomization:
        return HostRow("hash seed", "0: the same in every process")
    if seed not in ("", "random"):
        return HostRow("hash seed", f"{seed}: the same in every process")
    return HostRow(
        "hash seed", "another in every process", "note",
        "sets of strings have another order in every process, and so have sums over them",
        "sort what you iterate over, or set PYTHONHASHSEED=0",
    )  # fmt: skip


def _fingerprint(peer: Fingerprint | None) -> list[HostRow]:
    try:
        own = math_fingerprint()
    except SamebitsError as error:
        return [HostRow("math", f"none: {error.message}", "warning", "kernels do not run here", "")]
    if not own.sound:
        first = HostRow(
            "math", str(own), "warning", "STRICT operations give other bits than everywhere else",
            "run the tests (make test): this processor, or this installation, is broken",
        )  # fmt: skip
    else:
        first = HostRow("math", f"{own}")
    if peer is None:
        return [first]
    return [first, _compared(own, peer)]


def _compared(own: Fingerprint, peer: Fingerprint) -> HostRow:
    difference = own.difference(peer)
    if difference is None:
        return HostRow("peer", f"{peer}: equal")
    if own.strict != peer.strict:
        return HostRow(
            "peer", str(peer), "warning", difference, "install the same samebits on both"
        )
    return HostRow("peer", str(peer), "note", difference, "compute what peers share in kernels")
