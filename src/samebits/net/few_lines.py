"""Lines of a log, of each kind so many a minute: who knocks on and on does not fill a disk."""

from __future__ import annotations

MOST = 10
"""Lines of a kind in a minute; the others are counted."""
_MINUTE = 60.0


class FewLines:
    """What is left of the lines of one log."""

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[float, int]] = {}
        """When the minute of a kind began, and how many lines came in it."""

    def take(self, kind: str, line: str, now: float) -> list[str]:
        """The lines to write now, in seconds of a clock that never goes back, that one of a kind
        came: it, if there is room, behind the counts of those that were left out before."""
        out: list[str] = []
        for each, (begun, count) in list(self._kinds.items()):
            if now - begun >= _MINUTE:
                del self._kinds[each]
                if count > MOST:
                    out.append(f"{each}: {count - MOST:,} more in a minute")
        begun, count = self._kinds.get(kind, (now, 0))
        self._kinds[kind] = begun, count + 1
        return [*out, line] if count < MOST else out
