"""The changes of another run's state outside of its frames, by its hashes and the states it kept.

Side a's program runs over the other side's inputs. Where a state that the other side kept is
another than this run's, though the hash before it is not, it was changed there; where only a hash
is, what it may have become is guessed. The run then goes on from there. Owns that walk; how a
change is told is `tell`'s.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from samebits.bits import xxh64
from samebits.diagnosis.cause.inquiry import SURE_FRAMES
from samebits.diagnosis.outside.guesses import FRAMES_OFF, guessed
from samebits.sides.input_stream import InputStream
from samebits.sides.run import SideRun

MOST_CHANGES = 16
_BLOCK = 256


@dataclass(frozen=True, eq=False)
class Change:
    """The state became another between the step of `frame` - 1 and that of `frame`.

    `before` is the one that it was, `after` what it became, None where that is not known. `of` is
    the frame before which the right run has that state. With `is_skipped` the step of the frame did
    not run. `keyframe` is the number of the kept state that tells more, if one does.
    """

    frame: int
    before: bytes
    after: bytes | None
    of: int | None = None
    is_skipped: bool = False
    keyframe: int | None = None
    alone: bool = True
    """Whether no other guess fits as well."""

    @property
    def is_exact(self) -> bool:
        """Whether it is known what the state became."""
        return self.after is not None


@dataclass(eq=False)
class Changes:
    """All changes that were found. The run that has them gives `same` of the `compared` hashes that
    are known of the other side from frame `first` on.

    With `is_within` the last difference came about in a step, from the same state: it is none of
    these.
    """

    first: int
    found: list[Change] = field(default_factory=list[Change])
    same: int = 0
    compared: int = 0
    behind: int = 0
    """How many of them are behind the last change of which it is not known what it made."""
    is_within: bool = False
    knows_inputs: bool = True
    """Whether the other side's inputs are known: others may do what a change does."""
    state: bytes | None = None
    """That after frame `first`, where it has the other side's hash."""

    def begin_at(self, frame: int) -> bool:
        """Whether the first of them is before a frame."""
        return bool(self.found) and self.found[0].frame == frame

    @property
    def explain_what_follows(self) -> bool:
        """Whether side a's program gives all hashes, and enough of them, behind one change before
        the frame that differs first, of which it is not known what it made."""
        is_one = self.begin_at(self.first) and len(self.found) == 1 and not self.is_within
        return is_one and self.behind >= SURE_FRAMES

    @property
    def are_exact(self) -> bool:
        """Whether they give all that is known of the other side."""
        return bool(self.found) and all(each.is_exact for each in self.found) and (
            self.same == self.compared
        )  # fmt: skip


