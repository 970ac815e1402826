"""Whether compiled kernels do what evaluate does and touch nothing else: many to an object.

Owns one unit of programs in this process: lowered, evaluated with a limit on iterations, optimised,
compiled together, called with their memory between pages that trap. A call that touches these
ends the process: `workers` has run this in another one, and reads `Progress`.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import linecache
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from samebits.backend.llvm.compile import compile_module
from samebits.backend.llvm.engine import host_target, load
from samebits.backend.objects import STATUS_MASK
from samebits.errors import CompileError, SamebitsWarning, Trap
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Function, Module, Region
from samebits.ir.interp.closures import Frame, Signal, Step, Steps
from samebits.ir.interp.evaluator import ArrayView, Evaluator, Ref
from samebits.ir.verify import verify
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise
from samebits.passes.semantics.float_modes import lower_float_modes
from samebits.runtime.threads.pool import set_workers
from samebits.types import ArrayType, RefType, ScalarType
from tests.fuzz.bounds.pages import PAGE, Pages
from tests.fuzz.generator import Program
from tests.fuzz.inputs import InputSet
from tests.fuzz.outcome import TrapPlace, scalar_bits, scalar_value, trap_place

ITERATIONS = 400
"""Regions that evaluate enters before a call is left out: compiled, it might never end."""
SECONDS = 3.0
"""Processor time that the calls of one program may take. A process that takes more is ended."""
PIECES = 8
BIG = 8 * PAGE
_serial = itertools.count()


@dataclass(frozen=True)
class Found:
    """A call whose executions disagree, or a program that broke off, compiled at level `opt`."""

    seed: int
    call: int
    kind: str
    text: str
    opt: int = 0


@dataclass
class Tally:
    """What was compared."""

    programs: int = 0
    """Those of which a call was compared."""
    calls: int = 0
    """Calls compared: each was evaluated once and called twice."""
    traps: Counter[str] = field(default_factory=Counter[str])
    """How the calls ended that were compared, by the kind of trap."""
    refused: int = 0
    """Programs that the front end refused."""
    endless: int = 0
    """Calls left out for their iterations."""
    found: list[Found] = field(default_factory=list[Found])

    def add(self, other: Tally) -> None:
        self.programs += other.programs
        self.calls += other.calls
        self.traps += other.traps
        self.refused += other.refused
        self.endless += other.endless
        self.found += other.found


class Progress:
    """What is being called now: two numbers that outlive the process. -1: nothing is."""

    def __init__(self, words: Any) -> None:
        self._words = words

    def now(self, seed: int, call: int) -> None:
        self._words[0], self._words[1] = seed, call

    @property
    def seed(self) -> int:
        return int(self._words[0])

    @property
    def call(self) -> int:
        return int(self._words[1])


@dataclass(frozen=True)
class Ending:
    """How a call ended: its trap or its results' bits, and the memory that it leaves."""

    trap: TrapPlace | None
    results: tuple[int, ...]
    memory: tuple[bytes, ...]

    def difference(self, other: Ending) -> tuple[str, str]:
        """What differs first: its kind, and a text."""
        if self.trap != other.trap:
            kinds = [e.trap[0] if e.trap else "no" for e in (self, other)]
            return f"{kinds[0]} trap, {kinds[1]} trap", f"{self.trap} != {other.trap}"
        if self.results != other.results:
            return "results", f"{self.results} != {other.results}"
        for k, (a, b) in enumerate(zip(self.memory, other.memory, strict=True)):
            if a != b:
                at = next(i for i in range(len(a)) if a[i] != b[i])
                return "memory", f"blob {k}, byte {at}: {a.hex()} != {b.hex()}"
        return "nothing", ""


# Evaluate


class TooLongError(Exception):
    """Evaluation takes more iterations than are worth waiting for."""


class _Clock:
    left = 0


