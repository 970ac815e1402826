"""Hazards that someone has thought about."""

import math
import time

print(time.time())  # noqa: SB501
print(math.sin(1.0), time.time())  # noqa: SB202, SB501
print(math.cos(1.0))  # noqa
