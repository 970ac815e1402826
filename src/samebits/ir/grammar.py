"""The whole grammar of the typed IR, and the table of its operations.

    module    = function*
    function  = name params locals results region
    region    = statement*
    statement = op | if | while | for | break | continue | return

Control flow is structured. Names live in typed slots (`get`, `set`); an op's results are used
only in the region that holds the op or in regions nested in it. Vectors do not occur as values:
the front end splits them into scalars. Knows nothing of Python's `ast`, of LLVM, or of values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from samebits.errors import Span
from samebits.modes import DEFAULTS, Options
from samebits.types import ArrayType, FixedArrayType, MemoryType, RefType, ScalarType

ValueType = ScalarType | ArrayType | RefType
"""Types of slots and results of ops: scalars, arrays (address and lengths), references."""

Attribute = int | float | bool | str | None


@dataclass(frozen=True, slots=True)
class Value:
    """Result `index` of the op with id `op`."""

    op: int
    index: int
    type: ValueType

    def __hash__(self) -> int:
        # Passes ask for values a million times; the type makes none different.
        return self.op << 3 ^ self.index


@dataclass(slots=True)
class Op:
    """One operation: `opcode`, operands, an immediate attribute, and typed results.

    `unchecked` says that a pass has shown that the op cannot trap.
    """

    id: int
    opcode: str
    args: tuple[Value, ...]
    attr: Attribute
    results: tuple[Value, ...]
    span: Span
    unchecked: bool = False

    @property
    def result(self) -> Value:
        return self.results[0]


@dataclass(slots=True)
class If:
    id: int
    condition: Value
    then: Region
    orelse: Region
    span: Span


@dataclass(slots=True)
class While:
    """A `while` loop: `head` computes `condition` before each iteration; `orelse` runs when it ends
    without break.

    `vectorized` is a demand of the source, as of `For`.
    """

    id: int
    head: Region
    condition: Value
    body: Region
    orelse: Region
    span: Span
    vectorized: bool = False


JOINS: dict[str, float] = {"add": -0.0, "mul": 1.0, "min": float("inf"), "max": float("-inf")}
"""The operations that join lanes, each with the value that changes nothing."""
MAX_LANES = 256


@dataclass(frozen=True, slots=True)
class Lanes:
    """The accumulation of a `for`: `counts` of lanes, descending powers of two, and the slots of
    floats, each with the operation that joins two of its lanes.

    For each count n in order, the remaining iterations are cut into blocks of n, from the first on.
    If there is a whole one: the slot is n lanes, each at first what changes nothing; iteration k of
    these blocks reads and sets lane k mod n; then the upper half of the lanes is joined to the
    lower, (lane i, lane i + n/2), until one is left, which is joined to what the slot held
    before, (slot, lane). Iterations left at the end read and set the slot itself. With `flush`,
    the result of a join is flushed, as by the op `flush`.
    """

    counts: tuple[int, ...]
    slots: tuple[tuple[str, str], ...]
    flush: bool = False


@dataclass(slots=True)
class For:
    """A `for` loop: `slot` takes start, start+step, … before `stop`, from a counter that the body
    can't touch.

    `start` and `stop` have type `int` and are evaluated once, before; `step` is a constant ≠ 0.
    The slot keeps the last value; without an iteration it is not set. With `lanes`, whose slots are
    set before, no `break` leaves it. `vectorized` is a demand of the source: compilation fails if
    the loop is not vectorised. It changes no result.
    """

    id: int
    slot: str
    start: Value
    stop: Value
    step: int
    body: Region
    orelse: Region
    span: Span
    lanes: Lanes | None = None
    vectorized: bool = False


@dataclass(slots=True)
class Break:
    span: Span


@dataclass(slots=True)
class Continue:
    span: Span


@dataclass(slots=True)
class Return:
    values: tuple[Value, ...]
    span: Span


Numbered = Op | If | While | For
"""The statements that have an id."""
Statement = Numbered | Break | Continue | Return
Region = list[Statement]
MAX_NESTING = 200
"""Most regions inside one another, so that no walk over legal IR exhausts Python's stack."""


