"""`BitSet[N]`: a set of the numbers 0 to N - 1."""

# pyright: basic, reportInvalidTypeForm=false, reportAttributeAccessIssue=false
# pyright: reportIndexIssue=false, reportOptionalCall=false, reportArgumentType=false
# pyright: reportOperatorIssue=false, reportReturnType=false, reportCallIssue=false
# The annotations in a template are types that the family is given, which no checker knows.

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Self

from samebits.containers.family import Family, capacity
from samebits.containers.host import compared, fill_set, shown
from samebits.containers.plain import SET
from samebits.lang.calls.copied_arguments import Plain
from samebits.lang.intrinsics import ctz, popcount
from samebits.lang.memory.arrays import FixedArray
from samebits.lang.memory.structs import Struct
from samebits.lang.values.scalars import int64, uint64


class BitSet(Family):
    """`BitSet[N]`: a set of the numbers 0 to N - 1, one bit each.

    A struct class: a field's type, a parameter's, and called, from kernels empty, from Python with
    the first numbers too. `len`, `in`, `==`, `|`, `&`, `-`, `^` are those of Python's sets; a loop
    takes the numbers in ascending order. Methods say what they cost, W being N / 64.
    """

    parameters: ClassVar[str] = "N"
    plain: ClassVar[tuple[type, ...]] = (set, frozenset)
    taken: ClassVar[Plain | None] = SET

    @classmethod
    def make(cls, *parts: Any) -> tuple[tuple[object, ...], Callable[[], type]]:
        N = capacity("BitSet", parts[0], "N")
        return (N,), lambda: _bit_set(N)


def _bit_set(N: int) -> type:
    W = (N + 63) // 64

    class Bits:
        size: int64
        words: FixedArray[uint64, W]

        def __len__(self) -> int:
            return int(self.size)

        def capacity(self) -> int:
            """How many numbers there are to choose from, N. O(1)."""
            return N

        def __contains__(self, number: int) -> bool:
            if not 0 <= number < N:
                return False
            return (self.words[number // 64] >> (number % 64)) & 1 == 1

        def add(self, number: int) -> None:
            """Put a number in; traps outside 0 to N - 1. O(1)."""
            assert 0 <= number < N, "the number is beyond the set"
            self.set_bit(number)

        def try_add(self, number: int) -> bool:
            """Put a number in; whether it is one of 0 to N - 1. O(1)."""
            if not 0 <= number < N:
                return False
            self.set_bit(number)
            return True

        def set_bit(self, number: int) -> None:
            """Put in a number that is known to be one of 0 to N - 1. O(1)."""
            bit = uint64(1) << (number % 64)
            if self.words[number // 64] & bit == 0:
                self.words[number // 64] |= bit
                self.size += 1

        def discard(self, number: int) -> None:
            """Take a number out, if it is in. O(1)."""
            if number in self:
                self.words[number // 64] ^= uint64(1) << (number % 64)
                self.size -= 1

        def remove(self, number: int) -> None:
            """Take a number out; traps where it is not in. O(1)."""
            assert number in self, "the number is not in the set"
            self.discard(number)

        def pop(self) -> int:
            """Take out the least number; traps where there is none. O(W)."""
            assert self.size > 0, "pop from an empty set"
            number = self.__after__(-1)
            self.discard(number)
            return number

        def clear(self) -> None:
            """Take out all numbers. O(W)."""
            for k in range(W):
                self.words[k] = 0
            self.size = 0

        def recount(self) -> None:
            """Count the numbers anew, after a change of the words. O(W)."""
            count = 0
            for k in range(W):
                count += int(popcount(self.words[k]))
            self.size = count

        def update(self, other: Self) -> None:
            """Put in all numbers of another set. O(W)."""
            for k in range(W):
                self.words[k] |= other.words[k]
            self.recount()

        def intersection_update(self, other: Self) -> None:
            """Take out what is not in another set. O(W)."""
            for k in range(W):
                self.words[k] &= other.words[k]
            self.recount()

        def difference_update(self, other: Self) -> None:
            """Take out all numbers of another set. O(W)."""
            for k in range(W):
                self.words[k] &= ~other.words[k]
            self.recount()

        def isdisjoint(self, other: Self) -> bool:
            """Whether no number is in both. O(W)."""
            for k in range(W):
                if self.words[k] & other.words[k] != 0:
                    return False
            return True

        def issubset(self, other: Self) -> bool:
            """Whether another set has all its numbers. O(W)."""
            for k in range(W):
                if self.words[k] & ~other.words[k] != 0:
                    return False
            return True

        def __or__(self, other: Self) -> Self:
            result = self.copy()
            result.update(other)
            return result

        def __and__(self, other: Self) -> Self:
            result = self.copy()
            result.intersection_update(other)
            return result

        def __sub__(self, other: Self) -> Self:
            result = self.copy()
            result.difference_update(other)
            return result

        def __xor__(self, other: Self) -> Self:
            result = self.copy()
            for k in range(W):
                result.words[k] ^= other.words[k]
            result.recount()
            return result

        def __eq__(self, other: Self) -> bool:
            for k in range(W):
                if self.words[k] != other.words[k]:
                    return False
            return True

        def __after__(self, cursor: int) -> int:
            first = cursor + 1
            assert first < N, "the set has fewer numbers than its length"
            k = first // 64
            word = self.words[k] >> (first % 64)
            if word != 0:
                return first + int(ctz(word))
            for j in range(k + 1, W):
                if self.words[j] != 0:
                    return j * 64 + int(ctz(self.words[j]))
            assert False, "the set has fewer numbers than its length"
            return N

        def __at__(self, cursor: int) -> int:
            return cursor

        def host___init__(self, items: Iterable[int] = ()) -> None:
            Struct.__init__(self)
            fill_set(self, N, items)

        def host___len__(self) -> int:
            return int(self.size)

        def host___repr__(self) -> str:
            return f"{self.__sb_type__}([{shown(self)}])"

        def host___eq__(self, other: Any) -> Any:
            return compared(self, other, set | frozenset)

    return Bits
