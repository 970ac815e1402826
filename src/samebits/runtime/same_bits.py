"""`assert_same_bits`: calls of a kernel, in every execution, compared bit by bit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, cast

import numpy as np

from samebits import bits
from samebits.backend.targets.table import Target
from samebits.errors import (
    ArgumentError,
    BitsMismatchError,
    SamebitsError,
    TargetError,
    Trap,
    folding,
)
from samebits.frontend.compile import compile_kernel, link
from samebits.lang.arguments import naming
from samebits.lang.calls.copied_arguments import copies
from samebits.lang.calls.kernel_parameters import taken
from samebits.lang.dispatch import types_for
from samebits.lang.kernel import Kernel
from samebits.lang.memory.structs import Struct
from samebits.lang.signal_safe import keeps_flags
from samebits.lang.values.scalars import RAW_OF
from samebits.lang.values.vectors import Vector, components
from samebits.passes.semantics.float_modes import first_fast, rewrites
from samebits.printed import TraceRecord, captured
from samebits.runtime import rows
from samebits.runtime.argument_copies import own_copies
from samebits.runtime.compile import compile_emulated, compile_native
from samebits.runtime.evaluate import evaluate_call
from samebits.runtime.rows import choose_rows
from samebits.types import (
    BOOL,
    FLOAT,
    INT,
    ArrayType,
    MemoryType,
    ScalarType,
    StructType,
    Type,
)


@dataclass(frozen=True, slots=True)
class Leaf:
    """One scalar of an outcome: its path, its type, and its bits as an integer."""

    place: str
    type: ScalarType
    pattern: int

    def __str__(self) -> str:
        digits = max(2, self.type.bits // 4)
        if self.type.is_ieee:
            value: object = bits.bits_to_float(self.pattern, self.type.bits)
        elif self.type.is_signed and self.pattern >> (self.type.bits - 1):
            value = self.pattern - (1 << self.type.bits)
        else:
            value = self.pattern
        return f"{self.pattern:0{digits}x} = {value!r}"


@dataclass(slots=True)
class CallOutcome:
    """The outcome of one execution: results and memory, or a trap."""

    result: Any
    memory: list[tuple[str, MemoryType, np.ndarray[Any, Any]]]
    trap: Trap | None
    writes: bool
    """Whether some memory may be written, be it empty."""
    left: list[str | TraceRecord]
    """What it printed and traced, in order."""

    @property
    def holds_bits(self) -> bool:
        """Whether there is a result, memory that the kernel may have written, or a print."""
        return self.result is not None or self.writes or bool(self.left)


def _check_kernel(value: object) -> None:
    if isinstance(value, Kernel):
        return
    name = getattr(value, "__name__", type(value).__name__)
    raise ArgumentError(
        f"assert_same_bits takes a kernel; {name} is not one",
        fix="give a function with @sb.kernel, such as one that calls it",
    )


_Instance = tuple[Kernel, tuple[Type, ...]]
"""A kernel, given those that it takes, and the types of its other parameters."""


@folding
@keeps_flags
def assert_same_bits(
    kernel: Kernel, *args: Any, targets: Iterable[str] | None = None, **kwargs: Any
) -> tuple[str, ...]:
    """Run `kernel` managed, in the reference interpreter, and compiled for every CPU level that
    this host can run, without and with optimisation; all must give the same bits.

    Managed is left out if DETERMINISTIC rewrites the kernel, or one that it calls: the reference is
    then the interpreter's run of the rewritten IR.

    `args` are not changed: each execution gets copies of arrays and structs, which overlap as the
    arguments do; a partial overlap is a RunnerError for an emulator and for WebAssembly. Compared
    are the results, every array and struct argument afterwards, the trap, if any, with its source
    span, and what it prints and traces, which is not shown.

    `targets` selects the executions compared with these two, by the names that `samebits targets`
    lists: `["x86-64-v3-O3"]`, `["x86-64-v3"]` for both optimisation levels, `["aarch64-O3"]` under
    an emulator, `["evaluate"]` for none.

    Returns the names of the compared executions, at least two, the reference first. Raises
    BitsMismatchError (an AssertionError) that names the first difference, TargetError for a target
    that is unknown or cannot run here, RunnerError if an emulator fails, and ArgumentError for
    anything but a kernel, for a kernel that is FAST or calls one that is, and if nothing would be
    compared; a trap that all executions share is raised as Trap.
    """
    compared, reference = compared_call(kernel, args, kwargs, targets)
    if reference.trap is not None:
        raise reference.trap
    return compared


def compared_call(
    kernel: Kernel,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    targets: Iterable[str] | None = None,
) -> tuple[tuple[str, ...], CallOutcome]:
    """As `assert_same_bits`: the executions compared, and the outcome of the first, which may be a
    trap."""
    _check_kernel(kernel)
    names = None if targets is None else _names(targets)
    (instance, types), bound = _bound(kernel, args, kwargs)
    compared, (reference,) = _compared(instance, types, {kernel.__name__: bound}, names)
    if reference.trap is None and not reference.holds_bits:
        raise ArgumentError(
            f"assert_same_bits: {kernel.__name__} left nothing to compare",
            note="it returns nothing, and its arguments hold no memory that it may write",
            fix="return what is to be compared, or give arrays that it writes",
        )
    return compared, reference


@folding
@keeps_flags
def assert_same_bits_each(
    kernel: Kernel,
    calls: Iterable[tuple[Any, ...] | Mapping[str, Any]],
    *,
    targets: Iterable[str] | None = None,
) -> tuple[str, ...]:
    """As `assert_same_bits` of each of `calls`, with one start of each emulator for all of them.

    A call is a tuple of its arguments, or a mapping of them by name. All traps are compared, and
    none is raised: a call that traps everywhere alike is the same.

    Returns the names of the compared executions. Raises BitsMismatchError that names the first call
    that differs in the first execution in which one does, counted from 0, and ArgumentError if
    there is no call, or if none left anything to compare.
    """
    _check_kernel(kernel)
    names = None if targets is None else _names(targets)
    by_types: dict[_Instance, dict[str, tuple[Any, ...]]] = {}
    for number, call in enumerate(cast("Iterable[object]", calls)):
        if not isinstance(call, tuple | Mapping):
            raise ArgumentError(
                f"assert_same_bits_each: call {number} is {type(call).__name__}, where a tuple of "
                "arguments is due",
                fix="write a tuple for each call, (x,) for one argument",
            )
        try:
            if isinstance(call, tuple):
                instance, bound = _bound(kernel, cast("tuple[Any, ...]", call), {})
            else:
                instance, bound = _bound(kernel, (), dict(cast("Mapping[str, Any]", call)))
        except SamebitsError as error:
            error.add_note(f"in call {number}")
            raise
        title = f"{kernel.__name__}, call {number}"
        by_types.setdefault(instance, {})[title] = bound
    if not by_types:
        raise ArgumentError(
            f"assert_same_bits_each: no call of {kernel.__name__} is given",
            fix="give one or more tuples of arguments",
        )
    compared: dict[str, None] = {}
    outcomes: list[CallOutcome] = []
    for (instance, types), of_types in by_types.items():
        found, some = _compared(instance, types, of_types, names)
        compared |= dict.fromkeys(found)
        outcomes += some
    if not any(outcome.trap or outcome.holds_bits for outcome in outcomes):
        raise ArgumentError(
            f"assert_same_bits_each: {kernel.__name__} left nothing to compare",
            note="it returns nothing, and its arguments hold no memory that it may write",
            fix="return what is to be compared, or give arrays that it writes",
        )
    return (*compared,)


def _bound(
    kernel: Kernel, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[_Instance, tuple[Any, ...]]:
    """The instance that a call runs, and its arguments in the parameters' order."""
    kernel.check_use(args, kwargs)
    kernel, given = taken(kernel, args, kwargs)
    types = types_for(kernel, given)
    with naming(kernel.__name__):
        bound = copies(given, types, [p.name for p in kernel.parameters])
    return (kernel, types), tuple(bound)


