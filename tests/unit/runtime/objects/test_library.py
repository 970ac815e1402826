"""Shared functions of the math library have the bits that they have where they are compiled into
each kernel, are found again only where all is the same, and are compiled again where damaged."""

# pyright: reportReturnType=false, reportIndexIssue=false, reportArgumentType=false

# pyright: reportPrivateUsage=false

from __future__ import annotations

import ctypes
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from tests.support.levels import LOWEST_AND_BEST

import samebits as sb
from samebits import Array, ReadOnly, float64, math
from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import (
    compile_for_process,
    compile_module,
    shared_assembly,
)
from samebits.backend.objects import SYMBOL
from samebits.backend.request import Request
from samebits.backend.targets.audit import audit
from samebits.backend.targets.table import TARGETS, Target
from samebits.backend.text.shared_functions import SHARED_PROFILES, SharedFunction, shared_function
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.builder import Builder
from samebits.ir.grammar import HostFunction, Module, Op, can_trap, walk
from samebits.lang.overloads import Overloads
from samebits.modes import HIGH, LOW, MEDIUM
from samebits.passes.pipeline import optimise
from samebits.runtime.cache import ObjectCache, set_cache_dir
from samebits.runtime.compile import compile_native
from samebits.runtime.native import NativeModule
from samebits.runtime.objects import library
from samebits.types import ScalarType

HOST_TARGETS = [level.target for level in engine.available_targets() if level.reason is None]
# What lies between them is audited below, and `make prove-math-library` runs it.
LEVELS = pytest.mark.parametrize(
    "target", [TARGETS[name] for name in LOWEST_AND_BEST], ids=lambda t: t.name
)
PATTERNS = 40
SIN = "samebits.mathlib.float64.trigonometric_f64.sin"
EXP = "samebits.mathlib.float64.exp_f64.exp"
SPECIAL = {
    32: [0, 1, 0x7FFFFF, 0x800000, 0x3F800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7F800001],
    64: [0, 1, 0xFFFFFFFFFFFFF, 0x10000000000000, 0x3FF0000000000000, 0x7FEFFFFFFFFFFFFF,
         0x7FF0000000000000, 0x7FF8000000000000, 0x7FF0000000000001],
}  # fmt: skip


@sb.kernel
def waves(x: ReadOnly[float64], y: Array[float64]) -> None:
    """Where `y` is shorter or overlaps, its other loop runs, which calls copies."""
    for i in range(len(x)):
        y[i] = math.sin(x[i]) + math.exp(x[i])


