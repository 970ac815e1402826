"""The arena as it leaves Python, against `session.run`: the C library, and wasm in each engine.

All peers advance the same frames from the same seed, one after another in every round, and hash
every frame; a ratio is the median over the rounds of its peer's time to the native one.
"""

import ctypes
import json
import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from typing import Any

import numpy as np

from benchmarks.arena_speed import load_arena, script_inputs
from samebits.backend.llvm import engine as llvm
from samebits.backend.llvm.compile import compile_module
from samebits.backend.objects import CompiledObject
from samebits.backend.targets.table import TARGETS, Target
from samebits.export.build import build, host_row
from samebits.passes.pipeline import optimise
from samebits.sim.execution import NativeExecution

FRAMES = 4_000
SEED = 1
LIBRARY_GOAL = 0.95
"""Of `session.run`'s speed: the same, but for what a clock can tell."""
WASM_GOAL = 0.5
NATIVE = "session.run"
SCALAR = "session.run, compiled for x86-64-v1 without SIMD"

Peer = Callable[[], tuple[float, int]]
"""Advances FRAMES frames from frame 0; its seconds, and the last hash."""


@dataclass(frozen=True)
class ExportSpeed:
    """One peer: seconds a frame, its speed against both native runs, and whether its last hash is
    theirs. `goal` is for `against_native` or `against_scalar`, as `of_scalar` says."""

    name: str
    frame: float
    against_native: float
    against_scalar: float
    same: bool
    goal: float | None
    of_scalar: bool


def measure(rounds: int = 15) -> list[ExportSpeed]:
    """Every peer that can run here, the native runs first."""
    simulation = load_arena().ARENA
    inputs = script_inputs(simulation, "duel", FRAMES)
    coded = simulation.inputs.to_bytes(simulation.inputs.frames(inputs))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        names = [host_row(), "wasm32", "wasm32-simd"]
        build(simulation, [TARGETS[name] for name in names], folder)
        (folder / "inputs").write_bytes(coded)
        peers: dict[str, Peer] = {
            NATIVE: _native(simulation, inputs, llvm.host_target(), True),
            SCALAR: _native(simulation, inputs, TARGETS["x86-64-v1"], False),
            "C library": _library(folder / host_row() / "libarena.so", simulation, inputs),
        }
        for target in names[1:]:
            peers[f"{target} in wasmtime"] = _wasmtime(folder / target / "arena.wasm", coded)
            for engine, start in (("Node", _node), ("Chromium", _chromium)):
                if _found(engine):
                    peers[f"{target} in {engine}"] = stack.enter_context(start(folder, target))
        for peer in peers.values():
            peer()
            peer()  # engines compile again what has been found to run often
        times: dict[str, list[tuple[float, int]]] = {name: [] for name in peers}
        for _ in range(rounds):
            for name, peer in peers.items():
                times[name].append(peer())
    return [_row(name, times) for name in peers]


def _row(name: str, times: dict[str, list[tuple[float, int]]]) -> ExportSpeed:
    def against(other: str) -> float:
        pairs = zip(times[other], times[name], strict=True)
        return statistics.median(theirs / own for (theirs, _), (own, _) in pairs)

    goal = {NATIVE: None, SCALAR: None, "C library": LIBRARY_GOAL}.get(name, WASM_GOAL)
    return ExportSpeed(
        name,
        statistics.median(seconds for seconds, _ in times[name]) / FRAMES,
        against(NATIVE),
        against(SCALAR),
        {last for _, last in times[name]} == {last for _, last in times[NATIVE]},
        goal,
        "wasm" in name,
    )


def _native(simulation: Any, inputs: Any, target: Target, simd: bool) -> Peer:
    compiled = simulation.program.compiled(target, 3) if simd else _scalar(simulation, target)
    execution = NativeExecution(simulation.program, compiled)
    given = simulation.inputs.frames(inputs)

    def run() -> tuple[float, int]:
        execution.start(SEED)
        before = time.perf_counter()
        hashes = execution.advance(given).hashes
        return time.perf_counter() - before, int(hashes[-1])

    return run


def _scalar(simulation: Any, target: Target) -> CompiledObject:
    """The kernels with both of LLVM's vectorisers off."""
    program = simulation.program
    module = optimise(program.module, program.own_entries, blocks=False)
    return compile_module(module, program.own_entries, target, 3, vectorise=False)


def _library(path: Path, simulation: Any, inputs: Any) -> Peer:
    library = ctypes.CDLL(str(path))
    state = np.zeros(1, simulation.state.dtype)
    scratch = np.zeros(8 * simulation.state.dtype.itemsize, np.uint64)
    hashes = np.zeros(FRAMES, np.uint64)
    given = np.ascontiguousarray(inputs)

    def at(array: Any) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    def run() -> tuple[float, int]:
        library.arena_init(at(state), ctypes.c_uint64(SEED))
        before = time.perf_counter()
        trap = library.arena_run(
            at(state), at(given), ctypes.c_size_t(FRAMES), at(hashes), None, at(scratch)
        )
        after = time.perf_counter()
        if trap:
            raise RuntimeError(f"trap {trap}")
        return after - before, int(hashes[-1])

    return run


