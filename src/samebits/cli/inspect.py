"""`samebits inspect`: what one kernel compiles to, as text, JSON or an HTML page."""

from __future__ import annotations

import builtins
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType

import samebits
from samebits.cli.exit_status import SAME
from samebits.cli.named import words
from samebits.cli.pages import check_page, write_page
from samebits.cli.terminal import write_coloured
from samebits.errors import SimulationError
from samebits.inspection.inspection import inspect
from samebits.inspection.text import DEFAULT, check_sections, coloured, render
from samebits.lang.kernel import Kernel
from samebits.lang.overloads import Overloads
from samebits.sim.load import load_module
from samebits.sim.simulation import Simulation

KERNEL_FORMS = "path.py:function, package.module:function, path.py:Struct.method or path.py:Job"


@dataclass(frozen=True)
class InspectOptions:
    """The command's options as they were typed."""

    kernel: str
    target: str | None
    show: str | None
    opt: int
    types: str | None
    all: bool
    json: bool
    html: str | None
    color: bool | None


def run(options: InspectOptions) -> int:
    """Inspect and print; return the exit status."""
    if options.html is not None:
        check_page(options.html)
    show = None if options.show is None else check_sections(words("--show", options.show))
    kernel, module = find_kernel(options.kernel)
    types = None if options.types is None else _types(options.types, module)
    found = inspect(kernel, types=types, target=options.target, opt=options.opt)
    page = "" if options.html is None else found.html()
    if options.html is not None:
        write_page(options.html, page)
    color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    sections = DEFAULT if show is None else show
    if options.json:
        print(json.dumps(found.json(), indent=1))
    elif options.html is not None:
        size = len(page.encode())
        print(f"{options.html}: {found.kernel} on {found.target.name}, {size:,} bytes")
    elif color if options.color is None else options.color:
        write_coloured(
            lambda begin: render(found, sections, partial(coloured, begin=begin), options.all)
        )
    else:
        print(render(found, sections, library=options.all))
    return SAME


def find_kernel(spec: str) -> tuple[object, ModuleType]:
    """The kernel that `spec` names, in one of `KERNEL_FORMS`, and its module; a simulation's step.

    Raises SimulationError if the module does not import or has no such kernel.
    """
    place, _, name = spec.rpartition(":")
    if not place or not all(part.isidentifier() for part in name.split(".")):
        place, name = spec, ""
    module = load_module(place, KERNEL_FORMS)
    if not name:
        simulations = {id(v): v for v in vars(module).values() if isinstance(v, Simulation)}
        if len(simulations) == 1:
            return next(iter(simulations.values())).step, module
        some = next(iter(_kernels(module)), "function")
        raise SimulationError(f"{spec} does not say which kernel", fix=f"name one: {place}:{some}")
    value: object = module
    for part in name.split("."):
        if not hasattr(value, part):
            raise SimulationError(f"{place} has no {name}", fix=_known(module))
        value = getattr(value, part)
    if isinstance(value, Simulation):
        value = value.step
    if not _is_kernel(value):
        raise SimulationError(
            f"{place}: {name} is {type(value).__name__}, not a kernel", fix=_known(module)
        )
    return value, module


def _is_kernel(value: object) -> bool:
    is_job = isinstance(value, type) and "__sb_job__" in vars(value)
    return is_job or isinstance(value, Kernel | Overloads)


def _kernels(module: ModuleType) -> list[str]:
    return sorted(k for k, v in vars(module).items() if _is_kernel(v))


def _known(module: ModuleType) -> str:
    names = _kernels(module)
    return f"its kernels are {', '.join(names)}" if names else f"give {KERNEL_FORMS}"


def _types(text: str, module: ModuleType) -> Sequence[object]:
    """The annotations in `text`, evaluated in the kernel's module."""
    scope = {**vars(builtins), **vars(samebits), **vars(module), "sb": samebits}
    try:
        found: object = eval(f"({text},)", scope)
    except Exception as error:
        raise SimulationError(
            f"--types {text!r} can't be read",
            note=f"{type(error).__name__}: {error}",
            fix='write the types with commas, as in --types "float32, Array[float32]"',
        ) from None
    assert isinstance(found, tuple)
    return found  # pyright: ignore[reportUnknownVariableType]
