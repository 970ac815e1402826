"""A* over a grid of walls, with a binary heap in arrays: branches and dependent loads."""

import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import int32, uint8

HEIGHT, WIDTH = 64, 96
WALLS = 0.25
FAR = 1 << 30

MOVES_X, MOVES_Y = sb.table((1, -1, 0, 0), int32), sb.table((0, 0, 1, -1), int32)


@sb.kernel
def grid_astar(
    walls: sb.ReadOnly[uint8, 2], cost: sb.Array[int32], came: sb.Array[int32],
    keys: sb.Array[int32], cells: sb.Array[int32], out: sb.Array[int32],
) -> None:  # fmt: skip
    """From the first cell to the last: `out` gets the path's length, or -1, and the cells seen."""
    height, width = int32(walls.shape[0]), int32(walls.shape[1])
    goal = height * width - 1
    for k in range(len(cost)):
        cost[k] = FAR
    cost[0] = 0
    keys[0], cells[0] = height + width - 2, 0
    size = int32(1)
    seen = int32(0)
    while size > 0:
        here = cells[0]
        size -= 1
        key, cell = keys[size], cells[size]
        i = int32(0)
        while 2 * i + 1 < size:
            child = 2 * i + 1
            if child + 1 < size and keys[child + 1] < keys[child]:
                child += 1
            if key <= keys[child]:
                break
            keys[i], cells[i] = keys[child], cells[child]
            i = child
        keys[i], cells[i] = key, cell
        seen += 1
        if here == goal:
            out[0] = cost[goal]
            out[1] = seen
            return
        y, x = here // width, here % width
        for move in range(4):
            nx, ny = x + MOVES_X[move], y + MOVES_Y[move]
            if nx < 0 or nx >= width or ny < 0 or ny >= height or walls[ny, nx] != 0:
                continue
            there = ny * width + nx
            total = cost[here] + 1
            if total < cost[there]:
                cost[there] = total
                came[there] = here
                key = total + (width - 1 - nx) + (height - 1 - ny)
                i = size
                size += 1
                while i > 0 and key < keys[(i - 1) // 2]:
                    keys[i], cells[i] = keys[(i - 1) // 2], cells[(i - 1) // 2]
                    i = (i - 1) // 2
                keys[i], cells[i] = key, there
    out[0] = -1
    out[1] = seen


C = """
#include <stdint.h>

static const int32_t MOVES_X[4] = {1, -1, 0, 0}, MOVES_Y[4] = {0, 0, 1, -1};

void grid_astar(const uint8_t *walls, int32_t *cost, int32_t *came, int32_t *keys,
                int32_t *cells, int32_t *out, int64_t rows, int64_t columns) {
    int32_t height = (int32_t)rows, width = (int32_t)columns, goal = height * width - 1;
    for (int32_t k = 0; k <= goal; k++) cost[k] = 1 << 30;
    cost[0] = 0;
    keys[0] = height + width - 2;
    cells[0] = 0;
    int32_t size = 1, seen = 0;
    while (size > 0) {
        int32_t here = cells[0];
        size--;
        int32_t key = keys[size], cell = cells[size], i = 0;
        while (2 * i + 1 < size) {
            int32_t child = 2 * i + 1;
            if (child + 1 < size && keys[child + 1] < keys[child]) child++;
            if (key <= keys[child]) break;
            keys[i] = keys[child];
            cells[i] = cells[child];
            i = child;
        }
        keys[i] = key;
        cells[i] = cell;
        seen++;
        if (here == goal) {
            out[0] = cost[goal];
            out[1] = seen;
            return;
        }
        int32_t y = here / width, x = here % width;
        for (int move = 0; move < 4; move++) {
            int32_t nx = x + MOVES_X[move], ny = y + MOVES_Y[move];
            if (nx < 0 || nx >= width || ny < 0 || ny >= height || walls[ny * width + nx])
                continue;
            int32_t there = ny * width + nx, total = cost[here] + 1;
            if (total < cost[there]) {
                cost[there] = total;
                came[there] = here;
                key = total + (width - 1 - nx) + (height - 1 - ny);
                i = size++;
                while (i > 0 && key < keys[(i - 1) / 2]) {
                    keys[i] = keys[(i - 1) / 2];
                    cells[i] = cells[(i - 1) / 2];
                    i = (i - 1) / 2;
                }
                keys[i] = key;
                cells[i] = there;
            }
        }
    }
    out[0] = -1;
    out[1] = seen;
}
"""

STEPS_X, STEPS_Y = (1, -1, 0, 0), (0, 0, 1, -1)


def numba_grid_astar(walls, cost, came, keys, cells, out):
    height, width = walls.shape
    goal = height * width - 1
    for k in range(len(cost)):
        cost[k] = FAR
    cost[0] = 0
    keys[0], cells[0] = height + width - 2, 0
    size, seen = 1, 0
    while size > 0:
        here = cells[0]
        size -= 1
        key, cell = keys[size], cells[size]
        i = 0
        while 2 * i + 1 < size:
            child = 2 * i + 1
            if child + 1 < size and keys[child + 1] < keys[child]:
                child += 1
            if key <= keys[child]:
                break
            keys[i], cells[i] = keys[child], cells[child]
            i = child
        keys[i], cells[i] = key, cell
        seen += 1
        if here == goal:
            out[0] = cost[goal]
            out[1] = seen
            return
        y, x = here // width, here % width
        for move in range(4):
            nx, ny = x + STEPS_X[move], y + STEPS_Y[move]
            if nx < 0 or nx >= width or ny < 0 or ny >= height or walls[ny, nx] != 0:
                continue
            there = ny * width + nx
            total = cost[here] + 1
            if total < cost[there]:
                cost[there] = total
                came[there] = here
                key = total + (width - 1 - nx) + (height - 1 - ny)
                i = size
                size += 1
                while i > 0 and key < keys[(i - 1) // 2]:
                    keys[i], cells[i] = keys[(i - 1) // 2], cells[(i - 1) // 2]
                    i = (i - 1) // 2
                keys[i], cells[i] = key, there
    out[0] = -1
    out[1] = seen


def arguments(height: int = HEIGHT, width: int = WIDTH) -> Arguments:
    walls = (np.random.default_rng(26).random((height, width)) < WALLS).astype(np.uint8)
    walls[0, :], walls[:, -1] = 0, 0
    cells = height * width
    return (walls, *(np.zeros(size * cells, np.int32) for size in (1, 1, 4, 4)),
            np.zeros(2, np.int32))  # fmt: skip


BENCHMARK = Benchmark(
    name="grid_astar",
    title="grid A*",
    kernel=grid_astar,
    c=C,
    numba=numba_grid_astar,
    arguments=arguments,
    lengths=lambda a: a[0].shape,
)
