"""Compiled code comes from folders that nobody else can write to, or from nowhere."""

from __future__ import annotations

import os
import stat
import struct
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.interrupting import at_each
from tests.support.limits import HANG_SECONDS

from samebits.backend.objects import CompiledObject
from samebits.runtime.cache import ObjectCache, digest, pack
from samebits.runtime.objects import own_folder

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes are POSIX's"),
    pytest.mark.filterwarnings("ignore:.* in the object cache is not used:RuntimeWarning"),
]
as_root = pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="needs root to be another user as well"
)

OTHER = 54321
KEY = digest("one")
OURS = CompiledObject(b"ours", ())
THEIRS = CompiledObject(b"theirs", ())


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that other users may enter, as pytest's own is not."""
    with tempfile.TemporaryDirectory(prefix="samebits-test-") as folder:
        os.chmod(folder, 0o755)
        yield Path(os.path.realpath(folder))


def entry(directory: Path, key: str = KEY) -> Path:
    return directory / key[:2] / f"{key}.object"


def filled(directory: Path) -> ObjectCache:
    store = ObjectCache(directory)
    store.put(KEY, OURS)
    assert store.get(KEY) == OURS
    return store


def poison(directory: Path) -> None:
    """What an attacker does: an entry that is whole, under a key that anybody can compute."""
    path = entry(directory)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pack(KEY, THEIRS))


