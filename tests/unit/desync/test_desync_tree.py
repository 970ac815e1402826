"""Hash trees: leaves cover every byte of a state once, and name what differs."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.support.runs.desync_files import SMALL, states

from samebits.bits import canonical_size, leaves, xxh64
from samebits.desync.merkle_tree import MerkleNode, MerkleTree, leaf_count, merkle_tree
from samebits.desync.report import SparseSeries
from samebits.types import (
    FLOAT32,
    INT32,
    UINT8,
    UINT32,
    FixedArrayType,
    MemoryType,
    StructType,
)

SHIP = StructType("Ship", (("pos", FixedArrayType(FLOAT32, (3,))), ("fuel", FLOAT32)))
LARGE = StructType("Large", (("id", UINT32), ("name", FixedArrayType(UINT8, (40,)))))
STATE = StructType(
    "State",
    (
        ("frame", UINT32),
        ("random", UINT32),
        ("ships", FixedArrayType(SHIP, (5,))),
        ("large", FixedArrayType(LARGE, (2,))),
        ("grid", FixedArrayType(INT32, (3, 10))),
        ("last", UINT8),
    ),
)

MANY = StructType("Many", tuple((f"n{i}", UINT32) for i in range(21)))


def test_its_nodes_are_fields_elements_and_blocks_of_elements() -> None:
    assert [leaf.path for leaf in MerkleTree(STATE).leaves] == [
        "(frame, random)",
        "ships[0:2]", "ships[2:4]", "ships[4]",
        "large[0].id", "large[0].name[0:32]", "large[0].name[32:40]",
        "large[1].id", "large[1].name[0:32]", "large[1].name[32:40]",
        "grid[0, 0] to [0, 7]", "grid[0, 8] to [1, 5]", "grid[1, 6] to [2, 3]",
        "grid[2, 4] to [2, 9]",
        "last",
    ]  # fmt: skip
    assert [leaf.path for leaf in MerkleTree(MANY).leaves] == [
        "(n0, n1, n2, n3, n4, n5, n6, n7)",
        "(n8, n9, n10, n11, n12, n13, n14, n15)",
        "(n16, n17, n18, n19, n20)",
    ]


def test_blocks_of_more_dimensions_are_named_by_each_index() -> None:
    t = StructType("Cube", (("cube", FixedArrayType(INT32, (2, 2, 3))),))
    assert [leaf.path for leaf in MerkleTree(t).leaves] == [
        "cube[0, 0, 0] to [1, 0, 1]", "cube[1, 0, 2] to [1, 1, 2]",
    ]  # fmt: skip


def paths(t: MemoryType) -> list[tuple[str, int]]:
    """Each scalar's path and its place in canonical bytes."""
    found: list[tuple[str, int]] = []
    at = 0
    for path, scalar, _ in leaves(t):
        found.append((path, at))
        at += scalar.size
    return found


@pytest.mark.parametrize("most", [1, 2, 3, 5, 8, 13, 100])
@pytest.mark.parametrize("t", [STATE, SHIP, LARGE, MANY, SMALL.state_type])
def test_leaves_cover_each_byte_once_and_are_no_more_than_allowed(t: StructType, most: int) -> None:
    tree = MerkleTree(t, most)
    assert len(tree.leaves) <= most
    assert len(tree.leaves) == leaf_count(t, tree.leaf_size)
    at = 0
    for leaf in tree.leaves:
        assert (leaf.start, leaf.children) == (at, ())
        at = leaf.stop
        assert leaf.stop - leaf.start <= tree.leaf_size
    assert at == canonical_size(t)
    check(tree.root, tree)


def check(node: MerkleNode, tree: MerkleTree) -> None:
    """A node's children are its bytes and its leaves, in order."""
    assert tree.leaves[node.leaves.start].start == node.start
    assert tree.leaves[node.leaves.stop - 1].stop == node.stop
    at = node.start
    for child in node.children:
        assert child.start == at
        at = child.stop
        check(child, tree)
    assert not node.children or at == node.stop


def test_what_differs_is_named_and_nothing_else() -> None:
    tree, chance = MerkleTree(STATE), random.Random(1)
    state = chance.randbytes(canonical_size(STATE))
    before = tree.hashes(state)
    assert list(tree.differing(before, before)) == []
    for path, at in paths(STATE):
        changed = bytearray(state)
        changed[at] ^= 4
        (found,) = tree.differing(before, tree.hashes(bytes(changed)))
        assert found.start <= at < found.stop
        assert found.path.lstrip("(").startswith(path.partition("[")[0].partition(".")[0]) or (
            path == "random"
        )


def test_hashes_are_of_the_bytes_under_each_leaf() -> None:
    tree, state = merkle_tree(SMALL.state_type), states()[7]
    for leaf, value in zip(tree.leaves, tree.hashes(state), strict=True):
        assert int(value) == xxh64(state[leaf.start : leaf.stop])


def test_a_large_state_has_a_tree_of_bounded_size() -> None:
    huge = StructType("Huge", (("n", UINT8), ("rows", FixedArrayType(LARGE, (1000, 6000)))))
    tree = merkle_tree(huge)
    assert canonical_size(huge) > 250e6
    assert 1000 < len(tree.leaves) <= 4096


def test_a_series_knows_its_gaps() -> None:
    one = SparseSeries(
        10, [(0, np.array([5, 6, 7], np.uint64)), (6, np.array([8, 2**64 - 1], np.uint64))]
    )
    assert [one[n] for n in range(-1, 11)] == [
        None, 5, 6, 7, None, None, None, 8, 2**64 - 1, None, None, None,
    ]  # fmt: skip
    assert one.ranges() == [range(3), range(6, 8)]
    other = SparseSeries(7, [(1, np.array([6, 9, 1, 1, 1, 8], np.uint64))])
    assert one.shared(other).tolist() == [1, 2, 6]
    assert one.first_difference(other) == 2
    assert one.first_difference(one) is None
    assert SparseSeries(0, []).ranges() == []
    assert list(SparseSeries(3, [(1, np.array([6], np.uint64))])) == [None, 6, None]
