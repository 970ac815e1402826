"""The object cache gives back what was put, or nothing; never a damaged or another's object."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import socket
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from samebits.backend.objects import CompiledObject, TrapSite
from samebits.backend.targets.table import TARGETS
from samebits.errors import Span
from samebits.runtime import cache
from samebits.runtime.cache import ObjectCache, digest, object_key

pytestmark = pytest.mark.filterwarnings("ignore:.* in the object cache is not used:RuntimeWarning")

SITE = TrapSite("index", Span("a é.py", "k", 3, 4, 3, 9), None)
OTHER = TrapSite("assert", Span("b.py", "k", 5, 0, 6, 1), 'say "x"')
OBJECT = CompiledObject(bytes(range(256)) * 4, (SITE, OTHER))
KEY = digest("one")


def entry_path(directory: Path, key: str = KEY) -> Path:
    return directory / key[:2] / f"{key}.object"


def test_an_object_comes_back_with_its_traps(tmp_path: Path) -> None:
    store = ObjectCache(tmp_path / "c")
    assert store.get(KEY) is None
    store.put(KEY, OBJECT)
    assert store.get(KEY) == OBJECT
    assert ObjectCache(tmp_path / "c").get(KEY) == OBJECT
    assert store.get(digest("two")) is None


def test_installations_that_share_entries_name_their_own_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both make the same key where a kernel of the library is compiled: it stands by name there."""

    def trap_of(file: str) -> CompiledObject:
        return CompiledObject(b"code", (TrapSite("assert", Span(file, "k", 1, 0, 1, 9), None),))

    store = ObjectCache(tmp_path / "c")
    monkeypatch.setattr(cache, "_PACKAGE", "/one/samebits/")
    store.put(KEY, trap_of("/one/samebits/mathlib/r.py"))
    store.put(digest("user"), trap_of("/one/game.py"))
    monkeypatch.setattr(cache, "_PACKAGE", "/two/samebits/")
    assert store.get(KEY) == trap_of("/two/samebits/mathlib/r.py")
    assert store.get(digest("user")) == trap_of("/one/game.py")


def test_truncation_at_every_byte_is_seen_and_a_new_put_replaces_it(tmp_path: Path) -> None:
    store = ObjectCache(tmp_path / "c")
    store.put(KEY, OBJECT)
    path = entry_path(store.directory)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert store.get(KEY) is None
    store.put(KEY, OBJECT)
    assert store.get(KEY) == OBJECT


def test_a_change_of_any_bit_is_seen(tmp_path: Path) -> None:
    whole = cache.pack(KEY, OBJECT)
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << position % 8
        assert cache.unpack(KEY, bytes(damaged)) is None
    assert cache.unpack(KEY, whole + b"\0") is None


def test_one_keys_entry_under_another_key_is_not_believed(tmp_path: Path) -> None:
    store = ObjectCache(tmp_path / "c")
    store.put(KEY, OBJECT)
    other = digest("two")
    target = entry_path(store.directory, other)
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(entry_path(store.directory).read_bytes())
    assert store.get(other) is None


def test_the_front_index_leads_from_source_to_object(tmp_path: Path) -> None:
    store = ObjectCache(tmp_path / "c")
    source = digest("source")
    assert store.get_front(source) is None
    store.put_front(source, KEY)
    assert store.get_front(source) == KEY
    path = store.directory / source[:2] / f"{source}.front"
    path.write_bytes(path.read_bytes().replace(KEY[:4].encode(), b"0000"))
    assert store.get_front(source) is None
    path.write_bytes(b"\xff" * 100)
    assert store.get_front(source) is None


def _longer(path: Path) -> None:
    os.truncate(path, 3 << 30)  # sparse


def _socket(path: Path) -> None:
    path.unlink()
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def _linked(path: Path) -> None:
    path.rename(path.with_suffix(".away"))
    path.symlink_to(path.with_suffix(".away"))


