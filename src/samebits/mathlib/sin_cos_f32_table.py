"""Rows of 2/π for float32 sine and cosine, as the bits of two float64 for each exponent.

Row i serves biased exponents 152 + i, |x| in [2^(25+i), 2^(26+i)); everything below takes row 0,
which is 2/π itself. The high part holds the 53 bits of 2/π just below weight 2^-i (heavier bits
give multiples of four quarter turns), the low part the next 53. Made by
tools/math/sin_cos_f32_table.py.
"""

from __future__ import annotations

from samebits.lang.scalars import uint64
from samebits.lang.tables import table

TWO_OVER_PI_HIGH = table(
    [
        0x3fe45f306dc9c882, 0x3fc17cc1b727220a, 0x3fc17cc1b727220a, 0x3f87cc1b727220a8,
        0x3f87cc1b727220a8, 0x3f87cc1b727220a8, 0x3f87cc1b727220a9, 0x3f6f306dc9c882a4,
        0x3f6f306dc9c882a5, 0x3f5e60db9391054a, 0x3f4cc1b727220a94, 0x3f39836e4e441529,
        0x3f2306dc9c882a53, 0x3ef836e4e441529c, 0x3ef836e4e441529e, 0x3ef836e4e441529f,
        0x3ee06dc9c882a53f, 0x3e8b727220a94fe0, 0x3e8b727220a94fe0, 0x3e8b727220a94fe0,
        0x3e8b727220a94fe0, 0x3e8b727220a94fe0, 0x3e8b727220a94fe1, 0x3e76e4e441529fc2,
        0x3e5b9391054a7f08, 0x3e5b9391054a7f09, 0x3e4727220a94fe13, 0x3e2c9c882a53f84e,
        0x3e2c9c882a53f84e, 0x3e19391054a7f09d, 0x3e027220a94fe13a, 0x3dd391054a7f09d4,
        0x3dd391054a7f09d4, 0x3dd391054a7f09d5, 0x3dac882a53f84eac, 0x3dac882a53f84eae,
        0x3dac882a53f84eaf, 0x3d991054a7f09d5f, 0x3d8220a94fe13abe, 0x3d51054a7f09d5f4,
        0x3d51054a7f09d5f4, 0x3d51054a7f09d5f4, 0x3d1054a7f09d5f40, 0x3d1054a7f09d5f44,
        0x3d1054a7f09d5f46, 0x3d1054a7f09d5f47, 0x3cb529fc2757d1e0, 0x3cb529fc2757d1f0,
        0x3cb529fc2757d1f0, 0x3cb529fc2757d1f4, 0x3cb529fc2757d1f4, 0x3cb529fc2757d1f5,
        0x3c94a7f09d5f47d4, 0x3c94a7f09d5f47d4, 0x3c729fc2757d1f52, 0x3c729fc2757d1f53,
        0x3c44fe13abe8fa98, 0x3c44fe13abe8fa9a, 0x3c44fe13abe8fa9a, 0x3c23f84eafa3ea68,
        0x3c23f84eafa3ea69, 0x3bffc2757d1f534c, 0x3bffc2757d1f534c, 0x3bffc2757d1f534d,
        0x3bef84eafa3ea69b, 0x3bdf09d5f47d4d37, 0x3bce13abe8fa9a6e, 0x3bbc2757d1f534dd,
        0x3ba84eafa3ea69bb, 0x3b909d5f47d4d377, 0x3b43abe8fa9a6ee0, 0x3b43abe8fa9a6ee0,
        0x3b43abe8fa9a6ee0, 0x3b43abe8fa9a6ee0, 0x3b43abe8fa9a6ee0, 0x3b1d5f47d4d37700,
        0x3b1d5f47d4d37702, 0x3b1d5f47d4d37703, 0x3b0abe8fa9a6ee06, 0x3af57d1f534ddc0d,
        0x3ad5f47d4d377036, 0x3ad5f47d4d377036, 0x3ab7d1f534ddc0da, 0x3ab7d1f534ddc0db,
        0x3a9f47d4d377036c, 0x3a9f47d4d377036d, 0x3a8e8fa9a6ee06db, 0x3a7d1f534ddc0db6,
        0x3a6a3ea69bb81b6c, 0x3a547d4d377036d8, 0x3a31f534ddc0db62, 0x3a31f534ddc0db62,
        0x39ff534ddc0db628, 0x39ff534ddc0db628, 0x39ff534ddc0db628, 0x39ff534ddc0db629,
        0x39eea69bb81b6c52, 0x39dd4d377036d8a5, 0x39ca9a6ee06db14a, 0x39b534ddc0db6295,
        0x3994d377036d8a56, 0x3994d377036d8a56, 0x39734ddc0db62958, 0x39734ddc0db62959,
    ],
    uint64,
)  # fmt: skip
TWO_OVER_PI_LOW = table(
    [
        0x3c94a7f09d5f47d5, 0x3c729fc2757d1f53, 0x3c729fc2757d1f53, 0x3c44fe13abe8fa9a,
        0x3c44fe13abe8fa9a, 0x3c44fe13abe8fa9a, 0x3c23f84eafa3ea6a, 0x3c23f84eafa3ea6a,
        0x3bffc2757d1f534e, 0x3bffc2757d1f534e, 0x3bffc2757d1f534e, 0x3bef84eafa3ea69c,
        0x3bdf09d5f47d4d37, 0x3bce13abe8fa9a6f, 0x3bbc2757d1f534de, 0x3ba84eafa3ea69bc,
        0x3b909d5f47d4d377, 0x3b43abe8fa9a6ee0, 0x3b43abe8fa9a6ee0, 0x3b43abe8fa9a6ee0,
        0x3b43abe8fa9a6ee0, 0x3b43abe8fa9a6ee0, 0x3b1d5f47d4d37703, 0x3b1d5f47d4d37703,
        0x3b1d5f47d4d37703, 0x3b0abe8fa9a6ee07, 0x3af57d1f534ddc0e, 0x3ad5f47d4d377037,
        0x3ad5f47d4d377037, 0x3ab7d1f534ddc0db, 0x3ab7d1f534ddc0db, 0x3a9f47d4d377036e,
        0x3a9f47d4d377036e, 0x3a8e8fa9a6ee06db, 0x3a7d1f534ddc0db6, 0x3a6a3ea69bb81b6c,
        0x3a547d4d377036d9, 0x3a31f534ddc0db63, 0x3a31f534ddc0db63, 0x39ff534ddc0db629,
        0x39ff534ddc0db629, 0x39ff534ddc0db629, 0x39ff534ddc0db629, 0x39eea69bb81b6c53,
        0x39dd4d377036d8a5, 0x39ca9a6ee06db14b, 0x39b534ddc0db6296, 0x3994d377036d8a56,
        0x3994d377036d8a56, 0x39734ddc0db6295a, 0x39734ddc0db6295a, 0x394a6ee06db14acd,
        0x394a6ee06db14acd, 0x394a6ee06db14acd, 0x3934ddc0db629599, 0x391377036d8a5665,
        0x391377036d8a5665, 0x38ebb81b6c52b328, 0x38ebb81b6c52b328, 0x38ebb81b6c52b328,
        0x38d77036d8a5664f, 0x38bdc0db6295993c, 0x38bdc0db6295993c, 0x38ab81b6c52b3279,
        0x3897036d8a5664f1, 0x387c0db6295993c4, 0x387c0db6295993c4, 0x38681b6c52b32788,
        0x385036d8a5664f11, 0x37eb6c52b3278872, 0x37eb6c52b3278872, 0x37eb6c52b3278872,
        0x37eb6c52b3278872, 0x37eb6c52b3278872, 0x37eb6c52b3278872, 0x37eb6c52b3278872,
        0x37d6d8a5664f10e4, 0x37bb6295993c4390, 0x37bb6295993c4390, 0x37a6c52b32788721,
        0x378b14acc9e21c82, 0x378b14acc9e21c82, 0x3776295993c43904, 0x3758a5664f10e410,
        0x3758a5664f10e410, 0x37414acc9e21c821, 0x3704acc9e21c8210, 0x3704acc9e21c8210,
        0x3704acc9e21c8210, 0x3704acc9e21c8210, 0x36e2b32788720840, 0x36e2b32788720840,
        0x36b5993c439041fe, 0x36b5993c439041fe, 0x36b5993c439041fe, 0x369664f10e4107f9,
        0x369664f10e4107f9, 0x367993c439041fe5, 0x367993c439041fe5, 0x3663278872083fca,
        0x36393c439041fe51, 0x36393c439041fe51, 0x36393c439041fe51, 0x362278872083fca3,
    ],
    uint64,
)  # fmt: skip
