"""Other programs' records for tests: built byte by byte, or by compiled programs."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from samebits.bits import xxh64
from samebits.foreign.format import MAGIC
from samebits.foreign.recorder_sources import recorder_source
from tests.support.limits import HANG_SECONDS

HEAD = MAGIC + struct.pack("<II", 1, 0)
TOLD_OF_MACHINES = (b"fact", b"word")
"""Kinds of records that are not the same on every machine."""


def record(kind: bytes, body: bytes, covered: int | None = None) -> bytes:
    """A record with a checksum that holds."""
    head = kind + struct.pack("<I", len(body))
    check = xxh64(body[:covered], int.from_bytes(head, "little"))
    return head + struct.pack("<Q", check) + body + bytes(-len(body) % 8)


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<H", len(data)) + data


def run_record(
    regions: Sequence[tuple[int, str, str]],
    name: str = "toy",
    players: int = 0,
    layout: str = "",
    rate: int = 60,
) -> bytes:
    """The record that tells of the run; a region is its capacity, name and layout."""
    parts = [text(name), text("1"), struct.pack("<QII", 0, rate, players), text(layout)]
    parts.append(struct.pack("<I", len(regions)))
    for capacity, region, shape in regions:
        parts.append(struct.pack("<I", capacity) + text(region) + text(shape))
    return record(b"run ", b"".join(parts))


def begin(frame: int, data: bytes = b"") -> bytes:
    return record(b"begn", struct.pack("<q", frame) + data)


def done(frame: int, state: bytes, flags: int = 1, hash_: int | None = None) -> bytes:
    """The end of a frame whose state is these bytes, which are told where flags say so."""
    kept = state if flags & 1 else b""
    hash_ = xxh64(state) if hash_ is None else hash_
    return record(b"done", struct.pack("<qQII", frame, hash_, flags, len(kept)) + kept, 24)


def records_of(data: bytes) -> list[tuple[bytes, bytes]]:
    """The kinds and whole bytes of a file's records, without the room behind them."""
    found: list[tuple[bytes, bytes]] = []
    at = len(HEAD)
    while data[at : at + 4].strip(b"\0"):
        end = at + 16 + (int.from_bytes(data[at + 4 : at + 8], "little") + 7) // 8 * 8
        found.append((data[at : at + 4], data[at:end]))
        at = end
    return found


def portable_part(data: bytes) -> bytes:
    """A file without what it tells of its machine."""
    kept = (whole for kind, whole in records_of(data) if kind not in TOLD_OF_MACHINES)
    return data[: len(HEAD)] + b"".join(kept)


@cache
def cross_compiler(machine: str) -> tuple[str, ...]:
    """The compiler for another processor, and its emulator; the test is skipped without."""
    compiler, emulator = f"{machine}-linux-gnu-gcc", f"qemu-{machine}"
    for tool, package in ((compiler, f"gcc-{machine}-linux-gnu"), (emulator, "qemu-user")):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not here: apt install {package}")
    return compiler, emulator


def compiled_program(folder: Path, source: Path, command: Sequence[str]) -> Path:
    """A program of one source file and samebits.h; the test is skipped without the compiler."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not here")
    header = folder / "samebits.h"
    if not header.exists():
        header.write_text(recorder_source("c"))
    program = folder / "program"
    done = subprocess.run(
        [*command, "-I", str(folder), str(source), "-o", str(program), "-lm"],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    if done.returncode and "-m32" in command and "bits/libc-header-start.h" in done.stderr:
        pytest.skip("no C library for 32-bit x86 is here: apt install gcc-multilib")
    assert not done.returncode, done.stderr
    return program
