"""Replays and simulations as tests: an item for each target, or one that writes golden files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from samebits.ci.project import GOLDEN, Named
from samebits.errors import SamebitsError
from samebits.replay import ReplayReader
from samebits.sim.load import load_simulation
from samebits.sim.players import DEFAULT_FRAMES, DEFAULT_SEED
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputSource, PlayerSource, ReplaySource
from samebits.testing.diagnosed import write_replay, write_report
from samebits.testing.runs import Run, failure
from samebits.testing.settings import Settings
from samebits.verify.executions import Row
from samebits.verify.golden import Golden, read_golden, write_golden


class BitsError(Exception):
    """A difference, told in full."""


class BitsFile(pytest.File):
    """A replay, or a file of simulations, with an item for each target."""

    plugin: Any
    named: tuple[Named, ...] = ()
    """The simulations of a file that the project names; of a replay, none."""

    def collect(self) -> Iterable[pytest.Item]:
        if self.path.suffix != ".py":
            yield from self._items("", None)
            return
        for named in self.named:
            yield from self._items(f"{named.name}:" if named.name else "", named)

    def _items(self, prefix: str, named: Named | None) -> Iterator[pytest.Item]:
        if self.plugin.is_update:
            yield UpdateItem.of(self, f"{prefix}golden", named, None)
            return
        for row in self.plugin.rows(self.path):
            yield TargetItem.of(self, f"{prefix}{row.name}", named, row)


class _Item(pytest.Item):
    plugin: Any
    simulation: Named | None
    row: Row | None

    @classmethod
    def of(cls, parent: BitsFile, name: str, named: Named | None, row: Row | None) -> Any:
        item = cast(Any, cls).from_parent(parent, name=name)
        item.plugin, item.simulation, item.row = parent.plugin, named, row
        item.add_marker(pytest.mark.samebits)
        return item

    @property
    def settings(self) -> Settings:
        """Those of its project."""
        return self.plugin.settings(self.path)

    @property
    def golden_path(self) -> Path:
        if self.simulation is not None:
            return self.simulation.golden_path
        return self.path.with_name(self.path.stem + GOLDEN)

    def opened(self, golden: Golden | None) -> Run:
        """The run. Raises SamebitsError."""
        settings = self.settings
        named = self.simulation
        if named is None:
            path = str(self.path)
            simulation, spec = self.plugin.simulation_of(self.path)
            limit = settings.frames

            def source(limit: int | None) -> InputSource:
                return ReplaySource(simulation, path, limit, any_code=True)
        else:
            simulation = load_simulation(named.spec)
            frames = named.frames or DEFAULT_FRAMES
            limit = min(frames, settings.frames or frames)
            seed = DEFAULT_SEED if named.seed is None else named.seed
            spec = named.spec

            def source(limit: int | None) -> InputSource:
                return PlayerSource(simulation, named.players, seed, limit or frames)

        if golden is not None and golden.simulation != simulation.name:
            raise SamebitsError(
                f"{self.golden_path} is a golden file of another simulation: "
                f"'{golden.simulation}', not '{simulation.name}'"
            )
        return Run(simulation, source, golden, limit, settings.whole, spec)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, SamebitsError | BitsError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"{self.path.name} {self.name}"


class TargetItem(_Item):
    """One run on one target, compared with the golden file."""

    def runtest(self) -> None:
        row = self.row
        assert row is not None
        if row.reason is not None:
            self.user_properties.append(("samebits.not run", row.name))
            if self.settings.strict:
                raise BitsError(f"{row.name} is not run here: {row.reason}")
            pytest.skip(row.reason)
        if not self.golden_path.is_file():
            raise BitsError(
                f"there is no golden file {self.golden_path}\n"
                "  fix: pytest --samebits-update writes it"
            )
        run = self.opened(read_golden(self.golden_path))
        if row.follows_source and run.simulation.program.rewritten is not None:
            pytest.skip("its mode rewrites the source: evaluate is its reference")
        found = run.verification((row,))
        self.user_properties.append((f"samebits.{found.result}", row.name))
        final = found.rows[0].final_hash
        if final is not None:
            self.user_properties.append(("samebits.hash", f"{final:016x}"))
        if found.result == "same" and not found.source.damage:
            return
        text, is_code = run.told(row, found)
        folder = self.settings.report
        if folder is not None:
            write = write_replay if is_code else write_report
            try:
                text += f"\n{write(folder, self.nodeid, run, row, found)}"
            except OSError as error:
                text += f"\nno report: {folder}: {error.strerror or error}"
        raise BitsError(text)


class UpdateItem(_Item):
    """One run on all targets, whose hashes go into the golden file where they agree."""

    def runtest(self) -> None:
        run = self.opened(None)
        rows = [row for row in self.plugin.rows(self.path) if row.reason is None]
        found = run.verification(rows, run.simulation.tick_rate)
        alone = found.result == "not compared" and len(rows) == 1
        if (found.result != "same" and not alone) or found.source.damage:
            raise BitsError(f"not written: {self.golden_path}\n{failure(run.simulation, found)}")
        write_golden(self.golden_path, run.simulation.name, run.simulation.digest, found.sampled)
        self.user_properties.append(("samebits.written", str(self.golden_path)))


def name_in(replay: Path) -> str:
    """The name of the simulation that a replay was recorded from. Raises ReplayError."""
    with ReplayReader(str(replay)) as reader:
        return reader.header.simulation


def find(
    named: Iterable[Named], name: str, replay: Path, project: Path | None
) -> tuple[Simulation, str]:
    """The simulation of that name among those that the project's file names, and its place. Raises
    SamebitsError."""
    tried: list[str] = []
    for each in named:
        simulation = load_simulation(each.spec)
        if simulation.name == name:
            return simulation, each.spec
        tried.append(f"'{simulation.name}'")
    names = f"{project} names {', '.join(tried) or 'no simulation'}"
    raise SamebitsError(
        f"{replay} is a replay of '{name}', which [tool.samebits] does not name",
        note=names
        if project
        else "no pyproject.toml above it, and none of rootdir, has that table",
        fix='write simulations = ["path/of/the/simulation.py"] there',
    )
