"""A simulation's kernels, its hash, and a program around them, as files of plain C.

Owns which text there is, and how functions are called. Knows nothing of compilers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from samebits.export.plain_c.c_types import CTypes, Names, scalar_name
from samebits.export.plain_c.expressions import UnwritableError, literal
from samebits.export.plain_c.functions import prototype, written
from samebits.export.plain_c.uses import writers
from samebits.export.plain_c.waiting import Step, Unit
from samebits.export.plain_c.widths import Part, Widths
from samebits.fpmodel.libm import LIBRARY_FUNCTIONS
from samebits.ir.grammar import Function, HostFunction, Module, Op, walk
from samebits.ir.own_code import is_own_code
from samebits.sim.program import Program
from samebits.sim.state.hashing import HASH, word_count, word_type
from samebits.types import ArrayType, FixedArrayType, RefType, ScalarType, VectorType

SUPPORT = "support.h"
_AT = "_at"
_MATH = "samebits.mathlib.float"
Called = Callable[[str], str]
"""How a function's name in C is written in calls, from that name."""


@dataclass(frozen=True, eq=False)
class PlainC:
    """The texts of one program for `players`."""

    program: Program
    players: int
    widths: Widths = Widths.SAME
    """What of the floats in the simulation's own functions has the other width."""
    c_math: bool = False
    """Whether they call the functions of C's library that have the names of samebits'."""
    steps: list[Step] | None = None
    """Where its own functions log what they give to slots and memory: these steps."""
    flat: bool = False
    """Whether vectors in arrays are written as floats of one flat array."""
    cleared: bool = False
    """Whether a function's own arrays and structs are cleared where they are declared, too."""
    within_loops: bool = True
    """Whether they log within loops too, which may keep a compiler from making vectors of them."""
    returns: bool = False
    """Whether they log what they return, too."""

    @cached_property
    def _module(self) -> Module:
        return self.program.module

    @cached_property
    def kernels(self) -> tuple[str, ...]:
        """The simulation's own functions, by their names in IR, callees first."""
        return tuple(name for name in self.program.kernels.functions if not is_own_code(name))

    @cached_property
    def library(self) -> tuple[str, ...]:
        """The functions of samebits' library that they call."""
        return tuple(name for name in self.program.kernels.functions if is_own_code(name))

    @cached_property
    def hashing(self) -> tuple[str, ...]:
        """What computes the state's hash."""
        module = self._module
        found = [HASH]
        for name in found:
            body = module.functions[name].body
            calls = [str(s.attr) for s in walk(body) if isinstance(s, Op) and s.opcode == "call"]
            found += [each for each in calls if each not in found]
        return tuple(reversed(found))

    @cached_property
    def _functions(self) -> dict[str, Function]:
        names = (*self.program.kernels.functions, *self.hashing)
        return {name: self._module.functions[name] for name in names}

    @cached_property
    def _types(self) -> CTypes:
        types = CTypes(Names())
        for function in self._functions.values():
            if isinstance(function, HostFunction):
                raise UnwritableError(f"{function.name} is a function of this machine")
            values = [t for _, t in function.params]
            values += [*function.slots.values(), *function.locals.values()]
            for statement in walk(function.body):
                if isinstance(statement, Op):
                    values += [value.type for value in statement.results]
            for t in values:
                types.declared(t, "it")
                while isinstance(t, RefType | FixedArrayType):
                    t = t.target if isinstance(t, RefType) else t.element
                types.declared(t, "it")
            types.results(function.results)
            types.results(function.results, self.widths)
        return types

    @cached_property
    def floats(self) -> frozenset[ScalarType]:
        """The types of floats that the simulation's kernels compute."""
        return frozenset(
            value.type
            for name in self.kernels
            for op in walk(self._functions[name].body)
            if isinstance(op, Op)
            for value in op.results
            if isinstance(value.type, ScalarType) and value.type.is_float
        )

    @cached_property
    def has_vectors(self) -> bool:
        """Whether the simulation's kernels reach vectors in arrays."""
        return any(
            isinstance(op.result.type, RefType) and isinstance(op.result.type.target, VectorType)
            for name in self.kernels
            for op in walk(self._functions[name].body)
            if isinstance(op, Op) and op.opcode == "element"
        )

    @cached_property
    def has_locals(self) -> bool:
        """Whether the simulation's kernels have arrays or structs of their own."""
        return any(self._functions[name].locals for name in self.kernels)

    @cached_property
    def has_remainders(self) -> bool:
        """Whether the simulation's kernels divide signed integers, rounding down."""
        return any(
            isinstance(op.result.type, ScalarType) and op.result.type.is_signed
            for name in self.kernels
            for op in walk(self._functions[name].body)
            if isinstance(op, Op) and op.opcode in ("mod", "floordiv")
        )

    @cached_property
    def names(self) -> dict[str, str]:
        """The name in C of each function, by its name in IR."""
        own = self._types.names
        return {name: own.fresh("_".join(name.split(".")[-2:])) for name in self._functions}

    @cached_property
    def _tables(self) -> dict[str, str]:
        own, _ = self._types.names, self.names
        return {name: own.fresh(f"table_{name}") for name in self._module.tables}

    def _of_c(self, widths: Widths) -> dict[str, str]:
        """How C's own functions are called, by the names of those in whose place they are."""
        found: dict[str, str] = {}
        for name in self.library:
            function, last = self._functions[name], name.rpartition(".")[2]
            types = {t for _, t in function.params}
            t = types.pop() if len(types) == 1 else None
            if not name.startswith(_MATH) or not isinstance(t, ScalarType) or not t.is_float:
                continue
            end = "f" if widths.type_of(t, Part.FUNCTIONS).bits == 32 else ""
            if last in LIBRARY_FUNCTIONS and function.results == (t,):
                found[name] = f"{last}{end}({{0}})"
            elif last == "sincos" and function.results == (t, t):
                made = self._types.results(function.results)
                found[name] = f"({made}){{{{sin{end}({{0}}), cos{end}({{0}})}}}}"
        return found

    def header(self, prefix: str = "") -> str:
        """Helpers, types, constant tables, and each function's declaration. The simulation's own,
        but for `init` and `step`, are what `OWN` says, such as static."""
        unit = self._unit(lambda name: name)
        lines = [
            "#pragma once",
            f'#include "{SUPPORT}"',
            "#ifndef OWN",
            "#define OWN",
            "#endif",
            "",
        ]
        own = {*self.kernels} - {self.program.init, self.program.step}
        lines += self._types.declarations()
        for name, data in self._module.tables.items():
            values = [literal(data.element, value).text for value in data.values]
            declared = self._types.declared(data.type, self._tables[name])
            lines.append(f"static const {declared} = {_nested(values, data.type.shape)};")
        lines.append("")
        for name, function in self._functions.items():
            how = "OWN " if name in own else ""
            lines.append(f"{prefix}{how}{prototype(unit, function, self.names[name])};")
        return "\n".join([*lines, ""])

    def definitions(
        self,
        functions: Iterable[str],
        prefix: str = "",
        named: Called = lambda name: name,
        called: Called = lambda name: name,
        widths: Widths | None = None,
    ) -> str:
        """The definitions of some functions, each line of a prototype begun by `prefix`, under
        names that `named` makes of their own; in other `widths` than the program's, which keep
        signatures, if they are given. Raises UnwritableError."""
        plain = self._unit(called, widths=widths)
        logging = self._unit(called, self.steps, widths)
        lines: list[str] = []
        for name in functions:
            unit = plain if is_own_code(name) else logging
            head, *rest = written(unit, self._functions[name], named(self.names[name]))
            lines += [f"{prefix}{head}", *rest]
        return "\n".join([*lines, ""])

    def prototype(self, function: str, name: str) -> str:
        """The declaration of a function under another name."""
        return prototype(self._unit(str), self._functions[function], name)

    def pointer(self, function: str) -> str:
        """The declaration of the pointer by which a function that has several forms is called."""
        return self.prototype(function, f"(*{self.names[function]}{_AT})")

    def by_pointer(self, name: str) -> str:
        """How a function is called, by its name in C, where those of the simulation have several
        forms."""
        own = {self.names[each] for each in self.kernels}
        return f"(*{name}{_AT})" if name in own else name

    def driver(self, forms: int = 0) -> str:
        """The program that runs init, step and hash as it is told; with `forms`, by pointers."""
        called = self.by_pointer if forms else str
        program, types = self.program, self._types
        state = program.memory
        _, inputs = self._functions[program.step].params[1]
        words = ArrayType(word_type(program.state), 1)
        defined = {
            "STATE": types.name(state),
            "INPUT": types.name(program.input),
            "INPUTS": types.name(inputs),
            "WORD": scalar_name(words.element),  # pyright: ignore[reportArgumentType]
            "WORDS": types.name(words),
            "WORD_COUNT": word_count(program.state),
            "PLAYERS": self.players,
            "INIT": called(self.names[program.init]),
            "STEP": called(self.names[program.step]),
            "HASH": self.names[HASH],
            "FORMS": forms,
        }
        lines = [f"#define {name} {value}" for name, value in defined.items()]
        lines.append("extern unsigned char forms[];\nvoid choose(void);")
        return "\n".join([*lines, _text("driver.c")])

    def _unit(
        self, called: Called, steps: list[Step] | None = None, widths: Widths | None = None
    ) -> Unit:
        functions = self._functions
        names, own = self.names, widths or self.widths
        return Unit(
            self._types, functions, names, self._tables, writers(functions),
            lambda name: Widths.SAME if is_own_code(name) else own,
            self._of_c(own) if self.c_math else {},
            self.within_loops,
            self.returns,
            steps,
            self.flat,
            self.cleared,
            lambda name: called(names[name]),
        )  # fmt: skip


def support() -> str:
    """The header of helpers."""
    return _text(SUPPORT)


def _text(file: str) -> str:
    return Path(__file__).with_name(file).read_text(encoding="utf-8")


def _nested(values: list[str], shape: tuple[int, ...]) -> str:
    """An initialiser of nested braces."""
    for length in reversed(shape):
        rows = [values[n : n + length] for n in range(0, len(values), length)]
        values = [f"{{{', '.join(row)}}}" for row in rows]
    return values[0]
