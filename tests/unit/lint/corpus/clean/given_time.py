"""Times that are given, not read."""

import time
from datetime import datetime, timedelta


def shown(seconds: float) -> str:
    return time.strftime("%H:%M", time.gmtime(seconds))


def later(start: datetime) -> datetime:
    return start + timedelta(seconds=5)
