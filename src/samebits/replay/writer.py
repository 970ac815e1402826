"""The writer of replays: frames into blocks, blocks into MCAP chunks, the same bytes each time.

A replay is written beside its path and takes its own name when it is whole.
"""

from __future__ import annotations

import io
import operator
import os
import struct
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, cast

from samebits.errors import ReplayError
from samebits.output import Output, holds_foreign_file, os_reason, remedy
from samebits.replay.file import Target
from samebits.replay.header import (
    ENCODING,
    HASHES,
    INPUTS,
    KEYFRAMES,
    METADATA_NAME,
    PART_BYTES,
    PROFILE,
    ReplayHeader,
)
from samebits.replay.mcap_made import begun, end, with_channel, with_chunk

_MARK = len(PROFILE).to_bytes(4, "little") + PROFILE.encode()
"""The start of a replay, and of no other file: MCAP's record of the profile."""


_INPUTS_ID, _HASHES_ID, _KEYFRAMES_ID = 1, 2, 3
"""The channels of a replay, in the order in which they are made."""


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

    After a signal handler has raised in any method, the file's next bytes are those that it still
    lacks: frames that `frames` counts are written once. A stream's `write` that is left by an
    exception cannot tell what it took: then the replay ends there, and `close` refuses.
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
        """Whether no frame can be added any more."""
        self._is_ended = False
        """Whether the index is made."""
        self._is_settled = False
        """Whether nothing is left to be done at `close`."""
        try:
            made, data = begun(PROFILE, _library(), METADATA_NAME, header.to_text())
            for topic in (INPUTS, HASHES, KEYFRAMES):
                made = with_channel(made, topic, ENCODING)
            self._made = made
            """The file as the bytes make it that were given to the sink."""
            self._sink.waiting += [data]
            self._sink.push()
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
        made, parts, frame = self._made, list[bytes](), self.frames
        time = self.header.log_time(frame)
        for offset in range(0, max(1, len(data)), PART_BYTES):
            part = struct.pack("<QI", frame, offset) + data[offset : offset + PART_BYTES]
            made, chunk = with_chunk(made, time, [(_KEYFRAMES_ID, part)])
            parts.append(chunk)
        # No call from here to `push`, so that no signal handler runs in between.
        self._made, self._keyframe_at = made, frame
        self._sink.waiting += parts
        self._sink.push()

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
        made, topics = self._made, self._topics
        if topic not in topics:
            made = with_channel(made, topic, ENCODING)
            topics = topics | {topic: len(made.channels)}
        made, chunk = with_chunk(made, self.header.log_time(self.frames), [(topics[topic], data)])
        # As in `keyframe`.
        self._made, self._topics = made, topics
        self._sink.waiting += [chunk]
        self._sink.push()

    @property
    def has_keyframe(self) -> bool:
        """Whether there is a keyframe after the latest frame."""
        return self._keyframe_at == self.frames

    def close(self) -> None:
        """Write what is pending and the index; move the file to its path. Closing twice is fine,
        and needed after a signal handler raised in it."""
        if self._is_settled:
            return
        self._closed = True
        try:
            self._end()
            self._sink.commit()
        except ReplayError:
            self._leave()
            raise
        self._is_settled = True

    def discard(self) -> None:
        """End without a file: what its path held before stays there. Does nothing once closed."""
        if self._is_settled:
            return
        self._closed = True
        self._sink.discard()
        self._is_settled = True

    def __enter__(self) -> ReplayWriter:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self._leave()
            return
        try:
            self.close()
        except ReplayError:
            raise
        except BaseException:
            # What an interrupt cut off is still done, unless nobody reads the stream.
            if self.partial is not None:
                self.close()
            raise

    def _leave(self) -> None:
        """End the replay without giving it its name. Raises no ReplayError: another error is being
        raised, which matters more."""
        if self._is_settled:
            return
        self._closed = True
        try:
            with suppress(ReplayError):
                self._end()
        finally:
            with suppress(ReplayError):
                self._sink.finish()
        self._is_settled = True

    def _end(self) -> None:
        """Write what is pending and the index, once."""
        self._check_whole()
        self._flush()
        if not self._is_ended:
            data = end(self._made)
            # As in `keyframe`.
            self._is_ended = True
            self._sink.waiting += [data]
        if self._sink.waiting:
            self._sink.push()

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
        messages = [(_INPUTS_ID, head + self._inputs)]
        if self._hashes:
            hashes = struct.pack(f"<{self._pending}Q", *self._hashes)
            messages.append((_HASHES_ID, head + hashes))
        made, chunk = with_chunk(self._made, self.header.log_time(first), messages)
        inputs = bytearray()
        # As in `keyframe`.
        self._made = made
        self._inputs, self._hashes, self._pending = inputs, [], 0
        self._sink.waiting += [chunk]
        self._sink.push()

    def _check_open(self) -> None:
        if self._closed:
            raise ReplayError("the replay is closed", fix="add every frame before close()")
        self._check_whole()

    def _check_whole(self) -> None:
        if self._sink.is_torn:
            raise ReplayError(
                f"the replay ends before frame {self.frames}: an interrupt came during writing",
                fix="record it again",
            )


class _Sink:
    """The file or the stream. `push` hands on what waits, and goes on where an interrupt or an
    error left it."""

    def __init__(self, target: Target) -> None:
        self.waiting: list[bytes] = []
        """Bytes that the stream has not taken, but for the first `_sent`."""
        self._sent = 0
        self._taken: list[int | None] = []
        """The result of the stream's latest `write`, until it is in `_sent`."""
        self._is_writing = False
        """Whether the stream's `write` was called, and its result is not known."""
        self._has_arrived = False
        """Whether the stream has taken all that was pushed once."""
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
            # The file without its buffer, whose `write` takes nothing where it is interrupted.
            self._file = cast("io.BufferedWriter", self._out.file).raw
        else:
            self._file = target
        self._tells = isinstance(self._file, io.FileIO | io.BytesIO)
        """Whether a `write` that raises has taken nothing."""

    @property
    def partial(self) -> Path | None:
        return None if self._out is None else self._out.partial

    @contextmanager
    def _telling(self) -> Generator[None]:
        """Raise ReplayError for an OSError inside the block."""
        try:
            yield
        except OSError as error:
            kept = self._has_arrived and self.partial is not None
            raise ReplayError(
                f"cannot write {self._name}: {os_reason(error)}",
                note=f"what was written before is in {self.partial}" if kept else None,
                fix=remedy(error),
            ) from None

    @property
    def is_torn(self) -> bool:
        """Whether an exception left the stream's `write`, which does not tell what it took."""
        return self._is_writing and not self._taken and not self._tells

    def push(self) -> None:
        """Hand on what waits."""
        with self._telling():
            self._settle()
            joined = b"".join(self.waiting)
            self.waiting = [joined]
            while self._sent < len(joined) and not self.is_torn:
                writing = map(self._file.write, (memoryview(joined)[self._sent :],))
                self._is_writing = True
                # One call writes and notes what was taken: no handler runs in between.
                self._taken.extend(writing)
                self._settle()
            if not self.is_torn:
                # Both together, as no call is in between.
                self.waiting, self._sent = [], 0
            self._file.flush()
        self._has_arrived = True

    def _settle(self) -> None:
        if not self._taken:
            return
        count, none = self._taken[0], list[int | None]()
        # No call, so that no signal handler runs in between.
        self._sent, self._taken, self._is_writing = self._sent + (count or 0), none, False
        if not count:
            raise ReplayError(f"cannot write {self._name}: it takes no more bytes")

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
