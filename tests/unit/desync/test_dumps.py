"""State dumps in every form that is read, whole, in part and rounded, and all that is refused."""

# pyright: reportGeneralTypeIssues=false
from __future__ import annotations

import csv
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.runs.compared import SMALL

import samebits as sb
from samebits import fix16, float2, float2x2, float16, float32, float64, int8, uint64
from samebits.bits import canonical_size, from_canonical, to_canonical
from samebits.desync.evidence.dump import Dump
from samebits.desync.evidence.dump_files import dumps_of, read_dumps
from samebits.errors import ReportError
from samebits.sim.load import load_simulation
from samebits.sim.state.columns import columns
from samebits.sim.state.difference import hexadecimal, shown
from samebits.types import StructType

SIMULATION = load_simulation(SMALL)


@sb.struct
class Inner:
    at: float2
    turn: float2x2
    flag: bool


@sb.struct
class Every:
    tiny: int8
    big: uint64
    wide: float64
    half: float16
    steps: fix16
    inner: sb.FixedArray[Inner, 2]
    grid: sb.FixedArray[float32, 2, 3]


@sb.struct
class Input:
    push: float32


@sb.kernel
def init(state: Every, seed: uint64) -> None:
    state.big = seed


@sb.kernel
def step(state: Every, inputs: sb.ReadOnly[Input]) -> None:
    state.tiny += 1


EVERY = sb.Simulation(
    name="every", version="1", state=Every, input=Input, players=1, init=init, step=step
)
TYPE = EVERY.state_type
SIZE = canonical_size(TYPE)


@pytest.fixture
def state() -> bytes:
    """A state with a value of every kind, whose bits differ."""
    random = np.random.default_rng(5)
    data = bytearray(random.integers(0, 120, SIZE, np.uint8).tobytes())
    return to_canonical(TYPE, from_canonical(TYPE, bytes(data)))


def scalars(t: StructType, state: bytes) -> list[tuple[str, Any, int]]:
    return [
        (column.path(k), column.type, int(pattern))
        for column in columns(t)
        for k, pattern in enumerate(column.patterns(state))
    ]


def written(path: Path, text: str | bytes) -> str:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def only(path: str, frame: int | None = 7) -> Dump:
    (dump,) = dumps_of(path, frame, EVERY)
    return dump


def nested(state: bytes, number: Any) -> dict[str, Any]:
    """The state as JSON nests it, each scalar as `number(type, pattern)` gives it."""
    found = {path: number(t, pattern) for path, t, pattern in scalars(TYPE, state)}
    inner = [
        {
            "at": {"x": found[f"inner[{k}].at.x"], "y": found[f"inner[{k}].at.y"]},
            "turn": [[found[f"inner[{k}].turn.c{j}.{c}"] for c in "xy"] for j in range(2)],
            "flag": found[f"inner[{k}].flag"],
        }
        for k in range(2)
    ]
    grid = [[found[f"grid[{i}, {j}]"] for j in range(3)] for i in range(2)]
    return {name: found[name] for name in ("tiny", "big", "wide", "half", "steps")} | {
        "inner": inner, "grid": grid,
    }  # fmt: skip


def bits(t: Any, pattern: int) -> str:
    return hexadecimal(t, pattern)


def test_bytes_are_read_as_the_c_struct_and_in_canonical_form(tmp_path: Path, state: bytes) -> None:
    memory = from_canonical(TYPE, state).tobytes()
    assert len(memory) == TYPE.size > SIZE
    for data in (memory, state):
        dump = only(written(tmp_path / "dump.bin", data))
        assert (dump.state, dump.frame) == (state, 7)
    nan = bytearray(state)
    nan[9:17] = struct.pack("<Q", 0xFFF8000000000001)
    assert only(written(tmp_path / "dump.bin", bytes(nan))).state[9:17] == struct.pack(  # type: ignore[index]
        "<Q", 0x7FF8000000000000
    )


