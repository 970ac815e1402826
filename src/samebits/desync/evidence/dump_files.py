"""Files of state dumps: the bytes of a C struct, canonical bytes, saved sessions, JSON and CSV.

Owns which of these a file is, and the frames that it is of. What a state holds is `dump`'s.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from samebits.bits import canonical_size, from_canonical, to_canonical
from samebits.desync.evidence.dump import Dump, DumpBuilder
from samebits.desync.evidence.text_files import Pairs, decoded, json_of, read_bytes
from samebits.desync.format import MAX_FRAMES
from samebits.errors import ReplayError, ReportError
from samebits.sim.definition import SimulationDefinition
from samebits.sim.saved import MARK, read_saved

MAX_ROWS = 1 << 20
"""Most rows of a CSV file."""
MAX_DUMPS = 256
"""Most frames of one file."""
WHAT = "a state dump"
INIT = "init"
_TEXT = (".json", ".csv")

_GIVEN = re.compile(r"(?P<frame>init|-1|[0-9]{1,12})=(?P<path>.+)", re.DOTALL)
_FRAME = "name the frame after which it was written: --state 120={path}"


@dataclass(frozen=True, slots=True)
class _File:
    """A file: its bytes, and the frame that was given for it, if one was."""

    path: str
    frame: int | None
    data: bytes
    simulation: SimulationDefinition


def read_dumps(given: str, simulation: SimulationDefinition) -> list[Dump]:
    """The dumps of `FRAME=FILE`, or of a file that says itself which frames it is of. Raises
    ReportError."""
    found = _GIVEN.fullmatch(given)
    path = given if found is None else found["path"]
    return dumps_of(path, None if found is None else _number(found["frame"]), simulation)


def dumps_of(path: str, frame: int | None, simulation: SimulationDefinition) -> list[Dump]:
    """The dumps of a file; `frame` is the one after which it was written, -1 `init`, None where the
    file says it. Raises ReportError."""
    if frame is not None and not -1 <= frame < MAX_FRAMES:
        raise ReportError(f"{path} is given for frame {frame:,}, which no run has",
                          fix="count frames from 0; -1 is init")  # fmt: skip
    file = _File(path, frame, read_bytes(path, WHAT), simulation)
    return next(kind.read(file) for kind in _KINDS if kind.fits(file))


def _number(text: str) -> int:
    return -1 if text == INIT else int(text)


def _has_size(file: _File) -> bool:
    t = file.simulation.state_type
    return len(file.data) in (t.size, canonical_size(t)) and not file.path.endswith(_TEXT)


def _is_text(file: _File) -> bool:
    """Whether a file is meant as text: by its name or mark, or since it can be read as such."""
    if file.path.endswith(_TEXT) or file.data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return True
    try:
        return "\0" not in file.data.decode()
    except UnicodeDecodeError:
        return False


def _of_saved(file: _File) -> list[Dump]:
    """A file of the bytes of `session.save()`."""
    try:
        saved = read_saved(file.data, file.simulation)
    except ReplayError as error:
        raise ReportError(f"{file.path}: {error.message}", note=error.note, fix=error.fix) from None
    frame = _one_frame(file, saved.frame - 1)
    return [Dump(file.path, frame, len(saved.state), whole=saved.state)]


def _of_bytes(file: _File) -> list[Dump]:
    t, data = file.simulation.state_type, file.data
    size = canonical_size(t)
    memory = from_canonical(t, data) if len(data) == size else np.frombuffer(data, t.dtype)
    return [Dump(file.path, _one_frame(file), size, whole=to_canonical(t, memory))]


def _of_text(file: _File) -> list[Dump]:
    text = decoded(file.path, file.data, WHAT)
    is_json = text.lstrip()[:1] in ("{", "[")
    found = _of_json(file, text) if is_json else _of_csv(file, text)
    if len(found) > MAX_DUMPS:
        raise ReportError(f"{file.path} has {len(found):,} frames, more than {MAX_DUMPS}",
                          fix="dump the frames around the first that differs")  # fmt: skip
    return found


def _of_nothing(file: _File) -> list[Dump]:
    t = file.simulation.state_type
    raise ReportError(
        f"{file.path} has {len(file.data):,} bytes, and a state of '{file.simulation.name}' has "
        f"{t.size:,} as the C struct, {canonical_size(t):,} in canonical form",
        fix="dump all of the struct of this simulation: sizeof(*state) bytes from its address",
    )


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of file, and its reader."""

    fits: Callable[[_File], bool]
    read: Callable[[_File], list[Dump]]


_KINDS = (
    _Kind(lambda file: file.data.startswith(MARK), _of_saved),
    _Kind(_has_size, _of_bytes),
    _Kind(_is_text, _of_text),
    _Kind(lambda file: True, _of_nothing),
)
"""The first that fits."""


