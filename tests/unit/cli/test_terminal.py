"""Nothing in a file's name, a source, a replay or an argument is a command to the terminal."""

from __future__ import annotations

import ast
import importlib.util
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.folders import SIMULATIONS

import samebits as sb
from samebits.cli import status
from samebits.cli.consoles import TextConsole
from samebits.cli.terminal import EscapedStream, colours, escaping, underlying, write_coloured
from samebits.diagnosis.report.findings import Diagnosis
from samebits.diagnosis.report.html import page as diagnosis_page
from samebits.errors import SimulationError
from samebits.replay import ReplayHeader, ReplayWriter
from samebits.visible import visible

CLI = Path(__file__).parents[3] / "src" / "samebits" / "cli"
EVIL = "\x1b]0;title\x07\x1b[2J\x1b[31m\r\x08\x9b\x7f\u202e\u2066[bold]red"
ESCAPED = r"\u001b]0;title\u0007\u001b[2J\u001b[31m\u000d\u0008\u009b\u007f\u202e\u2066[bold]red"

Run = Callable[..., tuple[int, str, str]]


def clean(text: str) -> bool:
    return all(c.isprintable() or c in "\n\t" for c in text)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line in a folder of its own; what it prints has no control characters."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        code = status([str(a) for a in arguments])
        out, err = capsys.readouterr()
        assert clean(out), ascii(out)
        assert clean(err), ascii(err)
        return code, out, err

    return run


def test_text_stays_and_what_is_none_is_an_escape() -> None:
    assert visible("plain\ttext, é 日本 😀\n") == "plain\ttext, é 日本 😀\n"
    assert visible(EVIL) == ESCAPED
    for code in [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0xD800, 0xE0041, *range(0x202A, 0x202F)]:
        if chr(code) not in "\t\n":
            assert visible(chr(code)) == (f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}")
    assert visible(visible(EVIL)) == visible(EVIL)


def test_json_stays_json() -> None:
    text = json.dumps({"name": "".join(map(chr, range(0x250))) + EVIL})
    assert json.loads(visible(text)) == json.loads(text)


