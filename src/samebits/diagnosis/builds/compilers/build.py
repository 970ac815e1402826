"""Plain C of a program, compiled and linked: which functions are built by which flags.

Owns the files of one search and the programs that are made of them. Knows nothing of hypotheses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from samebits.diagnosis.builds.compilers.found import Compiler
from samebits.export.plain_c.program import SUPPORT, PlainC, support
from samebits.export.plain_c.widths import Widths
from samebits.output import write_file

FORMS = ("strict", "foreign")
"""The forms of a function, of which the first acts unless another is chosen."""
STRICT = ("-O2", "-ffp-contract=off")
STRICT_32 = (*STRICT, "-msse2", "-mfpmath=sse")
FORCES = "-DFORCES"
"""So that steps that are logged can be given other values."""
ALIKE_32 = ("-m32", "-malign-double")
"""32 bits, with the structs that other targets have."""
_ALWAYS = ("-std=gnu11", "-w", "-g0")
_LINKED = frozenset({"-m32", "-Ofast", "-ffast-math", "-funsafe-math-optimizations"})
"""Flags that say which libraries and start code a program has: all that linking makes of them."""
_ONE_FORM = "unsigned char forms[1];\nvoid choose(void) {}\n"
_INCLUDE = '#include "program.h"\n'


@dataclass
class Workshop:
    """A folder in which one program is built in many ways."""

    folder: Path
    plain: PlainC
    compiler: Compiler
    seconds: float = 60.0
    """That one run of the compiler may take."""
    _files: set[str] = field(default_factory=set[str])
    _made: dict[tuple[str, ...], str] = field(default_factory=dict[tuple[str, ...], str])
    _contents: dict[bytes, str] = field(default_factory=dict[bytes, str])
    """The objects by what is in them."""

    def __post_init__(self) -> None:
        self._write(SUPPORT, support())
        self._write("program.h", self.plain.header())

    def file_of(
        self,
        name: str,
        functions: Sequence[str],
        static: bool = False,
        widths: Widths | None = None,
    ) -> str:
        """A file with the definitions of some functions, written once under this name; with
        `static` those of the simulation, all of which are in it, are seen in it alone. They have
        the program's `widths`, or others that keep signatures. Raises UnwritableError."""
        file = f"{name}.c" if widths is None else f"{name}_{widths.name}.c"
        if file not in self._files:
            self._files.add(file)
            own = "#define OWN static\n" if static else ""
            text = self.plain.definitions(functions, widths=widths)
            self._write(file, own + _INCLUDE + text)
        return file

    def driver(self) -> str:
        """The file with the hash and the program's `main`."""
        if "driver.c" not in self._files:
            self._files.add("driver.c")
            text = self.plain.definitions(self.plain.hashing) + self.plain.driver()
            self._write("driver.c", f"{_INCLUDE}{_ONE_FORM}{text}")
        return "driver.c"

    def forms_file(self, form: str, widths: Widths = Widths.SAME) -> str:
        """A file with one form of each of the simulation's functions, in `widths` that keep their
        signatures, which call one another by pointers, so that none becomes a part of another."""
        plain = self.plain
        if plain.steps is not None:
            plain.steps.clear()  # those of both forms have the same numbers
        pointers = "".join(f"extern {plain.pointer(name)};\n" for name in plain.kernels)
        text = plain.definitions(
            plain.kernels, "", lambda n: f"{n}_{form}", plain.by_pointer, widths
        )
        return self._write(f"{form}_{widths.name}.c", f"{_INCLUDE}{pointers}{text}")

    def table_file(self) -> str:
        """The file with the pointers, the choice of forms, and the program's `main`."""
        plain, lines = self.plain, [_INCLUDE]
        for name in plain.kernels:
            own = plain.names[name]
            lines += [f"{plain.prototype(name, f'{own}_{form}')};" for form in FORMS]
            lines.append(f"{plain.pointer(name)} = {own}_{FORMS[0]};")
        lines += [f"unsigned char forms[{len(plain.kernels)}];", "void choose(void)", "{"]
        for number, name in enumerate(plain.kernels):
            own = plain.names[name]
            a, b = (f"{own}_{form}" for form in FORMS)
            lines.append(f"    {own}_at = forms[{number}] ? {b} : {a};")
        lines += ["}", plain.definitions(plain.hashing), plain.driver(len(plain.kernels))]
        return self._write("table.c", "\n".join(lines))

    def object(self, file: str, flags: Sequence[str]) -> str:
        """The path of a file's object by some flags, made once; that of another one which is the
        same byte for byte. Raises RunnerError."""
        key = (file, *flags)
        found = self._made.get(key)
        if found is None:
            found = f"{len(self._made)}.o"
            self._run(["-c", file, "-o", found, *_ALWAYS, *flags])
            content = sha256((self.folder / found).read_bytes()).digest()
            self._made[key] = found = self._contents.setdefault(content, found)
        return str(self.folder / found)

    def program(self, objects: Sequence[str], flags: Sequence[str]) -> Path:
        """A program of some objects, linked with some flags, made once. Raises RunnerError."""
        linked = [flag for flag in flags if flag in _LINKED]
        key = (*objects, *linked)
        found = self._made.get(key)
        if found is None:
            found = f"run{len(self._made)}"
            self._run([*objects, "-o", found, *linked, "-lm"])
            self._made[key] = found
        return self.folder / found

    def _run(self, arguments: Sequence[str]) -> None:
        self.compiler.run(self.folder, arguments, self.seconds)

    def _write(self, name: str, text: str) -> str:
        write_file(self.folder / name, text.encode())
        return name
