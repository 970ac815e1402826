"""A peer in a program of its own: under an emulator, watched by sanitizers, or in Node."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from samebits.backend.targets.table import Target
from samebits.bits import from_canonical
from samebits.export import toolchain
from samebits.export.header import header_text
from samebits.export.interface import interface_of
from samebits.export.library import kernels_of, library_text
from samebits.export.peer import codec_of, peer_header_text, peer_text
from samebits.export.report import report_text
from samebits.net.events import (
    Away,
    Broken,
    DelayChanged,
    Desynced,
    Ended,
    HashGroup,
    Joined,
    Left,
    MatchEvent,
    Paused,
    Refused,
    Started,
    Substituted,
    TrapMet,
    VerdictKnown,
)
from samebits.net.peer.core import PeerOutput
from samebits.net.peer.timeline import HISTORY
from samebits.runtime.emulation.link import LINUX
from samebits.sim.simulation import Simulation
from tests.support.limits import HANG_SECONDS
from tests.support.runs.exported_peer import NEVER, Call, CEvent, Group, python_event

DRIVER = Path(__file__).parents[1] / "machines" / "peer_driver.c"
SCRIPT = DRIVER.with_suffix(".mjs")
NODE = shutil.which("node")
_CALLS = ("receive", "tick", "reconnect", "pause", "go_on", "leave", "report", "done")


def emulated(folder: Path, target: Target) -> list[str]:
    """The command of a program for a target, out of the library that was built there."""
    out = folder / f"peer-{target.name}"
    work = folder / f"work-{target.name}"
    work.mkdir()
    for file in (DRIVER, LINUX, folder / "small.h", folder / "small_peer.h"):
        shutil.copy(file, work)
    options = ["-ffreestanding", "-fno-builtin", "-std=c11"]
    toolchain.compile_c(work, target.zig, target.zig_cpu, DRIVER.name, "driver.o", *options)
    library = folder / target.name / "libsmall.a"
    toolchain.zig(
        work, ["ld.lld", "-static", "-e", "_start", "driver.o", str(library), "-o", str(out)]
    )
    command = [target.qemu, "-cpu", target.qemu_cpu] if target.qemu_cpu else [target.qemu]
    return [*command, str(out)]


def sanitized(folder: Path, simulation: Simulation, target: Target, compiler: str) -> list[str]:
    """The command of a program for this machine that ends where memory or numbers are misused."""
    interface = interface_of(simulation)
    codec = codec_of(interface)
    assert codec is not None
    code, sites = kernels_of(simulation.program).object_code(target, interface.name)
    (folder / "kernels.o").write_bytes(code)
    texts = {
        "small.h": header_text(interface, sites),
        "small_peer.h": peer_header_text(interface, codec),
        "library.c": library_text(interface, sites),
        "report.c": report_text(interface, sites, target),
        "peer.c": peer_text(interface, codec, target),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    shutil.copy(DRIVER, folder)
    checks = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DWITH_LIBC"]
    subprocess.run(
        [compiler, *checks, "-std=c11", "-g", "-O1", "-I.",
         DRIVER.name, "library.c", "report.c", "peer.c", "kernels.o", "-o", "driver"],
        cwd=folder, check=True, capture_output=True, timeout=HANG_SECONDS,
    )  # fmt: skip
    return [str(folder / "driver")]


@dataclass
class Driven:
    """What a program said: the output of each tick, and reports."""

    outputs: list[PeerOutput]
    reports: list[bytes]


def driven(
    command: Sequence[str], ticket: str, calls: Sequence[Call], window: int, kept: int = HISTORY,
) -> Driven:  # fmt: skip
    """Play calls in the program. Its errors are those of sanitizers."""
    done = subprocess.run(
        [*command], input=_packed(ticket, calls, window, kept), capture_output=True,
        timeout=HANG_SECONDS,
        env={"ASAN_OPTIONS": "detect_leaks=0"},  # the driver leaves its memory to the system
    )  # fmt: skip
    assert done.returncode == 0, (done.returncode, done.stderr.decode()[-3000:])
    return read_driven(done.stdout)


def _packed(ticket: str, calls: Sequence[Call], window: int, kept: int) -> bytes:
    sent = [struct.pack("<IIBI", window, kept, 0, len(ticket)) + ticket.encode()]
    for call in [*calls, Call("done")]:
        head = struct.pack("<BqI", _CALLS.index(call.what), call.now, len(call.data))
        sent.append(head + call.data)
    return b"".join(sent)


@dataclass
class Conversation:
    """The calls of one peer."""

    ticket: str
    calls: Sequence[Call]
    window: int


def scripted(
    module: Path, simulation: Simulation, conversations: Sequence[Conversation]
) -> list[Driven]:
    """Play calls with the WebAssembly peer that a JavaScript file is of, all in one process."""
    sent = [struct.pack("<I", len(conversations))]
    for each in conversations:
        calls = [
            replace(call, data=from_canonical(simulation.input_type, call.data).tobytes())
            if call.what == "tick"
            else call
            for call in each.calls
        ]
        sent.append(_packed(each.ticket, calls, each.window, HISTORY))
    done = subprocess.run(
        [str(NODE), str(SCRIPT), str(module)], input=b"".join(sent), capture_output=True,
        timeout=HANG_SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    return [
        Driven(
            [_tick(tick) for tick in said["ticks"]],
            [bytes.fromhex(report) for report in said["reports"]],
        )
        for said in json.loads(done.stdout)
    ]


def _tick(given: dict[str, Any]) -> PeerOutput:
    return PeerOutput(
        [bytes.fromhex(message) for message in given["messages"]],
        [of_script(event) for event in given["events"]],
        None if given["wake"] is None else int(given["wake"]),
    )


def of_script(event: dict[str, Any]) -> MatchEvent:
    """An event of the JavaScript as Python's core tells it."""
    match event:
        case {"type": "joined" | "left" | "away" as what, "slot": slot, "frame": frame}:
            return {"joined": Joined, "left": Left, "away": Away}[what](slot, frame)
        case {"type": "substituted", "slots": slots, "frame": frame}:
            return Substituted(tuple(slots), frame)
        case {"type": "started" | "paused" as what, "frame": frame}:
            return {"started": Started, "paused": Paused}[what](frame)
        case {"type": "delayed", "slot": slot, "delay": delay, "frame": frame}:
            return DelayChanged(slot, delay, frame)
        case {"type": "desynced", "frame": frame, "groups": groups, "decided": decided}:
            found = tuple(
                HashGroup(int(g["hash"]), tuple(g["slots"]), g["referee"]) for g in groups
            )
            assert tuple(event["wrong"]) == Desynced(frame, found, decided).wrong
            return Desynced(frame, found, decided)
        case {"type": "verdict", "frame": frame, "text": text}:
            return VerdictKnown(frame, text)
        case {"type": "trapped", "frame": frame, "text": text}:
            return TrapMet(frame, text)
        case {"type": "refused", **told}:
            return Refused(**told)
        case {"type": "ended", "reason": reason, "frames": frames, "hash": value}:
            return Ended(reason, frames, int(value))
        case _:
            assert event["type"] == "broken"
            return Broken(event["reason"])


def read_driven(data: bytes) -> Driven:
    found = Driven([], [])
    at = 0

    def number(size: int) -> int:
        nonlocal at
        at += size
        return int.from_bytes(data[at - size : at], "little")

    def sized() -> bytes:
        nonlocal at
        size = number(4)
        at += size
        return data[at - size : at]

    while at < len(data):
        kind = number(1)
        if kind == ord("Z"):
            continue
        if kind == ord("T"):
            wake = number(8)
            found.outputs.append(PeerOutput(wake=None if wake == NEVER else wake))
        elif kind == ord("M"):
            found.outputs[-1].messages.append(sized())
        elif kind == ord("R"):
            found.reports.append(sized())
        else:
            assert kind == ord("E"), kind
            event = CEvent(number(4), number(4), number(8), number(8), number(8))
            event.text, event.code, event.ours, event.theirs = (sized() for _ in range(4))
            event.count = number(4)
            groups = [Group(number(8), number(8), number(4)) for _ in range(event.count)]
            event.groups = (Group * max(1, len(groups)))(*groups)
            found.outputs[-1].events.append(python_event(event))
    return found
