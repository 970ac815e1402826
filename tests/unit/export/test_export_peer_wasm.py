"""The WebAssembly peer says what Python's and C's say, and stays in its memory."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from tests.support.runs.driven_peer import NODE, Conversation, scripted
from tests.support.runs.exported import host_folder, made, needs_zig, small
from tests.support.runs.exported_peer import NEVER, Call, CPeer, PeerLibrary
from tests.support.runs.peer_conversations import (
    RIGHT,
    WRONG,
    Told,
    conversation,
    ended_rightly,
    expected,
    inputs,
    mutated,
    recorded,
    replayed,
    said,
    told_by_python,
    without_reasons,
)

import samebits as sb
from samebits.net.events import Broken
from samebits.net.identity import remarks
from samebits.net.messages import Hello, decode

pytestmark = [
    needs_zig,
    pytest.mark.skipif(sys.platform != "linux", reason="file names are those of Linux"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> PeerLibrary:
    return PeerLibrary(
        host_folder(made(small(), tmp_path_factory.mktemp("peer"))), small(), "small"
    )


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if NODE is None:
        pytest.skip("node is not installed")
    return made(small(), tmp_path_factory.mktemp("wasm"), "wasm32") / "wasm32" / "small_match.mjs"


def test_a_webassembly_module_says_the_same_bytes(module: Path) -> None:
    recorders = [recorder for seed in range(6) for recorder in recorded(seed)]
    conversations = [Conversation(r.ticket, r.calls, r.window) for r in recorders]
    for recorder, found in zip(recorders, scripted(module, small(), conversations), strict=True):
        assert said(found.outputs) == expected(recorder)


def test_hello_tells_the_librarys_mathematics(library: PeerLibrary, module: Path) -> None:
    calls = [Call("tick", 1, inputs(0)(0))]
    native = CPeer(library, "ticket", inputs(0)).tick(1, inputs(0)(0))
    (script,) = scripted(module, small(), [Conversation("ticket", calls, 8)])
    python = told_by_python(Told(calls), calls)[0]
    ours, c, wasm = (decode(o.messages[0], "peer")[0] for o in (python, native, script.outputs[0]))
    assert isinstance(ours, Hello)
    assert isinstance(c, Hello)
    assert isinstance(wasm, Hello)
    assert c.fingerprint == wasm.fingerprint == ours.fingerprint.rpartition("-")[0] != ""
    assert not [remark for remark in remarks(ours, wasm) if "fingerprint" in remark]
    other = replace(wasm, fingerprint="sb1-0123456789abcdef")
    assert [remark for remark in remarks(ours, other) if "fingerprint" in remark]


def test_wrong_messages_end_a_webassembly_modules_peer_alike(module: Path) -> None:
    random = Random(3)
    recorders = [recorder for seed in (0, 1) for recorder in recorded(seed)]
    drawn = [random.choice(recorders) for _ in range(200)]
    calls = [mutated(recorder.calls[:400], random) for recorder in drawn]
    conversations = [Conversation(r.ticket, c, r.window) for r, c in zip(drawn, calls, strict=True)]
    broken = 0
    for n, found in enumerate(scripted(module, small(), conversations)):
        python = told_by_python(drawn[n], calls[n])
        assert without_reasons(found.outputs) == without_reasons(python)
        broken += any(isinstance(event, Broken) for output in python for event in output.events)
    assert 30 < broken < 200


def test_each_wrong_message_ends_a_webassembly_modules_peer(
    library: PeerLibrary, module: Path
) -> None:
    cases = [(what, data, state) for what, data in (WRONG | RIGHT).items() for state in (0, 1)]
    told = [Told(conversation(data, state)) for _, data, state in cases]
    conversations = [Conversation(each.ticket, each.calls, each.window) for each in told]
    for case, each, found in zip(
        cases, told, scripted(module, small(), conversations), strict=True
    ):
        assert without_reasons(found.outputs) == without_reasons(replayed(library, each)), case[0]
        assert ended_rightly(*case, found.outputs), case[0]


RAW = """
import { readFile } from "node:fs/promises";
const module = await WebAssembly.compile(await readFile("small_match.wasm"));
const peer = () => new WebAssembly.Instance(module).exports;
const none = peer(), opened = peer(), found = [];
const call = (e) => [
  e.receive(1n, 2 ** 31), e.tick(2n), e.send(), e.next_event(), e.state(), e.find_hash(2n ** 63n),
  e.find_inputs(2n ** 63n), e.write_report(2n ** 63n), e.reconnect(), e.pause(), e.go_on(),
  e.leave(), e.get_status(), e.get_token(), e.come_back(9),
];
found.push(call(none));
for (const wrong of [[2 ** 31, 9, 0, 0], [3601, 9, 0, 0], [8, 2 ** 32 - 1, 0, 0],
                     [8, 36001, 0, 0], [8, 9, 0, 121], [8, 9, 0, -1]])
  found.push(peer().open(...wrong));
