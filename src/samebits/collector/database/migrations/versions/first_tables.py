"""The first tables."""

from __future__ import annotations

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, String, Text

revision = "0001"
down_revision = None

NUMBER = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "keys",
        Column("id", String(16), primary_key=True),
        Column("name", String(200), nullable=False),
        Column("secret", String(64), nullable=False),
        Column("scopes", String(40), nullable=False),
        Column("made", BigInteger, nullable=False),
        Column("revoked", BigInteger),
    )  # fmt: skip
    op.create_table(
        "reports",
        Column("id", NUMBER, primary_key=True, autoincrement=True),
        Column("digest", String(64), nullable=False, unique=True),
        Column("kind", String(10), nullable=False),
        Column("size", Integer, nullable=False),
        Column("received", BigInteger, nullable=False),
        Column("key", String(16), nullable=False),
        Column("match", String(100), nullable=False),
        Column("state", String(10), nullable=False),
        Column("attempts", Integer, nullable=False),
        Column("leased", BigInteger, nullable=False),
        Column("holder", String(32), nullable=False),
        Column("run", String(40), nullable=False),
        Column("simulation", String(200), nullable=False),
        Column("version", String(200), nullable=False),
        Column("build", String(40), nullable=False),
        Column("machine", String(300), nullable=False),
        Column("target", String(60), nullable=False),
        Column("told", Text, nullable=False),
        Column("other", NUMBER),
        Column("group", NUMBER),
    )  # fmt: skip
    op.create_index("reports_by_state", "reports", ["state", "id"])
    op.create_index("reports_by_run", "reports", ["run", "id"])
    op.create_index("reports_by_group", "reports", ["group", "id"])
    op.create_index("reports_by_received", "reports", ["received"])
    op.create_index("reports_by_simulation", "reports", ["simulation", "id"])
    op.create_table(
        "groups",
        Column("id", NUMBER, primary_key=True, autoincrement=True),
        Column("signature", String(64), nullable=False, unique=True),
        Column("simulation", String(200), nullable=False),
        Column("cause", String(80), nullable=False),
        Column("title", String(300), nullable=False),
        Column("certainty", String(20), nullable=False),
        Column("operation", String(80), nullable=False),
        Column("place", String(300), nullable=False),
        Column("source", String(500), nullable=False),
        Column("targets", String(130), nullable=False),
        Column("remedy", Text, nullable=False),
        Column("state", String(10), nullable=False),
        Column("resolved_in", String(200), nullable=False),
        Column("resolved", BigInteger),
        Column("reopened", BigInteger),
        Column("count", BigInteger, nullable=False),
        Column("first_seen", BigInteger, nullable=False),
        Column("last_seen", BigInteger, nullable=False),
        Column("example", NUMBER),
    )  # fmt: skip
    op.create_index("groups_by_time", "groups", ["state", "last_seen", "id"])
    op.create_index("groups_by_simulation", "groups", ["simulation", "last_seen"])
    op.create_index("groups_by_cause", "groups", ["cause", "last_seen"])
    op.create_table(
        "group_versions",
        Column("group", NUMBER, primary_key=True, autoincrement=False),
        Column("version", String(200), primary_key=True),
        Column("count", BigInteger, nullable=False),
        Column("first_seen", BigInteger, nullable=False),
        Column("last_seen", BigInteger, nullable=False),
    )  # fmt: skip
    op.create_table(
        "group_machines",
        Column("group", NUMBER, primary_key=True, autoincrement=False),
        Column("machine", String(300), primary_key=True),
        Column("count", BigInteger, nullable=False),
    )  # fmt: skip
    op.create_table(
        "sessions",
        Column("simulation", String(200), primary_key=True),
        Column("build", String(200), primary_key=True),
        Column("target", String(60), primary_key=True),
        Column("hour", BigInteger, primary_key=True),
        Column("sessions", BigInteger, nullable=False),
        Column("desyncs", BigInteger, nullable=False),
    )  # fmt: skip
    op.create_table(
        "batches",
        Column("id", String(64), primary_key=True),
        Column("at", BigInteger, nullable=False),
    )  # fmt: skip
    op.create_index("batches_by_time", "batches", ["at"])
    op.create_table(
        "deleted",
        Column("digest", String(64), primary_key=True),
        Column("at", BigInteger, nullable=False),
    )  # fmt: skip
    op.create_table(
        "counters",
        Column("name", String(80), primary_key=True),
        Column("value", BigInteger, nullable=False),
    )  # fmt: skip
