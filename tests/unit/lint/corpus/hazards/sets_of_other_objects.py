"""Sets that are attributes of other objects, and what else goes in an order of hashes."""

import heapq
from dataclasses import dataclass, field
from weakref import WeakSet


class Unit:
    def __init__(self, hp: int) -> None:
        self.hp = hp


class Base:
    def __init__(self) -> None:
        self.watched: set[Unit] = set()


class World(Base):
    def __init__(self) -> None:
        super().__init__()
        self.units: set[Unit] = set()
        self.alive = WeakSet()
        self.groups: dict[str, set[Unit]] = {}


@dataclass
class Team:
    world: World
    rivals: "set[Unit] | None" = None
    others: list["Team"] = field(default_factory=list)


def names(team: Team) -> list[int]:
    return [unit.hp for unit in team.world.units]  # expect: SB101


def of_all(teams: list[Team]) -> list[int]:
    found = []
    for team in teams:
        for unit in team.world.units:  # expect: SB101
            found.append(unit.hp)
    return found


def of_others(team: Team) -> list[int]:
    found = []
    for other in team.others:
        found += [unit.hp for unit in other.world.watched]  # expect: SB101
    return found


def first_of(teams: dict[str, Team]) -> Unit:
    return next(iter(teams["red"].world.units))  # expect: SB101


def made() -> list[Unit]:
    world = World()
    return list(world.units)  # expect: SB101


def known(team: Team) -> list[Unit]:
    return list(team.rivals)  # expect: SB101


def weak(world: World) -> list[Unit]:
    return list(world.alive)  # expect: SB101


def of_group(world: World) -> list[Unit]:
    found = list(world.groups["red"])  # expect: SB101
    for group in world.groups.values():
        found.extend(group)  # expect: SB101
    return found


def both(a: dict[str, float], b: dict[str, float]) -> list[str]:
    found = []
    for key in a.keys() | b.keys():  # expect: SB101
        found.append(key)
    for key in a.keys() & b:  # expect: SB101
        found.append(key)
    return found


def strongest(units: set[Unit]) -> Unit:
    return max(units, key=lambda unit: unit.hp)  # expect: SB101


def ranked(world: World) -> list[Unit]:
    return sorted(world.units, key=lambda unit: unit.hp)  # expect: SB101


def best(world: World) -> list[Unit]:
    return heapq.nlargest(3, world.units, key=lambda unit: unit.hp)  # expect: SB101
