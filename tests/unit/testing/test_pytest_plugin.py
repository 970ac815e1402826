"""The pytest plugin: a project's kernels, replays and simulations as tests of its own pytest."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from fnmatch import fnmatch
from pathlib import Path

import pytest
from tests.support.folders import SIMULATIONS

from samebits.ci.project import SettingsError
from samebits.sim.load import load_simulation
from samebits.sim.players import player
from samebits.testing import goldens, plugin
from samebits.testing.runs import other_row, rows_of
from samebits.testing.settings import settings

pytest_plugins = "pytester"
assert plugin.Plugin  # imported here: pytester forgets what a run of it imports first

HOST = rows_of(None)[0].name
XDIST = ("-p", "xdist.plugin", "-n2")
SMALL = SIMULATIONS / "small_simulation.py"
KERNELS = """
    import pytest
    import samebits as sb
    from samebits import math

    @sb.kernel
    def wave(x: sb.float64) -> sb.float64:
        return math.sin(x) * 2.0

    @sb.kernel
    def trapping(x: int) -> int:
        return 7 // x

    def test_result(same_bits):
        assert same_bits(wave, 0.5) == 2 * 0.479425538604203

    def test_trap(same_bits):
        with pytest.raises(sb.Trap):
            same_bits(trapping, 0)

    @pytest.mark.parametrize("x", [0.5, 1.5])
    def test_golden(golden, x):
        assert golden(wave, x) == golden(wave, x)
        golden(trapping, 0)
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with a simulation, a replay of it and tests; its pytest loads this plugin alone."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    pytester.makepyprojecttoml(
        f"""
        [tool.pytest.ini_options]
        addopts = "-p samebits_pytest -p no:cacheprovider"
        testpaths = ["tests", "corpus"]
        [tool.samebits]
        simulations = ["game/small.py"]
        targets = ["{HOST}"]
        frames = 120
        """
    )
    for name in ("tests", "corpus", "game"):
        pytester.mkdir(name)
    (pytester.path / "game" / "small.py").write_text(SMALL.read_text())
    (pytester.path / "tests" / "test_kernels.py").write_text(
        "\n".join(line.removeprefix("    ") for line in KERNELS.splitlines())
    )
    simulation = load_simulation(str(SMALL))
    with simulation.record(pytester.path / "corpus" / "a.mcap", seed=3) as recording:
        recording.run(player(simulation, "push", 3)(0, 130))
    return pytester


def updated(project: pytest.Pytester) -> None:
    project.runpytest_inprocess("--samebits-update").assert_outcomes(passed=6)


def test_golden_bits_are_written_by_one_flag_and_then_compared(project: pytest.Pytester) -> None:
    before = project.runpytest_inprocess()
    before.assert_outcomes(passed=2, failed=3)  # no golden bits, and no golden file
    before.stdout.fnmatch_lines(
        ["wave has no golden bits in *__samebits__*test_kernels.txt",
         "there is no golden file *small.golden.txt",
         "  fix: pytest --samebits-update writes it"]
    )  # fmt: skip
    updated(project)
    after = project.runpytest_inprocess("-v")
    after.assert_outcomes(passed=6)
    after.stdout.fnmatch_lines([f"corpus/a.mcap::{HOST} PASSED*", f"game/small.py::{HOST} PASSED*"])
    after.stdout.re_match_lines([r"=+ samebits =+", rf"{HOST} +\d+ same"])
    file = project.path / "tests" / "__samebits__" / "test_kernels.txt"
    lines = file.read_text().splitlines()
    assert len(lines) == 1 + 2 * 3
    assert re.fullmatch(r"[0-9a-f]{16} 1 test_golden\[0\.5\]", lines[1])
    assert lines[1].split()[0] == lines[2].split()[0] != lines[4].split()[0]


def test_processes_of_xdist_write_what_one_process_writes(project: pytest.Pytester) -> None:
    updated(project)
    files = [*project.path.rglob("*.golden.txt"), *project.path.rglob("__samebits__/*.txt")]
    assert len(files) == 3
    alone = {path: path.read_bytes() for path in files}
    for path in files:
        path.unlink()
    done = project.runpytest_subprocess("-p", "xdist.plugin", "-n", "2", "--samebits-update")
    done.assert_outcomes(passed=6)
    assert {path: path.read_bytes() for path in files} == alone
    done.stdout.fnmatch_lines(["*__samebits__/test_kernels.txt: 6 written, 0 removed"])


