"""Objects loaded without LLVM are the code that its linker loads, or are left to it."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import ctypes
import gc
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from samebits.backend.llvm import engine
from samebits.backend.targets.table import Target
from samebits.runtime.objects import image, loading
from samebits.runtime.objects.image import _HEADER, _RELOCATION, _SECTION, load

HERE = sys.platform == "linux" and os.uname().machine == "x86_64"
pytestmark = pytest.mark.skipif(not HERE, reason="objects are loaded so on x86-64 Linux alone")

TEXT = """
@table = private unnamed_addr constant [4 x i64] [i64 3, i64 5, i64 7, i64 11], align 16
@places = private constant [2 x ptr] [ptr @own, ptr @twice]
@count = global i64 40, align 8
@zeros = global [3 x i64] zeroinitializer, align 8
declare i64 @far(i64)
define internal i64 @own(i64 %x) noinline {
  %at = getelementptr inbounds [4 x i64], ptr @table, i64 0, i64 %x
  %y = load i64, ptr %at
  ret i64 %y
}
define i64 @twice(i64 %x) noinline {
  %y = call i64 @own(i64 %x)
  %z = call i64 @own(i64 %y)
  ret i64 %y
}
define i64 @run(i64 %x, i64 %which) {
  %at = getelementptr inbounds [2 x ptr], ptr @places, i64 0, i64 %which
  %f = load volatile ptr, ptr %at
  %a = call i64 %f(i64 %x)
  %b = call i64 @far(i64 %a)
  %c = load i64, ptr @count
  %d = add i64 %b, %c
  store i64 %d, ptr @count
  %e = load i64, ptr getelementptr inbounds ([3 x i64], ptr @zeros, i64 0, i64 1)
  %r = add i64 %d, %e
  ret i64 %r
}
define ptr @far.place() {
  ret ptr @far
}
"""
FAR = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(lambda x: x * 1000)
IMPORTS = {"far": ctypes.cast(FAR, ctypes.c_void_p).value or 0}
SYMBOLS = ["run", "count", "far.place", "zeros"]


def _object(opt: int = 3) -> bytes:
    target = engine.host_target()
    return engine.compile_text(f'target triple = "{target.triple}"\n{TEXT}', target, opt)


def _results(loaded: loading.Loaded) -> list[int]:
    run = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(loaded.addresses["run"])
    ctypes.c_int64.from_address(loaded.addresses["zeros"] + 8).value = 5
    found = [run(x, which) for x in range(3) for which in (0, 1) if x * which < 2]
    place = ctypes.CFUNCTYPE(ctypes.c_void_p)(loaded.addresses["far.place"])()
    far = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(place)
    return [*found, ctypes.c_int64.from_address(loaded.addresses["count"]).value, far(7)]


@pytest.mark.parametrize("opt", [0, 3])
def test_code_constants_variables_and_calls_elsewhere_are_as_llvm_links_them(opt: int) -> None:
    data = _object(opt)
    mine = load(data, SYMBOLS, IMPORTS)
    assert mine is not None
    expected = _results(engine.load(data, SYMBOLS, IMPORTS))
    assert _results(mine) == expected
    assert expected[-2:] == [40 + sum(1000 * x for x in (3, 3, 5, 5, 7)), 7000]


def test_code_is_not_writable_and_constants_are_not_code() -> None:
    loaded = load(_object(), SYMBOLS, IMPORTS)
    assert loaded is not None
    rows = Path("/proc/self/maps").read_text().splitlines()

    def protection(address: int) -> str:
        for row in rows:
            start, end = (int(x, 16) for x in row.split()[0].split("-"))
            if start <= address < end:
                return row.split()[1]
        raise AssertionError("not mapped")

    assert protection(loaded.addresses["run"]) == "r-xp"
    assert protection(loaded.addresses["count"]) == "rw-p"


def test_memory_goes_with_the_image() -> None:
    loaded = load(_object(), SYMBOLS, IMPORTS)
    assert loaded is not None
    place = f"{loaded.addresses['count'] & -4096:x}"
    assert place in Path("/proc/self/maps").read_text()
    del loaded
    gc.collect()
    assert place not in Path("/proc/self/maps").read_text()


def test_memory_stays_at_the_processs_end(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = load(_object(), SYMBOLS, IMPORTS)
    assert loaded is not None
    place = f"{loaded.addresses['count'] & -4096:x}"
    monkeypatch.setattr(image._Memory, "stays", True)  # as an `atexit` callback does
    loaded.close()
    del loaded
    gc.collect()
    assert place in Path("/proc/self/maps").read_text()


def test_memory_is_written_inside_of_it_alone() -> None:
    memory = image._Memory(4096)
    for place, data in ((-1, b"x"), (4096, b"x"), (4090, b"seven b")):
        with pytest.raises(ValueError, match="outside"):
            memory.write(place, data)
    memory.write(4095, b"x")
    with pytest.raises(OSError, match="memory"):
        image._Memory(1 << 60)


def _sections(data: bytes) -> tuple[int, list[tuple[int, ...]]]:
    at, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
    return at, [_SECTION.unpack_from(data, at + 64 * k) for k in range(count)]


def _patched(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new) :]


def _strange() -> dict[str, bytes]:
    data = _object()
    at, sections = _sections(data)
    relocations = next(s for s in sections if s[1] == 4)
    text = next(k for k, s in enumerate(sections) if s[2] & 4)
    place, kind, symbol, addend = _RELOCATION.unpack_from(data, relocations[4])

    def relocation(*row: int) -> bytes:
        return _patched(data, relocations[4], _RELOCATION.pack(*row))

    def section(number: int, field: int, value: int) -> bytes:
        row = list(sections[number])
        row[field] = value
        return _patched(data, at + 64 * number, _SECTION.pack(*row))

    return {
        "another machine": _patched(data, 18, b"\xb7"),
        "big-endian": _patched(data, 5, b"\x02"),
        "a shared library": _patched(data, 16, b"\x03"),
        "an unknown relocation": relocation(place, 23, symbol, addend),
        "a relocation outside": relocation(1 << 40, kind, symbol, addend),
        "one past the end": relocation(sections[text][5] - 3, kind, symbol, addend),
        "a symbol that is not there": relocation(place, kind, 9999, addend),
        "an addend out of reach": relocation(place, kind, symbol, 1 << 40),
        "code that may be written": section(text, 2, sections[text][2] | 1),
        "thread-local memory": section(text, 2, sections[text][2] | 0x400),
        "code to run at the start": section(text, 1, 14),
        "bytes that are not there": section(text, 5, 1 << 30),
        "a huge alignment": section(text, 8, 1 << 20),
        "an odd alignment": section(text, 8, 24),
        "no bytes": b"",
        "half of it": data[: len(data) // 2],
    }


@pytest.mark.parametrize("name", _strange() if HERE else [])
def test_what_is_not_known_is_left_to_llvm(name: str) -> None:
    assert load(_strange()[name], SYMBOLS, IMPORTS) is None


def test_missing_symbols_and_imports_are_left_to_llvm() -> None:
    assert load(_object(), [*SYMBOLS, "walk"], IMPORTS) is None
    assert load(_object(), SYMBOLS, {}) is None
    assert _HEADER.size == 64


def test_any_flipped_byte_gives_code_or_none_and_never_another_error() -> None:
    data = _object()
    for position in range(0, len(data), 3):
        load(_patched(data, position, bytes([data[position] ^ 0xFF])), SYMBOLS, IMPORTS)


def test_a_system_that_refuses_leaves_it_to_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, "_protect", lambda: lambda *_: -1)
    assert load(_object(), SYMBOLS, IMPORTS) is None
    monkeypatch.setattr(image, "_protect", lambda: None)
    assert load(_object(), SYMBOLS, IMPORTS) is None
    assert isinstance(loading.load(_object(), SYMBOLS, IMPORTS), engine.LoadedObject)


_COLD = """
import sys
import samebits as sb
from samebits import float64, math
sb.set_cache_dir(sys.argv[1])
sys.path.insert(0, sys.argv[2])
import cold
value = cold.wave(0.75).hex()
unneeded = ("samebits.frontend", "samebits.passes", "samebits.ir",
            "samebits.backend.emit.module", "samebits.backend.llvm.compile",
            "samebits.backend.llvm.engine", "samebits.backend.lowering.table",
            "samebits.backend.emit.preemption",
            "samebits.runtime.memory_claims", "samebits.runtime.objects.debugger",
            "samebits.backend.targets", "samebits.runtime.fp_state")
