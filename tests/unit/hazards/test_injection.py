"""A planted program does at its places what the reference says, and everything else as before."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from tests.support.runs.observed_frames import (
    ARENA,
    OUTER_PLANETS,
    SIGNS,
    SIMULATIONS,
    TOUR,
    hashes,
    observed,
)

from samebits.backend.llvm.engine import host_target
from samebits.errors import HazardError, TargetError
from samebits.fpmodel.tree import written
from samebits.hazards.catalogue import HAZARDS
from samebits.hazards.injection import Plant, Way, places_of, planted, ways_among, ways_at
from samebits.hazards.locate import find
from samebits.hazards.variants import ACROSS
from samebits.ir.builder import Builder
from samebits.ir.grammar import HostFunction, Module, Op
from samebits.ir.refs import Place, described, is_own, statements
from samebits.passes.semantics.contract import Contraction
from samebits.runtime.cache import ObjectCache
from samebits.sim.execution import EvaluateExecution, NativeExecution
from samebits.sim.program import Program
from samebits.sim.simulation import Simulation
from samebits.types import FLOAT32


def drawn(simulation: Simulation, seed: int) -> list[tuple[Plant, Way]]:
    """A way of each hazard at a place of its own, none inside another's expression."""
    source, kernels = Random(f"{simulation.name} {seed}"), simulation.program.kernels
    taken: set[Place] = set()
    inside: set[Place] = set()
    found: list[tuple[Plant, Way]] = []
    for hazard in HAZARDS:
        left = [p for p in places_of(kernels, hazard.name) if p not in taken | inside]
        source.shuffle(left)
        for place in left[:4]:
            ways = ways_at(kernels, hazard.name, place)
            number = source.randrange(len(ways))
            (part,) = ways[number].parts
            inner = {Place(place.function, v.op) for v in part.site.values.values()}
            if not inner & taken:
                taken.add(place)
                inside |= inner
                found.append((Plant(hazard.name, place, number), ways[number]))
                break
    return found


@pytest.mark.parametrize("simulation", [ARENA, OUTER_PLANETS, SIGNS], ids=lambda s: s.name)
def test_planted_operations_give_the_reference_and_every_build_the_same(
    simulation: Simulation,
) -> None:
    plants = drawn(simulation, 0)
    program = planted(simulation.program, [plant for plant, _ in plants])
    ways = {plant.place: way for plant, way in plants}
    checked: set[Place] = set()
    for _, observation in observed(simulation, 1, 6, program=program):
        way = ways.get(observation.place)
        if way is None:
            continue
        checked.add(observation.place)
        (part,) = way.parts
        given = {n: observation.values[v.op, v.index] for n, v in part.site.operands.items()}
        expected = part.site.bits(part.tree, part.arithmetic, given)
        result = observation.values[observation.place.op, 0]
        assert f"{result:x}" == f"{expected:x}", (way, written(part.tree))
    assert len(checked) >= len(plants) // 2
    assert same_everywhere(simulation, program)


def same_everywhere(simulation: Simulation, program: Program) -> list[int]:
    """The hashes of a frame, which every build gives."""
    evaluated = hashes(simulation, EvaluateExecution(program), 1)
    for opt in (0,) if simulation is TOUR else (0, 3):
        compiled = program.compiled(host_target(), opt)
        assert hashes(simulation, NativeExecution(program, compiled), 1) == evaluated
    return evaluated


@pytest.mark.parametrize("name", ["arena", "outer planets"])
def test_an_fma_everywhere_is_the_contraction_of_the_modes(name: str) -> None:
    simulation = SIMULATIONS[name]
    before = simulation.program
    contracted = {
        n: Contraction(f).run() if is_own(n) else f for n, f in before.kernels.functions.items()
    }
    other = before.with_kernels(Module(contracted, before.kernels.tables))
    found, expected, plain = (
        hashes(simulation, NativeExecution(p, p.compiled(host_target(), 0)), 20)
        for p in (planted(before, [Plant("fma")]), other, before)
    )
    assert found == expected != plain


