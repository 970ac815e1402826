"""The writer of replays: frames into blocks, blocks into MCAP chunks, the same bytes each time.

A replay is written beside its path and takes its own name when it is whole.
"""

from __future__ import annotations

import operator
import os
import struct
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any, cast

from mcap.writer import CompressionType, Writer

from samebits.errors import ReplayError
from samebits.output import Output, holds_foreign_file, os_reason, remedy
from samebits.replay.file import Target
from samebits.replay.header import (
    ENCODING,
    HASHES,
    INPUTS,
    KEYFRAMES,
    MAX_CHUNK,
    METADATA_NAME,
    PART_BYTES,
    PROFILE,
    ReplayHeader,
)

_MARK = len(PROFILE).to_bytes(4, "little") + PROFILE.encode()
"""The start of a replay, and of no other file: MCAP's record of the profile."""


def partial_path(path: str | os.PathLike[str]) -> Path:
    """The path of a replay while it is written, or after a recording that was cut short, unless
    that name was taken; see `ReplayWriter.partial`."""
    return Path(os.fspath(path) + ".partial")


class ReplayWriter:
    """Writes one replay, to a path or to a binary stream that only needs `write`.

    Frames are cut into blocks of `header.block_frames`, and at each keyframe, however they were
    handed in; each block is one chunk, handed to the operating system when it is full. The bytes
    depend only on the header, the frames and the version of samebits.

    With a path, the file is `partial` until `close` has made it whole and moved it over `path`.
    Leaving the `with` block by an exception ends the partial file properly and leaves it there;
    a crash leaves it readable up to the last full block. No other recording writes to it. A
    stream is flushed, never closed.
    """

    def __init__(self, target: Target, header: ReplayHeader) -> None:
        self.header = header
        self.frames: int = 0
        """How many whole frames were added so far."""
        self._sink = _Sink(target)
        self._inputs = bytearray()
        self._hashes: list[int] = []
        self._pending: int = 0
        self._keyframe_at = -1
        self._topics: dict[str, int] = {}
        self._closed = False
        self._is_torn = False
        """Whether a record is being written, or was at an interrupt."""
        # No compression: zstd's bytes differ between its versions, and a reader that never
        # decompresses cannot be handed a bomb.
        self._mcap = Writer(
            cast("IO[Any]", self._sink),
            chunk_size=MAX_CHUNK,
            compression=CompressionType.NONE,
            enable_crcs=True,
            enable_data_crcs=True,
        )
        try:
            self._mcap.start(profile=PROFILE, library=_library())
            self._mcap.add_metadata(METADATA_NAME, header.to_text())
            self._inputs_id, self._hashes_id, self._keyframes_id = (
                self._mcap.register_channel(topic, ENCODING, 0)
                for topic in (INPUTS, HASHES, KEYFRAMES)
            )
            self._mcap.flush()
        except BaseException:
            self._sink.discard()
            raise

    @property
    def partial(self) -> Path | None:
        """The path of the frames until the replay is complete: `<path>.partial`, or a similar name
        if that was taken. None when it is complete, and for a stream."""
        return self._sink.partial

    def add(self, inputs: Any, frame_hash: int | None = None) -> None:
        """Add one frame: its inputs, player after player, and the hash of the state after it.

        `inputs` is bytes-like, `players × input_size` bytes in canonical little-endian form.
        """
        self.add_block(inputs, None if frame_hash is None else (frame_hash,), frames=1)

    def add_block(
        self, inputs: Any, hashes: Sequence[int] | Iterable[int] | None, frames: int | None = None
    ) -> None:
        """Add many frames: their inputs one after another, and as many hashes, or None.

        `frames` is needed only if a frame has no input bytes and there are no hashes. Raises
        ReplayError, having added nothing, if sizes do not fit.
        """
        self._check_open()
        data = memoryview(inputs).tobytes()
        size = self.header.frame_size
        values = None if hashes is None else [_hash(value) for value in hashes]
        if frames is None:
            frames = len(data) // size if size else len(values) if values is not None else 0
            if not size and values is None:
                raise ReplayError(
                    "a block of frames without input bytes and without hashes has no length",
                    fix="say how many frames: add_block(b'', None, frames=60)",
                )
        if frames < 0 or len(data) != frames * size:
            raise ReplayError(
                f"{len(data)} bytes of input for {frames} frames, not {frames * size}",
                note=f"a frame is {self.header.players} players × {self.header.input_size} bytes",
            )
        if values is not None and len(values) != frames:
            raise ReplayError(f"{len(values)} hashes for {frames} frames")
        self._append(data, values, frames)

    def keyframe(self, state: Any) -> None:
        """Add the state before the next frame's step: `state_size` canonical bytes, bytes-like."""
        self._check_open()
        data = memoryview(state).tobytes()
        if len(data) != self.header.state_size:
            raise ReplayError(
                f"a keyframe of {len(data)} bytes where a state has {self.header.state_size}"
            )
        if self.frames == self._keyframe_at:
            raise ReplayError(
                f"frame {self.frames} has a keyframe already", fix="add a frame between the two"
            )
        self._flush()
        self._keyframe_at = self.frames
        self._is_torn = True
        for offset in range(0, max(1, len(data)), PART_BYTES):
            part = struct.pack("<QI", self.frames, offset) + data[offset : offset + PART_BYTES]
            self._message(self._keyframes_id, self.frames, part)
            self._mcap.flush()
        self._is_torn = False

    def annotate(self, topic: str, data: bytes) -> None:
        """Add a message of the program's own, before the next frame, on a channel of its own.

        Readers of replays pass over it. Raises ReplayError for a replay's own channel, or more
        bytes than a part may have.
        """
        self._check_open()
        if topic in (INPUTS, HASHES, KEYFRAMES) or len(data) > PART_BYTES:
            raise ReplayError(
                f"a message of {len(data)} bytes on channel {topic!r:.60}",
                fix=f"give another channel than a replay's own, and at most {PART_BYTES} bytes",
            )
        self._flush()
        if topic not in self._topics:
            self._topics[topic] = self._mcap.register_channel(topic, ENCODING, 0)
        self._is_torn = True
        self._message(self._topics[topic], self.frames, data)
        self._mcap.flush()
        self._is_torn = False

    @property
    def has_keyframe(self) -> bool:
        """Whether there is a keyframe after the latest frame."""
        return self._keyframe_at == self.frames

    def close(self) -> None:
        """Write what is pending and the index; move the file to its path. Closing twice is fine."""
        if self._closed:
            return
        self._finish()
        self._sink.commit()

    def __enter__(self) -> ReplayWriter:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            self.close()
        elif not self._closed:
            # The error that is being raised matters more.
            with suppress(ReplayError):
                self._finish()

    def _append(self, data: bytes, values: list[int] | None, frames: int) -> None:
        size = self.header.frame_size
        taken = 0
        while taken < frames:
            if self._pending and bool(self._hashes) != (values is not None):
                self._flush()
            count = min(frames - taken, self.header.block_frames - self._pending)
            self._inputs += data[taken * size : (taken + count) * size]
            if values is not None:
                self._hashes += values[taken : taken + count]
            taken += count
            self._pending += count
            self.frames += count
            if self._pending == self.header.block_frames:
                self._flush()

    def _flush(self) -> None:
        if not self._pending:
            return
        first = self.frames - self._pending
        head = struct.pack("<QI", first, self._pending)
        inputs = bytearray()
        self._is_torn = True
        self._message(self._inputs_id, first, head + self._inputs)
        if self._hashes:
            hashes = struct.pack(f"<{self._pending}Q", *self._hashes)
            self._message(self._hashes_id, first, head + hashes)
        self._mcap.flush()
        # No call, so that no signal handler runs in between.
        self._inputs, self._hashes, self._pending, self._is_torn = inputs, [], 0, False

    def _message(self, channel: int, frame: int, data: bytes) -> None:
        time = self.header.log_time(frame)
        self._mcap.add_message(channel, log_time=time, publish_time=time, data=data)

    def _finish(self) -> None:
        self._closed = True
        try:
            if not self._is_torn:  # else only what was whole before remains
                self._flush()
                self._is_torn = True
                self._mcap.finish()
                self._is_torn = False
        finally:
            self._sink.finish()

    def _check_open(self) -> None:
        if self._closed:
            raise ReplayError("the replay is closed", fix="add every frame before close()")
        if self._is_torn:
            raise ReplayError(
                f"the replay ends before frame {self.frames}: an interrupt came during writing",
                fix="record it again",
            )


