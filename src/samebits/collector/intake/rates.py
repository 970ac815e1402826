"""Token buckets: how many requests each key, or everybody without one, may make.

Owns no clock: a bucket is asked at times that it is given, in seconds.
"""

from __future__ import annotations

from dataclasses import dataclass

_MOST = 10_000
"""Buckets that are kept; full ones are forgotten first."""


@dataclass(slots=True)
class _Bucket:
    level: float
    at: float


class Rates:
    """Buckets by name, each of `burst` tokens, refilled by `rate` a second."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self._buckets: dict[str, _Bucket] = {}

    def wait(self, name: str, now: float) -> float:
        """Take a token: 0.0, or the seconds until there will be one."""
        bucket = self._buckets.get(name)
        if bucket is None:
            if len(self._buckets) >= _MOST:
                self._forget(now)
            bucket = self._buckets[name] = _Bucket(self.burst, now)
        bucket.level = min(self.burst, bucket.level + max(0.0, now - bucket.at) * self.rate)
        bucket.at = now
        if bucket.level >= 1:
            bucket.level -= 1
            return 0.0
        return (1 - bucket.level) / self.rate

    @property
    def names(self) -> list[str]:
        """Whose buckets are kept."""
        return [*self._buckets]

    def _forget(self, now: float) -> None:
        """Drop the buckets that would be full by now, or else the half that was used least
        lately."""
        full = [
            name for name, each in self._buckets.items()
            if each.level + (now - each.at) * self.rate >= self.burst
        ]  # fmt: skip
        oldest = sorted(self._buckets, key=lambda name: self._buckets[name].at)
        for name in full or oldest[: _MOST // 2]:
            del self._buckets[name]