@dataclass(slots=True)
class Function:
    """A function: `params` are slots that hold the arguments on entry, `slots` the other names.

    `locals` are pieces of memory of this call alone, zeroed by an explicit `zero`. A `cold`
    function takes scalars and returns one: loops around its calls are optimised for the iterations
    without one. `options` are its kernel's, but `precision` is HIGH: calls are resolved already.
    """

    name: str
    params: tuple[tuple[str, ValueType], ...]
    results: tuple[ScalarType, ...]
    slots: dict[str, ValueType]
    locals: dict[str, MemoryType]
    body: Region
    span: Span
    cold: bool = False
    options: Options = DEFAULTS
    recursion: int = 0
    """The most calls of it and of functions that it recurses with that may be inside one another,
    which its code tests; 0 for a function that does not call itself."""


@dataclass(slots=True)
class HostFunction(Function):
    """A C function of this machine at `address`, which a diagnosis substitutes for another. The
    body represents it where IR is analysed only."""

    address: int = 0


@dataclass(slots=True)
class HostTable(HostFunction):
    """Bytes of this process's memory at `address`, the one of a number: a diagnosis changes them
    between runs of code that stays as it is."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class TableData:
    """Constant numbers that the op `table` refers to, as a fixed array in read-only memory: row by
    row where `shape` has more dimensions than one."""

    element: ScalarType
    values: tuple[int | float | bool, ...]
    shape: tuple[int, ...] = ()

    @property
    def type(self) -> FixedArrayType:
        return FixedArrayType(self.element, self.shape or (len(self.values),))


@dataclass(slots=True)
class Module:
    """Functions by name, callees before callers, but for functions with `recursion`, which may call
    one another."""

    functions: dict[str, Function] = field(default_factory=dict[str, Function])
    tables: dict[str, TableData] = field(default_factory=dict[str, TableData])


@dataclass(frozen=True, slots=True)
class OpRule:
    """A row of the operation table.

    `operands` says how many; `None` any. `trap` names the trap that the op can raise, if any
    (for `int` and `float` types only where `weak_trap` is set). `pure` ops depend on their
    operands alone and may be removed or folded when they cannot trap.
    """

    operands: int | None
    meaning: str
    trap: str | None = None
    weak_trap: bool = False
    pure: bool = True


FITS = "fits"
"""The attribute of a `convert` of a float that a test before it has shown to fit, or whose result
is not used."""

# Arithmetic keeps its operands' type. "wraps" is for fixed-width integers; weak `int` traps.
OPS: dict[str, OpRule] = {
    "const": OpRule(0, "attr as the result type; floats are exact binary values"),
    "get": OpRule(0, "the value in slot attr", pure=False),
    "set": OpRule(1, "store into slot attr", pure=False),
    "add": OpRule(2, "a+b; integers wrap", "overflow", True),
    "sub": OpRule(2, "a-b; integers wrap", "overflow", True),
    "mul": OpRule(2, "a*b; integers wrap", "overflow", True),
    "neg": OpRule(1, "-a; integers wrap; floats flip the sign bit", "overflow", True),
    "abs": OpRule(1, "|a|; integers wrap; floats clear the sign bit", "overflow", True),
    "div": OpRule(2, "a/b of floats; weak float traps when b is zero", "zero", True),
    "floordiv": OpRule(2, "floor(a/b) of integers; MIN//-1 wraps (weak int: overflow)", "zero"),
    "mod": OpRule(2, "a-floor(a/b)*b of integers, the divisor's sign", "zero"),
    "sqrt": OpRule(1, "square root of a float, rounded to nearest even"),
    "fma": OpRule(3, "a*b+c of floats, rounded once"),
    "muladd": OpRule(3, "a*b+c of floats; rounded twice here, once where the target has the "
                        "instruction: legal only where what follows rounds either to one result"),
    "product_error": OpRule(2, "a*b of floats minus its rounded value, exact unless it or a part "
                               "of it underflows or |a| or |b| is above 2^995 (binary32: 2^127), "
                               "where it may differ between targets: legal as muladd is"),
    "min": OpRule(2, "least; floats: -0 < +0, a NaN gives NaN"),
    "max": OpRule(2, "greatest; floats: -0 < +0, a NaN gives NaN"),
    "floor": OpRule(1, "round a float down; keeps the sign of zero"),
    "ceil": OpRule(1, "round a float up; keeps the sign of zero"),
    "trunc": OpRule(1, "round a float toward zero; keeps the sign of zero"),
    "round": OpRule(1, "round a float to nearest, ties to even; keeps the sign of zero"),
    "flush": OpRule(1, "the float a; a zero of its sign where a is subnormal"),
    "copysign": OpRule(2, "a with the sign bit of b (a NaN b counts as positive)"),
    "and": OpRule(2, "bitwise, or of bools"),
    "or": OpRule(2, "bitwise, or of bools"),
    "xor": OpRule(2, "bitwise, or of bools"),
    "not": OpRule(1, "bitwise complement, or of a bool"),
    "shl": OpRule(2, "a<<b; a count outside 0..bits-1 gives 0; weak int: traps", "overflow", True),
    "shr": OpRule(2, "a>>b; a count outside 0..bits-1 gives 0 or, for negative a, -1; "
                     "weak int: a negative count traps", "shift", True),
    "popcount": OpRule(1, "number of ones, in a's type"),
    "clz": OpRule(1, "leading zeros, in a's type; of 0: the width"),
    "ctz": OpRule(1, "trailing zeros, in a's type; of 0: the width"),
    "rotl": OpRule(2, "rotate left by b modulo the width"),
    "rotr": OpRule(2, "rotate right by b modulo the width"),
    "eq": OpRule(2, "a==b; NaN equals nothing"),
    "ne": OpRule(2, "a!=b"),
    "lt": OpRule(2, "a<b"),
    "le": OpRule(2, "a<=b"),
    "gt": OpRule(2, "a>b"),
    "ge": OpRule(2, "a>=b"),
    "likely": OpRule(1, "the bool a, which is nearly always true"),
    "unlikely": OpRule(1, "the bool a, which is nearly always false"),
    "select": OpRule(3, "b if the bool a else c; both are evaluated"),
    "convert": OpRule(1, "to the result type: int to int wraps, int to float rounds once to "
                         "nearest even, float to int truncates, saturates, NaN gives 0, and "
                         "with attr FITS any number where that would be out of range; "
                         "bool counts as 0 or 1; to and from weak types as to int64 and float64"),
    "narrow": OpRule(1, "weak int to a fixed-width integer that must hold it", "overflow"),
    "bitcast": OpRule(1, "the same bits (of the canonical NaN) as the result type"),
    "local": OpRule(0, "reference to the local memory attr"),
    "table": OpRule(0, "reference to the constant table attr of the module, never written"),
    "field": OpRule(1, "reference to field attr of a struct reference"),
    "component": OpRule(1, "reference to component attr (0..3) of a vector reference"),
    "element": OpRule(None, "reference to an element: array or array reference, then one weak "
                            "int a dimension, already checked"),
    "row": OpRule(2, "array that is row b of array a, of one dimension less, index already "
                     "checked"),
    "slice": OpRule(3, "elements or rows b to c-1 of array a, none where b >= c; bounds already "
                       "checked"),
    "view": OpRule(1, "array over the fixed array that a refers to"),
    "flat": OpRule(1, "1-D array of the components, in order, of the vectors in the 1-D array a"),
    "arena": OpRule(0, "weak int: the bytes of the arena that are in use", pure=False),
    "release": OpRule(1, "make the weak int a the bytes of the arena that are in use", pure=False),
    "allocate": OpRule(None, "new array of zero bytes in the arena, of the lengths before the last "
                             " operand, a weak int that is `arena`: trap if a length is "
                             "negative, or if it ends after byte attr, a length of 0 counted as "
                             "1; then `release` of its end, rounded up to 16 bytes. A function "
                             "that returns releases what it has allocated", "arena", pure=False),
    "length": OpRule(1, "weak int: length along dimension attr of an array value"),
    "apart": OpRule(2, "whether no byte lies in both of two arrays or referents; with attr true "
                       "also where they begin at one place and 2-D arrays have rows of one length"),
    "load": OpRule(1, "the scalar that a refers to", pure=False),
    "store": OpRule(2, "write the scalar b where a refers to; a NaN becomes canonical", pure=False),
    "copy": OpRule(2, "copy what b refers to over what a refers to", pure=False),
    "zero": OpRule(1, "fill what a refers to with zero bytes", pure=False),
    "index": OpRule(2, "weak ints, b not below 0: trap unless 0 <= a < b; attr is the axis where "
                       "there are more, or what the trap says, with a place for b; no result",
                    "index", pure=False),
    "bound": OpRule(2, "weak ints: trap unless 0 <= a <= b; attr is what the trap says; no result",
                    "index", pure=False),
    "assert": OpRule(None, "trap unless the bool a; attr is the message or None, with places for "
                           "what follows a; no result", "assert", pure=False),
    "assume": OpRule(1, "trap unless the bool a; compiled unchecked, what follows relies on it; "
                        "no result", "assume", pure=False),
    "overflow": OpRule(None, "trap where the bool a holds; attr is what it says of the values that "
                             "follow a; no result", "overflow", pure=False),
    "print": OpRule(None, "print attr, a text with places for the values; no result", pure=False),
    "trace": OpRule(None, "keep the values under the name that attr, with places for them, begins "
                          "with, if anybody reads records; no result", pure=False),
    "own": OpRule(3, "weak ints: trap unless b <= a < b+c, the indices of array attr that this run "
                     "of a parallel body owns; no result", "own", pure=False),
    "call": OpRule(None, "call function attr; its results", pure=False),
    "parallel": OpRule(None, "weak ints start, stop and batch (0: any), then what the body uses "
                             "of outside: call function attr with all but the batch, or, where none"
                             " can tell the difference, with pieces of that range on several "
                             "threads; no result", pure=False),
}  # fmt: skip


MOST_VALUES = 8
"""The most values that an assertion or a trap names."""
MOST_PRINTED = 64
"""The most values of one `print` or `trace`."""
CALLS = frozenset({"call", "parallel"})
"""The opcodes whose attribute names a function."""


def plain_name(function: Function) -> str:
    """A kernel's name as written in the source, without the enclosing function."""
    return function.span.function.rpartition("<locals>.")[2]