class _Counted(Steps):
    """Counts the regions that are entered; every loop enters one an iteration."""

    def region(self, region: Region) -> Step:
        run = super().region(region)

        def counted(frame: Frame) -> Signal:
            _Clock.left -= 1
            if _Clock.left < 0:
                raise TooLongError
            return run(frame)

        return counted


class Limited(Evaluator):
    """The reference, which raises TooLongError instead of going on for ever."""

    def prepared(self, function: Function) -> Steps:
        return _Counted(function, self.tables, self.call, self.listener)


@dataclass(frozen=True)
class Loaded:
    """A program of a unit: its IR as the front end gave it, and its calls as evaluate ends them."""

    program: Program
    symbol: str
    optimised: Module
    function: Function
    endings: dict[int, Ending]
    """By the number of the input set; without those that are left out."""


def _evaluated(evaluator: Limited, symbol: str, function: Function, inputs: InputSet) -> Ending:
    memory = [bytearray(blob) for blob in inputs.blobs]
    args: list[Any] = []
    for (_, t), argument in zip(function.params, inputs.args, strict=True):
        match t:
            case ScalarType():
                args.append(scalar_value(t, argument[2]))
            case ArrayType():
                args.append(ArrayView(memory[argument[2]], argument[3], argument[4]))
            case RefType():
                args.append(Ref(memory[argument[2]], argument[3]))
    _Clock.left = ITERATIONS
    trap: TrapPlace | None = None
    results: tuple[int, ...] = ()
    try:
        values = evaluator.run(symbol, args)
        results = tuple(map(scalar_bits, function.results, values))
    except Trap as stopped:
        trap = trap_place(stopped)
    return Ending(trap, results, tuple(map(bytes, memory)))


# Loading


def _entry(source: str, name: str) -> Kernel:
    """The entry of a module that is in no file."""
    file = f"<{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    module = ModuleType(name)
    module.__file__ = file
    sys.modules[name] = module
    with warnings.catch_warnings(action="ignore"):  # what is made small may look odd
        exec(compile(source, file, "exec"), vars(module))
    entry = module.entry
    return entry if isinstance(entry, Kernel) else entry.__sb_job__.kernel


def _loaded(program: Program, name: str, tally: Tally, *, checked: bool) -> Loaded | None:
    """The program evaluated and optimised; None where the front end refuses it."""
    try:
        kernel = _entry(program.source, name)
        types = kernel.fixed_types
        assert types is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SamebitsWarning)  # what is drawn wraps where it may
            unit = compile_kernel(kernel, types)
    except CompileError:
        tally.refused += 1
        return None
    symbol = unit.function.name
    module = lower_float_modes(link(unit))
    function = module.functions[symbol]
    evaluator = Limited(module)
    endings: dict[int, Ending] = {}
    for k, inputs in enumerate(program.inputs):
        try:
            endings[k] = _evaluated(evaluator, symbol, function, inputs)
        except TooLongError:
            tally.endless += 1
    if not endings:
        return None
    optimised = optimise(module, [symbol])
    if checked:
        verify(optimised)
    return Loaded(program, symbol, optimised, function, endings)


# Compiled


class Caller:
    """Calls entries with their memory between pages that trap."""

    def __init__(self) -> None:
        self._small, self._big = Pages(PIECES), Pages(PIECES, BIG)

    def ending(
        self, entry: Callable[[int], int], traps: Sequence[Any], function: Function,
        inputs: InputSet, *, after: bool,
    ) -> Ending | None:  # fmt: skip
        """How a call ends; None where it wrote beside its memory."""
        sizes = [len(blob) for blob in inputs.blobs]
        pages = self._small if max(sizes, default=0) <= PAGE else self._big
        places = pages.place(inputs.blobs, after=after)
        slots: list[int] = []
        for argument in inputs.args:
            match argument[0]:
                case "scalar":
                    slots.append(argument[2])
                case "array":
                    slots += (places[argument[2]] + argument[3], *argument[4])
                case _:
                    slots.append(places[argument[2]] + argument[3])
        count = len(function.results)
        block = (ctypes.c_uint64 * (len(slots) + count + 1))(*slots)
        status = entry(ctypes.addressof(block))
        memory = pages.contents(sizes, after=after)
        if memory is None:
            return None
        if status:
            site = traps[(status & STATUS_MASK) - 1]
            trap = trap_place(Trap(site.kind, site.span, site.detail))
            return Ending(trap, (), tuple(memory))
        results = [
            block[len(slots) + k] & ((1 << t.bits) - 1) for k, t in enumerate(function.results)
        ]
        return Ending(None, tuple(results), tuple(memory))


