"""No stale answer: whatever a kernel was made from changes, the cache on disk is asked anew."""

from __future__ import annotations

import gc
import importlib
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.support.levels import LOWEST

import samebits as sb
from samebits import float32
from samebits.runtime import cache
from samebits.runtime.compile import compile_native

pytestmark = pytest.mark.filterwarnings("ignore:.* in the object cache is not used:RuntimeWarning")

HEAD = "import samebits as sb\nfrom samebits import float3, float32\n"
TWICE = "@sb.kernel\ndef k(x: float32) -> float32:\n    return x * 2\n"
THRICE = TWICE.replace("* 2", "* 3")


@sb.kernel
def same(x: float32) -> float32:
    return x


class Project:
    """Modules in a folder of their own, imported as a new process would import them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._age = 0

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(HEAD + textwrap.dedent(text))
        self._age += 1
        os.utime(path, (1_000_000_000 + self._age, 1_000_000_000 + self._age))

    def load(self, name: str = "hostile_m") -> Any:
        for known in [n for n in sys.modules if n.startswith("hostile_")]:
            del sys.modules[known]
        gc.collect()  # symbols are numbered while a kernel of the same name lives
        importlib.invalidate_caches()
        return importlib.import_module(name)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    same(1.0)  # what the first call of a process makes is kept elsewhere
    monkeypatch.setattr(cache._Setting, "chosen", cache.ObjectCache(tmp_path / "cache"))
    (tmp_path / "src").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path / "src"))
    yield Project(tmp_path / "src")
    for known in [n for n in sys.modules if n.startswith("hostile_")]:
        del sys.modules[known]


def answer(module: Any, *args: Any) -> float:
    """One call of `k` compiled; it must be what it is managed."""
    found = float(module.k(*args))
    assert found == float(module.k.managed(*args))
    return found


CHANGES: dict[str, tuple[str, str, str, str]] = {
    "module_constant": (
        "hostile_m.py", "G = {}\n@sb.kernel\ndef k(x: float32) -> float32:\n    return x * G\n",
        "2.0", "3.0",
    ),
    "numpy_constant": (
        "hostile_m.py",
        "G = float32({})\n@sb.kernel\ndef k(x: float32) -> float32:\n    return x * G\n",
        "2.0", "3.0",
    ),
    "vector_constant": (
        "hostile_m.py",
        "G = float3(1, 1, {})\n@sb.kernel\ndef k(x: float32) -> float32:\n    return x * G.z\n",
        "2", "3",
    ),
    "constant_of_a_module": ("hostile_c.py", "G = {}\n", "2.0", "3.0"),
    "constant_of_a_module_in_a_package": ("hostile_p/c.py", "G = {}\n", "2.0", "3.0"),
    "callee_of_a_module": (
        "hostile_c.py", "@sb.kernel\ndef f(x: float32) -> float32:\n    return x * {}\n", "2", "3",
    ),
    "callee_of_a_module_in_a_package": (
        "hostile_p/c.py", "@sb.kernel\ndef f(x: float32) -> float32:\n    return x * {}\n",
        "2", "3",
    ),
    "default": (
        "hostile_m.py",
        "@sb.kernel\ndef f(x: float32, g: float32 = {}) -> float32:\n    return x * g\n"
        "@sb.kernel\ndef k(x: float32) -> float32:\n    return f(x)\n",
        "2.0", "3.0",
    ),
    "table": (
        "hostile_m.py",
        "T = sb.table([{}, 1], float32)\n"
        "@sb.kernel\ndef k(x: float32) -> float32:\n    return x * T[0]\n",
        "2", "3",
    ),
    "closure": (
        "hostile_m.py",
        "def make(g):\n    @sb.kernel\n    def k(x: float32) -> float32:\n        return x * g\n"
        "    return k\nk = make({})\n",
        "2.0", "3.0",
    ),
    "method": (
        "hostile_m.py",
        "@sb.struct\nclass S:\n    a: float32\n    def get(self) -> float32:\n"
        "        return self.a * {}\n"
        "@sb.kernel\ndef k(x: float32) -> float32:\n    s = S(a=x)\n    return s.get()\n",
        "2", "3",
    ),
}  # fmt: skip
READERS = {
    "constant_of_a_module":
        "import hostile_c\n@sb.kernel\ndef k(x: float32) -> float32:\n    return x * hostile_c.G\n",
    "constant_of_a_module_in_a_package":
        "import hostile_p.c\n@sb.kernel\n"
        "def k(x: float32) -> float32:\n    return x * hostile_p.c.G\n",
    "callee_of_a_module":
        "import hostile_c\n@sb.kernel\ndef k(x: float32) -> float32:\n    return hostile_c.f(x)\n",
    "callee_of_a_module_in_a_package":
        "import hostile_p.c\n@sb.kernel\n"
        "def k(x: float32) -> float32:\n    return hostile_p.c.f(x)\n",
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen_by_the_next_process(project: Project, change: str) -> None:
    file, text, one, two = CHANGES[change]
    if change in READERS:
        project.write("hostile_p/__init__.py", "")
        project.write("hostile_m.py", READERS[change])
    found: list[float] = []
    for value in (one, two, one):
        project.write(file, text.format(value))
        found.append(answer(project.load(), 1.0))
    assert found == [float(one), float(two), float(one)]


def test_the_sign_of_a_zero_is_a_change(project: Project) -> None:
    text = "Z = {}\n@sb.kernel\ndef k(x: float32) -> float32:\n    return sb.copysign(x, Z)\n"
    found: list[float] = []
    for zero in ("0.0", "-0.0"):
        project.write("hostile_m.py", text.format(zero))
        found.append(answer(project.load(), 1.0))
    assert found == [1.0, -1.0]


def test_a_structs_new_layout_is_a_change(project: Project) -> None:
    text = (
        "@sb.struct\nclass S:\n    {}: float32\n    {}: float32\n"
        "@sb.kernel\ndef k(s: S) -> float32:\n    return s.a\n"
    )
    for first, second in ("ab", "ba"):
        project.write("hostile_m.py", text.format(first, second))
        module = project.load()
        assert answer(module, module.S(a=1, b=2)) == 1.0


def test_a_file_edited_after_its_import_runs_as_imported(project: Project) -> None:
    project.write("hostile_m.py", TWICE)
    module = project.load()
    project.write("hostile_m.py", THRICE)
    assert answer(module, 1.0) == 2.0
    assert answer(project.load(), 1.0) == 3.0
    project.write("hostile_m.py", TWICE)
    assert answer(project.load(), 1.0) == 2.0


def test_a_reloaded_module_runs_its_new_text(project: Project) -> None:
    project.write("hostile_m.py", TWICE)
    module = project.load()
    before = module.k
    assert answer(module, 1.0) == 2.0
    project.write("hostile_m.py", "\n\n" + THRICE)
    importlib.reload(module)
    assert answer(module, 1.0) == 3.0
    assert float(before(1.0)) == float(before.managed(1.0)) == 2.0


@pytest.mark.parametrize("place", ["module", "package"])
def test_what_is_read_of_modules_is_frozen_once_for_every_execution(
    project: Project, place: str
) -> None:
    constants, reader = ("hostile_c", "hostile_c") if place == "module" else (
        "hostile_p.c", "hostile_p.c")  # fmt: skip
    project.write("hostile_p/__init__.py", "")
    project.write(constants.replace(".", "/") + ".py", "G = 2.0\n")
    project.write(
        "hostile_m.py",
        f"import {constants}\n@sb.kernel\ndef f(x: float32) -> float32:\n"
        f"    return x * {reader}.G\n"
        "@sb.kernel\ndef k(x: float32) -> float32:\n    return f(x)\n",
    )
    module = project.load()
    assert float(module.f(1.0)) == 2.0
    sys.modules[constants].G = 5.0  # type: ignore[attr-defined]
    assert float(module.f.managed(1.0)) == 2.0
    assert answer(module, 1.0) == 2.0
    sb.assert_same_bits(module.k, 1.0, targets=[LOWEST])
    project.write(constants.replace(".", "/") + ".py", "G = 5.0\n")
    assert answer(project.load(), 1.0) == 5.0
    sb.assert_same_bits(project.load().k, 1.0, targets=[LOWEST])


def _damage(path: Path, change: Callable[[bytes], bytes]) -> None:
    path.write_bytes(change(path.read_bytes()))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:],
        lambda data: data[::-1],
        lambda data: data + data,
        lambda data: b"\0" * len(data),
    ],
    ids=["empty", "shorter", "half", "bit", "reversed", "doubled", "zeros"],
)
def test_damaged_entries_cost_a_compilation_and_are_replaced(
    project: Project, tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    project.write("hostile_m.py", TWICE)
    assert answer(project.load(), 1.0) == 2.0
    kept = list((tmp_path / "cache").rglob("*.*"))  # a sweep's stamp may lie beside them
    assert {p.suffix for p in kept} == {".object", ".front"}
    whole = {p: p.read_bytes() for p in kept}
    for path in kept:
        _damage(path, change)
    assert answer(project.load(), 1.0) == 2.0
    assert {p: p.read_bytes() for p in kept} == whole


def test_one_kernels_entry_under_anothers_name_is_not_run(project: Project, tmp_path: Path) -> None:
    project.write("hostile_m.py", TWICE)
    assert answer(project.load(), 1.0) == 2.0
    first = {p.suffix: p.read_bytes() for p in (tmp_path / "cache").rglob("*.*")}
    project.write("hostile_m.py", THRICE)
    assert answer(project.load(), 1.0) == 3.0
    for path in (tmp_path / "cache").rglob("*.*"):
        path.write_bytes(first[path.suffix])
    assert answer(project.load(), 1.0) == 3.0


def test_folders_where_files_belong_cost_only_a_compilation(
    project: Project, tmp_path: Path
) -> None:
    project.write("hostile_m.py", TWICE)
    assert answer(project.load(), 1.0) == 2.0
    for path in list((tmp_path / "cache").rglob("*.*")):
        path.unlink()
        path.mkdir()
    with pytest.warns(RuntimeWarning, match="it is no file of this user's alone") as told:
        assert answer(project.load(), 1.0) == 2.0
    assert len(told) == 1


@pytest.mark.filterwarnings("default::RuntimeWarning")
def test_a_bad_entry_is_said_once_at_the_users_own_line(project: Project, tmp_path: Path) -> None:
    project.write("hostile_m.py", TWICE)
    assert answer(project.load(), 1.0) == 2.0
    (entry,) = (tmp_path / "cache").rglob("*.object")
    module = project.load()
    entry.write_bytes(entry.read_bytes()[:-1])
    with pytest.warns(RuntimeWarning, match="is not used: it is damaged; the kernel is") as told:
        assert answer(module, 1.0) == 2.0
    (warning,) = told
    assert str(entry) in str(warning.message)
    assert warning.filename == __file__
    assert answer(project.load(), 1.0) == 2.0  # mended, and so not said again


def test_another_version_of_the_compiler_takes_no_entry(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("hostile_m.py", TWICE)
    assert answer(project.load(), 1.0) == 2.0
    before = {p for p in (tmp_path / "cache").rglob("*.object")}
    monkeypatch.setattr(cache, "compiler_fingerprint", lambda: "another")
    assert answer(project.load(), 1.0) == 2.0
    assert len(set((tmp_path / "cache").rglob("*.object")) - before) == 1


def test_targets_and_levels_do_not_share_entries(project: Project, tmp_path: Path) -> None:
    from samebits.backend.llvm import engine

    project.write("hostile_m.py", TWICE)
    module: ModuleType = project.load()
    rows = [level.target for level in engine.available_targets() if level.reason is None]
    for target in rows:
        for opt in (0, 3):
            assert compile_native(module.k, module.k.fixed_types, target, opt)(1.0) == 2.0
    noted = [path.read_text().split()[0] for path in (tmp_path / "cache").rglob("*.front")]
    objects = [key for key in noted if key != cache._BY_LIBRARY]
    assert len(objects) == len(set(objects)) == 2 * len(rows)


def test_a_warm_start_still_finds_its_entry(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("hostile_m.py", TWICE)
    assert answer(project.load(), 1.0) == 2.0
    monkeypatch.setattr("samebits.runtime.compile._request", None)
    assert float(project.load().k(1.0)) == 2.0
