"""The command: what it reads, prints and ends with, for good binaries and hostile ones."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.audited import PLANTS, needs_libraries, needs_zig, zig

from samebits.audit.allow import read_allowed
from samebits.audit.paths import binaries_of
from samebits.audit.process import BinaryReader
from samebits.audit.verdicts import judged
from samebits.audit.worker import audited
from samebits.cli import status

pytestmark = [needs_zig, needs_libraries]


@pytest.fixture(scope="module")
def plants(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("plants")
    options = ["-target", "aarch64-linux-musl", "-O2", "-g", "-ffp-contract=fast", "-fPIC"]
    return zig(folder, PLANTS, "p.so", *options, "-shared", "-nostdlib").read_bytes()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def archive(*members: tuple[bytes, bytes]) -> bytes:
    """An archive of `ar`."""
    whole = b"!<arch>\n"
    for name, body in members:
        whole += b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name, 0, 0, 0, b"100644", len(body))
        whole += body + b"\n" * (len(body) % 2)
    return whole


def zipped(*members: tuple[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, body in members:
            opened.writestr(name, body)
    return whole.getvalue()


def as_json(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    status(["audit", *arguments, "--json"])
    return json.loads(capsys.readouterr().out)


def test_text_has_function_line_reason_and_remedy(
    folder: Path, plants: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "libgame.so").write_bytes(plants)
    assert status(["audit", "libgame.so"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("libgame.so: 3 findings  (ELF aarch64 shared library, 4 functions, ")
    assert "AU101 fused   fused     1  p.so.c:4  fmadd" in out
    assert "AU101 fused: a fused operation rounds a product and a sum once" in out
    assert "  instead: compile with -ffp-contract=off" in out
    assert out.endswith("3 findings in 1 of 1 binary\n")


def test_what_is_allowed_with_a_reason_passes(
    folder: Path, plants: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "libgame.so").write_bytes(plants)
    rows = (
        '[[allow]]\nrule = "fused"\nfunction = "fu*"\nreason = "tested"\n'
        '[[allow]]\nrule = "AU301"\nreason = "linked to ours"\n'
        '[[allow]]\nrule = "AU304"\nbinary = "other.so"\nreason = "menu"\n'
    )
    (folder / "audit.toml").write_text(rows)
    (binary,) = audited("libgame.so")
    (first,) = judged([binary], read_allowed("audit.toml"), strict=False)
    assert (first.failing, first.allowed, first.verdict) == (1, 2, "findings")
    rows = rows.replace('"other.so"', '"*game.so"')
    rows += '[[allow]]\nrule = "AU304"\nbinary = "other.so"\nreason = "menu"\n'
    (folder / "audit.toml").write_text(rows)
    assert status(["audit", "libgame.so", "--allow", "audit.toml"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("libgame.so: clean, 3 allowed")
    assert "[allowed: tested]" in out
    assert "nothing is allowed by rule AU304, function *, binary other.so: take it out" in out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("allow = 3", "must hold tables [[allow]] alone"),
        ("[[allow]]\nrule = 'AU101'", "needs a rule and a reason"),
        ("[[allow]]\nrule = 'AU999'\nreason = 'x'", "there is no rule AU999"),
        ("[[allow]]\nrul = 'AU101'\nreason = 'x'", "did you mean rule?"),
        ("[[allow]]\nrule = 'AU101'\nreason = ''", "reason must be a text"),
        ("[[allow", "is not TOML"),
    ],
)
def test_a_bad_allow_file_is_told_what_is_wrong(
    text: str, said: str, folder: Path, plants: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.so").write_bytes(plants)
    (folder / "audit.toml").write_text(text)
    assert status(["audit", "a.so", "--allow", "audit.toml"]) == 2
    assert said in capsys.readouterr().err


def test_members_of_archives_and_wheels_are_audited(plants: bytes, tmp_path: Path) -> None:
    (tmp_path / "lib.a").write_bytes(
        archive((b"/", b"\0\0\0\0"), (b"//", b"a_name_of_many_bytes.o/\n"), (b"/0", plants),
                (b"#1/8", b"bsd.o\0\0\0" + plants), (b"notes.txt/", b"text"))
    )  # fmt: skip
    (tmp_path / "game.whl").write_bytes(
        zipped(("game/a.so", plants), ("game/lib.a", archive((b"in.o/", plants))), ("x.py", b"1"))
    )
    (tmp_path / "readme.md").write_text("no binary")
    files = binaries_of([str(tmp_path)])
    found = [binary for file in files for binary in audited(file)]
    names = [binary.path.removeprefix(str(tmp_path))[1:] for binary in found]
    assert names == [
        "game.whl : game/a.so", "game.whl : game/lib.a : in.o",
        "lib.a : a_name_of_many_bytes.o", "lib.a : bsd.o",
    ]  # fmt: skip
    assert {len(binary.findings) for binary in found} == {3}


def _elf_with_overlap(plants: bytes) -> bytes:
    """The second executable section, if any, and else a copy, at the address of the first."""
    data = bytearray(plants)
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    executable = [
        at
        for at in range(table, table + size * count, size)
        if struct.unpack_from("<Q", data, at + 8)[0] & 4
    ]
    others = [at for at in range(table + size, table + size * count, size) if at not in executable]
    data[others[-1] + 4 : others[-1] + size] = data[executable[0] + 4 : executable[0] + size]
    return bytes(data)


HOSTILE: dict[str, Callable[[bytes], bytes]] = {
    "cut off": lambda plants: plants[: len(plants) // 2],
    "cut off within its header": lambda plants: plants[:60],
    "overlaps another": _elf_with_overlap,
    "damaged archive": lambda plants: b"!<arch>\n" + b"x" * 200,
    "archive that is cut off": lambda plants: archive((b"a.o/", plants))[:-100],
    "thin archive": lambda plants: b"!<thin>\n" + b"a.o/",
    "LLVM bitcode": lambda plants: b"BC\xc0\xde" + bytes(100),
    "WebAssembly is cut off": lambda plants: b"\0asm\1\0\0\0\x0a\xff\xff\x03\x01",
    "WebAssembly component": lambda plants: b"\0asm\x0d\0\1\0" + bytes(20),
    "can't be audited": lambda plants: plants[:18] + b"\4\0" + plants[20:],
    "damaged Mach-O": lambda plants: b"\xcf\xfa\xed\xfe" + b"\xff" * 200,
    "damaged PE": lambda plants: b"MZ" + bytes(58) + b"\x40\0\0\0" + b"PE\0\0" + b"\xff" * 300,
}


@pytest.mark.filterwarnings("ignore:.* is not a valid:RuntimeWarning")  # lief's, of numbers
@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_file_gets_a_clear_error(what: str, plants: bytes, tmp_path: Path) -> None:
    (tmp_path / "hostile.o").write_bytes(HOSTILE[what](plants))
    (binary,) = audited(str(tmp_path / "hostile.o"))
    assert what in str(binary.error)


def test_a_hostile_file_costs_no_other_its_audit(
    folder: Path, plants: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, make in enumerate(HOSTILE.values()):
        (folder / f"{number:02}.o").write_bytes(make(plants))
    (folder / "whole.so").write_bytes(plants)
    found = as_json(["."], capsys)
    assert [b["verdict"] for b in found["binaries"]] == ["not read"] * len(HOSTILE) + ["findings"]
    assert found["result"] == "not read"


def nested(depth: int) -> bytes:
    """Wheels in wheels."""
    inner = b"PK\x03\x04"
    for _ in range(depth):
        inner = zipped(("inner.whl", inner))
    return inner


BOMBS: dict[str, Callable[[], bytes]] = {
    "grows from": lambda: zipped(("a.so", b"\x7fELF" + bytes(4 << 20))),
    "deeper than is opened": lambda: nested(5),
    "damaged ZIP": lambda: zipped(("a.so", b"\x7fELF"))[:-30],
}


@pytest.mark.parametrize("said", BOMBS)
def test_a_bomb_is_refused(said: str, tmp_path: Path) -> None:
    (tmp_path / "bomb.whl").write_bytes(BOMBS[said]())
    (binary,) = audited(str(tmp_path / "bomb.whl"))
    assert said in str(binary.error)


def test_a_reader_that_dies_or_hangs_costs_one_file(folder: Path, plants: bytes) -> None:
    (folder / "a.so").write_bytes(plants)
    with BinaryReader() as reader:
        assert reader.audited("a.so")[0].error is None
        process = reader.started()
        process.kill()
        process.wait()
        assert "crashes the reader of binaries" in str(reader.audited("a.so")[0].error)
        assert reader.audited("a.so")[0].error is None
    with BinaryReader(seconds=0.0) as reader:
        assert "takes more than 0 s" in str(reader.audited("a.so")[0].error)


def test_sarif_has_places_functions_and_what_is_suppressed(
    folder: Path, plants: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a b.so").write_bytes(plants)
    (folder / "audit.toml").write_text("[[allow]]\nrule = 'AU304'\nreason = 'menu'\n")
    assert status(["audit", "a b.so", "--allow", "audit.toml", "--format", "sarif"]) == 1
    log = json.loads(capsys.readouterr().out)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    results = run["results"]
    assert [rules[each["ruleIndex"]] for each in results] == [each["ruleId"] for each in results]
    assert results[0]["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "p.so.c"}, "region": {"startLine": 4},
    }  # fmt: skip
    logical = results[0]["locations"][0]["logicalLocations"]
    assert logical == [{"fullyQualifiedName": "fused", "kind": "function"}]
    where = results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert where == "a%20b.so"
    assert results[2]["suppressions"] == [{"kind": "external", "justification": "menu"}]
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no file or folder is given"),
        (["missing"], "there is no file missing"),
        (["text.txt"], "text.txt is no binary that is known here"),
        (["empty"], "there is no binary in empty"),
    ],
)
def test_bad_usage_is_told(
    arguments: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "text.txt").write_text("text")
    (folder / "empty").mkdir()
    assert status(["audit", *arguments]) == 2
    assert said in capsys.readouterr().err
