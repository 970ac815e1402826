"""What the site of a match answers, and to whom: over real sockets of this machine."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.simulations.crowd_simulation import crowd
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from samebits.errors import MatchError, SideError, SimulationError
from samebits.net.client import MatchPeer, join
from samebits.net.relay.rules import MatchRules
from samebits.play.bots import ACTS
from samebits.play.door import Door, is_loopback, new_code
from samebits.play.files import TYPES, ServedFile, page_files, views_beside
from samebits.play.host import PlayHost, PlayPlan
from samebits.sides.planted import planted

MODULE = {"/module/crowd.mjs": ServedFile(TYPES[".mjs"], b"export const info = {};\n")}
Answer = tuple[int, dict[str, str], bytes]


class Site:
    """A running host, and who asks it."""

    def __init__(self, host: PlayHost) -> None:
        self.host = host
        self.name = f"127.0.0.1:{host.relay.port}"

    async def ask(self, path: str, method: str = "GET", **headers: str | None) -> Answer:
        """The status, headers and body of an answer; `Host` is right unless another is given."""
        given = {"Host": self.name, **{k.replace("_", "-"): v for k, v in headers.items()}}
        lines = [f"{method} {path} HTTP/1.1", *(f"{k}: {v}" for k, v in given.items() if v)]
        reader, writer = await asyncio.open_connection("127.0.0.1", self.host.relay.port)
        writer.write("\r\n".join([*lines, "", ""]).encode())
        data = await reader.read()
        writer.close()
        await writer.wait_closed()
        head, _, body = data.partition(b"\r\n\r\n")
        status, *rest = head.decode().split("\r\n")
        found = dict(line.split(": ", 1) for line in rest)
        return int(status.split()[1]), found, body

    async def ticket(self, slot: object, **headers: str | None) -> Answer:
        """What a page of this host gets for a slot."""
        own = {"Origin": f"http://{self.name}", "Sec_Fetch_Site": "same-origin"}
        return await self.ask(f"/ticket/{slot}", "POST", **{**own, **headers})

    def url(self) -> str:
        return f"ws://{self.name}/{self.host.lobby.match}"


def served(
    tmp_path: Path, act: Callable[[Site], Awaitable[Any]], address: str = "127.0.0.1", **plan: Any
) -> Any:
    """What `act` gives while a host serves the crowd."""

    async def run() -> Any:
        made = PlayPlan(None, tmp_path / "matches", **plan)
        host = PlayHost(crowd(2), made, address, lambda: MODULE)
        async with host.running():
            return await act(Site(host))

    return asyncio.run(run())


async def seated(peer: MatchPeer) -> None:
    """Let a peer play on, from when it has its slot."""

    async def play() -> None:
        async for _ in peer.frames():
            pass

    task = asyncio.create_task(play())
    while peer.core.slot is None:
        await asyncio.sleep(0.01)
    _PLAYING.add(task)
    task.add_done_callback(_PLAYING.discard)


_PLAYING: set[asyncio.Task[None]] = set()


def test_pages_have_their_types_and_may_load_nothing_from_elsewhere(tmp_path: Path) -> None:
    paths = ["/", "/play/0", "/play/1", "/watch", "/facts.json", *page_files(), *MODULE]

    async def ask(site: Site) -> list[Answer]:
        return [await site.ask(path) for path in paths]

    found = served(tmp_path, ask)
    types = {
        path: headers["Content-Type"] for path, (_, headers, _) in zip(paths, found, strict=True)
    }
    assert [status for status, _, _ in found] == [200] * len(paths)
    assert types["/"] == types["/play/0"] == types["/watch"] == "text/html; charset=utf-8"
    assert types["/page/match.mjs"] == types["/module/crowd.mjs"] == TYPES[".mjs"]
    assert types["/page/style.css"] == "text/css; charset=utf-8"
    for _, headers, body in found:
        policy = headers["Content-Security-Policy"].split("; ")
        assert "default-src 'none'" in policy
        assert "script-src 'self' 'wasm-unsafe-eval'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
        assert int(headers["Content-Length"]) == len(body)


def test_pages_name_no_other_host_and_have_no_code_within(tmp_path: Path) -> None:
    for path, file in page_files().items():
        text = file.data.decode()
        assert "https://" not in text, path
        for line in text.splitlines():
            assert "http://" not in line.replace('xmlns="http://www.w3.org/2000/svg"', ""), path
        if path.endswith(".html"):
            assert text.count("<script") == text.count('<script type="module" src="/page/')
            assert "<style" not in text
            assert " style=" not in text
            assert " on" not in text.split("<body")[1].replace(" on<", "")


@pytest.mark.parametrize(
    "path",
    [
        "/../", "/page/../site.py", "/page/..%2fsite.py", "/page/%2e%2e/site.py", "//page/x",
        "/page/", "/page/__init__.py", "/module/../../secret", "/play/2", "/play/-1", "/play/0/",
        "/etc/passwd", "/view/arena_view.mjs", "/view/../view", "/page/match.mjs\\..\\site.py",
        "/PAGE/match.mjs",
    ],
)  # fmt: skip
def test_a_path_that_is_no_page_names_no_file(tmp_path: Path, path: str) -> None:
    status, _, body = served(tmp_path, lambda site: site.ask(path))
    assert (status, body) == (404, b"there is no such page\n")


def test_other_methods_are_refused(tmp_path: Path) -> None:
    async def ask(site: Site) -> list[Answer]:
        return [
            await site.ask("/", "POST"), await site.ask("/lobby.json", "PUT"),
            await site.ask("/ticket/0"), await site.ask("/ticket/0", "DELETE"),
            await site.ask("/", "HEAD"),
        ]  # fmt: skip

    found = served(tmp_path, ask)
    told = [(status, headers.get("Allow")) for status, headers, _ in found]
    assert told == [(405, "GET, HEAD")] * 2 + [(405, "POST")] * 2 + [(200, None)]
    assert found[-1][2] == b""


def test_only_a_page_of_this_host_gets_a_ticket(tmp_path: Path) -> None:
    async def ask(site: Site) -> list[Answer]:
        return [
            await site.ticket(0, Origin=None),
            await site.ticket(0, Origin="null"),
            await site.ticket(0, Origin="http://evil.example"),
            await site.ticket(0, Origin=f"http://{site.name}.evil.example"),
            await site.ticket(0, Origin="http://127.0.0.1"),
            await site.ticket(0, Sec_Fetch_Site="cross-site"),
            await site.ticket(0, Sec_Fetch_Site="same-site"),
        ]

    found = served(tmp_path, ask)
    assert [status for status, _, _ in found] == [403] * len(found)


def test_a_name_that_points_here_is_not_this_host(tmp_path: Path) -> None:
    async def ask(site: Site) -> list[Answer]:
        port = site.host.relay.port
        evil = f"evil.example:{port}"
        return [
            await site.ask("/", Host=evil),
            await site.ask("/lobby.json", Host=evil),
            await site.ask("/status", Host=evil),
            await site.ticket(0, Host=evil, Origin=f"http://{evil}"),
            await site.ask("/", Host=None),
            await site.ask("/", Host="a b"),
            await site.ask("/", Host=f"localhost:{port}"),
        ]

    found = served(tmp_path, ask)
    assert [status for status, _, _ in found] == [421] * 6 + [200]


def test_a_ticket_is_given_once_and_the_slot_is_free_again_when_its_player_left(
    tmp_path: Path,
) -> None:
    async def ask(site: Site) -> tuple[list[Answer], list[str]]:
        lobby = site.host.lobby
        found = [await site.ticket(0), await site.ticket(0), await site.ticket(5)]
        states = [lobby.state_of(0)]
        async with join(crowd(2), site.url(), json.loads(found[0][2])["ticket"]) as peer:
            await seated(peer)
            states.append(lobby.state_of(0))
            found.append(await site.ticket(0))
            await peer.leave()
        while lobby.hosted is not None and lobby.hosted.core.seats[0].occupied:
            await asyncio.sleep(0.01)
        states.append(lobby.state_of(0))
        found.append(await site.ticket(0))
        return found, states

    found, states = served(tmp_path, ask)
    assert [status for status, _, _ in found] == [200, 409, 404, 409, 200]
    assert found[1][2] == b"player 1 is taken: somebody is on the way\n"
    assert found[3][2] == b"player 1 is taken\n"
    assert states == ["reserved", "playing", "free"]


def test_a_ticket_that_was_used_gets_nobody_in(tmp_path: Path) -> None:
    async def ask(site: Site) -> str:
        text = json.loads((await site.ticket("watch"))[2])["ticket"]
        async with join(crowd(2), site.url(), text, spectator=True) as first:
            await seated(first)
            async with join(crowd(2), site.url(), text, spectator=True) as second:
                return str([event async for frame in second.frames() for event in frame.events])

    assert "the ticket was used before" in served(tmp_path, ask)


def test_websockets_come_from_pages_of_this_host_or_from_no_browser(tmp_path: Path) -> None:
    async def ask(site: Site) -> list[str]:
        found: list[str] = []
        for origin in ("http://evil.example", "null", f"http://{site.name}", None):
            try:
                async with connect(site.url(), origin=origin, proxy=None):  # type: ignore[arg-type]
                    found.append("open")
            except InvalidStatus as error:
                found.append(str(error.response.status_code))
        return found

    assert served(tmp_path, ask) == ["403", "403", "open", "open"]


def test_beyond_this_machine_a_ticket_needs_the_join_code(tmp_path: Path) -> None:
    async def ask(site: Site) -> tuple[list[Answer], str | None]:
        code = site.host.code
        assert code is not None
        found = [
            await site.ticket(0),
            await site.ticket(0, Join_Code="ABCDE-FGHJK"),
            await site.ticket(0, Join_Code=""),
            await site.ticket(0, Join_Code=code.lower().replace("-", "")),
            await site.ask("/", Host="games.example"),
            await site.ask("/facts.json"),
        ]
        return found, code

    found, code = served(tmp_path, ask, "0.0.0.0")
    assert [status for status, _, _ in found] == [401, 401, 401, 200, 200, 200]
    assert all(code.encode() not in body for _, _, body in found)


def test_who_asks_too_often_gets_no_ticket(tmp_path: Path) -> None:
    async def ask(site: Site) -> list[int]:
        now = site.host.relay.now()
        site.host.relay.now = lambda: now
        return [(await site.ticket("watch", Join_Code="x"))[0] for _ in range(50)]

    assert served(tmp_path, ask, "0.0.0.0") == [401] * 40 + [429] * 10


def test_the_next_match_begins_when_one_is_over(tmp_path: Path) -> None:
    (tmp_path / "matches" / "match-1").mkdir(parents=True)

    async def ask(site: Site) -> list[str]:
        lobby = site.host.lobby
        names = [lobby.match]
        while lobby.match == names[0]:
            await asyncio.sleep(0.01)
        return [*names, lobby.match, *lobby.played]

    rules = MatchRules(frames=30)
    assert served(tmp_path, ask, rules=rules, bots=(0, 1)) == ["match-2", "match-3", "match-2"]
    assert (tmp_path / "matches" / "match-2" / "match.mcap").is_file()


def test_bots_sit_in_their_slots_and_a_match_without_people_ends(tmp_path: Path) -> None:
    async def ask(site: Site) -> list[Any]:
        lobby = site.host.lobby
        first = lobby.match
        found: list[Any] = [(await site.ticket(1))[::2], lobby.to_json()["slots"]]
        text = json.loads((await site.ticket(0))[2])["ticket"]
        async with join(crowd(2), site.url(), text) as peer:
            async for frame in peer.frames():
                if frame.confirmed > 20:
                    break
            await peer.leave()
        while lobby.match == first:
            await asyncio.sleep(0.01)
        return [*found, site.host.relay.matches[first].core.ended.reason]  # type: ignore[union-attr]

    found = served(tmp_path, ask, bots=(1,))
    assert found == [(409, b"player 2 is a bot\n"), ["free", "bot"], "the players left"]


def test_a_script_that_fails_is_told_of(tmp_path: Path) -> None:
    def bad(frame: int, player: int, seed: int) -> dict[str, int]:
        return {"x": 1 // (20 - frame)}

    async def run() -> None:
        faulty = crowd(2)
        vars(faulty)["scripts"] = {"bad": bad}
        plan = PlayPlan(None, tmp_path / "matches", bots=(0, 1), script="bad")
        async with PlayHost(faulty, plan, "127.0.0.1", lambda: MODULE).running() as broken:
            await broken

    with pytest.raises(SimulationError, match="script 'bad' of simulation 'crowd' fails at frame"):
        asyncio.run(run())


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"bots": (2,)}, "--bot 2: there is one bot for each slot from 0 to 1"),
        ({"bots": (1, 1)}, "--bot 1: there is one bot for each slot from 0 to 1"),
        ({"plant": "hazard=fma"}, "a fault is planted in a bot, and there is none"),
    ],
)
def test_bots_that_cannot_be_are_refused(
    tmp_path: Path, plan: dict[str, Any], message: str
) -> None:
    with pytest.raises(MatchError, match=message):
        PlayHost(crowd(2), PlayPlan(None, tmp_path, **plan), "127.0.0.1", lambda: MODULE)


def test_a_planted_hazard_ends_with_its_words_or_after_a_while() -> None:
    found = planted(crowd(2), "hazard=fma,from=20", ACTS)
    assert (found.from_frame, found.until_frame) == (20, 20 + ACTS)
    found = planted(crowd(2), "hazard=fma,until=30,from=20", ACTS)
    assert (found.from_frame, found.until_frame) == (20, 30)
    for words in (
        "hazard=fma,from=20,until=20",
        "hazard=fma,until=x",
        "hazard=fma,until=5,until=6",
    ):
        with pytest.raises(SideError, match="until="):
            planted(crowd(2), words, ACTS)


def test_a_view_lies_beside_its_simulation_and_is_read_anew(tmp_path: Path) -> None:
    source, view = tmp_path / "game.py", tmp_path / "game_view.mjs"
    (tmp_path / "game_view_more.mjs").write_text("export const more = 1;\n")
    (tmp_path / "other_view.mjs").write_text("export const other = 1;\n")
    assert views_beside(source) == {}
    view.write_text("export const draw = () => {};\n")
    names = ["/view/game_view.mjs", "/view/game_view_more.mjs"]
    assert [*views_beside(source)] == names

    async def ask() -> list[Answer]:
        plan = PlayPlan(str(source), tmp_path / "matches")
        host = PlayHost(crowd(2), plan, "127.0.0.1", lambda: MODULE)
        async with host.running():
            site = Site(host)
            found = [await site.ask(name) for name in (*names, "/view/other_view.mjs")]
            view.write_text("export const draw = 1;\n")
            found.append(await site.ask(names[0]))
            assert json.loads((await site.ask("/facts.json"))[2])["view"] == names[0]
            view.unlink()
            return [*found, await site.ask(names[0])]

    found = asyncio.run(ask())
    assert [status for status, _, _ in found] == [200, 200, 404, 200, 500]
    assert found[0][2] == b"export const draw = () => {};\n"
    assert found[3][2] == b"export const draw = 1;\n"
    assert found[0][1]["Content-Type"] == TYPES[".mjs"]


def test_addresses_of_this_machine_alone_need_no_code() -> None:
    own = ["127.0.0.1", "127.1.2.3", "::1", "localhost"]
    others = ["0.0.0.0", "::", "192.168.1.2", "example.org", ""]
    assert [is_loopback(each) for each in own + others] == [True] * 4 + [False] * 5
    codes = {new_code() for _ in range(50)}
    assert len(codes) == 50
    assert all(len(code) == 11 and not set(code) & set("01ILO") for code in codes)
    assert Door(True, None).code is None