@sb.kernel
def wave(x: float64) -> float64:
    return math.sin(x) + math.exp(x)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that has nothing of the library yet."""
    monkeypatch.setattr(library, "_places", {})
    monkeypatch.setattr(library, "_kept", set())


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    chosen = library_cache()
    set_cache_dir(tmp_path / "objects")
    yield tmp_path / "objects"
    from samebits.runtime.cache import _Setting

    _Setting.chosen = chosen


def library_cache() -> ObjectCache | None:
    from samebits.runtime.cache import current_cache

    return current_cache()


@cache
def every_function() -> tuple[Module, tuple[str, ...]]:
    """A wrapper around each function of the math library that is called from outside, or cold, and
    cannot trap; and their names."""
    linked, called = Module(), set[str]()
    for overloads in (getattr(math, name) for name in dir(math)):
        if not isinstance(overloads, Overloads):
            continue
        for t, precision in product(overloads.kernels, (HIGH, MEDIUM, LOW)):
            kernel = overloads.kernel_for(t, precision)
            unit = compile_kernel(kernel, kernel.fixed_types or ())
            called.add(unit.function.name)
            part = link(unit)
            linked.functions.update(part.functions)
            linked.tables.update(part.tables)
    names: list[str] = []
    traps: set[str] = set()
    wrappers = Module(dict(linked.functions), linked.tables)
    for function in optimise(linked, list(linked.functions)).functions.values():
        ops = [s for s in walk(function.body) if isinstance(s, Op)]
        if any(can_trap(op) or (op.opcode == "call" and op.attr in traps) for op in ops):
            traps.add(function.name)
        elif function.cold or function.name in called:
            b = Builder(f"call {function.name}", dict(function.params), function.results)
            given = [b.get(name) for name, _ in function.params]
            wrappers.functions[b.function.name] = b.ret(*b.call(function, *given))
            names.append(b.function.name)
    return wrappers, tuple(names)


@cache
def every_optimised() -> Module:
    """`every_function` after the passes, which are the same for all levels."""
    return optimise(*every_function())


@cache
def whole(names: tuple[str, ...]) -> NativeModule:
    """Entries that have all that they lead to, nothing of it optimised."""
    module, _ = every_function()
    return NativeModule(compile_module(module, names, HOST_TARGETS[0], 0), len(names))


def outputs(module: Module, native: NativeModule, names: tuple[str, ...]) -> list[list[int]]:
    """What every entry gives for the same patterns, special ones of each argument first."""
    found: list[list[int]] = []
    for index, name in enumerate(names):
        function, rows = module.functions[name], []
        rng = np.random.default_rng(len(name))
        entry = native.entry(index)
        for attempt in range(PATTERNS):
            words: list[int] = []
            for _, t in function.params:
                assert isinstance(t, ScalarType)
                special = SPECIAL.get(t.bits, [0, 1]) if t.is_float else [0, 1, 2]
                drawn = int(rng.integers(0, 1 << 63)) * 2 + int(rng.integers(0, 2))
                near = float(rng.normal(0.0, 3.0))
                as_bits = (
                    np.float32(near).view("u4") if t.bits == 32 else np.float64(near).view("u8")
                )
                if attempt < 2 * len(special):
                    sign = (attempt % 2) << (t.bits - 1) if t.is_float else 0
                    words.append(special[(attempt // 2 + len(words)) % len(special)] | sign)
                elif attempt % 2 and t.is_float:
                    words.append(int(as_bits))
                else:
                    words.append(drawn >> (64 - max(t.bits, 1)))
            slots = (ctypes.c_uint64 * (len(words) + len(function.results)))(*words)
            entry.run(slots)
            rows += slots[len(words) :]
        found.append(rows)
    return found


@LEVELS
def test_every_function_has_the_same_bits_shared_and_compiled_into_the_kernel(
    target: Target,
) -> None:
    module, every = every_function()
    kinds: set[tuple[str, bool]] = set()
    some = (f"call {SIN}", f"call {EXP}")
    for names, ready in ((every, every_optimised()), (some, optimise(module, some))):
        compiled, shared = compile_for_process(ready, names, target)
        library.provide(shared, target, None)
        kinds |= {(f.kind, f.optnone) for f in shared}
        found = outputs(module, NativeModule(compiled, len(names)), names)
        assert found == outputs(module, whole(names), names)
        assert all(found)
    assert len(every) > 150
    assert kinds == {("cold", True), ("call", True), ("call", False)}  # which call cold ones


@LEVELS
def test_loops_and_their_other_copies_have_the_same_bits(target: Target) -> None:
    unit = compile_kernel(waves, waves.fixed_types or ())
    names = [unit.function.name]
    ready = optimise(link(unit), names, blocks=target.has_wide_vectors)
    thin, shared = compile_for_process(ready, names, target)
    assert {(f.kind, f.optnone) for f in shared} == {("cold", False), ("copy", False)}
    library.provide(shared, target, None)
    loops = [NativeModule(compile_module(ready, names, target, opt), 1) for opt in (0, 3)]
    loops.append(NativeModule(thin, 1))
    exponents = np.random.default_rng(1).integers(0, 1 << 64, 1003, np.uint64)
    usual = np.random.default_rng(2).normal(0.0, 9.0, 1003)
    for x in (exponents.view(np.float64), usual):
        found: list[list[bytes]] = []
        for loop in loops:
            apart, overlapping = np.zeros_like(x), np.append(x, x)
            for a, b in ((x, apart), (overlapping[:1003], overlapping[5:1008])):
                slots = (ctypes.c_uint64 * 4)(a.ctypes.data, len(a), b.ctypes.data, len(b))
                loop.entry(0).run(slots)
            found.append([apart.tobytes(), overlapping.tobytes()])
        assert found[0] == found[1] == found[2]


def test_a_call_of_the_kernel_gives_managed_bits(fresh: None, folder: Path) -> None:
    for x in (0.5, 1e22, -745.2, 710.0, 5e-324, float("nan")):
        native = compile_native(wave, (wave.fixed_types or ()))
        assert np.float64(native(x)).tobytes() == np.float64(wave.managed(x)).tobytes()


@pytest.mark.parametrize("name", [t for t in TARGETS if t.startswith("x86-64-v")])
def test_shared_functions_pass_the_audit_on_every_level(name: str) -> None:
    target = TARGETS[name]
    _, names = every_function()
    ready = every_optimised()
    chosen = [n for n in ready.functions if n.startswith("samebits.") and f"call {n}" in names]
    seen = 0
    for kind in SHARED_PROFILES:
        functions = [
            shared_function(ready, n, kind, False, target)
            for n in chosen
            if ready.functions[n].cold == (kind == "cold")
        ]
        text = shared_assembly(functions, target)
        found = [f for f in audit(text, target, allow_fma=True) if SYMBOL not in f.text]
        assert found == []
        seen += len(set(re.findall(rf"^{SYMBOL}\w+:", text, re.MULTILINE)))
    assert seen >= 150


# -- what tells two of them apart ---------------------------------------------------------


def _sin(kind: str = "call", optnone: bool = False, target: str = "x86-64-v3") -> SharedFunction:
    module, _ = every_function()
    ready = optimise(module, [f"call {SIN}"])
    return shared_function(ready, SIN, kind, optnone, TARGETS[target])


def test_the_key_depends_on_all_that_the_code_does() -> None:
    sin = _sin()
    assert sin.key == _sin().key
    others = [_sin("copy"), _sin(optnone=True), _sin(target="x86-64-v4")]
    module = sin.module
    callee = next(n for n in module.functions if n != sin.name and not module.functions[n].cold)
    function = module.functions[callee]
    tables = module.tables
    table = next(n for n, t in tables.items() if t.element.is_float and 0.0 in t.values)
    data = module.tables[table]
    flushing = replace(function, options=replace(function.options, denormals="flush"))
    last = replace(data, values=(*data.values[:-1], data.values[-1] * 2))
    zeros = replace(data, values=tuple(-v if v == 0 else v for v in data.values))
    changed = [
        Module({**module.functions, callee: replace(function, body=function.body[1:])}, tables),
        Module({**module.functions, callee: flushing}, tables),
        Module(module.functions, {**tables, table: last}),
        Module(module.functions, {**tables, table: zeros}),
    ]
    assert changed[-1].tables == tables  # equal, but for a sign of zero
    others += [shared_function(m, sin.name, "call", False, TARGETS["x86-64-v3"]) for m in changed]
    others += [
        shared_function(module, sin.name, "call", False, TARGETS["x86-64-v3"]._replace(**row))
        for row in ({"features": "+avx"}, {"tune": "znver4"}, {"triple": "x86_64-apple-darwin"})
    ]
    keys = [sin.key, *(other.key for other in others)]
    assert len(set(keys)) == len(keys) == 11
    assert _sin().key == sin.key


def test_functions_of_this_machine_are_compiled_into_the_kernel() -> None:
    """Their addresses hold for one process, and their IR does not tell them apart."""
    sin = _sin()
    name = next(n for n in sin.module.functions if sin.module.functions[n].cold)
    b = Builder("game.step", {"x": sin.module.functions[sin.name].params[0][1]})
    cold = sin.module.functions[name]
    fields = {f: getattr(cold, f) for f in cold.__dataclass_fields__}
    changed = {**sin.module.functions, name: HostFunction(**fields, address=64)}
    module = Module(changed, sin.module.tables)
    caller = b.function
    caller.results = module.functions[sin.name].results
    module.functions[caller.name] = b.ret(*b.call(module.functions[sin.name], b.get("x")))
    compiled, shared = compile_for_process(module, [caller.name], HOST_TARGETS[-1])
    assert shared == compiled.needs == ()


# -- on disk ------------------------------------------------------------------------------

_CHILD = """
import json, sys
import samebits as sb
from samebits import float64, math
import samebits.backend.llvm.compile as compilation
sb.set_cache_dir(sys.argv[1])
counts = {"compiled": 0, "shared": 0}
def counting(name, kept):
    def count(*args, **kwargs):
        counts[name] += 1
        return kept(*args, **kwargs)
    return count
