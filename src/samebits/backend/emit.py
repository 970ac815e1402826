"""A typed IR module as one LLVM module's text, and its table of traps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from samebits.backend.debug import Location, Locations
from samebits.backend.emit_context import DIVISIONS, TrapSite
from samebits.backend.emit_entry import entry_text
from samebits.backend.emit_lanes import LaneEmitter
from samebits.backend.emit_loops import ANY_LOOP, Seen, loop_metadata
from samebits.backend.emit_range import range_text
from samebits.backend.emit_types import (
    function_symbol,
    memory_constant,
    memory_scalar,
    scalar,
    table_symbol,
)
from samebits.backend.expected import Expectation, Expected, metadata
from samebits.backend.fp_control import definitions
from samebits.backend.lowering_fma import HELPERS
from samebits.backend.lowering_parallel import HOOK, OWN
from samebits.backend.plans import PLANS, Plan
from samebits.backend.rare import APART, RareFunction
from samebits.backend.rare import ATTRIBUTES as RARE_ATTRIBUTES
from samebits.backend.targets import Target
from samebits.backend.wide_helpers import LIBRARY, WIDE_HELPERS
from samebits.errors import CompileError, IRError
from samebits.ir.grammar import CALLS, For, Function, Module, Op, While, can_trap, regions, walk
from samebits.passes.goals import goal_of
from samebits.types import ScalarType

STACK_LIMIT = 1 << 20
"""Bytes of local memory that one call may need, its callees' included. Threads of some systems
have no more than a few hundred KiB above this; a frame must never reach past the guard page."""

_ATTRIBUTES = 'attributes #0 = { nounwind%s "no-trapping-math"="true"%s }'
_PROBED = {"x86_64", "i686", "aarch64", "riscv64", "powerpc64le", "powerpc64", "s390x"}
"""Where LLVM probes large frames in line. Windows has a function of its own for that."""
_METADATA = """\
!0 = !{!"branch_weights", i32 1, i32 1048575}
!1 = !{i64 0, i64 281474976710656}
!2 = !{!"branch_weights", i32 2000, i32 1}
!3 = !{!"branch_weights", i32 1, i32 2000}"""


APART_INLINE_LIMIT = 64
"""Most statements, callees' included, of the functions that are always inlined where only rare ones
lead to them: there is no loop to gain by it."""
_NO_SIZE = 1 << 20
_FIRST_LOOP = 4
_HELPERS = HELPERS | WIDE_HELPERS


@dataclass(frozen=True, slots=True)
class Emitted:
    """LLVM text as `llvm` takes it, and the traps that the statuses 1, 2, … stand for."""

    text: str
    traps: tuple[TrapSite, ...]
    plan: Plan
    """How `llvm` is to compile it."""
    locations: tuple[Location, ...] = ()
    """What the lines of the text's debug locations stand for, from 1; empty where it has none."""
    expected: Expected | None = None
    """The loops that are to be vectorised, if there are any."""


