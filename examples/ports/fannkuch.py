"""Fannkuch-redux of the Benchmarks Game: the most flips of any permutation, and a checksum."""

import samebits as sb
from samebits import int32


@sb.kernel
def fannkuch(n: int) -> tuple[int, int]:
    order = sb.zeros(16, int32)
    flipped = sb.zeros(16, int32)
    count = sb.zeros(16, int32)
    for k in range(n):
        order[k] = k
    checksum, most, sign, r = 0, 0, 1, n
    while True:
        while r > 1:
            count[r - 1] = r
            r -= 1
        if order[0] != 0:
            for k in range(n):
                flipped[k] = order[k]
            flips = 0
            while flipped[0] != 0:
                low, high = 0, int(flipped[0])
                while low < high:
                    flipped[low], flipped[high] = flipped[high], flipped[low]
                    low += 1
                    high -= 1
                flips += 1
            most = max(most, flips)
            checksum += sign * flips
        sign = -sign
        while True:
            if r == n:
                return checksum, most
            first = order[0]
            for k in range(r):
                order[k] = order[k + 1]
            order[r] = first
            count[r] -= 1
            if count[r] > 0:
                break
            r += 1
