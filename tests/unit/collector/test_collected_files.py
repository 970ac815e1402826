"""Files that are sent to a collector: taken whole, once, and by those who may."""

from __future__ import annotations

import hashlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select
from tests.support.collected import report_of
from tests.support.collectors import HEAD, Running, running, some_report
from tests.support.limits import HANG_SECONDS

from samebits.collector.database.tables import reports
from samebits.collector.intake.keys import Keyring, all_keys, new_key, revoke
from samebits.collector.intake.kinds import MOST
from samebits.collector.intake.storage import Storage
from samebits.collector.problem import CollectorError


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("collector")) as found:
        yield found


def rows(collector: Running, digest: str) -> list[str]:
    with collector.service.database.reading() as connection:
        return [*connection.scalars(select(reports.c.state).where(reports.c.digest == digest))]


def incoming(collector: Running) -> list[Path]:
    return [*collector.service.storage.incoming.iterdir()]


def test_what_was_acknowledged_is_on_the_disk_with_a_row(collector: Running) -> None:
    data = some_report("whole")
    answer = collector.send(data, "m-17")
    digest = hashlib.sha256(data).hexdigest()
    assert answer.status == 202
    assert answer.json == {"digest": digest, "known": False, "at": f"/files/{digest}"}
    assert collector.service.storage.path(digest).read_bytes() == data
    assert rows(collector, digest) == ["queued"]
    assert incoming(collector) == []
    assert collector.ask("GET", f"/files/{digest}", key="read").body == data


def test_a_file_that_is_sent_twice_is_there_once(collector: Running) -> None:
    data = some_report("twice")
    before = collector_counts(collector)
    first, second = collector.send(data), collector.send(data)
    assert (first.json["known"], second.json["known"]) == (False, True)
    assert rows(collector, first.json["digest"]) == ["queued"]
    assert collector_counts(collector)["reports"] == before.get("reports", 0) + 1
    assert incoming(collector) == []


def collector_counts(collector: Running) -> dict[str, int]:
    with collector.service.database.reading() as connection:
        return collector.service.database.counts(connection)


@pytest.mark.parametrize(
    ("data", "status", "said"),
    [
        (HEAD, 415, "it was cut"),
        (b"\x7fELF" + bytes(200), 415, "none that the collector takes"),
        (b"", 415, "none that the collector takes"),
        (b'{"format": 3, "a": 1}', 415, "none that the collector takes"),
        (HEAD + bytes(MOST), 413, "more than 16,777,216 bytes"),
    ],
    ids=["cut", "program", "empty", "other", "large"],
)
def test_what_is_no_such_file_is_refused_and_leaves_nothing(
    collector: Running, data: bytes, status: int, said: str
) -> None:
    answer = collector.send(data)
    assert (answer.status, said in answer.json["error"]) == (status, True)
    assert incoming(collector) == []


