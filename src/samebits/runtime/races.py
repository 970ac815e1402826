"""The race detector: which iterations of a parallel range wrote and read each shared byte.

It runs the range in the reference interpreter, iteration by iteration.

It sees real accesses, whatever the rules allow: those by `unsafe_parallel`, and those to one array
under two names. Knows nothing of threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samebits.bits import leaves
from samebits.errors import MemoryAccess, RaceError
from samebits.ir.grammar import Module, Op, ValueType
from samebits.ir.interp.evaluator import Evaluator
from samebits.ir.interp.memory import ArrayView, Ref
from samebits.lang.executions import executions
from samebits.lang.kernel import Kernel
from samebits.runtime.evaluate import evaluate_call
from samebits.types import ArrayType, MemoryType, RefType, ScalarType


def check_races(kernel: Kernel, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Call `kernel` in the reference interpreter; its result, arrays and structs changed in place.

    Raises RaceError where two iterations of a parallel range touch the same memory and one of them
    writes it, and Trap and ArgumentError as any call does. It takes a thousand times as long as a
    compiled call.
    """
    checker: list[Checker] = []

    def make(module: Module) -> Evaluator:
        checker.append(Checker(module))
        return checker[0].evaluator

    return evaluate_call(kernel, args, kwargs, make=make)


def check_batches(
    kernel: Kernel, batches: Iterable[tuple[int, int]], args: tuple[Any, ...]
) -> None:
    """Run a kernel (begin, end, ...) of a job batch by batch. A batch counts as one iteration,
    numbered by its first index. Raises as `check_races` does.
    """
    seen: dict[int, _Accesses] = {}
    for begin, end in batches:

        def make(module: Module, iteration: int = begin) -> Evaluator:
            checker = Checker(module, seen)
            name = list(module.functions)[-1]  # the function that calls the others
            checker.begin(iteration, module.functions[name].params[2:])
            return checker.evaluator

        evaluate_call(kernel, (begin, end, *args), make=make)


@dataclass(slots=True)
class _Accesses:
    """The first writer of one byte, and its first two readers in different iterations."""

    writer: _Access | None = None
    reader: _Access | None = None
    other_reader: _Access | None = None


@dataclass(frozen=True, slots=True)
class _Access:
    iteration: int
    op: Op
    place: _Shared
    address: int


@dataclass(frozen=True, slots=True)
class _Shared:
    """Memory that all iterations share: its name, type and address."""

    name: str
    type: MemoryType
    lengths: tuple[int, ...] | None
    start: int
    end: int

    def at(self, address: int) -> str:
        """The element at an address, as the kernel would write it."""
        offset, path = address - self.start, ""
        if self.lengths is not None:
            flat, offset = divmod(offset, self.type.size)
            index = np.unravel_index(flat, self.lengths)
            path = f"[{', '.join(str(int(i)) for i in index)}]"
        inside = next(
            (p for p, scalar, at in leaves(self.type) if at <= offset < at + scalar.size), ""
        )
        dot = "." if inside and not inside.startswith((".", "[")) else ""
        return f"{self.name}{path}{dot}{inside}"


_NOTHING: tuple[list[_Shared], Any] = ([], None)


