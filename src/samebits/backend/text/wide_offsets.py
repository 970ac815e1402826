"""Functions for which LLVM 22's SLP vectoriser would crash: a constant near 2^63 in an index.

Its SLP vectoriser keys a table by the constant part of addresses, in bytes, and the largest and
least int64 are reserved keys of that table (`analyzeRtStrideCandidate`, SLPVectorizer.cpp). Such an
index is outside every array, but compiled code computes its address. Owns an upper bound of
constant parts; knows the typed IR, not LLVM text.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

from samebits.ir.grammar import CALLS, For, Function, Module, Op, Return, Value, walk
from samebits.ir.once import is_library
from samebits.types import ScalarType

MOST_BITS = 40
"""An index whose constant part has fewer bits makes an offset far from 2^63: an element has less
than 2^20 bytes."""
MOST_SLICE_BITS = 32
"""The same of a slice's bounds, which add up where a slice is sliced."""

_Key = tuple[str, object]
_ANY = 64
_ROUNDS = 4
"""Rounds of the fixed point after which what still grows is widened to any number."""
_OURS = "samebits."
"""Prefix of functions that compare wide integers but never index with them."""
_SHOWS = {"eq": MOST_BITS, "ne": MOST_BITS, "lt": 62, "le": 62, "gt": 62, "ge": 62}
"""Comparisons, and the bits of a constant operand from which on they can prove the other operand to
be a too wide constant: equal to it, or next to the largest or least integer."""
_ADDITIVE = frozenset({"add", "sub", "min", "max", "abs", "neg", "floor", "ceil", "trunc", "round",
                       "flush", "copysign", "convert"})  # fmt: skip
"""Operations on floats whose result is no larger than the sum of two operands."""


def has_wide_offsets(module: Module, names: Iterable[str]) -> bool:
    """Whether an index in the functions `names` may have a constant part of `MOST_BITS` or more.

    Whatever LLVM may fold counts as constant: operands in slots and memory, arguments of functions,
    numbers that a comparison pins. Functions of the math library index their tables with few bits,
    whatever their arguments.
    """
    parts = _Parts(module)
    own = [module.functions[name] for name in names if not is_library(name)]
    parts.stale.update(function.name for function in own)
    round_number = 0
    while parts.stale:
        for function in own:
            if function.name in parts.stale and parts.visit(function, round_number >= _ROUNDS):
                return True
        round_number += 1
    return False


