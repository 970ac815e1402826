"""Generators of one's own, whose methods change between versions of Python."""

import random


class Unit:
    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)

    def luck(self) -> float:
        return self.dice.gauss(0.0, 1.0)  # expect: SB301


def shuffled(unit: Unit, cards: list[int]) -> list[int]:
    unit.dice.shuffle(cards)  # expect: SB301
    return cards


def bits(unit: Unit) -> int:
    return unit.dice.getrandbits(8)
