"""The driver of a WebAssembly module in wasmtime, which answers `remote` over pipes.

A script, started with a module's path: it imports nothing of samebits.
"""

from __future__ import annotations

import struct
import sys
from typing import Any, BinaryIO

MAGIC = 0x73616D6562697473
PAGE = 1 << 16
SLOTS = 256


def serve(path: str, requests: BinaryIO, replies: BinaryIO) -> None:
    """Answer until `requests` ends. Raises what wasmtime raises if the module traps."""
    import wasmtime

    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    with open(path, "rb") as file:
        module = wasmtime.Module(engine, file.read())
    exports = wasmtime.Instance(store, module, []).exports(store)
    memory: Any = exports["memory"]
    memory.grow(store, 1)
    end: int = memory.data_len(store)
    slots = end - PAGE

    def reply(value: int, data: bytes | bytearray = b"") -> None:
        replies.write(struct.pack("<2Q", MAGIC, value))
        replies.write(data)
        replies.flush()

    reply(4)
    while True:
        head = requests.read(24)
        if len(head) < 24:
            return
        what, a, b = struct.unpack("<3Q", head)
        if what == 1:
            place, end = end, end + ((a + 63) & ~63)
            more = -(-(end - memory.data_len(store)) // PAGE)
            try:
                if more > 0:
                    memory.grow(store, more)
            except wasmtime.WasmtimeError:
                place, end = 0, place
            reply(place)
        elif what == 2:
            memory.write(store, requests.read(b), a)
            reply(b)
        elif what == 3:
            reply(b, memory.read(store, a, a + b))
        elif what == 4 and b <= SLOTS:
            memory.write(store, requests.read(8 * b), slots)
            entry: Any = exports[f"sb_entry_{a}"]
            status = entry(store, slots) & 0xFFFFFFFF
            reply(status, memory.read(store, slots, slots + 8 * b))
        else:
            sys.exit(3)


if __name__ == "__main__":
    serve(sys.argv[1], sys.stdin.buffer, sys.stdout.buffer)