def test_changed_bits_fail_with_both_hashes(project: pytest.Pytester) -> None:
    updated(project)
    tests = project.path / "tests" / "test_kernels.py"
    tests.write_text(tests.read_text().replace("* 2.0", "* 2.5"))
    game = project.path / "game" / "small.py"
    text = game.read_text()
    game.write_text(text.replace("0.999", "0.998"))
    assert game.read_text() != text
    done = project.runpytest_inprocess()
    done.assert_outcomes(passed=1, failed=5)
    done.stdout.fnmatch_lines(
        ["wave: the bits are not the golden ones", "  golden  *", "  found   *",
         "golden differs from *, frame *", "  note: * gives these bits too: the code has changed*",
         "  fix: where that is meant, pytest --samebits-update"]
    )  # fmt: skip


ODD = f"""
from dataclasses import replace
from samebits.sim.execution import NativeExecution
from samebits.sim.load import load_simulation
from samebits.testing import runs

def odd(row):
    def make(simulation):
        other = load_simulation("odd.py").program
        target, = (r for r in runs.engine_targets() if r.name == "{HOST}".rpartition("-")[0])
        return NativeExecution(other, other.compiled(target, 3))
    return replace(row, make=make) if row.name == "{HOST}" else row

table = tuple(map(odd, runs._table()))
runs._table = lambda: table
"""


def test_a_target_that_differs_is_named_with_frame_and_field(project: pytest.Pytester) -> None:
    updated(project)
    text = SMALL.read_text()
    assert "0.999" in text
    (project.path / "odd.py").write_text(text.replace("0.999", "0.998"))
    project.makeconftest(
        ODD.replace("runs.engine_targets()", "(x.target for x in engine.available_targets())")
        .replace("from samebits.testing import runs", "from samebits.backend.llvm import engine\n"
                 "from samebits.testing import runs")
    )  # fmt: skip
    done = project.runpytest_subprocess("--samebits-report", "found", "corpus", "-rf")
    done.assert_outcomes(failed=1)
    reference = other_row(rows_of(None)[0]).name
    done.stdout.fnmatch_lines(
        ["golden differs from *, frame *", f"{HOST} differs from {reference}, frame *, *",
         f"  {reference} *0x*", "*.desync written", "*.txt: *"]
    )  # fmt: skip
    names = sorted(path.suffix for path in (project.path / "found").iterdir())
    assert names[0] == ".desync"
    assert ".txt" in names


def test_changed_code_gets_the_replay_that_shows_it_and_no_report_of_the_same(
    project: pytest.Pytester,
) -> None:
    updated(project)
    game = project.path / "game" / "small.py"
    text = game.read_text()
    game.write_text(text.replace("0.999", "0.998"))
    done = project.runpytest_subprocess("--samebits-report", "found", "corpus", "game", "-rf")
    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(
        ["*a.mcap*.mcap written, and no report: * computes as * does",
         "  next: samebits diagnose *",
         "*small.py*.mcap written, and no report: * computes as * does"]
    )  # fmt: skip
    done.stdout.no_fnmatch_line("*the same: no frame of*")
    assert {path.suffix for path in (project.path / "found").iterdir()} == {".mcap"}
    again = project.runpytest_subprocess("--samebits-report", "found", "corpus", "game", "-rf")
    again.assert_outcomes(failed=2)


def test_unused_bits_are_named_and_removed_when_asked(project: pytest.Pytester) -> None:
    updated(project)
    tests = project.path / "tests" / "test_kernels.py"
    tests.write_text(
        tests.read_text().replace("[0.5, 1.5]", "[0.5]").replace("golden(trapping, 0)", "pass")
    )
    some = project.runpytest_inprocess("tests/test_kernels.py::test_golden")
    some.stdout.fnmatch_lines(["*: 1 unused: test_golden?0.5?; --samebits-update removes"])
    every = project.runpytest_inprocess("tests", "-k", "golden")
    every.stdout.fnmatch_lines(["*: 4 unused: *"])
    project.runpytest_inprocess("--samebits-update").stdout.fnmatch_lines(
        ["*: 0 written, 4 removed"]
    )
    file = project.path / "tests" / "__samebits__" / "test_kernels.txt"
    assert [line[17:] for line in file.read_text().splitlines()[1:]] == [
        "1 test_golden[0.5]", "2 test_golden[0.5]",
    ]  # fmt: skip


