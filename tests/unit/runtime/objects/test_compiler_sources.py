"""Code is shared by processes of the same compiler alone, known by the contents of its files."""

from __future__ import annotations

import os
import py_compile
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import samebits
import samebits as sb
from samebits import math
from samebits.export.math_library import objects
from samebits.lua import natives
from samebits.runtime import cache
from samebits.runtime import compile as compile_module
from samebits.runtime.objects import compiler_sources
from samebits.runtime.objects import library as library_module
from samebits.runtime.objects import loading as loading_module
from samebits.runtime.objects.compiler_sources import LIBRARY, Sources, fingerprint, sources

PACKAGE = Path(samebits.__file__).parent
NORMAL = 1_000_000_000


def settle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files and folders be older than the times of the next ones can show."""
    monkeypatch.setattr(compiler_sources, "_TICK", -1_000)


def settled_digest(notes: Notes, root: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The digest, noted even where the folder is new."""
    with monkeypatch.context() as changed:
        settle(changed)
        found = notes.digest(root)
    assert found
    return found


class Notes(dict[str, str]):
    """What remembers digests."""

    def digest(self, root: Path, imported_at: float | None = None) -> str:
        at = time.time() + 60 if imported_at is None else imported_at
        return fingerprint(str(root), at, self.get, self.__setitem__)


def install(folder: Path, number: int = 1) -> Path:
    """A package whose files have the same sizes and times, whatever its number."""
    folder.mkdir(parents=True)
    for name in ("a.py", "b/c.py", "cli/d.py"):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"NUMBER = {number}\n")
        os.utime(path, (NORMAL, NORMAL))
    return folder


def test_contents_alone_tell_two_installations_apart(tmp_path: Path) -> None:
    notes = Notes()
    one, same, other = (install(tmp_path / n, k) for n, k in (("a", 1), ("b", 1), ("c", 2)))
    assert notes.digest(one) == notes.digest(same)
    assert notes.digest(one) != notes.digest(other)


