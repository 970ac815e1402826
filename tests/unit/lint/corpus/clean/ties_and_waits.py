"""Stable sorts, heaps with a number behind the key, waits without an end, and NumPy's exact loops."""

import heapq
import queue
import threading

import numpy as np


class Node:
    def __init__(self, cost: float, number: int) -> None:
        self.cost = cost
        self.number = number


def ranking(scores: np.ndarray) -> list[int]:
    order = np.argsort(scores, kind="stable")
    again = scores.argsort(stable=True)
    return [*order, *again]


def frontier(nodes: list[Node]) -> list[tuple[float, int, Node]]:
    heap: list[tuple[float, int, Node]] = []
    for node in nodes:
        heapq.heappush(heap, (node.cost, node.number, node))
    return heap


def received(inbox: queue.Queue, ready: threading.Event) -> object:
    ready.wait()
    return inbox.get(timeout=None)


def turned(angles: np.ndarray) -> np.ndarray:
    return np.unwrap(angles)


def number(n: int) -> int:
    return hash(n) ^ hash(7)


def ordered(a: dict[str, int], b: dict[str, int]) -> list[str]:
    return sorted(a.keys() | b.keys())
