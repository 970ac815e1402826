"""Programs in processes of their own: memory and calls; crashes, hangs and nonsense are errors."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.limits import HANG_SECONDS

from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import compile_module
from samebits.backend.targets.table import TARGETS, Target
from samebits.errors import RunnerError
from samebits.ir.builder import Builder
from samebits.ir.grammar import Module
from samebits.runtime.emulation import link, machines
from samebits.runtime.emulation.link import WASM_MEMORY, link_wasm
from samebits.runtime.emulation.machines import EmulatedProgram, emulation_reason
from samebits.runtime.emulation.remote import MAGIC, Remote
from samebits.types import FLOAT64, INT32

RUNNABLE = [target for target in TARGETS.values() if not target.is_object_only]


def runnable(target: Target) -> Target:
    reason = emulation_reason(target)
    if reason is not None:
        pytest.skip(f"{target.name}: {reason}")
    return target


def script(tmp_path: Path, body: str) -> list[str]:
    """A program that says hello as a driver does, and then does `body`."""
    path = tmp_path / "driver.py"
    path.write_text(
        "import os, signal, struct, sys, time\n"
        "get, put = sys.stdin.buffer, sys.stdout.buffer\n"
        f"def reply(value): put.write(struct.pack('<2Q', {MAGIC}, value)); put.flush()\n"
        "reply(8)\n" + body
    )
    return [sys.executable, str(path)]


def test_a_targets_driver_is_compiled_once_for_as_many_entries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = runnable(TARGETS["s390x"])
    b = Builder("k", {"x": FLOAT64}, (FLOAT64,))
    compiled = compile_module(Module({"k": b.ret(b.get("x"))}), ["k"], target, 0)
    tools: list[str] = []
    original = link._zig  # pyright: ignore[reportPrivateUsage]

    def zig(arguments: Sequence[str], folder: Path) -> None:
        tools.append(arguments[0])
        original(arguments, folder)

    monkeypatch.setattr(link, "_zig", zig)
    link._driver.cache_clear()  # pyright: ignore[reportPrivateUsage]
    for _ in range(2):
        EmulatedProgram(compiled, 1, target).start(60).close()
    assert tools == ["cc", "ld.lld", "ld.lld"]


@pytest.mark.parametrize("target", RUNNABLE, ids=lambda t: t.name)
def test_memory_and_calls_reach_every_target(target: Target) -> None:
    runnable(target)
    b = Builder("k", {"x": FLOAT64, "y": INT32}, (FLOAT64, INT32))
    x, y = b.get("x"), b.get("y")
    function = b.ret(b.op("mul", x, x), b.op("add", y, y))
    compiled = compile_module(Module({"k": function}), ["k"], target, 3)
    remote = EmulatedProgram(compiled, 1, target).start(60)
    assert remote.pointer_bytes == target.pointer_bits // 8
    one, two = remote.allocate(100), remote.allocate(1 << 20)
    assert remote.read(one, 100) == bytes(100)
    data = np.random.default_rng(1).bytes(1 << 20)
    remote.write(two, data)
    remote.write(one, b"hello")
    assert (remote.read(one, 6), remote.read(two, 1 << 20)) == (b"hello\0", data)
    three, minus_five = 0x4008000000000000, (1 << 32) - 5
    status, slots = remote.call(0, [three, minus_five, 0, 0])
    assert (status, slots[2:]) == (0, (0x4022000000000000, (1 << 32) - 10))
    with pytest.raises(RunnerError) as caught:
        remote.allocate(1 << 40)
    assert "bytes of memory left" in caught.value.message
    remote.close()


def test_webassembly_memory_functions_are_those_of_c(tmp_path: Path) -> None:
    target = runnable(TARGETS["wasm32"])
    wasmtime = pytest.importorskip("wasmtime")
    calls = """