def test_an_edit_with_the_same_size_and_times_is_seen(tmp_path: Path) -> None:
    notes = Notes()
    root = install(tmp_path / "a")
    before = notes.digest(root)
    path = root / "b" / "c.py"
    status = path.stat()
    path.write_text("NUMBER = 2\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    after = notes.digest(root)
    assert after != before
    path.write_text("NUMBER = 1\n")
    assert notes.digest(root) == before


def test_names_count_and_what_makes_no_code_does_not(tmp_path: Path) -> None:
    notes = Notes()
    root = install(tmp_path / "a")
    before = notes.digest(root)
    (root / "cli" / "d.py").write_text("NUMBER = 2\n")
    (root / "b" / "__pycache__").mkdir()
    (root / "b" / "__pycache__" / "c.pyc").write_bytes(b"x")
    assert notes.digest(root) == before
    (root / "b" / "c.py").rename(root / "b" / "e.py")
    assert notes.digest(root) != before


def test_tools_that_make_no_code_do_not_count() -> None:
    tools = {
        "audit", "ci", "cli", "collector", "desync", "diagnosis", "doctor", "ensemble", "export",
        "farm", "foreign", "fpmodel", "frame_trace", "gym", "hazards", "inspection", "lint", "lua",
        "managed", "minimise", "net", "play", "replay", "scene", "sides", "sim", "testing",
        "typed", "verify", "view",
    }  # fmt: skip
    assert tools <= {path.name for path in PACKAGE.iterdir()}
    counted = {Path(path).parts[0] for path in sources(str(PACKAGE)).files}
    assert counted & tools == set()
    assert "mathlib" not in counted
    assert {"ir", "backend", "containers", "jobs", "lang"} <= counted
    assert {Path(path).parts[0] for path in sources(str(PACKAGE), LIBRARY).files} == {"mathlib"}


def test_folders_that_do_not_count_are_there() -> None:
    for folder in compiler_sources._OTHERS:
        assert (PACKAGE / folder).is_dir(), folder


RUN_AROUND_IT = {"importing.py", "runtime/threads/own_stack.py", "runtime/threads/preempt.py"}
"""What runs while a kernel is compiled, and makes none of its code: rounding as it always is,
stacks, and the signal that tells of their lack."""


class Watched:
    """The files of the package whose code runs in this process's compilations."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.files: set[str] = set()
        for module, name in (
            (compile_module, "_request"), (compile_module, "cached"),
            (library_module, "compiled_here"), (loading_module, "own_code"),
        ):  # fmt: skip
            monkeypatch.setattr(module, name, self.within(getattr(module, name)))

    def within(self, function: Any) -> Any:
        def call(*args: Any, **named: Any) -> Any:
            before = sys.getprofile()
            sys.setprofile(self._note)
            try:
                return function(*args, **named)
            finally:
                sys.setprofile(before)

        return call

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(f"{PACKAGE}{os.sep}"):
            self.files.add(Path(path).relative_to(PACKAGE).as_posix())


@sb.struct
class Ball:
    x: sb.float64
    v: sb.float64

    def move(self, dt: sb.float64) -> None:
        self.x += self.v * dt


@sb.job
class Fall(sb.ParallelFor):
    balls: sb.Array[Ball]
    heights: sb.ReadOnly[sb.float32]

    def execute(self, index: sb.int32) -> None:
        self.balls[index].x = self.heights[index] * 0.5


@sb.kernel
def plain(balls: sb.Array[Ball], n: sb.int64, gain: sb.float3) -> sb.float64:
    total = sb.float64(0)
    for i in sb.prange(len(balls)):
        balls[i].move(0.1)
    for i in range(n):
        for ball in balls:
            total += ball.x * gain.y
        if i > 5 and total > 1.0:
            break
    return total


@sb.kernel
def with_library(x: sb.float64, n: sb.int64) -> sb.float64:
    items: sb.List[sb.float64, 8] = sb.List[sb.float64, 8]()
    for i in range(n):
        items.append(math.pow(math.sin(x), 1.5) + i % 3)
    items.sort()
    return items[0]


def test_whatever_runs_in_a_compilation_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = cache.current_cache()
    watched = Watched(monkeypatch)
    balls = np.zeros(3, Ball.dtype)
    samebits.set_cache_dir(tmp_path)
    try:
        plain(balls, 9, sb.float3(1, 2, 3))
        without = set(watched.files)
        with_library(0.5, 6)
        Fall(balls=balls, heights=np.ones(3, np.float32)).schedule(3).complete()
        math.cos(np.linspace(0, 1, 5))
    finally:
        cache._Setting.chosen = before
    counted = set(sources(str(PACKAGE)).files)
    library = set(sources(str(PACKAGE), LIBRARY).files)
    assert {"frontend/compile.py", "backend/emit/module.py"} <= without <= watched.files
    assert without - counted <= RUN_AROUND_IT
    assert watched.files - counted - library <= RUN_AROUND_IT


def test_whatever_makes_the_functions_that_lua_calls_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = cache.current_cache()
    watched = Watched(monkeypatch)
    makes = watched.within(objects.scalar_object)
    monkeypatch.setattr(objects, "scalar_object", makes)
    samebits.set_cache_dir(tmp_path)
    try:
        natives._loaded.__wrapped__()
    finally:
        cache._Setting.chosen = before
    counted = {
        file
        for part in (compiler_sources.COMPILER, compiler_sources.LIBRARY_FOR_C)
        for file in sources(str(PACKAGE), part).files
    }
    assert {"export/math_library/objects.py", "passes/pipeline.py"} <= watched.files
    assert watched.files - counted <= RUN_AROUND_IT


def test_contents_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = Notes()
    root = install(tmp_path / "a")
    first = settled_digest(notes, root, monkeypatch)
    assert len(notes) == 1

    def unread(_: object) -> Any:
        raise AssertionError

    monkeypatch.setattr(Path, "read_bytes", unread)
    monkeypatch.setattr(os, "scandir", unread)
    assert notes.digest(root) == first


@pytest.mark.parametrize("how", ["new", "renamed", "removed", "folder", "linked"])
def test_a_name_that_comes_or_goes_is_seen_where_contents_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    notes = Notes()
    root = install(tmp_path / "a")
    before = settled_digest(notes, root, monkeypatch)
    path = root / "b" / "c.py"
    match how:
        case "new":
            path.with_name("d.py").write_bytes(b"")
        case "renamed":
            path.rename(path.with_name("d.py"))
        case "removed":
            path.unlink()
        case "folder":
            install(root / "b" / "e")
        case _:
            path.rename(root / "c.txt")
            (root / "c.txt").write_text("NUMBER = 2\n")
            path.symlink_to(root / "c.txt")
    assert notes.digest(root) not in (before, "")
    os.utime(root / "b", (NORMAL, NORMAL))
    assert notes.digest(root) != before


def test_a_folder_that_may_get_a_name_at_the_same_time_is_not_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes()
    root = install(tmp_path / "a")
    settle(monkeypatch)
    monkeypatch.setattr(Sources, "newest_name", time.time_ns() + 10**12)
    notes.digest(root)
    assert not notes


def test_bytecode_that_is_kept_in_a_folder_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes()
    root = install(tmp_path / "a")
    before = settled_digest(notes, root, monkeypatch)
    (root / "b" / "__pycache__").mkdir()
    assert notes.digest(root) == before
    assert settled_digest(notes, root, monkeypatch) == before


def test_bytecode_of_what_a_file_was_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes()
    root, other = install(tmp_path / "a"), install(tmp_path / "other", 2)
    of_two = settled_digest(notes, other, monkeypatch)
    before = settled_digest(notes, root, monkeypatch)
    time.sleep(0.02)  # longer than a tick of the clock of files
    path = root / "b" / "c.py"
    kept = Path(py_compile.compile(str(path), doraise=True))
    assert notes.digest(root) == before
    for name in ("a.py", "b/c.py"):
        time.sleep(0.02)
        (root / name).write_text("NUMBER = 2\n")
        os.utime(root / name, (NORMAL, NORMAL))
    stale = settled_digest(notes, root, monkeypatch)
    assert notes.digest(root) == stale
    assert stale not in (before, of_two)
    kept.unlink()
    assert settled_digest(notes, root, monkeypatch) == of_two
    py_compile.compile(str(path), doraise=True)
    assert notes.digest(root) == of_two


@pytest.mark.parametrize("way", ["new", "in place", "by its name", "unchecked"])
def test_bytecode_of_another_installation_counts_when_python_runs_it(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is newer than its source, and names the size and the time that the source has."""
    notes = Notes()
    root, other = install(tmp_path / "a"), install(tmp_path / "other", 2)
    for folder in (root, other):
        os.utime(folder / "b" / "c.py", (NORMAL, NORMAL))
    mode = py_compile.PycInvalidationMode
    modes = {"unchecked": mode.UNCHECKED_HASH}
    theirs = py_compile.compile(
        str(other / "b" / "c.py"),
        doraise=True,
        invalidation_mode=modes.get(way, mode.TIMESTAMP),
    )
    ours = Path(py_compile.compile(str(root / "b" / "c.py"), doraise=True))
    if way == "new":
        ours.unlink()
    time.sleep(0.02)  # longer than a tick of the clock of files
    before = settled_digest(notes, root, monkeypatch)
    assert before == settled_digest(Notes(), install(tmp_path / "same"), monkeypatch)
    time.sleep(0.02)
    if way == "by its name":
        os.replace(theirs, ours)
    else:
        ours.write_bytes(Path(theirs).read_bytes())
    run = [sys.executable, "-c", "import c; print(c.NUMBER)"]
    assert subprocess.check_output(run, cwd=root / "b", text=True) == "2\n"
    stale = settled_digest(notes, root, monkeypatch)
    assert stale not in (before, settled_digest(notes, other, monkeypatch))
    assert notes.digest(root) == stale
    ours.unlink()
    assert settled_digest(notes, root, monkeypatch) == before


def test_bytecode_that_python_does_not_run_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes()
    root, other = install(tmp_path / "a"), install(tmp_path / "other", 2)
    os.utime(other / "b" / "c.py", (NORMAL + 1, NORMAL + 1))
    theirs = Path(py_compile.compile(str(other / "b" / "c.py"), doraise=True))
    before = settled_digest(notes, root, monkeypatch)
    (root / "b" / "__pycache__").mkdir()
    shutil.copy(theirs, root / "b" / "__pycache__")
    assert settled_digest(notes, root, monkeypatch) == before


def test_bytecode_is_compared_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To compile all sources of the package takes most of a second."""
    notes = Notes()
    root = install(tmp_path / "a")
    for name in ("a.py", "b/c.py"):
        py_compile.compile(str(root / name), doraise=True)
    compared: list[str] = []
    alike = compiler_sources._is_alike

    def watched(path: str, *given: bytes) -> bool:
        compared.append(Path(path).name)
        return alike(path, *given)

    monkeypatch.setattr(compiler_sources, "_is_alike", watched)
    before = settled_digest(notes, root, monkeypatch)
    assert compared == ["a.py", "c.py"]
    (root / "b" / "c.py").touch()
    py_compile.compile(str(root / "b" / "c.py"), doraise=True)
    assert settled_digest(notes, root, monkeypatch) == before
    assert compared == ["a.py", "c.py", "c.py"]


def test_installations_that_share_notes_have_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes()
    roots = [install(tmp_path / name, number) for number, name in enumerate("abc")]
    known = [settled_digest(notes, root, monkeypatch) for root in roots]
    assert len(set(known)) == len(notes) == 3
    assert [notes.digest(root) for root in roots] == known
    roots[0].rename(tmp_path / "other")
    roots[1].rename(roots[0])
    assert notes.digest(roots[0]) == known[1]


def test_files_that_changed_after_the_import_are_not_what_runs(tmp_path: Path) -> None:
    notes = Notes()
    root = install(tmp_path / "a")
    found = [notes.digest(root, time.time() - 60) for _ in range(2)]
    assert found[0] != found[1]
    assert not notes


def test_times_without_fractions_or_of_the_future_are_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = Notes()
    root = install(tmp_path / "a")
    settle(monkeypatch)
    for newest in (NORMAL * 10**9, time.time_ns() + 10**12 + 1):
        monkeypatch.setattr(Sources, "newest", newest)
        assert notes.digest(root) == sources(str(root)).contents()
        assert not notes


def test_a_compiler_without_files_shares_nothing(tmp_path: Path) -> None:
    for root in (tmp_path, tmp_path / "none", tmp_path / "a.zip" / "samebits"):
        assert Notes().digest(root) != Notes().digest(root)


PROGRAM = """
import sys
import samebits as sb
from samebits import float32, math
@sb.kernel
def k(x: float32, y: float32) -> float32:
    return x + y
@sb.kernel
def of_library(x: float32) -> float32:
    return math.rcp(x)
print(float(k(5.0, 3.0)), "samebits.frontend" in sys.modules, float(of_library(4.0)))
"""
EDITS = {
    "compiler": ("backend/lowering/float.py", '"fadd', '"fsub'),
    "library": ("mathlib/choices.py", "return 1.0 / x", "return 2.0 / x"),
}
FOUND = {
    "compiler": ["8.0 True 0.25", "2.0 True 0.25", "8.0 False 0.25"],
    # What reaches none of the library is found where the library alone is another.
    "library": ["8.0 True 0.25", "8.0 False 0.5", "8.0 False 0.25"],
}


@pytest.mark.parametrize("what", EDITS)
def test_two_packages_of_the_same_sizes_and_times_share_no_code_that_differs(
    tmp_path: Path, what: str
) -> None:
    (tmp_path / "k.py").write_text(PROGRAM)
    name_of_edited, old, new = EDITS[what]
    found: list[str] = []
    for name in ("one", "two", "one"):
        folder = tmp_path / name
        if not folder.exists():
            ignore = shutil.ignore_patterns("__pycache__")
            shutil.copytree(PACKAGE, folder / "samebits", ignore=ignore)
            path = folder / "samebits" / name_of_edited
            text = path.read_text()
            assert old in text
            assert len(old) == len(new)
            path.write_text(text.replace(old, new) if name == "two" else text)
            for file in folder.rglob("*.py"):
                os.utime(file, (NORMAL, NORMAL))
        environment = {**os.environ, "PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, str(tmp_path / "k.py")],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        found.append(done.stdout.strip())
    assert found == FOUND[what]


def test_what_may_be_of_the_library_is_noted_beside_it(tmp_path: Path) -> None:
    store = cache.ObjectCache(tmp_path)
    of_kernel, of_object = "a" * 40, "b" * 40
    store.put_front(of_kernel, of_object)
    assert store.get_front(of_kernel) == of_object
    store.put_front(of_kernel, of_object, by_library=True)
    assert store.get_front(of_kernel) == of_object
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(cache, "sources_fingerprint", lambda part: f"another {part}")
        assert store.get_front(of_kernel) is None
