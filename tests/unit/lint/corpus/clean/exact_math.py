"""Functions that are exact or correctly rounded everywhere."""

import math


def f(x: float, y: float):
    a = math.sqrt(x) + math.floor(y) + math.fabs(x) + math.copysign(x, y)
    b = math.fmod(x, y) + math.ldexp(x, 3) + math.frexp(y)[0] + math.fsum([x, y])
    return a + b, math.gcd(12, 18), math.isnan(x), math.pi, math.nextafter(x, y)
