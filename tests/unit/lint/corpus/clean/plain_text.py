"""Text that keeps every bit."""

import json


def save(x: float) -> str:
    return json.dumps({"x": x, "hex": x.hex(), "text": repr(x)})


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def raw(path):
    with open(path, "rb") as file:
        return file.read()
