"""The page of public simulations: what agrees, and how good the diagnosis of the rest is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tools.prove_foreign.judge import Judged


@dataclass(frozen=True, slots=True)
class Agreement:
    """A strict build beside the first one."""

    side: str
    plain: str
    """`same`, or the first frame that differs, with the platform's math library."""
    ours: str
    """The same with samebits' math library; `-` where there is none for it."""


@dataclass(frozen=True, slots=True)
class Figures:
    """All of one package."""

    name: str
    version: str
    files: int
    agreements: list[Agreement]
    rows: list[Judged]

    @property
    def is_wrong(self) -> bool:
        """Whether a wrong cause is certain, or builds with samebits' math library part."""
        parted = any(each.ours.startswith("parts") for each in self.agreements)
        return parted or any(row.is_wrong_and_certain for row in self.rows)


def page(packages: Sequence[Figures]) -> str:
    """The page's text."""
    every = [row for package in packages for row in package.rows if row.place != "same bits"]
    told = [row for row in every if row.cause]
    slow = sorted(row.seconds for row in every)
    lines = sum(row.line_right in ("yes", "file") for row in every)
    right = sum(row.cause_right == "yes" for row in told)
    certain = sum(row.is_wrong_and_certain for row in every)
    out = [
        "# Public simulations: what agrees, and what a diagnosis says of the rest", "",
        "Made by `python -m tools.prove_foreign.simulations`, which fetches each as a source "
        "package of Debian's, and drives it by a scene of ours that records every body after each "
        "of 120 frames. All builds are at -O2 -ffp-contract=off where nothing else is said. A "
        "line is `file` right where a build of the broken side with that file as on the strict "
        "one is another run; of a header, where that is so of any one source, which says less. "
        "What is named in a `_scene` file is our own scene's arithmetic, not the simulation's.",
        "",
        "| | |", "|---|---|",
        f"| flags that change bits | {len(every)} |",
        f"| cause told | {len(told)} |",
        f"| cause right | {right} |",
        f"| line told | {sum(row.line_right != 'none' for row in every)} |",
        f"| line or file right | {lines} |",
        f"| wrong, but stated as certain | {certain} |",
        f"| seconds a case, median | {slow[len(slow) // 2] if slow else 0:.0f} |", "",
    ]  # fmt: skip
    for package in packages:
        out += _package(package)
    return "\n".join(out)


def _package(package: Figures) -> list[str]:
    return [
        f"## {package.name} {package.version}", "",
        f"{package.files} files. Each strict build beside the first:", "",
        "| build | with the platform's math library | with samebits' |", "|---|---|---|",
        *(f"| {each.side} | {each.plain} | {each.ours} |" for each in package.agreements), "",
        "| flags | told | right | cause | right | how sure | seconds |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| {row.name} | {row.place or '-'} | {row.line_right} | {row.cause or '-'} | "
            f"{row.cause_right} | {row.certainty or '-'} | {row.seconds:.0f} |"
            for row in package.rows
        ), "",
    ]  # fmt: skip
