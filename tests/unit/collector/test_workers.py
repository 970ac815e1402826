"""Reports on their way through the queue: compared with the other side, grouped by cause."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.collected import CAUSES, Bench, bench, report_of, shared_helper
from tests.support.collectors import needs_postgres, postgres, some_report

from samebits.collector.database.tables import group_machines, group_versions, groups, reports
from samebits.collector.grouping.groups import resolve
from samebits.collector.work.helper import Helper, HelperEnded
from samebits.collector.work.queue import MOST_ATTEMPTS, claim


@pytest.fixture(scope="module", autouse=True)
def _helper_ends() -> Iterator[None]:
    yield
    shared_helper().close()


def send_match(found: Bench, match: str, hazard: str, version: str = "1", cpu: str = "B") -> None:
    found.put(report_of("", f"A {match}", version), match)
    found.put(report_of(hazard, cpu, version), match)


def one_per_cause(found: Bench) -> None:
    for n, hazard in enumerate([*CAUSES, CAUSES[0]]):
        send_match(found, f"m{n}", hazard, cpu=f"CPU {n}")
    found.work()


def check_causes(found: Bench) -> None:
    assert {row.cause: row.count for row in found.rows(groups)} == {
        "fma": 2, "changed-constant": 1, "lost-store": 1, "narrower": 1, "constant": 1,
    }  # fmt: skip
    states = Counter(row.state for row in found.rows(reports))
    assert states == {"compared": 6, "diagnosed": 6}
    assert {k: v for k, v in found.counts().items() if k != "bytes"} == {
        "reports": 12, "groups": 5, **states,
    }  # fmt: skip


def test_each_cause_has_one_group_and_its_first_report_as_example(tmp_path: Path) -> None:
    with bench(tmp_path) as found:
        one_per_cause(found)
        check_causes(found)
        first = found.rows(groups)[0]
        assert (first.simulation, first.operation, first.targets) == (
            "traced", "add", "x86-64 Linux"
        )  # fmt: skip
        assert "drift, traced_simulation.py" in first.place
        assert first.remedy.startswith("build with -ffp-contract=off")
        example = next(row for row in found.rows(reports) if row.id == first.example)
        told = json.loads(found.storage.result(example.digest, ".json").read_text())
        assert told["causes"][0]["hazard"] == "fma"
        assert "fused multiply-add" in found.storage.result(example.digest, ".html").read_text()
        machines = {(r.group, r.machine): r.count for r in found.rows(group_machines)}
        assert sum(n for (group, _), n in machines.items() if group == first.id) == 2


@needs_postgres
def test_postgresql_groups_as_sqlite_does(tmp_path: Path) -> None:
    with postgres() as url, bench(tmp_path, url) as found:
        for match in ("m1", "m2"):
            send_match(found, match, "fma")
            found.put(report_of("fma", f"C {match}"), match)
        assert found.work() == 5, "the second match's report of B has the first one's bytes"
        assert [(row.cause, row.count) for row in found.rows(groups)] == [("fma", 3)]


def test_a_relapse_reopens_what_was_resolved_in_that_version_or_before(tmp_path: Path) -> None:
    with bench(tmp_path) as found:
        send_match(found, "m1", "fma", "1.9")
        found.work()
        resolve(found.database, 1, "1.10")
        send_match(found, "m2", "fma", "1.9.5", "C")
        found.work()
        assert [row.state for row in found.rows(groups)] == ["resolved"]
        send_match(found, "m3", "fma", "1.10", "D")
        found.work()
        group = found.rows(groups)[0]
        assert (group.state, group.count, group.reopened is not None) == ("open", 3, True)
        versions = {row.version: row.count for row in found.rows(group_versions)}
        assert versions == {"1.9": 1, "1.9.5": 1, "1.10": 1}


def test_peers_that_agree_are_the_same_and_one_alone_waits(tmp_path: Path) -> None:
    with bench(tmp_path) as found:
        found.put(report_of(machine="A"), "m1")
        found.work()
        assert [row.state for row in found.rows(reports)] == ["waiting"]
        found.put(report_of(machine="B"), "m1")
        found.put(report_of(machine="C"), "m2")
        found.work()
        assert [row.state for row in found.rows(reports)] == ["compared", "same", "waiting"]
        assert found.rows(groups) == []


def test_without_a_match_the_seed_and_the_first_inputs_tell_the_run(tmp_path: Path) -> None:
    with bench(tmp_path) as found:
        found.put(report_of(machine="A"))
        found.put(report_of("fma", "B"))
        found.work()
        assert [row.state for row in found.rows(reports)] == ["compared", "diagnosed"]


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    with bench(tmp_path) as found:
        found.put(some_report("no report at all"))
        found.put(b'{"format": 2, "x": ' + b"[" * 100_000 + b"}")
        found.put(b'{"format": 2, "simulation": 7}')
        found.work()
        rows = found.rows(reports)
        assert [row.state for row in rows] == ["failed"] * 3
        assert "its description of itself is not there" in rows[0].told
        assert rows[2].told.startswith("the file is no diagnosis")


def test_a_damaged_report_is_never_the_same(tmp_path: Path) -> None:
    """One that was stored before reports were checked on their way in."""
    with bench(tmp_path) as found:
        found.put(report_of(machine="A"), "m1")
        for at in (3, 2):
            data = report_of(machine=f"B {at}")
            digest = found.put(data, "m1")
            path = found.storage.path(digest)
            flipped = bytearray(data)
            flipped[len(data) * at // 4] ^= 8
            path.write_bytes(flipped)
        found.work()
        rows = found.rows(reports)
        assert [row.state for row in rows] == ["waiting", "failed", "failed"]
        assert all("the report is damaged, and not compared: at byte" in r.told for r in rows[1:])
        found.put(report_of("fma", "C"), "m1")
        found.work()
        assert found.rows(reports)[3].state == "diagnosed"


def test_a_verdict_of_what_was_damaged_is_not_the_same(tmp_path: Path) -> None:
    verdict: dict[str, Any] = {
        "format": 2, "answer": "the same: no frame of 4 differs", "same": True,
        "simulation": "duel", "version": "1",
        "notes": ["there is damaged: what it has lost is not compared"],
    }  # fmt: skip
    with bench(tmp_path) as found:
        found.put(json.dumps(verdict).encode())
        found.work()
        row = found.rows(reports)[0]
        assert (row.state, row.told[:28]) == ("failed", "what was compared is damaged")


def test_a_verdict_joins_a_group_by_what_it_says(tmp_path: Path) -> None:
    place = {"file": "/home/x/game.py", "line": 7, "function": "step", "source": "a * b + c"}
    verdict: dict[str, Any] = {
        "format": 2, "answer": "frame 3", "same": False, "simulation": "duel", "version": "1",
        "causes": [{"hazard": "fma", "title": "fused"}], "certainty": "certain",
        "operation": {"opcode": "mul", "place": place}, "b": "there",
    }  # fmt: skip
    with bench(tmp_path) as found:
        found.put(json.dumps(verdict).encode())
        place["line"] = 70
        found.put(json.dumps(verdict).encode())
        found.put(json.dumps({**verdict, "same": True}).encode())
        found.work()
        assert [row.state for row in found.rows(reports)] == ["diagnosed", "diagnosed", "same"]
        group = found.rows(groups)[0]
        assert (group.count, group.place, group.source) == (2, "step, game.py:7", "a * b + c")


def test_the_operation_tells_groups_apart_where_no_cause_is_known(tmp_path: Path) -> None:
    """Which one of a line's differs first depends on the inputs."""
    place = {"file": "game.py", "line": 7, "function": "step", "source": "a * b - c"}
    verdict: dict[str, Any] = {
        "format": 2, "answer": "frame 3", "same": False, "simulation": "duel", "version": "1",
    }  # fmt: skip
    doubles = [{"hazard": "double", "title": "float32 computed in float64"}]
    with bench(tmp_path) as found:
        for causes in (doubles, []):
            for opcode in ("mul", "sub"):
                operation = {"opcode": opcode, "place": place}
                told = {**verdict, "causes": causes, "operation": operation}
                found.put(json.dumps(told).encode())
        found.work()
        assert sorted(group.count for group in found.rows(groups)) == [1, 1, 2]


