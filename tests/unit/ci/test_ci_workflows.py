"""`samebits ci init`: files that GitHub's and GitLab's schemas take; their steps, run here."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.command_line import called
from tests.support.folders import SIMULATIONS
from tests.support.runs.bits_files import Harness, loaded

from samebits.ci.bits_file import read_bits
from samebits.sim.load import load_simulation
from samebits.sim.players import player
from samebits.testing.runs import rows_of
from samebits.version import __version__

FUSING = rows_of(["x86-64-v3-O3"])[0]
SMALL = SIMULATIONS / "small_simulation.py"
GITHUB, GITLAB = ".github/workflows/samebits.yml", ".gitlab/samebits.yml"
TOML = """
[tool.samebits]
simulations = ["game/small.py"]
corpus = ["corpus"]
frames = 60
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a simulation and a replay."""
    root = tmp_path / "project"
    (root / "game").mkdir(parents=True)
    (root / "corpus").mkdir()
    (root / "pyproject.toml").write_text(TOML)
    (root / "game" / "small.py").write_text(SMALL.read_text())
    simulation = load_simulation(str(root / "game" / "small.py"))
    with simulation.record(root / "corpus" / "a.mcap", seed=3) as recording:
        recording.run(player(simulation, "push", 3)(0, 60))
    return root


def set_up(project: Path, *lines: str) -> None:
    (project / "pyproject.toml").write_text(TOML + "\n".join(lines) + "\n")


def is_valid(path: Path, schema: str, *options: str) -> bool:
    words = ["-m", "check_jsonschema", "--builtin-schema", schema, *options, str(path)]
    return subprocess.run([sys.executable, "-P", *words], check=False).returncode == 0


def test_the_services_own_schemas_take_the_files(project: Path) -> None:
    odd = 'the sim\'s "$(touch x)" `y` #1.py'
    (project / "game" / odd).write_text(SMALL.read_text())
    named = f"'''game/{odd}'''"
    text = TOML.replace('["game/small.py"]', f'["game/small.py", {named}]')
    (project / "pyproject.toml").write_text(text)
    assert called("ci", "init", project, "--github", "--gitlab") == 0
    assert is_valid(project / GITHUB, "vendor.github-workflows")
    assert is_valid(project / GITLAB, "vendor.gitlab-ci", "--data-transform", "gitlab-ci")
    broken = project / "broken.yml"
    broken.write_text((project / GITHUB).read_text().replace("runs-on:", "runs-of:"))
    assert not is_valid(broken, "vendor.github-workflows")
    steps: list[dict[str, Any]] = loaded(project / GITHUB)["jobs"]["verify"]["steps"]
    scripts = [step["run"] for step in steps if odd in step.get("name", "")]
    said = subprocess.run(
        ["bash", "-c", f'samebits() {{ printf "%s\\n" "$@"; }}\n{scripts[0]}'], cwd=project,
        capture_output=True, text=True, check=True, env={"LABEL": "a", "TARGETS": ""},
    )  # fmt: skip
    assert said.stdout.splitlines()[:3] == ["verify", f"game/{odd}", "corpus"]
    assert not (project / "x").exists()


def test_steps_prove_that_machines_agree_and_a_flipped_byte_fails(
    project: Path, tmp_path: Path
) -> None:
    set_up(project, 'runners = ["ubuntu-24.04"]', 'emulated = ["evaluate"]')
    assert called("ci", "init", project, "--github") == 0
    harness = Harness(project, tmp_path / "room")
    matrix = harness.workflow()["jobs"]["verify"]["strategy"]["matrix"]["include"]
    assert [each["label"] for each in matrix] == ["ubuntu-24.04", "emulated-evaluate"]
    for each in matrix:
        harness.job("verify", {**each, "targets": each["targets"] or "x86-64-v1-O3"})
    harness.job("compare", {})
    assert list(harness.status.values()) == [[0], [0], [0]], harness.said
    summary = (harness.room / "summary.md").read_text()
    assert "the same bits: 1 run on 2 machines, 60 frames compared" in summary

    found = next((harness.room / "artifacts").rglob("ubuntu*.bits"))
    data = bytearray(found.read_bytes())
    data[data.index(b'"hashes": "') + 30] ^= 1
    found.write_bytes(data)
    again = Harness(project, tmp_path / "again")
    (tmp_path / "again").mkdir()
    (harness.room / "artifacts").rename(tmp_path / "again" / "artifacts")
    again.job("compare", {})
    assert again.status == {"compare": [2]}
    assert "is damaged: its checksum" in again.said["compare"]


@pytest.mark.skipif(FUSING.reason is not None, reason="this processor has no fma")
def test_a_machine_with_other_bits_fails_with_frame_field_and_report(
    project: Path, tmp_path: Path
) -> None:
    set_up(project, 'runners = ["good", "odd", "fine"]', "emulated = []")
    assert called("ci", "init", project, "--github") == 0
    harness = Harness(project, tmp_path / "room")
    for label in ("good", "odd", "fine"):
        change = _other_bits if label == "odd" else None
        harness.job("verify", {"label": label, "targets": FUSING.name}, change)
    assert harness.status == {"good": [0], "odd": [1], "fine": [0]}
    artifacts = harness.room / "artifacts"
    (report,) = artifacts.rglob("*.desync")
    assert re.fullmatch(r"odd-small-a-[0-9a-f]{8}\.desync", report.name)
    assert read_bits(str(next(artifacts.rglob("odd*.bits")))).runs[0].result == "differs"
    harness.job("compare", {})
    assert harness.status["compare"] == [1]
    said = harness.said["compare"]
    assert "corpus/a.mcap of small on odd: differs" in said
    assert re.search(rf"{FUSING.name} differs from evaluate, frame \d+, (bodies|energy)", said)
    assert re.search(r"^frame \d+ · .* · fused multiply-add", said, re.MULTILINE), said
    assert "· fused multiply-add" in (harness.room / "summary.md").read_text()


ODD = """
from samebits.backend.llvm import engine

