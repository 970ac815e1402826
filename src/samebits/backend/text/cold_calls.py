"""Vector variants of cold functions, for calls under a condition in vectorised loops.

LLVM's loop vectoriser keeps such a call only if the function has a variant that takes vectors and a
mask. A variant here has two parts: a test whether any lane is active, inlined after vectorisation,
and an out-of-line loop over the lanes. Variants are only declared before vectorisation; those that
it uses are defined after it. Knows LLVM text, not what the functions compute.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields

from samebits.backend.text.loop_metadata import wide_lanes

_SOME = "sb.some."
_EACH = "sb.each."
_UNSAFE = frozenset('(),"')
"""Characters that a name in the list of variants can't contain."""

ATTRIBUTES = (
    "attributes #1 = {{ noinline nounwind willreturn memory(none){extra} }}\n"
    "attributes #2 = {{ alwaysinline nounwind willreturn memory(none){extra} }}\n"
    "attributes #3 = {{ noinline optnone nounwind willreturn memory(none){extra} }}"
)
"""Attributes of cold functions, of tests, and of loops over lanes. The loops gain nothing by
optimised code generation, which takes twice as long. LLVM does not count constant tables as
memory."""

COLD_SECTION = "; cold section, with passes of its own:\n"
"""Separates a module's text from that of its cold functions and what only they call. A few cheap
passes for these take a tenth of the time of all passes; the code is a fifth slower."""

_DEFERRED = "; deferred variants:\n"
_ROW = "; "
VARIANTS = "sb.variants"
"""A module's table of variants. It keeps their declarations alive until vectorisation, and is
removed after it."""


@dataclass(frozen=True, slots=True)
class DeferredVariants:
    """The vector variants of a module, not yet defined."""

    head: str
    """The head of their module's text, with attributes."""
    functions: tuple[ColdFunction, ...]

    def text(self, called: Iterable[str]) -> str:
        """The text of a module with the variants in `called`; empty if there are none."""
        wanted = set(called)
        texts = (text for cold in self.functions for text in cold.variants(wanted))
        made = dict.fromkeys(texts)  # functions of the same types share a loop
        return "\n\n".join([self.head, *made]) + "\n" if made else ""


def variants_table(functions: Iterable[ColdFunction]) -> list[str]:
    """Declarations of the variants, and their table; empty without variants."""
    tests = {symbol: text for cold in functions for symbol, text in cold.tests().items()}
    symbols = ", ".join(f"ptr {symbol}" for symbol in tests)
    table = f"@{VARIANTS} = constant [{len(tests)} x ptr] [{symbols}]"
    return [*tests.values(), table] if tests else []


def deferred_text(head: str, functions: Iterable[ColdFunction]) -> str:
    """`DeferredVariants` as text, which `split_cold` reads back; empty without variants."""
    rows = [f"{_ROW}{cold.row()}\n" for cold in functions if cold.has_variants]
    return f"{_DEFERRED}{head}\n{''.join(rows)}" if rows else ""


def split_cold(text: str) -> tuple[str, str, DeferredVariants | None]:
    """The text of a module, that of its cold section, and its deferred variants."""
    main, _, deferred = text.partition(_DEFERRED)
    main, _, section = main.partition(COLD_SECTION)
    if not deferred:
        return main, section, None
    lines = deferred.splitlines()
    rows = [json.loads(line.removeprefix(_ROW)) for line in lines if line.startswith(_ROW)]
    head = "\n".join(line for line in lines if not line.startswith(_ROW))
    return main, section, DeferredVariants(head, tuple(ColdFunction(*row) for row in rows))


def renamed_rows(text: str, names: Mapping[str, str]) -> str:
    """`text` with the symbols of its deferred variants renamed by `names`."""

    def row(line: str) -> str:
        given = ColdFunction(*json.loads(line.removeprefix(_ROW)))
        given.symbol = names.get(given.symbol, given.symbol)
        return f"{_ROW}{given.row()}"

    main, mark, deferred = text.partition(_DEFERRED)
    lines = (row(line) if line.startswith(_ROW) else line for line in deferred.split("\n"))
    return main + mark + "\n".join(lines)