def _one_frame(file: _File, told: int | None = None) -> int:
    """The frame of a file, given for it or told by it. Raises ReportError."""
    frame = file.frame
    if frame is None and told is None:
        raise ReportError(f"{file.path} does not say of which frame it is",
                          fix=_FRAME.format(path=file.path))  # fmt: skip
    if frame is not None and told is not None and frame != told:
        raise ReportError(f"{file.path} is given for {_moment(frame)}, and says that it is of "
                          f"{_moment(told)}", fix="give it without a frame")  # fmt: skip
    found = told if frame is None else frame
    assert found is not None
    return found


def _moment(frame: int) -> str:
    return INIT if frame < 0 else f"frame {frame:,}"


def _of_json(file: _File, text: str) -> list[Dump]:
    """An object of the state's fields; one of `frame` and `state`; a list of such."""
    value = json_of(file.path, text)
    if value is None:
        raise ReportError(f"{file.path} has several JSON values", fix="write one list of them")
    if isinstance(value, Pairs):
        return [_of_object(file, "it", value)]
    items = cast("list[Any]", value) if isinstance(value, list) else []
    if not items or not all(isinstance(item, Pairs) for item in items):
        raise ReportError(f"{file.path} is no object of the state's fields",
                          fix='write {"frame": 120, "state": {…}}, or a list of such')  # fmt: skip
    found = [_of_object(file, f"entry {k:,}", item) for k, item in enumerate(items[:4096], 1)]
    _check_frames(file, [dump.frame for dump in found])
    return found


def _check_frames(file: _File, frames: list[int]) -> None:
    again = next((frame for k, frame in enumerate(frames) if frame in frames[:k]), None)
    if again is not None:
        raise ReportError(f"{file.path} has {_moment(again)} again", fix="dump each frame once")


def _of_object(file: _File, place: str, pairs: Pairs) -> Dump:
    names = file.simulation.state_type.field_types
    given = dict(pairs)
    told: Any = None
    state: Any = pairs
    if ("frame" in given and "frame" not in names) or given.keys() == {"frame", "state"}:
        told = given["frame"]
        if not (isinstance(told, str) and re.fullmatch("-1|[0-9]{1,12}|init", told)):
            raise ReportError(f"{file.path}: {place} has {ascii(told)[:40]} for a frame",
                              fix="write a whole number; -1 is init")  # fmt: skip
        told = _number(told)
        state = Pairs(pair for pair in pairs if pair[0] != "frame")
    if "state" not in names and [name for name, _ in state] == ["state"]:
        state = state[0][1]
    builder = DumpBuilder(file.simulation.state_type, file.path, _one_frame(file, told))
    builder.put(place, state)
    return builder.dump()


def _of_csv(file: _File, text: str) -> list[Dump]:
    """Rows of `field,value` or `frame,field,value`, with a header or without."""
    builders: dict[int, DumpBuilder] = {}
    for line, row in _rows(file, text):
        place = f"line {line:,}"
        told = row.get("frame")
        if told is not None and not re.fullmatch("-1|[0-9]{1,12}|init", told):
            raise ReportError(f"{file.path}: {place} has {told[:40]!a} for a frame",
                              fix="write a whole number; -1 is init")  # fmt: skip
        frame = _one_frame(file, None if told is None else _number(told))
        if frame not in builders:
            builders[frame] = DumpBuilder(file.simulation.state_type, file.path, frame)
        builders[frame].put_path(place, row["field"], row["value"])
    if not builders:
        raise ReportError(f"{file.path} has no rows", fix="write field,value in each line")
    return [builders[frame].dump() for frame in sorted(builders)]


_COLUMNS = {2: ("field", "value"), 3: ("frame", "field", "value")}


def _rows(file: _File, text: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    first = text.lstrip("\n").partition("\n")[0]
    separator = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True)
    columns: tuple[str, ...] = ()
    count = 0
    try:
        for cells in reader:
            cells = [cell.strip() for cell in cells]
            if not any(cells) or cells[0].startswith("#"):
                continue
            if not columns:
                head = tuple(cell.lower() for cell in cells)
                is_head = sorted(head) in [sorted(each) for each in _COLUMNS.values()]
                columns = head if is_head else _COLUMNS.get(len(cells), ())
                if is_head:
                    continue
            if len(cells) != len(columns):
                raise ReportError(
                    f"{file.path}: line {reader.line_num:,} has {len(cells):,} columns, not field "
                    "and value, or frame, field and value",
                    fix='quote what has a comma in it, such as "grid[1, 2]"',
                )
            count += 1
            if count > MAX_ROWS:
                raise ReportError(f"{file.path} has more than {MAX_ROWS:,} rows",
                                  fix="dump fewer frames")  # fmt: skip
            yield reader.line_num, dict(zip(columns, cells, strict=True))
    except csv.Error as error:
        raise ReportError(f"{file.path}: line {reader.line_num:,}: {error}",
                          fix="write it with a CSV library") from None  # fmt: skip
