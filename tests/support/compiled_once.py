"""Objects of C files, compiled once for all tests.

An export's and a port's files are the same in dozens of tests, and a C compiler's object follows
from its command, its arguments and the files that it reads. The first test that asks for one has
the compiler make it; others get these bytes, in all workers. Tests of compilers themselves take
`compile_anew`. Knows no test.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from samebits.diagnosis.builds.compilers.found import Compiler
from samebits.export import toolchain

ELSEWHERE = ("-I", "-include", "-isystem", "--sysroot", "@")
"""Arguments by which a compiler reads files that are not looked at here: it is left alone."""


@dataclass
class Objects:
    """The objects that were made, in a folder that all workers share."""

    folder: Path
    enabled: bool = True

    def made(
        self,
        command: Sequence[str],
        folder: Path,
        arguments: Sequence[str],
        make: Callable[[], None],
    ) -> None:
        """Have `make` run the compiler in `folder`; where it is to make an object that is there,
        copy that in its place."""
        key = self.key_of(command, folder, arguments) if self.enabled else None
        if key is None:
            make()
            return
        kept, out = self.folder / key, folder / arguments[arguments.index("-o") + 1]
        if kept.exists():
            out.write_bytes(kept.read_bytes())
            return
        make()
        partial = kept.with_name(f"{key}.{os.getpid()}")
        partial.write_bytes(out.read_bytes())
        partial.replace(kept)

    @staticmethod
    def key_of(command: Sequence[str], folder: Path, arguments: Sequence[str]) -> str | None:
        """A name for the object that these arguments make of one file and the headers beside it;
        None if they make no object, or read more than that."""
        sources = [each for each in arguments if each.endswith(".c")]
        if not {"-c", "-o"} <= {*arguments} or len(sources) != 1:
            return None
        if any(each.startswith(ELSEWHERE) for each in arguments):
            return None
        out = arguments.index("-o") + 1
        told = [*command, "", *arguments[:out], *arguments[out + 1 :]]
        digest = hashlib.sha256("\0".join(told).encode())
        for file in (folder / sources[0], *sorted(folder.glob("*.h"))):
            data = file.read_bytes()
            digest.update(f"\0{file.name}\0{len(data)}\0".encode() + data)
        return digest.hexdigest()


def install(objects: Objects, patch: pytest.MonkeyPatch) -> None:
    """Have exports and the compilers of this machine ask for objects first."""
    zig, run = toolchain.zig, Compiler.run

    def once_zig(folder: Path, arguments: Sequence[str]) -> None:
        objects.made(["zig"], folder, arguments, lambda: zig(folder, arguments))

    def once_run(self: Compiler, folder: Path, arguments: Sequence[str], seconds: float) -> None:
        make = lambda: run(self, folder, arguments, seconds)  # noqa: E731
        objects.made(self.command, folder, arguments, make)

    patch.setattr(toolchain, "zig", once_zig)
    patch.setattr(Compiler, "run", once_run)