def can_trap(op: Op) -> bool:
    """Whether this op, at its type, can trap (for a `call`, ask about its callee)."""
    rule = OPS[op.opcode]
    if rule.trap is None or op.unchecked:
        return False
    if not rule.weak_trap:
        return True
    operand = op.args[0].type
    return (
        isinstance(operand, ScalarType)
        and operand.weak
        and (operand.is_float == (op.opcode == "div"))
    )


def trip_count(start: int, stop: int, step: int) -> int:
    """The iterations of a `for`: the length of a `range`, whose `len` is refused beyond 2^63."""
    return max(0, -((start - stop) // step))


def walk(region: Region) -> Iterator[Statement]:
    """Every statement in `region`, nested ones included, in source order."""
    for statement in region:
        yield statement
        if not isinstance(statement, Op):
            for inner in regions(statement):
                yield from walk(inner)


def may_loop(function: Function) -> bool:
    """Whether there is a loop in a function, or a call of one that may have it."""
    return any(
        isinstance(s, For | While) or (isinstance(s, Op) and s.opcode in CALLS)
        for s in walk(function.body)
    )


def regions(statement: Statement) -> tuple[Region, ...]:
    """The regions directly inside `statement`, in the order in which they run."""
    match statement:
        case If():
            return (statement.then, statement.orelse)
        case While():
            return (statement.head, statement.body, statement.orelse)
        case For():
            return (statement.body, statement.orelse)
        case _:
            return ()
