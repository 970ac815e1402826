"""What `samebits diagnose` cannot compare is refused with what to write instead."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from tests.support.command_line import Run, refused
from tests.support.runs.compared import SMALL

from samebits.hazards.catalogue import EXPRESSION_HAZARDS, PROGRAM_HAZARDS
from samebits.sides.words import described_words

EXAMPLES = (
    "\n  fix: write `samebits diagnose game.py duel.mcap --b mode=FAST`, `samebits diagnose game.py"
    " duel.mcap theirs.mcap`, `samebits diagnose game.py duel.mcap theirs.desync`, `samebits "
    "diagnose game.py duel.mcap theirs.txt` or `samebits diagnose ours.desync theirs.desync`"
)

REFUSED: dict[str, tuple[tuple[str, ...], str]] = {
    "no side": (
        (SMALL,),
        "side b is not given\n"
        "  fix: give --b, as in --b x86-64-v1-O0, --b mode=FAST or --b hazard=fma@game.py:120; "
        "--list-sides lists all words",
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
        "min-max changes nothing in this simulation\n"
        "  note: it acts on no operation of the simulation",
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
    "three replays": (
        (SMALL, "push.mcap", "seed2.mcap", "push.mcap"),
        "2 pieces of evidence at once: seed2.mcap, push.mcap\n  fix: compare with one at a time: "
        f"`samebits diagnose {SMALL} push.mcap seed2.mcap`",
    ),
    "a side beside two replays": (
        (SMALL, "push.mcap", "seed2.mcap", "--b", "opt=0"),
        "--b does not go with this: b is the second replay\n  fix: leave out --b",
    ),
    "replays of two simulations": (
        (SMALL, "push.mcap", "other.mcap"),
        "push.mcap is of simulation 'small', and other.mcap of 'traced'\n"
        "  fix: give two of the same simulation",
    ),
    "nothing": ((), "there is nothing to compare" + EXAMPLES),
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
        f"push.desync is a report, and {SMALL} alone is not enough to compare it with\n"
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
        "--budget does not go with this: it limits the work of programs in reports\n"
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
        "./push.mcap is a recording: the simulation comes first\n"
        "  fix: give path.py, path.py:Name or package.module:Name",
    ),
    "a text for a simulation": (
        ("junk.txt", "push.mcap", "--b", "opt=0"),
        "junk.txt is not a Python file: the simulation comes first\n"
        "  fix: give path.py, path.py:Name or package.module:Name",
    ),
    "a folder for a simulation": (
        ("./", "push.mcap", "--b", "opt=0"),
        "./ is a folder, not a simulation\n"
        "  fix: give path.py, path.py:Name or package.module:Name",
    ),
    "a side without a word": (
        (SMALL, "push.mcap", "--b", " "),
        "--b is empty\n  fix: leave it out for ",
    ),
    "a page in the replay's place": (
        (SMALL, "push.mcap", "--b", "opt=0", "--html", "push.mcap"),
        "push.mcap exists already and is not a page\n  fix: give the page another name",
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


def test_where_a_hazard_would_act_is_reported(run: Run) -> None:
    said = refused(run, SMALL, "push.mcap", "--b", "hazard=fma@small_simulation.py:50")
    assert "\n  note: it acts at small_simulation.py:51:9 add in small_simulation.step, " in said


@pytest.mark.parametrize("frames", ["0", "-3", "many"])
def test_a_count_of_frames_that_is_none_is_bad_usage(run: Run, frames: str) -> None:
    said = refused(run, SMALL, "push.mcap", "--b", "opt=0", "--frames", frames)
    assert "--frames" in said


def test_what_is_refused_is_one_message_in_json_too(run: Run) -> None:
    code, out, err = run(SMALL, "--json")
    assert (code, err.startswith("side b is not given\n")) == (2, True)
    found = json.loads(out)
    assert (found["format"], found["same"]) == (2, False)
    assert found["error"]["message"] == "side b is not given"
    assert found["error"]["fix"].startswith("give --b, ")
