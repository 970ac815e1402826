"""Votes: which hash of a frame is right, and who departed.

Owns the count. The referee's hash is right; without one that of more peers than any other; else it
is undecided. Who departed is out of the count until a later hash of theirs is right again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from samebits.net import limits
from samebits.net.events import Desynced, HashGroup

REFEREE = -1
"""The voter that is no slot."""
_AGREED = REFEREE - 1
"""The voter that stands for a hash that was agreed before somebody contradicted it."""
KEPT = limits.KEPT_FRAMES
"""Frames of which hashes are kept."""


class Votes:
    """The hashes that voters, slots or `REFEREE`, report of each frame."""

    def __init__(self) -> None:
        self.apart: set[int] = set()
        """Voters whose bits departed, and are not proven right since."""
        self.counted = 0
        """Hashes that agreed."""
        self.proven: list[tuple[int, int]] = []
        """Voters who were apart and are no more, with the frame of the hash; to be cleared."""
        self.changed = True
        """Whether `settle` may find something new."""
        self.tied: int | None = None
        """A frame of which no hash has more votes than any other, where that is to be decided
        elsewhere."""
        self.fresh: list[tuple[int, int]] = []
        """Frames and hashes that are agreed now; to be cleared."""
        self._first: dict[int, int] = {}
        """The frames that voters' hashes begin with: of earlier ones nobody waits for them."""
        self._claims: dict[int, dict[int, int]] = {}
        self._agreed: dict[int, int] = {}
        self._open: dict[int, dict[int, int]] = {}
        self._split: tuple[int, int] | None = None
        self._newest = self._now = 0

    def report(self, voter: int, frame: int, value: int, now_ns: int) -> None:
        """Take a hash. Those of a voter who is apart are no votes: one that is right proves that it
        is apart no more."""
        self.changed = True
        self._now = now_ns
        votes = self._open.get(frame)
        if (
            votes is not None
            and value == next(iter(votes.values()))
            and voter not in votes
            and voter not in self.apart
        ):
            # As nearly always: what others said before. If those differ, that is known.
            votes[voter] = value
            return
        if frame < self._newest - KEPT:
            return
        if voter in self.apart:
            if frame in self._agreed:
                self._prove(voter, frame, value)
            else:
                claims = self._claims.setdefault(frame, {})
                claims[voter] = value
            return
        self._newest = max(self._newest, frame)
        agreed = self._agreed.get(frame)
        if votes is None:
            if agreed is not None and agreed == value:
                return
            votes = self._open[frame] = {}
        votes[voter] = value
        wrong = agreed is not None and agreed != value
        if wrong or len(set(votes.values())) > 1:
            if agreed is not None:
                votes.setdefault(_AGREED, agreed)
            if self._split is None or frame < self._split[0]:
                self._split = frame, now_ns

    @property
    def split(self) -> bool:
        """Whether hashes differ, and it is not decided yet who departed."""
        return self._split is not None

    def known(self, frame: int) -> int | None:
        """The hash of a frame that nobody contradicts, if any is known."""
        found = self._agreed.get(frame)
        if found is None and frame in self._open:
            values = set(self._open[frame].values())
            found = values.pop() if len(values) == 1 else None
        return found

    def complete(self, frame: int, voters: Collection[int]) -> bool:
        """Whether all these voters' hashes of a frame are in, or are apart."""
        votes = self._open.get(frame, {})
        return frame in self._agreed or not self._missing(frame, votes, voters)

    def _missing(self, frame: int, votes: Collection[int], voters: Collection[int]) -> list[int]:
        """The voters whose hash of a frame has not come, and is waited for."""
        apart, first = self.apart, self._first
        return [v for v in voters if v not in votes and v not in apart and frame >= first.get(v, 0)]

    def settle(
        self, voters: Collection[int], now_ns: int, *, retrial: bool = False
    ) -> Desynced | None:
        """Count the frames that all living voters have reported; the first one that some differ in,
        once it is known who, or time is up. With `retrial` one whose votes are tied is `tied`."""
        self._now = now_ns
        self.changed = False
        for frame in sorted(self._open):
            # One who is proven right by a frame may split a later one.
            if self._split is not None and frame >= self._split[0]:
                break
            votes = self._open[frame]
            old = frame < self._newest - KEPT // 2 or _AGREED in votes
            if not old and self._missing(frame, votes, voters):
                break
            self._agree(frame, next(iter(votes.values())))
        if self._split is None:
            return None
        self.changed = True
        frame, since = self._split
        votes = self._open.get(frame, {})
        if len(set(votes.values())) < 2:
            # Who differed has told that frame anew.
            self._split = self._next_split()
            return None
        missing = _AGREED not in votes and self._missing(frame, votes, voters)
        if missing and now_ns - since < limits.VOTE:
            return None
        if retrial and self._is_tied(frame):
            self.tied = frame
            return None
        self.tied = None
        return self._decide(frame, voters)

    def _is_tied(self, frame: int) -> bool:
        votes = self._open[frame]
        counts = Counter(votes.values()).most_common(2)
        return min(votes) >= 0 and len(counts) == 2 and counts[0][1] == counts[1][1]

    def close(self) -> None:
        """No more votes come: what the referee says, or nobody contradicts, is agreed."""
        for frame in sorted(self._open):
            votes = self._open[frame]
            values = set(votes.values())
            if REFEREE in votes or len(values) == 1:
                self._agree(frame, votes.get(REFEREE, next(iter(values))))

    def anew(self, voter: int, frame: int) -> None:
        """A voter has another state before a frame: what it said of that one and later ones was of
        the state before, and of earlier ones it says no more."""
        self._first[voter] = frame
        for told in (self._claims, self._open):
            for later in [n for n in told if n >= frame]:
                told[later].pop(voter, None)
                if not told[later]:
                    del told[later]
        self.changed = True

    def leave(self, voter: int) -> None:
        """A voter is gone: what it reported still counts; it is apart no more."""
        self.apart.discard(voter)
        self.changed = True

    def _decide(self, frame: int, voters: Collection[int]) -> Desynced:
        votes = self._open[frame]
        by_hash: dict[int, list[int]] = {}
        for voter, value in votes.items():
            by_hash.setdefault(value, []).append(voter)
        ranked = sorted(
            by_hash.items(), key=lambda item: (min(item[1]) >= 0, -len(item[1]), min(item[1]))
        )
        first, second = ranked[0][1], ranked[1][1]
        decided = min(first) < 0 or len(first) > len(second)
        for _, members in ranked[1:]:
            self.apart.update(v for v in members if v >= 0)
        if _AGREED in first:
            # Those who agreed on it before: one of them can show what is right.
            others = {v for _, members in ranked[1:] for v in members}
            known = {v for v in voters if v not in self.apart and v not in others}
            first[:] = sorted(known | {v for v in first if v != _AGREED})
        for later in [n for n in self._open if n >= frame]:
            left = {v: h for v, h in self._open[later].items() if v not in self.apart}
            if later > frame and not left:
                del self._open[later]
            else:
                self._open[later] = left
        self._agree(frame, ranked[0][0])
        self._split = self._next_split()
        self.changed = self.changed or self._split is not None
        groups = tuple(
            HashGroup(value, tuple(sorted(v for v in members if v >= 0)), REFEREE in members)
            for value, members in ranked[: limits.GROUPS]
        )
        return Desynced(frame, groups, decided)

    def _next_split(self) -> tuple[int, int] | None:
        """The first frame in which hashes differ, to be decided at once."""
        for frame in sorted(self._open):
            if len(set(self._open[frame].values())) > 1:
                return frame, 0
        return None

    def _prove(self, voter: int, frame: int, value: int) -> None:
        if self._agreed[frame] == value:
            self.apart.discard(voter)
            self.proven.append((voter, frame))
            # What it said of later frames counts: it may have departed again since.
            for later in sorted(n for n in self._claims if n > frame):
                claim = self._claims[later].pop(voter, None)
                if claim is not None:
                    self.report(voter, later, claim, self._now)

    def _agree(self, frame: int, value: int) -> None:
        self._open.pop(frame, None)
        if frame not in self._agreed:
            self.fresh.append((frame, value))
            self.counted += 1
        self._agreed[frame] = value
        if self._claims:
            for voter, claim in self._claims.pop(frame, {}).items():
                if voter in self.apart:
                    self._prove(voter, frame, claim)
            for old in [n for n in self._claims if n < frame]:
                del self._claims[old]
        while len(self._agreed) > KEPT:
            del self._agreed[next(iter(self._agreed))]
