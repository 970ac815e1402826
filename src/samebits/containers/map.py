"""`Map[K, V, N]`: up to N keys with their values, in the order in which they were put in.

Entries lie in that order. The slots of the hash table are what first come, first served linear
probing makes of the entries alone: taking one out moves the oldest that would rather be in its
place there, and so on, so that there are no tombstones and no history.
"""

# pyright: basic, reportInvalidTypeForm=false, reportAttributeAccessIssue=false
# pyright: reportIndexIssue=false, reportOptionalCall=false, reportArgumentType=false
# pyright: reportOperatorIssue=false, reportReturnType=false, reportCallIssue=false
# The annotations in a template are types that the family is given, which no checker knows.

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Self

from samebits.containers.family import Family, capacity, item_type, label, whole_label
from samebits.containers.host import compared, fill_by, shown
from samebits.containers.plain import MAP
from samebits.containers.values import comparison, copier, hasher
from samebits.errors import CompileError
from samebits.lang.calls.copied_arguments import Plain
from samebits.lang.memory.arrays import FixedArray, zeros
from samebits.lang.memory.structs import Struct
from samebits.lang.values.scalars import int32, int64
from samebits.lang.values.vectors import Vector
from samebits.types import BOOL, MatrixType, ScalarType, VectorType


class Map(Family):
    """`Map[K, V, N]`: up to N keys, integers or vectors of integers, each with a value of a scalar,
    vector or struct type.

    A struct class: a field's type, a parameter's, and called, from kernels empty, from Python with
    a mapping or pairs too. `len`, `in`, `m[k]`, `m[k] = v`, `del m[k]`, `==` are those of Python's
    dicts; loops, also over `keys()`, `values()` and `items()`, take the keys in the order in which
    they were put in. A value that is a struct is a reference. What is not used of the memory is
    zero, and nothing depends on keys that were taken out. Methods say what they cost, n being the
    length.
    """

    parameters = "K, V, N"
    plain: ClassVar[tuple[type, ...]] = (dict,)
    taken: ClassVar[Plain | None] = MAP

    @classmethod
    def make(cls, *parts: Any) -> tuple[tuple[object, ...], Callable[[], type]]:
        K, V, N = parts
        t = item_type("Map", K, "a key")
        element = t.element if isinstance(t, VectorType) else t
        whole = isinstance(element, ScalarType) and (element.is_int or element is BOOL)
        if not whole or isinstance(t, MatrixType):
            raise CompileError(
                f"a key of Map cannot be {label(K)}: keys are integers or vectors of them",
                note="-0.0 equals 0.0 and a NaN nothing, so that a float is no key",
                fix="use int64 keys: round the number to a grid, or take its bits by sb.bitcast",
            )
        item_type("Map", V, "a value")
        N = capacity("Map", N)
        return (K, V, N), lambda: _map(K, V, N)


