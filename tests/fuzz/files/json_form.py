"""JSON changed where it means something: values at their edges, of other types, nested, missing."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from samebits.bits import xxh64
from tests.fuzz.files.mutate import EXTREMES

LEAVES: tuple[Callable[[Random], Any], ...] = (
    lambda chance: chance.choice(EXTREMES),
    lambda chance: -chance.choice(EXTREMES),
    lambda chance: chance.choice((10**30, 10**4000, 1.5, -0.0, 1e308)),
    lambda chance: chance.choice((None, True, False)),
    lambda chance: chance.choice(("", "x", "1", "\n", "\0", "\ud800", "ü" * 300, "9" * 400)),
    lambda chance: chance.choice(([], {}, [[]], [1], {"struct": "S"}, {"": ""})),
    lambda chance: [chance.choice(EXTREMES)] * chance.choice((2, 300, 40_000)),
    lambda chance: nested(chance.choice((5, 33, 200, 900, 100_000)), chance),
)


class Raw:
    """Text that stands for a value that Python would not write."""

    def __init__(self, text: str) -> None:
        self.text = text


def nested(depth: int, chance: Random) -> Raw:
    """A value inside so many others."""
    before, behind = chance.choice((("[", "]"), ('{"array":', "}"), ('{"a":[', "]}")))
    return Raw(before * depth + "1" + behind * depth)


def text_of(value: Any) -> str:
    """Compact JSON with sorted keys, as the writers give it; `Raw` as it is."""
    raws: list[str] = []

    def default(found: object) -> str:
        assert isinstance(found, Raw)
        raws.append(found.text)
        return f"\0{len(raws) - 1}\0"

    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=default)
    for i, raw in enumerate(raws):
        text = text.replace(json.dumps(f"\0{i}\0"), raw)
    return text


def change(value: Any, chance: Random) -> Any:
    """The value with one place in it changed."""
    if isinstance(value, dict) and value and chance.random() < 0.95:
        key = chance.choice(sorted(value))
        found = dict(value)
        match chance.randrange(12):
            case 0:
                del found[key]
            case 1:
                found[chance.choice(("x", key + " ", "", "__class__"))] = found.pop(key)
            case 2:
                found[key] = value[chance.choice(sorted(value))]
            case _:
                found[key] = change(value[key], chance)
        return found
    if isinstance(value, list) and value and chance.random() < 0.9:
        items = list(value)
        at = chance.randrange(len(items))
        match chance.randrange(8):
            case 0:
                del items[at]
            case 1:
                items[at:at] = [items[at]] * chance.choice((1, 5, 5000))
            case _:
                items[at] = change(items[at], chance)
        return items
    if isinstance(value, int) and not isinstance(value, bool) and chance.random() < 0.4:
        return value + chance.choice((-1, 1, value, -value))
    if isinstance(value, str) and value and chance.random() < 0.3:
        at = chance.randrange(len(value))
        return value[:at] + chance.choice(("", " ", "\0", "'", "[", "\x1b", "é")) + value[at + 1 :]
    return chance.choice(LEAVES)(chance)


def sign(pairs: dict[str, str]) -> dict[str, str]:
    """The pairs with a checksum that holds, as replays and reports compute it."""
    rest = {key: value for key, value in pairs.items() if key != "checksum"}
    return rest | {"checksum": f"{xxh64(text_of(rest).encode()):016x}"}


def change_pairs(pairs: dict[str, str], chance: Random) -> dict[str, str]:
    """Metadata with one of its texts changed, as JSON where it is JSON, under right checksums."""
    found = dict(pairs)
    keys = sorted(found.keys() - {"checksum"})
    if not keys:
        return found
    key = chance.choice(keys)
    try:
        value = json.loads(found[key])
    except (ValueError, RecursionError):
        value = found[key]
    match chance.randrange(10):
        case 0:
            del found[key]
        case 1:
            found[chance.choice(("", "x", key.upper()))] = found.pop(key)
        case _ if isinstance(value, dict) and "checksum" in value:
            found[key] = text_of(sign(change_pairs(value, chance)))
        case _:
            changed = change(value, chance)
            found[key] = changed if isinstance(changed, str) else text_of(changed)
    return sign(found) if chance.random() < 0.95 else found