def test_this_machines_library_is_called_by_what_runs_in_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = places_of(ARENA.program.kernels, "libm")[0]
    program = planted(ARENA.program, [Plant("libm", place)])
    notes = [way.note for way in ways_at(ARENA.program.kernels, "libm", place)]
    numpy = next(n for n, note in enumerate(notes) if "NumPy" in note)
    for made, name in (
        (program, "samebits.host.libm.cos.float32"),
        (planted(ARENA.program, [Plant("libm", place, numpy)]), "samebits.host.numpy.cos.float32"),
    ):
        functions = made.kernels.functions.values()
        assert [f.name for f in functions if isinstance(f, HostFunction)] == [name]
        same_everywhere(ARENA, made)
    kept = ObjectCache(tmp_path)
    monkeypatch.setattr("samebits.sim.program.current_cache", lambda: kept)
    program.cached(host_target(), 0)
    assert not [*tmp_path.rglob("*")], "an address holds for one process"
    planted(ARENA.program, [Plant("fma", _adding("arena.py:118:12")[0])]).cached(host_target(), 0)
    assert [*tmp_path.rglob("*")]
    with pytest.raises(TargetError, match="code for elsewhere cannot call"):
        program.compiled(host_target(), 0, exported=True)


def test_a_nans_sign_is_planted_where_it_is_seen() -> None:
    kernels = SIGNS.program.kernels
    places = places_of(kernels, "nan")
    assert [described(kernels, p).split(" in ")[0] for p in places] == [
        "signs_simulation.py:38:18 bitcast to uint32", "signs_simulation.py:40:18 copysign",
    ]  # fmt: skip
    seen: dict[str, tuple[int, float]] = {}
    for number, way in enumerate(ways_at(kernels, "nan")):
        program = planted(SIGNS.program, [Plant("nan", None, number)])
        execution = NativeExecution(program, program.compiled(host_target(), 3))
        assert hashes(SIGNS, execution, 1, 0) == hashes(SIGNS, EvaluateExecution(program), 1, 0)
        memory = execution.memory
        seen[way.note] = int(memory["bits"][0]), float(memory["sign"][0])
    # 0/0 is a negative NaN on x86; a NaN subtracted from itself stays one.
    across = {note: found for note, found in seen.items() if note.endswith(ACROSS)}
    x86, arm = (next(v for n, v in across.items() if n.startswith(p)) for p in ("x86", "ARM"))
    assert x86 == (0xFFC00000, -2.0)
    assert arm == (0x7FC00000, 2.0)


def test_planting_leaves_every_other_operation_as_it_was() -> None:
    before = ARENA.program.kernels
    (place,) = _adding("arena.py:118:12")
    after = planted(ARENA.program, [Plant("fma", place)]).kernels
    changed = {n for n in before.functions if after.functions[n] is not before.functions[n]}
    assert changed == {"arena.draw"}
    old, new = (dict(statements(m, ["arena.draw"])) for m in (before, after))
    assert {p for p in old if old[p] is not new[p]} == {place}
    fused = new[place]
    assert isinstance(fused, Op)
    assert (fused.opcode, fused.result) == ("fma", old[place].result)  # type: ignore[union-attr]
    assert all(new[p].span == old[place].span for p in new if p not in old)


def _adding(text: str) -> list[Place]:
    return [p for p in find(ARENA.program.kernels, text) if p in places_of_fma()]


def places_of_fma() -> list[Place]:
    return places_of(ARENA.program.kernels, "fma")


def test_a_hazard_acts_where_it_changes_the_last_operation() -> None:
    kernels = ARENA.program.kernels
    lines = {_line(kernels, place) for place in places_of(kernels, "libm-ulp")}
    assert lines == {190}
    assert {_line(kernels, place) for place in places_of(kernels, "to-integer")} == {230, 235, 284}
    (place,) = _adding("arena.py:118:12")
    (way,) = ways_at(kernels, "fma", place)
    assert way.expression == "fma(x1 - x0, x2 * 5.9604645e-08, x0)"


def _line(kernels: Module, place: Place) -> int:
    return dict(statements(kernels, [place.function]))[place].span.line


def test_ways_of_many_places_are_one_for_each_note() -> None:
    kernels = ARENA.program.kernels
    places = find(kernels, "arena.py:220")
    within, *_ = ways_among(kernels, "fma", places)
    assert len(within.places) == 2
    everywhere, across = ways_at(kernels, "fma")
    assert set(within.places) < set(everywhere.places) == set(across.places)