def test_a_damaged_report_is_refused_and_leaves_nothing(collector: Running) -> None:
    data = report_of()
    for at in range(0, len(data), len(data) // 150):
        flipped = bytearray(data)
        flipped[at] ^= 8
        answer = collector.send(bytes(flipped))
        assert (at, answer.status in (415, 422)) == (at, True)
        if answer.status == 422:
            assert answer.json["error"].startswith("a desync report that is damaged: at byte ")
    assert incoming(collector) == []
    assert collector.send(data).status == 202


def test_a_file_without_a_length_ends_at_the_same_bound(collector: Running) -> None:
    piece = HEAD + bytes(1 << 20)
    answer = collector.ask("POST", "/reports", iter([piece] * 16), "send")
    assert answer.status == 413
    assert incoming(collector) == []


def test_a_connection_that_ends_within_a_file_leaves_nothing(collector: Running) -> None:
    with socket.create_connection(("127.0.0.1", collector.port), timeout=HANG_SECONDS) as half:
        half.sendall(
            b"POST /reports HTTP/1.1\r\nHost: here\r\nContent-Length: 5000\r\n"
            b"Authorization: Bearer " + collector.keys["send"].encode() + b"\r\n\r\n" + HEAD
        )  # fmt: skip
        half.shutdown(socket.SHUT_WR)
        half.recv(1000)
    deadline = time.monotonic() + HANG_SECONDS  # the server notices in its own time
    while incoming(collector) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert incoming(collector) == []


def test_each_scope_does_what_it_says_and_no_more(collector: Running) -> None:
    digest = collector.send(some_report("scopes")).json["digest"]
    wanted = {
        "": (401, 401, 401), "sbk_0_0": (401, 401, 401),
        "send": (202, 403, 403), "read": (403, 200, 403), "admin": (403, 200, 200),
    }  # fmt: skip
    for key, statuses in wanted.items():
        found = (
            collector.ask("POST", "/reports", some_report("scopes"), key).status,
            collector.ask("GET", f"/files/{digest}", key=key).status,
            collector.ask("DELETE", f"/files/{digest}", key=key).status,
        )
        assert (key, found) == (key, statuses)
    answer = collector.ask("GET", f"/files/{digest}", key="sbk_0_0")
    assert answer.json["error"] == "this key is unknown here, or was revoked"


def test_a_secret_is_nowhere_in_the_database_and_a_revoked_key_is_refused(
    collector: Running,
) -> None:
    database = collector.service.database
    secret = collector.keys["send"].split("_", 2)[2].encode()
    files = collector.service.settings.folder.glob("collector.sqlite*")
    assert not any(secret in path.read_bytes() for path in files)
    ring = Keyring(database)
    key = new_key(database, "another", ["read"])
    assert collector.ask("GET", "/metrics", key=key).status == 200
    holder = ring.holder(key)
    assert holder is not None
    assert ring.holder(key[:-1] + ("A" if key[-1] != "A" else "B")) is None
    revoke(database, holder.id)
    assert ring.holder(key) is None
    assert collector.ask("GET", "/metrics", key=key).status == 401
    assert [each.revoked for each in all_keys(database) if each.id == holder.id] == [True]
    with pytest.raises(CollectorError, match="there is no valid key"):
        revoke(database, holder.id)


def test_what_was_deleted_on_request_is_gone_and_not_taken_again(collector: Running) -> None:
    data = some_report("personal")
    digest = collector.send(data).json["digest"]
    assert collector.ask("DELETE", f"/files/{digest}", key="admin").status == 200
    assert not collector.service.storage.path(digest).exists()
    assert rows(collector, digest) == []
    assert collector.send(data).status == 410
    assert not collector.service.storage.path(digest).exists()
    assert collector.ask("GET", f"/files/{digest}", key="admin").status == 404


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"},
                                     {"Sec_Fetch_Site": "cross-site"}])  # fmt: skip
def test_another_sites_page_can_delete_nothing(collector: Running, headers: dict[str, str]) -> None:
    digest = collector.send(some_report("crossed")).json["digest"]
    answer = collector.ask("DELETE", f"/files/{digest}", key="admin", **headers)
    assert answer.status == 403
    assert rows(collector, digest) == ["queued"]


def test_names_that_are_no_digests_reach_no_file(collector: Running) -> None:
    for name in ("..%2f..%2fcollector.sqlite", "0" * 63, "A" * 64, "%00"):
        assert collector.ask("GET", f"/files/{name}", key="read").status == 404


def test_a_match_has_no_text_but_a_short_name(collector: Running) -> None:
    assert collector.ask("POST", "/reports?match=a%20b", some_report(), "send").status == 400
    assert collector.ask("POST", f"/reports?match={'m' * 101}", some_report(), "send").status == 400


def test_each_key_has_its_rate(tmp_path: Path) -> None:
    with running(tmp_path, rate=0.5, burst=3) as collector:
        found = [collector.send(some_report(str(n))) for n in range(4)]
        assert [answer.status for answer in found] == [202, 202, 202, 429]
        assert found[3].headers["retry-after"] in ("1", "2")
        assert collector.ask("GET", "/files/0", key="read").status == 404


def test_logs_and_rows_have_no_address(collector: Running) -> None:
    collector.send(some_report("address"))
    text = collector.said.getvalue()
    assert '"event": "taken"' in text
    assert "127.0.0.1" not in text
    assert not {"address", "ip", "host"} & {column.name for column in reports.c}


def test_one_process_serves_a_folder_and_sweeps_what_another_left(tmp_path: Path) -> None:
    storage = Storage(tmp_path)
    (storage.incoming / "half").write_bytes(b"x")
    storage.own()
    try:
        assert [*storage.incoming.iterdir()] == []
        other = Storage(tmp_path)
        with pytest.raises(CollectorError, match="another process serves"):
            other.own()
    finally:
        storage.close()
