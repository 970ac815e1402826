"""Numbers in the user's own notation."""

import json
import locale


def parse(line):
    return locale.atof(line)  # expect: SB601


def show(x: float) -> str:
    return f"{x:n}"  # expect: SB601


def load(path):
    with open(path) as file:  # expect: SB601
        return json.load(file)
