"""Entries of the cache on disk: what was put under their key, or nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path
from random import Random

from samebits.backend.objects import CompiledObject, TrapSite
from samebits.errors import Span
from samebits.runtime.cache import pack, unpack
from tests.fuzz.files.engine import Read, Target
from tests.fuzz.files.mutate import EXTREMES, mutated

KEY = "0123456789abcdef" * 2
_HEAD = 18 + 16 + 4
"""Mark, checksum and the length of the trap table."""


class CacheEntries(Target):
    """Nothing here is ever run: whoever can write an entry of this user's runs code anyway."""

    name = "cache"
    errors = ()
    words = (
        b"samebits object 3\n",
        b"\1\0\0\08",
        b"\5\0\0\0index",
        b"\xff\xff\xff\xff",
        b"\xed\xa0\x80",
    )

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
        """Another head, table of traps and all, or another object behind it, or both, and now and
        then another length of the head; under a checksum that holds."""
        if unpack(KEY, data) is None:
            data = self.seeds()[0]
        size = int.from_bytes(data[_HEAD - 4 : _HEAD], "little")
        head, code = data[_HEAD : _HEAD + size], data[_HEAD + size :]
        which = chance.randrange(3)
        if which != 0:
            head = mutated(head, others, self.words, chance)
        if which != 1:
            code = mutated(code, others, self.words, chance)
        claimed = len(head) if chance.random() < 0.9 else chance.choice(EXTREMES) % 2**32
        length, body = claimed.to_bytes(4, "little"), head + code
        checksum = hashlib.blake2b(length, digest_size=16, key=KEY.encode())
        checksum.update(body)
        return data[:18] + checksum.digest() + length + body

    def is_part(self, value: object, of: object) -> bool:
        return value is None
