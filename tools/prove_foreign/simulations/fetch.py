"""Source packages of Debian, by `apt-get source`: fetched once into a build folder and unpacked.

They come from where the system has Debian's packages from. Lists and caches are folders of its own,
so that nothing of the system's changes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path

from tools.prove_foreign.simulations.packages import Package

_SECONDS = 300
_DEBIAN = ("Created-By: Packages", "Origin: Debian")


class Absent(Exception):
    """A package that can't be fetched here; says where to put it."""


def unpacked(package: Package, folder: Path) -> Path:
    """The package's folder of sources. Raises Absent where it is neither here nor to be had."""
    archive = folder / "archives" / package.archive
    if not archive.is_file():
        _fetch(package, archive.parent)
    found = hashlib.sha256(archive.read_bytes()).hexdigest() if archive.is_file() else "missing"
    if found != package.sha256:
        raise Absent(
            f"{package.archive} is {found}, not {package.sha256}: put Debian's source package "
            f"{package.name} {package.version} at {archive}"
        )
    out = folder / package.name / "source"
    shutil.rmtree(out, ignore_errors=True)
    with tarfile.open(archive) as opened:
        opened.extraction_filter = getattr(tarfile, "data_filter", None)  # since 3.11.4
        opened.extractall(out)
    (inner,) = out.iterdir()
    return inner


def _fetch(package: Package, archives: Path) -> None:
    if shutil.which("apt-get") is None:
        return
    apt = archives.parent / "apt"
    for each in (archives, apt / "lists" / "partial", apt / "cache"):
        each.mkdir(parents=True, exist_ok=True)
    listed = apt / "sources.list"
    if not listed.exists():
        listed.write_text("".join(f"deb-src {place}\n" for place in _places()))
        if not _apt(apt, ["update"], archives):
            listed.unlink()
            return
    _apt(apt, ["source", "--download-only", f"{package.name}={package.version}"], archives)


def _places() -> list[str]:
    """Where the system has Debian's packages from: addresses, suites and components."""
    form = "$(REPO_URI) $(CODENAME) $(COMPONENT)"
    done = subprocess.run(
        ["apt-get", "indextargets", "--format", form, *_DEBIAN],
        capture_output=True, text=True, timeout=_SECONDS, check=False,
    )  # fmt: skip
    return sorted(set(done.stdout.splitlines()))


def _apt(apt: Path, words: Sequence[str], folder: Path) -> bool:
    options = {
        "Dir::Etc::sourcelist": apt / "sources.list", "Dir::Etc::sourceparts": "-",
        "Dir::State::lists": apt / "lists", "Dir::Cache": apt / "cache",
        "APT::Sandbox::User": "root",
    }  # fmt: skip
    given = [word for key, value in options.items() for word in ("-o", f"{key}={value}")]
    done = subprocess.run(
        ["apt-get", *given, *words], cwd=folder, timeout=_SECONDS, check=False,
        stdin=subprocess.DEVNULL, capture_output=True, env={**os.environ, "LC_ALL": "C"},
    )  # fmt: skip
    return done.returncode == 0
