"""The state that one module's functions share while they are emitted.

It makes the module's text around theirs too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samebits.backend.emit import arena
from samebits.backend.emit.late_flush import ATTRIBUTE, LATE, flushes_late
from samebits.backend.emit.preemption import GUARD_VARIABLE, BodyGuard, can_guard
from samebits.backend.emit.range import range_text
from samebits.backend.lowering.int64_builtins import LIBRARY, WIDE_HELPERS
from samebits.backend.lowering.soft_fma import HELPERS
from samebits.backend.objects import HOOK, OWN, TrapSite
from samebits.backend.targets.fp_control import definitions
from samebits.backend.targets.processors import VECTOR_BITS
from samebits.backend.targets.table import Target
from samebits.backend.text.call_graph import CallGraph
from samebits.backend.text.cold_calls import ATTRIBUTES as COLD_ATTRIBUTES
from samebits.backend.text.cold_calls import COLD_SECTION, deferred_text, variants_table
from samebits.backend.text.cold_copies import ColdCopy, cold_copy_symbol
from samebits.backend.text.debug_info import DebugInfo
from samebits.backend.text.expectations import Expectation, Expected, metadata
from samebits.backend.text.locations import Location, Locations
from samebits.backend.text.loop_metadata import (
    ANY_LOOP,
    INTERLEAVING,
    ORDERED,
    EmittedCounts,
    loop_metadata,
)
from samebits.backend.text.output_buffer import DEFINITIONS as OUTPUT_DEFINITIONS
from samebits.backend.text.overrides import NONE, CodegenOverrides
from samebits.backend.text.profiles import PROFILES, CodegenProfile
from samebits.backend.text.run_bound import OPEN
from samebits.backend.text.shared_functions import SharedFunction
from samebits.backend.text.trap_records import DEFINITIONS as RECORD_DEFINITIONS
from samebits.backend.text.types import (
    function_symbol,
    memory_constant,
    memory_scalar,
    parts,
    return_type,
    table_symbol,
)
from samebits.errors import IRError
from samebits.ir.analysis.independence import has_independent_iterations
from samebits.ir.analysis.running_sums import LEAST_WORK, running_sums, work
from samebits.ir.grammar import For, Module, Op, While
from samebits.ir.once import is_library
from samebits.ir.own_code import is_own_code
from samebits.modes import FAST
from samebits.passes.pipeline import goal_of

_ATTRIBUTES = 'attributes #0 = { nounwind%s "no-trapping-math"="true"%s }'
_PROBED = {"x86_64", "i686", "aarch64", "riscv64", "powerpc64le", "powerpc64", "s390x"}
"""Architectures whose large frames LLVM probes in line. On Windows a function does that."""
_METADATA = """\
!0 = !{!"branch_weights", i32 1, i32 1048575}
!1 = !{i64 0, i64 281474976710656}
!2 = !{!"branch_weights", i32 2000, i32 1}
!3 = !{!"branch_weights", i32 1, i32 2000}"""


_FIRST_LOOP = 4
_HELPERS = HELPERS | WIDE_HELPERS


@dataclass(frozen=True, slots=True)
class Emitted:
    """LLVM text for `llvm.engine`, and the traps behind the statuses 1, 2, …"""

    text: str
    traps: tuple[TrapSite, ...]
    profile: CodegenProfile
    """How `llvm.engine` compiles it."""
    locations: tuple[Location, ...] = ()
    """The locations behind the text's debug line numbers, from 1; empty if it has none."""
    expected: Expected | None = None
    """The loops that must be vectorised, if there are any."""
    needs: tuple[SharedFunction, ...] = ()
    """The shared functions that the text calls."""


