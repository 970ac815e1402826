"""The migration of a database to today's tables, by Alembic."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from samebits.collector.problem import CollectorError

_SCRIPTS = Path(__file__).parent / "migrations"
_LOCK = 0x5A3EB175
"""The number of PostgreSQL's advisory lock under which one process alone migrates."""


def migrate(connection: Connection) -> None:
    """Bring the tables up to date in the connection's transaction. Raises CollectorError for a
    database of a newer samebits."""
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": _LOCK})
    scripts = ScriptDirectory.from_config(config)
    found = MigrationContext.configure(connection).get_current_revision()
    if found == scripts.get_current_head():
        return
    if found is not None and found not in {each.revision for each in scripts.walk_revisions()}:
        raise CollectorError(
            f"the database has tables of revision {found}, which this samebits does not know",
            fix="use the samebits that made them, or a newer one",
        )
    command.upgrade(config, "head")
