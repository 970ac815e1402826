"""Type checkers accept what is right and find what is wrong, and pages become modules."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools import check_types
from tools.doc_blocks import ROOT

PROGRAM = """
from typing import Annotated, Literal, TypeVar

import numpy as np
import samebits as sb
from samebits import fix32, fix32x3, float2, float3, float3x3, float32, int2, int32, math
from samebits import quaternion

T = TypeVar("T")


@sb.struct
class Ship(sb.Struct):
    pos: float2 = sb.zero
    hp: int32 = 100

    @property
    def speed(self) -> float32:
        return math.length(self.pos)

    def __add__(self, other: "Ship") -> "Ship":
        return Ship(self.pos + other.pos, self.hp + other.hp)


@sb.struct
class World(sb.Struct):
    ships: sb.FixedArray[Ship, Literal[4]]
    grid: sb.FixedArray[float32, Literal[3], Literal[5]] = sb.zero


@sb.kernel
def heal(ship: Ship, by: int32 = 1) -> int32:
    ship.hp += by
    return ship.hp


@sb.kernel(mode=sb.FAST)
def scaled(values: sb.Array[float3], by: float32) -> float3:
    for i in range(len(values)):
        values[i] *= by
    return values[0]


@sb.kernel(recursion=4)
def applied(f: sb.Kernel[[float32], float32], x: float32) -> float32:
    return applied(f, f(x))


@sb.kernel
def rows(a: sb.ReadOnly2D[float32], b: sb.Array3D[float32]) -> float32:
    b[0, 1, 2] = a[0, 0] + a[1:][0][0] + b[0][1][2] + b[0, 1, :2][0] + b[0, 1][0]
    return float32(b)                                    # wrong


@sb.kernel
def first(values: sb.ReadOnly[T], other: T) -> T:
    return values[0] if len(values) else other


@sb.job
class Move(sb.ParallelFor):
    ships: sb.Array[Ship]
    marks: Annotated[sb.WriteOnly[int32], sb.unsafe_parallel]
    by: float32 = 1.0

    def execute(self, index: int32) -> None:
        self.ships[index].pos += float2(self.by, 0)
        self.marks[index] = 1
        self.ships[index].fuel = 1                       # wrong


def use(world: World, points: sb.Array[float3], ship: Ship, m: float3x3) -> None:
    heal(ship)
    heal(ship, by=2)
    heal.managed(ship, 2)
    sb.evaluate(heal, ship, 2)
    scaled(np.zeros((4, 3), np.float32), 1 / 3)
    total: int = heal(ship) + world.ships[0].hp
    right: float3 = scaled(points, 2) + points[1] * total
    (ship + ship).speed.hex()
    mask = right < 0.0
    print(math.select(mask, right, right.zyx).xy.dot)    # wrong
    number: float = math.sin(0.5) + math.clamp(right, 0.0, 1.0).x + math.max(number_of(1), 2)
    turned: float3 = quaternion.identity @ (m @ right) + math.transpose(m).c0
    half: fix32 = fix32("0.5") * 2 + 1
    steps: fix32x3 = (fix32x3(1) * 0.5 + half) * 2
    print(steps.x.raw, steps * fix32(2) > 1)
    for row in world.grid:
        total += len(row) + int(sum(row) + row[1:][0] + world.grid[0, 1:][0])
    rows(world.grid, sb.zeros((2, 3, 4), float32))
    rows(sb.table([[1, 2], [3, 4]], float32), np.zeros((2, 3, 4), np.float32))
    rows(world.ships, np.zeros((2, 3, 4)))               # wrong
    applied(math.sin, applied(itself, 1))
    applied(heal, 1)                                     # wrong
    heal("ship")                                         # wrong
    heal()                                               # wrong
    heal(ship, 1, 2)                                     # wrong
    heal(ship, to=2)                                     # wrong
    heal.managed(ship, "two")                            # wrong
    sb.evaluate(heal, "ship")                            # wrong
    scaled([1.0, 2.0], 2)                                # wrong
    scaled(points, points)                               # wrong
    print(scaled.options.speed)                          # wrong
    Ship(position=float2(0))                             # wrong
    Ship(hp="many")                                      # wrong
    World()                                              # wrong
    ship.hitpoints = 3                                   # wrong
    ship.hp = "3"                                        # wrong
    print(world.ships[0].po)                             # wrong
    print(world.ships[0, 1])                             # wrong
    print(world.grid[0].z)                               # wrong
    points[0] = float2(0)                                # wrong
    world.grid, world.ships = [[0.5, 1], [2, 3]], (ship, ship)
    world.grid = np.zeros((2, 2), np.float32)
    world.grid = 3                                       # wrong
    world.ships = {ship: 1}                              # wrong
    kept = Kept(path=[int2(1)], found={(0, 0): 1}, seen={3})
    kept.path, kept.found, kept.seen = [], {}, set()
    kept.path = 1                                        # wrong
    kept.found = [1]                                     # wrong
    kept.path.append(int2(0))
    print(right + float2(0))                             # wrong
    print(right @ float2(0))                             # wrong
    print(right.w)                                       # wrong
    print(int2(1) << "2")                                # wrong
    print(int2(1) * 0.5)                                 # wrong
    print(steps + right)                                 # wrong
    math.sin("0.5")                                      # wrong
    math.sine(number)                                    # wrong
    print(half & half)                                   # wrong
    print(turned.x.y)                                    # wrong
    Move(ships=np.zeros(2, Ship), mark=1)                # wrong


