"""A machine's page: ratios, goals beside them, and what the figures were measured with."""

import os
from collections.abc import Sequence

from benchmarks import compile_time, export_speed, scaling
from benchmarks.arena_speed import GOAL, ArenaSpeed
from benchmarks.call_cost import CallCost
from benchmarks.compile_time import CompileTime
from benchmarks.export_speed import ExportSpeed
from benchmarks.latency import Latency
from benchmarks.machines import machine, title
from benchmarks.memory import FEW, FRAMES, Memory
from benchmarks.scaling import Scaling
from benchmarks.suite import Row
from benchmarks.tables import astray, cost_table, kernel_table, untuned_table, verdict

CALLS = (
    "CPU time of one call of a kernel with next to no work, or of a method of a session whose "
    "state has two floats: the least of interleaved rounds, the loop around them included. Nothing "
    "at all is a C function of as many arguments by CPython's quickest convention, METH_FASTCALL, "
    "which returns None: the floor."
)
COMPILING = (
    "First calls of new kernels in one process, with an object cache that is empty at first: CPU "
    "time, the least of a few neighbours and processes. The first kernel with math functions "
    "compiles what all later ones share."
)


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


def call_table(calls: Sequence[CallCost]) -> list[str]:
    lines = [
        "| a call from Python | samebits | Numba | ratio of speeds | nothing at all | goal | |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    for call in calls:
        theirs, ratio = "", ""
        if call.numba is not None:
            theirs, ratio = duration(call.numba), f"{call.numba / call.samebits:.2f}"
        lines.append(
            f"| {call.title} | {duration(call.samebits)} | {theirs} | {ratio} "
            f"| {duration(call.floor)} | ≤ {duration(call.goal)} | {verdict(call.reached)} |"
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
    parallel: list[Scaling],
    latencies: list[Latency],
    compiling: list[CompileTime],
    arena: ArenaSpeed | None,
    memory: Memory | None,
    exports: list[ExportSpeed],
    rounds: int,
    calls: Sequence[CallCost] = (),
    untuned: Sequence[Row] = (),
) -> str:
    """The page. Parts that were not measured are left out."""
    lines = [
        f"# Results on {title()}",
        "",
        "Made by `make bench`; the machine:",
        "",
        *machine(),
    ]
    if rows:
        costs = cost_table(rows)
        lines += [
            "",
            "## Kernels",
            "",
            "samebits beside clang and Numba with `fastmath=True` on the same algorithm and the "
            f"same memory: medians of {rounds} interleaved rounds in one process, thread CPU time. "
            "Ratios are speeds: above 1, the first is faster. STRICT kernels sum by the library's "
            "fixed-shape functions, and so does the C beside them; the others have plain loops.",
            "",
            *kernel_table(rows),
            *astray(rows),
        ]
        if costs:
            lines += [
                "",
                "## What modes and options cost",
                "",
                "Speeds relative to STRICT, from the same run: above 1, faster than STRICT.",
                "",
                *costs,
                "",
                "![Time of each variant relative to STRICT](costs.svg)",
            ]
    if untuned:
        lines += [
            "",
            "## Kernels that nobody tuned for",
            "",
            "Written first and measured then, with plain loops in every language: `gcc` with C's "
            "flags is a peer too, and the better of the two C compilers counts.",
            "",
            *untuned_table(untuned),
            *astray(untuned),
        ]
    if parallel:
        load = ", ".join(f"{average:.1f}" for average in os.getloadavg())
        lines += [
            "",
            "## Parallel ranges",
            "",
            "DETERMINISTIC kernels with `sb.prange`, and Numba's with `parallel=True`, on larger "
            f"inputs: the least wall time of {rounds} calls in turn, each the second of two after "
            "a pause of 10 ms, in which the other peers' threads come to rest. Against Numba, CPU "
            "times of one thread each are compared, and wall times of two. Load averages of the "
            f"machine afterwards: {load}, with {os.cpu_count()} processors.",
            "",
            *scaling.table(parallel),
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
    if calls:
        lines += ["", "## Calls", "", CALLS, "", *call_table(calls)]
    if compiling:
        lines += ["", "## Compile time", "", COMPILING, "", *compile_time.table(compiling)]
    return "\n".join(lines) + "\n"