class _Emission:
    """What the functions of one module share while they are emitted."""

    def __init__(
        self,
        module: Module,
        target: Target,
        plan: Plan,
        locations: Locations | None = None,
        locate_loops: bool = False,
        threads: bool = False,
    ) -> None:
        self.target = target
        self.plan = plan
        self._threads = threads
        self._owns: set[str] = set()
        self._bodies: set[str] = set()
        self._turns: dict[str, str] = {}
        self.locations = locations
        self._locate_loops = locate_loops
        self._module = module
        self._traps: dict[str, bool] = {}
        self._calls: dict[str, set[str]] = {}
        self._divides: dict[str, bool] = {}
        self._sites: dict[TrapSite, int] = {}
        self._helpers: dict[str, None] = {}
        self._loops: list[str] = []
        self._tables: dict[str, None] = {}
        self._expected: dict[Expectation, int] = {}
        self._rare: dict[str, RareFunction] = {}
        self._often: set[str] = set()
        self._entries: tuple[Sequence[str], Sequence[str]] = ((), ())
        self._rarely: set[str] = set()
        self._called_in_loops: set[str] = set()
        self._sizes: dict[str, int] = {}

    def function(self, name: str) -> Function:
        """The function called `name`; raises IRError where there is none."""
        if name not in self._module.functions:
            raise IRError(f"there is no function {name} in the module")
        return self._module.functions[name]

    def traps(self, name: str) -> bool:
        return self._traps[name]

    def rare(self, name: str) -> RareFunction | None:
        return self._rare.get(name)

    def is_inlined(self, name: str) -> bool:
        limit = self.plan.inline_limit
        if self.is_apart(name):
            limit = min(limit, APART_INLINE_LIMIT)
        return self._sizes[name] <= limit

    def inlined_size(self, name: str) -> int:
        stays = name in self._rare or self._traps[name] or not self.is_inlined(name)
        return 0 if stays else self._sizes[name]

    def is_apart(self, name: str) -> bool:
        """Whether the function is rare, or only rare functions lead to it."""
        return name not in self._often

    def is_rarely_called(self, name: str) -> bool:
        """Whether the function is rare, or rare functions lead to it, they alone or others too."""
        return name in self._rarely

    def trap_status(self, site: TrapSite) -> int:
        return self._sites.setdefault(site, len(self._sites) + 1)

    def helper(self, name: str) -> str:
        self._helpers[name] = None
        return f"@sb.{name}"

    def table(self, name: str) -> str:
        """The symbol of a constant table; raises IRError where the module has none of it."""
        if name not in self._module.tables:
            raise IRError(f"there is no table {name} in the module")
        self._tables[name] = None
        return table_symbol(name)

    def _table_text(self, name: str) -> str:
        data = self._module.tables[name]
        t = memory_scalar(data.element)
        values = ", ".join(f"{t} {memory_constant(data.element, v)}" for v in data.values)
        return (
            f"{table_symbol(name)} = private unnamed_addr constant "
            f"[{len(data.values)} x {t}] [{values}], align 16"
        )

    def owns(self, name: str) -> bool:
        return name in self._owns

    def is_called_twice(self, name: str) -> bool:
        return name in self._bodies

    def turns(self, name: str) -> str:
        if not self._threads:
            return ""
        return self._turns.setdefault(name, f"@sb.turns.{len(self._turns)}")

    def turns_texts(self) -> list[str]:
        """The range functions of the bodies that `turns` has named."""
        return [
            range_text(
                symbol[1:], self.function(name), self._traps[name], self.target, self.locations,
                owns=name in self._owns, based=True,
            )
            for name, symbol in self._turns.items()
        ]  # fmt: skip

    def _variables(self) -> list[str]:
        """What the functions and the process share."""
        linkage = "" if self._threads else "internal "
        own = f"@{OWN} = {linkage}global [3 x i64] zeroinitializer, align 8"
        return [own] * bool(self._owns) + [f"@{HOOK} = global ptr null"] * bool(self._turns)

    def divides(self, name: str) -> bool:
        return self._divides[name]

    def loop(self, inside: Seen, function: str, statement: For | While, location: int) -> str:
        text = loop_metadata(inside, self.target) if self.plan.vectorise else ""
        more: list[str] = []
        if statement.vectorized:
            loop = Expectation(function, statement.span)
            more.append(metadata(self._expected.setdefault(loop, len(self._expected))))
        if self.locations is not None and (text or more or self._locate_loops):
            more.insert(0, self.locations.node(location))
        if not text and not more:
            return ""
        name = f"!{_FIRST_LOOP + len(self._loops)}"
        text = (text or ANY_LOOP).format(name=name[1:])
        self._loops.append(text.replace(f"{{{name}", ", ".join([f"{{{name}", *more]), 1))
        return name

    def order(self, given: Sequence[str], ranges: Sequence[str]) -> list[str]:
        """Functions that the entries and ranges reach, callees first."""
        self._entries = given, ranges
        entries = [*given, *ranges]
        found: dict[str, None] = {}
        stack_bytes: dict[str, int] = {}
        for entry in entries:
            self._visit(entry, found, stack_bytes, ())
        self._often = self._reached(entries) - self._rare.keys()
        self._rarely = {*self._rare}
        for name in reversed(found):
            if name in self._rarely:
                self._rarely |= self._calls[name]
        looped = self._reached(self._called_in_loops)
        for name, rare in self._rare.items():
            if name not in looped or not self.plan.vectorise:
                rare.drop_variants()
        return list(found)

    def _reached(self, names: Iterable[str]) -> set[str]:
        """`names` and what they lead to, but not by way of a rare function."""
        reached: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting += () if name in self._rare else self._calls[name]
        return reached

    def _visit(
        self,
        name: str,
        found: dict[str, None],
        stack_bytes: dict[str, int],
        callers: tuple[str, ...],
    ) -> None:
        if name in found:
            return
        function = self.function(name)
        if name in callers:
            raise IRError(f"function {name} calls itself", span=function.span)
        traps, divides, deepest = False, False, 0
        constants: set[int] = set()
        calls = self._calls[name] = set[str]()
        for statement in walk(function.body):
            if isinstance(statement, For | While):
                inside = (s for region in regions(statement) for s in walk(region))
                self._called_in_loops.update(
                    str(s.attr) for s in inside if isinstance(s, Op) and s.opcode in CALLS
                )
            if not isinstance(statement, Op):
                continue
            if statement.opcode in CALLS:
                callee = str(statement.attr)
                calls.add(callee)
                self._visit(callee, found, stack_bytes, (*callers, name))
                traps = traps or self._traps[callee]
                divides = divides or self._divides[callee]
                deepest = max(deepest, stack_bytes[callee])
                if self._threads and statement.opcode == "parallel":
                    traps = True  # threads can be interrupted, which has a status of its own
                    self._bodies.add(callee)
                continue
            traps = traps or can_trap(statement)
            if statement.opcode == "own" and can_trap(statement):
                self._owns.add(name)
            if statement.opcode == "const":
                constants.add(statement.id)
            elif statement.opcode in DIVISIONS:
                divides = divides or statement.args[1].op not in constants
        own = sum(t.size for t in function.locals.values())
        if own + deepest > STACK_LIMIT:
            raise CompileError(
                f"local arrays and structs of {name} and what it calls need "
                f"{own + deepest:,} bytes; {STACK_LIMIT:,} are the limit",
                span=function.span,
                fix="pass the largest one in as a parameter",
            )
        self._sizes[name] = self._size(function)
        stack_bytes[name] = own + deepest
        self._traps[name] = traps
        out_of_line = function.rare and not traps  # what can trap is a function as any other
        self._divides[name] = divides and not out_of_line
        if out_of_line:
            self._add_rare(function)
        found[name] = None

    def _size(self, function: Function) -> int:
        """Statements with those of callees, if it only computes scalars of scalars, in a line."""
        scalars = all(isinstance(t, ScalarType) for _, t in function.params)
        size = 0 if scalars and not function.locals else _NO_SIZE
        for statement in walk(function.body):
            size += 1
            if isinstance(statement, For | While):
                return _NO_SIZE
            if isinstance(statement, Op) and statement.opcode in CALLS:
                callee = str(statement.attr)
                size += 0 if callee in self._rare else self._sizes[callee]
        return min(size, _NO_SIZE)

    def _add_rare(self, function: Function) -> None:
        types = [t for _, t in function.params if isinstance(t, ScalarType)]
        self._rare[function.name] = RareFunction(
            len(self._rare),
            function_symbol(function.name),
            [scalar(t) for t in types],
            scalar(function.results[0]),
            self.target.convention,
            self.target.vector_bits,
        )

    def result(self, texts: list[str], apart: list[str]) -> Emitted:
        """The module of `texts`, and that of the functions that stand `apart`."""
        probed = self.target.architecture in _PROBED and "-windows-" not in self.target.triple
        extra = ' "probe-stack"="inline-asm"' if probed else ""
        if self.target.tune:
            extra += f' "tune-cpu"="{self.target.tune}"'
        attributes = [_ATTRIBUTES % (self.plan.attributes_for(self.target), extra)]
        if self._rare:
            attributes.append(RARE_ATTRIBUTES.format(extra=extra))
        tests = [test for rare in self._rare.values() for test in rare.tests()]
        library = LIBRARY.get(self.target.architecture, "")
        if not any("mul i64" in text for text in (*texts, *apart, *self._helper_texts())):
            library = ""
        control = definitions(self.target.fp_control)
        declarations = [rare.declaration() for rare in self._rare.values()]
        before = [*self._variables(), library, control, *declarations]
        text = self._module_text([*before, *texts, *tests], attributes)
        if apart:
            text += APART + self._module_text(apart, attributes)
        for rare in self._rare.values():
            text += "".join(rare.lanes(self._head(), attributes[-1]))
        found = () if self.locations is None else tuple(self.locations.found)
        expected = None
        if self._expected:
            loops = tuple(self._expected)
            entries, ranges = map(tuple, self._entries)
            expected = Expected(loops, self._module, entries, ranges, self.target)
        return Emitted(text, tuple(self._sites), self.plan, found, expected)

    def _head(self) -> str:
        return f'target triple = "{self.target.triple}"'

    def _helper_texts(self) -> list[str]:
        define = f"define internal {self.target.convention}"
        return [_HELPERS[n].replace("define internal ", define) for n in self._helpers]

    def _module_text(self, texts: list[str], attributes: list[str]) -> str:
        """A module of functions with the tables that they read, and every helper."""
        used = [name for name in self._tables if any(table_symbol(name) in text for text in texts)]
        tables = [self._table_text(name) for name in used]
        code = (*tables, *self._helper_texts(), *texts)
        debug = "" if self.locations is None else self.locations.metadata()
        parts = [self._head(), *code, *attributes, _METADATA, *self._loops, debug]
        return "\n\n".join(part for part in parts if part) + "\n"


