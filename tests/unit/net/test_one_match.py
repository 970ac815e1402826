"""One match of five machines: Python, C on three processors and a browser, at a relay process."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from random import Random

import pytest
from tests.support.limits import HANG_SECONDS
from tests.support.machines.other_machines import missing
from tests.support.runs.browser import needs_chromium, opened, said_by, served
from tests.support.runs.driven_peer import emulated
from tests.support.runs.exported import leave_out_shared_libraries, needs_zig
from tests.support.runs.live_peer import live
from tests.support.simulations.crowd_simulation import crowd

from samebits.backend.llvm import engine
from samebits.backend.targets.table import TARGETS
from samebits.bits import canonical_size
from samebits.export.build import build, choose_targets
from samebits.net.client import join
from samebits.net.events import Ended, MatchEvent
from samebits.net.simnet.soak import player
from samebits.net.tickets import make_ticket
from samebits.sim.recording import Replay

SECRET = b"a secret of these tests"
FRAMES = 300
FIVE = crowd(5)
ELSEWHERE = ("aarch64", "s390x")
WHY = next((why for name in ELSEWHERE if (why := missing(TARGETS[name]))), "")
pytestmark = [
    needs_zig,
    needs_chromium,
    pytest.mark.skipif(sys.platform != "linux", reason="file names are those of Linux"),
    pytest.mark.skipif(bool(WHY), reason=WHY),
]

PAGE = """<!doctype html>
<script type="module">
  import { Match } from "./wasm32/small_match.mjs";
  const plain = (_, v) => (typeof v === "bigint" ? v.toString(16).padStart(16, "0") : v);
  const match = await Match.join("URL", "TICKET", {
    input: (frame) => ({ x: (frame * 37) % 200 - 100, y: (frame * 11) % 200 - 100,
                         jump: frame % 7 === 0, reach: frame % 5 }),
  });
  const end = await match.over;
  await fetch("/said", { method: "POST", body: JSON.stringify(end, plain) });
</script>
"""


def text_of(slot: int, **given: object) -> str:
    return make_ticket(SECRET, "m", slot, now_ns=time.time_ns(), seconds=600)


async def in_python(url: str) -> list[MatchEvent]:
    events: list[MatchEvent] = []
    async with join(FIVE, url, text_of(0), play=player(FIVE, 0, 5, 2000)) as peer:
        async for frame in peer.frames():
            events += frame.events
    return events


async def in_c(command: list[str], url: str, slot: int) -> list[MatchEvent]:
    random, size = Random(slot), canonical_size(FIVE.input_type)

    def given() -> bytes:
        # Two axes, and at times a jump; the reach stays zero.
        return bytes([random.randrange(256), random.randrange(256), random.random() < 0.1]).ljust(
            size, b"\0"
        )

    peer = await live(command, text_of(slot), window=8 if slot < 3 else 0)
    return await peer.play(url, given)


def test_every_frame_has_one_hash_on_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    store, exported = tmp_path / "store", tmp_path / "exported"
    secret, source = tmp_path / "secret.key", tmp_path / "five.py"
    secret.write_bytes(SECRET)
    source.write_text(
        "from tests.support.simulations.crowd_simulation import crowd\n\nFIVE = crowd(5)\n"
    )
    host = engine.host_target().name
    leave_out_shared_libraries(monkeypatch)
    build(FIVE, choose_targets([host, *ELSEWHERE, "wasm32"]), exported, "small")
    native = emulated(exported, TARGETS[host])[-1:]
    commands = [native, *(emulated(exported, TARGETS[name]) for name in ELSEWHERE)]

    async def run(origin: str) -> tuple[list[list[MatchEvent]], str, dict[str, object]]:
        words = ["serve", f"{source}:FIVE", "--secret", str(secret), "--store", str(store)]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "samebits", "net", *words, "--frames", str(FRAMES),
            "--port", "0", "--origin", origin, "--deadline", "2000",
            stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode()
        port = int(line.rpartition(":")[2].split("/")[0])
        url = f"ws://127.0.0.1:{port}/m"
        page = PAGE.replace("URL", url).replace("TICKET", text_of(4))
        (exported / "index.html").write_text(page)

        def get(path: str) -> str:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as answer:
                return answer.read().decode()

        def browse() -> str:
            with opened(f"{origin}/index.html", tmp_path) as log:
                return said_by(server, log)

        try:
            tab = asyncio.create_task(asyncio.to_thread(browse))
            in_others = [in_c(command, url, n + 1) for n, command in enumerate(commands)]
            events = await asyncio.gather(in_python(url), *in_others)
            said, metrics = await tab, await asyncio.to_thread(get, "/metrics")
            status = json.loads(await asyncio.to_thread(get, "/status"))
            return [*events], said, {"metrics": metrics, **status["matches"]["m"]}
        finally:
            process.terminate()
            await process.communicate()

    with served(exported) as server:
        events, said, status = asyncio.run(run(server.origin))
    replay = Replay.open(store / "m" / "match.mcap", FIVE)
    assert replay.hashes is not None
    hashes = FIVE.start(1).run(replay.inputs).tolist()
    assert replay.hashes.tolist() == hashes
    assert len(hashes) == FRAMES
    assert len(set(hashes)) == FRAMES
    ends = [next(e for e in each if isinstance(e, Ended)) for each in events]
    assert {(end.frames, end.hash) for end in ends} == {(FRAMES, hashes[-1])}
    assert json.loads(said)["hash"] == f"{hashes[-1]:016x}"
    # A frame is agreed where all five and the referee have told its hash.
    assert f"samebits_hashes_agreed_total {FRAMES}\n" in str(status["metrics"])
    assert (status["desyncs"], status["ended"]) == ([], "all frames are played")
    for slot in range(5):
        assert len({row[slot].tobytes() for row in replay.inputs}) > 5
    done = subprocess.run(
        [sys.executable, "-P", "-m", "samebits", "verify", f"{source}:FIVE",
         str(store / "m" / "match.mcap"), "--targets", host],
        capture_output=True, text=True, timeout=HANG_SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