def _map(K: Any, V: Any, N: int) -> type:
    own = copier(V, whole_label(V))
    same = comparison(V, whole_label(V))
    same_key = comparison(K, whole_label(K))
    hash_of = hasher(K, whole_label(K))
    M = 1 << (2 * N - 1).bit_length()
    mask = M - 1

    class Entries:
        size: int64
        key_data: FixedArray[K, N]
        data: FixedArray[V, N]
        slots: FixedArray[int32, M]

        __elements__ = "data"

        def __len__(self) -> int:
            return int(self.size)

        def capacity(self) -> int:
            """The most keys that it holds. O(1)."""
            return N

        def slot_of(self, key: K) -> int:
            """The slot of a key, or the empty one where it would go. O(1) as a rule."""
            slot = hash_of(key) & mask
            for _ in range(M):
                entry = int(self.slots[slot])
                if entry == 0 or same_key(self.key_data[entry - 1], key):
                    return slot
                slot = (slot + 1) & mask
            return -1

        def __position__(self, key: K) -> int:
            entry = int(self.slots[self.slot_of(key)])
            assert entry > 0, "the key is not in the map"
            return entry - 1

        def __contains__(self, key: K) -> bool:
            return self.slots[self.slot_of(key)] > 0

        def put(self, slot: int, key: K, value: V) -> None:
            """Add an entry whose slot is known, at the end. O(1)."""
            n = int(self.size)
            self.key_data[n] = key
            self.data[n] = value
            self.slots[slot] = int32(n + 1)
            self.size += 1

        def __setitem__(self, key: K, value: V) -> None:
            slot = self.slot_of(key)
            entry = int(self.slots[slot])
            if entry > 0:
                self.data[entry - 1] = value
            else:
                assert self.size < N, "the map is full"
                self.put(slot, key, value)

        def try_set(self, key: K, value: V) -> bool:
            """`m[key] = value`, if the key is there or there is room; whether it was done. O(1)."""
            slot = self.slot_of(key)
            entry = int(self.slots[slot])
            if entry > 0:
                self.data[entry - 1] = value
                return True
            if self.size >= N:
                return False
            self.put(slot, key, value)
            return True

        def get(self, key: K, default: V) -> V:
            """The value of a key, or `default` where it is not in. O(1)."""
            entry = int(self.slots[self.slot_of(key)])
            if entry > 0:
                return own(self.data[entry - 1])
            return own(default)

        def pop(self, key: K) -> V:
            """Take out a key: its value; traps where it is not in. O(n + N), O(1) of the last."""
            value = own(self.data[self.__position__(key)])
            del self[key]
            return value

        def __delitem__(self, key: K) -> None:
            slot = self.slot_of(key)
            entry = int(self.slots[slot])
            assert entry > 0, "the key is not in the map"
            self.vacate(slot)
            n = int(self.size)
            if entry < n:
                for k in range(M):
                    if self.slots[k] > entry:
                        self.slots[k] -= 1
                for k in range(entry, n):
                    self.key_data[k - 1] = self.key_data[k]
                for k in range(entry, n):
                    self.data[k - 1] = self.data[k]
            self.key_data[n - 1] = zeros(1, K)[0]
            self.data[n - 1] = zeros(1, V)[0]
            self.size -= 1

        def vacate(self, slot: int) -> None:
            """Empty a slot: the oldest entry that would rather be in it moves there, and so on."""
            hole = slot
            for _ in range(M):
                oldest, found = 0, 0
                at = (hole + 1) & mask
                for _ in range(M):
                    entry = int(self.slots[at])
                    if entry == 0:
                        break
                    home = hash_of(self.key_data[entry - 1]) & mask
                    wants = (at - home) & mask >= (at - hole) & mask
                    if wants and (oldest == 0 or entry < oldest):
                        oldest, found = entry, at
                    at = (at + 1) & mask
                self.slots[hole] = int32(oldest)
                if oldest == 0:
                    return
                hole = found

        def clear(self) -> None:
            """Take out all keys. O(N)."""
            for k in range(int(self.size)):
                self.key_data[k] = zeros(1, K)[0]
                self.data[k] = zeros(1, V)[0]
            for k in range(M):
                self.slots[k] = 0
            self.size = 0

        def __at__(self, cursor: int) -> K:
            return self.key_data[cursor]

        def __eq__(self, other: Self) -> bool:
            if self.size != other.size:
                return False
            for k in range(int(self.size)):
                entry = int(other.slots[other.slot_of(self.key_data[k])])
                if entry == 0 or not same(self.data[k], other.data[entry - 1]):
                    return False
            return True

        def host___init__(self, items: Mapping[Any, Any] | Iterable[tuple[Any, Any]] = ()) -> None:
            Struct.__init__(self)
            pairs = list(items.items() if hasattr(items, "items") else items)
            by_key = {tuple(k) if isinstance(k, Vector) else k: (k, v) for k, v in pairs}
            fill_by(self, N, by_key.values(), lambda pair: self.__setitem__(*pair))

        def host___len__(self) -> int:
            return int(self.size)

        def host___repr__(self) -> str:
            pairs = ", ".join(f"{shown([k])}: {shown([v])}" for k, v in self.items())
            return f"{self.__sb_type__}({{{pairs}}})"

        def host___eq__(self, other: Any) -> Any:
            return compared(self, other, Mapping)

    if same is None:
        del Entries.__eq__, Entries.host___eq__
    return Entries
