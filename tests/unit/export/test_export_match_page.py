"""`Match.join` plays matches in a page of Chromium, in its Worker and without one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.limits import HANG_SECONDS
from tests.support.runs.browser import needs_chromium, opened, said_by, served
from tests.support.runs.exported import arena, made, needs_zig
from tests.support.runs.script_matches import (
    SECRET,
    SEED,
    address,
    logged,
    play,
    ticket,
    told,
)

from samebits.net.events import Away, MatchEvent
from samebits.net.relay.closing import ClosingRules
from samebits.net.relay.rules import MatchRules
from samebits.net.server import Relay

pytestmark = needs_zig


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(arena(), tmp_path_factory.mktemp("arena"), "wasm32")


PAGE = """<!doctype html><title>a match</title>
<script type="module">
const post = (value) => fetch("said", { method: "POST", body: JSON.stringify(value, (_, v) =>
  typeof v === "bigint" ? v.toString(16).padStart(16, "0") : v) });
const sleep = () => {
  const request = new XMLHttpRequest();
  request.open("GET", "wait", false); // nothing of this page runs until there is an answer
  request.send();
};
try {
  const { Match } = await import("./wasm32/arena_match.mjs");
  const [url, ticket] = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  const refusal = await Match.join(url, "nonsense").catch(({ name, code, message }) =>
    [name, code, message]);
  const match = await Match.join(url, ticket, { window: 8 });
  let frames = 0, seen = 0, delay;
  match.onevent = (event) => {
    if (event.type === "delayed" && event.slot === 0) delay ??= event.delay;
  };
  match.onframe = (state, status) => {
    frames++;
    seen = Math.max(seen, state.bodies[0].radius);
    match.input.thrust = 1 + (status.frame % 90);
  };
  match.input.thrust = 99;
  await null;
  sleep();
  while (match.status().final < 200) await new Promise((next) => setTimeout(next, 20));
  const status = match.status();
  const hashes = await Promise.all(Array.from({ length: status.final }, (_, n) => match.hash(n)));
  const report = await match.report();
  await match.leave();
  const end = await match.over;
  const left = await match.hash(3);
  await post({ refusal, delay, end, hashes, frames, seen, status, left, report: report.length });
} catch (error) {
  await post({ error: `${error} ${error.stack}` });
}
</script>
"""


@needs_chromium
def test_a_tab_plays_in_a_worker_while_its_page_sleeps(folder: Path, tmp_path: Path) -> None:
    (folder / "match.html").write_text(PAGE)
    relay = Relay(arena(), SECRET, rules=MatchRules(seed=SEED), store=tmp_path)
    asleep = list[int]()

    async def run() -> tuple[dict[str, Any], list[MatchEvent]]:
        loop, sleeps = asyncio.get_running_loop(), asyncio.Event()

        async def heard() -> str:
            """Until thirty frames have inputs of the tab, whose page waits for this."""
            sleeps.set()
            core, seen = relay.matches["m"].core, 0
            while len(asleep) < 30 and core.ended is None:
                await asyncio.sleep(0.01)
                closed = range(seen, core.log.closed)
                asleep.extend(n for n in closed if not core.log[n].substituted & 1)
                seen = closed.stop
            return "heard"

        def waits() -> str:
            return asyncio.run_coroutine_threadsafe(heard(), loop).result(HANG_SECONDS)

        with served(folder, waits) as server:
            async with relay.running(origins=[server.origin]):
                given = json.dumps([address(relay), ticket(relay, 0)])
                with opened(f"{server.origin}/match.html#{given}", tmp_path) as log:
                    said = asyncio.create_task(asyncio.to_thread(said_by, server, log))
                    slept = asyncio.create_task(sleeps.wait())
                    await asyncio.wait([said, slept], return_when=asyncio.FIRST_COMPLETED)
                    assert not said.done(), said.result()
                    events = await play(relay, 1, until=0)
                    return json.loads(await said), events

    found, events = asyncio.run(run())
    assert "error" not in found
    replay = logged(tmp_path)
    name, code, message = found["refusal"]
    assert (name, code in ("match", "ticket"), "ticket" in message) == ("MatchError", True, True)
    # What the page said before it slept holds for all that it slept through.
    assert len(asleep) >= 30
    assert {int(replay.inputs[n][0]["thrust"]) for n in asleep if n >= found["delay"]} == {99}
    told(found, replay)
    assert found["end"]["type"] == "left"
    assert not [event for event in events if isinstance(event, Away)]
    assert found["frames"] > 1
    assert found["seen"] > 0
    assert found["status"]["slot"] == 0
    assert found["report"] > 1000
    assert found["left"] is None
    assert relay.matches["m"].core.desyncs == []


WITHOUT_WORKERS = """<!doctype html><title>a match</title>
<meta http-equiv="Content-Security-Policy" content="worker-src 'none'">
<script type="module">
const post = (value) => fetch("said", { method: "POST", body: JSON.stringify(value, (_, v) =>
  typeof v === "bigint" ? v.toString(16).padStart(16, "0") : v) });
try {
  const { Match } = await import("./wasm32/arena_match.mjs");
  const [url, ticket] = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  const none = await Match.join(url, ticket).catch(({ name, code }) => [name, code]);
  const match = await Match.join(url, ticket, { worker: false, input: { thrust: 7 } });
  while (match.status().final < 90) await new Promise((next) => setTimeout(next, 20));
  const status = match.status();
  const hashes = await Promise.all(Array.from({ length: status.final }, (_, n) => match.hash(n)));
  await match.leave();
  await post({ none, status, hashes });
} catch (error) {
  await post({ error: `${error} ${error.stack}` });
}
</script>
"""


@needs_chromium
def test_a_page_that_may_have_no_worker_is_told_and_plays_by_itself(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "alone.html").write_text(WITHOUT_WORKERS)
    closing = ClosingRules(deadline=None)  # no input is late, however slow this machine is
    rules = MatchRules(seed=SEED, needed=1, closing=closing)
    relay = Relay(arena(), SECRET, rules=rules, store=tmp_path)

    async def run() -> dict[str, Any]:
        with served(folder) as server:
            async with relay.running(origins=[server.origin]):
                given = json.dumps([address(relay), ticket(relay, 0)])
                with opened(f"{server.origin}/alone.html#{given}", tmp_path) as log:
                    found = json.loads(await asyncio.to_thread(said_by, server, log))
                await relay.matches["m"].ended.wait()
                return found

    found = asyncio.run(run())
    assert "error" not in found
    assert found["none"] == ["MatchError", "worker"]
    replay = logged(tmp_path)
    told(found, replay)
    assert 7 in {int(row[0]["thrust"]) for row in replay.inputs}
