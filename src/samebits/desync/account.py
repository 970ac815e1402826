"""What is left of a desync report, in one sentence for the person who has it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from samebits.desync.format import (
    HASHES,
    INPUT_HASHES,
    INPUTS,
    PROGRAM,
    STATES,
    TRACE,
    TREES,
    Key,
    input_block,
)
from samebits.desync.report import Report

_PHRASES = {
    HASHES: ("the hash of frame {}", "hashes of frames {}"),
    INPUT_HASHES: ("the hash of the inputs of frame {}", "hashes of the inputs of frames {}"),
    INPUTS: ("inputs of frame {}", "inputs of frames {}"),
    STATES: ("the state before frame {}", "states before frames {}"),
    TREES: ("the hash tree after frame {}", "hash trees after frames {}"),
    PROGRAM: ("the program", ""),
    TRACE: ("the trace of frame {}", ""),
}
"""What a topic's parts are called, by whether they are about one frame or several."""
_MOST_SHOWN = 16
_AFTER = (HASHES, TREES)
"""Topics that go by the state after a frame."""
_INIT = "the hash of the state that init leaves"


def account(report: Report) -> str:
    """What a report still tells and what it does not, as in `hashes of frames 0-899 and the
    environment are usable; the trace of frame 124 is not`."""
    lack = told(report, report.missing)
    if not lack:
        return "everything in it is usable"
    have = [*told(report, list(report.parts)), "the environment"]
    return f"{_listed(have)} {_are(have)} usable; {_listed(lack)} {_are(lack)} not"


def told(report: Report, keys: Sequence[Key]) -> list[str]:
    """Some of the parts in words, a phrase a topic."""
    phrases: list[str] = []
    for topic, (one, many) in _PHRASES.items():
        found = [key for key in keys if key.topic == topic]
        spans = _joined(_frames(report, key) for key in found)
        if found:
            phrase = (one if sum(map(len, spans)) == 1 else many).format(_shown(spans))
            phrases.append(phrase if spans else _INIT)
    return phrases


def _frames(report: Report, key: Key) -> range:
    """The frames that a part is about."""
    count = 1
    if key.topic in (HASHES, INPUT_HASHES):
        count = report.sizes[key] // 8
    elif key.topic == INPUTS:
        count = min(input_block(report.header), report.asked.stop - key.number)
    first = key.number - (key.topic in _AFTER)
    return range(max(0, first), first + count)


def _joined(parts: Iterable[range]) -> list[range]:
    """Ascending frames as ranges that do not touch."""
    spans: list[range] = []
    for part in parts:
        if spans and part and spans[-1].stop == part.start:
            spans[-1] = range(spans[-1].start, part.stop)
        elif part:
            spans.append(part)
    return spans


def _shown(spans: Sequence[range]) -> str:
    """`0-899, 1024`."""
    shown = [
        f"{span.start}" if len(span) == 1 else f"{span.start}-{span.stop - 1}"
        for span in spans[:_MOST_SHOWN]
    ]
    more = len(spans) - len(shown)
    return ", ".join([*shown, f"and {more:,} more ranges"] if more else shown)


def _listed(phrases: list[str]) -> str:
    return f"{', '.join(phrases[:-1])} and {phrases[-1]}" if len(phrases) > 1 else phrases[0]


def _are(phrases: list[str]) -> str:
    single = len(phrases) == 1 and phrases[0].startswith("the ")
    return "is" if single else "are"
