"""Binaries that are audited: findings, or an error in a clause, whatever the bytes are.

Of what the libraries raise that parse ELF, PE, COFF, Mach-O and DWARF the audit makes an error,
and a crash of theirs ends a process of its own. What is raised in samebits' own lines is a finding
here.
"""

from __future__ import annotations

import io
import json
import traceback
import warnings
import zipfile
from pathlib import Path
from random import Random
from typing import ClassVar

from samebits.audit.allow import Allowed
from samebits.audit.errors import UnreadableBinary
from samebits.audit.model import AuditedBinary, from_json, to_json
from samebits.audit.report.data import as_json, as_sarif
from samebits.audit.report.page import page
from samebits.audit.rules.rule import RULES
from samebits.audit.scan import scan
from samebits.audit.verdicts import judged
from tests.fuzz.files import binary_forms as forms
from tests.fuzz.files.engine import Read, Target
from tests.fuzz.files.json_form import change, text_of
from tests.fuzz.files.mutate import mutated
from tests.fuzz.files.tracing import PACKAGE


class Binaries(Target):
    """One format of binaries, whose files have a name's ending."""

    errors = ()
    file: ClassVar[str] = "a"
    steps = 60_000, 400
    memory = 48 << 20, 4_000
    needs = ("lief", "capstone", "iced_x86", "elftools")

    def __init__(self, folder: Path) -> None:
        self._found: list[AuditedBinary] = []

    def read(self, data: bytes) -> Read:
        try:
            with warnings.catch_warnings(action="ignore"):  # of numbers that lief has no name for
                self._found = list(scan(self.file, data))
        except Exception as error:
            if traceback.extract_tb(error.__traceback__)[-1].filename.startswith(PACKAGE):
                raise
            self._found = []
        for binary in self._found:
            assert binary.error is None or binary.error.strip(), "an error that says nothing"
            assert all(finding.count > 0 for finding in binary.findings)
            places = [place for finding in binary.findings for place in finding.places]
            assert all(place.address >= 0 for place in places)
        return Read(None, True)

    def check(self, data: bytes, read: Read) -> None:
        told = [from_json(json.loads(json.dumps(to_json(each)))) for each in self._found]
        assert told == self._found, "a worker's answer is another than what it found"
        every = list(judged(iter(told), Allowed(), strict=True))
        json.dumps([as_json(every, RULES), as_sarif(every, RULES)])
        page(every).encode("utf-8")

    def forged(self, data: bytes, others: list[bytes], chance: Random) -> bytes:
        """Mostly within the first bytes, where a format's tables are."""
        if chance.random() < 0.5:
            head = data[: chance.choice((32, 64, 128, 512))]
            return mutated(head, others, self.words, chance) + data[len(head) :]
        return super().forged(data, others, chance)


class Elf(Binaries):
    name = "elf"
    file = "a.so"
    words = (
        b"\x7fELF\2\1\1", b"\x7fELF\1\2\1", b".debug_info", b".debug_line", b".plt",
        b"$d\0$a\0$x.1",
        b".GCC.command.line", b"\xff\xff", b"\0\0\0\x10", b"_ZN1aC1Ev", forms.FUSED,
    )  # fmt: skip

    def seeds(self) -> list[bytes]:
        arm = bytes.fromhex("0008421fc0035fd6")
        return [forms.elf(), forms.elf(shared=False), forms.elf(183, arm)]


class Pe(Binaries):
    name = "pe"
    file = "a.dll"
    words = (b"PE\0\0", b".pdata\0\0", b".debug_i", b"/4\0\0", b"\x0b\2", b"\x0b\1", forms.FUSED)

    def seeds(self) -> list[bytes]:
        return [forms.pe()]


class Coff(Binaries):
    name = "coff"
    file = "a.obj"
    words = (b".debug_i", b"/4\0\0", b"\x64\x86", b"\0\0\xff\xff\2\0", b"\x64\xaa", forms.FUSED)

    def seeds(self) -> list[bytes]:
        return [forms.coff(), forms.coff(bytes.fromhex("0008421fc0035fd6"), 0xAA64)]


class MachO(Binaries):
    name = "mach-o"
    file = "a.dylib"
    words = (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"__debug_line", b"__DWARF", b"\x26\0\0\0",
             b"\x29\0\0\0", forms.FUSED)  # fmt: skip

    def seeds(self) -> list[bytes]:
        arm = forms.macho(bytes.fromhex("0008421fc0035fd6"), 0x0100000C)
        return [forms.macho(), forms.universal((0x01000007, forms.macho()), (0x0100000C, arm))]


