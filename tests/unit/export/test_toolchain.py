"""What zig has compiled is kept where nobody else can put something else, or nowhere."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from samebits.export import toolchain

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes are POSIX's")


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment that zig was last given, with the user's caches in a folder of the test."""
    given: dict[str, str] = {}

    def run(*_: Any, env: dict[str, str], **__: Any) -> Any:
        given.update(env)
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(toolchain, "require_zig", lambda: None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "caches"))
    toolchain._libraries.cache_clear()
    yield given
    toolchain._libraries.cache_clear()


def test_zig_keeps_its_libraries_in_a_folder_of_this_user(
    told: dict[str, str], tmp_path: Path
) -> None:
    toolchain.zig(tmp_path, ["cc"])
    kept = Path(told["ZIG_GLOBAL_CACHE_DIR"])
    assert (kept.parent.name, kept.name) == ("samebits", "zig")
    assert kept.stat().st_mode & 0o777 == 0o700
    assert told["ZIG_LOCAL_CACHE_DIR"] == str(tmp_path / "zig")


def test_zig_keeps_nothing_where_others_could_change_it(
    told: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "caches").mkdir()
    os.chmod(tmp_path / "caches", 0o777)
    with pytest.warns(RuntimeWarning, match=r"cache of zig's libraries .* compiles them anew"):
        toolchain.zig(tmp_path, ["cc"])
    assert told["ZIG_GLOBAL_CACHE_DIR"] == told["ZIG_LOCAL_CACHE_DIR"] == str(tmp_path / "zig")
    assert not (tmp_path / "caches" / "samebits").exists()


def test_zig_keeps_nothing_where_there_is_no_place(told: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "caches").write_text("a file")
    toolchain.zig(tmp_path, ["cc"])
    assert told["ZIG_GLOBAL_CACHE_DIR"] == str(tmp_path / "zig")
