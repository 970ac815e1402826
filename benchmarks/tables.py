"""The suite's tables in RESULTS.md: kernels beside peers, and the cost of modes and options."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.means import geometric_mean
from benchmarks.suite import C_FAST, GCC, NUMBA, C, Row
from benchmarks.variants import CONTRACTED, DETERMINISTIC, FAST, STRICT, VARIANTS

GOALS = {
    (STRICT.name, C): 0.95,
    (DETERMINISTIC.name, C_FAST): 0.95,
    (STRICT.name, NUMBA): 1.0,
}
"""The least geometric mean of the first one's speed relative to the second's."""
STRICT_C_LEAST_GOAL = 0.8
UNTUNED_MEAN_GOAL, UNTUNED_LEAST_GOAL = 0.95, 0.85
"""STRICT's speed relative to the better strict C's, in the mean and for each kernel."""
STRICT_FAST_MEAN_GOAL = 0.9


@dataclass(frozen=True)
class Claim:
    """What somebody else says about a cost, and the two variants whose cost it is here."""

    text: str
    where: str
    careful: str
    careless: str


CLAIMS = (
    Claim(
        "Burst with `FloatMode.Strict` rather than fast: “typically 10–30% on a math-bound job”",
        "[bugnet.io](https://bugnet.io/blog/fix-unity-burst-compiled-job-different-result-from-managed)",
        STRICT.name,
        FAST.name,
    ),
    Claim(
        "Godot without `-ffast-math`: 2 % faster to 3 % slower in five benchmarks",
        "[Godot's commit e5b335d367](https://github.com/godotengine/godot/commit/e5b335d367)",
        STRICT.name,
        FAST.name,
    ),
    Claim(
        "Jolt with `CROSS_PLATFORM_DETERMINISTIC`, which turns contraction off: “approximately 8% "
        "slower”",
        "[Jolt's documentation]"
        "(https://jrouwe.github.io/JoltPhysics/index.html#deterministic-simulation)",
        DETERMINISTIC.name,
        CONTRACTED.name,
    ),
)
"""Only what was read at its source."""


def verdict(reached: bool) -> str:
    return "reached" if reached else "**missed**"


def goal(title: str, found: float, least: float, note: str = "") -> str:
    """One line of a table of goals."""
    return f"| {title} ≥ {least} | {found:.3f}{note} | {verdict(found >= least)} |"


def bits(row: Row) -> str:
    """Whether the C peer left the same bits, and why not where that is expected."""
    if not row.benchmark.exact:
        return f"not compared: {row.benchmark.reason}"
    return "same" if row.same_bits else "**differ**"


def kernel_table(rows: Sequence[Row]) -> list[str]:
    """One line a kernel, then the geometric means and the goals."""
    names = [name for name in (STRICT.name, DETERMINISTIC.name, C, C_FAST, NUMBA)
             if name in rows[0].seconds]  # fmt: skip
    ratios = {pair: least for pair, least in GOALS.items() if set(pair) <= set(names)}
    lines = [
        f"| kernel | {' | '.join(f'{name}, µs' for name in names)} "
        f"| {' | '.join(f'{one} × {other}' for one, other in ratios)} | C's bits |",
        f"|---|{'--:|' * (len(names) + len(ratios))}---|",
    ]
    for row in rows:
        cells = [f"{row.seconds[name] * 1e6:.1f}" for name in names]
        cells += [f"{row.speed(*pair):.2f}" for pair in ratios]
        lines.append(f"| {row.benchmark.title} | {' | '.join(cells)} | {bits(row)} |")
    exact = [row for row in rows if row.benchmark.exact] or list(rows)
    means = {
        (one, other): geometric_mean(
            row.speed(one, other) for row in (rows if other == NUMBA else exact)
        )
        for one, other in ratios
    }
    least = min(exact, key=lambda row: row.against_c)
    lines += [
        f"| **geometric mean** |{' |' * len(names)}"
        f"{''.join(f' **{mean:.2f}** |' for mean in means.values())} |",
        "",
        "The means against C leave out kernels that call the C library's functions.",
        "",
        "| goal | found | |",
        "|---|--:|---|",
        *(goal(f"{one} against {other}, geometric mean", mean, ratios[one, other])
          for (one, other), mean in means.items()),
        goal("STRICT against C, each kernel", least.against_c, STRICT_C_LEAST_GOAL,
             f" ({least.benchmark.title})"),
    ]  # fmt: skip
    lines += [
        goal(f"STRICT against Numba, {row.benchmark.title}", row.against_numba,
             row.benchmark.numba_goal)
        for row in rows
        if row.benchmark.numba_goal is not None
    ]  # fmt: skip
    return lines


def untuned_table(rows: Sequence[Row]) -> list[str]:
    """One line a kernel beside the better of two C compilers, then the mean and the goals."""
    names = [name for name in (STRICT.name, DETERMINISTIC.name, C, GCC, C_FAST, NUMBA)
             if all(name in row.seconds for row in rows)]  # fmt: skip
    against_c = [row.better_c / row.seconds[STRICT.name] for row in rows]
    lines = [
        f"| kernel | {' | '.join(f'{name}, µs' for name in names)} | STRICT × better C "
        f"| DETERMINISTIC × {C_FAST} | STRICT × {NUMBA} | C's bits |",
        f"|---|{'--:|' * (len(names) + 3)}---|",
    ]
    for row, ratio in zip(rows, against_c, strict=True):
        cells = [f"{row.seconds[name] * 1e6:.1f}" for name in names]
        cells += [f"{ratio:.2f}", f"{row.speed(DETERMINISTIC.name, C_FAST):.2f}"]
        cells += [f"{row.against_numba:.2f}", bits(row)]
        lines.append(f"| {row.benchmark.title} | {' | '.join(cells)} |")
    mean, least = geometric_mean(against_c), min(range(len(rows)), key=against_c.__getitem__)
    others = (
        geometric_mean(row.speed(DETERMINISTIC.name, C_FAST) for row in rows),
        geometric_mean(row.against_numba for row in rows),
    )
    return [
        *lines,
        f"| **geometric mean** |{' |' * len(names)} **{mean:.2f}** |"
        f"{''.join(f' **{other:.2f}** |' for other in others)} |",
        "",
        "| goal | found | |",
        "|---|--:|---|",
        goal("STRICT against the better C, geometric mean", mean, UNTUNED_MEAN_GOAL),
        goal("STRICT against the better C, each kernel", against_c[least], UNTUNED_LEAST_GOAL,
             f" ({rows[least].benchmark.title})"),
    ]  # fmt: skip


def astray(rows: Iterable[Row]) -> list[str]:
    """A line for each peer whose results are not even near STRICT's: none in a sound run."""
    return [f"**{row.benchmark.title}: {name} is astray.**" for row in rows for name in row.astray]