for name, counted in (("compile_for_process", "compiled"), ("compile_shared", "shared")):
    setattr(compilation, name, counting(counted, getattr(compilation, name)))
sys.path.insert(0, sys.argv[2])
import kernels
print(json.dumps([[f(0.75).hex() for f in (kernels.first, kernels.second)], counts]))
"""
_KERNELS = """
import samebits as sb
from samebits import float64, math

@sb.kernel
def first(x: float64) -> float64:
    return math.sin(x) + math.exp(x)

@sb.kernel
def second(x: float64) -> float64:
    return math.exp(x) - math.sin(x) * CONSTANT
"""


def _child(tmp_path: Path, constant: float) -> tuple[list[str], dict[str, int]]:
    (tmp_path / "kernels.py").write_text(_KERNELS.replace("CONSTANT", repr(constant)))
    command = [sys.executable, "-c", _CHILD, str(tmp_path / "objects"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    values, counts = json.loads(done.stdout)
    return values, counts


def test_another_process_finds_them_and_damage_is_compiled_again(tmp_path: Path) -> None:
    values, counts = _child(tmp_path, 0.5)
    assert counts == {"compiled": 2, "shared": 2}
    assert _child(tmp_path, 0.5) == (values, {"compiled": 0, "shared": 0})
    other, counts = _child(tmp_path, 0.25)
    assert other[0] == values[0] != other[1] != values[1]
    assert counts == {"compiled": 1, "shared": 0}
    objects = sorted((tmp_path / "objects").rglob("*.object"))
    shared = [p for p in objects if SYMBOL.encode() in p.read_bytes()]
    assert len(shared) > 2
    parts = [path for path in shared if b"sb_entry_0" not in path.read_bytes()]
    assert len(parts) == 2
    damages = (lambda data: data[:-9], lambda data: data[:-1] + b"!")
    for path, damage in zip(parts, damages, strict=True):
        path.write_bytes(damage(path.read_bytes()))
    again, counts = _child(tmp_path, 0.25)
    assert again == other
    assert counts["shared"] == 2
    assert _child(tmp_path, 0.25) == (other, {"compiled": 0, "shared": 0})


def test_a_second_folder_gets_its_own(fresh: None, tmp_path: Path) -> None:
    unit = compile_kernel(wave, wave.fixed_types or ())
    names = [unit.function.name]
    target = HOST_TARGETS[-1]
    for folder in ("a", "b"):
        store = ObjectCache(tmp_path / folder)
        compiled = library.compiled_here(Request(link(unit), names, target), store)
        assert library.are_here(compiled.needs, store)
        assert len(list(store.directory.rglob("*.object"))) == 2
    for folder in ("a", "b"):
        library._places.clear()
        assert library.are_here(compiled.needs, ObjectCache(tmp_path / folder))
    library._places.clear()
    assert not library.are_here(compiled.needs, ObjectCache(tmp_path / "c"))
