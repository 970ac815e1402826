"""Bits files of one build, compared with each other: what parts is told, grouped, and shown."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import text
from tests.support.collected import Bench, bench
from tests.support.collectors import needs_postgres, postgres, running
from tests.support.runs.bits_files import HASHES, changed, machine, run

from samebits.ci.bits_file import BitsFile, Row, write_bits
from samebits.collector.database.engine import Database
from samebits.collector.database.tables import builds, groups, reports
from samebits.collector.grouping.groups import resolve
from samebits.collector.web.files import remove
from samebits.collector.work.worker import Worker

ODD = run(hashes=changed([*map(int, HASHES)], 12))
PAYLOAD = "<script>alert(1)</script>\u202e"


def on(file: BitsFile, architecture: str, system: str = "Linux 6.1") -> BitsFile:
    """The file, of another kind of machine."""
    return replace(
        file, machine={**file.machine, "architecture": architecture, "system": system}
    )  # fmt: skip


def data(folder: Path, file: BitsFile) -> bytes:
    folder.mkdir(exist_ok=True)
    path = folder / "one.bits"
    write_bits(replace(file, path=str(path)))
    return path.read_bytes()


def put(found: Bench, folder: Path, *files: BitsFile) -> list[str]:
    """Enter files, and have each worked on before the next."""
    digests: list[str] = []
    for file in files:
        digests.append(found.put(data(folder, file)))
        found.work()
    return digests


def states(found: Bench) -> list[str]:
    return [row.state for row in found.rows(reports)]


def test_one_machine_waits_and_those_that_agree_are_the_same(tmp_path: Path) -> None:
    with bench(tmp_path) as found:
        put(found, tmp_path / "f", on(machine("ubuntu"), "x86_64"))
        assert states(found) == ["waiting"]
        (build,) = found.rows(builds)
        assert (build.result, build.machines) == ("alone", 1)
        assert build.told.startswith("no other machine's bits file")
        put(found, tmp_path / "f", on(machine("arm"), "arm64"))
        assert states(found) == ["compared", "same"]
        (build,) = found.rows(builds)
        assert (build.result, build.machines, build.version) == ("same", 2, "1")
        assert build.told == "1 run the same, 40 frames compared"
        assert found.rows(groups) == []
        assert {k: v for k, v in found.counts().items() if k != "bytes"} == {
            "reports": 2, "compared": 1, "same": 1,
        }  # fmt: skip


def check_odd(found: Bench) -> None:
    assert states(found)[:3] == ["compared", "same", "diagnosed"]
    (group,) = found.rows(groups)
    assert (group.cause, group.targets) == ("bits", "aarch64 Linux / x86-64 Linux")
    assert group.place == "corpus/a.mcap, frame 12"
    (build,) = found.rows(builds)
    assert build.result == "differs"
    told = json.loads(build.comparison)
    assert [(m["label"], m["odd"]) for m in told["machines"] if m["odd"]] == [("arm", 1)]
    assert any("frame 12" in line for line in told["told"][0])


def test_a_machine_with_other_bits_is_told_with_run_frame_and_targets(tmp_path: Path) -> None:
    with bench(tmp_path) as found:
        put(found, tmp_path / "f", on(machine("one"), "x86_64"), on(machine("two"), "amd64"),
            on(machine("arm", ODD), "aarch64"))  # fmt: skip
        check_odd(found)
        odd = found.rows(reports)[2]
        assert odd.told == (
            "corpus/a.mcap, frame 12: 00000000000000f0 on arm, 0000000000000070 on two, one"
        )
        # Who agrees with the most is the same, whoever else is not.
        put(found, tmp_path / "f", on(machine("three"), "x86_64"))
        assert states(found)[3] == "same"
        # Of one cause, whatever the run: another replay joins the group.
        other = replace(ODD, name="corpus/b.mcap", content="beef")
        put(found, tmp_path / "f", on(machine("one", run(), run("b", "beef")), "x86_64"),
            on(machine("arm 2", other), "aarch64"))  # fmt: skip
        assert [row.count for row in found.rows(groups)] == [2]


def test_a_cause_has_one_group_whichever_machines_have_come(tmp_path: Path) -> None:
    linux, arm = on(machine("linux"), "x86_64"), on(machine("arm", ODD), "arm64")
    windows = on(machine("windows"), "AMD64", "Windows 11")
    with bench(tmp_path) as found:
        for n, order in enumerate(((linux, arm), (arm, linux), (windows, linux, arm))):
            put(found, tmp_path / "f", *(replace(each, version=f"{n}") for each in order))
        assert [(row.targets, row.count) for row in found.rows(groups)] == [
            ("aarch64 Linux / x86-64 Linux", 3),
        ]  # fmt: skip


@needs_postgres
def test_postgresql_compares_as_sqlite_does(tmp_path: Path) -> None:
    with postgres() as url, bench(tmp_path, url) as found:
        put(found, tmp_path / "f", on(machine("one"), "x86_64"), on(machine("two"), "amd64"),
            on(machine("arm", ODD), "aarch64"))  # fmt: skip
        check_odd(found)


def test_the_latest_file_of_a_machine_counts(tmp_path: Path) -> None:
    with bench(tmp_path) as found:
        put(found, tmp_path / "f", machine("one"), machine("arm", ODD), machine("two"))
        assert found.rows(builds)[0].result == "differs"
        put(found, tmp_path / "f", machine("arm"))
        (build,) = found.rows(builds)
        assert (build.result, build.machines) == ("same", 3)
        assert states(found)[-1] == "same"


def test_builds_are_told_apart_by_simulation_version_and_program(tmp_path: Path) -> None:
    with bench(tmp_path) as found:
        one = machine("one")
        put(found, tmp_path / "f", one, replace(machine("b", ODD), version="2"),
            replace(machine("c", ODD), digest="cd" * 16),
            replace(machine("d", ODD), simulation="large"))  # fmt: skip
        assert states(found) == ["waiting"] * 4
        assert len(found.rows(builds)) == 4


def test_a_target_that_differs_on_its_own_machine_needs_no_other(tmp_path: Path) -> None:
    row = Row("s390x-O3", "differs", 7, None, "in frame 3")
    bad = run(result="differs", told="s390x-O3 differs from evaluate, frame 3", rows=(row,))
    with bench(tmp_path) as found:
        put(found, tmp_path / "f", on(machine("one", bad), "x86_64"))
        assert states(found) == ["diagnosed"]
        (group,) = found.rows(groups)
        assert (group.targets, group.title) == (
            "s390x-O3 on x86-64 Linux", "targets of one machine differ",
        )  # fmt: skip
        assert found.rows(builds)[0].result == "differs"


def test_a_group_of_bits_reopens_in_the_version_that_was_to_mend_it(tmp_path: Path) -> None:
    with bench(tmp_path) as found:
        put(found, tmp_path / "f", machine("one"), machine("two"), machine("arm", ODD))
        resolve(found.database, 1, "2")
        later = (replace(each, version="2") for each in
                 (machine("one"), machine("two"), machine("arm", ODD)))  # fmt: skip
        put(found, tmp_path / "f", *later)
        assert [(row.state, row.count) for row in found.rows(groups)] == [("open", 2)]


def test_of_a_file_that_was_removed_nothing_is_told_any_more(tmp_path: Path) -> None:
    with running(tmp_path / "c") as found:
        service = found.service
        worker = Worker(service.database, service.storage, service.log, 60, 4 << 30)

        def work() -> None:
            while worker.work():
                pass

        digests: list[str] = []
        for file in (machine("one"), machine("two"), machine("secret", ODD)):
            digests.append(found.send(data(tmp_path / "f", file)).json["digest"])
            work()
        address = f"/builds/{rows(service.database, builds)[0].run}"
        assert "secret" in found.ask("GET", address, key="read").text
        remove(service, digests[2], for_good=True)
        page = found.ask("GET", address, key="read").text
        assert "secret" not in page
        assert "compared again" in page
        work()
        page = found.ask("GET", address, key="read").text
        assert "secret" not in page
        assert "the same" in page
        assert [row.count for row in rows(service.database, groups)] == [1], "counts stay"
        for digest in digests[:2]:
            remove(service, digest, for_good=False)
        assert rows(service.database, builds) == []
        worker.close()


def rows(database: Database, table: Any) -> list[Any]:
    with database.reading() as connection:
        return [*connection.execute(table.select())]


def test_pages_show_machines_and_what_parts_and_no_name_is_more_than_text(tmp_path: Path) -> None:
    with running(tmp_path / "c") as found:
        service = found.service
        odd = machine(PAYLOAD, replace(ODD, name=PAYLOAD))
        made = (machine("one"), machine("two"), odd)
        files = [replace(each, simulation=PAYLOAD) for each in made]
        sent = [found.send(data(tmp_path / "f", each)) for each in files]
        assert [each.status for each in sent] == [202] * 3
        worker = Worker(service.database, service.storage, service.log, 60, 4 << 30)
        while worker.work():
            pass
        worker.close()
        listed = found.ask("GET", "/builds", key="read")
        run_of = rows(service.database, builds)[0].run
        page = found.ask("GET", f"/builds/{run_of}", key="read")
        report = found.ask("GET", f"/reports/{sent[-1].json['digest']}", key="read").text
        assert f'href="/builds/{run_of}"' in listed.text
        assert f'href="/builds/{run_of}"' in report
        assert "different bits" in listed.text
        assert "other than most" in page.text
        assert "frame 12" in page.text
        for text_of in (listed.text, page.text, report):
            assert "<script" not in text_of
            assert "\u202e" not in text_of
            assert "&lt;script&gt;alert(1)" in text_of
        assert found.ask("GET", "/builds/" + "0" * 40, key="read").status == 404
        assert found.ask("GET", "/builds/x", key="read").status == 404
        assert found.ask("GET", "/builds").status == 401
        assert found.ask("GET", f"/builds/{run_of}", key="send").status == 403


def test_a_list_of_builds_goes_on_where_its_page_ends(tmp_path: Path) -> None:
    with running(tmp_path / "c") as found:
        row = {"simulation": "s", "version": "1", "build": "b", "machines": 1, "result": "alone",
               "told": "", "comparison": "", "latest": 1, "first_seen": 1}  # fmt: skip
        with found.service.database.writing() as connection:
            connection.execute(
                builds.insert(),
                [{**row, "run": f"{n:040x}", "last_seen": n // 9} for n in range(70)],
            )
        first = found.ask("GET", "/builds", key="read").text
        more = first.partition('href="/builds?')[2].partition('"')[0]
        rest = found.ask("GET", f"/builds?{more}", key="read").text
        seen = [part[:40] for page in (first, rest) for part in page.split('href="/builds/')[1:]]
        assert seen == [f"{n:040x}" for n in reversed(range(70))]


def test_files_that_an_older_collector_only_kept_are_compared(tmp_path: Path) -> None:
    with bench(tmp_path) as found:
        for file in (machine("one"), machine("arm", ODD)):
            found.put(data(tmp_path / "f", file))
        with found.database.writing() as connection:  # as the first revision left them
            connection.execute(text("UPDATE reports SET state = 'kept', attempts = 1"))
            found.database.count(connection, queued=-2, kept=2)
            connection.execute(text("DROP TABLE builds"))
            connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    with bench(tmp_path) as found:
        assert found.work() == 2
        assert states(found) == ["compared", "diagnosed"]
        assert found.counts()["diagnosed"] == 1
        assert "kept" not in found.counts()
        assert "queued" not in found.counts()