def _compared(
    kernel: Kernel,
    types: tuple[Type, ...],
    calls: Mapping[str, tuple[Any, ...]],
    targets: Sequence[str] | None,
) -> tuple[tuple[str, ...], list[CallOutcome]]:
    """The executions compared, over calls by title that all have arguments of `types`, and each
    call's outcome in the first of them."""
    # Refuse what is not in the language before anything runs.
    module = link(compile_kernel(kernel, types))
    fast = first_fast(module)
    if fast is not None:
        raise ArgumentError(
            f"assert_same_bits: {fast} is FAST, which promises no bits",
            fix="make it sb.DETERMINISTIC, or compare within a tolerance",
        )
    runs = executions(kernel, types, targets)
    first, run = next(runs)
    references = [_observe(kernel, types, bound, run) for bound in calls.values()]
    compared = [first]
    for name, run in runs:
        for (title, bound), reference in zip(calls.items(), references, strict=True):
            compare(reference, _observe(kernel, types, bound, run), name, title, first)
        compared.append(name)
    if len(compared) < 2:
        raise ArgumentError(
            f"assert_same_bits: {first} alone would run {kernel.__name__}, compared with nothing",
            note="managed is left out where a mode rewrites the kernel",
            fix="name compiled targets, or leave `targets` out",
        )
    return (*compared,), references


