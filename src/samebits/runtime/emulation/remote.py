"""A program in its own process that serves memory and calls: WebAssembly, or another processor.

Owns the requests that driver.c and wasm_driver.py answer, time limits, and the errors for a program
that crashes, hangs or answers nonsense. Knows nothing of simulations.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import struct
import subprocess
import tempfile
import time
from collections.abc import Sequence

from samebits.errors import RunnerError

MAGIC = 0x73616D6562697473
ALLOCATE, WRITE, READ, CALL = 1, 2, 3, 4
LIMIT_SECONDS = 60.0
"""Time limit of one request."""
_SAID = 200
"""Most characters of a program's last output in a message."""
_MASK = (1 << 64) - 1


class Remote:
    """A running program, started by `command`. Only `close` may be called by several threads at
    once.

    Every method raises RunnerError if the program has crashed, has hung past `limit` seconds, or
    has answered what no driver answers; the program is ended then.
    """

    def __init__(
        self, command: Sequence[str], little_endian: bool, limit: float = LIMIT_SECONDS
    ) -> None:
        self.little_endian = little_endian
        self._limit = limit
        order = "<" if little_endian else ">"
        self._request = struct.Struct(f"{order}3Q")
        self._reply = struct.Struct(f"{order}2Q")
        self._order = order
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                start_new_session=True,  # Ctrl-C is for this process, which ends the program
            )
        except OSError as error:
            self._stderr.close()
            raise RunnerError(f"{command[0]} cannot be started: {error.strerror}") from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        # If it has ended already, the first reply shows it; only Linux has the call.
        with contextlib.suppress(OSError, AttributeError, ImportError):
            import resource

            resource.prlimit(self._process.pid, resource.RLIMIT_CORE, (0, 0))
        for pipe in (self._stdin, self._stdout):
            os.set_blocking(pipe.fileno(), False)
        self.pointer_bytes = self._answer(time.monotonic() + limit)
        if self.pointer_bytes not in (4, 8):
            raise self._nonsense(f"pointers of {self.pointer_bytes} bytes")

    def allocate(self, size: int) -> int:
        """The address of `size` new zeroed bytes, which live until the program ends."""
        address, _ = self._ask(ALLOCATE, size, 0, b"", 0)
        if address == 0:
            raise RunnerError(f"the program has no {size:,} bytes of memory left")
        return address

    def write(self, address: int, data: bytes) -> None:
        """Write `data` to `address`, in allocated memory."""
        if data:
            self._ask(WRITE, address, len(data), data, 0, due=len(data))

    def read(self, address: int, size: int) -> bytes:
        """`size` bytes from `address`, in allocated memory."""
        if not size:
            return b""
        return self._ask(READ, address, size, b"", size, due=size)[1]

    def call(self, entry: int, slots: Sequence[int]) -> tuple[int, tuple[int, ...]]:
        """Call `sb_entry_<entry>`; returns its status, and the slots after it, 0 … 2^64-1 each."""
        words = struct.Struct(f"{self._order}{len(slots)}Q")
        data = words.pack(*(slot & _MASK for slot in slots))
        status, after = self._ask(CALL, entry, len(slots), data, len(data))
        if status >> 32:
            raise self._nonsense(f"status {status}")
        return status, words.unpack(after)

    def close(self) -> None:
        """Kill the program and its children."""
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self.close()
            for stream in (self._stdin, self._stdout, self._stderr):
                with contextlib.suppress(OSError):
                    stream.close()

    def _ask(
        self, what: int, a: int, b: int, data: bytes, size: int, due: int | None = None
    ) -> tuple[int, bytes]:
        """A reply's value, which must be `due` if given, and the `size` bytes after it."""
        deadline = time.monotonic() + self._limit
        self._send(self._request.pack(what, a & _MASK, b) + data, deadline)
        value = self._answer(deadline)
        if due is not None and value != due:
            raise self._nonsense(f"{value} where {due} is due")
        return value, self._receive(size, deadline)

    def _answer(self, deadline: float) -> int:
        head = self._receive(self._reply.size, deadline)
        mark, value = self._reply.unpack(head)
        if mark != MAGIC:
            raise self._nonsense(repr(head))
        return int(value)

    def _send(self, data: bytes, deadline: float) -> None:
        left = memoryview(data)
        while left:
            self._wait(self._stdin.fileno(), selectors.EVENT_WRITE, deadline)
            try:
                left = left[os.write(self._stdin.fileno(), left) :]
            except BlockingIOError:
                continue
            except OSError:
                # Output before its end says more than its exit status.
                said = self._unasked()
                raise (self._nonsense(repr(said)) if said else self._ended()) from None

    def _unasked(self) -> bytes:
        try:
            return os.read(self._stdout.fileno(), self._reply.size)
        except OSError:
            return b""

    def _receive(self, size: int, deadline: float) -> bytes:
        parts: list[bytes] = []
        while size:
            self._wait(self._stdout.fileno(), selectors.EVENT_READ, deadline)
            try:
                part = os.read(self._stdout.fileno(), min(size, 1 << 20))
            except BlockingIOError:
                continue
            if not part:
                raise self._ended()
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _wait(self, descriptor: int, event: int, deadline: float) -> None:
        with selectors.PollSelector() as selector:
            selector.register(descriptor, event)
            if not selector.select(max(0.0, deadline - time.monotonic())):
                self.close()
                raise RunnerError(f"the program hung: no answer within {self._limit:g} s")

    def _nonsense(self, found: str) -> RunnerError:
        self.close()
        return RunnerError(f"the program answered nonsense: {found[:_SAID]}")

    def _ended(self) -> RunnerError:
        """The error for a program that has ended."""
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            self.close()
            return RunnerError("the program closed its output")
        if code < 0:
            try:
                how = f"crashed with {signal.Signals(-code).name}"
            except ValueError:
                how = f"crashed with signal {-code}"
        else:
            how = f"ended with status {code}"
        return RunnerError(f"the program {how}", note=self._last_words())

    def _last_words(self) -> str | None:
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - 4096))
        lines = self._stderr.read().decode(errors="replace").split("\n")
        said = [line.strip() for line in lines if line.strip()]
        return f"its last words: {said[-1][:_SAID]}" if said else None
