"""An injected program does at its places what the reference says, and everything else as before."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from tests.support.runs.injections import Injection, injected
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
from samebits.hazards.catalogue import EXPRESSION_HAZARDS
from samebits.hazards.injection import (
    ExpressionVariant,
    places_of,
    variants_among,
    variants_at,
)
from samebits.hazards.locate import find
from samebits.hazards.site_variants import ACROSS
from samebits.ir.builder import Builder
from samebits.ir.grammar import HostFunction, Module, Op
from samebits.ir.refs import OpRef, described, is_own, statements
from samebits.passes.semantics.contract import Contraction
from samebits.runtime.cache import ObjectCache
from samebits.sim.execution import EvaluateExecution, NativeExecution
from samebits.sim.program import Program
from samebits.sim.simulation import Simulation
from samebits.types import FLOAT32


def drawn(simulation: Simulation, seed: int) -> list[tuple[Injection, ExpressionVariant]]:
    """A variant of each hazard at a place of its own, none inside another's expression."""
    source, kernels = Random(f"{simulation.name} {seed}"), simulation.program.kernels
    taken: set[OpRef] = set()
    inside: set[OpRef] = set()
    found: list[tuple[Injection, ExpressionVariant]] = []
    for hazard in EXPRESSION_HAZARDS:
        left = [p for p in places_of(kernels, hazard.name) if p not in taken | inside]
        source.shuffle(left)
        for place in left[:4]:
            variants = variants_at(kernels, hazard.name, place)
            number = source.randrange(len(variants))
            (part,) = variants[number].parts
            inner = {OpRef(place.function, v.op) for v in part.site.values.values()}
            if not inner & taken:
                taken.add(place)
                inside |= inner
                found.append((Injection(hazard.name, place, number), variants[number]))
                break
    return found


@pytest.mark.parametrize("simulation", [ARENA, OUTER_PLANETS, SIGNS], ids=lambda s: s.name)
def test_injected_operations_give_the_reference_and_every_build_the_same(
    simulation: Simulation,
) -> None:
    injections = drawn(simulation, 0)
    program = injected(simulation.program, [injection for injection, _ in injections])
    variants = {injection.place: variant for injection, variant in injections}
    checked: set[OpRef] = set()
    for _, observation in observed(simulation, 1, 6, program=program):
        variant = variants.get(observation.place)
        if variant is None:
            continue
        checked.add(observation.place)
        (part,) = variant.parts
        given = {n: observation.values[v.op, v.index] for n, v in part.site.operands.items()}
        expected = part.site.bits(part.tree, part.arithmetic, given)
        result = observation.values[observation.place.op, 0]
        assert f"{result:x}" == f"{expected:x}", (variant, written(part.tree))
    assert len(checked) >= len(injections) // 2
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
        for p in (injected(before, [Injection("fma")]), other, before)
    )
    assert found == expected != plain


def test_this_machines_library_is_called_by_what_runs_in_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = places_of(ARENA.program.kernels, "libm")[0]
    program = injected(ARENA.program, [Injection("libm", place)])
    notes = [variant.note for variant in variants_at(ARENA.program.kernels, "libm", place)]
    numpy = next(n for n, note in enumerate(notes) if "NumPy" in note)
    for made, name in (
        (program, "samebits.host.libm.cos.float32"),
        (
            injected(ARENA.program, [Injection("libm", place, numpy)]),
            "samebits.host.numpy.cos.float32",
        ),
    ):
        functions = made.kernels.functions.values()
        assert [f.name for f in functions if isinstance(f, HostFunction)] == [name]
        same_everywhere(ARENA, made)
    kept = ObjectCache(tmp_path)
    monkeypatch.setattr("samebits.sim.program.current_cache", lambda: kept)
    program.cached(host_target(), 0)
    assert not [*tmp_path.rglob("*")], "an address holds for one process"
    injected(ARENA.program, [Injection("fma", _adding("arena.py:118:12")[0])]).cached(
        host_target(), 0
    )
    assert [*tmp_path.rglob("*")]
    with pytest.raises(TargetError, match="code for elsewhere cannot call"):
        program.compiled(host_target(), 0, exported=True)


