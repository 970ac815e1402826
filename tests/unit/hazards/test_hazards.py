"""sb.hazards injects by name, place and variant, and lists the choices where that fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.folders import EXAMPLES

import samebits as sb
from samebits import hazards
from samebits.hazards.catalogue import EXPRESSION_HAZARDS, PROGRAM_HAZARDS
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource

ARENA = load_simulation(str(EXAMPLES / "arena" / "arena.py"))
FRAMES = 60


def inputs() -> Any:
    (block,) = PlayerSource(ARENA, None, 1, FRAMES).blocks()
    return block.inputs


def hashes(simulation: sb.Simulation, seed: int = 1) -> list[int]:
    return [int(h) for h in simulation.start(seed).run(inputs())]


def first_difference(a: list[int], b: list[int]) -> int:
    return next(i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y)


def test_every_hazard_has_a_name_and_a_title() -> None:
    assert set(hazards.names()) == {
        hazard.name for hazard in (*EXPRESSION_HAZARDS, *PROGRAM_HAZARDS)
    }
    assert hazards.title("fma") == "fused multiply-add"


def test_a_place_says_where_it_is_and_is_injected_alone() -> None:
    place = next(p for p in hazards.places(ARENA, "fma") if p.line == 118)
    assert str(place) == "arena.py:118:12 add in arena.draw"
    assert (place.at, place.column, place.function) == ("arena.draw#37", 12, "arena.draw")
    (variant,) = hazards.variants(ARENA, "fma", place.at)
    assert variant.places == (place,)
    assert variant.expression == "fma(x1 - x0, x2 * 5.9604645e-08, x0)"
    injected = hazards.inject(ARENA, "fma", place.at)
    assert hashes(injected) == hashes(hazards.inject(ARENA, "fma", "arena.py:118"))
    assert hashes(injected) != hashes(ARENA)


def test_a_line_of_vectors_is_all_its_operations() -> None:
    variants = hazards.variants(ARENA, "fma", "arena.py:220")
    assert len(variants[0].places) == 2
    everywhere = hazards.variants(ARENA, "fma")
    assert set(variants[0].places) < set(everywhere[0].places)
    assert {p.text for p in everywhere[0].places} == {p.text for p in hazards.places(ARENA, "fma")}


def test_an_injected_simulation_is_the_plain_one_until_its_frame() -> None:
    plain = hashes(ARENA)
    at_once = hashes(hazards.inject(ARENA, "reciprocal"))
    assert first_difference(plain, at_once) == 0
    late = hazards.inject(ARENA, "reciprocal", from_frame=37)
    assert first_difference(plain, hashes(late)) == 37


def test_a_late_hazard_acts_frame_by_frame_as_in_one_run() -> None:
    late = hazards.inject(ARENA, "reciprocal", from_frame=5)
    session = late.start(1)
    stepped: list[int] = []
    for row in inputs()[:12]:
        session.step(row)
        stepped.append(session.hash())
        if session.frame == 8:
            blob = session.save()
    assert stepped == hashes(late)[:12]
    assert isinstance(session.state.bodies[0].pos.x, np.float32)
    session.restore(blob)
    assert [int(h) for h in session.run(inputs()[8:12])] == stepped[8:]


def test_hazards_are_injected_in_injected_simulations() -> None:
    both = hazards.inject(hazards.inject(ARENA, "fma", "arena.py:118"), "constant", "arena.py:185")
    other = hazards.inject(hazards.inject(ARENA, "constant", "arena.py:185"), "fma", "arena.py:118")
    assert hashes(both) == hashes(other)
    assert both.plain is ARENA
    assert both.digest == ARENA.digest
    with pytest.raises(sb.HazardError, match="from the same frame"):
        hazards.inject(both, "fma", "arena.py:220", from_frame=3)


def test_a_replay_of_an_injected_simulation_is_the_other_side(tmp_path: Path) -> None:
    injected = hazards.inject(ARENA, "fma", from_frame=10)
    with injected.record(tmp_path / "other.mcap", seed=1) as recording:
        recording.run(inputs())
    replay = sb.Replay.open(tmp_path / "other.mcap")
    assert [int(h) for h in replay.hashes] == hashes(injected)


def test_chance_follows_from_the_seed() -> None:
    at = hazards.places(ARENA, "host")[-1].at
    one, again, other = (hazards.inject(ARENA, "host", at, seed=n) for n in (1, 1, 2))
    name = at.partition("#")[0]
    functions = [injected.program.kernels.functions[name] for injected in (one, again, other)]
    assert functions[0] == functions[1] != functions[2]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"hazard": "magic"}, "the hazards are fma, libm"),
        ({"hazard": "fma", "at": "arena.py:114"}, "fma changes nothing at arena.py:114"),
        ({"hazard": "fma", "at": "arena.py:114"}, "it acts at arena.py:118:12 add in arena.draw"),
        ({"hazard": "fma", "at": "arena.py:100000"}, "the nearest lines that have one"),
        ({"hazard": "fma", "at": "arena.draw#37", "variant": 9}, "none has number 9"),
        ({"hazard": "fma", "from_frame": -1}, "give an int, 0 or more"),
    ],
)
def test_what_cannot_be_injected_says_why(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(sb.HazardError) as raised:
        hazards.inject(ARENA, **arguments)
    assert says in str(raised.value)
    assert isinstance(raised.value, ValueError)


def test_importing_samebits_loads_no_diagnosis() -> None:
    program = "import sys, samebits; print([m for m in sys.modules if 'diagnose' in m])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