def cost_table(rows: Sequence[Row]) -> list[str]:
    """Each variant's speed relative to STRICT's by kernel, then means, the goal and the claims."""
    measured = [v for v in VARIANTS if all(v.name in row.seconds for row in rows)]
    others = [v for v in measured if v is not STRICT]
    if not others:
        return []
    lines = ["| column | what it is |", "|---|---|"]
    lines += [f"| {v.name} | {v.title} |" for v in measured]
    lines += [
        "",
        f"| kernel | STRICT, µs | {' | '.join(v.name for v in others)} |",
        f"|---|--:|{'--:|' * len(others)}",
    ]
    for row in rows:
        cells = [f"{row.seconds[STRICT.name] * 1e6:.1f}"]
        cells += [f"{row.speed(v.name, STRICT.name):.2f}" for v in others]
        lines.append(f"| {row.benchmark.title} | {' | '.join(cells)} |")
    means = [geometric_mean(row.speed(v.name, STRICT.name) for row in rows) for v in others]
    lines.append(f"| **geometric mean** | | {' | '.join(f'**{m:.2f}**' for m in means)} |")
    if FAST in measured:
        found = geometric_mean(row.speed(STRICT.name, FAST.name) for row in rows)
        lines += ["", "| goal | found | |", "|---|--:|---|",
                  goal("STRICT against our own FAST, geometric mean", found,
                       STRICT_FAST_MEAN_GOAL)]  # fmt: skip
    return [*lines, "", *claims(rows)]


def claims(rows: Sequence[Row]) -> list[str]:
    """What others say about such costs, beside the same comparison in this run."""
    lines = ["| others say | where | the same comparison here |", "|---|---|---|"]
    return lines + [f"| {c.text} | {c.where} | {cost(rows, c)} |" for c in CLAIMS]


def cost(rows: Sequence[Row], claim: Claim) -> str:
    """Percent of speed that the careful one loses, over the kernels that have both: the geometric
    mean and the range."""
    both = [row for row in rows if {claim.careful, claim.careless} <= row.seconds.keys()]
    if not both:
        return "not measured"
    lost = [1 - row.speed(claim.careful, claim.careless) for row in both]
    return f"{claim.careful} against {claim.careless}: {percent_range(lost)}"


def percent_range(lost: Sequence[float]) -> str:
    mean = 1 - geometric_mean(1 - share for share in lost)
    return f"{mean:.0%} of the speed lost on average, from {min(lost):.0%} to {max(lost):.0%}"
