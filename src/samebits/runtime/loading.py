"""Objects for this process: loaded without LLVM where that can be, and small ones of this library's
own, kept in the object cache.

Knows neither what objects compute nor where they are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from samebits.backend import llvm
from samebits.backend.llvm import NO_ADDRESSES, CompiledObject, LoadedObject
from samebits.backend.targets import Target
from samebits.runtime import image
from samebits.runtime.cache import compiler_fingerprint, current_cache, digest
from samebits.runtime.host import llvm_version
from samebits.runtime.image import Image

Loaded = Image | LoadedObject


def load(
    object_bytes: bytes, symbols: Sequence[str], imports: Mapping[str, int] = NO_ADDRESSES
) -> Loaded:
    """An object in this process: as `llvm.load`, by `image.load` where that knows all of it."""
    found = image.load(object_bytes, symbols, imports)
    return llvm.load(object_bytes, symbols, imports) if found is None else found


def own_code(text: str, target: Target) -> bytes:
    """Object code of this library's own LLVM text, which is not optimised, from the cache where
    that has it."""
    store = current_cache()
    if store is None:
        return llvm.compile_text(text, target, 0)
    key = digest("own code", text, repr(target), llvm_version(), compiler_fingerprint())
    found = store.get(key)
    if found is None:
        found = CompiledObject(llvm.compile_text(text, target, 0), ())
        store.put(key, found)
    return found.object_bytes