class Emission(CallGraph):
    """The state that the functions of one module share while they are emitted."""

    def __init__(
        self,
        module: Module,
        entries: Sequence[str],
        ranges: Sequence[str],
        target: Target,
        locations: Locations | None,
        locate_loops: bool,
        threads: bool,
        overrides: CodegenOverrides,
        profile: CodegenProfile | None = None,
        *,
        pins: bool = True,
    ) -> None:
        """`pins`: whether all entries pin the floating-point environment."""
        roots = [*entries, *ranges]
        profile = profile or PROFILES[goal_of(module, roots)]
        super().__init__(module, roots, target, profile, threads)
        self._entries = tuple(entries), tuple(ranges)
        self.overrides = overrides
        every = map(self.function, self.order)
        self.flushes_late = pins and overrides == NONE and flushes_late(every, target)
        """Whether operations flush their operands, by a bit that the entries set."""
        self.environment = LATE if self.flushes_late else overrides.environment
        """The words of `fp_environments` that entries set."""
        self.locations = locations
        self.of_adapters = None if isinstance(locations, DebugInfo) else locations
        """The locations of what only calls functions, which a debugger steps over."""
        self._locate_loops = locate_loops
        self._parallel_ranges: dict[str, str] = {}
        self.copies: dict[str, ColdCopy] = {}
        """The cold copies that the functions call."""
        self._shared_copies: dict[str, SharedFunction] = {}
        self._sites: dict[TrapSite, int] = {}
        self._in_own_code: dict[str, dict[TrapSite, None]] = {}
        """The sites of each function of samebits' own, callees of its own included."""
        self._helpers: dict[str, None] = {}
        self._guarded = False
        self._arena = 0
        """The bytes of the largest arena that an entry needs."""
        self.records_traps = threads
        """Whether traps leave a record of what they met."""
        self.has_records = False
        self.has_output = False
        self._loops: list[str] = []
        self._tables: dict[str, str] = {}
        self._expected: dict[Expectation, int] = {}

    def needs(self) -> tuple[SharedFunction, ...]:
        """The shared functions, except those that the module itself defines."""
        called = (f for n, f in self._shared.items() if n not in self._roots)
        return (*called, *self._shared_copies.values())

    def is_own(self, shared: SharedFunction) -> None:
        """Define `shared`, a root of this module and a cold function, under its shared symbol."""
        self._shared[shared.name] = shared
        self.cold[shared.name].symbol = shared.symbol

    def symbol(self, name: str) -> str:
        """The symbol of a function, or of its shared form."""
        shared = self._shared.get(name)
        return function_symbol(name) if shared is None else shared.symbol

    def wrapper(self, name: str, symbol: str) -> ColdCopy:
        """A function called `symbol` that calls the function `name`."""
        function = self.function(name)
        types = [t for _, given in function.params for t in parts(given)]
        result = return_type(function, self.traps[name], self.target)
        return ColdCopy(name, types, result, self.target.convention, symbol)

    def trap_status(self, site: TrapSite) -> int:
        """The status, from 1, that stands for `site`."""
        return self._sites.setdefault(site, len(self._sites) + 1)

    def trap_status_in(self, function: str, site: TrapSite) -> int:
        """The status that stands for `site`, which is in `function`."""
        if is_own_code(function):
            self._in_own_code.setdefault(function, {})[site] = None
        return self.trap_status(site)

    def placed_at_call(self, caller: str, call: Op) -> dict[int, int]:
        """The statuses that a call may give of traps in samebits' own code, each with the status of
        that trap at the call; none where the caller is samebits' own, too."""
        inside = self._in_own_code.get(str(call.attr), {})
        if is_own_code(caller):
            self._in_own_code.setdefault(caller, {}).update(inside)
            return {}
        return {self._sites[site]: self.trap_status(site.at(call.span)) for site in inside}

    def helper(self, name: str) -> str:
        """The symbol of a function that the backend provides, such as `fma.f64`."""
        self._helpers[name] = None
        return f"@sb.{name}"

    def table(self, name: str) -> str:
        """The symbol of a constant table; raises IRError if the module has no such table."""
        symbol = table_symbol(name)
        if symbol not in self._tables:
            data = self._module.tables.get(name)
            if data is None:
                raise IRError(f"there is no table {name} in the module")
            t = memory_scalar(data.element)
            values = ", ".join(f"{t} {memory_constant(data.element, v)}" for v in data.values)
            constant = f"[{len(data.values)} x {t}] [{values}], align 16"
            self._tables[symbol] = f"{symbol} = private unnamed_addr constant {constant}"
        return symbol

    def parallel_range(self, name: str) -> str:
        """The symbol of a range function for a parallel body; empty if the module runs its
        iterations in line."""
        if not self._threads:
            return ""
        return self._parallel_ranges.setdefault(name, f"@sb.parallel.{len(self._parallel_ranges)}")

    def range_texts(self, ranges: Sequence[str]) -> list[str]:
        """The range functions of `ranges`, and of the bodies that `parallel_range` has named."""
        named = [(name, f"sb_range_{k}", False) for k, name in enumerate(ranges)]
        named += [(name, symbol[1:], True) for name, symbol in self._parallel_ranges.items()]
        return [
            range_text(
                symbol, self.function(name), self.traps[name], self.target, self.of_adapters,
                owns=name in self.owns, based=based, environment=self.environment,
                records=self.has_records,
                guard=self.guard(name, always=True),
            )
            for name, symbol, based in named
        ]  # fmt: skip

    def guard(self, name: str, always: bool = False) -> BodyGuard | None:
        """The guard of the function's body in an entry, or in a range (`always`); None if it needs
        none."""
        if not (self._threads and can_guard(self.target)):
            return None
        most, function = OPEN if always else self._most[name], self.function(name)
        guard = BodyGuard(self.frame_bytes(name), 0, most, function.params)
        if not guard.is_needed:
            return None
        self._guarded = True
        detail = f"{guard.need:,}" if guard.is_large else "0"
        site = TrapSite("stack", function.span, detail)
        return guard._replace(small=self.trap_status(site))

    def arena(self, name: str, arguments: list[str]) -> tuple[list[str], tuple[int, int] | None]:
        """What an entry's body begins with where the function needs an arena, whose block is
        appended to `arguments`; its bytes, and the status without memory for it."""
        size = self.arenas.get(name)
        if size is None:
            return [], None
        self._arena = max(self._arena, size)
        lines, place = arena.block(size, self._threads)
        arguments.append(f"ptr {place}")
        if not self._threads:
            return lines, None
        site = TrapSite("memory", self.function(name).span, f"{size:,}")
        return lines, (size, self.trap_status(site))

    def cold_copy(self, name: str) -> str:
        """The symbol of the cold copy of a function that has an `inlined_size` and a result."""
        if self.shares and is_library(name):
            shared = self._shared_copies.get(name)
            if shared is None:
                shared = self._shared_copies[name] = self.shared(name, "copy")
            return shared.symbol
        return self.copies.setdefault(name, self.wrapper(name, cold_copy_symbol(name))).symbol

    def _variables(self) -> list[str]:
        """Definitions of the variables that the functions and the process share."""
        linkage = "" if self._threads else "internal "
        own = f"@{OWN} = {linkage}global [3 x i64] zeroinitializer, align 8"
        found = [own] * bool(self.owns) + [f"@{HOOK} = global ptr null"] * bool(
            self._parallel_ranges
        )
        found += [RECORD_DEFINITIONS] * self.has_records + [OUTPUT_DEFINITIONS] * self.has_output
        if self._arena:
            found.append(arena.definitions(self.target, self._arena, self._threads))
        return found + [GUARD_VARIABLE] * self._guarded

    def _metadata(self, inside: EmittedCounts, function: str, statement: For | While) -> str:
        def is_independent() -> bool:
            lanes = statement.lanes.slots if isinstance(statement, For) and statement.lanes else ()
            own = [slot for slot, _ in lanes] if inside.lanes else []  # else the remainder loop
            return has_independent_iterations(
                statement, self.function(function), self.function, own, self.prints
            )

        def is_sum() -> bool:
            if self.function(function).options.mode is FAST:
                return False
            sums = running_sums(statement)
            if not sums or self.target.architecture in ORDERED:
                return False
            if self.target.architecture not in INTERLEAVING:
                return True
            return work(statement.body, self.function) < LEAST_WORK * sums

        return loop_metadata(inside, self.target, is_independent, self.vector_dominated, is_sum)

    def loop(
        self, inside: EmittedCounts, function: str, statement: For | While, location: int
    ) -> str:
        """The metadata node of a loop of `function` with `inside` in it; empty if LLVM chooses.
        `location` is the loop's location number, or 0."""
        text = self._metadata(inside, function, statement) if self.profile.vectorise else ""
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

    def access_group(self) -> str:
        """The metadata node of a new access group."""
        name = f"!{_FIRST_LOOP + len(self._loops)}"
        self._loops.append(f"{name} = distinct !{{}}")
        return name

    def result(self, texts: list[str], cold_section: list[str]) -> Emitted:
        """The module of `texts`, and after it the module of the cold section."""
        probed = self.target.architecture in _PROBED and "-windows-" not in self.target.triple
        extra = ' "probe-stack"="inline-asm"' if probed else ""
        if self.target.tune:
            extra += f' "tune-cpu"="{self.target.tune}"'
        if self.target.tune in VECTOR_BITS:
            extra += f' "prefer-vector-width"="{VECTOR_BITS[self.target.tune]}"'
        if self.flushes_late:
            extra += f" {ATTRIBUTE}"
        attributes = [_ATTRIBUTES % (self.profile.attributes_for(self.target), extra)]
        needs = self.needs()
        if self.cold or self.copies or needs:
            attributes.append(COLD_ATTRIBUTES.format(extra=extra))
        tests = variants_table(self.cold.values())
        library = LIBRARY.get(self.target.architecture, "")
        if not any("mul i64" in text for text in (*texts, *cold_section, *self._helper_texts())):
            library = ""
        control = definitions(self.target.fp_control)
        others = [self.wrapper(f.name, f.symbol).declaration() for f in needs if f.kind != "cold"]
        own = self._shared.keys() & self._roots
        cold = [r.declaration() for name, r in self.cold.items() if name not in own]
        copies = [copy.declaration() for copy in self.copies.values()]
        before = [*self._variables(), library, control, *cold, *copies, *others]
        text = self._module_text([*before, *texts, *tests], attributes)
        if cold_section:
            copies = [self._copy_text(copy) for copy in self.copies.values()]
            shared = [r.declaration() for name, r in self.cold.items() if name in self._shared]
            text += COLD_SECTION + self._module_text([*shared, *cold_section, *copies], attributes)
        head = "\n".join([self._head(), attributes[-1], _METADATA])
        text += deferred_text(head, self.cold.values())
        found = () if self.locations is None else tuple(self.locations.found)
        loops = tuple(self._expected)
        expected = Expected(loops, self._module, *self._entries, self.target) if loops else None
        return Emitted(text, tuple(self._sites), self.profile, found, expected, needs)

    def _copy_text(self, copy: ColdCopy) -> str:
        if self.of_adapters is None:
            return copy.text()
        self.of_adapters.begin(self.function(copy.name))
        return self.of_adapters.attach(copy.text())

    def _head(self) -> str:
        return f'target triple = "{self.target.triple}"'

    def _helper_texts(self) -> list[str]:
        define = f"define internal {self.target.convention}"
        return [_HELPERS[n].replace("define internal ", define) for n in self._helpers]

    def _module_text(self, texts: list[str], attributes: list[str]) -> str:
        """A module of functions with the tables that they read, and every helper."""
        tables = [
            text for name, text in self._tables.items() if any(name in given for given in texts)
        ]
        code = (*tables, *self._helper_texts(), *texts)
        debug = "" if self.locations is None else self.locations.metadata()
        parts = [self._head(), *code, *attributes, _METADATA, *self._loops, debug]
        return "\n\n".join(part for part in parts if part) + "\n"
