"""Shortest paths over a grid of walls by A*, with a heap and maps."""

from typing import Literal

import samebits as sb
from samebits import int32, uint8

MOVES = sb.table([(1, 0), (-1, 0), (0, 1), (0, -1)], int32)


@sb.struct
class Node(sb.Struct):
    total: int32 = 0
    x: int32 = 0
    y: int32 = 0

    def __lt__(self, other: "Node") -> bool:
        return self.total < other.total


@sb.struct
class Search(sb.Struct):
    frontier: sb.Heap[Node, Literal[4096]] = sb.zero
    cost: sb.Map[int32, int32, Literal[4096]] = sb.zero
    came_from: sb.Map[int32, int32, Literal[4096]] = sb.zero


@sb.kernel
def distance(x: int, y: int, gx: int, gy: int) -> int:
    return abs(x - gx) + abs(y - gy)


@sb.kernel
def a_star(search: Search, walls: sb.ReadOnly2D[uint8], gx: int, gy: int) -> int:
    """The length of a shortest path from (0, 0) to the goal, which is left in `came_from`; -1 where
    there is none."""
    h, w = walls.shape
    search.frontier.push(Node(distance(0, 0, gx, gy), 0, 0))
    search.cost[0] = 0
    while len(search.frontier) > 0:
        node = search.frontier.pop()
        here = node.y * w + node.x
        if node.x == gx and node.y == gy:
            return int(search.cost[here])
        for move in MOVES:
            x, y = node.x + move[0], node.y + move[1]
            if 0 <= x < w and 0 <= y < h and walls[y, x] == 0:
                there = y * w + x
                cost = search.cost[here] + 1
                if there not in search.cost or cost < search.cost[there]:
                    search.cost[there] = cost
                    search.came_from[there] = here
                    search.frontier.push(Node(cost + distance(x, y, gx, gy), x, y))
    return -1
