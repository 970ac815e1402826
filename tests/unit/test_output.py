"""A file that samebits writes is whole under its name, and nothing of anybody else is touched."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import stat
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest
from tests.support.interrupting import at_each

from samebits.output import Output, holds_foreign_file, os_reason, remedy, write_error, write_file

POSIX = pytest.mark.skipif(os.name != "posix", reason="links, modes and pipes of POSIX")


def test_a_file_appears_whole_and_alone(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with Output(path) as out:
        out.file.write(b"half")
        assert not path.exists()
        out.file.write(b" whole")
    assert path.read_bytes() == b"half whole"
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_of_another_kind_is_known_by_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert not holds_foreign_file(path, b"mark")
    for data in (b"", b"x mark"):
        path.write_bytes(data)
        assert not holds_foreign_file(path, b"another", b"mark")
    for data in (b"x", b"x" * 512 + b"mark"):
        path.write_bytes(data)
        assert holds_foreign_file(path, b"another", b"mark")
    assert not holds_foreign_file(tmp_path, b"mark")
    assert not holds_foreign_file("\0", b"mark")


def test_text_is_utf_8_with_its_own_line_ends(tmp_path: Path) -> None:
    write_file(tmp_path / "a", "é\r\n\n")
    assert (tmp_path / "a").read_bytes() == b"\xc3\xa9\r\n\n"


def test_an_exception_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def write() -> None:
        with Output(path) as out:
            out.file.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_what_is_kept_stays_beside_the_path(tmp_path: Path) -> None:
    out = Output(tmp_path / "a")
    out.file.write(b"so far")
    out.keep()
    assert out.partial is not None
    assert out.partial == tmp_path / "a.partial"
    assert out.partial.read_bytes() == b"so far"


@POSIX
@pytest.mark.parametrize("what", ["file", "link", "folder", "pipe"])
def test_a_partial_file_of_somebody_else_is_never_touched(tmp_path: Path, what: str) -> None:
    victim, taken = tmp_path / "victim", tmp_path / "a.partial"
    victim.write_bytes(b"theirs")
    if what == "file":
        taken.write_bytes(b"theirs")
    elif what == "link":
        taken.symlink_to(victim)
    elif what == "folder":
        taken.mkdir()
    else:
        os.mkfifo(taken)
    before = os.lstat(taken)
    for data in (b"one", b"two"):
        write_file(tmp_path / "a", data)
    with pytest.raises(ZeroDivisionError), Output(tmp_path / "a"):
        raise ZeroDivisionError
    after = os.lstat(taken)
    assert (after.st_ino, after.st_mode, after.st_size) == (
        before.st_ino, before.st_mode, before.st_size,
    )  # fmt: skip
    assert victim.read_bytes() == b"theirs"
    assert (tmp_path / "a").read_bytes() == b"two"
    assert sorted(os.listdir(tmp_path)) == ["a", "a.partial", "victim"]


@POSIX
@pytest.mark.parametrize("dangling", [False, True])
def test_a_link_at_the_path_is_replaced_and_not_followed(tmp_path: Path, dangling: bool) -> None:
    victim, path = tmp_path / "victim", tmp_path / "a"
    if not dangling:
        victim.write_bytes(b"theirs")
    path.symlink_to(victim)
    write_file(path, b"ours")
    assert not path.is_symlink()
    assert path.read_bytes() == b"ours"
    assert not victim.exists() if dangling else victim.read_bytes() == b"theirs"


def test_two_writers_at_once_leave_a_whole_file_of_one(tmp_path: Path) -> None:
    path = tmp_path / "a"
    first, second = Output(path), Output(path)
    first.file.write(b"1" * 100_000)
    second.file.write(b"2" * 50_000)
    first.file.write(b"1" * 100_000)
    second.commit()
    assert path.read_bytes() == b"2" * 50_000
    first.commit()
    assert path.read_bytes() == b"1" * 200_000
    assert os.listdir(tmp_path) == ["a"]


def test_many_writers_at_once_leave_a_whole_file_of_one(tmp_path: Path) -> None:
    path = tmp_path / "a"
    barrier = threading.Barrier(8)

    def write(n: int) -> None:
        barrier.wait()
        for _ in range(20):
            write_file(path, bytes([n]) * 10_000)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    data = path.read_bytes()
    assert data == data[:1] * 10_000
    assert os.listdir(tmp_path) == ["a"]


def test_a_second_writer_of_what_may_not_be_replaced_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a"
    first, second = Output(path, replace=False), Output(path, replace=False)
    first.file.write(b"first")
    second.file.write(b"second")
    second.commit()
    with pytest.raises(FileExistsError):
        first.commit()
    first.discard()
    with pytest.raises(FileExistsError):
        Output(path, replace=False)
    assert path.read_bytes() == b"second"
    assert os.listdir(tmp_path) == ["a"]


@POSIX
def test_a_file_system_without_links_refuses_the_second_writer_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_link(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_link)
    first, second = (Output(tmp_path / "a", replace=False) for _ in range(2))
    first.commit()
    with pytest.raises(FileExistsError):
        second.commit()
    second.discard()
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_that_gets_no_name_is_removed_at_the_end_of_its_block(tmp_path: Path) -> None:
    out = Output(tmp_path / "a")
    (tmp_path / "a").mkdir()
    with pytest.raises(IsADirectoryError):
        out.__exit__(None, None, None)
    assert os.listdir(tmp_path) == ["a"]


@POSIX
def test_permissions_of_a_replaced_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_file(path, b"")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    path.chmod(0o600)
    write_file(path, b"")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    write_file(path, b"", mode=0o755)
    assert stat.S_IMODE(path.stat().st_mode) == 0o755 & ~umask


def test_another_current_folder_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    out = Output("a")
    monkeypatch.chdir("other")
    out.commit()
    assert sorted(os.listdir(tmp_path)) == ["a", "other"]


NO_FILES = {
    "a folder": ("folder", "Is a directory"),
    "under a file": ("file/a", "Not a directory"),
    "no folder": ("none/a", "No such file or directory"),
    "a long name": ("n" * 300, "File name too long"),
    "a long path": ("n/" * 3000 + "a", "File name too long"),
    "a loop": ("loop/a", "Too many levels of symbolic links"),
    "a NUL": ("a\0b", "the name has a NUL character"),
    "a surrogate": ("a\ud800", "the name can't be encoded for this system"),
    "nothing": ("", "the name is empty"),
    "a socket": ("socket", "it is a block device or a socket"),
}


@POSIX
@pytest.mark.parametrize("case", NO_FILES)
def test_a_path_that_can_be_no_file_is_an_os_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    import socket

    name, reason = NO_FILES[case]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        with pytest.raises(OSError, match=reason) as caught:
            write_file(name, b"")
        against = write_error(name)
        assert against is not None
        assert os_reason(against) == reason
    assert os_reason(caught.value) == reason
    assert sorted(os.listdir(tmp_path)) == ["file", "folder", "loop", "socket"]


@POSIX
def test_names_as_long_as_the_system_takes_are_written(tmp_path: Path) -> None:
    for name in ("n" * 255, "é" * 127, "\U0001f600" * 63):
        write_file(tmp_path / name, b"x")
        assert (tmp_path / name).read_bytes() == b"x"
    assert len(os.listdir(tmp_path)) == 3


@POSIX
def test_a_pipe_is_written_to_as_it_is(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert write_error(pipe) is None
        write_file(pipe, b"through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(os.lstat(pipe).st_mode)


@POSIX
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1"])
def test_a_redirected_stdout_goes_on_where_it_is(tmp_path: Path, name: str) -> None:
    program = (
        "import sys; from samebits.output import write_file; print('before'); "
        "write_file(sys.argv[1], b'page\\n'); print('after')"
    )
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    with open(tmp_path / "out", "wb") as file:
        command = [sys.executable, "-c", program, name]
        subprocess.run(command, stdout=file, env=environment, check=True)
    assert (tmp_path / "out").read_bytes() == b"before\npage\nafter\n"


def test_hindrance_leaves_everything_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert write_error(path) is None
    assert not path.exists()
    path.write_bytes(b"old")
    before = path.stat()
    assert write_error(path) is None
    assert path.stat() == before
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.skipif(os.name != "posix", reason="limits and errors of POSIX")
def test_each_reason_has_its_own_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    names = {
        "": "give it a name",
        "n" * 300: "give a shorter name",
        "none/a": "make the folder first, or give another name",
        "file/a": "give another path: one of its folders is a file",
        ".": "name a file in it",
        "loop/a": "give a path whose links lead somewhere",
        "a\0b": "give another name",
        "/dev/full": "free space on that disk, or give a path on another",
    }
    for name, fix in names.items():
        with pytest.raises(OSError) as caught:  # noqa: PT011 - whichever it is
            write_file(str(tmp_path / name) if name else "", b"x")
        assert remedy(caught.value) == fix
    denied = PermissionError(errno.EACCES, "Permission denied")
    assert remedy(denied) == "give a path that this user may write to"


def test_an_interrupt_leaves_the_old_file_or_the_whole_new_one_and_nothing_else(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def write() -> None:
        write_file(path, b"whole")

    def check() -> None:
        assert os.listdir(tmp_path) == ["a"]
        assert path.read_bytes() in (b"old", b"whole")
        path.write_bytes(b"old")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # of a file that nobody could close
        assert at_each(write, check) > 10


def test_what_lives_longer_than_a_block_stays_once_something_is_written(tmp_path: Path) -> None:
    for data in (b"", b"frames"):
        out = Output(tmp_path / "a")
        out.file.write(data)
        out.file.flush()
        with pytest.warns(ResourceWarning) if data else contextlib.nullcontext():
            del out
            gc.collect()
        assert os.listdir(tmp_path) == (["a.partial"] if data else [])


def test_an_interrupted_commit_can_be_made_again(tmp_path: Path) -> None:
    path = tmp_path / "a"
    made: list[Output] = []

    def begin() -> None:
        path.unlink(missing_ok=True)
        made[:] = [Output(path)]
        made[0].file.write(b"whole")

    def check() -> None:
        made[0].commit()
        assert (path.read_bytes(), made[0].partial) == (b"whole", None)
        assert os.listdir(tmp_path) == ["a"]
        begin()

    begin()
    assert at_each(lambda: made[0].commit(), check) > 5
    made[0].discard()
