"""The verdict of a desync: reports of both sides, put to `samebits diagnose` in a limited process.

Owns that process and its limits. Reports come from peers and are not believed: the diagnosis reads
them as it reads any file, and what it takes beyond its limits ends it alone.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from samebits.output import write_file

SECONDS = 60
"""Seconds of a processor that a diagnosis may take."""
WAIT = 3 * SECONDS
"""Seconds until it is given up: the machine may have much else to do."""
ALIKE = "the reports do not differ"
"""The line of two reports that have the same hashes."""
MEMORY = 4 << 30
"""Bytes of memory that it may take."""


async def diagnosed(
    folder: Path, simulation: str | None, reports: Sequence[Path], replay: Path | None = None
) -> str:
    """One line on the first two reports; why there is none where the diagnosis fails. Where they
    give no cause, the second report is put beside the match's own `replay`, if there is one: from
    its beginning on more can be tried. The whole results are left in `folder`, as JSON."""
    first = await _diagnosis([*([simulation] if simulation else []), *map(str, reports[:2])])
    if isinstance(first, bytes):
        write_file(folder / f"{reports[0].stem}.verdict.json", first)
    line = line_of(first) if isinstance(first, bytes) else first
    is_told = isinstance(first, bytes) and (line == ALIKE or _has_cause(first))
    if is_told or simulation is None or replay is None:
        return line
    second = await _diagnosis([simulation, str(replay), str(reports[1])])
    if isinstance(second, bytes) and (_has_cause(second) or not isinstance(first, bytes)):
        write_file(folder / f"{reports[1].stem}.verdict.json", second)
        return line_of(second)
    return line


async def _diagnosis(words: Sequence[str]) -> bytes | str:
    """What a diagnosis of some evidence prints, or why there is none."""
    command = [sys.executable, "-P", "-m", "samebits", "diagnose", *words, "--json"]
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE, preexec_fn=_limited if sys.platform == "linux" else None,
    )  # fmt: skip
    try:
        out, err = await asyncio.wait_for(process.communicate(), WAIT)
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    except TimeoutError:
        process.kill()
        await process.wait()
        return f"no verdict: the diagnosis took longer than {WAIT} seconds"
    if process.returncode not in (0, 1):
        lines = err.decode(errors="replace").strip().splitlines()
        return f"no verdict: {lines[0][:300] if lines else 'the diagnosis failed'}"
    return out


def _has_cause(result: bytes) -> bool:
    """Whether a diagnosis says why states differ."""
    try:
        found = json.loads(result)
    except ValueError:
        return False
    facts = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    return any(facts.get(name) for name in ("causes", "changes", "inputs"))


def line_of(result: bytes) -> str:
    """The line that a diagnosis's JSON comes down to."""
    try:
        found = json.loads(result)
    except ValueError:
        return "no verdict: the diagnosis printed no JSON"
    facts = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    answer = facts.get("answer")
    if facts.get("same") is True or not isinstance(answer, str) or not answer:
        return ALIKE
    causes = cast("list[dict[str, Any]]", facts.get("causes") or [])
    what = causes[0].get("expression") if causes else None
    return (f"{answer}: {what}" if what else answer).replace("\n", " ")[:1000]


def _limited() -> None:
    """Runs in the child, before the diagnosis."""
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
