"""The fixtures `same_bits` and `golden`, as tests call them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from samebits.bits import xxh64
from samebits.errors import SamebitsError
from samebits.runtime.same_bits import (
    CallOutcome,
    Leaf,
    compared_call,
    memory_leaves,
    result_leaves,
)
from samebits.sim.players import DEFAULT_FRAMES, DEFAULT_SEED
from samebits.sim.simulation import Simulation
from samebits.sim.sources import PlayerSource
from samebits.testing.runs import failure, names_that_run
from samebits.types import StructType
from samebits.verify.verification import Verification

if TYPE_CHECKING:
    from samebits.lang.kernel import Kernel
    from samebits.testing.goldens import GoldenFile
    from samebits.testing.settings import Settings
    from samebits.verify.executions import Row


class Owner(Protocol):
    """What fixtures ask of the plugin."""

    @property
    def is_update(self) -> bool: ...
    def settings(self, path: Path) -> Settings: ...
    def rows(self, path: Path) -> Sequence[Row]: ...
    def goldens(self, item: pytest.Item) -> GoldenFile: ...
    def name_of(self, item: pytest.Item) -> str: ...


class SameBits:
    """Fails a test unless every execution of a call gives the same bits."""

    def __init__(self, plugin: Owner, item: pytest.Item) -> None:
        self._plugin, self._item = plugin, item

    def __call__(self, kernel: Kernel, *args: Any, **kwargs: Any) -> Any:
        """The result that all executions give, as the first of them returns it; a trap in which all
        end is raised. Raises what `sb.assert_same_bits` raises; arguments are not changed.

        The executions are those of the marker `samebits(targets=...)`, of `--samebits-targets`, or
        all that this process can run itself.
        """
        outcome = self.compared(kernel, args, kwargs)
        if outcome.trap is not None:
            raise outcome.trap
        return outcome.result

    def compared(
        self, kernel: Kernel, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> CallOutcome:
        """The outcome of the first execution, which is that of all."""
        names = self._targets()
        compared, outcome = compared_call(kernel, args, kwargs, names)
        self._item.user_properties.append(("samebits.same", " ".join(compared)))
        return outcome

    def _targets(self) -> tuple[str, ...] | None:
        marker = self._item.get_closest_marker("samebits")
        given = None if marker is None else marker.kwargs.get("targets")
        settings = self._plugin.settings(self._item.path)
        if given is None:
            given = settings.targets
            if given is None:
                return None
        return names_that_run(tuple(given), strict=settings.strict)


class Golden:
    """Compares the bits of calls and simulations with a file; see `samebits.testing.goldens`."""

    def __init__(self, plugin: Owner, item: pytest.Item) -> None:
        self._plugin, self._item = plugin, item
        self._same = SameBits(plugin, item)
        self._calls = count(1)

    def __call__(
        self,
        what: Kernel | Simulation,
        *args: Any,
        frames: int | None = None,
        seed: int | None = None,
        players: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Of a kernel, the result of a call that is the same in all executions, and whose bits are
        those of the file: results, arrays and structs that it was given, and the kind of a trap,
        which is not raised. Of a simulation, the hash after `frames` frames (600) of a script or
        `random`, from a seed (1).
        """
        call = next(self._calls)
        if isinstance(what, Simulation):
            if args or kwargs:
                raise TypeError("golden(simulation) takes frames=, seed= and players= alone")
            return self._simulation(call, what, frames, seed, players)
        named = {"frames": frames, "seed": seed, "players": players}
        given = {**kwargs, **{name: v for name, v in named.items() if v is not None}}
        outcome = self._same.compared(what, args, given)
        self._compare({str(call): hash_of(outcome)}, what.__name__)
        return outcome.result

    def _simulation(
        self, call: int, what: Simulation, frames: int | None, seed: int | None, players: str | None
    ) -> int:
        settings = self._plugin.settings(self._item.path)
        limit = frames or DEFAULT_FRAMES
        limit = min(limit, settings.frames or limit)
        source = PlayerSource(what, players, DEFAULT_SEED if seed is None else seed, limit)
        rows = [row for row in self._plugin.rows(self._item.path) if row.reason is None]
        run = Verification(what, source, rows, settings.whole, sample_every=what.tick_rate)
        run.run(lambda step, done: None)
        for row in run.rows:
            self._item.user_properties.append((f"samebits.{row.result}", row.name))
        if run.result not in ("same", "not compared"):
            pytest.fail(failure(what, run), pytrace=False)
        self._compare({f"{call}@{f}": f"{value:016x}" for f, value in run.sampled}, what.name)
        return run.sampled[-1][1]

    def _compare(self, found: dict[str, str], what: str) -> None:
        """Compare what a call gave, by its keys, with the file, or keep it for the file."""
        file = self._plugin.goldens(self._item)
        name = self._plugin.name_of(self._item)
        file.used.setdefault(name, set()).update(found)
        if self._plugin.is_update:
            file.written.setdefault(name, {}).update(found)
            return
        known = file.bits.get(name, {})
        for key, value in found.items():
            _, _, frame = key.partition("@")
            where = f" after frame {frame}" if frame else ""
            if key not in known:
                pytest.fail(
                    f"{what} has no golden bits{where} in {file.path}\n"
                    "  fix: look at the result, then write them: pytest --samebits-update",
                    pytrace=False,
                )
            if known[key] != value:
                pytest.fail(
                    f"{what}: the bits{where} are not the golden ones\n"
                    f"  golden  {known[key]}\n"
                    f"  found   {value}\n"
                    "  note: all executions that ran agree: the code has changed, or this machine "
                    "computes otherwise than the one that wrote the file\n"
                    "  fix: where the change is meant, pytest --samebits-update",
                    pytrace=False,
                )


def hash_of(outcome: CallOutcome) -> str:
    """XXH64 over a call's result, memory and trap, as text: each scalar's place, type and bits."""
    lines: list[str] = [] if outcome.trap is None else [f"trap {outcome.trap.kind}"]
    lines += map(_line, result_leaves(outcome.result))
    for name, t, array in outcome.memory:
        single = isinstance(t, StructType) and array.size == 1
        lines += map(_line, memory_leaves(name, t, array, single=single))
    if not lines:
        raise SamebitsError("golden: the call left nothing to compare", fix="return what is meant")
    return f"{xxh64(''.join(lines).encode()):016x}"


def _line(leaf: Leaf) -> str:
    return f"{leaf.place} {leaf.type} {leaf.pattern:x}\n"