@dataclass(slots=True, eq=False)
class ColdFunction:
    """A cold function of LLVM types; `number` is unique in its module. One that `shares` has its
    loops over lanes, which take the function's address, in common with others of the same types.
    They take as long to compile as the function: a tenth of the time for many functions. For one,
    it costs a register."""

    number: int
    symbol: str
    parameters: Sequence[str]
    result: str
    convention: str
    vector_bits: int
    shares: bool = False
    _counts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        fits = not _UNSAFE & set(self.name)
        counts = [n for n in (2, 4, 8, 16) if 32 * n <= self.vector_bits]
        self._counts = [*counts, wide_lanes(self.vector_bits)] if counts and fits else []

    def row(self) -> str:
        """The constructor's arguments as one line of JSON."""
        return json.dumps([getattr(self, f.name) for f in fields(self) if f.init])

    @property
    def has_variants(self) -> bool:
        return bool(self._counts)

    @property
    def name(self) -> str:
        """The symbol without LLVM's quoting."""
        return self.symbol[1:].strip('"')

    def drop_variants(self) -> None:
        """Have no variants, as no loop calls the function."""
        self._counts = []

    def declaration(self) -> str:
        """The declaration in modules that it is linked to later."""
        types = ", ".join(self.parameters)
        head = f"declare {self.convention}{self.result} {self.symbol}"
        return f"{head}({types}) #1{self._variants()}"

    def _variants(self) -> str:
        """The attribute that names the variants; empty without variants."""
        if not self._counts:
            return ""
        kinds = "v" * len(self.parameters)
        names = [f"_ZGV_LLVM_M{n}{kinds}_{self.name}({self._test_name(n)})" for n in self._counts]
        return f' "vector-function-abi-variant"="{",".join(names)}"'

    def tests(self) -> dict[str, str]:
        """The declarations of the variants, by symbol."""
        head = f"declare {self.convention}"
        symbols = {n: f"@{self._test_name(n)}" for n in self._counts}
        return {
            symbol: f"{head}<{n} x {self.result}> {symbol}({', '.join(self._vectors(n))}) #2"
            for n, symbol in symbols.items()
        }

    def variants(self, wanted: set[str]) -> list[str]:
        """The tests whose names are `wanted`, each with its loop over lanes."""
        made = [
            text
            for n in self._counts
            if self._test_name(n) in wanted
            for text in (self._test(n), self._loop(n))
        ]
        if not made:
            return []
        types = ", ".join(self.parameters)
        return [f"declare {self.convention}{self.result} {self.symbol}({types}) #1", *made]

    def _test_name(self, n: int) -> str:
        return f"{_SOME}{self.number}.{n}"

    def _loop_name(self, n: int) -> str:
        which = ".".join((self.result, *self.parameters)) if self.shares else self.number
        return f"{_EACH}{which}.{n}"

    def _vectors(self, n: int) -> list[str]:
        return [f"<{n} x {t}>" for t in (*self.parameters, "i1")]

    def _test(self, n: int) -> str:
        vectors = self._vectors(n)
        given = ", ".join(f"{t} %a{i}" for i, t in enumerate(vectors))
        result = f"<{n} x {self.result}>"
        head = f"{self.convention}{result} @{self._loop_name(n)}"
        which = f"ptr {self.symbol}, " * self.shares
        return "\n".join([
            f"define {self.convention}{result} @{self._test_name(n)}({given}) #2 {{",
            "entry:",
            f"  %some = call i1 @llvm.vector.reduce.or.v{n}i1({vectors[-1]} %a{len(vectors) - 1})",
            "  br i1 %some, label %go, label %done, !prof !0",
            "go:",
            f"  %r = call {head}({which}{given})",
            "  br label %done",
            "done:",
            f"  %result = phi {result} [ poison, %entry ], [ %r, %go ]",
            f"  ret {result} %result",
            "}",
        ])  # fmt: skip

    def _loop(self, n: int) -> str:
        """The loop over lanes. Lanes go through memory: in registers, each access of a lane by a
        variable would copy the whole vector. Truth values are bytes there."""
        vectors = self._vectors(n)
        mask = len(vectors) - 1
        given = ", ".join(f"{t} %a{i}" for i, t in enumerate(vectors))
        result = f"<{n} x {self.result}>"
        called = "%function" if self.shares else self.symbol
        which = "ptr %function, " * self.shares
        scalar = f"{self.convention}{self.result} {called}"
        items = ", ".join(f"{t} %x{i}" for i, t in enumerate(self.parameters))
        lines = [
            f"define {self.convention}{result} @{self._loop_name(n)}({which}{given}) #3 {{",
            "entry:",
        ]
        for i, t in enumerate((*self.parameters, "i1")):
            lines.append(f"  %lanes{i} = alloca <{n} x {_stored(t)}>")
            value = f"%a{i}"
            if t == "i1":
                lines.append(f"  %bytes{i} = zext {vectors[i]} {value} to <{n} x i8>")
                value = f"%bytes{i}"
            lines.append(f"  store <{n} x {_stored(t)}> {value}, ptr %lanes{i}")
        lines += [
            f"  %results = alloca <{n} x {_stored(self.result)}>",
            "  br label %head",
            "head:",
            "  %lane = phi i32 [ 0, %entry ], [ %next, %step ]",
            *_load_lane("i1", f"%lanes{mask}", "%is.wanted"),
            "  br i1 %is.wanted, label %compute, label %step",
            "compute:",
        ]
        for i, t in enumerate(self.parameters):
            lines += _load_lane(t, f"%lanes{i}", f"%x{i}")
        lines.append(f"  %y = call {scalar}({items})")
        value = "%y"
        if self.result == "i1":
            lines.append("  %y.byte = zext i1 %y to i8")
            value = "%y.byte"
        stored = _stored(self.result)
        lines += [
            f"  %y.at = getelementptr inbounds {stored}, ptr %results, i32 %lane",
            f"  store {stored} {value}, ptr %y.at",
            "  br label %step",
            "step:",
            "  %next = add nuw nsw i32 %lane, 1",
            f"  %more = icmp ult i32 %next, {n}",
            "  br i1 %more, label %head, label %done",
            "done:",
            f"  %all = load <{n} x {stored}>, ptr %results",
        ]
        if self.result == "i1":
            lines.append(f"  %truths = trunc <{n} x i8> %all to {result}")
        name = "%truths" if self.result == "i1" else "%all"
        return "\n".join([*lines, f"  ret {result} {name}", "}"])


def _stored(t: str) -> str:
    """The type of a value in memory."""
    return "i8" if t == "i1" else t


def _load_lane(t: str, place: str, name: str) -> list[str]:
    """Lines that load a lane of a vector in memory."""
    loaded = f"{name}.byte" if t == "i1" else name
    lines = [
        f"  {name}.at = getelementptr inbounds {_stored(t)}, ptr {place}, i32 %lane",
        f"  {loaded} = load {_stored(t)}, ptr {name}.at",
    ]
    return [*lines, f"  {name} = trunc i8 {loaded} to i1"] if t == "i1" else lines