@sb.struct
class Kept(sb.Struct):
    path: sb.List[int2, Literal[4]] = sb.zero
    found: sb.Map[int2, int32, Literal[4]] = sb.zero
    seen: sb.BitSet[Literal[64]] = sb.zero


@sb.kernel
def itself(x: float32) -> float32:
    return x


@sb.kernel
def visit(found: sb.Map[int2, int32, Literal[8]], path: sb.List[int2, Literal[4]]) -> int32:
    queue = sb.Heap[float32, int2, Literal[16]]()
    seen = sb.BitSet[Literal[64]]()
    for cell, times in found.items():
        queue.push(0.5, cell + path[-1])
        found[cell] = times + found.get(path.pop(), 0)
        seen.add(cell.x)
    found["cell"] = 1                                    # wrong
    path.append(0.5)                                     # wrong
    path.push(path[0])                                   # wrong
    print(found[path[0]].x)                              # wrong
    print(seen | found)                                  # wrong
    path.extend(path[1:])
    path.sort()
    path.extend([0.5])                                   # wrong
    print(path[1:].x, len(path[:2]))                     # wrong
    weight, corner = queue.pop()
    path.append(corner)
    least = sb.Heap[float32, Literal[4]]()
    least.push(weight)
    path.append(least.pop())                             # wrong
    print(least.peek().x, least.get(weight).x)           # wrong
    path.append(queue.peek())                            # wrong
    for lowest in least:
        print(lowest + weight, lowest.x)                 # wrong
    return sum(number for number in seen | seen)


def number_of(x: int32) -> int32:
    return sb.rotl(x, 3) ^ 5


@sb.kernel(mod=sb.FAST)                                  # wrong
def misspelt(x: float32) -> float32:
    return x


@sb.kernel
def returns(x: float32) -> int32:
    return x                                             # wrong
"""


@pytest.mark.parametrize("name", ["pyright", "mypy"])
def test_a_checker_finds_what_is_wrong_and_nothing_else(name: str, tmp_path: Path) -> None:
    pytest.importorskip(name)
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    said = getattr(check_types, name)(tmp_path, [program], [])
    found = {line for _, line in check_types.errors(said)}
    wrong = {n for n, line in enumerate(PROGRAM.split("\n"), 1) if line.endswith("# wrong")}
    assert (sorted(wrong - found), sorted(found - wrong)) == ([], []), said


def test_a_page_is_a_module_at_its_own_lines_and_saved_blocks_are_others() -> None:
    page = ROOT / "docs" / "tutorials" / "experiment.md"
    found = check_types.modules(page)
    assert list(found) == [
        "docs_tutorials_experiment.py", "analysis.py", "docs_tutorials_experiment_analysis.py",
    ]  # fmt: skip
    lines = page.read_text("utf-8").split("\n")
    for text in found.values():
        for number, line in enumerate(text.split("\n")):
            assert line in ("", lines[number])


def test_errors_are_read_of_either_checker() -> None:
    said = (
        "/a/b.py\n  /a/b.py:3:5 - error: no (reportX)\n  /a/b.py:4:5 - warning: no\n"
        "c/d.py:7: error: no  [x]\nc/d.py:8: note: no\n"
    )
    assert check_types.errors(said) == [("/a/b.py", 3), ("c/d.py", 7)]


def test_what_users_copy_passes_both_checkers(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyright")
    pytest.importorskip("mypy")
    assert check_types.main() == 0, capsys.readouterr().out