def test_a_saved_session_has_its_frame(tmp_path: Path) -> None:
    session = EVERY.start(3)
    for _ in range(5):
        session.step([{}])
    path = written(tmp_path / "saved", session.save())
    dump = only(path, None)
    assert (dump.frame, dump.state) == (4, session.canonical_state())
    with pytest.raises(ReportError, match="is given for frame 9, and says that it is of frame 4"):
        only(path, 9)
    other = written(tmp_path / "other", SIMULATION.start(3).save())
    with pytest.raises(ReportError, match="other: the session was saved by another simulation"):
        only(other, None)


def test_json_is_nested_as_the_state_is(tmp_path: Path, state: bytes) -> None:
    value = nested(state, bits)
    flat = {path: bits(t, pattern) for path, t, pattern in scalars(TYPE, state)}
    forms: list[Any] = [
        value,
        {"frame": 7, "state": value},
        {"frame": 7, **value},
        [{"frame": 7, "state": value}],
        flat,
        value | {"grid": [item for row in value["grid"] for item in row]},
        value | {"inner[0]": value["inner"][0], "inner[1].at": value["inner"][1]["at"],
                 "inner[1].turn": [item for row in value["inner"][1]["turn"] for item in row],
                 "inner[1].flag": value["inner"][1]["flag"]},
    ]  # fmt: skip
    del forms[-1]["inner"]
    for form in forms:
        path = written(tmp_path / "dump.json", json.dumps(form))
        assert only(path).state == state
    assert only(written(tmp_path / "dump.json", json.dumps(forms[1])), None).frame == 7


def test_csv_is_read_with_a_header_and_without(tmp_path: Path, state: bytes) -> None:
    rows = [(path, bits(t, pattern)) for path, t, pattern in scalars(TYPE, state)]
    for head, separator in ((["field", "value"], ","), ([], ","), ([], ";"), ([], "\t")):
        path = tmp_path / "dump.csv"
        with path.open("w", newline="") as file:
            csv.writer(file, delimiter=separator).writerows([head, *rows] if head else rows)
        assert only(str(path)).state == state
    with path.open("w", newline="") as file:
        file.write("value,frame,field\r\n")
        csv.writer(file).writerows((value, n, field) for n in (7, 9) for field, value in rows)
    dumps = dumps_of(str(path), None, EVERY)
    assert [dump.frame for dump in dumps] == [7, 9]
    assert all(dump.state == state for dump in dumps)


