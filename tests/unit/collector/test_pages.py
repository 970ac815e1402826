"""The collector's pages: whole without scripts, with nothing of hostile names but their text."""

from __future__ import annotations

import base64
import io
import json
import os
import re
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.support.collectors import Running, running
from tests.support.command_line import called
from tests.support.limits import HANG_SECONDS
from tests.support.runs.browser import CHROMIUM, needs_chromium

from samebits.collector.grouping.catalogue import known_causes, read_catalogue
from samebits.collector.operate.backup import backup
from samebits.collector.operate.logs import Log
from samebits.collector.operate.retention import DAY, sweep
from samebits.collector.problem import CollectorError
from samebits.collector.rollout.counts import add
from samebits.collector.work.worker import Worker

PAYLOAD = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{7*7}}\u202e"


def verdict(simulation: str = "duel", cause: str = "fma", line: int = 7) -> bytes:
    told: dict[str, Any] = {
        "format": 2, "answer": f"frame 3 · {PAYLOAD}", "same": False, "simulation": simulation,
        "version": PAYLOAD, "to_do": PAYLOAD, "b": PAYLOAD, "certainty": "certain",
        "causes": [{"hazard": cause, "title": PAYLOAD}],
        "operation": {"opcode": "mul", "place": {
            "file": "game.py", "line": line, "function": "step", "source": PAYLOAD + str(line)}},
    }  # fmt: skip
    return json.dumps(told).encode()


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("pages")) as found:
        for line in range(60):
            found.send(verdict(line=line))
        found.send(verdict(PAYLOAD, "x87"))
        name = PAYLOAD.removesuffix("\u202e")
        for build, bad in (("1.0", 1), (name, 60)):
            batch = {"id": f"batch-{bad:04}", "simulation": name, "build": build,
                     "target": name[:60], "sessions": 100, "desyncs": bad}  # fmt: skip
            assert add(found.service.database, batch, now=7200.0)
        service = found.service
        worker = Worker(service.database, service.storage, service.log, 60, 4 << 30)
        while worker.work():
            pass
        worker.close()
        yield found


def paths(collector: Running) -> list[str]:
    digest = json.loads(collector.send(verdict(line=1)).body)["digest"]
    return ["/", "/?q=duel", "/?q=%3Cscript%3E", "/groups/1", "/groups/61", f"/reports/{digest}",
            "/rollout", "/?state=resolved", "/reports?state=diagnosed", "/builds"]  # fmt: skip


def test_hostile_names_are_text_on_every_page(collector: Running) -> None:
    for path in paths(collector):
        answer = collector.ask("GET", path, key="read")
        assert (path, answer.status) == (path, 200)
        assert "<script" not in answer.text
        assert "<img" not in answer.text
        assert "\u202e" not in answer.text
        assert "default-src 'none'; style-src 'self'" in answer.headers["content-security-policy"]
    assert "&lt;script&gt;alert(1)" in collector.ask("GET", "/groups/1", key="read").text
    assert "{{7*7}}" in collector.ask("GET", "/groups/1", key="read").text


def test_the_rollout_draws_rates_and_compares_two_builds(collector: Running) -> None:
    name = quote(PAYLOAD.removesuffix("\u202e"))
    text = collector.ask("GET", "/rollout", key="read").text
    assert text.count("<svg") == 2
    assert "60.00 %" in text
    assert "60 of 100" in text
    for a, b, said in (("1.0", name, ": worse (evidence"), (name, "1.0", ": better (evidence"),
                       ("0.9", name, "has reported no sessions")):  # fmt: skip
        text = collector.ask("GET", f"/rollout?simulation={name}&a={a}&b={b}", key="read").text
        assert said in text
        assert "<script" not in text
    assert (
        "has reported no" in collector.ask("GET", "/rollout?simulation=x&a=1&b=2", "", "read").text
    )


def test_pages_need_a_key_that_may_read(collector: Running) -> None:
    for path in [*paths(collector), "/metrics"]:
        assert collector.ask("GET", path).status == 401
        assert collector.ask("GET", path, key="send").status == 403
    told = base64.b64encode(f":{collector.keys['read']}".encode()).decode()
    assert collector.ask("GET", "/", Authorization=f"Basic {told}").status == 200
    assert collector.ask("GET", "/healthz").text == "ok\n"


def test_a_list_goes_on_where_its_page_ends(collector: Running) -> None:
    first = collector.ask("GET", "/", key="read").text
    assert first.count('class="row"') == 50
    more = first.partition('<a href="/?q=')[2].partition('"')[0].replace("&amp;", "&")
    assert collector.ask("GET", f"/?q={more}", key="read").text.count('class="row"') == 11


def test_files_that_could_not_be_read_are_found_by_their_state(collector: Running) -> None:
    def listed(path: str) -> str:
        return collector.ask("GET", path, key="read").text

    first = listed("/reports?state=diagnosed")
    assert first.count('class="row"') == 50
    more = first.rpartition('href="/reports?')[2].partition('"')[0].replace("&amp;", "&")
    rest = listed(f"/reports?{more}")
    assert rest.count('class="row"') == 11
    assert "None." in listed("/reports?state=poison")
    assert 'href="/reports?state=failed"' in listed("/")
    assert collector.ask("GET", "/reports?state=x", key="read").status == 404
    assert collector.ask("GET", "/reports?state=failed").status == 401


def test_what_is_not_there_is_told_as_everything_else(collector: Running) -> None:
    for method, path, status in (("GET", "/nowhere", 404), ("PUT", "/reports", 405)):
        answer = collector.ask(method, path)
        assert (answer.status, sorted(answer.json)) == (status, ["error"])
        assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_fact_takes_no_place_of_a_logs_time_and_event() -> None:
    said = io.StringIO()
    log = Log(said)
    log.say("started", at="here", event="other", port=7)
    found = json.loads(said.getvalue())
    assert (found["event"], found["port"], found["at"][-1]) == ("started", 7, "Z")


