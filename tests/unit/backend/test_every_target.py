"""Every row: its data is LLVM's, its objects need nothing, and emulated they give the bits."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from compiled_kernels import from_word
from objects import undefined_symbols
from other_machines import MEMORY, Call, Machine, WasmMachine, missing
from test_compiled_operations import (
    expected,
    float_patterns,
    functions_of,
    hard_triples,
    raw_words,
    samples,
)

from samebits.backend import llvm
from samebits.backend.assembly import FORBIDDEN, audit, is_allowed_call
from samebits.backend.host_levels import host_levels
from samebits.backend.targets import TARGETS, Target
from samebits.bits import bits_to_float
from samebits.ir.builder import Builder
from samebits.ir.grammar import Function, Module
from samebits.types import FLOAT32, FLOAT64, INT, SCALARS, ArrayType, FixedArrayType

ALL = list(TARGETS.values())
HERE = {level.target.architecture for level in llvm.available_targets() if level.reason is None}
EMULATED = [row for row in ALL if row.runner and row.architecture not in HERE]
OBJECT_ONLY = [row for row in ALL if row not in EMULATED or missing(row)]
"""The others' objects are looked at where they run."""
_WASM = {"__linear_memory", "__stack_pointer", "__indirect_function_table"}
LINKERS_OWN = {
    "i686": {"_GLOBAL_OFFSET_TABLE_"}, "ppc64": {".TOC."}, "ppc64le": {".TOC."},
    "wasm32": _WASM, "wasm32-simd": _WASM,
}  # fmt: skip
"""What the linker itself defines."""


def fma(t: Any) -> Function:
    b = Builder(f"fma.{t}", {c: t for c in "abc"}, [t])
    return b.ret(b.op("fma", *(b.get(c) for c in "abc")))


def reciprocal_root(t: Any) -> Function:
    b = Builder(f"reciprocal.root.{t}", {"x": t}, [t])
    return b.ret(b.op("div", b.const(t, 1.0), b.op("sqrt", b.get("x"))))


def copied() -> Function:
    """Large copies and zeroing, which call the C library where they call anything."""
    big = FixedArrayType(FLOAT64, (999,))
    b = Builder("copied", {"x": FLOAT64}, [FLOAT64], {}, {"one": big, "two": big})
    zero = b.const(INT, 7)
    b.emit("zero", b.local("one"))
    b.store(b.element(b.local("one"), zero), b.get("x"))
    b.emit("copy", b.local("two"), b.local("one"))
    return b.ret(b.load(b.element(b.local("two"), zero)))


def running() -> Function:
    """a[i] += x·i, then the last one: array slots, lengths and memory."""
    b = Builder("running", {"a": ArrayType(FLOAT32, 1), "x": FLOAT32}, [FLOAT32], {"i": INT})
    a = b.get("a")
    turns = b.for_("i", b.const(INT, 0), b.length(a))
    with b.into(turns.body):
        place = b.at(a, b.get("i"))
        scaled = b.op("mul", b.get("x"), b.to(FLOAT32, b.get("i")))
        b.store(place, b.op("add", b.load(place), scaled))
    return b.ret(b.load(b.at(a, b.op("sub", b.length(a), b.const(INT, 1)))))


SINGLE = [f for t in SCALARS.values() for f in functions_of(t)]
OTHERS = [fma(FLOAT32), fma(FLOAT64), reciprocal_root(FLOAT32), reciprocal_root(FLOAT64),
          copied(), running()]  # fmt: skip
MODULE = Module({f.name: f for f in (*SINGLE, *OTHERS)})
NAMES = list(MODULE.functions)


@pytest.mark.parametrize("target", ALL, ids=lambda t: t.name)
def test_a_rows_layout_is_llvms(target: Target) -> None:
    layout = llvm.data_layout(target)
    assert layout == target.data_layout
    assert layout.startswith("e" if target.little_endian else "E")
    assert ("-p:32:32-" in layout) == (target.pointer_bits == 32)
    assert target.architecture in FORBIDDEN


