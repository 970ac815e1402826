"""Calls from Python: every argument is checked, results have their types, nothing else is read."""

from __future__ import annotations

import gc
import sys
import threading
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import compile_module
from samebits.errors import ArgumentError, Trap
from samebits.ir.builder import Builder
from samebits.ir.grammar import Function, Module
from samebits.lang.annotations import class_of_type
from samebits.lang.memory import structs
from samebits.lang.values import scalars, vectors
from samebits.lang.values.scalars import SCALAR_CLASSES
from samebits.runtime.calls import packing
from samebits.runtime.calls.native_call import native_callable
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.native import NativeModule
from samebits.runtime.threads import preempt
from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT32,
    FLOAT64,
    INT,
    INT32,
    NONE,
    SCALARS,
    UINT8,
    UINT64,
    VECTORS,
    ArrayType,
    RefType,
    ScalarType,
    TupleType,
    Type,
)


def native(function: Function, params: list[tuple[str, Type]], result: Type = NONE) -> Any:
    module = Module({function.name: function})
    compiled = compile_module(module, [function.name], engine.host_target(), 0)
    return native_callable(NativeModule(compiled, 1).entry(0), params, result)


def identity(t: ScalarType) -> Any:
    b = Builder("identity", {"x": t}, [t])
    return native(b.ret(b.get("x")), [("x", t)], t)