@pytest.mark.skipif(sys.platform == "win32", reason="the files are those of POSIX systems")
@pytest.mark.parametrize("kind", ["object", "front", "sources"])
@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-1]), "it is damaged"),
        (lambda path: path.write_bytes(b""), "it is damaged"),
        (lambda path: path.write_bytes(path.read_bytes() + b"0"), "it is damaged"),
        (_longer, "it has more than [0-9,]+ bytes"),
        (_socket, "it is no file of this user's alone"),
        (_linked, "it is no file of this user's alone"),
    ],
)  # fmt: skip
def test_whatever_is_refused_is_said(
    change: Callable[[Path], None], why: str, kind: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)  # a socket's path is short
    store = ObjectCache(Path("c"))
    methods: dict[str, tuple[Any, Any, Any]] = {
        "object": (store.put, store.get, OBJECT),
        "front": (store.put_front, store.get_front, digest("two")),
        "sources": (store.put_sources, store.get_sources, digest("two")),
    }
    put, get, entry = methods[kind]
    put(KEY, entry)
    change(Path("c", KEY[:2], f"{KEY}.{kind}"))
    with pytest.warns(RuntimeWarning, match=rf"{KEY}\.{kind} in the object cache .*: {why};"):
        assert get(KEY) is None
    put(KEY, entry)
    assert get(KEY) == entry


def test_keys_that_are_no_digests_are_refused(tmp_path: Path) -> None:
    for key in ("", "../../x", "A" * 40, "a" * 65):
        with pytest.raises(ValueError, match="hexadecimal digits"):
            ObjectCache(tmp_path).get(key)


def test_the_longest_unused_entries_leave_when_the_limit_is_passed(tmp_path: Path) -> None:
    size = len(cache.pack(KEY, OBJECT))
    store = ObjectCache(tmp_path / "c", size_limit=3 * max(size, 4096))
    store._puts = itertools.count(1)  # a store begins anywhere between two sweeps of its own
    keys = [digest(str(n)) for n in range(5)]
    for age, key in enumerate(keys):
        store.put(key, OBJECT)
        os.utime(entry_path(store.directory, key), (1000 + age, 1000 + age))
    assert store.get(keys[0]) == OBJECT  # used again
    store.sweep()
    assert [store.get(key) is not None for key in keys] == [True, False, False, True, True]


def test_puts_of_all_processes_sweep_once_a_minute(tmp_path: Path) -> None:
    def put() -> bool:
        """Whether it is there still; the store begins with a sweep, if one is due."""
        store = ObjectCache(tmp_path / "c", size_limit=0)
        store._puts = itertools.count(0)
        store.put(KEY, OBJECT)
        return store.get(KEY) is not None

    assert not put()
    assert put()
    latest = tmp_path / "c" / "00" / "swept"
    for then in (time.time() - 100, time.time() + 100):
        os.utime(latest, (then, then))
        assert not put()
        assert put()


def test_abandoned_part_files_are_swept_and_fresh_ones_left(tmp_path: Path) -> None:
    store = ObjectCache(tmp_path / "c")
    store.put(KEY, OBJECT)
    folder = entry_path(store.directory).parent
    old, new = folder / f"{'a' * 16}.part", folder / f"{'b' * 16}.part"
    old.write_bytes(b"x")
    new.write_bytes(b"x")
    os.utime(old, (1, 1))
    store.sweep()
    assert not old.exists()
    assert new.exists()


def _put_many(directory: Path) -> None:
    store = ObjectCache(directory)
    for n in range(100):
        store.put(digest(str(n % 5)), OBJECT)
        assert store.get(digest(str(n % 5))) == OBJECT


def test_concurrent_writers_leave_whole_entries(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_put_many, args=(tmp_path / "c",)) for _ in range(2)]
    for worker in workers:
        worker.start()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(_put_many, [tmp_path / "c"] * 4))
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert not list((tmp_path / "c").glob("*/*.part"))


