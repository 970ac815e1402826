"""The plugin of a pytest run that uses samebits: settings, what it collects, what it found."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import pytest

from samebits.ci.project import GOLDEN, Named
from samebits.errors import SamebitsError
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation
from samebits.testing import goldens
from samebits.testing.fixtures import Golden, SameBits
from samebits.testing.items import BitsFile, find, name_in
from samebits.testing.runs import rows_of
from samebits.testing.settings import Settings, settings
from samebits.testing.summary import print_summary
from samebits.verify.executions import Row
from samebits.verify.golden import read_golden
from samebits_pytest import COLLECTED, REPLAYS, project_above

_FILE = "pyproject.toml"
_WORKER = "workeroutput"
"""What pytest-xdist gives the configuration of its processes."""


class Plugin:
    """Made once a process, with the first test or file that needs it."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self._goldens: dict[str, goldens.GoldenFile] = {}
        self._simulations: dict[Path, tuple[Simulation, str]] = {}
        self._settings: dict[Path, Settings] = {}
        self._rows: dict[Path, tuple[Row, ...]] = {}
        self._orphans: set[Path] = set()
        """Golden files of tests, replays and simulations that are gone."""
        self._bare: set[Path] = set()
        """Replays of the project's simulations that have no golden file, where others have."""
        self._with_goldens: dict[Path, bool] = {}
        self.notes: list[str] = []
        """Lines for the summary."""

    def settings(self, path: Path) -> Settings:
        """The settings of a file's project; wrong ones end pytest with their message."""
        root = self._root(path)
        if root not in self._settings:
            try:
                self._settings[root] = settings(root, self.config.getoption)
            except SamebitsError as error:
                raise pytest.UsageError(str(error)) from None
        return self._settings[root]

    def rows(self, path: Path) -> tuple[Row, ...]:
        """The targets of a file's replays and simulations; wrong ones end pytest likewise."""
        root = self._root(path)
        if root not in self._rows:
            try:
                self._rows[root] = rows_of(self.settings(path).targets)
            except SamebitsError as error:
                by_option = self.config.getoption("samebits_targets") is not None
                where = "--samebits-targets" if by_option else root / _FILE
                raise pytest.UsageError(f"{where}: {error}") from None
        return self._rows[root]

    def check(self, path: Path) -> None:
        """Read all that is set for a file. Raises UsageError."""
        self.rows(path)

    def _root(self, path: Path) -> Path:
        return project_above(self.config, path) or self.config.rootpath

    @property
    def is_update(self) -> bool:
        """Whether golden hashes are written."""
        return bool(self.config.getoption("samebits_update"))

    # Collection ------------------------------------------------------------------------------

    def collector(self, path: Path, parent: pytest.Collector) -> BitsFile | None:
        """What collects a file: a replay with a golden file beside it, or a file of simulations
        that the project names."""
        simulations = self.settings(path).simulations
        named = tuple(n for n in simulations if n.path.resolve() == path.resolve())
        if path.suffix == ".py":
            if not named:
                return None
        elif not path.with_name(path.stem + GOLDEN).is_file():
            # Where no replay has a golden file, as in a farm's corpus, none is meant to be a test.
            if not (self.is_update or self._has_goldens(path.parent)) or not self._is_ours(path):
                return None
            if not self.is_update:
                self._bare.add(path)
                return None
        self.check(path)
        self._check_alone(path, named)
        found = cast(Any, BitsFile).from_parent(parent, path=path)
        found.plugin, found.named = self, named
        return found

    def _has_goldens(self, folder: Path) -> bool:
        if folder not in self._with_goldens:
            self._with_goldens[folder] = any(folder.glob(f"*{GOLDEN}"))
        return self._with_goldens[folder]

    def _check_alone(self, path: Path, named: tuple[Named, ...]) -> None:
        """Raises UsageError where two tests would have one golden file."""
        goldens = [n.golden_path for n in named] or [path.with_name(path.stem + GOLDEN)]
        for golden in goldens:
            replays = (golden.with_name(golden.name.removesuffix(GOLDEN) + end) for end in REPLAYS)
            others = [replay for replay in replays if replay.is_file()]
            others += [
                Path(n.spec) for n in self.settings(path).simulations
                if n.golden_path.resolve() == golden.resolve()
            ]  # fmt: skip
            if len(others) > 1:
                raise pytest.UsageError(
                    f"{' and '.join(map(str, others))} have one golden file: {golden}\n"
                    "  fix: rename one of them, or give a simulation's in [tool.samebits]: "
                    'simulations = [{ path = "game.py", golden = "game_alone.golden.txt" }]'
                )

    def golden_file(self, path: Path) -> None:
        """A golden file was met: whether what it is of is still there is told at the end."""
        if path.parent.name == goldens.FOLDER:
            is_gone = not (path.parent.parent / f"{path.stem}.py").is_file()
        else:
            is_gone = self._is_gone(path)
        if is_gone:
            self._orphans.add(path)

    def _is_gone(self, golden: Path) -> bool:
        """Whether a golden file is of a simulation of the project, and of nothing there is."""
        stem = golden.name.removesuffix(GOLDEN)
        if any(golden.with_name(stem + end).is_file() for end in REPLAYS):
            return False
        try:
            named = self.settings(golden).simulations
            if any(n.golden_path.resolve() == golden.resolve() for n in named):
                return False
            name = read_golden(golden).simulation
            return any(load_simulation(n.spec).name == name for n in named)
        except SamebitsError:
            return False

    def _is_ours(self, replay: Path) -> bool:
        """Whether the project names the replay's simulation."""
        try:
            self.simulation_of(replay)
        except SamebitsError:
            return False
        return True

    def named_elsewhere(
        self, session: pytest.Session, items: Iterable[pytest.Item]
    ) -> list[pytest.Item]:
        """The items of named simulations outside of the folders of `testpaths`, where those alone
        are collected."""
        base = self.config.inipath.parent if self.config.inipath else self.config.rootpath
        paths = {p.resolve() for text in self.config.getini("testpaths") for p in base.glob(text)}
        here = self.config.invocation_params.dir
        if not paths or {(here / argument).resolve() for argument in self.config.args} != paths:
            return []
        known = {item.path for item in items if isinstance(item.parent, BitsFile)}
        found: list[pytest.Item] = []
        named = self.settings(self.config.rootpath / "any").simulations
        for path in dict.fromkeys(n.path.resolve() for n in named):
            if path not in known and (collector := self.collector(path, session)) is not None:
                for item in collector.collect():
                    self.config.hook.pytest_itemcollected(item=item)
                    found.append(item)
        return found

    def simulation_of(self, replay: Path) -> tuple[Simulation, str]:
        """The simulation of a replay, and its place. Raises SamebitsError."""
        if replay not in self._simulations:
            named, name = self.settings(replay).simulations, name_in(replay)
            root = project_above(self.config, replay)
            self._simulations[replay] = find(named, name, replay, root and root / _FILE)
        return self._simulations[replay]

    # Fixtures --------------------------------------------------------------------------------

    def same_bits(self, item: pytest.Item) -> SameBits:
        return SameBits(self, item)

    def golden(self, item: pytest.Item) -> Golden:
        return Golden(self, item)

    def name_of(self, item: pytest.Item) -> str:
        """A test's name without its file, as golden files have it."""
        return item.nodeid.partition("::")[2].replace("\n", " ")

    def goldens(self, item: pytest.Item) -> goldens.GoldenFile:
        """The file of golden bits of a test's module. Raises GoldenError."""
        key = str(goldens.path_of(item.path))
        if key not in self._goldens:
            path = Path(key)
            file = self._goldens[key] = goldens.GoldenFile(path, goldens.read(path))
            if not any("::" in argument for argument in self.config.args):
                file.collected = {
                    self.name_of(other)
                    for other in self.config.stash[COLLECTED]
                    if other.path == item.path
                }
        return self._goldens[key]

    def ran(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> None:
        """A phase of a test ended."""
        if call.when == "call" and call.excinfo is None:
            file = self._goldens.get(str(goldens.path_of(item.path)))
            if file is not None:
                file.passed.add(self.name_of(item))

    # The end ---------------------------------------------------------------------------------

    def take(self, given: dict[str, Any]) -> None:
        """What another process of the run found, as `finish` gave it."""
        self._orphans |= {Path(text) for text in given["orphans"]}
        self._bare |= {Path(text) for text in given["bare"]}
        for key, told in given["goldens"].items():
            file = self._goldens.get(key)
            if file is None:
                file = self._goldens[key] = goldens.GoldenFile(Path(key), told["bits"])
                file.collected = None if told["collected"] is None else {*told["collected"]}
            for name, calls in told["used"].items():
                file.used.setdefault(name, set()).update(calls)
            file.written |= told["written"]
            file.passed |= {*told["passed"]}

    def finish(self, session: pytest.Session) -> None:
        """Give what was found to the main process, or, there, write golden files."""
        if hasattr(self.config, _WORKER):
            getattr(self.config, _WORKER)["samebits"] = {
                "orphans": sorted(map(str, self._orphans)),
                "bare": sorted(map(str, self._bare)),
                "goldens": {
                    key: {
                        "bits": file.bits,
                        "used": {name: sorted(calls) for name, calls in file.used.items()},
                        "written": file.written,
                        "passed": sorted(file.passed),
                        "collected": None if file.collected is None else sorted(file.collected),
                    }
                    for key, file in self._goldens.items()
                },
            }
            return
        for file in self._goldens.values():
            try:
                self._finish(file)
            except SamebitsError as error:
                self.notes.append(str(error))
                session.exitstatus = pytest.ExitCode.USAGE_ERROR

        self._finish_files()

    def _finish_files(self) -> None:
        """Name golden files of what is gone, or remove them, and replays that have none."""
        for path in sorted(self._orphans):
            if not self.is_update:
                self.notes.append(
                    f"{path}: unused: what it is of is gone; --samebits-update removes"
                )
                continue
            path.unlink(missing_ok=True)
            self.notes.append(f"{path}: removed")
            if path.parent.name == goldens.FOLDER and not any(path.parent.iterdir()):
                path.parent.rmdir()
        for path in sorted(self._bare):
            self.notes.append(
                f"{path}: no test, since it has no golden file; --samebits-update writes one"
            )

    def _finish(self, file: goldens.GoldenFile) -> None:
        gone = file.unused
        count = sum(map(len, gone.values()))
        if not self.is_update:
            if gone:
                self.notes.append(
                    f"{file.path}: {count} unused: {', '.join(gone)}; --samebits-update removes"
                )
            return
        # Of a test that failed nothing is written: what it gave before may be half.
        bits = {n: {**calls} for n, calls in file.bits.items()}
        for name, calls in file.written.items():
            if name in file.passed:
                bits[name] = bits.get(name, {}) | calls
        for name, calls in gone.items():
            bits[name] = {c: v for c, v in bits[name].items() if c not in calls}
        if bits != file.bits:
            goldens.write(file.path, bits)
            changed = sum(
                file.bits.get(name, {}).get(call) != value
                for name, calls in bits.items()
                for call, value in calls.items()
            )
            self.notes.append(f"{file.path}: {changed} written, {count} removed")

    def summarise(self, reporter: Any) -> None:
        """Print what ran on which target."""
        print_summary(reporter, self.notes)