def missing_symbols(code: bytes, target: Target) -> set[str]:
    """What an object needs of a library."""
    needed = {name for name in undefined_symbols(code) if not is_allowed_call(name, target)}
    return needed - LINKERS_OWN.get(target.name, set())


@pytest.mark.parametrize("target", OBJECT_ONLY, ids=lambda t: t.name)
@pytest.mark.parametrize("opt", [0, 3])
def test_objects_of_every_operation_need_no_library(target: Target, opt: int) -> None:
    code = llvm.compile_module(MODULE, NAMES, target, opt).object_bytes
    assert missing_symbols(code, target) == set()


@pytest.mark.parametrize("target", ALL, ids=lambda t: t.name)
def test_quotients_of_roots_are_rounded_twice(target: Target) -> None:
    names = [f.name for f in OTHERS if f.name.startswith("reciprocal")]
    assert audit(llvm.assembly_text(MODULE, names, target), target) == []


def questions() -> tuple[list[Call], list[tuple[str, Any]]]:
    """Every operation on every pair of samples; calls, and what evaluation says."""
    calls: list[Call] = []
    answers: list[tuple[str, Any]] = []
    for t in SCALARS.values():
        words = raw_words(t)
        values = [bits_to_float(w, t.bits) for w in words] if t.is_float else samples(t)
        for function in functions_of(t):
            n = NAMES.index(function.name)
            for pick in itertools.product(range(len(words)), repeat=len(function.params)):
                calls.append((n, [*(words[i] for i in pick), 0]))
                answers.append((function.name, expected(function, tuple(values[i] for i in pick))))
    for t in (FLOAT32, FLOAT64):
        function = fma(t)
        n = NAMES.index(function.name)
        patterns = itertools.product(float_patterns(t.bits)[::5], repeat=3)
        for triple in (*patterns, *hard_triples(t, 1500)):
            calls.append((n, [*triple, 0]))
            values = tuple(bits_to_float(p, t.bits) for p in triple)
            answers.append((function.name, expected(function, values)))
    return calls, answers


@pytest.fixture(scope="module")
def asked() -> tuple[list[Call], list[tuple[str, Any]]]:
    return questions()


@pytest.mark.parametrize("target", EMULATED, ids=lambda t: t.name)
@pytest.mark.parametrize("opt", [0, 3])
def test_every_operation_gives_evaluations_bits_under_emulation_and_needs_no_library(
    target: Target, opt: int, asked: Any, tmp_path: Path
) -> None:
    reason = missing(target)
    if reason:
        pytest.skip(reason)
    kind = WasmMachine if target.runner == "wasmtime" else Machine
    machine = kind(tmp_path, target, MODULE, NAMES, opt)
    assert missing_symbols(machine.code, target) == set()
    calls, answers = asked
    wrong: list[Any] = []
    found = machine.run(calls, rounding_up=True)
    for (n, sent), (status, *slots), (name, wanted) in zip(calls, found, answers, strict=True):
        result = MODULE.functions[NAMES[n]].results[0]
        got = machine.traps[status - 1].kind if status else from_word(result, slots[-1])
        if got != wanted or slots[:-1] != list(sent[:-1]):
            wrong.append((name, sent, got, wanted))
    assert wrong == []
    n = NAMES.index("running")
    x = 0x3FC00000  # 1.5: after two calls the last of 4 is 9.0
    last = [machine.run([(n, [MEMORY, 4, x, 0])] * 2)[k][-1] for k in (0, 1)]
    assert last == [0x40900000, 0x41100000]


def test_object_only_rows_cannot_run_and_say_so() -> None:
    reasons = {level.target.name: level.reason for level in host_levels("arm64-apple-darwin", {})}
    for row in ALL:
        if row.is_object_only:
            assert reasons[row.name] == "only object code is made for it here"
            assert row.zig