target triple = "wasm32-unknown-unknown"
declare ptr @memcpy(ptr, ptr, i32)
declare ptr @memmove(ptr, ptr, i32)
declare ptr @memset(ptr, i32, i32)
define i32 @sb_entry_0(ptr %a, ptr %b, i32 %n, i32 %which) {
  switch i32 %which, label %copy [ i32 1, label %move
                                   i32 2, label %set ]
copy:
  call ptr @memcpy(ptr %a, ptr %b, i32 %n)
  ret i32 0
move:
  call ptr @memmove(ptr %a, ptr %b, i32 %n)
  ret i32 0
set:
  call ptr @memset(ptr %a, i32 511, i32 %n)
  ret i32 0
}
"""
    path = link_wasm(engine.compile_text(calls, target), target, 1, tmp_path)
    store = wasmtime.Store()
    instance = wasmtime.Instance(store, wasmtime.Module.from_file(store.engine, str(path)), [])
    memory: Any = instance.exports(store)["memory"]
    entry: Any = instance.exports(store)["sb_entry_0"]
    memory.grow(store, 1)
    base = memory.data_len(store) - (1 << 16)
    start = np.random.default_rng(2).bytes(200)
    for which in (0, 1, 2):
        for size in (0, 1, 7, 8, 9, 16, 31, 64):
            for to, source in ((0, 100), (3, 101), (20, 24), (24, 20), (23, 20), (20, 20)):
                if which == 0 and abs(to - source) < size:
                    continue
                expected = bytearray(start)
                part = start[source : source + size] if which < 2 else b"\xff" * size
                expected[to : to + size] = part
                memory.write(store, start, base)
                entry(store, base + to, base + source, size, which)
                assert memory.read(store, base, base + 200) == expected, (which, size, to, source)
    assert "no-builtins" in WASM_MEMORY


@pytest.mark.parametrize(
    ("body", "message", "note"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "the program crashed with SIGSEGV", None),
        ("os.abort()", "the program crashed with SIGABRT", None),
        ("sys.exit(3)", "the program ended with status 3", None),
        (
            "sys.exit('out of luck')",
            "the program ended with status 1",
            "its last words: out of luck",
        ),
        ("get.read(24)", "the program ended with status 0", None),
        (
            "put.write(b'Segmentation fault, core dumped\\n'); put.flush(); signal.pause()",
            "the program answered nonsense: b'Segmentation fau'",
            None,
        ),
        ("reply(77); signal.pause()", "the program answered nonsense: 77 where 5 is due", None),
        ("os.close(1); signal.pause()", "the program closed its output", None),
        ("signal.pause()", "the program hung: no answer within 0.1 s", None),
        (
            "put.write(b'half'); put.flush(); signal.pause()",
            "the program hung: no answer within 0.1 s",
            None,
        ),
    ],
)
def test_what_became_of_a_program_is_reported(
    tmp_path: Path, body: str, message: str, note: str | None
) -> None:
    remote = Remote(script(tmp_path, body), little_endian=True, limit=HANG_SECONDS)
    remote._limit = 0.1 if "hung" in message else HANG_SECONDS
    with pytest.raises(RunnerError) as caught:
        remote.read(0, 5)
    assert (caught.value.message, caught.value.note) == (message, note)
    remote.close()
    assert remote._process.poll() is not None


def test_a_program_that_never_says_hello_is_reported() -> None:
    for code, message in (
        ("pass", "the program ended with status 0"),
        ("print('x' * 99)", "the program answered nonsense: b'xxxxxxxxxxxxxxxx'"),
        ("import signal; signal.pause()", "the program hung: no answer within 0.1 s"),
    ):
        limit = 0.1 if "hung" in message else HANG_SECONDS
        with pytest.raises(RunnerError) as caught:
            Remote([sys.executable, "-I", "-c", code], little_endian=True, limit=limit)
        assert caught.value.message == message


def test_a_program_that_reads_nothing_hangs_no_one(tmp_path: Path) -> None:
    remote = Remote(script(tmp_path, "signal.pause()"), little_endian=True, limit=HANG_SECONDS)
    remote._limit = 0.1
    with pytest.raises(RunnerError) as caught:
        remote.write(0, bytes(1 << 24))
    assert caught.value.message == "the program hung: no answer within 0.1 s"


def test_pointers_of_another_size_and_wide_statuses_are_nonsense(tmp_path: Path) -> None:
    with pytest.raises(RunnerError) as caught:
        Remote(script(tmp_path, ""), little_endian=False, limit=HANG_SECONDS)
    assert "answered nonsense" in caught.value.message
    remote = Remote(script(tmp_path, "reply(1 << 40); signal.pause()"), little_endian=True)
    with pytest.raises(RunnerError) as caught:
        remote.call(0, [])
    assert caught.value.message == f"the program answered nonsense: status {1 << 40}"


def test_a_closed_program_takes_its_children_along(tmp_path: Path) -> None:
    body = (
        "import subprocess\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
        "reply(child.pid); signal.pause()"
    )
    remote = Remote(script(tmp_path, body), little_endian=True, limit=HANG_SECONDS)
    child = remote.allocate(1)
    remote.close()
    while _alive(child):  # killed, it is gone as soon as the system comes to it
        time.sleep(0.01)


def _alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False


def test_a_command_that_is_not_there_is_reported() -> None:
    with pytest.raises(RunnerError) as caught:
        Remote(["/nowhere/qemu"], little_endian=True)
    assert caught.value.message == "/nowhere/qemu cannot be started: No such file or directory"


def test_what_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    find = machines.importlib.util.find_spec
    monkeypatch.setattr(machines.shutil, "which", lambda name: None)
    if find("ziglang") is not None:
        assert emulation_reason(TARGETS["s390x"]) == (
            "install qemu-user (apt-get install qemu-user)"
        )
    monkeypatch.setattr(machines.importlib.util, "find_spec", lambda name: None)
    assert emulation_reason(TARGETS["wasm32"]) == (
        "install ziglang and wasmtime (pip install 'samebits[targets]')"
    )
    assert emulation_reason(TARGETS["aarch64-ios"]) == "only object code is made for it here"