def emit_module(
    module: Module,
    entries: Sequence[str],
    target: Target,
    ranges: Sequence[str] = (),
    *,
    locate: bool = False,
    locate_loops: bool = False,
    threads: bool = False,
) -> Emitted:
    """LLVM text that defines `sb_entry_<n>` for the n-th of `entries`, `sb_range_<n>` for the n-th
    of `ranges`, and what they reach.

    `locate` gives each instruction the location of its statement, `locate_loops` loops as well:
    that can keep LLVM from merging two blocks, where the rest changes nothing. `threads` is for
    code of this process: parallel ranges ask the hook that may be set. Raises CompileError
    where local memory would not fit the stack, IRError for IR that breaks the grammar's rules.
    """
    locations = Locations() if locate else None
    plan = PLANS[goal_of(module, [*entries, *ranges])]
    emission = _Emission(module, target, plan, locations, locate_loops, threads)
    order = emission.order(entries, ranges)
    texts: list[str] = []
    apart: list[str] = []
    for name in order:
        text = LaneEmitter(emission, emission.function(name)).text()
        if not emission.is_apart(name):
            texts.append(text)
        if emission.is_rarely_called(name):
            apart.append(text)
    for index, name in enumerate(entries):
        more = f"ptr @{OWN}" if emission.owns(name) else ""
        traps = emission.traps(name)
        texts.append(entry_text(index, emission.function(name), traps, target, locations, more))
    texts += [
        range_text(
            f"sb_range_{index}", emission.function(name), emission.traps(name), target, locations,
            owns=emission.owns(name),
        )
        for index, name in enumerate(ranges)
    ]  # fmt: skip
    texts += emission.turns_texts()
    return emission.result(texts, apart)
