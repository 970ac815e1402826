"""The proof of the collector under load, at a small size."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import text
from tools.prove_collector.load import Found, compare, some_bytes, under_load
from tools.prove_collector.million import fill, page_times

from samebits.collector.database.engine import Database
from samebits.collector.intake.ledger import Entry, Ledger
from samebits.collector.intake.storage import Storage


def test_what_was_acknowledged_survives_kills_once_and_whole(tmp_path: Path) -> None:
    found = under_load(tmp_path / "load", seconds=1.0, rate=60, kills=1)
    assert len(found.acknowledged) == 60
    assert (found.lost, found.doubled, found.unwhole, found.refused) == (0, 0, 0, [])


def test_a_lost_a_doubled_and_a_cut_report_would_be_seen(tmp_path: Path) -> None:
    database, storage = Database(tmp_path), Storage(tmp_path)
    ledger = Ledger(database, storage)
    entry = Entry(storage.take([some_bytes(1)]), "key", "")
    digest = ledger.enter(entry).result().digest
    ledger.close()
    with database.writing() as connection:
        database.count(connection, reports=1)
    database.close()
    storage.path(digest).write_bytes(b"cut")
    found = Found({digest, "another"})
    compare(tmp_path, found)
    assert (found.lost, found.doubled, found.unwhole) == (1, 1, 1)


def test_pages_answer_from_indexes(tmp_path: Path) -> None:
    fill(tmp_path, 2000, 20)
    names = [name for name, _, _ in page_times(tmp_path, 1999, times=1)]
    assert names == ["list", "list, further on", "search", "group", "report"]
    database = Database(tmp_path)
    queries = (
        "SELECT * FROM groups WHERE state = 'open' ORDER BY last_seen DESC, id DESC LIMIT 51",
        'SELECT * FROM reports WHERE "group" = 5 ORDER BY id DESC LIMIT 20',
        "SELECT id FROM reports WHERE state = 'queued' ORDER BY id LIMIT 1",
    )
    with database.reading() as connection:
        plans = [
            " ".join(row[3] for row in connection.execute(text(f"EXPLAIN QUERY PLAN {query}")))
            for query in queries
        ]
    database.close()
    assert [("USING INDEX" in p or "COVERING" in p, "TEMP B-TREE" in p) for p in plans] == [
        (True, False)
    ] * 3