def test_precision_that_no_single_operation_shows_acts_on_whole_expressions() -> None:
    kernels = ARENA.program.kernels
    way = ways_at(kernels, "double-rounding")[0]
    lone = find(kernels, "arena.py:222:12")
    assert not set(lone) & set(way.places)
    product = [p for p in find(kernels, "arena.py:118:18") if ways_at(kernels, "fma", p)]
    assert not set(product) & set(way.places), "it is inside the sum, which is evaluated anew"


def test_precision_acts_where_a_rounding_is_deep_inside() -> None:
    b = Builder("mine.f", {"a": FLOAT32, "b": FLOAT32}, [FLOAT32])
    product = b.op("mul", b.get("a"), b.get("b"))
    shown = b.op("abs", b.op("max", b.op("abs", b.op("add", product, b.get("a"))), b.get("b")))
    kernels = Module({"mine.f": b.ret(shown)})
    assert Place("mine.f", shown.op) in places_of(kernels, "double-rounding")
    assert Place("mine.f", product.op) not in places_of(kernels, "double-rounding")


@pytest.mark.parametrize(
    ("plant", "says"),
    [
        (Plant("sorcery"), "the hazards are fma, libm,"),
        (Plant("fma", Place("arena.draw", 29)), "fma changes nothing at arena.py:118:19 sub"),
        (Plant("fma", Place("arena.draw", 29)), "it acts at arena.py:118:12 add in arena.draw"),
        (Plant("lanes"), "lanes changes nothing in this simulation"),
        (Plant("host", Place("arena.draw", 29), 9), "none is number 9"),
        (Plant("host", Place("arena.draw", 31)), "host changes nothing at arena.py:118:47 const"),
        (Plant("nan"), "there is no operation that it acts on"),
        (Plant("fma", Place("arena.draw", 37), 1), "none is number 1"),
        (Plant("fma", Place("arena.draw", 99)), "has no operation 99"),
        (Plant("fma", Place("nowhere", 1)), "there is no function 'nowhere'"),
    ],
)
def test_what_cannot_be_planted_says_why(plant: Plant, says: str) -> None:
    with pytest.raises(HazardError) as raised:
        planted(ARENA.program, [plant])
    assert says in str(raised.value)


def test_two_hazards_have_no_place_together() -> None:
    (place,) = _adding("arena.py:118:12")
    with pytest.raises(HazardError, match="two hazards are planted at arena"):
        planted(ARENA.program, [Plant("fma", place), Plant("constant"), Plant("fma", place)])


def test_a_planted_program_needs_no_library_that_is_there() -> None:
    before = TOUR.program.kernels
    place = places_of(before, "libm-ulp")[0]
    after = planted(TOUR.program, [Plant("libm-ulp", place)]).kernels
    assert set(after.functions) == set(before.functions)
    assert planted(OUTER_PLANETS.program, []).kernels.functions == (
        OUTER_PLANETS.program.kernels.functions
    )


def test_structural_hazards_are_planted_as_others_are() -> None:
    kernels = ARENA.program.kernels
    (fused,) = _adding("arena.py:118:12")
    loop = places_of(kernels, "iteration-order")[-1]
    plants = [Plant("fma", fused), Plant("iteration-order", loop, 1)]
    chance = [Plant("host", fused, seed=1)]
    with pytest.raises(HazardError, match="two hazards are planted at arena"):
        planted(ARENA.program, plants + chance)
    program = planted(ARENA.program, plants)
    assert same_everywhere(ARENA, program) != hashes(ARENA, EvaluateExecution(ARENA.program), 1)
    one, again = (planted(ARENA.program, chance).kernels for _ in range(2))
    assert one.functions == again.functions
    changed = {n for n, f in one.functions.items() if f is not kernels.functions[n]}
    assert changed == {fused.function}


def test_what_chance_decides_is_another_at_each_planting() -> None:
    place = places_of(ARENA.program.kernels, "host")[-1]
    one, other = (planted(ARENA.program, [Plant("host", place)]).kernels for _ in range(2))
    assert one.functions[place.function] != other.functions[place.function]
