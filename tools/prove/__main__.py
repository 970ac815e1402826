"""`make prove`: every proof in turn; exit status 1 if any result is wrong."""

from __future__ import annotations

import sys

from tools.prove import sin_cos_f32, sin_cos_f64

if __name__ == "__main__":
    sys.exit(max([sin_cos_f32.main(), sin_cos_f64.main()]))
