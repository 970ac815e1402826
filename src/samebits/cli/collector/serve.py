"""`samebits collector serve`, and the keys of those who use it."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from samebits.cli.consoles import console
from samebits.cli.exit_status import SAME
from samebits.cli.printing import columns_table
from samebits.collector.problem import CollectorError, need_service
from samebits.collector.settings import Settings

if TYPE_CHECKING:
    from samebits.collector.database.engine import Database

URL_VARIABLE = "SAMEBITS_COLLECTOR_DATABASE"
"""The environment variable that has the database's URL, which may have a password, where
`--database` is not given."""


def serve(settings: Settings) -> int:
    """Serve until interrupted."""
    need_service()
    from samebits.collector.web.server import serve as serve_until

    if (settings.cert is None) != (settings.key is None):
        raise CollectorError("TLS needs a certificate and a key", fix="give --cert and --key")

    if settings.catalogue is not None:
        from samebits.collector.grouping.catalogue import read_catalogue

        read_catalogue(settings.catalogue)  # a mistake in it is told now, not on a page

    def ready(address: str) -> None:
        print(f"collector at {address}, files in {settings.folder}", flush=True)

    serve_until(settings, ready)
    return SAME


def database_url(given: str | None) -> str | None:
    """The PostgreSQL database that was asked for; None for SQLite."""
    return given or os.environ.get(URL_VARIABLE) or None


@contextmanager
def opened(folder: str, database: str | None) -> Generator[Database]:
    """The database of an existing collector."""
    need_service()
    from samebits.collector.database.engine import Database

    url = database_url(database)
    if url is None and not Path(folder).is_dir():
        raise CollectorError(
            f"there is no folder {folder} of a collector",
            fix="give --folder as for samebits collector serve, or make the folder",
        )
    found = Database(Path(folder), url)
    try:
        yield found
    finally:
        found.close()


def key_new(folder: str, database: str | None, scopes: str, name: str) -> int:
    """Make a key and print it, this once."""
    need_service()
    from samebits.collector.intake.keys import new_key

    Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
    with opened(folder, database) as found:
        print(new_key(found, name, [each.strip() for each in scopes.split(",") if each.strip()]))
    return SAME


def key_list(folder: str, database: str | None, as_json: bool) -> int:
    """Print all keys, without their secrets."""
    from samebits.collector.intake.keys import SCOPES, all_keys

    with opened(folder, database) as found:
        keys = all_keys(found)
    rows = [
        (key.id, key.name, ",".join(s for s in SCOPES if s in key.scopes),
         "revoked" if key.revoked else "valid")
        for key in keys
    ]  # fmt: skip
    if as_json:
        names = ("id", "name", "scopes", "state")
        print(json.dumps([dict(zip(names, row, strict=True)) for row in rows], indent=2))
        return SAME
    table = columns_table("id", "name", "scopes", "state")
    for row in rows:
        table.add_row(*map(Text, row))
    console().print(table)
    return SAME


def key_revoke(folder: str, database: str | None, number: str) -> int:
    """Refuse a key from now on."""
    from samebits.collector.intake.keys import revoke

    with opened(folder, database) as found:
        revoke(found, number)
    print(f"key {number} is refused from now on")
    return SAME
