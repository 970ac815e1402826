"""Work folders go with their owner; those of a killed process go when another one makes its own."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from samebits.runtime import work_folders
from samebits.runtime.work_folders import PREFIX, folder_of, remove_stale, work_folder

fcntl = pytest.importorskip("fcntl", reason="folders are locked on POSIX systems")


class Owner:
    """Something that a folder belongs to."""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, which nothing has swept yet."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    work_folders.remove_stale_once.cache_clear()
    return tmp_path


def killed(place: Path) -> Path:
    """The folder of a process that was killed while it had one."""
    program = (
        "import os, signal\n"
        "from samebits.runtime.work_folders import work_folder\n"
        "with work_folder() as folder:\n"
        "    (folder / 'deep').mkdir(); (folder / 'deep' / 'code.o').write_bytes(b'x')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = {**os.environ, "TMPDIR": str(place)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    (left,) = place.glob(f"{PREFIX}*")
    assert (left / "deep" / "code.o").exists()
    return left


def test_the_folder_of_a_killed_process_goes_with_the_next(place: Path) -> None:
    left = killed(place)
    with work_folder() as folder:
        assert not left.exists()
        assert folder.is_dir()
    assert not any(place.iterdir())


def test_a_folder_goes_with_its_owner(place: Path) -> None:
    owner = Owner()
    folder = folder_of(owner)
    (folder / "file").touch()
    del owner
    assert not folder.exists()


def test_the_folder_of_a_living_process_stays(place: Path) -> None:
    with work_folder() as folder:
        assert remove_stale(str(place)) == 0
        assert folder.is_dir()


def test_what_is_no_folder_of_samebits_stays(
    place: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "kept").touch()
    (place / f"{PREFIX}link").symlink_to(outside)
    (place / f"{PREFIX}file").touch()
    (place / "samebits-12345678").mkdir()
    assert remove_stale(str(place)) == 0
    assert (outside / "kept").exists()
    assert len(list(place.iterdir())) == 3


def test_a_link_inside_is_removed_and_not_followed(
    place: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "kept").touch()
    left = place / f"{PREFIX}stale"
    left.mkdir()
    (left / "link").symlink_to(outside)
    assert remove_stale(str(place)) == 1
    assert not left.exists()
    assert (outside / "kept").exists()


def test_another_users_folder_stays(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / f"{PREFIX}theirs").mkdir()
    monkeypatch.setattr(os, "getuid", lambda: os.stat(place).st_uid + 1)
    assert remove_stale(str(place)) == 0
    assert (place / f"{PREFIX}theirs").is_dir()


def test_one_start_removes_a_bounded_number(place: Path) -> None:
    for n in range(work_folders.MOST_REMOVED + 3):
        (place / f"{PREFIX}{n}").mkdir()
    assert remove_stale(str(place)) == work_folders.MOST_REMOVED
    assert remove_stale(str(place)) == 3


def test_a_folder_that_a_sweep_takes_before_it_is_locked_is_made_anew(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, swept = fcntl.flock, list[int]()

    def late(held: int, how: int) -> None:
        if not swept:
            swept.append(0)
            swept[0] = remove_stale(str(place))
        plain(held, how)

    monkeypatch.setattr("fcntl.flock", late)
    with work_folder() as folder:
        assert folder.is_dir()
    assert swept == [1]


def test_without_locks_folders_are_made_and_none_is_swept(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr("fcntl.flock", refuse)
    with work_folder() as folder:
        assert remove_stale(str(place)) == 0
        assert folder.is_dir()
    assert not any(place.iterdir())


def test_a_place_that_cannot_be_read_is_passed_over(place: Path) -> None:
    assert remove_stale(str(place / "nowhere")) == 0
