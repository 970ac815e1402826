"""The loading of objects into this process, without LLVM if possible.

The library's own small objects come from here too; the object cache stores them.

Knows neither what objects compute nor where they are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from samebits.backend.objects import NO_ADDRESSES, CompiledObject
from samebits.compiling import lock
from samebits.runtime.cache import compiler_fingerprint, current_cache, digest
from samebits.runtime.objects import image
from samebits.runtime.objects.host import host, host_target
from samebits.runtime.objects.image import LoadedImage

if TYPE_CHECKING:
    from samebits.backend.llvm.engine import LoadedObject

    Loaded = LoadedImage | LoadedObject


def load(
    object_bytes: bytes, symbols: Sequence[str], imports: Mapping[str, int] = NO_ADDRESSES
) -> Loaded:
    """As `engine.load`, but by `image.load` if that supports the object."""
    found = image.load(object_bytes, symbols, imports)
    if found is not None:
        return found
    with lock():
        from samebits.backend.llvm import engine

    return engine.load(object_bytes, symbols, imports)


def own_code(text: str | Callable[[], str], name: str = "") -> bytes:
    """Object code for this host of LLVM text of this library's own, not optimised, from the cache
    if it has it.

    What makes a text is called where that has not: then `name` is all that the text depends on
    beside the host and the library's sources.
    """
    store, here = current_cache(), host()
    key = None
    if store is not None:
        about = text if isinstance(text, str) else f"of {name}"
        key = digest("own code", about, *here.row, here.llvm, compiler_fingerprint())
        found = store.get(key)
        if found is not None:
            return found.object_bytes
    with lock():
        from samebits.backend.llvm import engine

    made = engine.compile_text(text if isinstance(text, str) else text(), host_target(), 0)
    if store is not None and key is not None:
        store.put(key, CompiledObject(made, ()))
    return made