def _names(targets: object) -> tuple[str, ...]:
    """The names in any iterable, one-shot iterators included."""
    if isinstance(targets, str):
        raise ArgumentError(
            f"targets: expected names; got the text {targets!r}",
            fix=f"write targets=[{targets or 'x86-64-v3-O3'!r}]",
        )
    if isinstance(targets, Iterable):
        names = tuple(cast("Iterable[object]", targets))
        if all(isinstance(name, str) for name in names):
            return cast("tuple[str, ...]", names)
    raise ArgumentError(
        f"targets: expected names; got {targets!r}", fix='write targets=["x86-64-v3-O3"]'
    )


MakeRun = Callable[[Kernel, tuple[Type, ...]], Callable[..., Any]]


def executions(
    kernel: Kernel, types: tuple[Type, ...], targets: Sequence[str] | None = None
) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The executions of `kernel` that must give the same bits: managed, unless its mode rewrites
    it, evaluate, and those that `targets` selects; by default all that this process can run itself.
    Raises TargetError."""
    table = rows.table(_managed, _evaluate, _native)
    if targets is None:
        chosen = table
    else:
        if not {*targets} <= {name for row in table for name in (row.name, row.group)}:
            table = rows.table(_managed, _evaluate, _native, _emulated)
        named = choose_rows(table, targets)
        chosen = (*choose_rows(table, ["managed", "evaluate"]), *named)
    rewritten = rewrites(link(compile_kernel(kernel, types)))
    if rewritten and targets is not None and "managed" in targets:
        raise TargetError(
            f"target 'managed' does not run {kernel.__name__}'s rewritten operations",
            fix="leave it out: evaluate is what the others are compared with",
        )
    for row in dict.fromkeys(chosen):
        if not (rewritten and row.follows_source):
            yield row.name, row.make(kernel, types)


def _managed(kernel: Kernel, types: tuple[Type, ...]) -> Callable[..., Any]:
    return lambda *args: kernel.managed(**_by_name(kernel, args))


def _evaluate(kernel: Kernel, types: tuple[Type, ...]) -> Callable[..., Any]:
    return lambda *args: evaluate_call(kernel, (), _by_name(kernel, args))


def _by_name(kernel: Kernel, args: tuple[Any, ...]) -> dict[str, Any]:
    """One argument a parameter as a call takes them, some of which by name alone."""
    return {p.name: value for p, value in zip(kernel.parameters, args, strict=True)}


def _native(target: Target, opt: int) -> MakeRun:
    return lambda kernel, types: compile_native(kernel, types, target, opt)


def _emulated(target: Target, opt: int) -> MakeRun:
    return lambda kernel, types: compile_emulated(kernel, types, target, opt)


def _observe(
    kernel: Kernel, types: tuple[Type, ...], args: tuple[Any, ...], run: Callable[..., Any]
) -> CallOutcome:
    own = own_copies(args)
    memory: list[tuple[str, MemoryType, np.ndarray[Any, Any]]] = []
    writes = False
    for value, t, p in zip(own, types, kernel.parameters, strict=True):
        if isinstance(t, ArrayType):
            memory.append((p.name, t.element, np.asarray(value)))
        elif isinstance(t, StructType):
            array = value.memory if isinstance(value, Struct) else value
            memory.append((p.name, t, np.asarray(array)))
        else:
            continue
        is_read = isinstance(t, ArrayType) and t.readonly
        writes = writes or not is_read
    with captured() as left:
        try:
            return CallOutcome(run(*own), memory, None, writes, left)
        except Trap as trap:
            return CallOutcome(None, memory, trap, writes, left)


def result_leaves(value: Any, place: str = "result") -> Iterator[Leaf]:
    """Every scalar in a kernel's result."""
    if isinstance(value, tuple):
        for i, item in enumerate(cast("tuple[Any, ...]", value)):
            yield from result_leaves(item, f"{place}[{i}]")
    elif isinstance(value, Vector):
        for path, item in zip(value.__sb_type__.components, components(value), strict=True):
            yield from result_leaves(item, f"{place}.{path}")
    elif isinstance(value, Struct):
        t = type(value).__sb_type__
        yield from memory_leaves(place, t, value.memory.reshape(1), single=True)
    elif value is not None:
        t = _scalar_type(value)
        if t.is_ieee:
            yield Leaf(place, t, bits.float_to_bits(float(value), t.bits))
        else:
            yield Leaf(place, t, int(RAW_OF[t](value)) & ((1 << t.bits) - 1))


