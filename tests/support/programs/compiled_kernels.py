"""Hand-built IR compiled for a host level and called with plain values, for comparison."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from samebits.backend import objects
from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import compile_module
from samebits.backend.targets.table import Target
from samebits.bits import float_to_bits
from samebits.errors import Trap
from samebits.ir.grammar import Function, Module
from samebits.ir.interp.evaluator import evaluate
from samebits.types import ArrayType, Kind, RefType, ScalarType

HOST_TARGETS: list[Target] = [
    level.target for level in engine.available_targets() if level.reason is None
]
CONFIGURATIONS = [(target, opt) for target in HOST_TARGETS for opt in (0, 3)]
CONFIGURATION_NAMES = [f"{target.name}-O{opt}" for target, opt in CONFIGURATIONS]

_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


def to_word(t: ScalarType, value: Any) -> int:
    """The 8-byte slot of a scalar, NaN as it comes."""
    if t.is_float:
        code = "<I" if t.bits == 32 else "<Q"
        return struct.unpack(code, struct.pack("<f" if t.bits == 32 else "<d", value))[0]
    return int(value) & ((1 << (8 * t.size)) - 1)


def from_word(t: ScalarType, word: int) -> Any:
    """The value in a result slot, floats as bit patterns so that equality is of bits."""
    if t.is_float or not t.is_signed:
        return bool(word) if t.kind is Kind.BOOL else word
    word &= (1 << t.bits) - 1
    return word - (1 << t.bits) if word >> (t.bits - 1) else word


def as_bits(t: ScalarType, value: Any) -> Any:
    """A result of evaluation in the form of `from_word`."""
    return float_to_bits(value, t.bits) if t.is_float else value


class Compiled:
    """Entries of a module, loaded; results come back as `from_word` has them."""

    def __init__(
        self,
        functions: Sequence[Function],
        entries: Sequence[str],
        target: Target,
        opt: int,
        module: Module | None = None,
    ) -> None:
        self.module = module or Module({f.name: f for f in functions})
        compiled = compile_module(self.module, entries, target, opt)
        self.traps = compiled.traps
        symbols = [f"sb_entry_{i}" for i in range(len(entries))]
        self.loaded = engine.load(compiled.object_bytes, symbols)
        self.calls = {
            name: _ENTRY(self.loaded.addresses[symbol])
            for name, symbol in zip(entries, symbols, strict=True)
        }

    def words(self, name: str, words: Sequence[int], results: int) -> tuple[int, list[int]]:
        """Status, and the result slots, of a call with raw slots."""
        slots = (ctypes.c_uint64 * (len(words) + results + 1))(*words)
        status = self.calls[name](ctypes.addressof(slots))
        return status, list(slots[len(words) : len(words) + results])

    def __call__(self, name: str, *args: Any) -> Any:
        """Results as a tuple, or the `TrapSite` that stopped the kernel."""
        function = self.module.functions[name]
        words: list[int] = []
        for (_, t), value in zip(function.params, args, strict=True):
            match t:
                case ScalarType():
                    words.append(to_word(t, value))
                case ArrayType():
                    words += [value.ctypes.data, *value.shape[: t.ndim]]
                case RefType():
                    words.append(value.ctypes.data)
        status, found = self.words(name, words, len(function.results))
        if status:
            return self.traps[status - 1]
        return tuple(map(from_word, function.results, found))


def evaluated(functions: Sequence[Function], name: str, *args: Any) -> Any:
    """What evaluation gives, in the form of `Compiled.__call__`."""
    module = Module({f.name: f for f in functions})
    try:
        results = evaluate(module, name, args)
    except Trap as trap:
        return objects.TrapSite(trap.kind, trap.span, trap.detail)  # type: ignore[arg-type]
    return tuple(map(as_bits, module.functions[name].results, results))


def copies(args: Sequence[Any]) -> list[Any]:
    """Arguments with memory of their own, padding included."""
    return [
        np.frombuffer(bytearray(arg.tobytes()), arg.dtype).reshape(arg.shape)
        if isinstance(arg, np.ndarray)
        else arg
        for arg in args
    ]


def assert_compiled_is_evaluated(
    functions: Sequence[Function], name: str, *args: Any, configurations: Any = CONFIGURATIONS
) -> Any:
    """The same results, memory and trap in every configuration; returns what they agree on."""
    wanted_args = copies(args)
    wanted = evaluated(functions, name, *wanted_args)
    for target, opt in configurations:
        found_args = copies(args)
        found = Compiled(functions, [name], target, opt)(name, *found_args)
        assert found == wanted, (target.name, opt)
        for a, b in zip(found_args, wanted_args, strict=True):
            if isinstance(a, np.ndarray):
                assert a.tobytes() == b.tobytes(), (target.name, opt)
    return wanted
