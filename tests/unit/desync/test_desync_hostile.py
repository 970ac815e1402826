"""Reports made to mislead: nothing crashes, hangs or takes memory for what a file merely claims."""

from __future__ import annotations

import json
import random
import re
import struct
import zlib
from dataclasses import replace
from typing import Any

import pytest
from tests.support.runs.desync_files import (
    MAGIC,
    described,
    records,
    resealed,
    signed,
    small,
    use,
    with_messages,
    with_part,
)
from tests.support.work import peak_of

from samebits.desync.format import HASHES, INPUTS, PROGRAM, STATES, Key
from samebits.desync.reader import report_from_bytes
from samebits.desync.summary import disclosure_text
from samebits.desync.writer import checksum, description, pieces, report_bytes
from samebits.errors import ReportError

NAME = "n" * 190
WHOLE = small()
DATA = report_bytes(WHOLE)
CASES = 1200


def mutilated(data: bytes, chance: random.Random) -> bytes:
    """Bytes flipped, cut out, doubled, zeroed, or the end cut off."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 5, 40))):
        at = chance.randrange(len(changed))
        size = chance.choice((1, 2, 8, 100, 5000))
        match chance.randrange(7):
            case 0 | 1 | 2:
                changed[at] ^= 1 << chance.randrange(8)
            case 3:
                changed[at : at + size] = chance.randbytes(size)
            case 4:
                del changed[at : at + size]
            case 5:
                changed[at:at] = changed[at : at + size]
            case _:
                changed[at : at + size] = bytes(size)
        if not changed:
            break
    return bytes(
        changed[: chance.randrange(len(changed) + 1)] if chance.random() < 0.1 else changed
    )


def test_mutilated_files_never_crash() -> None:
    chance = random.Random(6)
    seen = {"whole": 0, "left": 0, "nothing": 0}
    for _ in range(CASES):
        data = mutilated(DATA, chance)
        try:
            report = report_from_bytes(data)
        except ReportError:
            seen["nothing"] += 1
            continue
        assert report.parts.items() <= WHOLE.parts.items()
        assert report.damage or data == DATA
        seen["left" if report.missing else "whole"] += 1
        if chance.random() < 0.05:
            use(data)
    assert min(seen.values()) > 20


def test_mutilated_parts_under_right_checksums_never_crash() -> None:
    chance = random.Random(7)
    keys = list(WHOLE.parts)
    for _ in range(100):
        key = chance.choice([*keys, Key(PROGRAM, 0)])
        part = WHOLE.parts[key]
        changed = bytearray(part)
        for _ in range(chance.choice((1, 3))):
            changed[chance.randrange(len(part))] = chance.choice(b'0123456789abc%@."\n :<')
        use(report_bytes(with_part(WHOLE, key, bytes(changed))))


VALUES: list[Any] = [
    None, True, -1, 0, 1, 2**22, 2**22 + 1, 2**31, 2**64 - 1, 2**64, 10**30, 1.5, "", "x", "1",
    "\n", "ü" * 300, "9" * 400, [], [[]], [1], [0, 2**63], [2**22] * 40_000, {}, {"struct": "S"},
]  # fmt: skip


def test_descriptions_that_lie_never_crash() -> None:
    chance = random.Random(8)
    refused = 0
    for _ in range(200):

        def change(values: dict[str, Any]) -> None:
            place = values
            while True:
                key = chance.choice(list(place))
                if isinstance(place[key], dict) and chance.random() < 0.9:
                    place = place[key]
                    continue
                place[key] = chance.choice(VALUES)
                return

        data = signed(WHOLE, change)
        use(data)
        try:
            report_from_bytes(data)
        except ReportError:
            refused += 1
    assert refused > 100


def test_a_description_as_it_was_is_taken() -> None:
    report = report_from_bytes(signed(WHOLE, lambda values: None))
    assert report.damage == ()
    assert report.parts == WHOLE.parts


def test_claims_of_many_frames_take_no_memory() -> None:
    def change(values: dict[str, Any]) -> None:
        values["contents"] |= {"frames": 2**22, "asked": [0, 30_000], "trace": 2**23}

    data = signed(WHOLE, change)
    assert peak_of(lambda: report_from_bytes(data)) < 20e6
    report = report_from_bytes(data)
    assert report.hash_after(2**22 - 1) is None


def test_claims_of_large_states_take_no_memory() -> None:
    def change(values: dict[str, Any]) -> None:
        values["run"]["state_size"] = str(2**28)
        values["run"]["schema"] = (
            '{"input":{"struct":"I","fields":[["a","uint8"]]},'
            '"state":{"struct":"S","fields":[["a",{"array":"uint8","shape":[268435456]}]]}}'
        )
        values["run"]["input_size"] = "1"
        values["contents"] |= {"states": [], "leaves": 0}

    data = signed(WHOLE, change)
    report = report_from_bytes(data)
    assert peak_of(lambda: use(data)) < 20e6
    assert len(report.tree.leaves) <= 4096


def bomb(size: int, checksum: int = 0) -> bytes:
    """A message whose compressed data would unpack to `size` zeros."""
    return struct.pack("<QIIQ", 0, 0, 1, checksum) + zlib.compress(bytes(size), 9)


def test_a_bomb_is_not_unpacked() -> None:
    key = Key(HASHES, 0)
    size = 50_000_000
    message = bomb(size)
    assert len(message) < 60_000
    report = with_messages(WHOLE, key, [message])
    assert report.missing == [key]
    assert any("a part of another size than its 120 bytes" in line for line in report.damage)
    assert peak_of(lambda: with_messages(WHOLE, key, [message])) < 5e6


def whole_message(key: Key) -> bytes:
    (message,) = pieces(key.number, WHOLE.parts[key])
    return message


LIES = {
    "too short": (b"12345678", "a message of 8 bytes"),
    "no data": (struct.pack("<QIIQ", 10, 0, 1, 0), "a message of 24 bytes"),
    "not compressed": (
        struct.pack("<QIIQ", 10, 0, 1, 0) + b"xx",
        "a part that cannot be decompressed",
    ),
    "other number": (struct.pack("<QIIQ", 9, 0, 1, 0) + b"xx", "/states at 9 that does not belong"),
    "huge number": (
        struct.pack("<QIIQ", 2**64 - 1, 0, 1, 0) + b"xx",
        f"/states at {2**64 - 1} that does not belong",
    ),
    "piece behind the last": (
        struct.pack("<QIIQ", 10, 1, 1, 0) + b"xx",
        "piece 1 of 1 where at most 1 belong",
    ),
    "no pieces": (struct.pack("<QIIQ", 10, 0, 0, 0) + b"x", "piece 0 of 0 where at most 1 belong"),
    "too many pieces": (
        struct.pack("<QIIQ", 10, 0, 2**32 - 1, 0) + b"x",
        f"piece 0 of {2**32 - 1} where at most 1 belong",
    ),
    "other checksum": (
        struct.pack("<QIIQ", 10, 0, 1, 1) + whole_message(Key(STATES, 10))[24:],
        "a part whose checksum does not hold",
    ),
    "bytes behind": (whole_message(Key(STATES, 10)) + b"x", "a part of another size"),
    "cut": (whole_message(Key(STATES, 10))[:-1], "a part of another size"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_in_a_message_costs_its_part_alone(lie: str) -> None:
    message, what = LIES[lie]
    report = with_messages(WHOLE, Key(STATES, 10), [message])
    assert report.missing == [Key(STATES, 10)]
    assert any(what in line for line in report.damage)


def test_a_part_that_comes_twice_is_reported() -> None:
    key = Key(STATES, 10)
    report = with_messages(WHOLE, key, [whole_message(key)] * 2)
    assert report.parts == WHOLE.parts
    assert any("/states at 10 that does not belong" in line for line in report.damage)


def test_a_state_that_belies_its_hash_is_not_believed() -> None:
    state = bytearray(WHOLE.parts[Key(STATES, 12)])
    state[8] ^= 1
    lying = with_part(WHOLE, Key(STATES, 12), bytes(state))
    report = report_from_bytes(report_bytes(lying))
    assert report.missing == [Key(STATES, 12)]
    assert report.damage == ("the state before frame 12 does not have the hash given for it",)


def test_inputs_that_belie_their_hash_are_not_believed() -> None:
    (key,) = [key for key in WHOLE.parts if key.topic == INPUTS]
    inputs = bytearray(WHOLE.parts[key])
    inputs[-1] ^= 1
    report = report_from_bytes(report_bytes(with_part(WHOLE, key, bytes(inputs))))
    last = WHOLE.contents.asked.stop - 1
    assert report.missing == [key]
    assert report.damage == (f"the inputs of frame {last} do not have the hash given for them",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "samebits ir 1",
            "samebits ir 9",
            "has a program whose text is not typed IR: IR text, line 1: ",
        ),
        (" = add ", " = subtract ", "has a program whose text is not typed IR: IR text, line "),
        ("%1 = ", "%0 = ", "has a program whose text is not typed IR: IR text, line "),
        ('"small_simulation.step"', '"other"', "has a program without a fitting 'small_simulation"),
        (
            '"energy": float64',
            '"energy": int64',
            "has a program whose text is not typed IR: illegal ",
        ),
        ('"kind": uint8', '"kind": int8', "has a program "),
        ("\n", "\0", "has a program whose text is not typed IR: IR text, line 1: "),
        ("samebits", "\udcff", "has a program whose text is not typed IR: IR text, line 1: "),
    ],
)
def test_a_program_that_does_not_fit_is_not_used(old: str, new: str, message: str) -> None:
    text = WHOLE.parts[Key(PROGRAM, 0)].decode()
    changed = text.replace(old, new).encode("utf-8", "surrogateescape")
    contents = replace(WHOLE.contents, program=len(changed))
    lying = replace(with_part(WHOLE, Key(PROGRAM, 0), changed), contents=contents)
    report = report_from_bytes(report_bytes(lying), "f")
    assert report.damage == ()
    with pytest.raises(ReportError, match=re.escape(f"f {message}")):
        _ = report.program


def test_nothing_in_a_report_steers_the_terminal_it_is_shown_on() -> None:
    text = WHOLE.parts[Key(PROGRAM, 0)].decode()
    changed = text.replace('"nobody is at 99"', r'"nobody \u001b[2J\u009b is at 99"').encode()
    contents = replace(WHOLE.contents, program=len(changed))
    lying = replace(with_part(WHOLE, Key(PROGRAM, 0), changed), contents=contents)
    report = report_from_bytes(report_bytes(lying))
    assert report.program is not None
    shown = list(disclosure_text(report, "f", 1))
    assert all(line.isprintable() for line in shown)
    assert any(r"nobody \x1b[2J\x9b is at 99" in line for line in shown)
    for words in (["k", "a\x1bb", "p"], ["k", "m", "p\x9b"]):
        with pytest.raises(ReportError, match="nothing in"):
            report_from_bytes(signed(WHOLE, lambda v, w=words: v["contents"].update(trap=w)))


def test_few_descriptions_of_one_report_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    from mcap.opcode import Opcode

    from samebits.desync import reader as read

    reading: Any = read
    seen: list[dict[str, str]] = []
    true = reading._described

    def counted(text: dict[str, str]) -> Any:
        seen.append(text)
        return true(text)

    monkeypatch.setattr(read, "_described", counted)
    parts = [(record, DATA[record.start : record.end]) for record in records(DATA)]
    data = MAGIC + b"".join(
        part * (60 if record.opcode == Opcode.METADATA else 1) for record, part in parts
    )
    report = report_from_bytes(resealed(data + MAGIC))
    assert report.parts == WHOLE.parts
    assert report.damage == ("its two descriptions of itself are not both there and equal",)
    assert len(seen) <= 8


def test_many_places_of_damage_are_reported_by_their_number() -> None:
    report = with_messages(WHOLE, Key(STATES, 10), [b"12345678"] * 500)
    assert report.missing == [Key(STATES, 10)]
    assert len(report.damage) == 33
    assert report.damage[-1] == "and 468 more places like these"


def test_messages_beyond_all_that_a_report_has_are_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("samebits.desync.reader.MAX_MESSAGES", 5)
    report = report_from_bytes(DATA)
    assert 0 < len(report.parts) <= 5
    assert "more than 5 messages and metadata records" in report.damage[0]


def test_a_program_has_no_endless_names() -> None:
    text = WHOLE.parts[Key(PROGRAM, 0)].decode()
    changed = text.replace("nobody is at 99", "nobody " * 600).encode()
    contents = replace(WHOLE.contents, program=len(changed))
    lying = replace(with_part(WHOLE, Key(PROGRAM, 0), changed), contents=contents)
    report = report_from_bytes(report_bytes(lying), "f")
    with pytest.raises(ReportError, match=r"f has a program with a text of more than 4,096 char"):
        _ = report.program


def test_many_beginnings_of_chunks_end_in_time() -> None:
    head = b"\x06" + struct.pack("<Q", 40 + 60_000) + bytes(8 + 8) + struct.pack("<QI", 60_000, 0)
    head += bytes(4) + struct.pack("<Q", 60_000)
    data = MAGIC + head * 20_000
    with pytest.raises(ReportError, match="nothing in"):
        report_from_bytes(data)


def test_a_description_of_another_format_is_reported() -> None:
    text = description(WHOLE) | {"format": "2"}
    text["checksum"] = checksum(text)
    with pytest.raises(ReportError) as caught:
        report_from_bytes(described(WHOLE, text))
    assert "a report of format '2'; this samebits reads 1" in str(caught.value)


def test_names_that_are_inside_one_another_are_not_written_out() -> None:
    """Each field of a struct has a full name, with those of the structs around it."""
    fields = [[f"f{k}", "bool"] for k in range(4000)]
    schema: dict[str, Any] = {"struct": "S", "fields": fields}
    for _ in range(30):
        schema = {"struct": "S", "fields": [[NAME, schema]]}

    def change(values: dict[str, Any]) -> None:
        values["run"] |= {
            "schema": json.dumps({"input": WHOLE.header.schema["input"], "state": schema}),
            "state_size": "4000",
        }

    data = signed(WHOLE, change)
    assert len(data) < 300_000

    def read() -> None:
        with pytest.raises(ReportError, match="names in the report's schema of its state have"):
            report_from_bytes(data)

    assert peak_of(read) < 16e6
