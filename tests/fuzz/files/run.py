"""Fuzz the readers of files until told to stop: `python -m tests.fuzz.files.run`.

`--seconds 60`, `--cases 5000` (of each format) and `--formats replays,goldens` do a part of it.
What is found is made smaller and written to `build/fuzz-files`; `--read FILE --formats replays`
judges one file again. Each format has a process of its own, so that a crash costs one and is told.
"""

from __future__ import annotations

import argparse
import hashlib
import signal
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from tools import scratch

from tests.fuzz.files.engine import Finding, Fuzz
from tests.fuzz.files.targets import TARGETS

FOUND = Path("build") / "fuzz-files"
_BATCH = 25
_STUCK = 120
"""Seconds that one file may take before its process is ended: nothing in Python ends it."""
_ADDRESSES = 8 << 30
"""Bytes of memory that a process may map."""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz.files.run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seconds", type=float, help="stop after this long")
    parser.add_argument("--cases", type=int, help="stop after so many cases of each format")
    parser.add_argument("--seed", type=int, help="number of the first case (default: the time)")
    parser.add_argument("--formats", default=",".join(TARGETS), help="which, with commas")
    parser.add_argument("--read", type=Path, metavar="FILE", help="judge this file, and no more")
    arguments = parser.parse_args()
    arguments.formats = arguments.formats.split(",")
    missing = {
        name: module
        for name in arguments.formats
        for module in getattr(TARGETS.get(name), "needs", ())
        if find_spec(module) is None
    }
    for name, module in missing.items():
        print(f"{name} is left out: {module} is not installed")
    arguments.formats = [name for name in arguments.formats if name not in missing]
    if unknown := [name for name in arguments.formats if name not in TARGETS]:
        parser.error(f"there is no format {unknown[0]}: give some of {', '.join(TARGETS)}")
    if arguments.seed is None:
        arguments.seed = time.time_ns() // 1_000_000
    return arguments


def _fuzz(name: str, start: int, cases: int | None, folder: Path, out: Connection) -> None:
    """A process's work: one format, told about after every few cases."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    _bound()
    folder.mkdir()
    last = folder / "last"
    fuzz = Fuzz(TARGETS[name](folder), start, before=last.write_bytes)
    kinds: set[tuple[str, str]] = set()
    while cases is None or fuzz.cases < cases:
        fuzz.run(_BATCH if cases is None else min(_BATCH, cases - fuzz.cases))
        new: list[Finding] = []
        for finding in fuzz.found:
            kind = finding.kind, finding.what[:40]
            if kind not in kinds:
                kinds.add(kind)
                new.append(fuzz.minimised(finding))
        out.send((fuzz.cases, len(fuzz.corpus), fuzz.edges, len(fuzz.found), new))
    out.close()


def _bound() -> None:
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESSES, _ADDRESSES))


class _Process:
    """One format on its way, as its parent sees it."""

    def __init__(self, name: str, arguments: argparse.Namespace, folder: Path) -> None:
        context = get_context("spawn")
        self.name = name
        self.folder = folder / name
        self.state = (0, 0, 0, 0)
        self.heard = time.monotonic()
        self.receive, send = context.Pipe(duplex=False)
        self.process = context.Process(
            target=_fuzz, args=(name, arguments.seed, arguments.cases, self.folder, send)
        )
        self.process.start()
        send.close()

    def died(self) -> str | None:
        """How it ended other than well; the file that it was reading is kept."""
        self.process.join()
        self.receive.close()
        if self.process.exitcode == 0:
            return None
        last = self.folder / "last"
        data = last.read_bytes() if last.exists() else b""
        path = _saved(self.name, data)
        return f"{self.name}: its process ended with {self.process.exitcode}, reading {path}"

    def end(self) -> None:
        self.process.terminate()
        self.process.join()
        self.receive.close()


def _saved(name: str, data: bytes) -> Path:
    FOUND.mkdir(parents=True, exist_ok=True)
    path = FOUND / f"{name}-{hashlib.sha256(data).hexdigest()[:10]}"
    path.write_bytes(data)
    return path


def _told(finding: Finding) -> str:
    path = _saved(finding.target, finding.data)
    if finding.seed is not None:
        _saved(f"{finding.target}-sound-for-{path.name.rsplit('-', 1)[1]}", finding.seed)
    return f"{finding.target}: {finding.kind}: {finding.what.splitlines()[0]}: {path}"


def _progress(processes: list[_Process], began: float, end: str = "\r") -> None:
    cases = sum(one.state[0] for one in processes)
    each = ", ".join(f"{one.name} {one.state[0]:,}" for one in processes)
    found = sum(one.state[3] for one in processes)
    rate = cases / max(1e-9, time.monotonic() - began)
    print(f"{cases:,} files ({each}), {found} findings, {rate:.0f} files/s", end=end, flush=True)


def _run(arguments: argparse.Namespace, folder: Path) -> int:
    print(f"cases from {arguments.seed}, {len(arguments.formats)} processes", flush=True)
    began = time.monotonic()
    processes = [_Process(name, arguments, folder) for name in arguments.formats]
    running = list(processes)
    crashes = 0

    def out_of_time() -> bool:
        return arguments.seconds is not None and time.monotonic() - began > arguments.seconds

    try:
        while running and not out_of_time():
            heard: list[Any] = wait([one.receive for one in running], timeout=1)
            for one in list(running):
                if one.receive in heard:
                    try:
                        *state, new = one.receive.recv()
                    except EOFError:
                        running.remove(one)
                        if what := one.died():
                            crashes += 1
                            print(f"\n{what}", flush=True)
                        continue
                    one.state, one.heard = tuple(state), time.monotonic()
                    for finding in new:
                        print(f"\n{_told(finding)}", flush=True)
                elif time.monotonic() - one.heard > _STUCK * _BATCH:
                    one.process.kill()
            _progress(processes, began)
    except KeyboardInterrupt:
        pass
    for one in running:
        one.end()
    _progress(processes, began, end="\n")
    return 1 if crashes or any(one.state[3] for one in processes) else 0


def _judge(arguments: argparse.Namespace, folder: Path) -> int:
    status = 0
    data = arguments.read.read_bytes()
    for name in arguments.formats:
        fuzz = Fuzz(TARGETS[name](folder))
        finding = fuzz.judge(data) or fuzz.inspect(data)
        print(
            f"{name}: {'nothing found' if finding is None else f'{finding.kind}: {finding.what}'}"
        )
        status |= finding is not None
    return status


def main() -> int:
    arguments = _arguments()
    work: Callable[[argparse.Namespace, Path], int] = _judge if arguments.read else _run
    with scratch.folder() as folder:
        return work(arguments, folder)


if __name__ == "__main__":
    sys.exit(main())