class _Parts:
    """Bits of the constant parts of slots, parameters, results and memory; 0 if there is none.

    A float has one only if it is constant as a whole. Slots are keyed by function and name,
    results by function and index, memory by its type.
    """

    def __init__(self, module: Module) -> None:
        self.stale: set[str] = set()
        """The functions to visit, as something that they depend on has grown."""
        self._readers: defaultdict[_Key, set[str]] = defaultdict(set)
        self._functions = module.functions
        self._known: dict[_Key, int] = {}
        for table in module.tables.values():
            self._join(("", table.element), max(map(_bits, table.values), default=0), False)

    def _join(self, key: _Key, bits: int, widen: bool) -> None:
        if bits > self._known.get(key, 0):
            self._known[key] = _ANY if widen else bits
            self.stale |= self._readers[key]

    def _read(self, key: _Key, reader: str) -> int:
        self._readers[key].add(reader)
        return self._known.get(key, 0)

    def visit(self, function: Function, widen: bool) -> bool:
        """Walk a function once; returns whether an index or a comparison is too wide."""
        name = function.name
        self.stale.remove(name)
        found: dict[tuple[int, int], int] = {}  # by op and result
        literal: dict[int, int] = {}

        def bits_of(value: Value) -> int:
            t, got = value.type, found.get((value.op, value.index), 0)
            return min(got, t.bits) if isinstance(t, ScalarType) and t.is_int else got

        for statement in walk(function.body):
            match statement:
                case For(slot=slot, start=start, stop=stop, step=step):
                    most = max(bits_of(start), bits_of(stop), step.bit_length())
                    self._join((name, slot), most, widen)
                case Return(values=values):
                    for index, value in enumerate(values):
                        self._join((name, index), bits_of(value), widen)
                case Op(opcode=opcode, args=args, attr=attr):
                    given = [bits_of(value) for value in args]
                    match opcode:
                        case "const":
                            found[statement.id, 0] = _bits(attr)
                            if isinstance(attr, int):
                                literal[statement.id] = attr
                        case "get":
                            found[statement.id, 0] = self._read((name, attr), name)
                        case "set":
                            self._join((name, attr), given[0], widen)
                        case "load":
                            found[statement.id, 0] = self._read(("", statement.result.type), name)
                        case "store":
                            self._join(("", args[1].type), given[1], widen)
                        case "element" | "row":
                            if max(given[1:], default=0) >= MOST_BITS:
                                return True
                        case "slice":
                            if max(given[1:]) >= MOST_SLICE_BITS:
                                return True
                        case _ if opcode in CALLS:
                            found |= self._call(statement, given, widen, name)
                        case _ if opcode in _SHOWS:
                            wide = _is_int(args[0]) and max(given) >= _SHOWS[opcode]
                            if wide and not name.startswith(_OURS):
                                return True
                        case _ if statement.results:
                            found[statement.id, 0] = _computed(statement, given, literal)
                        case _:
                            pass
                case _:
                    pass
        return False

    def _call(
        self, op: Op, given: list[int], widen: bool, caller: str
    ) -> dict[tuple[int, int], int]:
        """Join arguments into a callee's parameters; returns the bits of its results."""
        callee = str(op.attr)
        if is_library(callee):
            bits = _ANY if given and all(given) else 0
            return {(op.id, value.index): bits for value in op.results}
        if op.opcode == "parallel":
            del given[2]  # the batch
        for (slot, _), bits in zip(self._functions[callee].params, given, strict=True):
            self._join((callee, slot), bits, widen)
        return {(op.id, v.index): self._read((callee, v.index), caller) for v in op.results}


def _bits(number: object) -> int:
    """Bits of a constant, at least one for a float."""
    if isinstance(number, float):
        return max(1, int(number).bit_length()) if math.isfinite(number) else _ANY
    return number.bit_length() if isinstance(number, int) else 0


def _computed(op: Op, given: list[int], literal: Mapping[int, int]) -> int:
    """Bits of an operation's result from those of its operands."""
    most, every = max(given, default=0), all(given)
    if op.args and isinstance(op.args[0].type, ScalarType) and op.args[0].type.is_float:
        if not every:
            return 0  # computed as the program runs
        if op.opcode == "mul":
            return min(_ANY, sum(given))
        return most if op.opcode in _ADDITIVE else _ANY
    literals = [literal.get(value.op) for value in op.args]
    match op.opcode:
        case "sub" | "neg" | "not" if every and _is_unsigned(op.result):
            return _ANY
        case "convert" if literals[0] is not None and literals[0] < 0 and _is_unsigned(op.result):
            return _ANY
        case "add" | "sub" if every and literals == [None, None]:
            return most + 1  # in a loop, this grows
        case "mul":
            return min(_ANY, sum(given)) if every else 0
        case "shl" if given[0]:
            return min(_ANY, given[0] + (_ANY if literals[1] is None else max(literals[1], 0)))
        case "shr" if literals[1] is not None and literals[1] > 0:
            return max(most - literals[1], min(most, 1))
        case "and" if any(n is not None and n >= 0 for n in literals):
            return min(given)
        case "rotl" | "rotr" | "bitcast" if most:
            return _ANY
        case _:
            return most


def _is_int(value: Value) -> bool:
    return isinstance(value.type, ScalarType) and value.type.is_int


def _is_unsigned(value: Value) -> bool:
    return isinstance(value.type, ScalarType) and value.type.is_int and not value.type.is_signed
