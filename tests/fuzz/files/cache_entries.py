"""Entries of the cache on disk: what was put under their key, or nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path
from random import Random

from samebits.backend.objects import CompiledObject, TrapSite
from samebits.errors import Span
from samebits.runtime.cache import pack, unpack
from tests.fuzz.files.engine import Read, Target
from tests.fuzz.files.mutate import mutated

KEY = "0123456789abcdef" * 2
_HEAD = 18 + 16 + 4
"""Mark, checksum and the length of the trap table."""


class CacheEntries(Target):
    """Nothing here is ever run: whoever can write an entry of this user's runs code anyway."""

    name = "cache"
    errors = ()
    words = (b"samebits object 1\n", b"null", b"[]", b'["index", null, "f", "g", 1, 2, 3, 4]')

    def __init__(self, folder: Path) -> None:
        pass

    def seeds(self) -> list[bytes]:
        traps = tuple(
            TrapSite(kind, Span("a.py", "step", line, 4, line, 9), detail)
            for line, (kind, detail) in enumerate((("index", None), ("assert", "it is so")), 3)
        )
        found = (CompiledObject(b"\x7fELF" + bytes(range(60)), traps), CompiledObject(b"", ()))
        return [pack(KEY, compiled) for compiled in found]

    def read(self, data: bytes) -> Read:
        compiled = unpack(KEY, data)
        if compiled is None:
            return Read(None, False)
        assert isinstance(compiled.object_bytes, bytes)
        assert all(isinstance(trap, TrapSite) for trap in compiled.traps)
        assert pack(KEY, compiled)
        assert unpack(KEY[::-1], data) is None, "an entry of another key"
        return Read((compiled.object_bytes, compiled.traps), True)

    def forged(self, data: bytes, others: list[bytes], chance: Random) -> bytes:
        """Another object behind a sound table of traps, under a checksum that holds."""
        if unpack(KEY, data) is None:
            data = self.seeds()[0]
        size = data[_HEAD - 4 : _HEAD]
        table = _HEAD + int.from_bytes(size, "little")
        body = data[_HEAD:table] + mutated(data[table:], others, self.words, chance)
        checksum = hashlib.blake2b(size, digest_size=16, key=KEY.encode())
        checksum.update(body)
        return data[:18] + checksum.digest() + size + body

    def is_part(self, value: object, of: object) -> bool:
        return value is None
