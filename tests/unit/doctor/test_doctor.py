"""The import, library or line that changes the registers is named; hostile programs end in time."""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.foreign_libraries import build
from tests.support.limits import HANG_SECONDS

import samebits as sb
from samebits.cli import status
from samebits.doctor import culprit, host, programs
from samebits.doctor.culprit import bisect
from samebits.runtime.fingerprint import Fingerprint
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.fp_state import ptrace
from samebits.runtime.fp_state.threads import ThreadState

pytestmark = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="the words are MXCSR's"
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`_fastmath`, a module linked with fast-math start-up code, and two libraries."""
    folder = tmp_path_factory.mktemp("built")
    build(folder, "_fastmath", at_start="FLUSH", module=True)
    build(folder, "truncating", at_start="TOWARD_ZERO")
    build(folder, "plain")
    return folder


@pytest.fixture
def folder(tmp_path: Path, built: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a package that imports `_fastmath`, where the programs of a test are."""
    package = tmp_path / "engine"
    package.mkdir()
    (package / "_fastmath.so").write_bytes((built / "_fastmath.so").read_bytes())
    (package / "__init__.py").write_text("from engine import mixer\n")
    (package / "mixer.py").write_text("import json\nfrom engine import _fastmath\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def doctor(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = status(["doctor", "--json", *arguments])
    return code, json.loads(capsys.readouterr().out)


def test_the_module_its_file_and_the_programs_line_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "game.py").write_text(
        "import decimal\n\ndef load():\n    import engine\n\nprint('{noise')\nload()\nimport csv\n"
    )
    code, facts = doctor(capsys, "game.py")
    assert code == 1
    (change,) = facts["program"]["changes"]
    assert (change["kind"], change["name"]) == ("import", "engine._fastmath")
    assert change["file"] == str(folder / "engine" / "_fastmath.so")
    assert (change["line"]["file"], change["line"]["line"]) == ("game.py", 7)
    assert Path(change["direct"]["file"]).name == "mixer.py"
    assert change["direct"]["line"] == 2
    assert change["state"]["flushes_results"]
    assert change["state"]["flushes_operands"]
    assert change["confirmed"] == "a fresh process that does only this shows it too"
    assert facts["program"]["outcome"] == "ended"
    threads: list[dict[str, Any]] = facts["program"]["threads"]
    flushing = [t for t in threads if t["state"] and t["state"]["flushes_results"]]
    assert [t["name"] for t in flushing] in (["MainThread"], [])


def test_a_module_run_with_m_is_examined_with_its_arguments(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "game.py").write_text("import sys\nif sys.argv[1] == '--fast':\n    import engine\n")
    code, facts = doctor(capsys, "-m", "game", "--", "--fast")
    assert code == 1
    assert facts["program"]["changes"][0]["line"]["line"] == 3
    code, facts = doctor(capsys, "-m", "game", "--", "--slow")
    assert (code, facts["program"]["changes"]) == (0, [])


