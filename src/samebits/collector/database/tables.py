"""The collector's tables. Times are whole seconds since 1970, UTC; digests are SHA-256 in hex.

Counts that pages show are kept, not counted: a page costs the same with a million reports. A change
here comes with a revision in `migrations`.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, MetaData, String, Table, Text

metadata = MetaData()
NUMBER = BigInteger().with_variant(Integer(), "sqlite")
"""SQLite numbers rows by itself in columns of this exact type alone."""

keys = Table(
    "keys", metadata,
    Column("id", String(16), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("secret", String(64), nullable=False),  # SHA-256 of 32 random bytes
    Column("scopes", String(40), nullable=False),  # words of SCOPES, with commas
    Column("made", BigInteger, nullable=False),
    Column("revoked", BigInteger),
)  # fmt: skip

reports = Table(
    "reports", metadata,
    Column("id", NUMBER, primary_key=True, autoincrement=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("kind", String(10), nullable=False),
    Column("size", Integer, nullable=False),
    Column("received", BigInteger, nullable=False),
    Column("key", String(16), nullable=False),
    Column("match", String(100), nullable=False),  # what the sender called the match, or empty
    Column("state", String(10), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("leased", BigInteger, nullable=False),  # until when a worker has it
    Column("holder", String(32), nullable=False),  # of the lease
    Column("run", String(40), nullable=False),  # what the sides of one run have in common
    Column("simulation", String(200), nullable=False),
    Column("version", String(200), nullable=False),
    Column("build", String(40), nullable=False),
    Column("machine", String(300), nullable=False),
    Column("target", String(60), nullable=False),
    Column("told", Text, nullable=False),  # one line on what became of it
    Column("other", NUMBER),  # the report that it was compared with
    Column("group", NUMBER),
    Index("reports_by_state", "state", "id"),
    Index("reports_by_run", "run", "id"),
    Index("reports_by_group", "group", "id"),
    Index("reports_by_received", "received"),
    Index("reports_by_simulation", "simulation", "id"),
)  # fmt: skip

groups = Table(
    "groups", metadata,
    Column("id", NUMBER, primary_key=True, autoincrement=True),
    Column("signature", String(64), nullable=False, unique=True),
    Column("simulation", String(200), nullable=False),
    Column("cause", String(80), nullable=False),  # a hazard's name, or what else is known
    Column("title", String(300), nullable=False),
    Column("certainty", String(20), nullable=False),
    Column("operation", String(80), nullable=False),
    Column("place", String(300), nullable=False),  # function, file:line as first seen
    Column("source", String(500), nullable=False),  # the line's text
    Column("targets", String(130), nullable=False),
    Column("remedy", Text, nullable=False),
    Column("state", String(10), nullable=False),  # open or resolved
    Column("resolved_in", String(200), nullable=False),
    Column("resolved", BigInteger),
    Column("reopened", BigInteger),
    Column("count", BigInteger, nullable=False),
    Column("first_seen", BigInteger, nullable=False),
    Column("last_seen", BigInteger, nullable=False),
    Column("example", NUMBER),  # the first report of it that is kept
    Index("groups_by_time", "state", "last_seen", "id"),
    Index("groups_by_simulation", "simulation", "last_seen"),
    Index("groups_by_cause", "cause", "last_seen"),
)  # fmt: skip

group_versions = Table(
    "group_versions", metadata,
    Column("group", NUMBER, primary_key=True, autoincrement=False),
    Column("version", String(200), primary_key=True),
    Column("count", BigInteger, nullable=False),
    Column("first_seen", BigInteger, nullable=False),
    Column("last_seen", BigInteger, nullable=False),
)  # fmt: skip

group_machines = Table(
    "group_machines", metadata,
    Column("group", NUMBER, primary_key=True, autoincrement=False),
    Column("machine", String(300), primary_key=True),
    Column("count", BigInteger, nullable=False),
)  # fmt: skip

builds = Table(
    "builds", metadata,  # those that have bits files
    Column("run", String(40), primary_key=True),  # as their reports have it
    Column("simulation", String(200), nullable=False),
    Column("version", String(200), nullable=False),
    Column("build", String(40), nullable=False),
    Column("machines", Integer, nullable=False),
    Column("result", String(20), nullable=False),
    Column("told", Text, nullable=False),
    Column("comparison", Text, nullable=False),  # all of it as JSON
    Column("latest", NUMBER),  # the file that was compared last
    Column("first_seen", BigInteger, nullable=False),
    Column("last_seen", BigInteger, nullable=False),
    Index("builds_by_time", "last_seen", "run"),
)  # fmt: skip

sessions = Table(
    "sessions", metadata,
    Column("simulation", String(200), primary_key=True),
    Column("build", String(200), primary_key=True),
    Column("target", String(60), primary_key=True),
    Column("hour", BigInteger, primary_key=True),  # the second with which it begins
    Column("sessions", BigInteger, nullable=False),
    Column("desyncs", BigInteger, nullable=False),
)  # fmt: skip

batches = Table(
    "batches", metadata,
    Column("id", String(64), primary_key=True),  # of counters, so that none is added twice
    Column("at", BigInteger, nullable=False),
    Index("batches_by_time", "at"),
)  # fmt: skip

deleted = Table(
    "deleted", metadata,
    Column("digest", String(64), primary_key=True),
    Column("at", BigInteger, nullable=False),
)  # fmt: skip

counters = Table(
    "counters", metadata,
    Column("name", String(80), primary_key=True),
    Column("value", BigInteger, nullable=False),
)  # fmt: skip

STATES = (
    "queued", "working", "waiting", "compared", "same", "diagnosed", "failed", "poison",
)  # fmt: skip
"""What a report can be, and the names of the counts of these."""
