"""A backup of a collector while it runs: one archive of its database and its files.

SQLite is copied by its own backup, which sees one state of the tables. The files come after: each
that the tables know was on the disk before its row, so that all of them are in the archive, unless
they were deleted meanwhile. PostgreSQL has its own means, and only the files are archived.
"""

from __future__ import annotations

import sqlite3
import tarfile
import tempfile
from contextlib import closing
from pathlib import Path

from samebits.collector.database.engine import FILE
from samebits.collector.intake.storage import Storage
from samebits.collector.problem import CollectorError
from samebits.output import Output, os_reason, remedy


def backup(folder: Path, out: Path, is_sqlite: bool) -> int:
    """Write the archive, a tar; how many files it has. Raises CollectorError. Unpacked, it is a
    collector's folder."""
    storage = Storage(folder)
    count = 0
    try:
        with Output(out, mode=0o600) as made, tarfile.open(fileobj=made.file, mode="w") as archive:
            if is_sqlite:
                with tempfile.TemporaryDirectory() as own:
                    copied = Path(own) / FILE
                    _copy(folder / FILE, copied)
                    archive.add(copied, FILE)
            for base in (storage.objects, storage.found):
                for path in sorted(base.glob("*/*")):
                    try:
                        archive.add(path, path.relative_to(folder).as_posix(), recursive=False)
                    except FileNotFoundError:
                        continue
                    count += base == storage.objects
    except (OSError, sqlite3.Error) as error:
        said = os_reason(error) if isinstance(error, OSError) else str(error)
        fix = remedy(error) if isinstance(error, OSError) else None
        raise CollectorError(f"cannot back up to {out}: {said}", fix=fix) from None
    return count


def _copy(source: Path, target: Path) -> None:
    with (
        closing(sqlite3.connect(source, timeout=30)) as one,
        closing(sqlite3.connect(target)) as other,
    ):
        one.backup(other)