def test_a_search_finds_and_its_text_is_no_pattern(collector: Running) -> None:
    for q, count in (("x87", 1), ("duel", 50), ("step%2C", 50), ("%25", 0), ("nothing", 0)):
        text = collector.ask("GET", f"/?q={q}", key="read").text
        assert (q, text.count('class="row"')) == (q, count)


def test_a_form_resolves_a_group_for_an_admin_on_the_own_page(collector: Running) -> None:
    form = {"Content_Type": "application/x-www-form-urlencoded"}
    path = "/groups/2/resolve"
    assert collector.ask("POST", path, "version=1.2", "read", **form).status == 403
    away = {**form, "Origin": "https://evil.example"}
    assert collector.ask("POST", path, "version=1.2", "admin", **away).status == 403
    assert collector.ask("POST", path, "version=", "admin", **form).status == 400
    assert collector.ask("POST", "/groups/999/resolve", "version=1", "admin", **form).status == 400
    assert "resolved in 1.2" not in collector.ask("GET", "/groups/2", key="read").text
    own = {**form, "Origin": f"http://127.0.0.1:{collector.port}"}
    assert collector.ask("POST", path, "version=1.2", "admin", **own).status == 303
    assert "resolved in 1.2" in collector.ask("GET", "/groups/2", key="read").text
    assert collector.ask("POST", "/groups/2/reopen", "", "admin", **own).status == 303


def test_a_known_cause_is_told_with_its_groups(collector: Running) -> None:
    assert "80 bits on the way" in collector.ask("GET", "/groups/61", key="read").text


def test_a_teams_own_causes_come_first_and_mistakes_are_named(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    entry = '[[known]]\ncause="fma"\ntitle="ours"\ntext="t"\nremedy="r"\nsimulation="du*"\n'
    path.write_text(entry)

    class Group:
        cause, simulation, place = "fma", "duel", "step, game.py:7"

    assert known_causes(Group, path)[0].title == "ours"
    path.write_text(entry + '[[known]]\ncause="fma"\n')
    with pytest.raises(CollectorError, match=r"entry 2 lacks title"):
        read_catalogue(path)
    path.write_text(entry + 'nonsense="x"\n')
    with pytest.raises(CollectorError, match=r"entry 1 has 'nonsense'"):
        read_catalogue(path)


def test_a_catalogue_that_is_wrong_is_told_before_serving_and_hides_no_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.toml"
    serve = ("collector", "serve", "--port", "0", "--folder", tmp_path / "c", "--catalogue", path)
    assert called(*serve) == 2
    assert f"cannot read the catalogue {path}" in capsys.readouterr().err
    path.write_text('[[known]]\ncause="fma"\ntitel="ours"\ntext="t"\nremedy="r"\n')
    assert called(*serve) == 2
    assert "entry 1 has 'titel'" in capsys.readouterr().err
    path.write_text("")
    with running(tmp_path / "d", catalogue=path) as found:
        found.send(verdict())
        service = found.service
        worker = Worker(service.database, service.storage, service.log, 60, 4 << 30)
        while worker.work():
            pass
        worker.close()
        path.write_text("nonsense")
        answer = found.ask("GET", "/groups/1", key="read")
        assert answer.status == 200
        assert "Known cause" in answer.text
        assert '"event": "catalogue"' in found.said.getvalue()


def test_metrics_count_states_and_answers(collector: Running) -> None:
    text = collector.ask("GET", "/metrics", key="read").text
    assert 'samebits_collector_reports{state="diagnosed"} 61\n' in text
    assert "samebits_collector_groups 61\n" in text
    assert 'requests_total{method="POST",route="/reports",status="202"}' in text


def test_a_backup_of_a_running_collector_is_one(collector: Running, tmp_path: Path) -> None:
    folder = collector.service.settings.folder
    assert backup(folder, tmp_path / "all.tar", True) == 61
    with tarfile.open(tmp_path / "all.tar") as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # since 3.11.4
        archive.extractall(tmp_path / "again")
    with running(tmp_path / "again") as again:
        own = {"read": collector.keys["read"]}
        text = again.ask("GET", "/groups/1", key=own["read"]).text
        assert "&lt;script&gt;alert(1)" in text
        assert again.send(verdict(line=1)).json["known"] is True


def test_files_are_removed_when_their_time_is_over(tmp_path: Path) -> None:
    with running(tmp_path, keep_days=10) as found:
        digest = found.send(verdict()).json["digest"]
        at = int(found.service.started)
        assert sweep(found.service, at + 9 * DAY) == 0
        assert sweep(found.service, at + 11 * DAY) == 1
        assert found.ask("GET", f"/files/{digest}", key="read").status == 404
        assert found.send(verdict()).json["known"] is False, "it may come again"


@needs_chromium
def test_chromium_finds_neither_scripts_nor_images_on_a_hostile_page(
    collector: Running, tmp_path: Path
) -> None:
    """As it reads the page, whatever that was meant to be."""
    address = f"http://key:{collector.keys['read']}@127.0.0.1:{collector.port}/groups/1"
    root = ["--no-sandbox"] if os.geteuid() == 0 else []
    done = subprocess.run(
        [str(CHROMIUM), "--headless=new", *root, "--disable-gpu", "--no-first-run",
         "--disable-dev-shm-usage", f"--user-data-dir={tmp_path}", "--dump-dom", address],
        capture_output=True, text=True, timeout=HANG_SECONDS, check=True,
    )  # fmt: skip
    assert "alert(1)" in done.stdout
    assert not re.search(r"<(script|img)\b", done.stdout)