def test_a_nans_sign_is_injected_where_it_is_seen() -> None:
    kernels = SIGNS.program.kernels
    places = places_of(kernels, "nan")
    assert [described(kernels, p).split(" in ")[0] for p in places] == [
        "signs_simulation.py:38:18 bitcast to uint32", "signs_simulation.py:40:18 copysign",
    ]  # fmt: skip
    seen: dict[str, tuple[int, float]] = {}
    for number, variant in enumerate(variants_at(kernels, "nan")):
        program = injected(SIGNS.program, [Injection("nan", None, number)])
        execution = NativeExecution(program, program.compiled(host_target(), 3))
        assert hashes(SIGNS, execution, 1, 0) == hashes(SIGNS, EvaluateExecution(program), 1, 0)
        memory = execution.memory
        seen[variant.note] = int(memory["bits"][0]), float(memory["sign"][0])
    # 0/0 is a negative NaN on x86; a NaN subtracted from itself stays one.
    across = {note: found for note, found in seen.items() if note.endswith(ACROSS)}
    x86, arm = (next(v for n, v in across.items() if n.startswith(p)) for p in ("x86", "ARM"))
    assert x86 == (0xFFC00000, -2.0)
    assert arm == (0x7FC00000, 2.0)


def test_injection_leaves_every_other_operation_as_it_was() -> None:
    before = ARENA.program.kernels
    (place,) = _adding("arena.py:118:12")
    after = injected(ARENA.program, [Injection("fma", place)]).kernels
    changed = {n for n in before.functions if after.functions[n] is not before.functions[n]}
    assert changed == {"arena.draw"}
    old, new = (dict(statements(m, ["arena.draw"])) for m in (before, after))
    assert {p for p in old if old[p] is not new[p]} == {place}
    fused = new[place]
    assert isinstance(fused, Op)
    assert (fused.opcode, fused.result) == ("fma", old[place].result)  # type: ignore[union-attr]
    assert all(new[p].span == old[place].span for p in new if p not in old)


def _adding(text: str) -> list[OpRef]:
    return [p for p in find(ARENA.program.kernels, text) if p in places_of_fma()]


def places_of_fma() -> list[OpRef]:
    return places_of(ARENA.program.kernels, "fma")


def test_a_hazard_acts_where_it_changes_the_last_operation() -> None:
    kernels = ARENA.program.kernels
    lines = {_line(kernels, place) for place in places_of(kernels, "libm-ulp")}
    assert lines == {190}
    assert {_line(kernels, place) for place in places_of(kernels, "to-integer")} == {230, 235, 284}
    (place,) = _adding("arena.py:118:12")
    (variant,) = variants_at(kernels, "fma", place)
    assert variant.expression == "fma(x1 - x0, x2 * 5.9604645e-08, x0)"


def _line(kernels: Module, place: OpRef) -> int:
    return dict(statements(kernels, [place.function]))[place].span.line


def test_variants_of_many_places_are_one_for_each_note() -> None:
    kernels = ARENA.program.kernels
    places = find(kernels, "arena.py:220")
    within, *_ = variants_among(kernels, "fma", places)
    assert len(within.places) == 2
    everywhere, across = variants_at(kernels, "fma")
    assert set(within.places) < set(everywhere.places) == set(across.places)


def test_precision_that_no_single_operation_shows_acts_on_whole_expressions() -> None:
    kernels = ARENA.program.kernels
    variant = variants_at(kernels, "double-rounding")[0]
    lone = find(kernels, "arena.py:222:12")
    assert not set(lone) & set(variant.places)
    product = [p for p in find(kernels, "arena.py:118:18") if variants_at(kernels, "fma", p)]
    assert not set(product) & set(variant.places), "it is inside the sum, which is evaluated anew"


