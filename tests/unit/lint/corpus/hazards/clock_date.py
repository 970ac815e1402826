"""The day decides what appears."""

from datetime import date, datetime


def season():
    return "winter" if date.today().month in (12, 1, 2) else "summer"  # expect: SB501


def stamp():
    return datetime.now().isoformat()  # expect: SB501
