"""The limited process that reads binaries, as its parent sees it: paths in, binaries out."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import IO, cast

from samebits.audit.limits import MOST_SECONDS
from samebits.audit.model import AuditedBinary, from_json


class BinaryReader:
    """A process that audits files, one after another; where one ends it, the next starts anew."""

    def __init__(self, seconds: float = MOST_SECONDS) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> BinaryReader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def audited(self, path: str, source: Sequence[str] | None = None) -> list[AuditedBinary]:
        """The binaries of a file; one with an error if it can't be read, or ends the process.

        Of a source file its hazards: `source` is its folder, then its command.
        """
        process = self.started()
        requests, answers = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
        late: list[None] = []

        def stop() -> None:
            late.append(None)
            process.kill()

        timer = threading.Timer(self._seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            request = path if source is None else [path, *source]
            requests.write(json.dumps(request) + "\n")
            requests.flush()
            answer = answers.readline()
        except OSError:
            answer = ""
        finally:
            timer.cancel()
        if answer.endswith("\n"):
            return [from_json(each) for each in json.loads(answer)]
        status = self._end()
        if late:
            return [AuditedBinary(path, error=f"it takes more than {self._seconds:g} s")]
        how = f"status {status}" if status >= 0 else f"signal {-status}"
        return [AuditedBinary(path, error=f"reading it crashes the reader of binaries ({how})")]

    def started(self) -> subprocess.Popen[str]:
        """The process that reads the next file."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "samebits.audit.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                errors="surrogateescape",
            )
        return self._process

    def _end(self) -> int:
        """Close the process and return its status."""
        process, self._process = self._process, None
        if process is None:
            return 0
        with process:
            if process.stdin is not None:
                with suppress(OSError):
                    process.stdin.close()
            try:
                return process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
        return process.wait()


def audited_files(paths: Iterable[str]) -> Iterator[AuditedBinary]:
    """The binaries of files, in order."""
    with BinaryReader() as reader:
        for path in paths:
            yield from reader.audited(path)


def audited_sources(sources: Iterable[Sequence[str]]) -> Iterator[AuditedBinary]:
    """The hazards of source files, each given as path, folder and command, in order."""
    with BinaryReader() as reader:
        for path, *rest in sources:
            yield from reader.audited(path, rest)
