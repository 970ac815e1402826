"""The shared functions of the math library in this process, called by every kernel.

They are compiled once and stored in the object cache.

Owns their addresses. Knows nothing of kernels; `text.shared_functions` says what is shared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from samebits.backend.objects import CompiledObject, symbol_of
from samebits.runtime.cache import ObjectCache, compiler_fingerprint, digest, object_key
from samebits.runtime.objects.host import llvm_version
from samebits.runtime.objects.loading import load

if TYPE_CHECKING:
    from samebits.backend.request import Request
    from samebits.backend.targets.table import Target
    from samebits.backend.text.shared_functions import SharedFunction
    from samebits.runtime.objects.loading import Loaded

_places: dict[str, tuple[int, Loaded]] = {}
"""Addresses by key, and the objects that keep the code loaded. Two threads may load the same
functions: both copies are valid, and both stay loaded."""
_kept: set[tuple[Path, str]] = set()
"""Objects that this process has tried to store, by folder: a failure is not retried."""


def cached(
    request: Request, store: ObjectCache | None, make: Callable[[], CompiledObject] | None = None
) -> tuple[CompiledObject, str]:
    """The object of a request, and its key: from the store if it has one, else from `make` or
    `compiled_here`, and then stored. Without a store the key is empty."""
    if store is None:
        return (make or (lambda: compiled_here(request, None)))(), ""
    from samebits.ir.text import text_of

    names = [*request.entries, *(f"range {name}" for name in request.ranges)]
    text, mode = text_of(request.module), request.mode.name
    key = object_key(text, names, mode, request.target, request.opt)
    compiled = found_in(store, key)
    if compiled is None:
        compiled = compiled_here(request, store) if make is None else make()
        store.put(key, compiled)
    return compiled, key


def compiled_here(request: Request, store: ObjectCache | None) -> CompiledObject:
    """Object code for this process; the shared functions that it calls are then loaded, and stored.

    At level 0, for a debugger and under overrides nothing is shared: everything that an entry
    reaches is in its object.
    """
    from samebits.backend.text.overrides import NONE

    if request.is_debugged:
        return request.debuggable()
    if not request.opt or request.overrides != NONE:
        return request.compiled(threads=True)
    from samebits.backend.llvm.compile import compile_for_process

    compiled, shared = compile_for_process(
        request.optimised, request.entries, request.target, ranges=request.ranges
    )
    provide(shared, request.target, store)
    return compiled


def found_in(store: ObjectCache, key: str) -> CompiledObject | None:
    """An object of the store, if all shared functions that it calls are, or can be, loaded."""
    compiled = store.get(key)
    return compiled if compiled is not None and are_here(compiled.needs, store) else None


def provide(functions: Sequence[SharedFunction], target: Target, store: ObjectCache | None) -> None:
    """Load shared functions and store them, compiling those that are not stored."""
    missing = [f for f in functions if not _is_here(f.key, store)]
    if not missing:
        return
    from samebits.backend.llvm.compile import compile_shared

    for profile in dict.fromkeys((f.kind, f.optnone) for f in missing):
        batch = [f for f in missing if (f.kind, f.optnone) == profile]
        compiled, more = compile_shared(batch, target)
        provide(more, target, store)
        if store is not None:
            _keep(store, compiled)
        if not all(key in _places for key in compiled.has):
            _load(compiled)


def are_here(keys: Sequence[str], store: ObjectCache) -> bool:
    """Whether shared functions are loaded, after loading them if stored; False if some must be
    compiled."""
    return all([key in _places or _read(key, store) for key in keys])


def addresses_of(keys: Sequence[str]) -> dict[str, int]:
    """The addresses of shared functions by symbol, valid until the process ends. Raises KeyError if
    one is not loaded."""
    return {symbol_of(key): _places[key][0] for key in keys}


def _is_here(key: str, store: ObjectCache | None) -> bool:
    if store is None:
        return key in _places
    if key not in _places:
        return _read(key, store)
    return (store.directory, key) in _kept or store.get_front(_front(key)) is not None


def _front(key: str) -> str:
    """The key under which a store maps a shared function to its object."""
    return digest("shared", key, llvm_version(), compiler_fingerprint())


def _keep(store: ObjectCache, compiled: CompiledObject) -> None:
    key_of_object = digest("shared object", *map(_front, compiled.has))
    store.put(key_of_object, compiled)
    for key in compiled.has:
        store.put_front(_front(key), key_of_object)
        _kept.add((store.directory, key))


def _read(key: str, store: ObjectCache) -> bool:
    """Load the object that has a function, and those that it calls, from the store."""
    noted = store.get_front(_front(key))
    found = None if noted is None else store.get(noted)
    if found is None or key not in found.has or not are_here(found.needs, store):
        return False
    _load(found)
    return True


def _load(compiled: CompiledObject) -> None:
    symbols = [symbol_of(key) for key in compiled.has]
    loaded = load(compiled.object_bytes, symbols, addresses_of(compiled.needs))
    for key, symbol in zip(compiled.has, symbols, strict=True):
        _places.setdefault(key, (loaded.addresses[symbol], loaded))