def _wasmtime(path: Path, coded: bytes) -> Peer:
    import wasmtime

    store = wasmtime.Store()
    module = wasmtime.Module.from_file(store.engine, str(path))
    exports = wasmtime.Instance(store, module, []).exports(store)
    memory: Any = exports["memory"]

    def call(name: str, *arguments: int) -> int:
        function: Any = exports[name]
        return function(store, *arguments)

    def run() -> tuple[float, int]:
        call("init", SEED)
        memory.write(store, coded, call("bytes_at"))
        call("restore_inputs", FRAMES)
        before = time.perf_counter()
        trap = call("run", FRAMES)
        after = time.perf_counter()
        if trap:
            raise RuntimeError(f"trap {trap}")
        return after - before, call("hash") & (1 << 64) - 1

    return run


def _found(engine: str) -> str | None:
    names = {"Node": ("node",), "Chromium": ("chromium", "chromium-browser")}[engine]
    return next(filter(None, map(shutil.which, names)), None)


_GAME = """
const { load } = await import(`./${target}/arena.mjs`);
const arena = await load();
const run = () => {
  const game = arena.start(seed), before = performance.now();
  game.run(inputs);
  const seconds = (performance.now() - before) / 1000;
  return JSON.stringify({ seconds, hash: game.hash().toString() });
};
"""


def _answer(text: str) -> tuple[float, int]:
    found = json.loads(text)
    return found["seconds"], int(found["hash"])


@contextmanager
def _node(folder: Path, target: str) -> Generator[Peer]:
    script = [
        'import { readFileSync } from "node:fs";',
        'import { createInterface } from "node:readline";',
        f'const target = "{target}", seed = {SEED}n, inputs = readFileSync("inputs");',
        _GAME,
        "for await (const _ of createInterface({ input: process.stdin })) console.log(run());",
    ]
    (folder / f"{target}.mjs").write_text("\n".join(script))
    with subprocess.Popen(
        [str(_found("Node")), f"{target}.mjs"],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None

        def peer() -> tuple[float, int]:
            process.stdin.write("\n")
            process.stdin.flush()
            return _answer(process.stdout.readline())

        yield peer
        process.stdin.close()


class _Turns(ThreadingHTTPServer):
    """Serves a folder on the loopback. A page asks for its turn, and posts what it found."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
        self.turns: Queue[None] = Queue()
        self.found: Queue[str] = Queue()


class _Handler(SimpleHTTPRequestHandler):
    server: _Turns

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if text:
            self.server.found.put(text)
        self.server.turns.get()
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def _chromium(folder: Path, target: str) -> Generator[Peer]:
    page = [
        '<!doctype html><script type="module">',
        f'const target = "{target}", seed = {SEED}n;',
        'const inputs = new Uint8Array(await (await fetch("inputs")).arrayBuffer());',
        _GAME,
        'for (let body = ""; ; body = run()) await fetch("turn", { method: "POST", body });',
        "</script>",
    ]
    (folder / f"{target}.html").write_text("\n".join(page))
    as_root = ["--no-sandbox"] if os.geteuid() == 0 else []
    with _Turns(folder) as server, tempfile.TemporaryDirectory() as profile:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        browser = subprocess.Popen(
            [str(_found("Chromium")), "--headless=new", *as_root, "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--disable-background-networking",
             "--disable-component-update", f"--user-data-dir={profile}",
             f"http://127.0.0.1:{server.server_address[1]}/{target}.html"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

        def peer() -> tuple[float, int]:
            server.turns.put(None)
            return _answer(server.found.get(timeout=120))

        try:
            yield peer
        finally:
            os.killpg(browser.pid, signal.SIGKILL)
            browser.wait()
            server.shutdown()
            thread.join()


def table(rows: list[ExportSpeed]) -> list[str]:
    """The rows as Markdown."""
    lines = [
        "| the arena, hashing each frame | µs a frame | against `session.run` | against it without "
        "SIMD | goal | last hash |",
        "|---|--:|--:|--:|---|---|",
    ]
    for row in rows:
        goal = ""
        if row.goal is not None:
            found = row.against_scalar if row.of_scalar else row.against_native
            reached = "reached" if found >= row.goal else "**missed**"
            goal = f"{row.goal}{' of it without SIMD' if row.of_scalar else ''}: {reached}"
        lines.append(
            f"| {row.name} | {row.frame * 1e6:.2f} | {row.against_native:.2f} "
            f"| {row.against_scalar:.2f} | {goal} | {'same' if row.same else '**differs**'} |"
        )
    return lines


if __name__ == "__main__":
    print("\n".join(table(measure())))