class OutsideSearch:
    """One search, of a run that has not begun. `known` are the other side's hashes by frame, -1
    being `init`; `states` those that it kept, by the frame whose step follows them; `first` is the
    frame that differs first."""

    def __init__(
        self, run: SideRun, inputs: InputStream, known: Mapping[int, int],
        states: Mapping[int, bytes], first: int, frames: int,
    ) -> None:  # fmt: skip
        self._run = run
        self._inputs = inputs
        self._known = known
        self._states = states
        self._frames = min(inputs.frames, frames)
        self._kept = sorted(n for n in states if n <= self._frames)
        self._past: deque[bytes] = deque(maxlen=FRAMES_OFF + 1)
        """The states before the latest frames, since the last change."""
        self._out = Changes(first)

    def run(self) -> Changes:
        """Search. Raises what running raises."""
        out, run = self._out, self._run
        run.start(self._inputs.seed)
        if self._states.get(0, run.save()) != run.save():
            out.is_within = True
            return out
        while run.frame < self._frames and len(out.found) < MOST_CHANGES:
            if not self._stretch():
                break
        out.compared += self._known_in(max(run.frame, out.first), self._frames)
        return out

    def _known_in(self, first: int, end: int) -> int:
        return sum(first <= n < end for n in self._known)

    def _stretch(self) -> bool:
        """Run on to where something differs, or to the end. Whether to go on from there."""
        run = self._run
        number = run.frame
        if number in self._states and self._states[number] != run.save():
            if number - 1 not in self._known:  # it may have become so in an earlier frame
                self._out.is_within = True
                return False
            self._is_another(number)
        anchor = run.snapshot()
        if number < self._out.first - FRAMES_OFF - 1:  # nothing differs before, and that is known
            end = min(self._next_kept(number + 1), self._out.first - FRAMES_OFF - 1)
        else:
            end = number + 1
        end = min(end, self._frames)
        self._past.append(anchor.canonical)
        done = run.advance(self._inputs.between(number, end))
        wrong = self._count(number, done.hashes)
        if wrong is None:
            if len(done.hashes) > 1:
                self._past.clear()
            return done.trap is None
        run.restore(anchor)
        if wrong > number:
            run.advance(self._inputs.between(number, wrong))
            self._past.clear()
        return self._differs(wrong)

    def _count(self, first: int, hashes: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> int | None:
        """Count hashes that are the other side's; the first frame whose is not."""
        for frame, value in enumerate(hashes.tolist(), first):
            wanted = self._known.get(frame)
            if wanted is not None and wanted != value:
                return frame
            self._agrees(frame)
        return None

    def _agrees(self, frame: int) -> None:
        if frame in self._known and frame >= self._out.first:
            self._out.same += 1
            self._out.behind += 1
            self._out.compared += 1
            if frame == self._out.first and self._run.frame == frame + 1:
                self._out.state = self._run.save()

    def _next_kept(self, number: int) -> int:
        return next((n for n in self._kept if n >= number), self._frames)

    def _is_another(self, number: int) -> None:
        """The state that was kept before a frame is another than the run's."""
        state, before = self._states[number], self._run.save()
        of = self._frame_of(number, before, state)
        self._out.found.append(Change(number, before, state, of=of, keyframe=number))
        self._goes_on(number, state)

    def _frame_of(self, number: int, before: bytes, state: bytes) -> int | None:
        """The frame near `number` before which the run has a state."""
        for off, earlier in enumerate(reversed(self._past), 1):
            if earlier == state:
                return number - off
        self._run.restore_canonical(number, before)
        for off in range(FRAMES_OFF):
            row = self._inputs.between(number + off, number + off + 1)
            if not len(row) or self._run.advance(row).trap is not None:
                return None
            if self._run.save() == state:
                return number + off + 1
        return None

    def _goes_on(self, number: int, state: bytes) -> None:
        self._run.restore_canonical(number, state)
        self._past.clear()

    def _differs(self, frame: int) -> bool:
        """The step of a frame gives another hash than the other side's, from the state that the run
        is in."""
        run, out = self._run, self._out
        before, wanted = run.save(), self._known[frame]
        if xxh64(before) == wanted:
            out.found.append(Change(frame, before, before, is_skipped=True))
            self._goes_on(frame + 1, before)
            self._agrees(frame)
            return True
        if frame in self._states:
            out.is_within = True
        if frame in self._states or frame - 1 not in self._known:
            return False
        rows = self._inputs.between(frame, min(frame + FRAMES_OFF, self._frames))
        past = [*self._past] if self._past and self._past[-1] == before else [before]
        guess = guessed(run, run.side.plain.state, frame, wanted, past, rows)
        if guess is not None:
            change = Change(frame, before, guess.after, of=guess.of, alone=guess.alone)
            out.found.append(change)
            self._goes_on(frame, guess.after)
            return True
        return self._unknown(frame, before)

    def _unknown(self, frame: int, before: bytes) -> bool:
        """Go on from the next state that was kept, or from where the run's hashes are the other
        side's again."""
        run, out = self._run, self._out
        run.restore_canonical(frame, before)
        kept = self._next_kept(frame + 1)
        done = run.advance(self._inputs.between(frame, kept))
        again = next(
            (n for n, value in enumerate(done.hashes.tolist(), frame)
             if self._known.get(n) == value), None,
        )  # fmt: skip
        to = kept if again is None else again
        out.compared += self._known_in(max(frame, out.first), to)
        out.behind = 0
        if again is not None:
            out.found.append(Change(frame, before, None))
            run.restore_canonical(frame, before)
            run.advance(self._inputs.between(frame, again + 1))
            self._past.clear()
            self._agrees(again)
            return True
        known = kept if kept in self._states else None
        out.found.append(Change(frame, before, None, keyframe=known))
        if known is None:
            run.restore_canonical(self._frames, before)
            return False
        self._goes_on(known, self._states[known])
        return True
