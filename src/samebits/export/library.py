"""The library's two halves: compiled kernels, and the C functions of the header around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from samebits.backend.emit.module import emit_module
from samebits.backend.llvm.compile import compile_emitted
from samebits.backend.objects import TrapSite
from samebits.backend.targets.table import Target
from samebits.backend.text.cold_calls import renamed_rows
from samebits.export.codec import codec_text
from samebits.export.header import c_string, places
from samebits.export.interface import Interface
from samebits.export.templates import render
from samebits.ir.grammar import Module
from samebits.lang.executions import executions
from samebits.passes.pipeline import optimise
from samebits.passes.without_output import without_output
from samebits.sim.program import RUN, Program
from samebits.sim.state.hashing import HASH, word_count, word_type

_ENTRIES = ("init", "step", "run", "hash")
_SYMBOL = re.compile(r'@"(?:[kt]):[^"]*"')


@dataclass(frozen=True, eq=False)
class Kernels:
    """A simulation's entries, ready for any target."""

    program: Program
    module: Module
    entries: tuple[str, ...]

    def object_code(self, target: Target, name: str) -> tuple[bytes, tuple[TrapSite, ...]]:
        """Object code whose only symbols from outside are `NAME_entry_init` and so on, hidden
        from whatever a library of it is linked into, and what its statuses stand for."""
        with executions.pinned():  # constants are folded with this thread's arithmetic
            emitted = emit_module(self.module, self.entries, target)
            own = replace(emitted, text=named(emitted.text, name))
            return compile_emitted(own, target), emitted.traps

    def sites(self, target: Target) -> tuple[TrapSite, ...]:
        """What the statuses stand for, without compiling."""
        return emit_module(self.module, self.entries, target).traps


def kernels_of(program: Program) -> Kernels:
    """The simulation's kernels after the passes, without prints: a C program has no place for
    them."""
    entries = (program.init, program.step, RUN, HASH)
    with executions.pinned():
        module = optimise(without_output(program.module), entries, blocks=False)
    return Kernels(program, module, entries)


def named(text: str, name: str, entries: Sequence[str] | None = None) -> str:
    """Entries by their own names, or by `entries`; all else by numbers, because names may tell of
    folders."""
    numbers: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        return numbers.setdefault(match[0], f"@{name}.{len(numbers)}")

    text = renamed_rows(_SYMBOL.sub(number, text), numbers)
    for symbol, numbered in numbers.items():
        # Cold functions are named in their lists of variants too: see backend/text/cold_calls.py.
        bare = symbol[2:-1]
        text = text.replace(f"_{bare}(", f"_{numbered[1:]}(")
        text = text.replace(f" of {bare}\n", f" of {numbered[1:]}\n")
    own = [f"{name}_entry_{entry}" for entry in _ENTRIES] if entries is None else entries
    for n, what in enumerate(own):
        text = text.replace(f"define i32 @sb_entry_{n}(", f"define hidden i32 @{what}(")
    return text


def level_name(name: str, level: Target) -> str:
    """The prefix of a level's symbols in a library for several."""
    return f"{name}_v{level.level}"


def _entries_text(name: str, levels: Sequence[Target]) -> str:
    """How the functions of the header reach the kernels: those of one level, or of the best."""
    if not levels:
        return render("entries.c", NAME=name)
    short = [(level.level, f"v{level.level}") for level in levels]
    return render(
        "levels.c",
        NAME=name,
        DECLARATIONS="\n".join(f"DECLARE({v}, {what});" for _, v in short for what in _ENTRIES),
        LEVEL_ROWS="\n".join(f"    ROW({number}, {v})," for number, v in short),
    )


def library_text(
    interface: Interface, sites: tuple[TrapSite, ...], levels: Sequence[Target] = ()
) -> str:
    """The C file that is compiled beside the kernels' object, or beside those for `levels`."""
    program = interface.simulation.program
    rows = [
        f"    {{{c_string(t.message)}, {c_string(t.file)}, {c_string(t.function)}, {t.line}}},"
        for t in interface.trap_lines(sites)
    ]
    return render(
        "library.c",
        ENTRIES=_entries_text(interface.name, levels),
        **places(interface),
        PUT_STATE=interface.structs[interface.state],
        PUT_INPUT=interface.structs[interface.input],
        WORD_COUNT=word_count(program.state),
        WORD_SIZE=word_type(program.state).size,
        TRAP_ROWS="\n".join(['    {"", "", "", 0},', *rows]),
        CODEC=codec_text(interface),
    )
