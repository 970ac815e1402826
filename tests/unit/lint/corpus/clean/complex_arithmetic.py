"""Sums and products of complex numbers."""


def mandelbrot(c: complex, limit: int) -> int:
    z = 0j
    for n in range(limit):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag > 4.0:
            return n
    return limit