def test_pages_hold_nothing_else_either(tmp_path: Path) -> None:
    path = tmp_path / "odd.py"
    path.write_text(
        "import samebits as sb\n@sb.kernel\ndef k(x: sb.float64) -> sb.float64:\n"
        "    return x + 1.0  # \u202e <b>\x1b[31m\x07\n"
    )
    spec = importlib.util.spec_from_file_location("odd", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = sb.inspect(module.k).html()
    assert clean(page)
    assert r"\u202e &lt;b&gt;\u001b[31m\u0007" in page
    found = Diagnosis(simulation="\u202eodd", version="1", seed=1, a="a\x1b", b="b\x9b", frames=0)
    assert clean(diagnosis_page(found))


def test_streams_show_while_the_block_runs(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout, sys.stderr
    with escaping():
        print(EVIL)
        print(EVIL, file=sys.stderr)
        sys.stderr.writelines([EVIL])
        with escaping():
            print(EVIL)
    assert (sys.stdout, sys.stderr) == before
    out, err = capsys.readouterr()
    assert out == f"{ESCAPED}\n{ESCAPED}\n"
    assert err == f"{ESCAPED}\n{ESCAPED}"


def test_plain_colours_alone_go_through_where_they_are_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with escaping(), colours():
        print("\x1b[1;36mCyan\x1b[0m\x1b[8mhidden\x1b[m" + EVIL)
        with colours(False):
            print("\x1b[1mBold")
    assert capsys.readouterr().out == (
        "\x1b[1;36mCyan\x1b[0m" + r"\u001b[8mhidden" + "\x1b[m"
        + ESCAPED.replace(r"\u001b[31m", "\x1b[31m") + "\n" + r"\u001b[1mBold" + "\n"
    )  # fmt: skip


def test_own_colours_reach_the_terminal_and_others_do_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with escaping():
        write_coloured(lambda begin: f"{begin('31')}{EVIL}{begin('0')}")
    assert capsys.readouterr().out == f"\x1b[31m{ESCAPED}\x1b[0m\n"


def test_consoles_show_text_without_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.table import Table
    from rich.text import Text

    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with escaping():
        out = TextConsole(width=200)
        out.print(EVIL, soft_wrap=True)
        out.print(Text(EVIL, "bold red"), soft_wrap=True)
        table = Table(EVIL, box=None)
        table.add_row("pip install 'samebits[targets]' :smile:" + EVIL)
        out.print(table)
    text = stream.getvalue()
    assert text.count("[bold]red") >= 2
    assert "pip install 'samebits[targets]' :smile:" in text
    assert "\x1b[1;31m" in text
    own = text.replace("\x1b[1;31m", "").replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert clean(own), ascii(own)


def test_a_missing_package_is_named_with_its_extra(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec

    def without(name: str, package: str | None = None) -> Any:
        return None if name == "wasmtime" else find(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    small = SIMULATIONS / "small_simulation.py"
    for arguments in (("targets",), ("verify", small, "--players", "push", "--frames", 2)):
        out = run(*arguments)[1]
        assert "[targets]" in out


def test_errors_with_hostile_names_and_texts_are_shown(run: Run, tmp_path: Path) -> None:
    for arguments in (
        ("verify", EVIL), ("inspect", f"{EVIL}.py:k"), ("lint", f"{EVIL}.py"), (EVIL,),
        ("record", EVIL, "--out", EVIL), ("report", "--show", EVIL), ("verify", "x", f"--{EVIL}"),
        ("diagnose", EVIL, EVIL), ("replay", "export", EVIL, "--out", EVIL),
        ("doctor", f"{EVIL}.py"), ("explain", EVIL, "--got", EVIL), ("build", EVIL, "--out", EVIL),
    ):  # fmt: skip
        code, out, err = run(*arguments)
        assert code == 2, (arguments, out, err)
        assert "title" in out + err, (arguments, out, err)


@pytest.mark.skipif(os.name != "posix", reason="names of POSIX")
def test_hostile_sources_are_shown(run: Run, tmp_path: Path) -> None:
    evil = EVIL.replace("\r", "")
    path = tmp_path / f"{evil.replace('/', '')}.py"
    path.write_text(f"import random\nx = random.random()  # {evil}\nfor a in {{1, 2}}: print(a)\n")
    code, out, _ = run("lint", path)
    assert code == 1
    assert "\\u001b" in out
    path.write_text(f"raise ValueError({evil!r})  # {evil}\n")
    code, _, err = run("verify", path)
    assert code == 2
    assert "title" in err


def test_hostile_metadata_of_a_replay_is_shown(run: Run, tmp_path: Path) -> None:
    small = SIMULATIONS / "small_simulation.py"
    header: dict[str, Any] = {
        "simulation": "small", "digest": "00" * 16, "version": "1", "seed": 1, "players": 2,
        "input_size": 8, "state_size": 8, "tick_rate": 60,
        "schema": {EVIL: EVIL},
    }  # fmt: skip
    with ReplayWriter(tmp_path / "a.mcap", ReplayHeader(**header)) as writer:
        writer.add(bytes(16), 1)
    assert run("verify", small, "a.mcap")[0] == 2


def test_an_error_from_below_is_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise SimulationError(EVIL, note=EVIL, fix=EVIL)

    monkeypatch.setattr("samebits.cli.commands.app", fail)
    assert run("targets") == (2, "", f"{ESCAPED}\n  note: {ESCAPED}\n  fix: {ESCAPED}\n")


def test_a_stream_behind_is_found_once() -> None:
    stream = io.StringIO()
    assert underlying(EscapedStream(stream)) is stream  # type: ignore[arg-type]
    assert underlying(stream) is stream


def test_rich_is_used_at_one_place() -> None:
    for path in CLI.rglob("*.py"):
        tree = ast.parse(path.read_text())
        calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
        names = [ast.unparse(call.func) for call in calls]
        if path.name != "consoles.py":
            assert "Console" not in names, path
        for call, name in zip(calls, names, strict=True):
            if name == "TextColumn" and not ast.unparse(call.args[0]).isalpha():
                text = ast.unparse(call)
                assert "markup=False" in text or "{" not in text, path
            assert not name.endswith("from_markup"), path
