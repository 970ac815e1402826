"""Every row: its data is LLVM's; its code of every operation is clean, needs no library, and gives
the bits of evaluation, natively or emulated."""

from __future__ import annotations

import dataclasses
import itertools
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.support.machines.objects import LINKERS_OWN, undefined_symbols
from tests.support.machines.other_machines import (
    EMULATED,
    HERE,
    MEMORY,
    Call,
    HostMachine,
    Machine,
    WasmMachine,
    missing,
)
from tests.support.programs.compiled_kernels import from_word
from tests.support.programs.scalar_operations import (
    VALUE_TYPES,
    expected,
    float_patterns,
    functions_of,
    hard_triples,
    raw_words,
    samples,
)

from samebits.backend.emit.module import emit_module
from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import assembly_text, compile_module, llvm_text
from samebits.backend.objects import CompiledObject
from samebits.backend.targets.audit import FORBIDDEN, audit, is_allowed_call
from samebits.backend.targets.host_levels import host_levels
from samebits.backend.targets.table import TARGETS, Target
from samebits.backend.text.profiles import SPEED
from samebits.bits import bits_to_float
from samebits.ir.builder import Builder
from samebits.ir.grammar import Function, Module
from samebits.types import FLOAT32, FLOAT64, INT, SCALARS, ArrayType, FixedArrayType

ALL = list(TARGETS.values())


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
    loop = b.for_("i", b.const(INT, 0), b.length(a))
    with b.into(loop.body):
        place = b.at(a, b.get("i"))
        scaled = b.op("mul", b.get("x"), b.to(FLOAT32, b.get("i")))
        b.store(place, b.op("add", b.load(place), scaled))
    return b.ret(b.load(b.at(a, b.op("sub", b.length(a), b.const(INT, 1)))))


SINGLE = [f for t in VALUE_TYPES for f in functions_of(t)]
OTHERS = [fma(FLOAT32), fma(FLOAT64), reciprocal_root(FLOAT32), reciprocal_root(FLOAT64),
          copied(), running()]  # fmt: skip
MODULE = Module({f.name: f for f in (*SINGLE, *OTHERS)})
NAMES = list(MODULE.functions)


@pytest.mark.parametrize("target", ALL, ids=lambda t: t.name)
def test_a_rows_layout_is_llvms(target: Target) -> None:
    layout = engine.data_layout(target)
    assert layout == target.data_layout
    assert layout.startswith("e" if target.little_endian else "E")
    assert ("-p:32:32-" in layout) == (target.pointer_bits == 32)
    assert target.architecture in FORBIDDEN


def missing_symbols(code: bytes, target: Target) -> set[str]:
    """What an object needs of a library."""
    needed = {name for name in undefined_symbols(code) if not is_allowed_call(name, target)}
    return needed - LINKERS_OWN.get(target.name, set())


CODE_ALONE = dataclasses.replace(SPEED, passes=("global_dead_code_eliminate",))
"""Code selection after LLVM's passes have run."""


def made(module: Module, names: list[str], target: Target, opt: int) -> tuple[CompiledObject, str]:
    """A row's object, and the assembly of the same code: LLVM's passes run once for both."""
    traps = emit_module(module, names, target).traps
    text = llvm_text(module, names, target, opt)
    code = engine.compile_text(text, target, opt, profile=CODE_ALONE)
    assembly = engine.assemble_text(text, target, opt, profile=CODE_ALONE)
    return CompiledObject(code, traps), assembly


@pytest.mark.parametrize("target", ALL, ids=lambda t: t.name)
@pytest.mark.parametrize("opt", [0, 3])
def test_code_after_the_passes_is_the_code_of_a_whole_compile(target: Target, opt: int) -> None:
    names = ["running", "copied", f"fma.{FLOAT32}", f"floordiv.{SCALARS['int64']}"]
    whole = compile_module(MODULE, names, target, opt)
    code, assembly = made(MODULE, names, target, opt)
    assert (code.object_bytes, code.traps) == (whole.object_bytes, whole.traps)
    assert assembly == assembly_text(MODULE, names, target, opt)


@pytest.mark.parametrize("target", ALL, ids=lambda t: t.name)
def test_quotients_of_roots_are_rounded_twice(target: Target) -> None:
    names = [f.name for f in OTHERS if f.name.startswith("reciprocal")]
    assert audit(assembly_text(MODULE, names, target), target) == []


def questions() -> tuple[list[Call], list[tuple[str, Any]]]:
    """Every operation on every pair of samples; calls, and what evaluation says."""
    calls: list[Call] = []
    answers: list[tuple[str, Any]] = []
    for t in VALUE_TYPES:
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


@cache
def in_slot(n: int, word: int) -> Any:
    """What a word in the result slot of an entry stands for; every row gives the same ones."""
    return from_word(MODULE.functions[NAMES[n]].results[0], word)


def machine_for(target: Target, opt: int, compiled: CompiledObject, folder: Path) -> Any:
    """What runs a row's code here; None where it is a row of object code alone, or a level that
    this processor lacks. Skips the rest of the test where an emulator is missing."""
    if target in HERE:
        return HostMachine(compiled, len(NAMES))
    if target not in EMULATED:
        return None
    reason = missing(target)
    if reason:
        pytest.skip(reason)
    kind = WasmMachine if target.runner == "wasmtime" else Machine
    return kind(folder, target, MODULE, NAMES, opt, compiled)


@pytest.mark.parametrize("target", ALL, ids=lambda t: t.name)
@pytest.mark.parametrize("opt", [0, 3])
def test_code_of_every_operation_is_clean_needs_no_library_and_gives_evaluations_bits(
    target: Target, opt: int, asked: Any, tmp_path: Path
) -> None:
    compiled, assembly = made(MODULE, NAMES, target, opt)
    asked_for = [n for n, name in enumerate(NAMES) if name.startswith("fma.")]
    bodies = {name for n in asked_for for name in (f"sb.body.{n}", f"k:{NAMES[n]}")}
    found = audit(assembly, target)
    assert [f for f in found if f.rule != "fused" or f.function.lstrip("_") not in bodies] == []
    assert bool(found) == target.has_fma
    assert missing_symbols(compiled.object_bytes, target) == set()
    machine = machine_for(target, opt, compiled, tmp_path)
    if machine is None:
        return  # all that can be seen of code that can't run here is seen
    calls, answers = asked
    wrong: list[Any] = []
    replies = machine.run(calls, rounding_up=True)
    kinds = [site.kind for site in machine.traps]
    for (n, sent), (status, *slots), (name, wanted) in zip(calls, replies, answers, strict=True):
        got = kinds[status - 1] if status else in_slot(n, slots[-1])
        if got != wanted or slots[:-1] != sent[:-1]:
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
