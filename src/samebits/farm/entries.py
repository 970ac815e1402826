"""The entries of a corpus: a folder or a list of replays, each file by what its bytes are.

Owns which files are replays of which simulation, without running any code of one. Files come from
elsewhere: links in a circle, pipes, damaged and doubled ones are told, none stops the rest.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote

import xxhash

from samebits.ci.corpus import SUFFIXES
from samebits.errors import ReplayError
from samebits.farm.errors import FarmError
from samebits.replay import ReplayReader
from samebits.replay.file import open_file

MOST_FILES = 10_000_000
MOST_LIST = 1 << 30
"""Most bytes of a list of replays."""
_PIECE = 1 << 20
_COMMENT = re.compile(r"(?:^|\s)#.*")


@dataclass(frozen=True, slots=True)
class Entry:
    """One replay. `content` is the XXH3 of the file's bytes, `digest` that of the code that
    recorded it; `copies` are other paths of the same bytes."""

    path: str
    content: str
    simulation: str
    digest: str
    copies: tuple[str, ...] = ()


@dataclass(eq=False)
class Entries:
    """A corpus: its replays, each once; and the files that can't be read, each with the reason."""

    replays: list[Entry] = field(default_factory=list[Entry])
    unread: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    @property
    def files(self) -> int:
        """How many files there are, copies counted."""
        return sum(1 + len(each.copies) for each in self.replays) + len(self.unread)


def read_entries(corpus: str, show: Callable[[int], None] = lambda done: None) -> Entries:
    """The entries of a folder, of a list file (a path a line, relative to it; `#` begins a comment,
    where the line does or behind a space), or of one replay. `show` is told how many files were
    read. Raises FarmError for a corpus without files."""
    found = Entries()
    copies: dict[str, list[str]] = {}
    first: dict[str, Entry] = {}
    for count, path in enumerate(_paths(corpus), 1):
        if count > MOST_FILES:
            raise FarmError(f"{corpus} has more than {MOST_FILES:,} files", fix="divide it")
        try:
            content = content_of(path)
            if content in first:
                copies.setdefault(content, []).append(path)
            else:
                with ReplayReader(path) as reader:
                    header = reader.header
                first[content] = Entry(path, content, header.simulation, header.digest)
        except ReplayError as error:
            found.unread.append((path, error.message))
        show(count)
    for content, entry in first.items():
        same = tuple(copies.get(content, ()))
        found.replays.append(
            Entry(entry.path, content, entry.simulation, entry.digest, same)
        )  # fmt: skip
    if not found.replays and not found.unread:
        raise FarmError(
            f"{corpus} has no replay",
            note=f"names of replays end in {' or '.join(SUFFIXES)}",
            fix=f"samebits record SIM --out {quote(str(Path(corpus) / 'first.mcap'))}"
            if os.path.isdir(corpus)
            else "write one path a line, relative to the list, or name a folder",
        )
    return found


def content_of(path: str) -> str:
    """The XXH3 of a file's bytes, 32 hexadecimal digits. Raises ReplayError."""
    descriptor, _ = open_file(path, "a replay")
    sum = xxhash.xxh3_128()
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        try:
            while data := file.read(_PIECE):
                sum.update(data)
        except OSError as error:
            raise ReplayError(f"cannot read {path}: {error.strerror or error}") from None
    return sum.hexdigest()


def _paths(corpus: str) -> Iterator[str]:
    if os.path.isdir(corpus):
        yield from _below(corpus)
    elif corpus.endswith(SUFFIXES):
        yield corpus
    else:
        yield from _listed(corpus)


def _below(folder: str) -> Iterator[str]:
    """The replays below a folder, in the order of their names; links to folders aren't followed."""
    found = [
        Path(top, name) for top, _, names in os.walk(folder) for name in names
        if name.endswith(SUFFIXES)
    ]  # fmt: skip
    yield from (str(path) for path in sorted(found, key=lambda path: path.as_posix()))


def _listed(path: str) -> Sequence[str]:
    try:
        descriptor, size = open_file(path, "a list of replays")
    except ReplayError as error:
        raise FarmError(
            error.message, fix="name a folder of replays, or a file that lists them"
        ) from None
    with os.fdopen(descriptor, "rb") as file:
        if size > MOST_LIST:
            raise FarmError(f"{path} has more than {MOST_LIST:,} bytes", fix="divide it")
        try:
            lines = file.read(MOST_LIST).decode("utf-8-sig").splitlines()
        except UnicodeDecodeError:
            raise FarmError(
                f"{path} is no list of replays: it is not UTF-8",
                fix="write one path a line, or name a folder",
            ) from None
    folder = Path(path).parent
    wanted = (_COMMENT.sub("", line).strip() for line in lines)
    return [str(folder / line) for line in wanted if line]
