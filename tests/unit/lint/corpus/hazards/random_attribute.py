"""The module's own generator, through an attribute that holds the module."""

import random


class Deck:
    def __init__(self) -> None:
        self.dice = random

    def luck(self) -> float:
        return self.dice.gauss(0.0, 1.0)  # expect: SB301


def shuffled(deck: Deck, cards: list[int]) -> list[int]:
    deck.dice.shuffle(cards)  # expect: SB301
    return cards
