"""The shared functions of the math library in this process: compiled once, kept in the object
cache, called by every kernel.

Owns where they are. Knows nothing of kernels; `backend.shared` says what is shared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from samebits.backend.objects import CompiledObject, symbol_of
from samebits.backend.text.overrides import NONE
from samebits.runtime.cache import ObjectCache, compiler_fingerprint, digest, object_key
from samebits.runtime.objects.host import llvm_version
from samebits.runtime.objects.loading import load

if TYPE_CHECKING:
    from samebits.backend.request import Request
    from samebits.backend.targets.table import Target
    from samebits.backend.text.shared_functions import SharedFunction
    from samebits.runtime.objects.loading import Loaded

_places: dict[str, tuple[int, Loaded]] = {}
"""Addresses by key, and what keeps the code there. Two threads may load the same functions: each
code is as good as the other, and both stay."""
_kept: set[tuple[Path, str]] = set()
"""What this process has put into which folder: one that does not take it isn't asked again."""


def cached(
    request: Request, store: ObjectCache | None, make: Callable[[], CompiledObject] | None = None
) -> tuple[CompiledObject, str]:
    """The object of a request and its key: from the store where that has it, else from `make` or
    `compiled_here`, and from now on in the store. Without a store the key is empty."""
    if store is None:
        return (make or (lambda: compiled_here(request, None)))(), ""
    from samebits.ir.text import print_module

    names = [*request.entries, *(f"range {name}" for name in request.ranges)]
    text, mode = print_module(request.module), request.mode.name
    key = object_key(text, names, mode, request.target, request.opt)
    compiled = found_in(store, key)
    if compiled is None:
        compiled = compiled_here(request, store) if make is None else make()
        store.put(key, compiled)
    return compiled, key


def compiled_here(request: Request, store: ObjectCache | None) -> CompiledObject:
    """Object code for this process, and what it calls, which is loaded, and in the store.

    At level 0 and under overrides nothing is shared: all that an entry leads to is in its object.
    """
    if not request.opt or request.departures != NONE:
        return request.compiled(threads=True)
    from samebits.backend.llvm.compile import compile_for_process

    compiled, shared = compile_for_process(
        request.optimised, request.entries, request.target, ranges=request.ranges
    )
    provide(shared, request.target, store)
    return compiled


def found_in(store: ObjectCache, key: str) -> CompiledObject | None:
    """An object of the store, where all that it calls is here: loaded now at the latest."""
    compiled = store.get(key)
    return compiled if compiled is not None and are_here(compiled.needs, store) else None


def provide(functions: Sequence[SharedFunction], target: Target, store: ObjectCache | None) -> None:
    """Have shared functions loaded, and in the store: compiled if they are in neither."""
    missing = [f for f in functions if not _is_here(f.key, store)]
    if not missing:
        return
    from samebits.backend.llvm.compile import compile_shared

    for plan in dict.fromkeys((f.kind, f.hasty) for f in missing):
        batch = [f for f in missing if (f.kind, f.hasty) == plan]
        compiled, more = compile_shared(batch, target)
        provide(more, target, store)
        if store is not None:
            _keep(store, compiled)
        if not all(key in _places for key in compiled.has):
            _load(compiled)


def are_here(keys: Sequence[str], store: ObjectCache) -> bool:
    """Whether shared functions are loaded, now at the latest; False where some must be compiled."""
    return all([key in _places or _read(key, store) for key in keys])


def addresses_of(keys: Sequence[str]) -> dict[str, int]:
    """The addresses of shared functions by symbol, which hold until the process ends. Raises
    KeyError where one is not here."""
    return {symbol_of(key): _places[key][0] for key in keys}


def _is_here(key: str, store: ObjectCache | None) -> bool:
    if store is None:
        return key in _places
    if key not in _places:
        return _read(key, store)
    return (store.directory, key) in _kept or store.get_front(_front(key)) is not None


def _front(key: str) -> str:
    """Under what key a store notes the object that has a shared function."""
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
