"""Generated modules in this process: imported from files, lowered, optimised, checked."""

from __future__ import annotations

import importlib.util
import linecache
import sys
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from samebits.errors import SamebitsError, SamebitsWarning
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Module
from samebits.ir.interp.evaluator import Evaluator
from samebits.ir.text import parse_module, print_module
from samebits.ir.verify import verify
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.passes.semantics.float_modes import lower_float_modes, rewrites
from samebits.types import StructType, Type
from tests.fuzz.scope import value_items


class DisagreementError(AssertionError):
    """Two executions gave different bits, or one broke down."""


@dataclass(frozen=True)
class Loaded:
    """A program in this process: its module, the entry kernel and the entry's IR."""

    module: ModuleType
    kernel: Any
    ir: Module
    symbol: str
    params: tuple[Type, ...]
    results: tuple[Type, ...]
    evaluator: Evaluator
    optimised: Module
    optimised_evaluator: Evaluator
    rewritten: bool
    """Whether its mode rewrites it, so that managed, which follows the source, is no reference."""

    def struct_type(self, name: str) -> StructType:
        t = getattr(self.module, name).__sb_type__
        assert isinstance(t, StructType)
        return t

    @property
    def structs(self) -> tuple[StructType, ...]:
        return tuple(t for t in self.results if isinstance(t, StructType))


class Workspace:
    """A folder of generated modules, which vanish from the process when it is left. Of every
    `texts` modules, the IR of one is also read back from its text."""

    def __init__(self, texts: int = 1) -> None:
        self._texts = texts
        self._folder = tempfile.TemporaryDirectory(prefix="samebits-fuzz-")
        self._names: list[str] = []

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        for name in self._names:
            sys.modules.pop(name, None)
        linecache.clearcache()
        self._folder.cleanup()

    def load(self, source: str, entry: str) -> Loaded:
        """Import `source` and lower its entry kernel. Raises what the front end raises."""
        return self.load_all(source, [entry])[0]

    def load_all(self, source: str, entries: Sequence[str]) -> list[Loaded]:
        """Import `source` and lower several kernels of it."""
        is_read = len(self._names) % self._texts == 0
        return [load_kernel(kernel, is_read) for kernel in self.imported(source, entries)]

    def imported(self, source: str, entries: Sequence[str]) -> list[Any]:
        """Import `source`: several kernels of it."""
        name = f"fuzzed_{len(self._names)}"
        path = Path(self._folder.name, f"{name}.py")
        path.write_text(source)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        self._names.append(name)
        spec.loader.exec_module(module)
        return [getattr(module, entry) for entry in entries]


def load_kernel(kernel: Kernel, is_read: bool = True) -> Loaded:
    """Lower a kernel that has been imported in the ordinary way, and run the passes on it.

    Raises DisagreementError where IR breaks a rule or, if `is_read`, does not survive its text.
    """
    ir, symbol, params, result = lower(kernel)
    rewritten = bool(rewrites(link(compile_kernel(kernel, params))))
    _check_ir(ir, "lowered", is_read)
    optimised = optimise(ir, [symbol])
    _check_ir(optimised, "optimised", is_read)
    return Loaded(
        sys.modules[kernel.function.__module__], kernel, ir, symbol, params, value_items(result),
        Evaluator(ir), optimised, Evaluator(optimised), rewritten,
    )  # fmt: skip


def _check_ir(module: Module, state: str, is_read: bool) -> None:
    try:
        verify(module)
    except SamebitsError as error:
        raise DisagreementError(f"{state} IR: {error}") from error
    if not is_read:
        return
    text = print_module(module)
    if print_module(parse_module(text)) != text:
        raise DisagreementError(f"{state} IR: its text does not parse to the same IR")


def lower(kernel: Kernel) -> tuple[Module, str, tuple[Type, ...], Type]:
    """IR module, symbol, parameter types and result type of a kernel without type variables."""
    types = kernel.fixed_types
    assert types is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SamebitsWarning)  # what is drawn wraps where it may
        unit = compile_kernel(kernel, types)
    return lower_float_modes(link(unit)), unit.function.name, types, unit.callee.result
