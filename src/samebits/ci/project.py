"""A project's own words on its simulations: `[tool.samebits]` of `pyproject.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from samebits.digits import MOST_FRAMES
from samebits.errors import SamebitsError

GOLDEN = ".golden.txt"
"""How the name of a golden file ends that is beside its replay or simulation."""


class SettingsError(SamebitsError):
    """A setting that cannot be used."""


@dataclass(frozen=True)
class Named:
    """A simulation that the project names: its file, and how it is run without a replay."""

    path: Path
    name: str = ""
    """Its name in the file; empty where there is one alone."""
    golden: Path | None = None
    players: str | None = None
    seed: int | None = None
    frames: int | None = None

    @property
    def spec(self) -> str:
        return f"{self.path}:{self.name}" if self.name else str(self.path)

    @property
    def golden_path(self) -> Path:
        return self.golden or self.path.with_name((self.name or self.path.stem) + GOLDEN)


@dataclass(frozen=True)
class Project:
    """What is set. `targets` is None where nothing is said of them."""

    simulations: tuple[Named, ...]
    targets: tuple[str, ...] | None
    frames: int | None
    corpus: tuple[str, ...]
    """Folders and files of replays, relative to the project."""
    runners: tuple[tuple[str, ...], ...] | None
    """The machines of CI that verify, by their labels; None where nothing is said of them."""
    emulated: tuple[str, ...] | None
    """Targets that CI verifies in emulators; None where nothing is said of them."""
    install: str | None
    """The command by which CI installs the project with samebits."""


_WORDS = {list: "a list", int: "a whole number", str: "a text"}
_KEYS = {
    "simulations": list, "targets": list, "frames": int, "corpus": list, "runners": list,
    "emulated": list, "install": str,
}  # fmt: skip
_LISTS = {
    "targets": '["x86-64-O3"]',
    "corpus": '["replays"]',
    "runners": '["ubuntu-24.04", ["self-hosted", "linux"]]',
    "emulated": '["s390x-O3"]',
}
_OF_SIMULATION = {
    "path": str, "golden": str, "players": str, "seed": int, "frames": int,
}  # fmt: skip


def read_project(root: Path) -> Project:
    """The settings of the project at `root`; none where it has no table. Raises SettingsError."""
    table = _table(root / "pyproject.toml")
    return Project(
        tuple(_simulation(root, entry) for entry in table.get("simulations", ())),
        _texts(table, "targets"),
        table.get("frames"),
        _texts(table, "corpus") or (),
        _runners(table),
        _texts(table, "emulated"),
        table.get("install"),
    )


def _texts(table: dict[str, Any], key: str) -> tuple[str, ...] | None:
    return tuple(table[key]) if key in table else None


def _runners(table: dict[str, Any]) -> tuple[tuple[str, ...], ...] | None:
    given: list[str | list[str]] | None = table.get("runners")
    if given is None:
        return None
    return tuple((each,) if isinstance(each, str) else tuple(each) for each in given)


def _table(path: Path) -> dict[str, Any]:
    """`[tool.samebits]`, whose keys and types are right."""
    try:
        whole_file = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}") from None
    tool = whole_file.get("tool")
    table: Any = cast("dict[str, Any]", tool).get("samebits", {}) if isinstance(tool, dict) else {}
    return _checked(path, "[tool.samebits]", table, _KEYS)


def _checked(path: Path, where: str, table: Any, keys: dict[str, type]) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise SettingsError(f"{path}: {where} is no table", fix=f"write {where} above its keys")
    known = cast("dict[str, Any]", table)
    for key, value in known.items():
        if key not in keys:
            raise SettingsError(
                f"{path}: {where} has the key {key!a}", fix=f"it knows {', '.join(keys)}"
            )
        if type(value) is not keys[key]:
            raise SettingsError(
                f"{path}: {key} in {where} is {value!a:.60}", fix=f"give {_WORDS[keys[key]]}"
            )
        if keys[key] is int and key == "frames" and not 0 < value <= MOST_FRAMES:
            raise SettingsError(
                f"{path}: frames in {where} is {value}", fix=f"give 1 to {MOST_FRAMES:,}"
            )
    for key, example in _LISTS.items() if keys is _KEYS else ():
        words: list[Any] = list(known.get(key, ()))
        if key == "runners":  # one of several labels is a list of them
            words = [label for each in words for label in _labels(each)]
        if not all(isinstance(name, str) and name for name in words):
            raise SettingsError(f"{path}: {key} in {where} are no texts", fix=f"write {example}")
    return known


def _labels(runner: Any) -> list[Any]:
    labels = cast("list[Any]", runner) if isinstance(runner, list) else [runner]
    return labels or [""]


def _simulation(root: Path, entry: Any) -> Named:
    path = root / "pyproject.toml"
    if isinstance(entry, str):
        entry = {"path": entry}
    table = _checked(path, "simulations of [tool.samebits]", entry, _OF_SIMULATION)
    if "path" not in table:
        raise SettingsError(
            f"{path}: a simulation of [tool.samebits] has no path", fix='write path = "game.py"'
        )
    file, colon, name = str(table["path"]).rpartition(":")
    if not colon or not name.isidentifier():
        file, name = table["path"], ""
    place = root / file
    if not place.is_file():
        raise SettingsError(
            f"{path}: there is no file {file} of a simulation in [tool.samebits]",
            fix="name a file, relative to the folder of pyproject.toml",
        )
    golden = table.get("golden")
    return Named(
        place, name, None if golden is None else root / golden,
        table.get("players"), table.get("seed"), table.get("frames"),
    )  # fmt: skip