class Wasm(Binaries):
    name = "wasm"
    file = "a.wasm"
    words = (b"\0asm\1\0\0\0", b"\xfd\x85\x02", b"\x80\x80\x80\x80\x08", b"name", b"linking",
             b"producers", b".debug_info", b"\x0b", b"\xfc\x0a", b"\x0e\x7f")  # fmt: skip

    def seeds(self) -> list[bytes]:
        return [forms.wasm()]


class Archives(Binaries):
    name = "archives"
    file = "a.whl"
    words = (b"!<arch>\n", b"!<thin>\n", b"`\n", b"#1/20", b"/SYM64/", b"//", b"PK\1\2", b"PK\5\6",
             b"a.o/", forms.wasm())  # fmt: skip

    def seeds(self) -> list[bytes]:
        inner = forms.archive([(b"a.o", forms.wasm())])
        members = [(b"a.o", forms.wasm()), (b"a-long-name-of-an-object.o", forms.elf()),
                   (b"inner.a", inner)]  # fmt: skip
        zipped = io.BytesIO()
        with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as opened:
            for name, body in members:
                opened.writestr(zipfile.ZipInfo(name.decode()), body)
        return [forms.archive(members), forms.archive(members, bsd=True), zipped.getvalue()]


_COMMAND = (
    '"', "'", "\\", ' "', "' ", "@a.rsp ", " -ffast-math ", " -target ", " -Xclang ", " -O", "\0",
    " C:\\cl.exe /fp:fast ", "ccache A=b ", " -march=native ", "\n",
)  # fmt: skip
"""What compile commands are made of."""


class Builds(Binaries):
    """Files of builds: the first line says which it is, and is taken away."""

    name = "builds"
    needs = ()
    words = (
        b'[{"directory": "/b", "file": "a.c", "command": "', b'"arguments": [', b"-ffast-math ",
        b"@a.rsp ", b"$in $out", b"${in}", b"$\n  ", b"rule cc\n  command = ", b"build a: cc b\n",
        b"subninja build.ninja\n", b"include build.ninja\n", b" && ", b"cl.exe /fp:fast ", b'\\"',
        b"# CMAKE generated file\n", b"v = $v$v$v$v$v$v$v$v\n", b"\xff", b"C:\\cl.exe ",
    )  # fmt: skip

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._folder = folder

    def seeds(self) -> list[bytes]:
        listed = [
            {"directory": "/b", "file": "/b/a.c", "command": "gcc -O2 -ffast-math -c a.c"},
            {"directory": "b", "file": "a.c", "arguments": ["clang", "-Ofast", "-c", "a.c"]},
        ]
        ninja = (
            b"flags = -O2 $\n  -ffast-math\nrule cc\n  command = cd x && g++ $flags -c $in "
            b"-o ${out} @$out.rsp\n  rspfile = $out.rsp\n  rspfile_content = -mfma\n"
            b"build a.o | b: cc a$ b.cpp | h || o\n  flags = -Os $flags\nbuild all: phony a.o\n"
        )
        return [b"compile_commands.json\n" + json.dumps(listed).encode(), b"build.ninja\n" + ninja,
                b"Makefile\n# CMAKE generated file: DO NOT EDIT!\n\tgcc -c a.c\n"]  # fmt: skip

    def read(self, data: bytes) -> Read:
        name, _, text = data.partition(b"\n")
        file = name.decode("latin-1")
        if file not in ("compile_commands.json", "build.ninja", "Makefile"):
            return Read(None, True)
        path = self._folder / file
        path.write_bytes(text)
        try:
            self._found = list(scan(str(path), text))
        except UnreadableBinary as error:
            raise AssertionError(f"an error that is not told: {error}") from None
        return Read(None, True)

    def forged(self, data: bytes, others: list[bytes], chance: Random) -> bytes:
        """Of JSON a value changed, or what a command says."""
        name, _, text = data.partition(b"\n")
        try:
            rows = json.loads(text)
            if chance.random() < 0.5:
                row = chance.choice(rows)
                command = str(row["command"])
                for _ in range(chance.choice((1, 1, 2, 5))):
                    at = chance.randrange(len(command) + 1)
                    command = command[:at] + chance.choice(_COMMAND) + command[at:]
                row["command"] = command
            else:
                rows = change(rows, chance)
            return name + b"\n" + text_of(rows).encode("utf-8", "surrogatepass")
        except (ValueError, TypeError, KeyError, IndexError, RecursionError):
            return super().forged(data, others, chance)
