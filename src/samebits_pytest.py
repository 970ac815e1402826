"""The pytest plugin's first step: what pytest loads with every project, so it imports nothing.

Stands outside of the package, which costs a fifth of a second to import. Owns the options; what
they do is in `samebits.testing`, loaded with the first test or file that needs it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from samebits.testing.fixtures import Golden, SameBits

_STARTED = pytest.StashKey[Any]()
_PROJECTS = pytest.StashKey[dict[Path, Path | None]]()
_WRONG = pytest.StashKey[pytest.UsageError]()
COLLECTED = pytest.StashKey[list[pytest.Item]]()
"""All tests that were collected, before some were left out."""
REPLAYS = (".mcap", ".sbreplay")
"""How the names of replays end."""
_GOLDEN, _GOLDENS = ".golden.txt", "__samebits__"
"""How golden files' names end, and the folder of those of test modules."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("samebits", "the same bits on every machine")
    group.addoption(
        "--samebits-targets", metavar="NAMES",
        help="targets that replays, simulations and same_bits run on, separated by commas, as "
        "`samebits targets` lists them; all: every one that runs here (default: this processor's)",
    )  # fmt: skip
    group.addoption(
        "--samebits-update", action="store_true",
        help="write golden hashes instead of comparing with them, and remove unused ones",
    )  # fmt: skip
    group.addoption(
        "--samebits-frames", metavar="N",
        help="run at most N frames of replays and simulations; all: also where a slow target "
        "would stop early",
    )  # fmt: skip
    group.addoption(
        "--samebits-report", metavar="DIR",
        help="for each replay or simulation that differs, write a desync report and what "
        "`samebits diagnose` says of it into DIR",
    )  # fmt: skip
    group.addoption(
        "--samebits-strict", action="store_true",
        help="fail what cannot run here, in place of skipping it",
    )  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "samebits(targets=[...]): compares bits; same_bits and golden run on those targets",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """End with a usage error what is set wrong, before anything is collected."""
    config = session.config
    here = config.invocation_params.dir
    for path in (config.rootpath, *(here / name.partition("::")[0] for name in config.args)):
        if project_above(config, path / "any") is not None:
            _plugin(config).check(path / "any")
    options = ("samebits_targets", "samebits_frames", "samebits_report")
    if any(config.getoption(name) is not None for name in options):
        _plugin(config).check(config.rootpath / "any")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    config = parent.config
    if file_path.suffix in REPLAYS or (
        file_path.suffix == ".py" and project_above(config, file_path) is not None
    ):
        try:
            return _plugin(config).collector(file_path, parent)
        except pytest.UsageError as error:  # of a project below: here it would be a traceback
            config.stash[_WRONG] = error
    elif file_path.name.endswith(_GOLDEN) or (
        file_path.suffix == ".txt" and file_path.parent.name == _GOLDENS
    ):
        _plugin(config).golden_file(file_path)
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    if (wrong := config.stash.get(_WRONG, None)) is not None:
        raise wrong
    config.stash[COLLECTED] = [*items]
    if project_above(config, config.rootpath / "any") is not None:
        items += _plugin(config).named_elsewhere(session, items)


@pytest.fixture
def same_bits(request: pytest.FixtureRequest) -> SameBits:
    """`same_bits(kernel, *args)` fails unless every execution gives the same bits; returns the
    result, or raises the trap in which all end."""
    return _plugin(request.config).same_bits(request.node)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """`golden(kernel, *args)` or `golden(simulation, frames=600, seed=1)`: as `same_bits`, and the
    bits are those of the file `__samebits__/MODULE.txt`, which `--samebits-update` writes."""
    return _plugin(request.config).golden(request.node)


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> None:
    started = item.config.stash.get(_STARTED, None)
    if started is not None:
        started.ran(item, call)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take what a process of pytest-xdist found."""
    given = getattr(node, "workeroutput", {}).get("samebits")
    if given:
        _plugin(node.config).take(given)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    started = session.config.stash.get(_STARTED, None)
    if started is not None:
        started.finish(session)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    started = config.stash.get(_STARTED, None)
    from_workers = any(
        name.startswith("samebits")
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, _ in getattr(report, "user_properties", ())
    )
    if started is not None or from_workers:
        _plugin(config).summarise(terminalreporter)


def project_above(config: pytest.Config, path: Path) -> Path | None:
    """The project of a file: the folder nearest above it whose `pyproject.toml` has
    `[tool.samebits]`, or else that of rootdir; None where there is none."""
    known = config.stash.setdefault(_PROJECTS, {})
    return _nearest(known, path.parent) or _nearest(known, config.rootpath)


def _nearest(known: dict[Path, Path | None], folder: Path) -> Path | None:
    if folder not in known:
        if _has_table(folder / "pyproject.toml"):
            known[folder] = folder
        else:
            known[folder] = None if folder.parent == folder else _nearest(known, folder.parent)
    return known[folder]


def _has_table(path: Path) -> bool:
    try:
        return "[tool.samebits" in path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, ValueError):  # ValueError: the name has a NUL
        return False


def _plugin(config: pytest.Config) -> Any:
    started = config.stash.get(_STARTED, None)
    if started is None:
        from samebits.testing.plugin import Plugin

        started = config.stash[_STARTED] = Plugin(config)
    return started
