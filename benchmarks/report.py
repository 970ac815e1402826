"""How the figures read: RESULTS.md as ratios, goals beside them, and the machine."""

import datetime
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from benchmarks import export_speed
from benchmarks.arena_speed import GOAL, ArenaSpeed
from benchmarks.export_speed import ExportSpeed
from benchmarks.latency import Latency
from benchmarks.memory import FEW, FRAMES, Memory
from benchmarks.peers import C_FLAGS
from benchmarks.suite import (
    C_LEAST_GOAL,
    C_MEAN_GOAL,
    NUMBA_MEAN_GOAL,
    Row,
    geometric_mean,
)

RESULTS = Path(__file__).with_name("RESULTS.md")


def processor() -> str:
    """The processor's name, and which of the vector extensions that matter here it has."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    fields = dict(line.split(":", 1) for line in reversed(lines) if ":" in line)
    fields = {name.strip(): value.strip() for name, value in fields.items()}
    flags = fields.get("flags", "").split()
    extensions = [name for name in ("avx2", "avx512f") if name in flags]
    name = fields.get("model name", platform.machine())
    family, model = fields.get("cpu family", "?"), fields.get("model", "?")
    return f"{name} (family {family}, model {model}; {', '.join(extensions) or 'no AVX2'})"


def machine() -> list[str]:
    """Lines that say what the figures were measured with."""
    import llvmlite.binding

    clang = subprocess.run(
        [sys.executable, "-m", "ziglang", "cc", "--version"], capture_output=True, text=True
    ).stdout.splitlines()
    return [
        f"- {datetime.date.today().isoformat()}, {platform.system()} {platform.machine()}",
        f"- {processor()}",
        f"- Python {platform.python_version()}, NumPy {version('numpy')}, "
        f"samebits {version('samebits')}",
        f"- llvmlite {version('llvmlite')} (LLVM "
        f"{'.'.join(map(str, llvmlite.binding.llvm_version_info))}), Numba {version('numba')}",
        f"- C: `zig cc {' '.join(C_FLAGS)}`, {clang[0] if clang else 'unknown clang'}",
    ]


def verdict(reached: bool) -> str:
    return "reached" if reached else "**missed**"


def bits(row: Row) -> str:
    """Whether the C peer left the same bits, and why not where that is expected."""
    if not row.benchmark.exact:
        return f"not compared: {row.benchmark.reason}"
    return "same" if row.same_bits else "**differ**"


def kernel_table(rows: list[Row]) -> list[str]:
    """One line a kernel, then the geometric means and the goals."""
    lines = [
        "| kernel | samebits, µs | C, µs | Numba, µs | against C | against Numba | C's bits |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    for row in rows:
        times = (f"{seconds * 1e6:.1f}" for seconds in (row.samebits, row.c, row.numba))
        lines.append(
            f"| {row.benchmark.title} | {' | '.join(times)} | {row.against_c:.2f} "
            f"| {row.against_numba:.2f} | {bits(row)} |"
        )
    exact = [row for row in rows if row.benchmark.exact] or rows
    c_mean = geometric_mean(row.against_c for row in exact)
    numba_mean = geometric_mean(row.against_numba for row in rows)
    least = min(exact, key=lambda row: row.against_c)
    lines += [f"| **geometric mean** | | | | **{c_mean:.2f}** | **{numba_mean:.2f}** | |"]
    lines += [
        "",
        "The mean against C leaves out kernels that call the C library's functions.",
        "",
        "| goal | found | |",
        "|---|--:|---|",
        f"| against C, geometric mean ≥ {C_MEAN_GOAL} | {c_mean:.2f} "
        f"| {verdict(c_mean >= C_MEAN_GOAL)} |",
        f"| against C, no kernel under {C_LEAST_GOAL} | {least.against_c:.2f} "
        f"({least.benchmark.title}) | {verdict(least.against_c >= C_LEAST_GOAL)} |",
        f"| against Numba, geometric mean ≥ {NUMBA_MEAN_GOAL} | {numba_mean:.2f} "
        f"| {verdict(numba_mean >= NUMBA_MEAN_GOAL)} |",
    ]
    lines += [
        f"| against Numba, {row.benchmark.title} ≥ {row.benchmark.numba_goal} "
        f"| {row.against_numba:.2f} "
        f"| {verdict(row.against_numba >= row.benchmark.numba_goal)} |"
        for row in rows
        if row.benchmark.numba_goal is not None
    ]
    return lines


def duration(seconds: float) -> str:
    """Three figures in the unit that fits."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def latency_table(latencies: list[Latency]) -> list[str]:
    lines = ["| latency | wall | CPU | goal | |", "|---|--:|--:|--:|---|"]
    for latency in latencies:
        note = f", {latency.note}" if latency.note else ""
        lines.append(
            f"| {latency.title} | {' | '.join(map(duration, latency.times))} "
            f"| ≤ {duration(latency.goal)} "
            f"| {verdict(latency.reached)}{note} |"
        )
    return lines


def arena_lines(speed: ArenaSpeed) -> list[str]:
    agreement = "the same" if speed.same else "**different**"
    return [
        f"A frame takes {duration(speed.compiled)} in `session.run` and "
        f"{duration(speed.managed)} managed: {speed.ratio:,.0f} times as fast "
        f"(goal {GOAL:,.0f}: {verdict(speed.ratio >= GOAL)}); their hashes are {agreement}.",
    ]


def memory_lines(memory: Memory) -> list[str]:
    return [
        f"`samebits verify` of a replay of {FRAMES:,} frames ({memory.file_bytes / 1e6:.1f} MB) "
        f"in every execution here takes {duration(memory.seconds)} of CPU time and "
        f"{memory.many / 1e6:.1f} MB at its peak; {FEW:,} frames take {memory.few / 1e6:.1f} MB.",
    ]


def document(
    rows: list[Row],
    latencies: list[Latency],
    arena: ArenaSpeed | None,
    memory: Memory | None,
    exports: list[ExportSpeed],
    rounds: int,
) -> str:
    """RESULTS.md. Parts that were not measured are left out."""
    lines = [
        "# Results",
        "",
        "Made by `make bench`; the machine:",
        "",
        *machine(),
    ]
    if rows:
        lines += [
            "",
            "## Kernels",
            "",
            "STRICT against clang on an equivalent loop and against Numba with `fastmath=True`: "
            f"medians of {rounds} interleaved rounds in one process, thread CPU time. "
            "Ratios are speeds: above 1, samebits is faster.",
            "",
            *kernel_table(rows),
        ]
    if arena:
        lines += ["", "## Arena", "", *arena_lines(arena)]
    if exports:
        lines += [
            "",
            "## Out of Python",
            "",
            "The arena built by `samebits build`: speeds against the run inside Python at this "
            "machine's best level, and against that at x86-64-v1 with LLVM's vectorisers off; "
            "medians of interleaved rounds.",
            "",
            *export_speed.table(exports),
        ]
    if memory:
        lines += ["", "## Memory", "", *memory_lines(memory)]
    if latencies:
        lines += ["", "## Latency", "", *latency_table(latencies)]
    return "\n".join(lines) + "\n"