compile_text = engine.compile_text

def contracted(text, *rest, **named):
    for operation in ("fmul", "fadd"):
        text = text.replace(f" {operation} ", f" {operation} contract ")
    return compile_text(text, *rest, **named)

engine.compile_text = contracted
"""
"""Python's start on a machine whose compiler contracts."""


def _other_bits(folder: Path) -> dict[str, str]:
    """The environment of that machine, whose code of other machines' bits is not in its cache."""
    (folder / "odd").mkdir()
    (folder / "odd" / "sitecustomize.py").write_text(ODD)
    paths = [str(folder / "odd"), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(paths), "XDG_CACHE_HOME": str(folder / "cache")}


def test_what_is_out_of_date_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ("ci", "init", project, "--github")
    assert called(*given, "--check") == 2
    assert f"there is no {GITHUB}" in capsys.readouterr().err
    assert called(*given) == 0
    assert called(*given, "--check") == 0
    path = project / GITHUB
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))  # a checkout on Windows
    assert called(*given, "--check") == 0
    set_up(project, 'runners = ["ubuntu-24.04"]')
    capsys.readouterr()
    assert called(*given, "--check") == 1
    out, err = capsys.readouterr()
    assert "-          - label: 'windows-2025'" in out
    assert "is out of date" in err
    assert called(*given) == 0
    assert called(*given, "--check") == 0


OWN, ALONE = f"'samebits[targets]=={__version__}'", f"samebits=={__version__}"
INSTALLED = [
    ("", "", OWN),
    ('[project]\nname = "game"\nversion = "1"', "", OWN),
    ('[project]\nname = "game"\ndependencies = ["numpy>=2"]', "", f". {OWN}"),
    ('[project]\ndependencies = ["samebits-tools"]', "", f". {OWN}"),
    ('[project]\ndependencies = ["numpy", "samebits[test] >= 0.1"]', "", ". 'samebits[targets]'"),
    ('[project]\ndependencies = ["Samebits[targets,farm]"]', "", "."),
    ('[project]\ndependencies = ["samebits"]', "emulated = []", "."),
    ('[build-system]\nrequires = ["hatchling"]', "", f". {OWN}"),
    ("project = 7", "emulated = []", ALONE),
]


@pytest.mark.parametrize(("lines", "more", "words"), INSTALLED)
@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_a_job_installs_samebits_and_what_the_project_needs(
    project: Path, lines: str, more: str, words: str, service: str
) -> None:
    (project / "pyproject.toml").write_text(f"{lines}\n{TOML}{more}\n")
    assert called("ci", "init", project, f"--{service}") == 0
    made = loaded(project / (GITHUB if service == "github" else GITLAB))
    wanted = f"python -m pip install {words}"
    if service == "gitlab":
        assert made["samebits"]["before_script"][0] == wanted
    else:
        steps = made["jobs"]["verify"]["steps"]
        assert next(step["run"] for step in steps if step.get("name") == "Install") == wanted


@pytest.mark.parametrize(
    ("wanted", "python"),
    [(">=3.11", "3.13"), (">=3.11,<3.13", "3.12"), (">=3.12.4,<3.13", "3.12"), ("~=3.11.2", "3.11"),
     (">=3.14", "3.14")],
)  # fmt: skip
def test_a_job_runs_the_newest_python_that_the_project_takes(
    project: Path, wanted: str, python: str
) -> None:
    (project / "pyproject.toml").write_text(f'[project]\nrequires-python = "{wanted}"\n{TOML}')
    assert called("ci", "init", project, "--github", "--gitlab") == 0
    assert f"python-version: '{python}'" in (project / GITHUB).read_text()
    assert loaded(project / GITLAB)["samebits"]["image"] == f"python:{python}"