_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
_callers: list[Caller] = []


def _limit_time(seconds: float) -> None:
    # Again and again: what is raised inside a destructor goes nowhere.
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.1)


def judge(
    programs: Sequence[Program],
    progress: Progress,
    opt: int = 0,
    skip: frozenset[int] = frozenset(),
) -> Tally:
    """Compare the programs with evaluate, compiled at level `opt` from what the passes made of
    them; those whose seeds are in `skip` are left out."""
    tally = Tally()
    loaded: list[Loaded] = []
    names: list[str] = []
    progress.now(-1, -1)
    gc.disable()  # a unit's garbage goes with it, at a fifth of the time
    try:
        for program in programs:
            if program.seed in skip:
                continue
            names.append(f"bounds_{next(_serial)}")
            try:
                one = _loaded(program, names[-1], tally, checked=program.seed % 8 == 0)
            except Exception as error:  # whatever it is, it is this program's
                kind = f"broke off: {type(error).__name__}"
                tally.found.append(Found(program.seed, 0, kind, f"{kind}: {error}", opt))
                continue
            if one is not None:
                loaded.append(one)
        if loaded:
            _call_all(loaded, progress, opt, tally)
    finally:
        _limit_time(0)
        gc.enable()
        for name in names:
            sys.modules.pop(name, None)
            linecache.cache.pop(f"<{name}>", None)
    progress.now(-1, -1)
    return tally


def _call_all(loaded: list[Loaded], progress: Progress, opt: int, tally: Tally) -> None:
    module = Module()
    for one in loaded:
        module.functions.update(one.optimised.functions)
        module.tables.update(one.optimised.tables)
    symbols = [one.symbol for one in loaded]
    made = compile_module(module, symbols, host_target(), opt, threads=bool(opt))
    entries = [f"sb_entry_{k}" for k in range(len(loaded))]
    code = load(made.object_bytes, entries)
    if not _callers:
        _callers.append(Caller())
    try:
        for name, one in zip(entries, loaded, strict=True):
            _limit_time(SECONDS)
            entry = _PROTOTYPE(code.addresses[name])
            found = _disagreement(entry, made.traps, one, progress, opt)
            tally.programs += 1
            tally.calls += len(one.endings)
            for ending in one.endings.values():
                tally.traps[ending.trap[0] if ending.trap else "none"] += 1
            if found is not None:
                tally.found.append(found)
    finally:
        if opt:
            set_workers(None)
        code.close()


def _disagreement(
    entry: Any, traps: Sequence[Any], one: Loaded, progress: Progress, opt: int
) -> Found | None:
    seed = one.program.seed
    for call, expected in one.endings.items():
        progress.now(seed, call)
        if opt:
            # After a trap, what the iterations above it have written depends on the workers.
            set_workers(1 if expected.trap else 3)
        for after in (False, True):
            ending = _callers[0].ending(
                entry, traps, one.function, one.program.inputs[call], after=after
            )
            if ending is None:
                return Found(seed, call, "outside", "bytes beside an array were written", opt)
            if ending != expected:
                kind, text = expected.difference(ending)
                return Found(seed, call, kind, f"{kind}: {text}", opt)
    return None
