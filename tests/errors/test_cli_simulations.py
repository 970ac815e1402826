"""What names no simulation, or a broken one, is refused at its place."""

from __future__ import annotations

from pathlib import Path

from tests.support.command_line import Run, refused, source
from tests.support.runs.verified import QUICK, SMALL


def test_a_file_that_is_not_there_is_refused(run: Run) -> None:
    assert refused(run, "verify", "nowhere.py") == (
        "there is no file nowhere.py\n  fix: give path.py, path.py:Name or package.module:Name"
    )


def test_a_device_is_refused(run: Run) -> None:
    assert refused(run, "verify", "/dev/null").startswith("/dev/null is not a regular file\n")


def test_a_module_that_is_not_there_is_refused(run: Run) -> None:
    assert refused(run, "verify", "no.such:Thing") == (
        "there is no module 'no.such'\n  fix: give path.py, path.py:Name or package.module:Name"
    )


def test_a_simulation_that_does_not_import_shows_its_own_line(run: Run, tmp_path: Path) -> None:
    path = source(tmp_path, "broken_import.py", "import math\n\nWIDTH = math.sqroot(2)\n")
    assert refused(run, "verify", path) == (
        "broken_import.py does not import: "
        "AttributeError: module 'math' has no attribute 'sqroot'\n"
        f"  at {path}:3:1 in <module>\n"
        "  3 | WIDTH = math.sqroot(2)\n"
        "    | ^^^^^^^^^^^^^^^^^^^^^^"
    )


def test_a_syntax_error_shows_its_own_line(run: Run, tmp_path: Path) -> None:
    path = source(tmp_path, "broken_syntax.py", "x = 1\nif x\n    y = 2\n")
    assert refused(run, "verify", path) == (
        "broken_syntax.py does not import: SyntaxError: expected ':'\n"
        f"  at {path}:2:1 in <module>\n"
        "  2 | if x\n"
        "    | ^^^^"
    )


def test_an_error_in_a_struct_shows_its_own_line(run: Run, tmp_path: Path) -> None:
    text = "import samebits as sb\n\n\n@sb.struct\nclass State:\n    a: int\n"
    path = source(tmp_path, "broken_struct.py", text)
    err = refused(run, "verify", path)
    assert err.splitlines()[0].startswith("broken_struct.py does not import: field State.a: ")
    assert err.splitlines()[1] == f"  at {path}:4:1 in <module>"


def test_a_file_without_a_simulation_is_refused(run: Run, tmp_path: Path) -> None:
    path = source(tmp_path, "plain_module.py", "x = 1\n")
    assert refused(run, "verify", path) == (
        f"{path} has no simulation\n"
        "  fix: make one in it: NAME = sb.Simulation(name=..., version=..., state=..., ...)"
    )


def test_a_file_with_two_simulations_asks_which(run: Run, tmp_path: Path) -> None:
    text = (
        "import sys\n"
        f"sys.path.insert(0, {str(Path(SMALL).parent)!r})\n"
        "from small_simulation import SMALL\n"
        "import samebits as sb\n"
        "S = SMALL\n"
        "OTHER = sb.Simulation(name='other', version='2', state=S.state, input=S.input,\n"
        "                      players=2, init=S.init, step=S.step)\n"
    )
    path = source(tmp_path, "two_simulations.py", text)
    assert refused(run, "verify", path) == (
        f"{path} has 2 simulations: OTHER, SMALL\n  fix: name one of them: {path}:OTHER"
    )
    assert run("verify", f"{path}:OTHER", *QUICK)[0] == 0
    assert refused(run, "verify", f"{path}:sb") == (
        f"{path}: sb is module, not a simulation\n  fix: its simulations are OTHER, S, SMALL"
    )
    assert refused(run, "verify", f"{path}:GONE") == (
        f"{path} has no GONE\n  fix: its simulations are OTHER, S, SMALL"
    )


def test_a_simulation_with_a_wrong_step_is_refused_at_its_line(run: Run, tmp_path: Path) -> None:
    text = (
        "import samebits as sb\n\n\n"
        "@sb.struct\nclass State:\n    a: sb.int32\n\n\n"
        "@sb.kernel\ndef init(state: State, seed: sb.uint64) -> None:\n    state.a = 1\n\n\n"
        "GAME = sb.Simulation(name='g', version='1', state=State, input=State, players=1,\n"
        "                     init=init, step=init)\n"
    )
    path = source(tmp_path, "wrong_step.py", text)
    assert refused(run, "verify", path) == (
        "wrong_step.py does not import: simulation 'g': step takes (State, uint64), "
        "not (State, ReadOnly[State])\n"
        f"  at {path}:14:1 in <module>\n"
        "  14 | GAME = sb.Simulation(name='g', version='1', state=State, input=State, players=1,\n"
        f"     | {'^' * 80}\n"
        "  fix: write `def step(state: State, inputs: sb.ReadOnly[State]) -> None:`"
    )