def test_a_library_that_ctypes_loads_is_named(
    folder: Path, built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = built / "libtruncating.so"
    (folder / "game.py").write_text(f"import ctypes\nimport json\nctypes.CDLL({str(path)!r})\n")
    code, facts = doctor(capsys, "game.py")
    (change,) = facts["program"]["changes"]
    assert code == 1
    assert (change["kind"], change["file"]) == ("load", str(path))
    assert change["line"]["line"] == 3
    assert change["state"]["rounding"] == "zero"
    assert change["confirmed"] == "a fresh process that does only this shows it too"


def test_a_call_outside_imports_is_found_line_by_line(
    folder: Path, built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "game.py").write_text(
        f"import ctypes\nlibrary = ctypes.CDLL({str(built / 'libplain.so')!r})\n"
        "def mix():\n    gain = 1\n    library.foreign_set(0x9fc0)\n    return gain\n\nmix()\n"
    )
    code, facts = doctor(capsys, "game.py")
    (change,) = facts["program"]["changes"]
    assert code == 1
    assert change["kind"] == "line"
    assert change["line"]["line"] == 8
    assert (change["direct"]["function"], change["direct"]["line"]) == ("mix", 5)


def test_two_calls_are_both_blamed_each_for_its_own(
    folder: Path, built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "game.py").write_text(
        f"import ctypes\nlibrary = ctypes.CDLL({str(built / 'libplain.so')!r})\n"
        "def mix():\n    library.foreign_set(0x9f80)\n\n"
        "def steer():\n    library.foreign_set(library.foreign_get() | 0x6000)\n\n"
        "mix()\nsteer()\n"
    )
    code, facts = doctor(capsys, "game.py")
    assert code == 1
    first, second = facts["program"]["changes"]
    assert (first["line"]["line"], first["direct"]["line"]) == (9, 4)
    assert (second["line"]["line"], second["direct"]["line"]) == (10, 7)
    assert first["sets"] == ["flushes subnormal results (FTZ)"]
    assert second["sets"] == ["rounds toward zero"]
    assert status(["doctor", "game.py"]) == 1
    out = capsys.readouterr().out
    places = [
        out.find(text)
        for text in (
            "changed by the call in line 4 of game.py: flushes",
            "line: game.py:9 in <module>: mix()",
            "changed by the call in line 7 of game.py: rounds toward zero\n",
            "line: game.py:10 in <module>: steer()",
        )
    ]
    assert -1 not in places, out
    assert places == sorted(places), out


def test_a_line_is_that_of_the_file_in_this_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = programs.StackFrame("same_name.py", 2, "<module>", "__main__")
    for text in ("first()", "second(1)"):
        folder = tmp_path / text
        folder.mkdir()
        (folder / "same_name.py").write_text(f"\n{text}\n")
        monkeypatch.chdir(folder)
        assert culprit.source(place) == text


def test_an_import_and_a_call_are_both_blamed_each_for_its_own(
    folder: Path, built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "game.py").write_text(
        f"import ctypes\nctypes.CDLL({str(built / 'libtruncating.so')!r})\n"
        f"plain = ctypes.CDLL({str(built / 'libplain.so')!r})\nimport engine\n"
        "plain.foreign_set(plain.foreign_get() & ~0x100)\nimport csv\n"
    )
    _, facts = doctor(capsys, "game.py")
    changes = [(c["kind"], c["line"]["line"], c["sets"]) for c in facts["program"]["changes"]]
    assert changes == [
        ("load", 2, ["rounds toward zero"]),
        ("import", 4, ["flushes subnormal results (FTZ)", "flushes subnormal operands (DAZ)"]),
        ("line", 5, ["raises a signal on denormal"]),
    ]
    confirmed = {c["confirmed"] for c in facts["program"]["changes"][:2]}
    assert confirmed == {"a fresh process that does only this shows it too"}


def test_a_call_that_restores_and_one_that_sets_again_are_told_apart(
    folder: Path, built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "game.py").write_text(
        f"import ctypes\nlibrary = ctypes.CDLL({str(built / 'libplain.so')!r})\n"
        "library.foreign_set(0x9f80)\nimport csv\nlibrary.foreign_set(0x1f80)\nimport decimal\n"
        "library.foreign_set(0x9f80)\n"
    )
    code, facts = doctor(capsys, "game.py")
    assert code == 1
    changes = [(c["line"]["line"], c["restored"]) for c in facts["program"]["changes"]]
    assert changes == [(3, True), (7, False)]


def test_a_thread_that_starts_with_a_changed_environment_is_not_blamed(
    folder: Path, built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "game.py").write_text(
        f"import ctypes\nimport threading\nlibrary = ctypes.CDLL({str(built / 'libplain.so')!r})\n"
        "library.foreign_set(0x9f80)\ndef work():\n    import csv\n"
        "thread = threading.Thread(target=work, name='worker')\nthread.start()\nthread.join()\n"
    )
    _, facts = doctor(capsys, "game.py")
    changes = [(c["thread"], c["line"]["line"]) for c in facts["program"]["changes"]]
    assert changes == [("MainThread", 4)]


@pytest.mark.skipif(ptrace.unreadable() is not None, reason="other threads cannot be read here")
def test_a_native_threads_library_is_named(
    folder: Path, built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = built / "libplain.so"
    (folder / "game.py").write_text(
        f"import ctypes\nlibrary = ctypes.CDLL({str(path)!r})\n"
        "library.foreign_pool(2, ctypes.c_uint64(0x9fc0))\n"
    )
    code, facts = doctor(capsys, "game.py")
    threads = facts["program"]["threads"]
    if any(row["reason"] for row in threads):
        pytest.skip(f"this system does not let its threads be read: {threads[0]['reason']}")
    assert code == 1
    assert facts["program"]["changes"] == []
    assert [row["library"] for row in threads if not row["is_python"]] == [str(path)] * 2
    assert [row["library"] for row in threads if row["is_python"]] == [None]
    rows = facts["sections"][-1]["rows"]
    (odd, _) = [row for row in rows if row["verdict"] == "warning"]
    assert odd["name"].endswith(f", not Python's, of {path})")
    assert f"{path.name} sets it on its own threads" in odd["remedy"]


def test_the_remedy_that_the_report_names_makes_the_program_healthy(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "game.py").write_text(
        "import samebits as sb\nwith sb.fpenv.pinned():\n    import engine\nimport csv\n"
    )
    code, facts = doctor(capsys, "game.py")
    (change,) = facts["program"]["changes"]
    assert code == 0
    assert change["restored"]
    assert change["name"] == "engine._fastmath"


def test_a_change_on_another_thread_names_that_thread(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "game.py").write_text(
        "import threading\ndef load():\n    import engine\n"
        "t = threading.Thread(target=load, name='audio')\nt.start()\nt.join()\n"
    )
    code, facts = doctor(capsys, "game.py")
    (change,) = facts["program"]["changes"]
    assert code == 1
    assert change["thread"] == "audio"
    assert change["line"]["line"] == 3


def test_a_module_that_needs_an_earlier_import_is_confirmed_by_bisecting(
    folder: Path, built: Path
) -> None:
    (folder / "switch.py").write_text("on = False\n")
    (folder / "arm.py").write_text("import switch\nswitch.on = True\n")
    (folder / "late.py").write_text(
        "import switch\nif switch.on:\n    import ctypes\n"
        f"    ctypes.CDLL({str(built / 'libplain.so')!r}).foreign_set(0x9fc0)\n"
    )
    (folder / "game.py").write_text("import csv\nimport arm\nimport decimal\nimport late\n")
    program = [str(folder / "game.py")]
    seen = programs.observe(program, 60)
    (change,) = seen.changes
    assert change.kind == "import"
    assert change.name == "late"
    (found,) = culprit.find(seen, program, 60)
    assert found.confirmed.startswith("bisecting")
    assert found.confirmed.endswith("only once arm is imported")


def test_a_healthy_program_is_healthy_and_its_output_is_not_shown(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "game.py").write_text("import numpy\nprint('secret noise')\n")
    assert status(["doctor", "game.py"]) == 0
    found = capsys.readouterr()
    assert "secret noise" not in found.out + found.err
    assert "changed the registers" in found.out
    assert found.out.endswith("healthy\n")


HOSTILE = {
    "hangs": ("import time\nwhile True: time.sleep(9)\n", "was stopped after 0.2 s"),
    "spins": ("while True: pass\n", "was stopped after 0.2 s"),
    "floods": ("import sys\nwhile True: sys.stderr.write('x' * 9999)\n", "was stopped after 0.2 s"),
    "forks": (
        "import os, signal\nif os.fork() == 0: signal.pause()\nsignal.pause()\n",
        "was stopped after 0.2 s",
    ),
    "waits": (
        "import threading\nthreading.Thread(target=threading.Event().wait).start()\n",
        "was stopped after 0.2 s",
    ),
    "dies": ("import os\nos.kill(os.getpid(), 11)\n", "was killed by SIGSEGV"),
    "leaves": ("import os\nos._exit(7)\n", "ended by itself with exit status 7"),
    "raises": ("raise ValueError('bad input')\n", "stopped with ValueError: bad input"),
    "exits": ("import sys\nsys.exit(4)\n", "ended with exit status 4"),
    "closes": ("import os\nos.closerange(3, 100)\n", "ended"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_program_ends_and_its_end_is_reported(folder: Path, name: str) -> None:
    source, outcome = HOSTILE[name]
    (folder / "game.py").write_text(source)
    limit = 0.2 if "stopped after" in outcome else HANG_SECONDS
    found = programs.observe([str(folder / "game.py")], limit)
    assert found.outcome == outcome
    assert found.changes == []


def test_what_a_program_reports_in_the_watchers_name_is_not_believed(folder: Path) -> None:
    (folder / "game.py").write_text(
        "import sys\npath = sys.orig_argv[3]\n"
        'open(path, \'a\').write(\'nonsense\\n[]\\n{"event": 3}\\n{"event": "change"}\\n\')\n'
    )
    found = programs.observe([str(folder / "game.py")], 20)
    assert found.outcome == "ended"
    assert found.changes == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.py"], "nothing.py does not exist"),
        (["."], ". is a folder"),
        (["--peer", "hello"], "no math fingerprint: 'hello'"),
    ],
)
def test_bad_usage_is_status_two_and_says_what_to_write(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status(["doctor", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_foreign_environment_of_this_process_is_a_problem(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = fpenv.read()
    fpenv.write(0x9FC0)
    try:
        code = status(["doctor"])
    finally:
        fpenv.write(before)
    found = capsys.readouterr().out
    assert code == 1
    assert "flushes subnormal results (FTZ), flushes subnormal operands (DAZ)" in found
    assert found.endswith("1 warning\n")


def test_peers_are_told_what_they_have_not_in_common(capsys: pytest.CaptureFixture[str]) -> None:
    own = sb.math_fingerprint()
    assert doctor(capsys, "--peer", str(own))[0] == 0
    assert doctor(capsys, "--peer", str(Fingerprint(own.strict, "0" * 8)))[0] == 0
    code, facts = doctor(capsys, "--peer", str(Fingerprint("0" * 16, own.host)))
    assert code == 1
    (section,) = (s for s in facts["sections"] if s["title"] == "fingerprint")
    assert section["rows"][1]["consequence"].startswith("samebits differs")


def test_a_thread_that_cannot_be_read_is_no_problem_and_says_why() -> None:
    (row,) = host.thread_rows([ThreadState(7, "worker", True, None, "not allowed")])
    assert (row.verdict, row.value) == ("note", "not readable: not allowed")


@pytest.mark.parametrize("first", [1, 2, 7, 100])
def test_bisecting_finds_the_first_of_a_hundred(first: int) -> None:
    asked: list[int] = []

    def holds(count: int) -> bool:
        asked.append(count)
        return count >= first

    assert bisect(holds, 100) == first
    assert len(asked) <= 8
    assert bisect(lambda count: False, 100) is None
