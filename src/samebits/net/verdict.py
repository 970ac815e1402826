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
"""Time that a diagnosis may take, and as much of a processor."""
MEMORY = 4 << 30
"""Bytes of memory that it may take."""


async def diagnosed(folder: Path, simulation: str | None, reports: Sequence[Path]) -> str:
    """One line on the first two reports; why there is none where the diagnosis fails. The whole
    result is left in `folder`, as JSON beside the first report."""
    words = ["diagnose", *([simulation] if simulation else []), *(str(p) for p in reports[:2])]
    command = [sys.executable, "-P", "-m", "samebits", *words, "--json"]
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE, preexec_fn=_limited if sys.platform == "linux" else None,
    )  # fmt: skip
    try:
        out, err = await asyncio.wait_for(process.communicate(), SECONDS)
    except (TimeoutError, asyncio.CancelledError):
        process.kill()
        await process.wait()
        return f"no verdict: the diagnosis took longer than {SECONDS} seconds"
    if process.returncode not in (0, 1):
        lines = err.decode(errors="replace").strip().splitlines()
        return f"no verdict: {lines[0][:300] if lines else 'the diagnosis failed'}"
    write_file(folder / f"{reports[0].stem}.verdict.json", out)
    return line_of(out)


def line_of(result: bytes) -> str:
    """The line that a diagnosis's JSON comes down to."""
    try:
        found = json.loads(result)
    except ValueError:
        return "no verdict: the diagnosis printed no JSON"
    facts = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    answer = facts.get("answer")
    if not isinstance(answer, str) or not answer:
        return "the reports do not differ"
    causes = cast("list[dict[str, Any]]", facts.get("causes") or [])
    what = causes[0].get("expression") if causes else None
    return (f"{answer}: {what}" if what else answer).replace("\n", " ")[:1000]


def _limited() -> None:
    """Runs in the child, before the diagnosis."""
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
