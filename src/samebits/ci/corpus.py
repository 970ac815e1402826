"""Corpora: folders of replays, and their parts for several machines.

Owns which files of a folder are replays of a simulation, their order, which is that of their names
everywhere, and what part of them is whose.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from samebits.ci.bits_file import MAX_RUNS, BitsError
from samebits.errors import ReplayError
from samebits.replay import ReplayReader

SUFFIXES = (".mcap", ".sbreplay")
"""How names of replays end."""
_SHARD = re.compile(r"([0-9]{1,5})/([0-9]{1,5})")


@dataclass(frozen=True)
class Corpus:
    """Paths of replays, in order, and of those that were left out since they are of other
    simulations."""

    replays: tuple[str, ...]
    others: tuple[str, ...]


def corpus(simulation: str, paths: Iterable[str]) -> Corpus:
    """The replays of `paths`: files as they are named, of a folder and the folders in it those of
    the simulation of that name. Files that cannot be read are among them, so that they are told.
    Raises BitsError for a folder without any."""
    replays: list[str] = []
    others: list[str] = []
    for path in paths:
        if not os.path.isdir(path):
            replays.append(path)
            continue
        found = list(_files(path))
        own = [each for each in found if _is_of(each, simulation)]
        if not own:
            raise BitsError(
                f"{path} has no replay of '{simulation}'",
                note=f"it has {len(found):,} replays of other simulations" if found else
                f"names of replays end in {' or '.join(SUFFIXES)}",
                fix=f"samebits record SIM --out {quote(str(Path(path) / 'first.mcap'))}",
            )  # fmt: skip
        taken = set(own)
        replays += own
        others += [each for each in found if each not in taken]
    return Corpus(tuple(dict.fromkeys(replays)), tuple(others))


def shard_of(text: str) -> tuple[int, int]:
    """i and n of `i/n`, 1 to n. Raises BitsError."""
    match = _SHARD.fullmatch(text)
    found = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= found[0] <= found[1] <= MAX_RUNS:
        raise BitsError(
            f"--shard {text!a:.40} is not a part of a whole", fix="write --shard 1/4 to --shard 4/4"
        )
    return found


def part(replays: Sequence[str], shard: tuple[int, int]) -> tuple[str, ...]:
    """Every n-th replay, from the i-th on: all parts together are all replays, each once."""
    index, count = shard
    return tuple(replays[index - 1 :: count])


def _files(folder: str) -> Iterable[str]:
    """The replays below a folder, by their names with slashes."""
    found = [
        Path(top, name) for top, _, names in os.walk(folder) for name in names
        if name.endswith(SUFFIXES)
    ]  # fmt: skip
    return [str(path) for path in sorted(found, key=lambda path: path.as_posix())]


def _is_of(path: str, simulation: str) -> bool:
    try:
        with ReplayReader(path) as reader:
            return reader.header.simulation == simulation
    except ReplayError:
        return True