class _Sink:
    """The MCAP writer's output: counts bytes itself, so that a pipe works."""

    def __init__(self, target: Target) -> None:
        self._count = 0
        self._arrived = 0
        """Bytes that the system has taken, whole blocks only."""
        self._out: Output | None = None
        self._name = "the stream"
        if isinstance(target, str | os.PathLike):
            self._name = os.fspath(target)
            if holds_foreign_file(target, _MARK):
                raise ReplayError(
                    f"{self._name} exists already and is not a replay",
                    fix="give the recording another name",
                )
            with self._telling():
                self._out = Output(target)
            self._file = self._out.file
        else:
            self._file = target

    @property
    def partial(self) -> Path | None:
        return None if self._out is None else self._out.partial

    @contextmanager
    def _telling(self) -> Generator[None]:
        """Raise ReplayError for an OSError inside the block."""
        try:
            yield
        except OSError as error:
            kept = self._arrived and self.partial is not None
            raise ReplayError(
                f"cannot write {self._name}: {os_reason(error)}",
                note=f"what was written before is in {self.partial}" if kept else None,
                fix=remedy(error),
            ) from None

    def write(self, data: bytes) -> int:
        view = memoryview(data)
        with self._telling():
            while view:
                taken = self._file.write(view)  # a raw stream may take fewer bytes
                if not taken:
                    raise ReplayError(f"cannot write {self._name}: it takes no more bytes")
                view = view[taken:]
        self._count += len(data)
        return len(data)

    def tell(self) -> int:
        return self._count

    def flush(self) -> None:
        with self._telling():
            self._file.flush()
        self._arrived = self._count

    def finish(self) -> None:
        with self._telling():
            if self._out is None:
                self._file.flush()
            else:
                self._out.keep()

    def commit(self) -> None:
        with self._telling():
            if self._out is not None:
                self._out.commit()

    def discard(self) -> None:
        if self._out is not None:
            self._out.discard()


def _hash(value: Any) -> int:
    number = operator.index(value)
    if not 0 <= number < 2**64:
        raise ReplayError(f"the frame hash {number} is not a uint64")
    return number


def _library() -> str:
    try:
        return f"samebits {version('samebits')}"
    except PackageNotFoundError:
        return "samebits"
