"""A table of builds, whose bits files are compared: those that were only kept wait for that."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, String, Text, text

revision = "0002"
down_revision = "0001"

NUMBER = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "builds",
        Column("run", String(40), primary_key=True),
        Column("simulation", String(200), nullable=False),
        Column("version", String(200), nullable=False),
        Column("build", String(40), nullable=False),
        Column("machines", Integer, nullable=False),
        Column("result", String(20), nullable=False),
        Column("told", Text, nullable=False),
        Column("comparison", Text, nullable=False),
        Column("latest", NUMBER),
        Column("first_seen", BigInteger, nullable=False),
        Column("last_seen", BigInteger, nullable=False),
    )  # fmt: skip
    op.create_index("builds_by_time", "builds", ["last_seen", "run"])
    connection = op.get_bind()
    kept = connection.execute(
        text("UPDATE reports SET state = 'queued', attempts = 0 WHERE state = 'kept'")
    ).rowcount
    connection.execute(text("DELETE FROM counters WHERE name = 'kept'"))
    if kept:
        connection.execute(
            text(
                "INSERT INTO counters (name, value) VALUES ('queued', :n) ON CONFLICT (name) "
                "DO UPDATE SET value = counters.value + :n"
            ),
            {"n": kept},
        )
