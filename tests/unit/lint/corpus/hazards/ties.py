"""Orders of elements that compare equal."""

import heapq

import numpy as np


class Node:
    def __init__(self, cost: float) -> None:
        self.cost = cost


def ranking(scores: np.ndarray) -> list[int]:
    order = np.argsort(scores)  # expect: SB106
    nearest = np.argpartition(scores, 3)  # expect: SB106
    again = scores.argsort(kind="quicksort")  # expect: SB106
    return [*order, *nearest, *again]


def frontier(nodes: list[Node]) -> list[tuple[float, Node]]:
    heap: list[tuple[float, Node]] = []
    for node in nodes:
        heapq.heappush(heap, (node.cost, node))  # expect: SB106
    return heap
