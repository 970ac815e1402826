"""Rows of 2/π for float32 sine and cosine, each as three float64, HIGH + REST + LOW.

Row i serves |x| >= FROM_i, up to the next row; row 0, which is 2/π itself, everything below
FROM_1. Bits of 2/π that give multiples of four quarter turns for all of a row's x are left out:
HIGH holds the 29 bits below those, REST the next 24, LOW the next 53. A float32 has 24 bits, so
its products with HIGH and REST are exact. Made by tools/math/sin_cos_f32_table.py.
"""

from __future__ import annotations

HIGH_0 = float.fromhex("0x1.45f306d000000p-1")
REST_0 = float.fromhex("0x1.9391040000000p-30")
LOW_0 = float.fromhex("0x1.4a7f09d5f47d5p-54")
FROM_1 = 2.0**42
HIGH_1 = float.fromhex("0x1.b727220000000p-23")
REST_1 = float.fromhex("0x1.529fc20000000p-52")
LOW_1 = float.fromhex("0x1.d5f47d4d37703p-78")
FROM_2 = 2.0**60
HIGH_2 = float.fromhex("0x1.c882a53000000p-37")
REST_2 = float.fromhex("0x1.f09d5e0000000p-66")
LOW_2 = float.fromhex("0x1.47d4d377036d9p-90")
FROM_3 = 2.0**78
HIGH_3 = float.fromhex("0x1.4a7f09d000000p-54")
REST_3 = float.fromhex("0x1.7d1f500000000p-84")
LOW_3 = float.fromhex("0x1.a6ee06db14acdp-107")
FROM_4 = 2.0**96
HIGH_4 = float.fromhex("0x1.3abe8fa000000p-75")
REST_4 = float.fromhex("0x1.34ddc00000000p-104")
LOW_4 = float.fromhex("0x1.b6c52b3278872p-129")
FROM_5 = 2.0**114
HIGH_5 = float.fromhex("0x1.47d4d37000000p-90")
REST_5 = float.fromhex("0x1.c0db600000000p-120")
LOW_5 = float.fromhex("0x1.4acc9e21c8210p-143")