def test_all_digits_are_the_bits(tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    memory = np.zeros(1, TYPE.dtype)
    memory["wide"] = random.standard_normal()
    memory["grid"] = random.standard_normal((1, 2, 3)).astype(np.float32)
    state = to_canonical(TYPE, memory)
    found = {"wide": repr(float(memory["wide"][0]))}
    for digits in (9, 12, 17):
        for i in range(2):
            for j in range(3):
                found[f"grid[{i}, {j}]"] = f"{memory['grid'][0, i, j]:.{digits}g}"
        path = tmp_path / "dump.csv"
        with path.open("w", newline="") as file:
            csv.writer(file).writerows(found.items())
        dump = only(str(path))
        assert dump.rounded == frozenset()
        assert dump.beside(bytes(SIZE)) == state


@pytest.mark.parametrize(
    ("text", "same", "other"),
    [
        ("0.333333", [0.3333330, 0.3333334], [0.333332, 0.333334]),
        ("1e3", [1000, 1400], [1600]),
        ("-2.50", [-2.5, -2.504], [-2.506, 2.5]),
    ],
)
def test_what_a_short_text_may_have_been_does_not_differ(
    text: str, same: list[float], other: list[float], tmp_path: Path
) -> None:
    dump = only(written(tmp_path / "dump.csv", f'"grid[0, 1]",{text}'))
    assert dump.state is None
    assert len(dump.rounded) == 1
    memory = np.zeros(1, TYPE.dtype)
    for values, is_same in ((same, True), (other, False)):
        for value in values:
            memory["grid"][0, 0, 1] = value
            mine = to_canonical(TYPE, memory)
            assert (dump.beside(mine) == mine) is is_same, value
    memory["grid"][0, 0, 1] = np.float32(float(text))
    assert dump.beside(bytes(SIZE)) == to_canonical(TYPE, memory)


def test_zeros_left_out_at_the_end_do_not_widen_a_text(tmp_path: Path) -> None:
    """`%g` writes 0.1 for 0.100000: the longest number of the file says how many digits it has."""
    dump = only(written(tmp_path / "dump.csv", '"grid[0, 0]",0.123457\n"grid[0, 1]",0.1\n'))
    memory = np.zeros(1, TYPE.dtype)
    memory["grid"][0, 0] = [0.1234567, 0.12, 0]
    mine = to_canonical(TYPE, memory)
    theirs = from_canonical(TYPE, dump.beside(mine))
    assert theirs["grid"][0, 0, 0] == np.float32(0.1234567)
    assert theirs["grid"][0, 0, 1] == np.float32(0.1)


def test_texts_are_rounded_once(tmp_path: Path) -> None:
    tie = "1.00000005960464477539062500000000000000000000001"  # behind a tie that float64 rounds to
    dump = only(written(tmp_path / "dump.csv", f'"grid[0, 0]",{tie}\n"grid[0, 1]",{tie[:30]}\n'))
    theirs = from_canonical(TYPE, dump.beside(bytes(SIZE)))["grid"][0, 0]
    assert [float(value) for value in theirs[:2]] == [float(np.nextafter(np.float32(1), 2)), 1.0]


def test_special_numbers_are_texts(tmp_path: Path) -> None:
    texts = {"nan": np.nan, "-nan(ind)": np.nan, "NaN": np.nan, "-Infinity": -np.inf, "inf": np.inf}
    for text, value in texts.items():
        path = written(tmp_path / "dump.json", json.dumps({"wide": text, "grid[0, 0]": text}))
        theirs = from_canonical(TYPE, only(path).beside(bytes(SIZE)))
        np.testing.assert_array_equal(theirs["wide"], [value])
        np.testing.assert_array_equal(theirs["grid"][0, 0, 0], value)
    path = written(tmp_path / "dump.json", '{"wide": NaN, "inner[0].flag": true, "steps": -1.5}')
    dump = only(path)
    theirs = from_canonical(TYPE, dump.beside(bytes(SIZE)))
    assert np.isnan(theirs["wide"][0])
    assert (theirs["inner"][0, 0]["flag"], theirs["steps"][0]) == (True, -1.5 * 65536)
    assert shown(TYPE.field_types["steps"], int(theirs["steps"][0]) % 2**32) == "-1.5"  # type: ignore[arg-type]


REFUSED: dict[str, tuple[str, str | bytes, str, str]] = {
    "bytes of another size": (
        "dump.bin", b"\0" * 17, f"dump.bin has 17 bytes, and a state of 'every' has {TYPE.size} as "
        f"the C struct, {SIZE} in canonical form", "sizeof(*state)",
    ),
    "bytes of another size, none of them 0": (
        "dump.bin", b"\xbf\xa8\x3e" * 7, "dump.bin has 21 bytes, and a state of 'every' has "
        f"{TYPE.size} as the C struct, {SIZE} in canonical form", "sizeof(*state)",
    ),
    "an unknown field": (
        "dump.json", '{"tinny": 1}', "dump.json: it has 'tinny', and the state has no such field",
        "did you mean tiny?",
    ),
    "an unknown path": (
        "dump.csv", "field,value\ninner[2].at.x,1\n",
        "dump.csv: line 2 has 'inner[2]', and the state has no such field", "it has none there",
    ),
    "no path": ("dump.csv", "field,value\ninner[x],1\n", "dump.csv: line 2 has 'inner[x]', which",
                "bodies[3].pos.x"),
    "a list of another length": (
        "dump.json", '{"grid": [[1, 2, 3]]}', "dump.json: it has 1 elements for grid", "write 2",
    ),
    "a number for a struct": (
        "dump.json", '{"inner": [1, 2]}', "dump.json: it has '1' for inner[0], which is Inner",
        "nest it as the state is",
    ),
    "a list for a number": (
        "dump.json", '{"tiny": [1]}', "dump.json: it has a list for tiny, which is int8", "nest it",
    ),
    "null": ("dump.json", '{"wide": null}', "dump.json: it has wide, which is null", '"nan"'),
    "a fraction for an integer": (
        "dump.json", '{"tiny": 0.5}', "dump.json: it has tiny, which is 0.5, and the field is int8",
        "write a whole number",
    ),
    "a number that does not fit": (
        "dump.json", '{"tiny": 128}', "dump.json: it has tiny, which is 128, which int8 does not",
        "of this simulation",
    ),
    "too many bits": (
        "dump.json", '{"tiny": "0x100"}', "dump.json: it has tiny, which is 0x100, and the field is"
        " int8, which has 8 bits", "write 2 hexadecimal digits",
    ),
    "a float beyond its type": (
        "dump.json", '{"grid[0, 0]": 1e39}', "dump.json: it has grid[0, 0], which is 1e39, which is"
        " beyond float32", '"inf"',
    ),
    "a text": ("dump.json", '{"wide": "x"}', "dump.json: it has wide, which is 'x', and", "0x3f8"),
    "a bool that is none": ("dump.json", '{"inner[0].flag": 2}', "dump.json: it has inner[0].flag, "
                            "which is '2', and the field is a bool", "true or false"),
    "a field twice": (
        "dump.csv", "tiny,1\ntiny,1\n", "dump.csv: line 2 has tiny again", "once a frame",
    ),
    "a JSON field twice": (
        "dump.json", '{"tiny": 1, "tiny": 2}', "dump.json: it has tiny again", "once a frame",
    ),
    "a JSON field in two ways": (
        "dump.json", '{"inner[0].flag": 1, "inner": [{"flag": 0}, {"flag": 0}]}',
        "dump.json: it has inner[0].flag again", "once a frame",
    ),
    "too many columns": (
        "dump.csv", "grid[0, 1],5,6,7\n", "dump.csv: line 1 has 5 columns, not field and", "quote",
    ),
    "no columns": ("dump.csv", "tiny\n", "dump.csv: line 1 has 1 columns", "quote"),
    "no rows": ("dump.csv", "field,value\n", "dump.csv has no rows", "field,value"),
    "no fields": ("dump.json", "{}", "dump.json has no field of the state of frame 7", "tiny"),
    "no object": ("dump.json", "[1]", "dump.json is no object of the state's fields", '"frame"'),
    "a frame twice": (
        "dump.json", '[{"frame": 7, "tiny": 1}, {"frame": 7, "tiny": 1}]',
        "dump.json has frame 7 again", "dump each frame once",
    ),
    "another frame": (
        "dump.json", '{"frame": 8, "tiny": 1}',
        "dump.json is given for frame 7, and says that it is of frame 8", "without a frame",
    ),
    "a frame that is none": (
        "dump.json", '{"frame": 7.5, "tiny": 1}', "dump.json: it has '7.5' for a frame", "whole",
    ),
    "a file of many values": ("dump.json", '{"tiny": 1}\n{"tiny": 2}', "dump.json has several JSON",
                              "one list"),
    "a number of many digits": ("dump.json", f'{{"wide": {"1" * 2000}}}', "dump.json: it has wide, "
                                "which is '1111", "0x3f8"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_dump_that_says_something_else_is_refused(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, text, message, fix = REFUSED[case]
    with pytest.raises(ReportError) as caught:
        dumps_of(written(Path(name), text), 7, EVERY)
    assert caught.value.message.startswith(message)
    assert fix in str(caught.value.fix)


def test_a_file_without_a_frame_needs_one(tmp_path: Path, state: bytes) -> None:
    path = written(tmp_path / "dump.bin", state)
    with pytest.raises(ReportError) as caught:
        read_dumps(path, EVERY)
    assert caught.value.message == f"{path} does not say of which frame it is"
    assert str(caught.value.fix).endswith(f"--state 120={path}")
    assert [read_dumps(f"{frame}={path}", EVERY)[0].frame for frame in ("init", "-1", "12")] == [
        -1, -1, 12,
    ]  # fmt: skip
    with pytest.raises(ReportError, match="is given for frame 99,999,999,999, which no run has"):
        read_dumps(f"99999999999={path}", EVERY)
    with pytest.raises(ReportError, match=r"cannot read .*none: No such file"):
        read_dumps(f"1={tmp_path / 'none'}", EVERY)
