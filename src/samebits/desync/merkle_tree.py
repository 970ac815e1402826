"""Merkle tree over a state's fields: locates what differs between two states that are not at hand.

Owns its shape, which follows from the type alone: struct fields, array elements, blocks of small
elements, each a run of canonical bytes. Only the leaves' hashes are stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from samebits.bits import canonical_size, xxh64
from samebits.types import FixedArrayType, MemoryType, StructType

LEAST_LEAF = 32
"""Bytes that a leaf covers at least, if as many are adjacent; a hash takes 8."""
MAX_LEAVES = 4096

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class MerkleNode:
    """Canonical bytes `start` to `stop` of a state, and the leaves that cover them.

    `path` is a field (`ships`), an element (`ships[3].pos`), adjacent elements (`ships[4:8]`), or
    adjacent fields (`ships[3].(mass, fuel)`).
    """

    path: str
    start: int
    stop: int
    leaves: range
    children: tuple[MerkleNode, ...] = ()


class MerkleTree:
    """The Merkle tree of states of one type."""

    def __init__(self, t: StructType, most: int = MAX_LEAVES) -> None:
        size = LEAST_LEAF
        while leaf_count(t, size) > most:
            size *= 2
        self.leaf_size = size
        maker = _Maker(size)
        self.root = maker.node(t, "", 0)
        self.leaves: tuple[MerkleNode, ...] = tuple(maker.leaves)

    def hashes(self, state: bytes) -> Hashes:
        """XXH64 of the canonical bytes under each leaf."""
        whole = memoryview(state)
        found = [xxh64(whole[leaf.start : leaf.stop]) for leaf in self.leaves]
        return np.array(found, np.uint64)

    def differing(self, a: Hashes, b: Hashes) -> Iterator[MerkleNode]:
        """The leaves in which two states differ, in declared order."""
        yield from self._differing(self.root, a != b)

    def _differing(self, node: MerkleNode, unequal: NDArray[np.bool_]) -> Iterator[MerkleNode]:
        if not unequal[node.leaves.start : node.leaves.stop].any():
            return
        if not node.children:
            yield node
        for child in node.children:
            yield from self._differing(child, unequal)


@lru_cache(maxsize=16)
def merkle_tree(t: StructType) -> MerkleTree:
    """The Merkle tree of states of type `t`, with a few thousand leaves at most."""
    return MerkleTree(t)


def leaf_count(t: MemoryType, size: int) -> int:
    """The number of leaves of `size` bytes in a tree over `t`, without building it."""
    whole = canonical_size(t)
    if whole <= size:
        return 1
    match t:
        case StructType():
            return sum(
                1 if len(group) > 1 else leaf_count(group[0][1], size) for group in _groups(t, size)
            )
        case FixedArrayType():
            element = canonical_size(t.element)
            if element > size:
                return t.count * leaf_count(t.element, size)
            return -(-t.count // (size // element))
        case _:
            return 1


def _groups(t: StructType, size: int) -> list[list[tuple[str, MemoryType]]]:
    """The fields in order, adjacent small ones grouped into a leaf."""
    groups: list[list[tuple[str, MemoryType]]] = []
    filled = size + 1
    for name, field in t.fields:
        width = canonical_size(field)
        if filled + width > size:
            groups.append([])
            filled = 0
        groups[-1].append((name, field))
        filled += width
    return groups


class _Maker:
    """Builds nodes in declared order, so that leaves are in byte order."""

    def __init__(self, size: int) -> None:
        self._size = size
        self.leaves: list[MerkleNode] = []

    def node(self, t: MemoryType, path: str, start: int) -> MerkleNode:
        stop = start + canonical_size(t)
        if stop - start > self._size:
            first = len(self.leaves)
            match t:
                case StructType():
                    children = tuple(self._fields(t, path, start))
                case FixedArrayType():
                    children = tuple(self._elements(t, path, start))
                case _:
                    return self._leaf(path, start, stop)
            return MerkleNode(path, start, stop, range(first, len(self.leaves)), children)
        return self._leaf(path, start, stop)

    def _leaf(self, path: str, start: int, stop: int) -> MerkleNode:
        place = len(self.leaves)
        leaf = MerkleNode(path, start, stop, range(place, place + 1))
        self.leaves.append(leaf)
        return leaf

    def _fields(self, t: StructType, path: str, start: int) -> Iterator[MerkleNode]:
        head = f"{path}." if path else ""
        for group in _groups(t, self._size):
            width = sum(canonical_size(field) for _, field in group)
            if len(group) == 1:
                yield self.node(group[0][1], head + group[0][0], start)
            else:
                names = ", ".join(name for name, _ in group)
                yield self._leaf(f"{head}({names})", start, start + width)
            start += width

    def _elements(self, t: FixedArrayType, path: str, start: int) -> Iterator[MerkleNode]:
        width = canonical_size(t.element)
        many = max(1, self._size // width)
        for first in range(0, t.count, many):
            last = min(first + many, t.count) - 1
            at = start + first * width
            place = path + _indices(t, first, last)
            if width > self._size:
                yield self.node(t.element, place, at)
            else:
                yield self._leaf(place, at, at + (last - first + 1) * width)


def _indices(t: FixedArrayType, first: int, last: int) -> str:
    """`[3]`, `[4:8]`; in more dimensions `[0, 3]`, `[0, 3] to [1, 2]`."""
    if len(t.shape) == 1:
        return f"[{first}]" if first == last else f"[{first}:{last + 1}]"
    one, other = (f"[{', '.join(map(str, _unravelled(t.shape, i)))}]" for i in (first, last))
    return one if first == last else f"{one} to {other}"


def _unravelled(shape: tuple[int, ...], flat: int) -> tuple[int, ...]:
    """The index along each dimension of an element that is counted row by row."""
    index: list[int] = []
    for length in reversed(shape):
        flat, at = divmod(flat, length)
        index.insert(0, at)
    return tuple(index)
