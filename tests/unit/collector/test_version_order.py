"""The order of versions that groups are resolved in."""

from __future__ import annotations

import itertools

from samebits.collector.grouping.version_order import is_at_least, version_key

ORDERED = (
    "", "0.9", "1.0-dev", "1.0-alpha", "1.0-alpha.2", "1.0b1", "1.0-rc1", "1.0-rc.2",
    "1.0", "1.0-hotfix", "1.0.1", "1.9", "1.10", "v2", "2.0.3", "10.0",
)  # fmt: skip


def test_versions_stand_in_their_order() -> None:
    for one, other in itertools.combinations(ORDERED, 2):
        assert version_key(one) < version_key(other), (one, other)
        assert is_at_least(other, one)
        assert not is_at_least(one, other)


def test_what_says_the_same_is_equal() -> None:
    for one, other in (
        ("1", "1.0.0"),
        ("v1.2", "1.2"),
        ("1.2+build.7", "1.2"),
        ("1.0RC1", "1-rc.1"),
    ):
        assert version_key(one) == version_key(other), (one, other)
