"""Another version of a simulation's source, loaded beside the first in one process.

Owns how its modules are isolated from the first one's, and what both must have in common.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType

from samebits.errors import SideError
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation
from samebits.types import FixedArrayType, MemoryType, ScalarType, StructType, VectorType

_LIBRARY = __name__.partition(".")[0]


def load_version(spec: str, beside: Simulation, any_state: bool = False) -> Simulation:
    """The simulation that `spec` names, with the same inputs as `beside`, and the same states or,
    with `any_state`, states of any layout.

    `spec` is read by `load_simulation`, whose errors it raises; SideError if the two do not match.
    """
    path = Path(spec.rpartition(":")[0] or spec)
    path = path if path.suffix == ".py" else Path(spec)
    other = Path(beside.step.function.__code__.co_filename).resolve().parent
    with _isolated(Path(os.path.realpath(path)).parent, other):
        found = load_simulation(spec)
    _check(found, beside, spec, any_state)
    return found


@contextmanager
def _isolated(folder: Path, other: Path) -> Generator[None]:
    """A context in which modules of `folder` are imported from there, even if a module of folder
    `other` has the same name."""
    if folder == other:
        yield
        return

    @cache
    def real(path: str) -> str:
        return os.path.realpath(path)

    loaded = sys.modules
    tops = {name for name, module in loaded.items() if folder_of(module, real) == str(other)}
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
            if folder_of(loaded[name], real) == str(folder):
                del loaded[name]  # another version may have a module of that name too
        loaded.update(hidden)
        sys.path[:] = before


def folder_of(module: ModuleType, real: Callable[[str], str]) -> str | None:
    """The folder that a module or package is directly in, links followed; `real` does so for the
    folders of files, of which many have the same."""
    file = getattr(module, "__file__", None)
    if not file or module.__name__ in ("__main__", _LIBRARY):
        return None
    if os.path.islink(file):
        file = os.path.realpath(file)
    folder, name = os.path.split(file)
    folder = real(folder)
    return os.path.dirname(folder) if os.path.splitext(name)[0] == "__init__" else folder


def _check(found: Simulation, beside: Simulation, spec: str, any_state: bool) -> None:
    pairs = (("state", beside.state_type, found.state_type),
             ("input", beside.input_type, found.input_type))  # fmt: skip
    for what, expected, t in pairs[any_state:]:
        difference = _layout_difference(expected, t, what)
        if difference is not None:
            raise SideError(
                f"the {what} of {spec} has another layout than that of '{beside.name}': "
                f"{difference}",
                note="frames can be compared only between versions with equal states and inputs",
                fix="give a version before or after the change of the layout",
            )
    if found.players != beside.players:
        raise SideError(
            f"{spec} is for {found.players} players, and '{beside.name}' for {beside.players}"
        )


def _layout_difference(a: MemoryType, b: MemoryType, path: str) -> str | None:
    """The first difference between two layouts, in words; names of types do not count."""
    match a, b:
        case StructType(), StructType():
            for (name, x), (other, y) in zip(a.fields, b.fields, strict=False):
                if name != other:
                    return f"{path}.{name} is called {other}"
                if found := _layout_difference(x, y, f"{path}.{name}"):
                    return found
            if len(a.fields) != len(b.fields):
                return f"{path} has {len(b.fields)} fields, not {len(a.fields)}"
            return None
        case FixedArrayType(), FixedArrayType() if a.shape == b.shape:
            return _layout_difference(a.element, b.element, f"{path}[]")
        case (ScalarType() | VectorType(), ScalarType() | VectorType()) if a == b:
            return None
        case _:
            return f"{path} is {b}, not {a}"
