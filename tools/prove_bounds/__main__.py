"""`make prove-bounds`: all proofs of range analysis, and the unsound rules that they must find.

Prints what was covered. Ends with 1 where something is unsound or undecided, where an injected
mutation is not found, and where a proof covered nothing.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from random import Random

from tools.prove_bounds import mutations, operations, programs, solved, solved_loops, swept
from tools.prove_bounds.agreement import agreement
from tools.prove_bounds.concrete import UnknownError, UnsoundError
from tools.prove_bounds.conditions import conditions
from tools.prove_bounds.formulas import Proofs
from tools.prove_bounds.miniature import miniature

Line = tuple[str, int]
"""What was covered, and how much of it: never 0."""


def enumerated(bits: int, stride: int, fewer: int) -> Line:
    with miniature(bits) as w:
        total = operations.Count()
        for name, count in operations.everything(w, stride, fewer).items():
            if not count.cases:
                raise UnknownError(f"{name}: no case")
            total.add(count)
    which = "every interval" if stride == 1 else f"one pair of intervals in {stride}"
    return (
        f"rules at {bits} bits, {which}: {total.rules} answers, {total.unchecked} without a check",
        min(total.cases, total.unchecked),
    )


def conditional() -> Line:
    with miniature(4) as w:
        total = conditions(w, 20_000)
    what = f"conditions at 4 bits: {total.rules} of them, {total.unchecked} always true"
    return what, min(total.cases, total.unchecked)


def rows(bits: int, count: int) -> Line:
    tally = programs.Tally()
    with miniature(bits) as w:
        for one in programs.every(w, range(programs.ROWS, programs.ROWS + count)):
            tally.add(one)
    return (
        f"loops along arrays at {bits} bits, every input: {tally.programs} programs, "
        f"{tally.blocks} in blocks, {tally.runs} runs, {tally.trapped} trapped",
        min(tally.runs, tally.blocks, tally.trapped),
    )


def loops(bits: int, count: int, few: bool) -> Line:
    tally = programs.Tally()
    with miniature(bits) as w:
        for one in programs.every(w, range(count), few):
            tally.add(one)
    inputs = "extreme inputs" if few else "every input"
    return (
        f"loops at {bits} bits, {inputs}: {tally.programs} programs, {tally.lost} lost checks, "
        f"{tally.guarded} have guards, {tally.runs} runs, {tally.trapped} trapped",
        min(tally.runs, tally.lost, tally.guarded, tally.trapped),
    )


def rules(samples: int) -> Line:
    total = Proofs()
    for name, proofs in solved.rules(Random(1), samples):
        if not proofs.lemmas:
            raise UnknownError(f"{name}: no lemma")
        total.add(proofs)
    return f"rules at full width: {total.lemmas} lemmas", min(total.lemmas, total.unchecked)


def guards(count: int) -> Line:
    found, proofs = solved_loops.guards_of(range(count))
    return f"guards at full width: {found} guards, {proofs.lemmas} lemmas", min(
        found, proofs.lemmas
    )


def injected() -> Line:
    for mutation in mutations.MUTATIONS:
        if mutations.found(mutation) is None:
            raise UnsoundError(f"not found: {mutation.name}")
    return "unsound rules injected, and found", len(mutations.MUTATIONS)


def simple(what: str, run: Callable[[], int]) -> Callable[[], Line]:
    return lambda: (what, run())


def main() -> int:
    parser = ArgumentParser(prog="python -m tools.prove_bounds", description=__doc__)
    parser.add_argument("--stride", type=int, default=23, help="of pairs of intervals at 5 bits")
    parser.add_argument("--programs", type=int, default=2000, help="generated loops at 4 bits")
    parser.add_argument("--samples", type=int, default=40, help="interval pairs a rule and type")
    parser.add_argument("--guards", type=int, default=2000, help="loops whose guards are proved")
    given = parser.parse_args()
    steps: list[Callable[[], Line]] = [
        simple("results of the solver's semantics and of evaluation's", lambda: agreement(3, 6)),
        simple("lemmas of inequalities", lambda: solved.inequalities(Random(1), 300).lemmas),
        simple("lemmas of counters", lambda: solved_loops.counters().lemmas),
        simple("lemmas of sweeps", lambda: swept.integers().lemmas + swept.products().lemmas),
        lambda: guards(given.guards),
        lambda: rules(given.samples),
        lambda: loops(4, given.programs, few=False),
        lambda: rows(4, given.programs // 10),
        lambda: loops(5, given.programs // 10, few=True),
        conditional,
        lambda: enumerated(3, 1, 1),
        lambda: enumerated(4, 1, 29),
        lambda: enumerated(5, given.stride, 29 * given.stride),
        injected,
    ]
    for step in steps:
        try:
            what, count = step()
        except (UnsoundError, UnknownError) as error:
            print(f"NOT PROVED: {error}")
            return 1
        if not count:
            print(f"NOT PROVED: nothing was covered: {what}")
            return 1
        print(f"{count:>9}  {what}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
