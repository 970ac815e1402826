"""`make bench`: measure, print, write this kind of machine's page, and RESULTS.md of all kinds."""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks import (
    arena_speed,
    call_cost,
    compile_time,
    export_speed,
    figures,
    growth,
    machines,
    memory,
    overview,
    plot,
    report,
    scaling,
    suite,
)
from benchmarks.latency import latencies

PARTS = (
    *suite.NAMES, *suite.UNTUNED, "scaling", "latency", "calls", "compiling", "arena", "exports",
    "memory", "growth",
)  # fmt: skip


def main() -> int:
    """Run what the options ask for; 1 if samebits and C left different bits, else 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="interleaved rounds (default 15)")
    parser.add_argument("--only", nargs="+", choices=PARTS,
                        help="these parts alone; pages are then left as they are")  # fmt: skip
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    chosen = options.only or PARTS
    rows: list[suite.Row] = []
    untuned: list[suite.Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in (*suite.NAMES, *suite.UNTUNED):
            if name in chosen:
                row = suite.measure(name, options.rounds, Path(folder))
                (untuned if name in suite.UNTUNED else rows).append(row)
                print(f"{name}: {row.against_c:.2f} C, {row.against_numba:.2f} Numba",
                      file=sys.stderr)  # fmt: skip
    parallel = scaling.measure_all(options.rounds) if "scaling" in chosen else []
    arena = arena_speed.measure() if "arena" in chosen else None
    exports = export_speed.measure(options.rounds) if "exports" in chosen else []
    peak = memory.measure() if "memory" in chosen else None
    times = latencies() if "latency" in chosen else []
    calls = call_cost.measure(10 * options.rounds) if "calls" in chosen else []
    compiling = compile_time.measure() if "compiling" in chosen else []
    grown = growth.measure() if "growth" in chosen else []
    text = report.document(
        rows, parallel, times, compiling, arena, peak, exports, options.rounds, calls, untuned
    )
    print(text)
    for line in growth.lines(grown):
        print(line)
    if options.only is None:
        figures.add(
            kernels=suite.figures(rows), untuned=suite.figures(untuned),
            parallel=scaling.figures(parallel), growth=growth.figures(grown),
        )  # fmt: skip
        place = machines.folder()
        (place / "kernels.md").write_text(text)
        plot.draw(rows, place / "costs.svg")
        growth.draw(grown, place / "growth.svg")
        overview.write()
    all_rows = (*rows, *untuned)
    return 0 if all(row.same_bits or not row.benchmark.exact for row in all_rows) else 1


if __name__ == "__main__":
    sys.exit(main())
