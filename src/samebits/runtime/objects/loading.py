"""Objects for this process: loaded without LLVM where that can be, and small ones of this library's
own, kept in the object cache.

Knows neither what objects compute nor where they are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from samebits.backend.objects import NO_ADDRESSES, CompiledObject
from samebits.compiling import lock
from samebits.runtime.cache import compiler_fingerprint, current_cache, digest
from samebits.runtime.objects import image
from samebits.runtime.objects.host import llvm_version
from samebits.runtime.objects.image import Image

if TYPE_CHECKING:
    from samebits.backend.llvm.engine import LoadedObject
    from samebits.backend.targets.table import Target

    Loaded = Image | LoadedObject


def load(
    object_bytes: bytes, symbols: Sequence[str], imports: Mapping[str, int] = NO_ADDRESSES
) -> Loaded:
    """An object in this process: as `llvm.load`, by `image.load` where that knows all of it."""
    found = image.load(object_bytes, symbols, imports)
    if found is not None:
        return found
    with lock():
        from samebits.backend.llvm import engine

    return engine.load(object_bytes, symbols, imports)


def own_code(text: str, target: Target) -> bytes:
    """Object code of this library's own LLVM text, which is not optimised, from the cache where
    that has it."""
    store = current_cache()
    key = None
    if store is not None:
        key = digest("own code", text, repr(target), llvm_version(), compiler_fingerprint())
        found = store.get(key)
        if found is not None:
            return found.object_bytes
    with lock():
        from samebits.backend.llvm import engine

    made = engine.compile_text(text, target, 0)
    if store is not None and key is not None:
        store.put(key, CompiledObject(made, ()))
    return made