def test_precision_acts_where_a_rounding_is_deep_inside() -> None:
    b = Builder("mine.f", {"a": FLOAT32, "b": FLOAT32}, [FLOAT32])
    product = b.op("mul", b.get("a"), b.get("b"))
    shown = b.op("abs", b.op("max", b.op("abs", b.op("add", product, b.get("a"))), b.get("b")))
    kernels = Module({"mine.f": b.ret(shown)})
    assert OpRef("mine.f", shown.op) in places_of(kernels, "double-rounding")
    assert OpRef("mine.f", product.op) not in places_of(kernels, "double-rounding")


@pytest.mark.parametrize(
    ("injection", "says"),
    [
        (Injection("sorcery"), "the hazards are fma, libm,"),
        (Injection("fma", OpRef("arena.draw", 29)), "fma changes nothing at arena.draw#29"),
        (Injection("fma", OpRef("arena.draw", 29)), "it acts at arena.py:118:12 add in arena.draw"),
        (Injection("lanes"), "lanes changes nothing in this simulation"),
        (Injection("host", OpRef("arena.draw", 29), 9), "none has number 9"),
        (Injection("host", OpRef("arena.draw", 31)), "host changes nothing at arena.draw#31"),
        (Injection("nan"), "it acts on no operation of the simulation"),
        (Injection("fma", OpRef("arena.draw", 37), 1), "none has number 1"),
        (Injection("fma", OpRef("arena.draw", 99)), "has no operation 99"),
        (Injection("fma", OpRef("nowhere", 1)), "there is no function 'nowhere'"),
    ],
)
def test_what_cannot_be_injected_says_why(injection: Injection, says: str) -> None:
    with pytest.raises(HazardError) as raised:
        injected(ARENA.program, [injection])
    assert says in str(raised.value)


def test_two_hazards_have_no_place_together() -> None:
    (place,) = _adding("arena.py:118:12")
    with pytest.raises(HazardError, match="two hazards are injected at arena"):
        injected(
            ARENA.program, [Injection("fma", place), Injection("constant"), Injection("fma", place)]
        )


def test_an_injected_program_needs_no_library_that_is_there() -> None:
    before = TOUR.program.kernels
    place = places_of(before, "libm-ulp")[0]
    after = injected(TOUR.program, [Injection("libm-ulp", place)]).kernels
    assert set(after.functions) == set(before.functions)
    assert injected(OUTER_PLANETS.program, []).kernels.functions == (
        OUTER_PLANETS.program.kernels.functions
    )


def test_program_hazards_are_injected_as_others_are() -> None:
    kernels = ARENA.program.kernels
    (fused,) = _adding("arena.py:118:12")
    loop = places_of(kernels, "iteration-order")[-1]
    injections = [Injection("fma", fused), Injection("iteration-order", loop, 1)]
    chance = [Injection("host", fused, seed=1)]
    with pytest.raises(HazardError, match="two hazards are injected at arena"):
        injected(ARENA.program, injections + chance)
    program = injected(ARENA.program, injections)
    assert same_everywhere(ARENA, program) != hashes(ARENA, EvaluateExecution(ARENA.program), 1)
    one, again = (injected(ARENA.program, chance).kernels for _ in range(2))
    assert one.functions == again.functions
    changed = {n for n, f in one.functions.items() if f is not kernels.functions[n]}
    assert changed == {fused.function}


def test_noise_is_another_in_each_injection() -> None:
    place = places_of(ARENA.program.kernels, "host")[-1]
    # A measured time that is a whole number is one of 99: two draws can be alike, nine are not.
    first, *others = (
        injected(ARENA.program, [Injection("host", place)]).kernels.functions[place.function]
        for _ in range(9)
    )
    assert any(other != first for other in others)