def test_a_place_that_cannot_be_written_warns_once_and_works(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    store = ObjectCache(blocked / "c")
    with pytest.warns(RuntimeWarning, match=r"compiled kernels are not kept in .*set_cache_dir"):
        store.put(KEY, OBJECT)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        store.put(KEY, OBJECT)
        assert store.get(KEY) is None


def test_a_full_disk_leaves_no_part_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ObjectCache(tmp_path / "c")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(RuntimeWarning, match="No space left on device"):
        store.put(KEY, OBJECT)
    assert not [path for path in store.directory.rglob("*") if path.is_file()]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions are POSIX's")
def test_a_directory_that_others_can_write_is_not_believed(tmp_path: Path) -> None:
    store = ObjectCache(tmp_path / "c")
    store.put(KEY, OBJECT)
    store.directory.chmod(0o777)
    again = ObjectCache(store.directory)
    with pytest.warns(RuntimeWarning, match="other users can write to it"):
        assert again.get(KEY) is None


def test_the_key_covers_text_entries_mode_target_and_level() -> None:
    v1, v3 = TARGETS["x86-64-v1"], TARGETS["x86-64-v3"]
    keys = [
        object_key("ir", ["a"], "STRICT", v1, 3),
        object_key("ir ", ["a"], "STRICT", v1, 3),
        object_key("ir", ["b"], "STRICT", v1, 3),
        object_key("ir", ["a"], "FAST", v1, 3),
        object_key("ir", ["a"], "STRICT", v3, 3),
        object_key("ir", ["a"], "STRICT", v1._replace(features="+avx"), 3),
        object_key("ir", ["a"], "STRICT", v1, 0),
    ]
    assert len(set(keys)) == len(keys)
    assert object_key("ir", ["a"], "STRICT", v1, 3) == keys[0]


def test_the_place_follows_the_users_cache_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.user_cache_directory() == tmp_path / "samebits"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache.user_cache_directory() == Path.home() / ".cache" / "samebits"


@pytest.mark.skipif(sys.platform != "linux", reason="platformdirs says it elsewhere")
@pytest.mark.parametrize("cache_home", ["/a/b", "/a/b/", "a", "", None])
@pytest.mark.parametrize("home", ["/h", "/h/", "h", "", None])
def test_the_place_is_the_one_that_platformdirs_says(
    monkeypatch: pytest.MonkeyPatch, cache_home: str | None, home: str | None
) -> None:
    from platformdirs import user_cache_path

    for name, value in (("XDG_CACHE_HOME", cache_home), ("HOME", home)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    said = user_cache_path("samebits", appauthor=False, opinion=False)
    assert cache.user_cache_directory() == said


def test_the_setting_chooses_a_place_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache._Setting, "chosen", cache._Setting.UNSET)
    default = cache.current_cache()
    assert default is not None
    assert default.directory == cache.user_cache_directory() / "objects"
    cache.set_cache_dir(tmp_path)
    chosen = cache.current_cache()
    assert chosen is not None
    assert chosen.directory == tmp_path
    cache.set_cache_dir(None)
    assert cache.current_cache() is None


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"\x01",
        b"\x01\0\0\0",
        cache._pack_texts(["x", "0"]),
        cache._pack_texts(["0", "-1", "a"]),
        cache._pack_texts(["1", "0", "index"]),
        cache._pack_texts(["99999999999", "0"]),
        cache._pack_texts([" 0", "0"]),
        cache._pack_texts(["0", "0"]) + b"\xff\0\0\0a",
        cache._pack_texts(["0", "0"]) + b"\x01\0\0\0\xff",
    ],
)
def test_a_head_that_no_compiler_made_is_a_miss(head: bytes) -> None:
    checksum = cache._checksum("k", len(head), head + b"object")
    data = cache._MAGIC + cache._HEAD.pack(checksum, len(head)) + head + b"object"
    assert cache.unpack("k", data) is None


def test_small_entries_count_as_what_they_take_on_a_disk(tmp_path: Path) -> None:
    store = ObjectCache(tmp_path / "c", size_limit=8 * 4096)
    keys = [digest(str(n)) for n in range(20)]
    for key in keys:
        store.put_front(key, key)
    store.sweep()
    assert sum(store.get_front(key) is not None for key in keys) == 8
