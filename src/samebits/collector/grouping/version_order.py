"""The order of versions: which is the later one, of any that simulations are given.

Numbers compare as numbers, `1.9 < 1.10`; zeros at the end say nothing, `1 = 1.0`. Words for what
comes before a release do, `2.0-alpha < 2.0-rc1 < 2.0`; other words come after it, `2.0 < 2.0-hotfix
< 2.0.1`. What follows a `+` is left out, as semver.org has it.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[0-9]{1,18}|[a-z]+")
_BEFORE = {
    "dev": 0, "snapshot": 0, "nightly": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "c": 3, "pre": 3,
    "preview": 3, "rc": 3,
}  # fmt: skip
_EARLIER, _END, _LATER, _NUMBER = range(4)
Key = tuple[tuple[int, int, str], ...]


def version_key(version: str) -> Key:
    """A key that orders versions when compared."""
    text = version.lower().partition("+")[0]
    found: list[tuple[int, int, str]] = []
    for word in _WORD.findall(re.sub(r"^v(?=[0-9])", "", text)):
        if word.isdecimal():
            found.append((_NUMBER, int(word), ""))
        else:
            _drop_zeros(found)
            before = _BEFORE.get(word)
            found.append((_LATER, 0, word) if before is None else (_EARLIER, before, ""))
    _drop_zeros(found)
    return (*found, (_END, 0, ""))


def _drop_zeros(found: list[tuple[int, int, str]]) -> None:
    while found and found[-1] == (_NUMBER, 0, ""):
        found.pop()


def is_at_least(version: str, other: str) -> bool:
    """Whether a version is the other one, or later."""
    return version_key(version) >= version_key(other)
