"""Runners on shortest paths in a maze that two players build, as the simulation `MAZE`: A*.

Open cells wait in a heap by their estimate, with ties in the order in which they were found; a map
has the cell from which each was reached. Both are locals of a kernel; walls, runners and the score
are state.
"""

from typing import Literal, TypeAlias

import samebits as sb
from samebits import int2, int8, int32, math, random, uint64

PLAYERS = 2
WIDTH, HEIGHT = 32, 24
CELLS = WIDTH * HEIGHT
Cells: TypeAlias = Literal[768]
TICK_RATE = 20
MOST_RUNNERS = 24
MostRunners: TypeAlias = Literal[24]
STEPS_X = sb.table([1, 0, -1, 0], int32)
STEPS_Y = sb.table([0, 1, 0, -1], int32)


@sb.struct
class Runner(sb.Struct):
    """Where a runner is, where it runs to, and the cells on its way, the next one last."""

    cell: int2
    goal: int2
    path: sb.List[int2, Literal[128]] = sb.zero


@sb.struct
class Input(sb.Struct):
    """A wall is built, or taken down, at a cell."""

    x: int8
    y: int8
    build: bool


@sb.struct
class State(sb.Struct):
    walls: sb.BitSet[Cells] = sb.zero
    runners: sb.List[Runner, MostRunners] = sb.zero
    visits: sb.Map[int2, int32, Literal[64]] = sb.zero
    dice: random.Random = sb.zero
    frame: int32 = 0
    arrived: int32 = 0
    lost: int32 = 0


@sb.kernel
def number(cell: int2) -> int:
    return int(cell.y) * WIDTH + int(cell.x)


@sb.kernel
def is_free(walls: sb.BitSet[Cells], cell: int2) -> bool:
    inside = 0 <= cell.x < WIDTH and 0 <= cell.y < HEIGHT
    return inside and number(cell) not in walls


@sb.kernel
def distance(a: int2, b: int2) -> int32:
    return math.abs(a.x - b.x) + math.abs(a.y - b.y)


@sb.kernel
def find_path(walls: sb.BitSet[Cells], runner: Runner) -> bool:
    """Fill the runner's path by A*; whether there is one that is short enough to be kept."""
    cost = sb.Map[int2, int32, Cells]()
    came = sb.Map[int2, int2, Cells]()
    queue = sb.Heap[int32, int2, Cells]()
    runner.path.clear()
    cost[runner.cell] = 0
    queue.push(0, runner.cell)
    while len(queue) > 0:
        estimate, cell = queue.pop()
        if sb.all(cell == runner.goal):
            break
        if estimate > cost[cell] + distance(cell, runner.goal):
            continue
        for k in range(4):
            beside = cell + int2(STEPS_X[k], STEPS_Y[k])
            so_far = cost[cell] + 1
            if is_free(walls, beside) and so_far < cost.get(beside, 1 << 30):
                cost[beside] = so_far
                came[beside] = cell
                if not queue.try_push(so_far + distance(beside, runner.goal), beside):
                    return False
    if runner.goal not in came:
        return False
    at = runner.goal
    while sb.any(at != runner.cell):
        if not runner.path.try_append(at):
            runner.path.clear()
            return False
        at = came[at]
    return True


@sb.kernel
def draw_cell(state: State) -> int2:
    """A free cell, or one that is not, after ten tries."""
    cell = int2(0, 0)
    for _ in range(10):
        cell = int2(state.dice.next_int32(0, WIDTH), state.dice.next_int32(0, HEIGHT))
        if is_free(state.walls, cell):
            return cell
    return cell


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.dice = random.seeded(seed, 0)
    for _ in range(CELLS // 5):
        state.walls.add(number(draw_cell(state)))


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    for order in inputs:
        cell = int2(int32(order.x), int32(order.y))
        if 0 <= cell.x < WIDTH and 0 <= cell.y < HEIGHT:
            if order.build:
                state.walls.add(number(cell))
            else:
                state.walls.discard(number(cell))
    if state.frame % 8 == 0 and len(state.runners) < MOST_RUNNERS:
        state.runners.append(Runner(cell=draw_cell(state), goal=draw_cell(state)))
        if not find_path(state.walls, state.runners[-1]):
            state.runners.pop()
            state.lost += 1
    k = 0
    while k < len(state.runners):
        runner = state.runners[k]
        if len(runner.path) == 0:
            state.arrived += 1
            if runner.cell in state.visits or len(state.visits) < state.visits.capacity():
                state.visits[runner.cell] = state.visits.get(runner.cell, 0) + 1
            state.runners.swap_pop(k)
        elif is_free(state.walls, runner.path[-1]):
            runner.cell = runner.path.pop()
            k += 1
        elif find_path(state.walls, runner):
            k += 1
        else:
            state.lost += 1
            state.runners.swap_pop(k)
    state.frame += 1


def builders(frame: int, player: int, seed: int) -> dict[str, int | bool]:
    """One builds, the other takes down, somewhere else each frame."""
    beat = frame * 7 + player * 13 + seed
    return {"x": beat * 5 % WIDTH, "y": beat * 11 % HEIGHT, "build": (beat // 3 + player) % 3 != 0}


MAZE = sb.Simulation(
    name="maze",
    version="1",
    state=State,
    input=Input,
    players=PLAYERS,
    init=init,
    step=step,
    tick_rate=TICK_RATE,
    scripts={"builders": builders},
)
