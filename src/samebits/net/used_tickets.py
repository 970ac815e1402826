"""The tickets that a relay has taken, in a file, so that none is good again after it was killed."""

from __future__ import annotations

from pathlib import Path

from samebits.errors import MatchError
from samebits.output import os_reason, write_file


class UsedTickets:
    """The nonces of used tickets and when they expire, in nanoseconds since 1970.

    Raises MatchError where the file can't be read or written.
    """

    def __init__(self, path: Path, now_ns: int) -> None:
        self._path = path
        self.known: dict[str, int] = {}
        """Those that have not expired."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
            for line in text.splitlines():
                expires, _, nonce = line.partition(" ")
                # A torn last line is of a ticket whose peer was not answered.
                if nonce and expires.isdecimal() and int(expires[:20]) > now_ns:
                    self.known[nonce] = int(expires[:20])
            write_file(path, "".join(f"{e} {n}\n" for n, e in self.known.items()))
        except OSError as error:
            raise MatchError(f"cannot keep used tickets in {path}: {os_reason(error)}") from None

    def add(self, nonce: str, expires: int) -> None:
        """Note a ticket; it is with the operating system when this returns."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{expires} {nonce}\n")