class Checker:
    """Evaluates a module's functions and records accesses in `seen`, which outlives it."""

    def __init__(self, module: Module, seen: dict[int, _Accesses] | None = None) -> None:
        self.evaluator = Evaluator(module, self._listen, self._iterations, executions.deeper)
        self._module = module
        self._seen: dict[int, _Accesses] = {} if seen is None else seen
        self._iteration: int | None = None
        self._shared: dict[int, tuple[list[_Shared], Any]] = {}
        self._whole: Sequence[tuple[str, ValueType]] = ()

    def begin(self, iteration: int, params: Sequence[tuple[str, ValueType]]) -> None:
        """Count all that runs as one iteration that shares the memory of these parameters."""
        self._iteration, self._whole = iteration, params

    def _iterations(self, name: str, start: int, stop: int, captured: list[Any]) -> None:
        call = self.evaluator.call
        if self._iteration is not None:  # inside an iteration, a range is a plain loop
            call(name, [start, stop, *captured])
            return
        self._shared.clear()
        for (slot, t), value in zip(self._module.functions[name].params[2:], captured, strict=True):
            self._share(slot, t, value)
        try:
            for iteration in range(start, stop):
                self._iteration = iteration
                call(name, [iteration, iteration + 1, *captured])
        finally:
            self._iteration = None
            self._seen.clear()

    def _share(self, name: str, t: ValueType, value: Any) -> None:
        match t, value:
            case ArrayType(), ArrayView():
                size = t.element.size
                for length in value.lengths:
                    size *= length
                lengths, inner = value.lengths, t.element
            case RefType(), Ref():
                size, lengths, inner = t.target.size, None, t.target
            case _:
                return
        if size:
            start = _address(value.memory) + value.offset
            known, _ = self._shared.setdefault(id(value.memory), ([], value.memory))
            known.append(_Shared(name, inner, lengths, start, start + size))

    def _listen(self, op: Op, operands: tuple[Any, ...], results: tuple[Any, ...]) -> None:
        if self._iteration is None:
            return
        match op.opcode:
            case "get" if self._whole:
                self._share_whole(op, results[0])
            case "load":
                self._touch(op, 0, operands, False)
            case "store" | "zero":
                self._touch(op, 0, operands, True)
            case "copy":
                self._touch(op, 0, operands, True)
                self._touch(op, 1, operands, False)
            case _:
                pass

    def _share_whole(self, op: Op, value: Any) -> None:
        for name, t in self._whole:
            if name == op.attr and isinstance(value, ArrayView | Ref):
                known, _ = self._shared.get(id(value.memory), _NOTHING)
                if all(shared.name != name for shared in known):
                    self._share(name, t, value)

    def _touch(self, op: Op, k: int, operands: tuple[Any, ...], writes: bool) -> None:
        ref, t = operands[k], op.args[k].type
        known, _ = self._shared.get(id(ref.memory), _NOTHING)
        if not known:  # memory of the iteration's own, or a table
            return
        assert isinstance(t, RefType)
        base = _address(ref.memory) + ref.offset
        place = next(shared for shared in known if shared.start <= base < shared.end)
        sizes = [(0, t.target.size)] if isinstance(t.target, ScalarType) else [
            (at, scalar.size) for _, scalar, at in leaves(t.target)
        ]  # fmt: skip
        assert self._iteration is not None
        for at, size in sizes:
            access = _Access(self._iteration, op, place, base + at)
            for address in range(base + at, base + at + size):
                self._note(address, access, writes)

    def _note(self, address: int, access: _Access, writes: bool) -> None:
        touches = self._seen.setdefault(address, _Accesses())
        if touches.writer is not None and touches.writer.iteration != access.iteration:
            _report(touches.writer, True, access, writes)
        if not writes:
            if touches.reader is None:
                touches.reader = access
            elif touches.other_reader is None and touches.reader.iteration != access.iteration:
                touches.other_reader = access
            return
        for reader in (touches.reader, touches.other_reader):
            if reader is not None and reader.iteration != access.iteration:
                _report(reader, False, access, True)
        if touches.writer is None:
            touches.writer = access


def _address(memory: Any) -> int:
    return int(np.frombuffer(memory, np.uint8).ctypes.data) if len(memory) else 0


def _report(first: _Access, first_writes: bool, second: _Access, second_writes: bool) -> None:
    raise RaceError(
        MemoryAccess(first.iteration, first.place.at(first.address), first_writes, first.op.span),
        MemoryAccess(
            second.iteration, second.place.at(second.address), second_writes, second.op.span
        ),
    )
