"""What a sender does when the collector is slow, away, or says no."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.collectors import running, some_report

from samebits.cli.collector.send import SendOptions, run
from samebits.collector.problem import CollectorError
from samebits.collector.sending import spool as spool_module
from samebits.collector.sending.request import Answer, Collector, meaning
from samebits.collector.sending.spool import Patience, Spool


class Answers(Collector):
    """A collector that gives answers in turn."""

    def __init__(self, *answers: Answer) -> None:
        super().__init__("http://127.0.0.1:1", "key")
        object.__setattr__(self, "left", [*answers])

    def send(self, data: bytes, match: str = "") -> Answer:
        left: list[Answer] = getattr(self, "left")  # noqa: B009
        return left.pop(0)


LATER, GOOD = Answer(False, True), Answer(True)


def waits(*answers: Answer, tries: int = 4, chance: float = 1.0) -> list[float]:
    slept: list[float] = []
    Patience(tries, slept.append, lambda: chance).send(Answers(*answers), b"x")
    return slept


def test_attempts_come_apart_and_end_with_the_answer() -> None:
    assert waits(LATER, LATER, LATER, GOOD) == [0.5, 1.0, 2.0]
    assert waits(LATER, GOOD, chance=0.0) == [0.25]
    assert waits(LATER, LATER, tries=2) == [0.5]
    assert waits(Answer(False), GOOD) == []


def test_a_collector_that_names_a_time_is_not_asked_before() -> None:
    assert waits(Answer(False, True, wait=7.0), GOOD) == [7.0]
    assert waits(Answer(False, True, wait=3000.0), GOOD) == [60.0]


def test_answers_mean_what_their_status_says() -> None:
    body = b'{"error": "no", "fix": "do"}'
    assert meaning(202, None, b'{"digest": "ab", "known": true}') == Answer(
        True, told="known", digest="ab"
    )
    assert meaning(410, None, body).sent
    for status in (429, 503, 507):
        assert meaning(status, "9", body) == Answer(False, True, 9.0, f"{status}: no; do")
    for status in (400, 401, 403, 404, 413, 415):
        assert not meaning(status, None, body).again
    assert meaning(200, None, b"<html>").told == "200: no reason given"
    assert meaning(503, "tomorrow", b"").wait == 0.0


@pytest.mark.parametrize("url", ["ftp://host", "host", "http://example.org", "http://"])
def test_a_key_is_sent_to_addresses_of_collectors_alone(url: str) -> None:
    with pytest.raises(CollectorError):
        Collector(url, "key")


@pytest.mark.parametrize("key", ["", "a\r\nX: y", "ключ"])
def test_a_key_cannot_change_the_request(key: str) -> None:
    with pytest.raises(CollectorError, match="the key"):
        Collector("https://host", key)


def test_nobody_at_the_address_is_worth_another_try() -> None:
    answer = Collector("http://127.0.0.1:9", "key").send(b"x")
    assert (answer.sent, answer.again) == (False, True)


def test_files_wait_in_a_folder_once_each_with_their_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = Spool(tmp_path / "a" / "waiting")
    for data, match in ((b"one", "m1"), (b"two", ""), (b"one", "m1")):
        spool.keep(data, match)
    found = {path.read_bytes(): match for path, match in spool.waiting()}
    assert found == {b"one": "m1", b"two": ""}
    monkeypatch.setattr(spool_module, "MOST_KEPT", 2)
    with pytest.raises(CollectorError, match="2 files that wait"):
        spool.keep(b"three")
    for path, _ in [*spool.waiting()]:
        spool.remove(path)
    assert [*spool.folder.iterdir()] == []


def test_a_bad_file_does_not_keep_the_good_ones_from_being_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And no file is lost: with nobody there the good ones wait, with a wrong key too, and what the
    collector refuses is set aside."""
    bad, cut, good = (tmp_path / name for name in ("bad.txt", "cut.desync", "good.desync"))
    bad.write_text("hello")
    cut.write_bytes(some_report("whole").replace(b"whole", b"wholf"))
    good.write_bytes(some_report("good"))
    named = (str(bad), str(tmp_path / "gone"), str(cut), str(good))
    spool = tmp_path / "spool"

    def send(files: tuple[str, ...], to: str, key: str) -> tuple[int, list[str]]:
        monkeypatch.setenv("SAMEBITS_COLLECTOR_KEY", key)
        status = run(SendOptions(files, to, None, "m1", str(spool), 1))
        return status, capsys.readouterr().out.splitlines()

    status, said = send(named, "http://127.0.0.1:9", "key")
    assert status == 2
    assert [line.partition(": not sent: ")[0] for line in said] == [*named]
    assert "damaged: at byte" in said[2]
    assert [path.read_bytes() for path, _ in Spool(spool).waiting()] == [good.read_bytes()]
    with running(tmp_path / "collector") as collector:
        Spool(spool).keep(b"no file of these kinds", "m1")
        for key in ("sbk_0_0", collector.keys["read"]):
            assert send((), collector.url, key)[0] == 2
            assert len([*Spool(spool).waiting()]) == 2, "a wrong key loses nothing"
        status, said = send((str(bad), str(good)), collector.url, collector.keys["send"])
        assert (status, len(said), said[2].startswith(f"{bad}: not sent")) == (2, 4, True)
        assert said[3].endswith("known already")
        assert [*Spool(spool).waiting()] == []
        (aside,) = spool.glob("*.refused")
        assert aside.read_bytes() == b"no file of these kinds"
        assert send((str(good),), collector.url, collector.keys["send"])[0] == 0
