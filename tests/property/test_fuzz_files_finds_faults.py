"""The fuzzer of files finds each fault that is injected into a reader."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from tests.fuzz.files import cache_entries
from tests.fuzz.files.engine import Fuzz
from tests.fuzz.files.targets import TARGETS
from tests.fuzz.files.tiny_simulation import TINY

from samebits.audit.flags import findings
from samebits.audit.formats import wasm
from samebits.collector.grouping import facts
from samebits.diagnosis.driver import steps
from samebits.foreign import records
from samebits.replay import frames as replay_frames
from samebits.replay import header as replay_header
from samebits.replay import mcap_records as replay_records
from samebits.replay import reader as replay_read
from samebits.runtime import cache
from samebits.sim import saved
from samebits.verify import golden

MOST_CASES = 800
STARTS = {"two-reports": 115}
"""The case from which a fault is looked for, where a case takes a fifth of a second and the first
that shows the fault comes late."""

Inject = Callable[[pytest.MonkeyPatch], None]


class AnyNumber(int):
    """A number that is equal to every other."""

    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False


class AnyText(str):
    """A text that is equal to every other."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False


def chunks_are_believed(patch: pytest.MonkeyPatch) -> None:
    class Zlib:
        @staticmethod
        def crc32(data: bytes, value: int = 0) -> int:
            return AnyNumber()

    patch.setattr(replay_records, "zlib", Zlib)


def numbers_may_be_words(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(replay_header, "_NUMBER", re.compile("(?s).*"))


def reading_goes_back_to_the_beginning(patch: pytest.MonkeyPatch) -> None:
    original = replay_records.Fields._take

    def take(self: Any, size: int) -> bytes:
        for _ in range(size):
            original(self, 0)
        return original(self, size)

    patch.setattr(replay_records.Fields, "_take", take)


def room_is_made_for_what_a_length_claims(patch: pytest.MonkeyPatch) -> None:
    original = replay_records.RecordSource.read

    def read(self: Any, size: int, start: int, what: str) -> bytes:
        room = bytearray(size)
        data = original(self, size, start, what)
        room[: len(data)] = data
        return bytes(room)

    patch.setattr(replay_records, "MAX_RECORD", 1 << 26)
    patch.setattr(replay_records.RecordSource, "read", read)


def frames_come_in_any_order(patch: pytest.MonkeyPatch) -> None:
    original = replay_frames.FrameAssembler._inputs

    def inputs(self: Any, offset: int, data: bytes) -> Any:
        self.next_frame = int.from_bytes(data[:8], "little")
        return original(self, offset, data)

    patch.setattr(replay_frames.FrameAssembler, "_inputs", inputs)


def damage_is_not_told(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(replay_read, "_describe", lambda *_: None)


def goldens_are_believed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(golden, "_checksum", lambda text: AnyText("00"))


def goldens_have_numbers(patch: pytest.MonkeyPatch) -> None:
    original = golden._row

    def row(name: str, number: int, text: str, before: int) -> tuple[int, int]:
        int(text.split()[0])
        return original(name, number, text, before)

    patch.setattr(golden, "_row", row)


def saves_are_believed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(saved, "xxh64", lambda data: AnyNumber())


def saves_have_any_length(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(TINY, "state_size", AnyNumber())


def a_step_that_fails_ends_a_diagnosis(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(steps, "beyond_first_facts", lambda notes, what: nullcontext())


def entries_are_of_any_key(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(cache_entries, "unpack", lambda key, data: cache.unpack(cache_entries.KEY, data))


def records_are_believed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(records, "xxh64", lambda data, seed=0: AnyNumber())


def commands_are_words_of_a_shell(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(findings, "words_of", shlex.split)


def damaged_modules_are_no_error(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(wasm, "UnreadableBinary", IndexError)


def verdicts_are_shown_as_they_are(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(facts, "visible", lambda text: text)


def verdicts_have_objects_where_they_should(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(facts, "_table", lambda value: value or {})


INJECTED: dict[Inject, tuple[str, set[str]]] = {
    chunks_are_believed: ("replays", {"invented", "silent"}),
    numbers_may_be_words: ("replays", {"exception"}),
    reading_goes_back_to_the_beginning: ("replays", {"endless"}),
    room_is_made_for_what_a_length_claims: ("replays", {"memory"}),
    frames_come_in_any_order: ("replays", {"contradiction"}),
    damage_is_not_told: ("replays", {"silent", "contradiction"}),
    goldens_are_believed: ("goldens", {"silent"}),
    goldens_have_numbers: ("goldens", {"exception"}),
    saves_are_believed: ("saves", {"silent", "contradiction"}),
    saves_have_any_length: ("saves", {"contradiction"}),
    a_step_that_fails_ends_a_diagnosis: ("two-reports", {"exception"}),
    entries_are_of_any_key: ("cache", {"contradiction"}),
    records_are_believed: ("records", {"silent", "invented", "contradiction"}),
    commands_are_words_of_a_shell: ("builds", {"exception"}),
    damaged_modules_are_no_error: ("wasm", {"exception"}),
    verdicts_are_shown_as_they_are: ("verdicts", {"contradiction"}),
    verdicts_have_objects_where_they_should: ("verdicts", {"exception"}),
}
"""What is wrong with the reader, the format, and the kinds of finding that it is to be."""


@pytest.mark.parametrize("inject", INJECTED, ids=lambda inject: inject.__name__)
def test_an_injected_fault_is_found(
    inject: Inject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, kinds = INJECTED[inject]
    for module in TARGETS[name].needs:
        pytest.importorskip(module)
    target = TARGETS[name](tmp_path)
    # Its own files are read before it has the fault: some faults are seen in those.
    fuzz = Fuzz(target, STARTS.get(name, 0))
    inject(monkeypatch)
    while fuzz.cases < MOST_CASES and not fuzz.found:
        fuzz.run(1)
    assert {finding.kind for finding in fuzz.found} <= kinds
    assert fuzz.found, f"not found in {fuzz.cases} files"


def test_a_finding_is_made_smaller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fuzz = Fuzz(TARGETS["goldens"](tmp_path))
    goldens_have_numbers(monkeypatch)
    fuzz.start = 1
    while not any(finding.seed is None for finding in fuzz.found):
        fuzz.run(1)
    finding = next(finding for finding in fuzz.found if finding.seed is None)
    small = fuzz.minimised(finding)
    assert small.kind == finding.kind
    assert len(small.data) < 40 <= len(finding.data)
