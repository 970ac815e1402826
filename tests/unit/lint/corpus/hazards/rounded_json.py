"""A state that is saved with a few digits."""

import json


def save(x: float, y: float) -> str:
    return json.dumps({"x": round(x, 3), "y": float(f"{y:.4f}")})  # expect: SB602, SB602, SB602
