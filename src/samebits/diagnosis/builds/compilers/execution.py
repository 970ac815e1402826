"""An execution of a simulation by a program of its own, which was built from plain C."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import IO

import numpy as np
from numpy.typing import NDArray

from samebits.bits import from_canonical, to_canonical, xxh64
from samebits.errors import RunnerError
from samebits.sim.execution import Advance, Execution
from samebits.sim.inputs import Inputs
from samebits.sim.program import Program

_MOST_FRAMES = 1024
"""Frames of which the program may answer the hashes before anybody reads them."""
INIT = -1
_CHUNK = 64
_NUMBER = struct.Struct("=Q")


class BuiltExecution(Execution):
    """The program `file`, which ends after `seconds`. It begins with the canonical state `begins`,
    if one is given, in place of what its `init` leaves. Any method may raise RunnerError where it
    has crashed or ended; `close` ends it."""

    def __init__(
        self, program: Program, file: Path, seconds: float, begins: bytes | None = None
    ) -> None:
        super().__init__(program)
        self._begins = begins
        try:
            self._process = subprocess.Popen(
                [file],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=file.parent,
            )
        except OSError as error:
            raise RunnerError(f"what a compiler built cannot be run: {error}") from None
        self._limit = Timer(seconds, self._process.kill)
        self._limit.daemon = True
        self._limit.start()

    def close(self) -> None:
        self._limit.cancel()
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self._process.wait()

    def start(self, seed: int) -> None:
        self._init(seed)
        if self._begins is not None:
            self.restore(self._begins)
            self.first_hash = xxh64(self._begins)

    def _init(self, seed: int) -> None:
        self.first_hash = _NUMBER.unpack(self._asked(b"i" + _NUMBER.pack(seed), _NUMBER.size))[0]

    def advance(self, inputs: Inputs) -> Advance:
        hashes = [np.zeros(0, np.uint64)]
        for first in range(0, len(inputs), _MOST_FRAMES):
            rows = inputs[first : first + _MOST_FRAMES]
            command = b"f" + _NUMBER.pack(len(rows)) + rows.tobytes()
            answer = self._asked(command, _NUMBER.size * len(rows))
            hashes.append(np.frombuffer(answer, np.uint64))
        return Advance(np.concatenate(hashes), None)

    def parting(self, seed: int, rows: Inputs, known: Mapping[int, int]) -> int | None:
        """The first frame of a run from `init` on whose known hash it does not give, `INIT` for the
        state that `init` leaves; None if it gives all."""
        self.start(seed)
        if known.get(INIT, self.first_hash) != self.first_hash:
            return INIT
        at, size = 0, 1
        while at < len(rows):
            hashes = self.advance(rows[at : at + size]).hashes
            for number, found in enumerate(hashes, at):
                if known.get(number, found) != found:
                    return number
            at, size = at + len(hashes), min(2 * size, _CHUNK)
        return None

    def hash(self) -> int:
        self._load()
        return super().hash()

    def save(self) -> bytes:
        self._load()
        return to_canonical(self.program.state, self.memory)

    def restore(self, state: bytes) -> None:
        self._load()
        own = self.memory.reshape(-1).view(np.uint8)
        own[:] = from_canonical(self.program.state, state).reshape(-1).view(np.uint8)
        self.restore_memory(super().save_memory())

    def save_memory(self) -> bytes:
        self._load()
        return super().save_memory()

    def restore_memory(self, memory: bytes) -> None:
        super().restore_memory(memory)
        self._asked(b"r" + memory, 0)

    def choose(self, forms: bytes) -> None:
        """Say which form of each function acts from now on, a byte each."""
        self._asked(b"t" + forms, 0)

    def log_steps(self, most: int) -> None:
        """Log the floats that its functions give to slots and memory from now on."""
        self._asked(b"l" + _NUMBER.pack(most), 0)

    def force(self, values: Mapping[int, int]) -> None:
        """Give steps, by their places in the log, in order, these bits of a float64 instead from
        the next `log_steps` on. The program has to be built with `FORCES`."""
        rows = b"".join(_NUMBER.pack(place) + _NUMBER.pack(bits) for place, bits in values.items())
        self._asked(b"v" + _NUMBER.pack(len(values)) + rows, 0)

    def logged(self, most: int) -> NDArray[np.uint64]:
        """What was logged since `log_steps(most)`: rows of a step's number and the bits of a
        float64."""
        (count,) = _NUMBER.unpack(self._asked(b"g", _NUMBER.size))
        size = 16 * min(count, most)
        return np.frombuffer(self._asked(b"", size), np.uint64).reshape(-1, 2)

    def _load(self) -> None:
        super().restore_memory(self._asked(b"s", len(super().save_memory())))

    def _asked(self, command: bytes, size: int) -> bytes:
        """The answer, of `size` bytes, to a command."""
        given, answers = self._process.stdin, self._process.stdout
        assert given is not None
        assert answers is not None
        try:
            given.write(command)
            given.flush()
            answer = _read(answers, size)
        except (OSError, ValueError):
            answer = b""
        if len(answer) != size:
            raise RunnerError("what a compiler built ended before its answer")
        return answer


def _read(stream: IO[bytes], size: int) -> bytes:
    return stream.read(size) if size else b""
