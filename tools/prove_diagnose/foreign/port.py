"""`python -m tools.prove_diagnose.foreign.port GAME FOLDER`: a simulation's port to plain C.

Writes NAME.c, the game and a main, and NAME_math.c, the functions of the library that it calls.
gcc and clang build them with `-ffp-contract=off -fwrapv -fno-strict-aliasing -lm` to the same bits.
Exit status 2 where the simulation has no such form.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.prove_diagnose.foreign.c.operations import Unsupported
from tools.prove_diagnose.foreign.c.program import written
from tools.prove_diagnose.foreign.c.style import EXACT

from samebits.bits import canonical_size
from samebits.errors import SamebitsError
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation

MAIN = (Path(__file__).parent / "c" / "port.c.txt").read_text()


def port(simulation: Simulation, folder: Path) -> tuple[Path, Path]:
    """The two files, written. Raises Unsupported where the simulation has no plain form in C, or
    its state or input has gaps between its fields."""
    for t in (simulation.state_type, simulation.input_type):
        if canonical_size(t) != t.dtype.itemsize:
            raise Unsupported(
                f"{t.name} has gaps: a C struct of it has {t.dtype.itemsize} bytes, its canonical "
                f"bytes are {canonical_size(t)}"
            )
    kernels = simulation.program
    program = written(kernels.kernels, kernels.init, kernels.step, EXACT)
    numbers = {
        "PLAYERS": simulation.players,
        "STATE_BYTES": canonical_size(simulation.state_type),
        "INPUT_BYTES": canonical_size(simulation.input_type),
    }
    sizes = "\n".join(f"#define {name} {number}" for name, number in numbers.items())
    folder.mkdir(parents=True, exist_ok=True)
    game, math = (folder / f"{simulation.name}{end}.c" for end in ("", "_math"))
    game.write_text(f"{program.one_file()}\n{sizes}\n{MAIN}")
    math.write_text(program.of_library())
    return game, math


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.prove_diagnose.foreign.port")
    parser.add_argument("game", help="the file of the simulation, such as examples/arena/arena.py")
    parser.add_argument("folder", type=Path, help="where the C files go")
    given = parser.parse_args()
    try:
        files = port(load_simulation(given.game), given.folder)
    except (SamebitsError, Unsupported) as error:
        print(error, file=sys.stderr)
        return 2
    print(*files, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