def test_a_worker_that_is_gone_loses_its_report_and_what_it_says_later(tmp_path: Path) -> None:
    with bench(tmp_path) as found:
        found.put(report_of(machine="A"), "m1")
        lost = claim(found.database, int(found.time), 100)
        assert lost is not None
        assert claim(found.database, int(found.time), 100) is None
        found.time += 101
        assert found.work() == 1
        assert [row.state for row in found.rows(reports)] == ["waiting"]
        found.worker._end(lost, "failed")  # pyright: ignore[reportPrivateUsage]
        assert [row.state for row in found.rows(reports)] == ["waiting"]
        assert found.counts()["waiting"] == 1
        assert "working" not in found.counts()


def test_a_report_that_ends_its_workers_is_poison(tmp_path: Path) -> None:
    with bench(tmp_path) as found:
        found.put(report_of(machine="A"), "m1")
        for _ in range(MOST_ATTEMPTS):
            assert claim(found.database, int(found.time), 100) is not None
            found.time += 101
        found.work()
        row = found.rows(reports)[0]
        assert (row.state, row.told) == ("poison", "it ended every worker that opened it")


def test_a_report_that_ends_its_helpers_is_poison_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(_self: Helper, **_job: Any) -> dict[str, Any]:
        raise HelperEnded("it took more than 60 seconds of a processor")

    monkeypatch.setattr(Helper, "ask", end)
    with bench(tmp_path) as found:
        found.put(report_of(machine="A"), "m1")
        assert found.work() == MOST_ATTEMPTS
        row = found.rows(reports)[0]
        assert (row.state, row.attempts) == ("poison", MOST_ATTEMPTS)
        assert row.told == "given up after 3 times: it took more than 60 seconds of a processor"


def test_a_process_that_takes_too_much_memory_ends_alone_and_is_replaced(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(b'{"format": 2, "x": [' + b"1.5, " * 2_000_000 + b"0]}")
    helper = Helper(60, 100 << 20)
    try:
        with pytest.raises(HelperEnded):
            helper.ask(job="read", path=str(large), kind="verdict", match="")
    finally:
        helper.close()
    found = shared_helper().ask(job="read", path=str(large), kind="verdict", match="")
    assert found["refused"].startswith("the file is no diagnosis")
