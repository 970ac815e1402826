"""Mandelbrot of the Benchmarks Game: a bitmap, eight pixels a byte."""

import samebits as sb
from samebits import uint8


@sb.kernel
def mandelbrot(n: int, image: sb.Array2D[uint8]) -> None:
    """Set the bits of the pixels that stay within 2 for 50 iterations; `image` is zero."""
    for y in range(n):
        ci = 2.0 * y / n - 1.0
        for x in range(n):
            cr = 2.0 * x / n - 1.5
            zr = zi = 0.0
            inside = 1
            for _ in range(50):
                zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
                if zr * zr + zi * zi > 4:
                    inside = 0
                    break
            image[y, x // 8] |= inside << (7 - x % 8)