print(value, "llvmlite" in sys.modules, sorted(n for n in sys.modules if n.startswith(unneeded)))
"""
_COLD_KERNEL = """
import samebits as sb
from samebits import float64, math

@sb.kernel
def wave(x: float64) -> float64:
    return math.sin(x) + math.exp(x)
"""


def _cold(folder: Path) -> str:
    (folder / "cold.py").write_text(_COLD_KERNEL)
    command = [sys.executable, "-c", _COLD, str(folder / "objects"), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_process_that_finds_all_it_calls_loads_no_part_of_the_compiler_nor_of_jobs(
    tmp_path: Path,
) -> None:
    value, loaded, makers = _cold(tmp_path).split(" ", 2)
    assert loaded == "True"
    assert "samebits.backend.llvm.compile" in makers
    assert "samebits.backend.llvm.engine" in makers
    assert _cold(tmp_path) == f"{value} False []\n"


def test_the_note_of_the_machine_is_llvms_own_answer_and_for_it_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from samebits.runtime import cache
    from samebits.runtime.objects import host

    monkeypatch.setattr(cache._Setting, "chosen", cache.ObjectCache(tmp_path / "objects"))
    monkeypatch.setattr(host, "_target", host._target.__wrapped__)

    def found() -> tuple[Target, str]:
        known = host.host.__wrapped__()
        return host._target(known), known.llvm

    expected = engine.host_target(), engine.llvm_version()
    first = found()
    key = host._key()
    assert key is not None
    other = engine.host_target()._replace(tune="another")
    monkeypatch.setattr(engine, "host_target", lambda: other)
    assert found() == first == expected
    keys = {key}
    text = Path(host.PROCESSORS).read_text()
    for old, new in (("flags", "flags\t: sse9\nxflags"), ("model name", "model nome")):
        changed = tmp_path / "cpuinfo"
        changed.write_text(text.replace(old, new, 1))
        monkeypatch.setattr(host, "PROCESSORS", str(changed))
        keys.add(host._key() or "")
        assert found()[0] == other
    changed.write_text("nothing is said\n\n")
    assert host._key() is None
    monkeypatch.undo()
    monkeypatch.setattr(host, "_library", lambda: "another library")
    keys.add(host._key() or "")
    assert len(keys) == 4
