"""The simulation that a user names: a file or module, and a name in it."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from types import ModuleType

from samebits.errors import SamebitsError, SimulationError, first_line
from samebits.lang.signal_safe import block
from samebits.sim.simulation import Simulation
from samebits.sim.user_lines import own_line

FORMS = "path.py, path.py:Name or package.module:Name"
LARGEST_SOURCE = 16 << 20
"""Most bytes of a file that is imported."""


def load_simulation(spec: str) -> Simulation:
    """The simulation that `spec` names, in one of `FORMS`.

    Its module is imported, with its folder on the path as for a script. Raises SimulationError
    if it does not import, or if no simulation is named and it has not exactly one.
    """
    place, _, name = spec.rpartition(":")
    if not place or not name.isidentifier():
        place, name = spec, ""
    module = load_module(place)
    if name:
        return _named(module, place, name)
    names_and_values = reversed([*vars(module).items()])
    found = {id(v): (k, v) for k, v in names_and_values if isinstance(v, Simulation)}
    if not found and os.path.isdir(place):
        raise SimulationError(
            f"{place} is a folder, not a simulation's file", fix="name the file in it"
        )
    if not found:
        raise SimulationError(
            f"{place} has no simulation",
            fix="make one in it: NAME = sb.Simulation(name=..., version=..., state=..., ...)",
        )
    names = sorted(name for name, _ in found.values())
    if len(names) > 1:
        raise SimulationError(
            f"{place} has {len(names)} simulations: {', '.join(names)}",
            fix=f"name one of them: {place}:{names[0]}",
        )
    return next(simulation for _, simulation in found.values())


def _named(module: ModuleType, place: str, name: str) -> Simulation:
    value = getattr(module, name, None)
    if isinstance(value, Simulation):
        return value
    found = sorted(k for k, v in vars(module).items() if isinstance(v, Simulation))
    what = f"{place} has no {name}"
    if hasattr(module, name):
        what = f"{place}: {name} is {type(value).__name__}, not a simulation"
    raise SimulationError(
        what,
        fix=f"its simulations are {', '.join(found)}" if found else None,
    )


def load_module(place: str, forms: str = FORMS) -> ModuleType:
    """The module in the file or of the name `place`, with its folder on the path as for a script.

    After that the folder comes last: imports of this library are not looked for there first. Raises
    SimulationError if it does not import; `forms` says what the user may write instead.
    """
    if place.endswith(".py") or os.sep in place:
        return _import_file(Path(place), forms)
    with _first_on_the_path(os.getcwd()):
        try:
            exists = importlib.util.find_spec(place) is not None
        except ValueError:
            exists = False
        except BaseException as error:  # its package may raise anything
            lacks = error.name if isinstance(error, ModuleNotFoundError) else None
            if lacks is None or not f"{place}.".startswith(f"{lacks}."):
                raise _does_not_import(place, error, None) from None
            exists = False
        if not exists:
            raise SimulationError(f"there is no module {place!r}", fix=f"give {forms}")
        try:
            with _output_aside():
                return importlib.import_module(place)
        except BaseException as error:  # a script may raise anything
            raise _does_not_import(place, error, None) from None


def _first_on_the_path(folder: str) -> AbstractContextManager[None]:
    """Put a folder first on the module path while the block runs, and last after that."""
    if folder in sys.path:
        return nullcontext()
    path = sys.path
    # Removes the first of the two, or, if the module has removed that itself, the one just added.
    leave = [partial(path.append, folder), partial(path.remove, folder)]
    return block([partial(path.insert, 0, folder)], leave)


def _output_aside() -> AbstractContextManager[None]:
    """Redirect standard output to standard error inside the block."""
    put = partial(setattr, sys, "stdout")
    return block([partial(put, sys.stderr)], [partial(put, sys.stdout)])


def _import_file(path: Path, forms: str) -> ModuleType:
    if not path.is_file():
        what = f"{path} is not a regular file" if path.exists() else f"there is no file {path}"
        raise SimulationError(what, fix=f"give {forms}")
    if path.stat().st_size > LARGEST_SOURCE:
        raise SimulationError(f"{path} has more than {LARGEST_SOURCE:,} bytes", fix=f"give {forms}")
    path = Path(os.path.realpath(path))
    known = sys.modules.get(path.stem)
    file = getattr(known, "__file__", None)
    if known is not None and file and Path(os.path.realpath(file)) == path:
        return known
    # A file may be named like a module that is loaded; then its module gets another name.
    name = path.stem if known is None else f"{path.stem} of {path.parent}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SimulationError(
            f"{path} does not have the name of a Python file", fix=f"give {forms}"
        )
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        # What it prints while it loads is not part of a command's output.
        with _first_on_the_path(str(path.parent)), _output_aside():
            spec.loader.exec_module(module)
    except BaseException as error:  # a script may raise anything
        del sys.modules[name]
        raise _does_not_import(path.name, error, path) from None
    return module


def _does_not_import(place: str, error: BaseException, path: Path | None) -> BaseException:
    """An error with the line of the user's own code that failed; an interrupt stays one."""
    if isinstance(error, KeyboardInterrupt):
        return error
    if isinstance(error, SamebitsError):
        span = error.span or own_line(error, path)
        return SimulationError(
            f"{place} does not import: {error.message}", span=span, note=error.note, fix=error.fix
        )
    return SimulationError(
        f"{place} does not import: {type(error).__name__}: {_first_line(error)}",
        span=own_line(error, path),
    )


def _first_line(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return error.msg
    return first_line(error)[:200]