def test_a_runner_of_several_labels_has_one_name(project: Path) -> None:
    set_up(project, 'runners = ["team/arm", ["self-hosted", "linux", "big one"]]')
    assert called("ci", "init", project, "--github") == 0
    assert is_valid(project / GITHUB, "vendor.github-workflows")
    jobs = loaded(project / GITHUB)["jobs"]
    rows = jobs["verify"]["strategy"]["matrix"]["include"]
    found = [(row["label"], row["runner"]) for row in rows if not row["targets"]]
    assert found == [
        ("team-arm", "team/arm"),
        ("self-hosted-linux-big-one", ["self-hosted", "linux", "big one"]),
    ]
    expected = ",".join(row["label"] for row in rows)
    assert f"--expect {expected} " in jobs["compare"]["steps"][-1]["run"]
    assert called("ci", "init", project, "--gitlab") == 2


def test_no_runners_are_none(project: Path) -> None:
    set_up(project, "runners = []", 'emulated = ["s390x-O3"]')
    assert called("ci", "init", project, "--github") == 0
    rows = loaded(project / GITHUB)["jobs"]["verify"]["strategy"]["matrix"]["include"]
    assert [row["label"] for row in rows] == ["emulated-s390x-O3"]


def test_a_job_plays_without_replays_as_the_projects_tests_do(project: Path) -> None:
    named = '[{ path = "game/small.py", players = "push", seed = 4, frames = 90 }]'
    text = TOML.replace('["game/small.py"]', named).replace('corpus = ["corpus"]\n', "")
    (project / "pyproject.toml").write_text(text)
    assert called("ci", "init", project, "--github", "--gitlab") == 0
    wanted = "samebits verify game/small.py --players push --seed 4 --frames 60 --label"
    assert wanted in (project / GITHUB).read_text()
    assert wanted in (project / GITLAB).read_text()


def test_a_file_whose_first_line_is_gone_is_made_anew_by_force(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("ci", "init", project, "--github")
    assert called(*given) == 0
    path = project / GITHUB
    path.write_text(path.read_text().partition("\n")[2])
    assert called(*given, "--check") == 1
    assert "fix: samebits ci init --github --force" in capsys.readouterr().err
    assert called(*given) == 2
    assert called(*given, "--force") == 0
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n").replace(b"60", b"61"))
    capsys.readouterr()
    assert called(*given) == 0
    assert "written, 1 of its lines replaced" in capsys.readouterr().out


def test_a_folder_without_a_project_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called("ci", "init", tmp_path, "--github") == 2
    said = capsys.readouterr().err
    assert f"there is no {tmp_path / 'pyproject.toml'}" in said
    assert "[tool.samebits]" in said


MISTAKES = [
    ('simulations = []', "names no simulation"),
    ('simulations = ["game/small.py"]\ncorpus = ["none"]', "there is no none, which corpus"),
    ('simulations = ["game/small.py"]\ncorpus = [1]', "corpus in [tool.samebits] are no texts"),
    ('simulations = ["game/small.py"]\ninstall = "a\\nb"', "install in [tool.samebits] is no"),
    ('simulations = ["game/small.py"]\nrunners = ["${{ x }}"]', "cannot stand in a workflow"),
    ('simulations = ["game/small.py"]\nrunner = ["x"]', "has the key 'runner'"),
    ('simulations = ["game/small.py"]\nrunners = ["self-hosted, big"]', "['self-hosted', 'big']"),
    ('simulations = ["game/small.py"]\nrunners = []\nemulated = []', "leave no machine"),
    ('simulations = ["game/small.py"]\nrunners = [[]]', "runners in [tool.samebits] are no texts"),
    ('simulations = ["game/small.py"]\nrunners = ["a/b", "a-b"]', "2 machines that would be"),
    ('simulations = ["game/small.py"]\nemulated = ["z80-O3"]', "'z80-O3', a target that no"),
    ('simulations = ["game/small.py"]\nemulated = ["aarch64-macos"]', "wasm32, wasm32-simd\n"),
    (f'simulations = ["{SMALL}"]', "is not in the project"),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "said"), MISTAKES)
def test_mistakes_in_the_settings_are_told(
    project: Path, capsys: pytest.CaptureFixture[str], lines: str, said: str
) -> None:
    (project / "pyproject.toml").write_text(f"[tool.samebits]\n{lines}\n")
    assert called("ci", "init", project, "--github") == 2
    assert said in capsys.readouterr().err
    assert not (project / GITHUB).exists()


def test_a_file_of_somebody_else_is_not_replaced(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project / GITLAB
    path.parent.mkdir()
    path.write_text("mine: true\n")
    assert called("ci", "init", project, "--gitlab") == 2
    assert "was not made by samebits" in capsys.readouterr().err
    assert path.read_text() == "mine: true\n"
    assert called("ci", "init", project, "--gitlab", "--force") == 0
    assert called("ci", "init", project) == 2
    assert "write --github, --gitlab or both" in capsys.readouterr().err
