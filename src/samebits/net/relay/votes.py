"""Votes: which hash of a frame is right, and who departed.

Owns the count. The referee's hash is right; without one that of more peers than any other; else it
is undecided. Who departed is out of the count until a later hash of theirs is right again.
"""

from __future__ import annotations

from collections.abc import Collection

from samebits.net import limits
from samebits.net.events import Desynced, HashGroup

REFEREE = -1
"""The voter that is no slot."""
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
        self.fresh: list[tuple[int, int]] = []
        """Frames and hashes that are agreed now; to be cleared."""
        self._claims: dict[int, dict[int, int]] = {}
        self._agreed: dict[int, int] = {}
        self._open: dict[int, dict[int, int]] = {}
        self._split: tuple[int, int] | None = None
        self._newest = 0

    def report(self, voter: int, frame: int, value: int, now_ns: int) -> None:
        """Take a hash. Those of a voter who is apart are no votes: one that is right proves that it
        is apart no more."""
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
        votes = self._open.get(frame)
        if votes is None:
            if agreed is not None and agreed == value:
                return
            votes = self._open[frame] = {}
        votes[voter] = value
        wrong = agreed is not None and agreed != value
        if wrong or any(other != value for other in votes.values()):
            if agreed is not None:
                votes.setdefault(REFEREE - 1, agreed)
            if self._split is None or frame < self._split[0]:
                self._split = frame, now_ns

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
        agreed = frame in self._agreed
        return agreed or all(voter in votes or voter in self.apart for voter in voters)

    def settle(self, voters: Collection[int], now_ns: int) -> Desynced | None:
        """Count the frames that all living voters have reported; the first one that some differ in,
        once it is known who, or time is up."""
        split = self._split
        for frame in sorted(self._open):
            if split is not None and frame >= split[0]:
                break
            old = frame < self._newest - KEPT // 2
            if not old and not all(v in self._open[frame] or v in self.apart for v in voters):
                break
            self._agree(frame, next(iter(self._open[frame].values())))
        if split is None:
            return None
        frame, since = split
        missing = [v for v in voters if v not in self._open[frame] and v not in self.apart]
        if missing and now_ns - since < limits.VOTE:
            return None
        return self._decide(frame)

    def leave(self, voter: int) -> None:
        """A voter is gone: what it reported still counts; it is apart no more."""
        self.apart.discard(voter)

    def _decide(self, frame: int) -> Desynced:
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
        for later in [n for n in self._open if n >= frame]:
            left = {v: h for v, h in self._open[later].items() if v not in self.apart}
            if later > frame and not left:
                del self._open[later]
            else:
                self._open[later] = left
        self._agree(frame, ranked[0][0])
        self._split = None
        for later in sorted(self._open):
            if len(set(self._open[later].values())) > 1:
                self._split = later, 0
                break
        groups = tuple(
            HashGroup(value, tuple(sorted(v for v in members if v >= 0)), REFEREE in members)
            for value, members in ranked[: limits.GROUPS]
        )
        return Desynced(frame, groups, decided)

    def _prove(self, voter: int, frame: int, value: int) -> None:
        if self._agreed[frame] == value:
            self.apart.discard(voter)
            self.proven.append((voter, frame))

    def _agree(self, frame: int, value: int) -> None:
        self._open.pop(frame, None)
        self._agreed[frame] = value
        self.fresh.append((frame, value))
        for voter, claim in self._claims.pop(frame, {}).items():
            if voter in self.apart:
                self._prove(voter, frame, claim)
        for old in [n for n in self._claims if n < frame]:
            del self._claims[old]
        self.counted += 1
        while len(self._agreed) > KEPT:
            del self._agreed[next(iter(self._agreed))]
