"""Files sent with patience: tried again, and kept in a folder while nobody answers.

Owns the waiting between attempts and the folder. Its files are copies under the digests of their
bytes, so that none is there twice, and each is removed when the collector has it, and not before.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from samebits.collector.problem import CollectorError
from samebits.collector.sending.request import Answer, Collector
from samebits.output import os_reason, remedy, write_file

FIRST, LONGEST = 0.5, 60.0
"""Seconds before the second attempt, twice as many before each further one, and the most."""
MOST_KEPT = 1000
"""Most files that a folder keeps; further ones are refused, not dropped in silence."""
_NAME = re.compile(r"[0-9a-f]{64}\.(?:file|json)")


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a file is tried. `sleep` and `chance` are given for tests: `chance` is from 0 to
    1, and spreads the senders that a restart of the collector turned away at one time."""

    tries: int = 4
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random

    def send(self, to: Collector, data: bytes, match: str = "") -> Answer:
        """Send until it is there, until that is no use, or until the tries are over."""
        answer = Answer(False, True)
        for attempt in range(self.tries):
            answer = to.send(data, match)
            if answer.sent or not answer.again or attempt + 1 == self.tries:
                break
            grown = min(FIRST * 2**attempt, LONGEST) * (0.5 + self.chance() / 2)
            self.sleep(max(grown, min(answer.wait, LONGEST)))
        return answer


class Spool:
    """A folder of files that wait. Raises CollectorError where it can't be used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise CollectorError(
                f"cannot make {folder}: {os_reason(error)}", fix=remedy(error)
            ) from None

    def keep(self, data: bytes, match: str = "") -> None:
        """Keep a file for later. Raises CollectorError where the folder is full."""
        digest = hashlib.sha256(data).hexdigest()
        if len(list(self.folder.glob("*.file"))) >= MOST_KEPT:
            raise CollectorError(
                f"{self.folder} has {MOST_KEPT:,} files that wait",
                fix="send them: samebits send --spool FOLDER --to URL",
            )
        try:
            write_file(self.folder / f"{digest}.json", json.dumps({"match": match}))
            write_file(self.folder / f"{digest}.file", data)
        except OSError as error:
            raise CollectorError(
                f"cannot write to {self.folder}: {os_reason(error)}", fix=remedy(error)
            ) from None

    def waiting(self) -> Iterator[tuple[Path, str]]:
        """The files that wait, in order of their digests, each with its match."""
        for path in sorted(self.folder.glob("*.file")):
            if _NAME.fullmatch(path.name):
                try:
                    match = str(json.loads(path.with_suffix(".json").read_text())["match"])
                except (OSError, ValueError, KeyError, TypeError):
                    match = ""
                yield path, match

    def remove(self, path: Path) -> None:
        """Remove a file that need not wait any more."""
        path.unlink(missing_ok=True)
        path.with_suffix(".json").unlink(missing_ok=True)

    def set_aside(self, path: Path) -> Path:
        """Keep a file that is not taken, so that it waits no more; its new name. Raises
        CollectorError."""
        place = path.with_suffix(".refused")
        try:
            path.replace(place)
        except OSError as error:
            raise CollectorError(
                f"cannot rename {path}: {os_reason(error)}", fix=remedy(error)
            ) from None
        return place