@pytest.mark.parametrize("options", [(), XDIST])
def test_golden_files_of_what_is_gone_are_named_and_removed_when_asked(
    project: pytest.Pytester, options: tuple[str, ...]
) -> None:
    updated(project)
    corpus, tests = project.path / "corpus", project.path / "tests"
    (corpus / "b.mcap").write_bytes((corpus / "a.mcap").read_bytes())
    (corpus / "b.golden.txt").write_bytes((corpus / "a.golden.txt").read_bytes())
    (corpus / "a.mcap").rename(corpus / "renamed.mcap")
    (tests / "test_kernels.py").rename(tests / "test_others.py")
    (corpus / "notes.golden.txt").write_text("somebody's own")
    (corpus / "other.golden.txt").write_text(
        (corpus / "a.golden.txt").read_text().replace("small", "large")
    )
    there = sorted(project.path.rglob("*.txt"))
    done = project.runpytest_inprocess(*options)
    done.stdout.fnmatch_lines_random(
        ["*corpus*a.golden.txt: unused: what it is of is gone*",
         "*__samebits__*test_kernels.txt: unused: what it is of is gone*",
         "*corpus*renamed.mcap: no test, since it has no golden file*"]
    )  # fmt: skip
    assert sum("unused" in line or "no test" in line for line in done.outlines) == 3
    assert sorted(project.path.rglob("*.txt")) == there
    project.runpytest_inprocess("--samebits-update", *options)
    names = sorted(path.name for path in project.path.rglob("*.txt"))
    assert names == [
        "b.golden.txt", "notes.golden.txt", "other.golden.txt", "renamed.golden.txt",
        "small.golden.txt", "test_others.txt",
    ]  # fmt: skip
    done = project.runpytest_inprocess(*options)
    done.assert_outcomes(passed=7)
    assert not any("unused" in line for line in done.outlines)


@pytest.mark.parametrize(("first", "second"), [("corpus/a.mcap", "corpus/a.sbreplay"),
                                               ("game/small.py", "game/small.mcap")])  # fmt: skip
def test_two_tests_of_one_golden_file_are_refused(
    project: pytest.Pytester, first: str, second: str
) -> None:
    (project.path / second).write_bytes((project.path / "corpus" / "a.mcap").read_bytes())
    done = project.runpytest_inprocess("--samebits-update", "corpus", "game")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    lines = [*done.outlines, *done.errlines]
    told = [line for line in lines if "have one golden file" in line]
    assert len(told) == 1
    assert Path(first).name in told[0]
    assert Path(second).name in told[0]
    assert not [*project.path.rglob("*.golden.txt")]


def test_junit_and_targets_that_are_not_here(project: pytest.Pytester) -> None:
    updated(project)
    done = project.runpytest_inprocess(
        "corpus", "--samebits-targets", f"{HOST},x86_64-windows", "--junitxml", "out.xml"
    )
    done.assert_outcomes(passed=1, skipped=1)
    found = {
        (p.get("name"), p.get("value")) for p in ET.parse(project.path / "out.xml").iter("property")
    }
    assert ("samebits.same", HOST) in found
    assert any(name == "samebits.not run" for name, _ in found)
    strict = project.runpytest_inprocess(
        "corpus", "--samebits-targets", f"{HOST},x86_64-windows", "--samebits-strict"
    )
    strict.assert_outcomes(passed=1, failed=1)