@pytest.fixture(params=["fast", "slow"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of packing arguments must agree."""
    if request.param == "slow":
        monkeypatch.setattr(packing, "routine", lambda: None)
    return str(request.param)


def test_the_fast_path_is_in_use_here() -> None:
    if sys.implementation.name != "cpython":
        pytest.skip("the routine reads CPython's objects")
    assert packing.routine() is not None


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("t", [t for t in SCALARS.values() if t.storage == t], ids=str)
def test_a_scalar_of_each_type_goes_in_and_comes_back(t: ScalarType) -> None:
    same = identity(t)
    if t is BOOL:
        given: list[Any] = [True, False, np.bool_(True)]
    elif t.is_float:
        given = [0.0, -0.0, 1.5, -2.5, float("inf"), float("nan"), 3, t.dtype.type(0.1)]
    else:
        given = [t.minimum, t.maximum, 0, 1, t.dtype.type(5)]
    if not t.weak and t is not BOOL:
        given.append(SCALAR_CLASSES[t](7))
    for value in given:
        found = same(value)
        assert type(found) is (int if t is INT else SCALAR_CLASSES[t])
        wanted = np.array(value, t.dtype)
        if wanted != wanted:
            assert found != found
        else:
            assert np.array(found, t.dtype).tobytes() == wanted.tobytes()


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize(
    ("t", "value"),
    [
        (INT32, 1 << 31), (INT32, 1.0), (INT32, np.int64(1)), (INT32, True), (UINT8, -1),
        (UINT64, -1), (UINT64, 1 << 64), (INT, 1 << 63), (INT, 0.5), (INT, True), (FLOAT32, "x"),
        (FLOAT32, np.float64(1)), (FLOAT64, np.int32(1)), (FLOAT32, None), (BOOL, 1),
        (BOOL, None), (FLOAT, True), (FLOAT64, np.array(1.0)), (INT32, [1]),
    ],
    ids=repr,
)  # fmt: skip
def test_a_scalar_that_does_not_fit_is_refused(t: ScalarType, value: Any) -> None:
    with pytest.raises(ArgumentError, match="parameter 'x'"):
        identity(t)(value)


def last_of(t: ArrayType) -> Any:
    """Adds one to the last element and returns the lengths."""
    b = Builder("last", {"a": t}, [INT] * t.ndim)
    a = b.get("a")
    lengths = [b.length(a, d) for d in range(t.ndim)]
    some = b.if_(b.op("gt", lengths[0], b.const(INT, 0)))
    with b.into(some.then):
        ends = [b.op("sub", n, b.const(INT, 1)) for n in lengths]
        for end, n in zip(ends, lengths, strict=True):
            b.index(end, n)
        place = b.element(a, *ends)
        if not isinstance(t.element, ScalarType):
            place = b.component(place, 1)
        b.store(place, b.op("add", b.load(place), b.const(FLOAT32, 1.0)))
    result: Type = INT if t.ndim == 1 else TupleType((INT, INT))
    return native(b.ret(*lengths), [("a", t)], result)


LINE, GRID = ArrayType(FLOAT32, 1), ArrayType(FLOAT32, 2)
POINTS = ArrayType(VECTORS["float3"], 1)


@pytest.mark.usefixtures("path")
def test_arrays_are_the_callers_memory() -> None:
    a = np.zeros(5, np.float32)
    assert last_of(LINE)(a) == 5
    assert a.tolist() == [0, 0, 0, 0, 1]
    tail = np.zeros(6, np.float32)
    assert last_of(LINE)(tail[2:4]) == 2
    assert tail.tolist() == [0, 0, 0, 1, 0, 0]
    assert last_of(LINE)(np.zeros(0, np.float32)) == 0
    g = np.zeros((2, 3), np.float32)
    assert last_of(GRID)(g) == (2, 3)
    assert g[1, 2] == 1
    assert last_of(GRID)(np.zeros((0, 3), np.float32)) == (0, 3)
    p = np.zeros((4, 3), np.float32)
    assert last_of(POINTS)(p) == 4
    assert p[3].tolist() == [0, 1, 0]


def misaligned() -> Any:
    return np.zeros(17, np.uint8)[1:].view(np.float32)


def frozen() -> Any:
    a = np.zeros(4, np.float32)
    a.flags.writeable = False
    return a


class _Disguise(np.ndarray):  # type: ignore[type-arg]
    """A subclass, which may not be what it says."""

    @property
    def shape(self) -> Any:  # type: ignore[override]
        return (1 << 40,)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize(
    "value",
    [
        None, 1.0, [1.0], "x", np.zeros(4), np.zeros(4, ">f4"), np.zeros((2, 2), np.float32),
        np.zeros(8, np.float32)[::2], np.zeros(4, np.float32)[::-1], misaligned(), frozen(),
        np.broadcast_to(np.float32(1), (4,)), np.float32(1), np.zeros((), np.float32),
        np.zeros(4, np.int32), memoryview(b"abcd"), np.zeros(4, "f4,f4"),
    ],
    ids=lambda v: type(v).__name__,
)  # fmt: skip
def test_what_is_not_such_an_array_is_refused_before_the_kernel_runs(value: Any) -> None:
    with pytest.raises(ArgumentError, match="parameter 'a'"):
        last_of(LINE)(value)


@pytest.mark.usefixtures("path")
def test_vector_arrays_need_their_last_length() -> None:
    for shape in ((4, 2), (4, 4), (12,), (3, 0), (2, 2, 3)):
        with pytest.raises(ArgumentError, match="parameter 'a'"):
            last_of(POINTS)(np.zeros(shape, np.float32))


@pytest.mark.usefixtures("path")
def test_a_subclass_of_ndarray_cannot_lie_about_its_shape() -> None:
    disguised = np.zeros(4, np.float32).view(_Disguise)
    assert last_of(LINE)(disguised) == 4


def test_read_only_memory_goes_where_the_parameter_only_reads() -> None:
    t = ArrayType(FLOAT32, 1, readonly=True)
    b = Builder("first", {"a": t}, [FLOAT32])
    first = native(b.ret(b.load(b.at(b.get("a"), b.const(INT, 0)))), [("a", t)], FLOAT32)
    assert first(frozen()) == 0
    with pytest.raises(Trap) as caught:
        first(np.zeros(0, np.float32))
    assert caught.value.kind == "index"
    assert caught.value.span is not None
    assert caught.value.span.function == "first"


def test_the_wrong_number_of_arguments_is_refused() -> None:
    same = identity(FLOAT32)
    for args in ((), (1.0, 2.0)):
        with pytest.raises(ArgumentError, match=f"1 arguments are needed; got {len(args)}"):
            same(*args)


@structs.struct
class Body:
    pos: vectors.float3
    mass: scalars.float32


BODY: Any = Body.__sb_type__  # type: ignore[attr-defined]


def heavier() -> Any:
    """Doubles the mass in place, moves by a vector, and returns a new body and the old mass."""
    v = VECTORS["float3"]
    params: Any = {"return.0": RefType(BODY), "b": RefType(BODY),
                   **{f"v.{c}": FLOAT32 for c in "xyz"}}  # fmt: skip
    b = Builder("heavier", params, [FLOAT32] * 4)
    body, made = b.get("b"), b.get("return.0")
    place = b.field(body, "mass")
    mass = b.load(place)
    b.store(place, b.op("add", mass, mass))
    moved = []
    for i, c in enumerate("xyz"):
        moved.append(b.op("add", b.load(b.component(b.field(body, "pos"), i)), b.get(f"v.{c}")))
    b.emit("copy", made, body)
    b.store(b.field(made, "mass"), b.const(FLOAT32, 9.0))
    result = TupleType((v, BODY, FLOAT32))
    return native(b.ret(*moved, mass), [("b", BODY), ("v", v)], result)


@pytest.mark.usefixtures("path")
def test_structs_are_references_and_vectors_are_values() -> None:
    body: Any = class_of_type(BODY)(pos=vectors.float3(1, 2, 3), mass=scalars.float32(4))
    moved, made, mass = heavier()(body, vectors.float3(1, 1, 1))
    assert (list(moved), made.mass, list(made.pos), mass) == ([2, 3, 4], 9, [1, 2, 3], 4)
    assert body.mass == 8
    assert type(moved) is vectors.float3
    memory = np.zeros(3, BODY.dtype)
    memory["mass"] = 1
    heavier()(memory[1:2], (0.5, 0, 0))
    assert memory["mass"].tolist() == [1, 2, 1]


@pytest.mark.usefixtures("path")
def test_struct_memory_that_cannot_be_written_or_is_misaligned_is_refused() -> None:
    locked = np.zeros(1, BODY.dtype)
    locked.flags.writeable = False
    shifted = np.zeros(BODY.size + 1, np.uint8)[1:].view(BODY.dtype)
    cls: Any = class_of_type(BODY)
    for value in (locked, shifted, np.zeros(2, BODY.dtype), np.zeros(1), None,
                  cls.from_memory(locked), cls.from_memory(shifted)):  # fmt: skip
        with pytest.raises(ArgumentError, match="parameter 'b'"):
            heavier()(value, (1.0, 2.0, 3.0))


def test_a_python_float_is_rounded_to_nearest_under_any_environment() -> None:
    same = identity(FLOAT32)
    wanted = [same(0.7), same(0.1)]  # nearest is below the one and above the other
    before = fpenv.read()
    fpenv.write(0x1F80 | 0x4000 if fpenv.describe().register == "mxcsr" else 1 << 22)
    try:
        found = [same(0.7), same(0.1)]
    finally:
        fpenv.write(before)
    assert found == wanted


@sb.kernel
def spin(n: int) -> int:
    x = 1
    for _ in range(n):
        x = x * 3 % 1000003
    return x


def test_other_threads_run_while_a_kernel_does() -> None:
    seen, over = threading.Event(), threading.Event()

    def look() -> None:
        while not over.is_set():
            if preempt.is_inside():
                seen.set()

    thread = threading.Thread(target=look)
    thread.start()
    try:
        for _ in range(100):  # a busy machine may give the other thread no turn within one call
            spin(4_000_000)
            if seen.is_set():
                break
    finally:
        over.set()
        thread.join()
    assert seen.is_set()


def test_calls_leave_no_references_behind() -> None:
    call = last_of(LINE)
    array = np.zeros(4, np.float32)
    wrong = np.zeros(4)
    call(array)
    before = sys.getrefcount(array), sys.getrefcount(wrong)
    for _ in range(50):
        call(array)
        with pytest.raises(ArgumentError):
            call(wrong)
    gc.collect()
    assert (sys.getrefcount(array), sys.getrefcount(wrong)) == before
