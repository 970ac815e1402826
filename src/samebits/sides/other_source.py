"""Another version of a simulation's source beside the first, in one process.

Owns how its modules are kept apart from the first one's, and what both must have in common.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from samebits.errors import SideError
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation
from samebits.types import FixedArrayType, MemoryType, ScalarType, StructType, VectorType

_LIBRARY = __name__.partition(".")[0]


def load_version(spec: str, beside: Simulation) -> Simulation:
    """The simulation that `spec` names, whose states and inputs are those of `beside`.

    `spec` is as of `load_simulation`, whose errors it raises; SideError where the two do not fit.
    """
    path = Path(spec.rpartition(":")[0] or spec)
    path = path if path.suffix == ".py" else Path(spec)
    with _apart(Path(os.path.realpath(path)).parent, _folder(beside)):
        found = load_simulation(spec)
    _check(found, beside, spec)
    return found


def _folder(simulation: Simulation) -> Path:
    return Path(simulation.step.function.__code__.co_filename).resolve().parent


@contextmanager
def _apart(folder: Path, other: Path) -> Generator[None]:
    """Inside, modules of `folder` are imported from there, also those of a name that a module of
    folder `other` has."""
    if folder == other:
        yield
        return
    loaded = sys.modules
    tops = {name for name, module in loaded.items() if _stands_in(module, other)}
    hidden = {name: loaded[name] for name in loaded if name.partition(".")[0] in tops}
    kept, before = {*loaded}, sys.path[:]
    rest = [p for p in before if Path(os.path.realpath(p or ".")) != other]
    try:
        for name in hidden:
            del loaded[name]
        sys.path[:] = [str(folder), *rest]
        yield
    finally:
        for name in loaded.keys() - kept:
            if _stands_in(loaded[name], folder):
                del loaded[name]  # another version may have a module of that name too
        loaded.update(hidden)
        sys.path[:] = before


def _stands_in(module: ModuleType, folder: Path) -> bool:
    """Whether it is a module or a package right in the folder."""
    file = getattr(module, "__file__", None)
    if not file or module.__name__ in ("__main__", _LIBRARY):
        return False
    path = Path(os.path.realpath(file))
    return (path.parent.parent if path.stem == "__init__" else path.parent) == folder


def _check(found: Simulation, beside: Simulation, spec: str) -> None:
    pairs = (("state", beside.state_type, found.state_type),
             ("input", beside.input_type, found.input_type))  # fmt: skip
    for what, expected, t in pairs:
        difference = _unlike(expected, t, what)
        if difference is not None:
            raise SideError(
                f"the {what} of {spec} is not laid out as that of '{beside.name}': {difference}",
                note="frames can be compared between versions whose states and inputs are alike",
                fix="give a version before or after the change of the layout",
            )
    if found.players != beside.players:
        raise SideError(
            f"{spec} is for {found.players} players, and '{beside.name}' for {beside.players}"
        )


def _unlike(a: MemoryType, b: MemoryType, path: str) -> str | None:
    """The first place where two types are not alike, and how; their names do not count."""
    match a, b:
        case StructType(), StructType():
            for (name, x), (other, y) in zip(a.fields, b.fields, strict=False):
                if name != other:
                    return f"{path}.{name} is called {other}"
                if found := _unlike(x, y, f"{path}.{name}"):
                    return found
            if len(a.fields) != len(b.fields):
                return f"{path} has {len(b.fields)} fields, not {len(a.fields)}"
            return None
        case FixedArrayType(), FixedArrayType() if a.shape == b.shape:
            return _unlike(a.element, b.element, f"{path}[]")
        case (ScalarType() | VectorType(), ScalarType() | VectorType()) if a == b:
            return None
        case _:
            return f"{path} is {b}, not {a}"