def test_a_project_without_samebits_does_not_load_it(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile("import sys\n\ndef test(): assert 'samebits' not in sys.modules")
    (pytester.path / "other.mcap.txt").write_text("no replay")
    done = pytester.runpytest_subprocess("-p", "samebits_pytest", "-p", "no:cacheprovider")
    done.assert_outcomes(passed=1)


def test_a_replay_of_no_named_simulation_says_so(project: pytest.Pytester) -> None:
    updated(project)
    path = project.path / "pyproject.toml"
    path.write_text(path.read_text().replace('simulations = ["game/small.py"]', ""))
    done = project.runpytest_inprocess("corpus")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*is a replay of 'small', which ?tool.samebits? does not name"])


def test_the_nearest_project_above_a_replay_counts(project: pytest.Pytester) -> None:
    """From a rootdir above it, with and without a table of its own, and beside another project."""
    updated(project)
    inner, other = project.path / "swamp", project.path / "other"
    inner.mkdir()
    other.mkdir()
    for name in ("pyproject.toml", "tests", "corpus", "game"):
        (project.path / name).rename(inner / name)
    (other / "pyproject.toml").write_text("[tool.samebits]\nframes = 7\n")
    (other / "a.mcap").write_bytes((inner / "corpus" / "a.mcap").read_bytes())
    (other / "a.golden.txt").write_bytes((inner / "corpus" / "a.golden.txt").read_bytes())
    project.makeini("[pytest]\naddopts = -p samebits_pytest -p no:cacheprovider")
    done = project.runpytest_inprocess("-v")
    assert str(done.outlines).count(f"rootdir: {project.path}'") == 1
    done.stdout.fnmatch_lines(
        ["other/a.mcap::* FAILED*", f"swamp/corpus/a.mcap::{HOST} PASSED*",
         f"swamp/game/small.py::{HOST} PASSED*",
         f"  note: {other}/pyproject.toml names no simulation"]
    )  # fmt: skip
    failed = sum(line.startswith("FAILED") for line in done.outlines)
    done.assert_outcomes(passed=6, failed=failed)
    (other / "pyproject.toml").unlink()
    done = project.runpytest_inprocess("other")
    done.stdout.fnmatch_lines(["  note: no pyproject.toml above it, and none of rootdir, has *"])


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        (("small.py", "gone.py"), (), "*pyproject.toml: there is no file game/gone.py of *"),
        (("frames", "farmes"), (), "*pyproject.toml: ?tool.samebits? has the key 'farmes'"),
        ((HOST, "tpyo"), (), "*pyproject.toml: there is no target 'tpyo'"),
        (("", ""), ("--samebits-targets", "tpyo"), "*--samebits-targets: there is no target*"),
        (("", ""), ("--samebits-frames", "0"), "*--samebits-frames 0 is neither a count of *"),
        (("", ""), ("--samebits-frames", "0", *XDIST), "*--samebits-frames 0 is *"),
        (("frames", "farmes"), ("corpus/a.mcap", *XDIST), "* has the key 'farmes'"),
        (("", ""), ("--samebits-report", "pyproject.toml"), "*pyproject.toml is a file, and *"),
        (("", ""), ("--samebits-update", "--samebits-frames", "9"), "*are both given*"),
    ],
)  # fmt: skip
def test_what_is_set_wrong_is_one_usage_error(
    project: pytest.Pytester, change: tuple[str, str], options: tuple[str, ...], said: str
) -> None:
    (project.path / "corpus" / "a.golden.txt").write_text("")
    path = project.path / "pyproject.toml"
    path.write_text(path.read_text().replace(*change))
    below = project.mkdir("below")
    for where in (project.path, below):
        done = project.runpytest_inprocess(*options)
        lines = [*done.outlines, *done.errlines]
        assert done.ret == pytest.ExitCode.USAGE_ERROR
        assert sum(fnmatch(line, said) for line in lines) == 1
        assert not any("Traceback" in line or "_plugin" in line or "ERRORS" in line
                       for line in lines)  # fmt: skip
        if where == below or any(options):
            break
        # A project below rootdir, which is found while it is collected.
        for name in ("pyproject.toml", "tests", "corpus", "game"):
            (project.path / name).rename(below / name)
        project.makeini("[pytest]\naddopts = -p samebits_pytest -p no:cacheprovider")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("simulations = 3", "simulations in .* is 3"),
        ('simulations = ["gone.py"]', "no file gone.py"),
        ("simulations = [{}]", "has no path"),
        ("frames = 0", "frames in .* is 0"),
        ("frames = true", "frames in .* is True"),
        ("colour = 1", "has the key 'colour'"),
        ("targets = [1]", "targets in .* no texts"),
        ("targets = ['']", "targets in .* no texts"),
        ("= 1", "cannot be read"),
    ],
)
def test_wrong_settings_are_told(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.samebits]\n{text}\n")
    with pytest.raises(SettingsError, match=said):
        settings(tmp_path, dict[str, object]().get)


@pytest.mark.parametrize(
    "text",
    ["", "0011223344556677 1 test\n", "# samebits golden bits 1\nx 1 test\n",
     "# samebits golden bits 1\n0011223344556677 0 test\n",
     "# samebits golden bits 1\n0011223344556677 1 a\n0011223344556677 1 a\n", "\xff"],
)  # fmt: skip
def test_damaged_golden_bits_are_refused_with_their_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "test_x.txt"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(goldens.GoldenError, match=r"test_x\.txt"):
        goldens.read(path)
