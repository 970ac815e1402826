"""The process that reads binaries: requests are lines of JSON, and so are answers.

The libraries that read binaries are written in C++ and Rust, and files may be hostile: what
crashes, or takes all memory, is this process, and its parent says so of that one file.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

from samebits.audit.errors import UnreadableBinary
from samebits.audit.limits import MOST_BYTES, MOST_MEMORY, MOST_SOURCE
from samebits.audit.model import AuditedBinary, to_json


def main() -> None:
    """Answer until the input ends: a path of a binary, or path, folder and command of a source."""
    _limit()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="surrogateescape")
    # What libraries print must not come between the answers.
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        if isinstance(request, str):
            binaries = audited(request)
        else:
            path, folder, *command = map(str, cast("list[object]", request))
            binaries = source_of(path, folder, command)
        answers.write(json.dumps([to_json(binary) for binary in binaries]) + "\n")
        answers.flush()


def audited(path: str) -> list[AuditedBinary]:
    """The binaries of a file, or one with an error."""
    from samebits.audit.scan import scan

    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return [AuditedBinary(path, error="it is no file")]
            if status.st_size > MOST_BYTES:
                return [AuditedBinary(path, error=f"it has more than {MOST_BYTES:,} bytes")]
            data = file.read(MOST_BYTES)
        return list(scan(path, data))
    except MemoryError:
        return [AuditedBinary(path, error="reading it takes too much memory")]
    except OSError as error:
        return [AuditedBinary(path, error=error.strerror or type(error).__name__)]
    except Exception as error:  # hostile files raise anything in the libraries that read them
        return [AuditedBinary(path, error=f"it is damaged: {_first_line(error)}")]


def source_of(path: str, folder: str, command: Sequence[str]) -> list[AuditedBinary]:
    """The hazards of a source file, which its command compiles in a folder."""
    from samebits.audit.sources.read import audited_source

    try:
        if os.stat(path).st_size > MOST_SOURCE:
            return [AuditedBinary(path, error=f"it has more than {MOST_SOURCE:,} bytes")]
        return [audited_source(path, folder, command)]
    except UnreadableBinary as error:
        return [AuditedBinary(path, error=str(error))]
    except (MemoryError, RecursionError):
        return [AuditedBinary(path, error="reading it takes too much memory")]
    except OSError as error:
        return [AuditedBinary(path, error=error.strerror or type(error).__name__)]


def _first_line(error: Exception) -> str:
    text = (str(error).splitlines() or [""])[0][:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _limit() -> None:
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


if __name__ == "__main__":
    main()
