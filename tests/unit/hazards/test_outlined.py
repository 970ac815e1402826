"""Arithmetic in functions of its own, a statement each, computes the same."""

from __future__ import annotations

from tests.support.folders import SIMULATIONS

from samebits.backend.llvm.engine import host_target
from samebits.hazards.edit.outlined import outlined
from samebits.ir.grammar import Op, walk
from samebits.ir.verify import verify
from samebits.sides.input_stream import InputStream
from samebits.sim.execution import NativeExecution
from samebits.sim.load import load_simulation
from samebits.sim.program import Program
from samebits.sim.sources import PlayerSource

RING = load_simulation(str(SIMULATIONS / "ported_simulation.py"))
KERNELS = RING.program.kernels


def hashes_of(program: Program) -> list[int]:
    run = NativeExecution(program, program.compiled(host_target(), 0))
    run.start(1)
    rows = InputStream(PlayerSource(RING, "sway", 1, 40)).between(0, 40)
    return [run.hash(), *map(int, run.advance(rows).hashes)]


def test_a_program_whose_arithmetic_is_outlined_has_the_same_hashes() -> None:
    made = outlined(KERNELS)
    verify(made.kernels)
    assert hashes_of(RING.program.with_kernels(made.kernels)) == hashes_of(RING.program)


def test_each_statement_has_a_function_with_its_line() -> None:
    places = outlined(KERNELS).places
    lines = [span.line for name, span in places.items() if ".measure." in name]
    source = (SIMULATIONS / "ported_simulation.py").read_text().splitlines()
    assert [source[line - 1].strip() for line in lines] == [
        "heat += state.vel[i] * state.vel[i] * state.weight[i]",
        "middle += state.pos[i] * state.weight[i]",
        "state.heat = math.sqrt(heat)",
        "state.middle = middle / 30.5",
    ]


def test_what_is_read_twice_is_one_argument() -> None:
    made = outlined(KERNELS)
    squared = next(f for name, f in made.kernels.functions.items() if ".measure.line" in name)
    assert len(squared.params) == 3, "the sum, one element of vel, one of weight"
    products = [s for s in walk(squared.body) if isinstance(s, Op) and s.opcode == "mul"]
    assert products[0].args[0] == products[0].args[1]
