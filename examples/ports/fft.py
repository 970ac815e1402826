"""The radix-2 fast Fourier transform, in place, of complex numbers as pairs."""

import samebits as sb
from samebits import double2, float64, math


@sb.kernel
def times(a: double2, b: double2) -> double2:
    """The product of complex numbers."""
    return double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)


@sb.kernel
def fft(data: sb.Array[double2]) -> None:
    """Transform `data`, whose length is a power of two."""
    n = len(data)
    assert n > 0, "there is nothing to transform"
    assert n & (n - 1) == 0, f"{n} is no power of two"
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit != 0:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            data[i], data[j] = data[j], data[i]
    size = 2
    while size <= n:
        turn = -2.0 * math.pi / float64(size)
        for start in range(0, n, size):
            for k in range(size // 2):
                angle = turn * float64(k)
                w = double2(math.cos(angle), math.sin(angle))
                even = data[start + k]
                odd = times(data[start + k + size // 2], w)
                data[start + k] = even + odd
                data[start + k + size // 2] = even - odd
        size *= 2
