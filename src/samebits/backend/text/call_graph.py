"""The call graph of a module's entries, and how each function is emitted.

A function is inlined, out of line, or in the cold section.

Knows the typed IR and LLVM's types, not how a function becomes text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from samebits.backend.targets.table import Target
from samebits.backend.text.cold_calls import ColdFunction
from samebits.backend.text.loop_metadata import DIVISIONS
from samebits.backend.text.profiles import CodegenProfile
from samebits.backend.text.run_bound import Bound, run_bound
from samebits.backend.text.shared_functions import (
    LEAST_CALLED,
    Kind,
    SharedFunction,
    shared_function,
)
from samebits.backend.text.types import function_symbol, scalar
from samebits.backend.text.wide_offsets import has_wide_offsets
from samebits.errors import CompileError, IRError
from samebits.ir.analysis.carried import local_bytes
from samebits.ir.analysis.frames import RECURSION_BYTES, frame_bytes
from samebits.ir.analysis.live_bytes import value_bytes
from samebits.ir.analysis.recursion import recursive_groups
from samebits.ir.grammar import (
    CALLS,
    For,
    Function,
    HostFunction,
    Module,
    Op,
    While,
    can_trap,
    regions,
    walk,
)
from samebits.ir.once import Once, is_library
from samebits.printed import OUTPUT
from samebits.types import ArrayType, ScalarType

STACK_LIMIT = 1 << 20
"""Most bytes of local memory of one call, callees included. Threads of some systems have only a few
hundred KiB more than this; a frame must never reach past the guard page."""

COLD_INLINE_LIMIT = 64
"""Most statements, callees included, of an always inlined function that only cold ones reach: no
loop gains by inlining it."""

SLP_SKIP_STATEMENTS = 1024
SLP_SKIP_SHARE = 1 / 8
"""Thresholds above which SLP vectorisation is skipped: statements of functions with cold callees
that loops call, and everything else as a share of them. SLP takes up to a seventh of the compile
time, and in these functions finds only the remainder iterations of vectorised loops."""

_NO_SIZE = 1 << 20
_RUN_BOUNDS: Once[Bound] = Once()
_VALUE_BYTES: Once[int] = Once()


class CallGraph:
    """The functions that `roots` reach. Raises CompileError if local memory exceeds the stack
    limit, IRError if a function is missing, or calls itself without a bound. `threads`: parallel
    ranges may run on several."""

    def __init__(
        self,
        module: Module,
        roots: Sequence[str],
        target: Target,
        profile: CodegenProfile,
        threads: bool,
    ) -> None:
        self._shared: dict[str, SharedFunction] = {}
        self._in_parallel: set[str] = set()
        self._in_loops: set[str] = set()
        self.shares = False
        """Whether the module leaves out shared functions."""
        self.optnone = False
        """Whether shared cold functions are compiled without optimised code generation."""
        self.target = target
        self.profile = profile
        self._module = module
        self._threads = threads
        self._roots = tuple(roots)
        self.owns: set[str] = set()
        """The functions that check own indices: their last parameter is then the address for the
        numbers of a trap."""
        self.arenas: dict[str, int] = {}
        """The functions that make arrays of run-time sizes, themselves or through what they call,
        and the most bytes of the arena that these need: their last parameter is its block."""
        self._allocating: set[str] = set()
        self.called_twice: set[str] = set()
        """The functions called both in line and by threads: one copy is enough."""
        self.traps: dict[str, bool] = {}
        """Whether a function can trap, itself or through what it calls."""
        self._printing: set[str] = set()
        """The functions that print or trace themselves."""
        self._calls: dict[str, dict[str, None]] = {}
        """Callees of a function, in order of their first call."""
        self.divides: dict[str, bool] = {}
        """Whether a function, callees included, divides integers by a variable."""
        self.cold: dict[str, ColdFunction] = {}
        """The cold functions, which stay out of line."""
        self._called_in_loops: set[str] = set()
        self._sizes: dict[str, int] = {}
        self._statements: dict[str, int] = {}
        self._most: dict[str, Bound] = {}
        self._stack_bytes: dict[str, int] = {}
        self._value_bytes: dict[str, int] = {}
        found: dict[str, None] = {}
        for name in roots:
            self._visit_all(name, found)
        self.order = tuple(found)
        """The reached functions, callees first."""
        self._called = {callee for callees in self._calls.values() for callee in callees}
        self._measure_arenas()
        self._measure_stacks()
        self._hot = self.reached(roots) - self.cold.keys()
        self.cold_section = {*self.cold}
        """The cold functions, and what is reached from them, if from others too."""
        for name in reversed(found):
            if name in self.cold_section:
                self.cold_section |= self._calls[name].keys()
        looped = self.reached(self._called_in_loops)
        for name, cold in self.cold.items():
            if name not in looped or not profile.vectorise:
                cold.drop_variants()
        self.vector_dominated = profile.slp and self._is_vector_dominated()
        """Whether nearly all code is functions with cold callees that loops call."""
        if profile.slp and has_wide_offsets(module, self.order):
            self.profile = replace(profile, slp=False)
        if self.vector_dominated:
            self.profile = replace(profile, slp=False)
            if target.architecture != "wasm32":  # where addresses of functions need a table
                for cold in self.cold.values():
                    cold.shares = True

    def share(self, ranges: Sequence[str] | None, optnone: bool | None = None) -> None:
        """Leave out functions of the math library that are compiled separately, once for all
        modules: cold ones, and, if `ranges` is given, those called outside loops and ranges only.
        `optnone`: whether cold functions skip optimised code generation; None: if there are
        many."""
        # A function of this machine is called at an address, which its IR does not have.
        self.shares = not any(isinstance(self.function(n), HostFunction) for n in self.order)
        if not self.shares:
            return
        cold = [name for name in self.order if name in self.cold_section]
        out_of_line = [n for n in cold if n in self.cold or not self.is_inlined(n)]
        self.optnone = (
            len(out_of_line) > self.profile.most_cold_optimised if optnone is None else optnone
        )
        self._in_loops = self.reached({*self._called_in_loops, *self._in_parallel, *(ranges or ())})

        def kept_callees(name: str) -> Iterator[str]:
            for callee in self._calls[name]:
                kind = self._kind(callee, ranges is not None)
                if kind is None:
                    yield callee
                else:
                    self._shared[callee] = self.shared(callee, kind)

        kept = _reached(self._roots, kept_callees)
        self.order = tuple(name for name in self.order if name in kept)
        self.cold = {n: r for n, r in self.cold.items() if n in kept or n in self._shared}
        own = kept.intersection(self.cold)
        self.cold_section &= kept & _reached(own, self._calls.__getitem__)
        for name, cold_function in self.cold.items():
            if name in self._shared:
                cold_function.symbol = self._shared[name].symbol

    def _kind(self, name: str, calls: bool) -> Kind | None:
        """How a called function is shared; None if it is not."""
        if not is_library(name) or name in self._roots or self.traps[name]:
            return None
        if name in self.cold:
            return "cold"
        many = LEAST_CALLED <= self._sizes[name] < _NO_SIZE
        results = self.function(name).results
        return "call" if calls and many and results and name not in self._in_loops else None

    def shared(self, name: str, kind: Kind) -> SharedFunction:
        """The shared form of a function of the module."""
        return shared_function(self._module, name, kind, self.optnone, self.target)

    def function(self, name: str) -> Function:
        """The function called `name`; raises IRError if there is none."""
        if name not in self._module.functions:
            raise IRError(f"there is no function {name} in the module")
        return self._module.functions[name]

    def is_inlined(self, name: str) -> bool:
        """Whether every call of the function becomes its body."""
        if self.stays_whole(name):
            return False
        limit = self.profile.library_limit if is_library(name) else self.profile.inline_limit
        if self.is_cold(name):
            limit = min(limit, COLD_INLINE_LIMIT)
        return self._sizes[name] <= limit

    def stays_whole(self, name: str) -> bool:
        """Whether the function goes over arrays by calls, with memory of its own, as sums do.
        Inlined into loops, the memory of all would not become registers, and take twice the time.
        """
        function = self.function(name)
        over_arrays = any(isinstance(t, ArrayType) for _, t in function.params)
        return is_library(name) and bool(function.locals and self._calls[name]) and over_arrays

    def prints(self, name: str) -> bool:
        """Whether the function, or what it calls, prints or traces: its calls have an order."""
        if not self._printing:
            return False
        return not self._printing.isdisjoint(_reached([name], self._calls.__getitem__))

    def is_only_entered(self, name: str) -> bool:
        """Whether the function's only caller is one entry or range. LLVM inlines it there in any
        case, but only after its passes, of which a second run over the same code gains nothing."""
        return self._roots.count(name) == 1 and name not in self._called

    def is_entered(self, name: str) -> bool:
        """Whether an entry or a range calls the function."""
        return name in self._roots

    def allocates(self, name: str) -> bool:
        """Whether the function itself makes arrays of run-time sizes."""
        return name in self._allocating

    def inlined_size(self, name: str) -> int:
        """Statements that replace a call, callees included; 0 if the call stays or may trap."""
        stays = name in self.cold or self.traps[name] or not self.is_inlined(name)
        return 0 if stays else self._sizes[name]

    def is_cold(self, name: str) -> bool:
        """Whether the function is cold, or reached from cold functions only."""
        return name not in self._hot

    def frame_bytes(self, name: str) -> int:
        """Most bytes of stack that a call needs, callees included: local memory, and every value
        that may be spilled."""
        return self._stack_bytes[name] + self._values(name)

    def _values(self, name: str) -> int:
        """Most bytes of spilled values. Computed on demand, for the few guarded functions."""
        found, lanes = self._value_bytes, self.target.vector_bits // 8
        waiting = [name]
        while waiting:
            top = waiting[-1]
            # Those of a recursive function are counted with its frames.
            callees = () if self.function(top).recursion else self._calls[top]
            missing = [callee for callee in callees if callee not in found]
            waiting += missing
            if missing:
                continue
            function = self.function(waiting.pop())
            own = _VALUE_BYTES.of(function, partial(value_bytes, function, lanes), lanes)
            found[top] = own + max((found[callee] for callee in callees), default=0)
        return found[name]

    def _is_vector_dominated(self) -> bool:
        """Whether nearly all code is functions with cold callees that loops call."""
        looped = {name for name, cold in self.cold.items() if cold.has_variants}
        inside = self.reached(name for name in self._hot if self._calls[name].keys() & looped)
        inside &= self._hot
        count = sum(self._statements[name] for name in inside)
        others = sum(self._statements[name] for name in self._hot - inside)
        return count >= SLP_SKIP_STATEMENTS and others <= count * SLP_SKIP_SHARE

    def reached(self, names: Iterable[str]) -> set[str]:
        """`names` and the functions that they reach without passing through a cold one."""
        return _reached(names, lambda name: () if name in self.cold else self._calls[name])

    def _visit_all(self, root: str, found: dict[str, None]) -> None:
        """Visit a function after all that it reaches, at any depth of calls."""
        inside = {} if root in found else {root: self._visit(root, found)}
        while inside:
            name = next(reversed(inside))
            callee = next(inside[name], None)
            if callee is None:
                del inside[name]
            elif callee in inside:
                if not self.function(callee).recursion:
                    span = self.function(callee).span
                    raise IRError(f"function {callee} calls itself", span=span)
            elif callee not in found:
                inside[callee] = self._visit(callee, found)

    def _visit(self, name: str, found: dict[str, None]) -> Iterator[str]:
        """Record the properties of a function; yields its callees, which must be visited first."""
        function = self.function(name)
        traps, divides = False, False
        constants: set[int] = set()
        calls = self._calls[name] = dict[str, None]()
        self._statements[name] = 0
        for statement in walk(function.body):
            self._statements[name] += 1
            if isinstance(statement, For | While):
                inside = (s for region in regions(statement) for s in walk(region))
                self._called_in_loops.update(
                    str(s.attr) for s in inside if isinstance(s, Op) and s.opcode in CALLS
                )
            if not isinstance(statement, Op):
                continue
            if statement.opcode in CALLS:
                callee = str(statement.attr)
                calls[callee] = None
                yield callee
                # What it recurses with is not visited yet: of that everything may be.
                traps = traps or self.traps.get(callee, True)
                divides = divides or self.divides.get(callee, True)
                if statement.opcode == "parallel":
                    self._in_parallel.add(callee)
                if self._threads and statement.opcode == "parallel":
                    traps = True  # interruption of a thread has a status of its own
                    self.called_twice.add(callee)
                continue
            traps = traps or can_trap(statement)
            if statement.opcode == "own" and can_trap(statement):
                self.owns.add(name)
            elif statement.opcode in OUTPUT:
                self._printing.add(name)
            if statement.opcode == "allocate":
                assert isinstance(statement.attr, int)
                self._allocating.add(name)
                self.arenas[name] = max(self.arenas.get(name, 0), statement.attr)
            if statement.opcode == "const":
                constants.add(statement.id)
            elif statement.opcode in DIVISIONS:
                divides = divides or statement.args[1].op not in constants
        self._sizes[name] = self._size(function)
        self._most[name] = _RUN_BOUNDS.of(function, lambda: run_bound(function, self._most))
        self.traps[name] = traps
        out_of_line = function.cold and not traps  # a function that can trap is emitted as hot
        self.divides[name] = divides and not out_of_line
        if out_of_line:
            self._add_cold(function)
        found[name] = None

    def _measure_arenas(self) -> None:
        """Find the arenas of functions through what they call, until nothing grows: functions may
        recurse."""
        grows = bool(self.arenas)
        while grows:
            grows = False
            for name in self.order:
                least = max((self.arenas.get(c, 0) for c in self._calls[name]), default=0)
                if least > self.arenas.get(name, 0):
                    self.arenas[name], grows = least, True

    def _measure_stacks(self) -> None:
        """Find the stack bytes of each function, callees included, without values; of those that
        recurse with one another together, when the last of them comes."""
        reached = {name: self.function(name) for name in self.order}
        groups, left = recursive_groups(reached), {*self.order}
        for name, function in reached.items():
            left.discard(name)
            group = groups.get(name, frozenset({name}))
            if group & left:
                continue
            called = (callee for member in group for callee in self._calls[member])
            deepest = max((self._stack_bytes[c] for c in called if c not in group), default=0)
            own = local_bytes(function)
            if function.recursion:
                members = [reached[member] for member in group]
                frame = max(frame_bytes(member, reached.get) for member in members)
                own = min(frame * max(m.recursion for m in members), RECURSION_BYTES)
            if own + deepest > STACK_LIMIT:
                raise CompileError(
                    f"local arrays and structs of {name} and what it calls need "
                    f"{own + deepest:,} bytes; {STACK_LIMIT:,} are the limit",
                    span=function.span,
                    fix="pass the largest one in as a parameter",
                )
            self._stack_bytes.update(dict.fromkeys(group, own + deepest))

    def _size(self, function: Function) -> int:
        """Statements, callees included, of a function from scalars to scalars without loops."""
        scalars = all(isinstance(t, ScalarType) for _, t in function.params)
        if function.recursion:
            return _NO_SIZE
        size = 0 if scalars and not function.locals else _NO_SIZE
        for statement in walk(function.body):
            size += 1
            if isinstance(statement, For | While):
                return _NO_SIZE
            if isinstance(statement, Op) and statement.opcode in CALLS:
                callee = str(statement.attr)
                size += 0 if callee in self.cold else self._sizes[callee]
        return min(size, _NO_SIZE)

    def _add_cold(self, function: Function) -> None:
        types = [t for _, t in function.params if isinstance(t, ScalarType)]
        self.cold[function.name] = ColdFunction(
            len(self.cold),
            function_symbol(function.name),
            [scalar(t) for t in types],
            scalar(function.results[0]),
            self.target.convention,
            self.target.vector_bits,
        )


def _reached(names: Iterable[str], callees: Callable[[str], Iterable[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += callees(name)
    return found