def as_other_user(act: Callable[[], Any]) -> None:
    """Do something in a process of another user."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
        child = os.fork()
    if not child:
        code = 1
        try:
            os.setgroups([])
            os.setgid(OTHER)
            os.setuid(OTHER)
            act()
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def refused(directory: Path, said: str) -> None:
    """The cache there is neither read nor written, and says so once."""
    before = sorted(directory.rglob("*"))
    store = ObjectCache(directory)
    with pytest.warns(RuntimeWarning, match=said) as caught:
        assert store.get(KEY) is None
    assert "sb.set_cache_dir(path) chooses another place" in str(caught[0].message)
    store.put(digest("another"), OURS)
    store.sweep()
    assert sorted(directory.rglob("*")) == before


@as_root
def test_a_folder_renamed_by_another_user_is_not_believed(place: Path) -> None:
    shared = place / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    directory = shared / "cache"
    store = ObjectCache(directory)
    with pytest.warns(RuntimeWarning, match=f"other users can write to {shared}; `chmod go-w "):
        store.put(KEY, OURS)
    directory.mkdir(0o700, exist_ok=True)

    def attack() -> None:
        os.rename(directory, shared / "away")
        poison(directory)
        os.chmod(directory, 0o755)

    as_other_user(attack)
    assert store.get(KEY) is None


@as_root
def test_a_folder_made_first_by_another_user_is_not_believed(place: Path) -> None:
    shared = place / "tmp"
    shared.mkdir()
    shared.chmod(0o1777)
    directory = shared / "samebits" / "objects"
    as_other_user(lambda: poison(directory))
    refused(directory, f"{shared}/samebits belongs to user {OTHER}")


@as_root
def test_a_link_of_another_user_is_not_followed(place: Path) -> None:
    shared = place / "tmp"
    shared.mkdir()
    shared.chmod(0o1777)
    filled(place / "own")
    as_other_user(lambda: (shared / "cache").symlink_to(place / "own"))
    refused(shared / "cache", f"it belongs to user {OTHER}")
    refused(shared / "cache" / "below", f"{shared}/cache belongs to user {OTHER}")
    assert not (place / "own" / "below").exists()


@as_root
def test_entries_and_groups_of_another_user_are_not_read(place: Path) -> None:
    directory = place / "cache"
    store = filled(directory)
    os.chown(entry(directory), OTHER, OTHER)
    assert store.get(KEY) is None
    store.put(KEY, OURS)
    assert store.get(KEY) == OURS
    os.chown(entry(directory).parent, OTHER, OTHER)
    assert store.get(KEY) is None


@pytest.mark.parametrize("mode", [0o777, 0o757, 0o775])
def test_nobody_else_may_write_anywhere_on_the_way(
    tmp_path: Path, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_folder, "_is_alone", lambda gid: False)
    directory = tmp_path / "a" / "b" / "c"
    filled(directory)
    for folder in (directory, directory.parent, directory.parent.parent):
        folder.chmod(mode)
        own = "it" if folder == directory else str(folder)
        refused(directory, f"other users can write to {own}; `chmod go-w {folder}` fixes that")
        folder.chmod(0o755)
    assert ObjectCache(directory).get(KEY) == OURS


def test_a_users_private_group_is_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path / "a" / "cache")
    (tmp_path / "a").chmod(0o775)
    monkeypatch.setattr(own_folder, "_is_alone", lambda gid: gid == (tmp_path / "a").stat().st_gid)
    assert ObjectCache(tmp_path / "a" / "cache").get(KEY) == OURS
    (tmp_path / "a").chmod(0o777)
    refused(tmp_path / "a" / "cache", "other users can write to")


def test_a_group_with_anybody_else_in_it_is_not_private(monkeypatch: pytest.MonkeyPatch) -> None:
    import grp
    import pwd

    user = SimpleNamespace(pw_name="ann", pw_gid=1000)
    monkeypatch.setattr(pwd, "getpwuid", lambda uid: user)
    monkeypatch.setattr(pwd, "getpwall", lambda: [user])
    for name, members, alone in (
        ("ann", [], True), ("ann", ["ann"], True), ("ann", ["bob"], False), ("users", [], False),
    ):  # fmt: skip
        group = SimpleNamespace(gr_name=name, gr_mem=members)
        monkeypatch.setattr(grp, "getgrgid", lambda gid, group=group: group)
        assert own_folder._is_alone(1000) == alone
        assert not own_folder._is_alone(1001)
    # The group that is another user's own has that user in it, listed or not.
    group = SimpleNamespace(gr_name="ann", gr_mem=[])
    monkeypatch.setattr(grp, "getgrgid", lambda gid: group)
    for gid, alone in ((1000, False), (1001, True)):
        others = [user, SimpleNamespace(pw_name="bob", pw_gid=gid)]
        monkeypatch.setattr(pwd, "getpwall", lambda others=others: others)
        assert own_folder._is_alone(1000) == alone


def listed(user: int) -> bytes:
    """An access control list as Linux stores it: all rights for the owner and for one user more."""
    everybody = 0xFFFF_FFFF
    rows = [(1, 7, everybody), (2, 7, user), (4, 0, everybody), (16, 7, everybody),
            (32, 5, everybody)]  # fmt: skip
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *row) for row in rows)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="lists are set as Linux stores them")
@pytest.mark.parametrize("which", ["cache", "", "cache/group"])
def test_a_list_that_lets_another_user_write_is_not_taken_for_a_private_group(
    place: Path, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    monkeypatch.setattr(own_folder, "_is_alone", lambda gid: True)
    directory = place / "a" / "cache"
    filled(directory)
    folder = entry(directory).parent if which.endswith("group") else place / "a" / which
    folder.chmod(0o775)
    assert ObjectCache(directory).get(KEY) == OURS
    try:
        os.setxattr(folder, "system.posix_acl_access", listed(OTHER))
    except OSError:
        pytest.skip("the file system has no access control lists")
    assert folder.stat().st_mode & 0o020
    if which.endswith("group"):
        assert ObjectCache(directory).get(KEY) is None
    else:
        refused(directory, "other users can write to")


def test_what_others_call_a_folder_does_not_reach_the_terminal(place: Path) -> None:
    directory = place / "m\x1b[31m" / "cache\udcff"
    filled(directory)
    directory.parent.chmod(0o777)
    with pytest.warns(RuntimeWarning) as told:
        assert ObjectCache(directory).get(KEY) is None
    (warning,) = told
    text = str(warning.message)
    assert "\\u001b[31m" in text
    assert "\\udcff" in text
    assert text.isprintable()


def test_a_sticky_folder_on_the_way_is_no_danger_and_as_the_cache_it_is(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp").chmod(0o1777)
    filled(tmp_path / "tmp" / "cache")
    refused(tmp_path / "tmp", "other users can write to it")


def test_all_belongs_to_another_user_where_this_one_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path / "cache")
    owner = tmp_path.stat().st_uid
    for call in ("getuid", "geteuid"):
        monkeypatch.setattr(os, call, lambda: owner + 1)
    refused(tmp_path / "cache", r"belongs to user ")
    monkeypatch.setattr(os, "getuid", lambda: owner)
    refused(tmp_path / "cache", "this process has two users' rights")


@pytest.mark.parametrize("call", ["stat", "fstat"])
def test_what_cannot_be_asked_is_no(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    filled(tmp_path / "cache")

    def fail(*_: object, **__: object) -> Any:
        raise PermissionError(13, "Permission denied")

    store = ObjectCache(tmp_path / "cache")
    with monkeypatch.context() as patch:
        patch.setattr(os, call, fail)
        assert store.get(KEY) is None
    assert store.get(KEY) == OURS


def test_own_links_are_followed_and_loops_end(tmp_path: Path) -> None:
    filled(tmp_path / "own" / "cache")
    (tmp_path / "absolute").symlink_to(tmp_path / "own")
    (tmp_path / "relative").symlink_to("x/../absolute/../own/./cache")
    (tmp_path / "x").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    assert ObjectCache(tmp_path / "absolute" / "cache").get(KEY) == OURS
    store = ObjectCache(tmp_path / "relative")
    assert [store.get(KEY), store.get(KEY)] == [OURS, OURS]
    assert ObjectCache(tmp_path / "loop").get(KEY) is None
    with pytest.warns(RuntimeWarning, match="Too many levels of symbolic links"):
        ObjectCache(tmp_path / "loop").put(KEY, OURS)


def test_a_link_as_an_entry_or_a_group_is_not_followed(tmp_path: Path) -> None:
    store = filled(tmp_path / "cache")
    path = entry(tmp_path / "cache")
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert store.get(KEY) is None
    store.put(KEY, THEIRS)
    assert store.get(KEY) == THEIRS
    assert (tmp_path / "elsewhere").read_bytes() == pack(KEY, OURS)
    path.parent.rename(tmp_path / "group")
    path.parent.symlink_to(tmp_path / "group")
    assert store.get(KEY) is None


def test_a_pipe_as_an_entry_costs_a_compilation_and_is_replaced(tmp_path: Path) -> None:
    store = filled(tmp_path / "cache")
    path = entry(tmp_path / "cache")
    path.unlink()
    os.mkfifo(path)
    found: list[object] = []
    reader = threading.Thread(target=lambda: found.append(store.get(KEY)), daemon=True)
    reader.start()
    reader.join(HANG_SECONDS)
    if reader.is_alive():
        os.close(os.open(path, os.O_WRONLY))  # lets it go
    assert found == [None]
    store.put(KEY, OURS)
    assert store.get(KEY) == OURS


def test_entries_that_others_may_write_are_not_read(tmp_path: Path) -> None:
    store = filled(tmp_path / "cache")
    for mode in (0o620, 0o602):
        entry(tmp_path / "cache").chmod(mode)
        assert store.get(KEY) is None
    entry(tmp_path / "cache").chmod(0o644)
    assert store.get(KEY) == OURS


def test_a_folder_that_is_exchanged_is_verified_anew(tmp_path: Path) -> None:
    directory = tmp_path / "cache"
    store = filled(directory)
    directory.rename(tmp_path / "old")
    poison(directory)
    directory.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="other users can write to it"):
        assert store.get(KEY) is None
    directory.chmod(0o700)
    assert store.get(KEY) == THEIRS
    directory.chmod(0o777)
    assert store.get(KEY) is None


def test_a_folder_that_is_removed_is_made_again(tmp_path: Path) -> None:
    import shutil

    store = filled(tmp_path / "a" / "cache")
    shutil.rmtree(tmp_path / "a")
    assert store.get(KEY) is None
    store.put(KEY, OURS)
    assert store.get(KEY) == OURS
    for folder in (tmp_path / "a", tmp_path / "a" / "cache"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry(tmp_path / "a" / "cache").stat().st_mode) == 0o600


def test_a_sweep_leaves_alone_what_is_no_entry(tmp_path: Path) -> None:
    mine = [tmp_path / "ab" / "notes.txt", tmp_path / "ab" / "old.part", tmp_path / "cd" / KEY]
    for path in mine:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x" * 1000)
        os.utime(path, (1, 1))
    store = ObjectCache(tmp_path, size_limit=0)
    store.put(KEY, OURS)
    store.sweep()
    assert all(path.exists() for path in mine)
    assert store.get(KEY) is None


def test_names_that_no_system_takes_are_reported(tmp_path: Path) -> None:
    for name in ("a\0b", "a\ud800", "n" * 300, "file/below"):
        (tmp_path / "file").touch()
        store = ObjectCache(tmp_path / name)
        assert store.get(KEY) is None
        with pytest.warns(RuntimeWarning, match="compiled kernels are not kept"):
            store.put(KEY, OURS)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts in /proc")
def test_an_interrupt_at_any_bytecode_leaves_no_descriptor_open(tmp_path: Path) -> None:
    store, before = filled(tmp_path / "cache"), os.listdir("/proc/self/fd")

    def used() -> None:
        # What has not been verified yet is walked to; an entry that is there is written again.
        for one in (ObjectCache(tmp_path / "cache"), store):
            one.get(KEY)
            one.put(KEY, OURS)

    def check() -> None:
        assert os.listdir("/proc/self/fd") == before

    assert at_each(used, check, destructors=False) > 5


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts in /proc")
def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    store = filled(tmp_path / "cache")
    path = entry(tmp_path / "cache")
    before = os.listdir("/proc/self/fd")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for make in (os.mkdir, os.mkfifo, lambda p: os.symlink("x", p), lambda p: None):
            path.unlink(missing_ok=True)
            make(path)
            store.get(KEY)
            store.put(KEY, OURS)
            store.sweep()
            if path.is_dir():
                path.rmdir()
        for mode in (0o777, 0o700):
            tmp_path.chmod(mode)
            for again in (store, ObjectCache(tmp_path / "cache"), ObjectCache(tmp_path / "none")):
                again.get(KEY)
                again.put(KEY, OURS)
                again.sweep()
    assert os.listdir("/proc/self/fd") == before


def test_a_folder_for_other_programs_is_entered_by_this_user_alone(place: Path) -> None:
    folder = own_folder.OwnFolder(place / "cache" / "tool", "tool's cache")
    assert folder.closed() == place / "cache" / "tool"
    os.chmod(folder.path, 0o755)
    (folder.path / "made").mkdir()
    os.chmod(folder.path / "made", 0o777)
    assert stat.S_IMODE(folder.closed().stat().st_mode) == 0o700


def test_a_folder_for_other_programs_is_refused_where_others_could_write(place: Path) -> None:
    folder = place / "cache" / "tool"
    folder.mkdir(parents=True)
    os.chmod(folder, 0o777)
    with pytest.raises(own_folder.UntrustedError, match=r"the tool's cache .* is not used: other"):
        own_folder.OwnFolder(folder, "tool's cache").closed()


@as_root
def test_a_folder_for_other_programs_has_nothing_of_others_in_it(place: Path) -> None:
    folder = place / "tool"
    (folder / "o").mkdir(parents=True)
    os.chown(folder / "o", OTHER, OTHER)
    with pytest.raises(own_folder.UntrustedError, match=f"{folder}/o belongs to user {OTHER}"):
        own_folder.OwnFolder(folder, "tool's cache").closed()


def test_a_parent_behind_a_link_is_that_of_where_the_link_leads(tmp_path: Path) -> None:
    """As the system itself reads a path, and not as its words are."""
    (tmp_path / "far" / "away").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far" / "away")
    folder = own_folder.OwnFolder(tmp_path / "link" / ".." / "c")
    folder.write("ab", "abc", b"1")
    assert (tmp_path / "link" / ".." / "c" / "ab" / "abc").read_bytes() == b"1"
    assert (tmp_path / "far" / "c" / "ab" / "abc").exists()
    assert not (tmp_path / "c").exists()
