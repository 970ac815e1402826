"""Causes that no experiment reproduces: races, hidden state, outside inputs.

Running a side again shows them.

Owns the conclusions; who runs the side again is `live_evidence`'s.
"""

from __future__ import annotations

from dataclasses import dataclass

from samebits.diagnosis.operation.first_difference import OperationDifference

TWICE = "two runs of b from the start, on the same inputs, differ"
ALONE = "with one worker it gives a's hashes"
HIDDEN = (
    "b gives the same hashes each time it runs from the start, but others where it goes on from "
    "the same hashed state: something that is not hashed lives on"
)
UNWRITTEN = "it reads memory that differs, and that nothing wrote differently"
ELSEWHERE = (
    "it reads something else than the hashed state has there, in each run alike: what is not "
    "hashed decides"
)
UNREAD = "what it reads of the inputs differs, and nothing before it does"


@dataclass(frozen=True, slots=True)
class RerunFacts:
    """The results of running the other side again. None: it cannot be run here."""

    repeats: bool | None = None
    """Whether a second run from the start gives the same hashes."""
    follows: bool | None = None
    """Whether a run from the hashed state before the frame gives the frame's hash."""
    one_worker: bool | None = None
    """Whether it gives the first side's hashes with one worker, and other ones with more."""

    @property
    def is_outside(self) -> bool:
        """Whether something outside of state and inputs decides: no experiment repeats that."""
        return self.repeats is False or self.follows is False


def nondeterministic_cause(
    difference: OperationDifference, facts: RerunFacts, times: tuple[int, int]
) -> tuple[str, tuple[str, ...]] | None:
    """The hazard that the facts point to, by name, and the evidence; None where they do not.

    `times` is how often each side does the differing operation in the frame.
    """
    twice = (TWICE,) if facts.repeats is False else ()
    alone = (ALONE,) if facts.one_worker else ()
    op, (mine, theirs) = difference.op, times
    is_store = op is not None and op.opcode == "store"
    missing = difference.kind == "path" and is_store and theirs < mine
    if difference.kind == "memory" and facts.follows is not False:
        return "uninitialised", (*twice, UNWRITTEN)
    if missing or (twice and alone):
        count = (f"b does it {theirs:,} times in the frame, a {mine:,} times",) if missing else ()
        return "lost-store", (*twice, *alone, *count)
    if twice:
        return "host", twice
    if facts.follows is False:
        return "unhashed", (HIDDEN,)
    if difference.kind == "input":
        return "changed-input", (UNREAD,)
    if facts.repeats and difference.kind == "result" and op is not None and op.opcode == "load":
        return "unhashed", (ELSEWHERE,)
    return None