new Uint8Array(opened.memory.buffer, opened.ticket_at(), 2049).fill(65);
new Uint8Array(opened.memory.buffer, opened.machine_at(), 201).fill(65);
found.push([opened.open(8, 9, 0, 0), opened.open(8, 9, 0, 0), opened.come_back(65)]);
const size = opened.memory.buffer.byteLength;
opened.receive(1n, 2 ** 32 - 1);
const what = () => new DataView(opened.memory.buffer).getInt32(opened.event_at(), true);
found.push([opened.next_event(), what()]);
call(opened);
found.push(opened.memory.buffer.byteLength === size);
console.log(JSON.stringify(found, (_, v) => (typeof v === "bigint" ? String(v) : v ?? null)));
"""


def test_what_is_called_with_nonsense_stays_inside_the_modules_memory(module: Path) -> None:
    (module.parent / "raw.mjs").write_text(RAW)
    done = subprocess.run([str(NODE), "raw.mjs"], cwd=module.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    before_open, *refused, opens, broken, same = json.loads(done.stdout)
    assert before_open == [None, str(NEVER), *[0] * 6, *[None] * 5, 0, 0]
    assert refused == [0] * 6
    assert opens == [1, 0, 0]  # a second peer takes an instance of its own
    assert broken == [1, 13]
    assert same is True


@sb.struct
class Vast:
    cells: sb.FixedArray[sb.float64, 200_000]


@sb.struct
class Push:
    at: sb.int32


@sb.kernel
def begin(state: Vast, seed: sb.uint64) -> None:
    state.cells[0] = 1.0


@sb.kernel
def go(state: Vast, inputs: sb.ReadOnly[Push]) -> None:
    state.cells[1] += float(inputs[0].at)


def test_a_window_that_no_memory_holds_is_refused(tmp_path: Path) -> None:
    """3,601 states of 1.6 MB are more bytes than 32 bits count."""
    if NODE is None:
        pytest.skip("node is not installed")
    vast = sb.Simulation(
        name="vast", version="1", state=Vast, input=Push, players=1, init=begin, step=go
    )
    folder = made(vast, tmp_path, "wasm32") / "wasm32"
    (folder / "open.mjs").write_text(
        'import { loadPeer, PeerCore } from "./vast_match.mjs";\n'
        "const module = await loadPeer();\n"
        "const core = new PeerCore(module, 'ticket', { window: 8 });\n"
        "try { new PeerCore(module, 'ticket', { window: 3600 }); } catch ({ code, message }) {\n"
        "  console.log(JSON.stringify([core.status().phase, code, message]));\n"
        "}\n"
    )
    done = subprocess.run([str(NODE), "open.mjs"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    phase, code, message = json.loads(done.stdout)
    assert (phase, code) == ("greeting", "memory")
    assert "make window and keep smaller" in message