def _scalar_type(value: Any) -> ScalarType:
    own = getattr(value, "__sb_type__", None)
    if isinstance(own, ScalarType):
        return own
    return BOOL if isinstance(value, bool | np.bool_) else INT if isinstance(value, int) else FLOAT


def memory_leaves(
    name: str, t: MemoryType, array: np.ndarray[Any, Any], *, single: bool = False
) -> Iterator[Leaf]:
    """Every scalar in an array of elements of type `t`."""
    data = np.ascontiguousarray(array).view(np.ndarray).reshape(-1).view(np.uint8).tobytes()
    for k in range(len(data) // max(1, t.size)):
        head = name if single else f"{name}[{k}]"
        for path, scalar, offset in bits.leaves(t):
            at = k * t.size + offset
            raw = data[at : at + scalar.size]
            place = head + (path if path.startswith(("[", ".")) or not path else f".{path}")
            yield Leaf(place, scalar, int.from_bytes(raw, _BYTE_ORDER))


_BYTE_ORDER = "little" if np.little_endian else "big"


def compare(
    reference: CallOutcome, found: CallOutcome, target: str, kernel: str, first: str = "managed"
) -> None:
    """Raise BitsMismatchError at the first difference of `found` from the outcome of `first`."""
    a, b = _trap_key(reference.trap), _trap_key(found.trap)
    if a != b or _says_other(reference.trap, found.trap):
        ends = [_trap_text(reference.trap), _trap_text(found.trap)]
        if ends[0] == ends[1]:
            ends = [end + _extent(o.trap) for end, o in zip(ends, (reference, found), strict=True)]
        raise BitsMismatchError(
            f"{kernel}: {first} and {target} end differently\n"
            f"  {first}: {ends[0]}\n"
            f"  {target}: {ends[1]}"
        )
    _compare_left(reference.left, found.left, target, kernel, first)
    if reference.trap is None:
        _compare_leaves(
            result_leaves(reference.result), result_leaves(found.result), target, kernel, first
        )
    for (name, t, one), (_, _, two) in zip(reference.memory, found.memory, strict=True):
        if one.tobytes() != two.tobytes():
            single = isinstance(t, StructType) and one.size == 1
            _compare_leaves(
                memory_leaves(name, t, one, single=single),
                memory_leaves(name, t, two, single=single),
                target,
                kernel,
                first,
            )


def _compare_left(
    one: list[str | TraceRecord],
    two: list[str | TraceRecord],
    target: str,
    kernel: str,
    first: str,
) -> None:
    """Raise BitsMismatchError at the first text or record that differs."""
    for number, (a, b) in enumerate(zip_longest(map(_told, one), map(_told, two))):
        if a != b:
            width = max(len(target), len(first))
            raise BitsMismatchError(
                f"{kernel}: print {number} differs between {first} and {target}\n"
                f"  {first:<{width}}: {a or 'nothing'}\n"
                f"  {target:<{width}}: {b or 'nothing'}"
            )


def _told(item: str | TraceRecord) -> str:
    """What was printed, or a record by its exact numbers: a NaN is equal to itself."""
    return repr(item) if isinstance(item, str) else f"{item.name} = {item.values} at {item.span}"


def _compare_leaves(
    one: Iterator[Leaf], two: Iterator[Leaf], target: str, kernel: str, first: str
) -> None:
    for a, b in zip(one, two, strict=True):
        if a.pattern == b.pattern and a.type == b.type:
            continue
        ulp = bits.ulp_distance(a.pattern, b.pattern, a.type.bits) if a.type.is_ieee else None
        distance = f"\n  distance: {ulp} ULP" if ulp is not None else ""
        width = max(len(target), len(first))
        raise BitsMismatchError(
            f"{kernel}: {a.place} ({a.type}) differs between {first} and {target}\n"
            f"  {first:<{width}}: {a}\n"
            f"  {target:<{width}}: {b}{distance}"
        )


def _trap_key(trap: Trap | None) -> object:
    return None if trap is None else (trap.kind, trap.detail, trap.span)


def _says_other(a: Trap | None, b: Trap | None) -> bool:
    """Whether both name what they met, and not the same."""
    said = [trap.said for trap in (a, b) if trap is not None and trap.said is not None]
    return len(said) == 2 and said[0] != said[1]


def _trap_text(trap: Trap | None) -> str:
    if trap is None:
        return "returns"
    return f"{trap.message} at {trap.span}" if trap.span else trap.message


def _extent(trap: Trap | None) -> str:
    """What a trap's text leaves out: where its place ends, and what it met."""
    if trap is None or trap.span is None:
        return ""
    met = f", {trap.said}" if trap.said else ""
    return f" in {trap.span.function}, to {trap.span.end_line}:{trap.span.end_column}{met}"
