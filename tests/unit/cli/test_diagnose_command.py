"""`samebits diagnose`: what it compares, prints, writes and refuses, and how it ends."""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import redirect_stdout
from dataclasses import fields
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from tests.support.folders import SIMULATIONS

from samebits.cli import status
from samebits.cli.diagnose import doing
from samebits.cli.diagnosis import as_lines
from samebits.diagnosis.report.findings import CERTAINTIES, CousinFact, Diagnosis, Place
from samebits.hazards.catalogue import EXPRESSION_HAZARDS, PROGRAM_HAZARDS
from samebits.sides.words import default_words, described_words

SMALL = str(SIMULATIONS / "small_simulation.py")
OTHER = str(SIMULATIONS / "traced_simulation.py")
PLAIN, FUSED = "opt=0", "opt=0,hazard=fma,from=10"
FRAMES = 40

Run = Any


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of replays and reports, made once by the commands that users have."""
    folder = tmp_path_factory.mktemp("made")
    second = folder / "second" / "small_simulation.py"
    second.parent.mkdir()
    second.write_text(Path(SMALL).read_text().replace('version="1"', 'version="2"'))
    for sim, players, seed, name in (
        (SMALL, "push", 1, "push"),
        (SMALL, "push", 2, "seed2"),
        (SMALL, "crash", 1, "crash"),
        (OTHER, "push", 1, "other"),
        (str(second), "push", 1, "second"),
    ):
        replay = folder / f"{name}.mcap"
        given = ("--players", players, "--seed", seed, "--frames", FRAMES, "--out", replay)
        assert called("record", sim, *given) == (1 if players == "crash" else 0)
        report = ("report", sim, replay, "--frames", "8:14", "-o", folder / f"{name}.desync")
        assert players == "crash" or called(*report, "--a", PLAIN) == 0
    report = ("report", SMALL, folder / "push.mcap", "--a", FUSED)
    assert called(*report, "--trace", 10, "--frames", "8:14", "-o", folder / "fused.desync") == 1
    assert called(*report, "-o", folder / "hashes.desync") == 1  # other bits than were recorded
    data = (folder / "fused.desync").read_bytes()
    (folder / "cut.desync").write_bytes(data[: len(data) // 2])
    (folder / "stump.desync").write_bytes(data[: len(data) // 8])
    (folder / "junk").write_bytes(bytes(range(1, 256)) * 9)
    (folder / "folder.desync").mkdir()
    return folder


def called(*arguments: object) -> int:
    return status([str(a) for a in arguments])


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    made: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """The command line in a copy of the folder: status, stdout, stderr."""
    shutil.copytree(made, tmp_path / "run")
    monkeypatch.chdir(tmp_path / "run")
    capsys.readouterr()

    def run(*arguments: object) -> tuple[int, str, str]:
        code = status(["diagnose", *[str(a) for a in arguments]])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def refused(run: Run, *arguments: object) -> str:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    return str(err).rstrip("\n")


# -- what it finds ------------------------------------------------------------------------------


def test_two_sides_are_narrowed_to_frame_field_line_and_cause(run: Run) -> None:
    code, out, err = run(SMALL, "push.mcap", "--a", PLAIN, "--b", FUSED)
    assert (code, err) == (1, "")
    assert out.startswith(
        "small 1, seed 1\n"
        f"  a  {PLAIN}\n"
        f"  b  {FUSED}\n"
        "\n"
        "frame: frame 10 of 40 is the first that differs\n"
        "  a  81b23c3beb1e12a8\n"
        "  b  78d1a622c5601bd9\n"
        "\n"
        "field: bodies[1].pos.x; 2 scalars differ after the frame\n"
        "  bodies[1].pos.x  float32, 1 ULP apart\n"
    )
    operation = out[out.index("operation: ") :]
    assert operation.startswith(f"operation: add in step, {SMALL}:59:20\n")
    assert (
        "  in the turn i = 1\n"
        "      body.pos = body.pos * 0.999 + body.vel * 0.016\n"
        "                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
    ) in operation
    assert re.search(r"\n    a +0xbce7eee8  -0.028312162\n    b +0xbce7eee7  ", operation)
    assert "\ncause: fused multiply-add (fma), " in out
    assert "gives b's hash in all 30 frames from there on" in out
    assert "\ncousins: " in out


def test_a_report_is_compared_with_a_replay(run: Run) -> None:
    code, out, err = run(SMALL, "push.mcap", "fused.desync", "--a", PLAIN)
    assert (code, err) == (1, "")
    assert f"  a  {PLAIN}\n  b  fused.desync, {FUSED}, " in out
    assert "frame: frame 10 of 14 is the first that differs" in out
    assert f"operation: add in step, {SMALL}:59:20\n" in out
    assert "\ncause: fused multiply-add (fma), " in out


@pytest.mark.parametrize("names", [("push", "fused"), ("fused", "push")])
def test_two_reports_are_compared_whichever_comes_first(run: Run, names: tuple[str, str]) -> None:
    code, out, err = run(*[f"{name}.desync" for name in names])
    assert (code, err) == (1, "")
    assert "  a  push.desync, opt=0, " in out
    assert f"  b  fused.desync, {FUSED}, " in out
    assert "operation: add in step, small_simulation.py:59:20\n" in out
    assert "\ncause: fused multiply-add (fma), " in out
    told = "note: push.desync stands as side a: its own program, evaluated, gives its bits\n"
    assert (told in out) == (names[0] == "fused")


def test_a_report_is_known_by_what_is_in_it(run: Run) -> None:
    Path("fused.desync").rename("fused")
    code, out, _ = run("push.desync", "fused")
    assert code == 1
    assert "  b  fused, " in out


class Page(HTMLParser):
    """Tags that are open, and every address that an attribute has."""

    VOID = ("meta", "link", "br", "img", "hr", "input")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [str(v) for name, v in attrs if name in ("src", "href", "srcset")]
        assert tag not in ("script", "link", "iframe", "img", "object")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Closed at once."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def facts(made: Path) -> tuple[dict[str, Any], str]:
    """What `--json` and `--html` give of one comparison."""
    page = made / "page.html"
    given = (SMALL, made / "push.mcap", "--a", PLAIN, "--b", FUSED, "--json", "--html", page)
    with redirect_stdout(StringIO()) as out:
        assert called("diagnose", *given) == 1
    text = page.read_text("utf-8")
    page.unlink()
    return json.loads(out.getvalue()), text


def test_components_of_a_vector_are_one_cousin() -> None:
    place = Place("game.py", 60, 4, 20, "step", "")
    rows = [CousinFact(place, "add", 1, changed, 5) for changed in (1, 2)]
    rows += [CousinFact(place, "sub", None, 0, 0)]
    found = Diagnosis(
        simulation="game", version="1", seed=1, a="a", b="b", frames=9, frame=3,
        cousins=tuple(rows), cousins_left=4,
    )  # fmt: skip
    said = [text for _, text in as_lines(found)]
    assert said[said.index("cousins: what else the same hazard acts on, nearest to the state first")
                + 1 :][:3] == [
        "  game.py:60:5  2 × add in step: 1 step, changes 3 of 10 results in the frame",
        "  game.py:60:5  sub in step: no path, not reached in the frame",
        "  and 4 more (--json has some of them)",
    ]  # fmt: skip
    found.cousins = (rows[2],)  # of a hazard whose results nobody counts
    assert "  game.py:60:5  sub in step: no path" in [text for _, text in as_lines(found)]


def test_files_below_the_working_folder_are_named_from_there(run: Run) -> None:
    shutil.copy(SMALL, "small.py")
    out = run("small.py", "push.mcap", "--a", PLAIN, "--b", FUSED)[1]
    assert "\noperation: add in step, small.py:59:20\n" in out
    assert str(Path.cwd()) not in out


def test_json_is_one_object_with_everything(facts: tuple[dict[str, Any], str]) -> None:
    found, _ = facts
    assert list(found) == ["format", "same", *[field.name for field in fields(Diagnosis)]]
    assert (found["format"], found["same"], found["frame"], found["frames"]) == (1, False, 10, 40)
    assert found["hashes"] == ["81b23c3beb1e12a8", "78d1a622c5601bd9"]
    assert found["fields"][0]["path"] == "bodies[1].pos.x"
    assert (found["operation"]["place"]["file"], found["operation"]["place"]["line"]) == (SMALL, 59)
    assert found["causes"][0]["hazard"] == "fma"
    assert found["certainty"] in CERTAINTIES
    assert found["timeline"][-1]["frame"] == FRAMES - 1


def test_html_is_one_page_that_needs_nothing_else(facts: tuple[dict[str, Any], str]) -> None:
    _, text = facts
    assert "http" not in text
    assert "url(" not in text
    page = Page()
    page.feed(text)
    page.close()
    assert (page.open, page.addresses) == ([], [])
    for said in ("small 1, seed 1", FUSED, "Frame 10 of 40", "fused multiply-add", "bodies[1].pos",
                 "small_simulation.py:59:20", "0xbce7eee8", "81b23c3beb1e12a8"):  # fmt: skip
        assert said in page.text


def test_names_from_a_report_cannot_write_into_the_page(run: Run) -> None:
    from dataclasses import replace

    from samebits.desync.reader import read_report
    from samebits.desync.writer import write_report

    report = read_report("fused.desync")
    contents = replace(report.contents, side="<script>alert(1)</script>")
    write_report(replace(report, contents=contents), "fused.desync", force=True)
    assert run("push.desync", "fused.desync", "--html", "page.html")[0] == 1
    page = Page()
    page.feed(Path("page.html").read_text("utf-8"))
    assert "<script>alert(1)</script>" in page.text


# -- where nothing differs ----------------------------------------------------------------------


def test_runs_that_do_not_differ_end_with_0(run: Run) -> None:
    code, out, err = run(SMALL, "push.mcap", "--b", PLAIN)
    assert (code, err) == (0, "")
    assert out == (
        f"small 1, seed 1\n  a  {default_words()}\n  b  opt=0\n\nthe same: no frame of 40 differs\n"
    )
    code, out, _ = run(SMALL, "push.mcap", "--b", PLAIN, "--json", "--html", "page.html")
    found = json.loads(out)
    assert (code, found["same"], found["frame"], found["causes"]) == (0, True, None, [])
    assert "The same: no frame of 40 differs." in Path("page.html").read_text("utf-8")


def test_reports_that_do_not_differ_end_with_0(run: Run) -> None:
    code, out, err = run(SMALL, "push.mcap", "push.desync", "--a", PLAIN)
    assert (code, err) == (0, "")
    assert "\nthe same: no frame of " in out
    told = "\nnote: a and b are one report: nothing in them could differ\n"
    assert told not in out
    shutil.copy("push.desync", "copy.desync")
    for other in ("push.desync", "copy.desync"):
        code, out, err = run("push.desync", other)
        assert (code, err) == (0, "")
        assert "\nthe same: no frame of " in out
        assert out.endswith(told)


def test_a_hazard_that_acts_and_changes_no_hash_is_the_same(run: Run) -> None:
    code, out, err = run(SMALL, "push.mcap", "--a", PLAIN, "--b", "opt=0,hazard=flush")
    assert (code, err) == (0, "")
    assert out.endswith("\nthe same: no frame of 40 differs\n")


def test_a_side_that_is_never_another_compares_nothing(run: Run) -> None:
    given = (SMALL, "push.mcap", "--b", "opt=0,hazard=fma,from=40", "--a", PLAIN)
    code, out, err = run(*given)
    assert (code, err) == (2, "")
    assert out.endswith(
        "\nnothing was compared: side b begins to be another in frame 40, behind the last\n"
    )
    assert "the same" not in out
    code, out, _ = run(*given, "--json")
    assert (code, json.loads(out)["same"]) == (2, False)


def test_one_way_to_run_it_on_both_sides_is_told(run: Run) -> None:
    code, out, _ = run(SMALL, "push.mcap", "--b", "opt=3")
    assert code == 0
    assert out.endswith(
        "the same: no frame of 40 differs\n"
        "note: a and b are one way to run it: only what is not determined could differ\n"
    )


def test_runs_that_trap_alike_say_why_they_end(run: Run) -> None:
    code, out, _ = run(SMALL, "--a", PLAIN, "--b", "opt=3", "--players", "crash")
    assert code == 0
    assert out.endswith(
        "the same: no frame of 12 differs\n"
        "note: a trap ends both runs alike there, before the 600 frames that were to be compared\n"
    )


def test_only_the_first_frames_are_compared_on_request(run: Run) -> None:
    given = (SMALL, "push.mcap", "--a", PLAIN, "--b", FUSED, "--frames")
    assert "in frame 10, behind the last" in run(*given, 10)[1]
    assert "frame 10 of 11 is the first that differs\n" in run(*given, 11)[1]


def test_without_a_replay_it_plays(run: Run) -> None:
    given = (SMALL, "--a", PLAIN, "--b", "opt=3", "--json")
    found = json.loads(run(*given)[1])
    assert (found["seed"], found["frames"], found["same"]) == (1, 600, True)
    found = json.loads(run(*given, "--seed", 5, "--players", "push", "--frames", 40)[1])
    assert (found["seed"], found["frames"]) == (5, 40)
    code, out, _ = run(*given, "--players", "crash")  # which traps in frame 12
    assert (code, json.loads(out)["frames"]) == (0, 12)


# -- bad input ----------------------------------------------------------------------------------

EXAMPLES = (
    "\n  fix: write `samebits diagnose game.py duel.mcap --b mode=FAST`, `samebits diagnose game.py"
    " duel.mcap theirs.desync` or `samebits diagnose ours.desync theirs.desync`"
)

REFUSED: dict[str, tuple[tuple[str, ...], str]] = {
    "no side": (
        (SMALL, "push.mcap"),
        "nothing says what the other way to run it is\n"
        "  note: `samebits verify` compares with the hashes that a replay holds\n"
        "  fix: give --b, as in --b x86-64-v1-O0, --b mode=FAST or --b hazard=fma@game.py:120; "
        "--list-sides has all words",
    ),
    "a hazard that there is not": (
        (SMALL, "push.mcap", "--b", "hazard=fam"),
        "there is no hazard 'fam'\n  note: the hazards are fma, libm, nan, ",
    ),
    "a hazard that changes nothing there": (
        (SMALL, "push.mcap", "--b", "hazard=fma@small_simulation.py:50"),
        "fma changes nothing at small_simulation.py:50",
    ),
    "a hazard that changes nothing at all": (
        (SMALL, "push.mcap", "--b", "hazard=min-max"),
        "min-max changes nothing in this simulation\n  note: there is no operation that it acts on",
    ),
    "a line without an operation": (
        (SMALL, "push.mcap", "--b", "hazard=fma@small_simulation.py:9999"),
        "small_simulation.py:9999 has no operation of the simulation\n"
        "  note: the nearest lines that have one are 50, 51, ",
    ),
    "a word with a wrong value": (
        (SMALL, "push.mcap", "--b", "opt=7"),
        "opt= takes 0 or 3, not '7'",
    ),
    "two replays": (
        (SMALL, "push.mcap", "seed2.mcap", "--b", "opt=0"),
        "it is not clear what to compare: 0 reports and 3 other names" + EXAMPLES,
    ),
    "nothing": ((), "nothing to compare is named" + EXAMPLES),
    "one report alone": (
        ("push.desync",),
        "it is not clear what to compare: 1 report and 0 other names" + EXAMPLES,
    ),
    "three reports": (
        ("push.desync", "fused.desync", "cut.desync"),
        "it is not clear what to compare: 3 reports and 0 other names" + EXAMPLES,
    ),
    "a report without a replay": (
        (SMALL, "push.desync"),
        f"push.desync is a report, and is given with {SMALL} alone\n"
        "  fix: write `samebits diagnose SIM REPLAY push.desync` with the replay that it is of, or "
        "`samebits diagnose OURS push.desync` with a report of this machine",
    ),
    "a side beside two reports": (
        ("push.desync", "fused.desync", "--a", "opt=0"),
        "--a does not go with this: two reports are compared as they are\n  fix: leave out --a",
    ),
    "a second side beside a report": (
        (SMALL, "push.mcap", "push.desync", "--b", "opt=0"),
        "--b does not go with this: b is the report\n  fix: leave out --b",
    ),
    "a budget without a report": (
        (SMALL, "push.mcap", "--b", "opt=0", "--budget", "8"),
        "--budget does not go with this: it bounds what the programs of reports may take\n"
        "  fix: leave out --budget",
    ),
    "players beside a replay": (
        (SMALL, "push.mcap", "--b", "opt=0", "--players", "push"),
        "--players does not go with this: a replay has its own inputs and seed\n"
        "  fix: leave out --players",
    ),
    "a replay of another simulation": (
        (SMALL, "other.mcap", "--b", "opt=0"),
        "other.mcap is a replay of another simulation: 'traced', not 'small'\n"
        "  fix: give a replay of 'small', or name the simulation that recorded it",
    ),
    "a replay of another version": (
        (SMALL, "second.mcap", "--b", "opt=0"),
        "second.mcap is a replay of version 2 of 'small'; this is version 1\n"
        "  fix: check out the version that recorded it, or record a new replay",
    ),
    "a report of another simulation": (
        (SMALL, "push.mcap", "other.desync"),
        "push.mcap is of simulation 'small', and other.desync of 'traced'\n"
        "  fix: give two of the same simulation",
    ),
    "reports of two simulations": (
        ("push.desync", "other.desync"),
        "push.desync is of simulation 'small', and other.desync of 'traced'\n"
        "  fix: give two of the same simulation",
    ),
    "a report of another version": (
        (SMALL, "push.mcap", "second.desync"),
        "push.mcap is of version 1 of 'small', and second.desync of version 2\n"
        "  fix: run one version on both machines, and write reports again",
    ),
    "reports of two versions": (
        ("second.desync", "push.desync"),
        "second.desync is of version 2 of 'small', and push.desync of version 1\n"
        "  fix: run one version on both machines, and write reports again",
    ),
    "a report with another seed": (
        (SMALL, "push.mcap", "seed2.desync"),
        "push.mcap was run with seed 1, and seed2.desync with seed 2\n"
        "  fix: report the same replay on both machines",
    ),
    "a report that is not there": (
        ("push.desync", "none.desync"),
        "cannot read none.desync: No such file or directory\n"
        "  fix: give the path of a report that this user may read",
    ),
    "a folder as a report": (
        (SMALL, "push.mcap", "folder.desync"),
        "folder.desync is not a file\n  fix: give a file that `samebits report` wrote",
    ),
    "a replay called a report": (
        ("push.desync", "replay.desync"),
        "replay.desync is a replay, not a desync report\n"
        "  fix: write a report from it: samebits report SIM REPLAY --frames 120:130",
    ),
    "junk as a report": (
        (SMALL, "push.mcap", "junk.desync"),
        "junk.desync is no desync report\n  fix: give a file that `samebits report` wrote",
    ),
    "a report of which nothing is left": (
        (SMALL, "push.mcap", "stump.desync"),
        "nothing in stump.desync is usable: its description of itself is not there\n  note: at ",
    ),
    "junk as a replay": (
        (SMALL, "junk", "--b", "opt=0"),
        "junk is not an MCAP file: it starts with 01 02 03 04 05 06 07 08",
    ),
    "a folder as a replay": (
        (SMALL, ".", "--b", "opt=0"),
        ". is not a file\n  fix: give the path of a replay",
    ),
    "a replay that is not there": (
        (SMALL, "none.mcap", "--b", "opt=0"),
        "cannot read none.mcap: No such file or directory",
    ),
    "a replay for a simulation": (
        ("./push.mcap", SMALL, "--b", "opt=0"),
        "./push.mcap is a recording, and a simulation is to be named first\n"
        "  fix: give path.py, path.py:Name or package.module:Name",
    ),
    "a text for a simulation": (
        ("junk.txt", "push.mcap", "--b", "opt=0"),
        "junk.txt is no Python file, and a simulation is to be named first\n"
        "  fix: give path.py, path.py:Name or package.module:Name",
    ),
    "a folder for a simulation": (
        ("./", "push.mcap", "--b", "opt=0"),
        "./ is a folder, not a simulation\n"
        "  fix: give path.py, path.py:Name or package.module:Name",
    ),
    "a side without a word": (
        (SMALL, "push.mcap", "--b", " "),
        "--b says nothing\n  fix: leave it out for this machine's own way, ",
    ),
    "a page in the replay's place": (
        (SMALL, "push.mcap", "--b", "opt=0", "--html", "push.mcap"),
        "push.mcap is there already, and is no page\n  fix: give the page another name",
    ),
    "a page in a folder that is not there": (
        (SMALL, "push.mcap", "--b", "opt=0", "--html", "none/page.html"),
        "--html none/page.html: there is no folder none\n  fix: make it first",
    ),
    "a folder as a page": (
        (SMALL, "push.mcap", "--b", "opt=0", "--html", "folder.desync"),
        "--html folder.desync is a folder\n  fix: name a file in it",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_compared_is_refused(run: Run, case: str) -> None:
    given, message = REFUSED[case]
    shutil.copy("junk", "junk.desync")
    shutil.copy("junk", "junk.txt")
    shutil.copy("push.mcap", "replay.desync")
    before = sorted(Path().rglob("*"))
    assert refused(run, *given).startswith(message)
    assert sorted(Path().rglob("*")) == before


def test_an_unknown_word_is_answered_with_those_that_there_are(run: Run) -> None:
    said = refused(run, SMALL, "push.mcap", "--b", "pdp11")
    assert said.startswith(
        "'pdp11' does not name an execution or an option\n  note: executions are managed,"
    )
    assert "hazard=HAZARD[@PLACE][#VARIANT]" in said
    assert said.endswith("\n  fix: write words separated by commas, such as x86-64-v2,opt=0")


def test_all_words_and_hazards_are_listed_on_request(run: Run) -> None:
    code, out, err = run("--list-sides")
    assert (code, err) == (0, "")
    for name, _ in described_words():
        assert f"\n  {name}" in out
    for hazard in (*EXPRESSION_HAZARDS, *PROGRAM_HAZARDS):
        assert re.search(f"^  {hazard.name} +{re.escape(hazard.title)}$", out, re.MULTILINE)
    assert max(map(len, out.splitlines())) <= 100


def test_where_a_hazard_would_act_is_told(run: Run) -> None:
    said = refused(run, SMALL, "push.mcap", "--b", "hazard=fma@small_simulation.py:50")
    assert "\n  note: it acts at small_simulation.py:51:9 add in small_simulation.step, " in said


@pytest.mark.parametrize("frames", ["0", "-3", "many"])
def test_a_count_of_frames_that_is_none_is_bad_usage(run: Run, frames: str) -> None:
    said = refused(run, SMALL, "push.mcap", "--b", "opt=0", "--frames", frames)
    assert "--frames" in said


def test_a_report_of_other_inputs_is_refused(run: Run) -> None:
    assert refused(run, SMALL, "crash.mcap", "push.desync") == (
        "push.desync is of other inputs than crash.mcap: those of 13 of 13 frames differ\n"
        "  fix: give the replay that the report was made of"
    )


NOWHERE = Path("/proc")
"""A folder in which nobody makes files, root included."""


@pytest.mark.skipif(not NOWHERE.is_dir(), reason="this system has no such folder")
def test_a_page_that_cannot_be_written_is_refused_before_the_work(run: Run) -> None:
    said = refused(run, SMALL, "push.mcap", "--b", PLAIN, "--html", NOWHERE / "page.html")
    assert re.fullmatch(
        "cannot write /proc/page.html: .+\n  fix: give a place that this user may write to", said
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_as_a_page_is_not_opened_before_the_work(run: Run) -> None:
    os.mkfifo("pipe")
    said = refused(run, SMALL, "push.mcap", "--html", "pipe")
    assert said.startswith("nothing says what the other way")


@pytest.mark.parametrize(
    ("what", "shown"),
    [
        ("fused multiply-add in this function", "trying fused multiply-add in this function"),
        ("comparing frames", "comparing frames"),
    ],
)
def test_progress_tells_experiments_from_other_steps(what: str, shown: str) -> None:
    assert doing(what) == shown


def test_a_page_is_written_over_an_older_one(run: Run) -> None:
    Path("page.html").write_text("")
    given = (SMALL, "push.mcap", "--b", PLAIN, "--html", "page.html")
    assert run(*given)[0] == 0
    first = Path("page.html").read_text("utf-8")
    assert run(*given)[0] == 0
    assert Path("page.html").read_text("utf-8") == first


def test_an_interrupt_ends_with_130_and_leaves_no_page(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from samebits.cli import diagnose as command

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "diagnose", interrupted)
    code, out, err = run(SMALL, "push.mcap", "--b", PLAIN, "--html", "page.html")
    assert (code, out, err) == (130, "", "interrupted\n")
    assert not Path("page.html").exists()


def test_an_interrupt_while_a_command_is_loaded_ends_with_130(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from samebits.cli import commands

    def interrupted(arguments: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "app", interrupted)
    assert run(SMALL, "push.mcap", "--b", PLAIN) == (130, "", "interrupted\n")


# -- what is damaged, or tells too little -------------------------------------------------------


def test_a_damaged_report_is_used_as_far_as_it_goes(run: Run) -> None:
    code, out, err = run(SMALL, "push.mcap", "cut.desync", "--a", PLAIN)
    assert code == 1
    first, second = err.splitlines()
    assert first.startswith("cut.desync is damaged: at byte ")
    assert second.startswith("hashes of frames 0-")
    assert second.endswith(" not")
    assert "frame: frame 10 of 14 is the first that differs" in out
    assert "field: bodies[1].pos.x; 2 scalars differ after the frame\n" in out
    assert (
        "note: cut.desync does not tell the operations of frame 10; on that machine, write "
        "another: samebits report SIM REPLAY --frames 8:13 --trace 10\n"
    ) in out


def test_what_is_left_of_a_damaged_report_that_agrees_is_not_called_the_same(run: Run) -> None:
    data = Path("push.desync").read_bytes()
    Path("push.desync").write_bytes(data[: len(data) * 2 // 3])
    code, out, err = run(SMALL, "push.mcap", "push.desync", "--a", PLAIN)
    assert code == 2
    assert err.startswith("push.desync is damaged: at byte ")
    assert "\nthe same: no frame of " in out


def test_a_damaged_replay_serves_up_to_the_damage(run: Run) -> None:
    given = ("--players", "push", "--frames", 600, "--out", "long.mcap")
    assert status(["record", SMALL, *[str(a) for a in given]]) == 0
    data = Path("long.mcap").read_bytes()
    Path("long.mcap").write_bytes(data[: len(data) * 3 // 4])
    code, out, err = run(SMALL, "long.mcap", "--b", PLAIN)
    assert code == 2
    said = re.search(r"the same: no frame of (\d+) differs\n", out)
    assert said is not None
    assert 0 < int(said[1]) < 600
    assert err.splitlines()[0].startswith("long.mcap is damaged at byte ")


def test_reports_that_tell_no_frame_in_detail_say_how_to_write_ones_that_do(run: Run) -> None:
    given = ("report", SMALL, "push.mcap", "--a", PLAIN, "-o", "whole.desync")
    assert status(list(given)) == 0
    code, out, err = run("whole.desync", "hashes.desync")
    assert (code, err) == (1, "")
    assert "frame: frame 10 of 40 is the first that differs\n" in out
    assert "\ncause: unknown: which operation differs first could not be told\n" in out
    assert (
        "note: whole.desync and hashes.desync share no frame in detail; write both again: "
        "samebits report SIM REPLAY --frames 5:16 --trace 10\n"
    ) in out


def test_what_is_refused_is_one_message_in_json_too(run: Run) -> None:
    assert refused(run, SMALL, "push.mcap", "--json").startswith("nothing says what the other way")
