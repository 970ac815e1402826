"""API keys: who may send, read, and administer.

A key is `sbk_<id>_<secret>`. The database has the SHA-256 of its secret alone, which is 32 random
bytes: no slow hash is needed for what nobody can guess.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from dataclasses import dataclass

from sqlalchemy import bindparam, select, update

from samebits.collector.database.engine import Database
from samebits.collector.database.tables import keys
from samebits.collector.problem import CollectorError

SCOPES = ("send", "read", "admin")
"""What a key may do. An admin may read too; a key that a game ships has `send` alone."""
_KEY = re.compile(r"sbk_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_VALID = select(keys).where(keys.c.id == bindparam("number"), keys.c.revoked.is_(None))


@dataclass(frozen=True, slots=True)
class Holder:
    """Who a key says that its bearer is."""

    id: str
    name: str
    scopes: frozenset[str]
    revoked: bool = False
    made: int = 0

    def may(self, scope: str) -> bool:
        return scope in self.scopes or (scope == "read" and "admin" in self.scopes)


def new_key(database: Database, name: str, scopes: list[str]) -> str:
    """Make a key, which is told this once. Raises CollectorError for scopes there are none of."""
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown or not scopes:
        raise CollectorError(
            f"a key has no scope '{', '.join(unknown) or ''}'", fix=f"give {', '.join(SCOPES)}"
        )
    if not name.isprintable() or len(name) > 200:
        raise CollectorError("a key's name is one printable line of 200 characters at most")
    number, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    row = {
        "id": number, "name": name, "secret": hashlib.sha256(secret.encode()).hexdigest(),
        "scopes": ",".join(scope for scope in SCOPES if scope in scopes), "made": int(time.time()),
    }  # fmt: skip
    with database.writing() as connection:
        connection.execute(keys.insert().values(**row))
    return f"sbk_{number}_{secret}"


def all_keys(database: Database) -> list[Holder]:
    """All keys, the oldest first."""
    with database.reading() as connection:
        rows = connection.execute(select(keys).order_by(keys.c.made, keys.c.id)).all()
    return [
        Holder(
            row.id, row.name, frozenset(row.scopes.split(",")), row.revoked is not None, row.made
        )
        for row in rows
    ]


def revoke(database: Database, number: str) -> None:
    """Refuse a key from now on. Raises CollectorError where there is none with this id."""
    with database.writing() as connection:
        changed = connection.execute(
            update(keys).where(keys.c.id == number, keys.c.revoked.is_(None))
            .values(revoked=int(time.time()))
        )  # fmt: skip
        if not changed.rowcount:
            raise CollectorError(
                f"there is no valid key '{number:.40}'", fix="see samebits collector key list"
            )


class Keyring:
    """The keys of a database, asked for each request: a key that is revoked is refused at once."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def holder(self, key: str) -> Holder | None:
        """Whose key this is; None where it is none, or revoked."""
        match = _KEY.fullmatch(key)
        if match is None:
            return None
        number, secret = match.groups()
        with self._database.reading() as connection:
            row = connection.execute(_VALID, {"number": number}).first()
        given = hashlib.sha256(secret.encode()).hexdigest()
        if row is None or not hmac.compare_digest(given, row.secret):
            return None
        return Holder(row.id, row.name, frozenset(row.scopes.split(",")))
