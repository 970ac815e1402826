"""Calls of kernels as machine code: what takes this way, that it gives what the other gives, that
it holds on to nothing."""

from __future__ import annotations

import gc
import itertools
import math
import random
import struct
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import pytest

import samebits as sb
from samebits import double2, float3, float32, float64, int8, int32, int64, uint8, uint64
from samebits.lang.kernel import Kernel
from samebits.lang.values.vectors import Vector, components
from samebits.runtime.calls import direct_calls, direct_code
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.fp_state.registers import REGISTERS

T = TypeVar("T")


@sb.struct
class Ball(sb.Struct):
    x: float64 = 0.0
    v: float64 = 0.0

    def move(self, dt: float64) -> float64:
        self.x += self.v * dt
        return self.x


@sb.kernel
def nothing() -> None:
    pass


@sb.kernel
def scalars(a: float, b: float32, c: int, d: uint8, e: bool, f: int64) -> float64:
    return float64(a) + float64(b) + float64(c) + float64(d) + (1.0 if e else 0.0) + float64(f)


@sb.kernel
def strong(a: float32, b: int8) -> tuple[float32, int8, bool, int]:
    return a * 2, b, a > 1, int(b) * 3


@sb.kernel
def weak(a: float, b: int) -> tuple[float, int]:
    return a * 2, b + 1


@sb.kernel
def vectors(a: float3, b: double2) -> tuple[float3, double2]:
    return a * 2, b + 1


@sb.kernel
def arrays(a: sb.ReadOnly[float64], b: sb.Array[float3], i: int) -> float64:
    b[i] = b[i] + 1
    return a[i]


@sb.kernel
def move(ball: Ball, dt: float64) -> float64:
    return ball.move(dt)


@sb.kernel
def made(x: float64, n: int) -> tuple[Ball, int, Ball]:
    assert n != 13, "unlucky"
    return Ball(x, 1.0), n, Ball(v=x)


@sb.kernel
def shifted(a: float64, b: float64 = 2.0, *, c: int = 3) -> float64:
    return a * 100 + b * 10 + float64(c)


@sb.kernel
def generic(a: T, b: sb.ReadOnly[T], c: float = 1.0) -> T:
    return sb.max(a, b[0]) if c > 0 else a


@sb.kernel
def larger(a: T, b: T) -> T:
    return sb.max(a, b)


@sb.kernel
def unsigned(a: uint64, b: int32) -> uint64:
    return a + uint64(b)


def call_twice(call: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """The result of the second call of a kernel, after which calls are direct."""
    call(*args, **named)
    return call(*args, **named)


def python_calls(call: Callable[[], object]) -> int:
    """How many Python functions run in a call of a Python function."""
    count = 0

    def note(frame: Any, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return count - 1


ORDINARY: list[tuple[Kernel, tuple[Any, ...]]] = [
    (nothing, ()),
    (scalars, (1.5, 2.5, 3, 4, True, 5)),
    (scalars, (1.5, float32(2.5), 3, uint8(4), False, np.int64(5))),
    (strong, (1.5, -3)),
    (weak, (1.5, 7)),
    (vectors, (float3(1, 2, 3), double2(4, 5))),
    (arrays, (np.arange(4.0), np.zeros((4, 3), np.float32), 2)),
    (move, (Ball(1.0, 2.0), 0.5)),
    (unsigned, (7, 8)),
    (made, (1.5, 2)),
    (shifted, (1.0, 2.0)),
    (generic, (float32(1), np.ones(2, np.float32))),
    (generic, (int64(1), np.ones(2, np.int64), 2.0)),
]


@pytest.mark.skipif(not direct_code.install(), reason="objects have another layout here")
@pytest.mark.parametrize("case", range(len(ORDINARY)))
def test_ordinary_calls_run_no_python_code(case: int) -> None:
    kernel, args = ORDINARY[case]
    call_twice(kernel, *args)
    assert python_calls(lambda: kernel(*args)) == 0


NAMED: list[tuple[tuple[Any, ...], dict[str, Any], float]] = [
    ((1.0,), {}, 123), ((1.0, 4.0), {}, 143), ((1.0,), {"c": 5}, 125), ((), {"a": 2.0}, 223),
    ((), {"c": 4, "b": 1.0, "a": 2.0}, 214), ((1.0,), {"c": 5, "b": 4.0}, 145),
]  # fmt: skip


@pytest.mark.skipif(not direct_code.install(), reason="objects have another layout here")
@pytest.mark.parametrize("case", range(len(NAMED)))
def test_defaults_and_names_run_no_python_code(case: int) -> None:
    args, named, expected = NAMED[case]
    assert call_twice(shifted, *args, **named) == expected
    assert python_calls(lambda: shifted(*args, **named)) == 0
    assert shifted(*args, **named) == shifted.managed(*args, **named)


@pytest.mark.parametrize(
    ("args", "named", "message"),
    [
        ((), {}, "misses its argument 'a'"),
        ((), {"b": 1.0}, "misses its argument 'a'"),
        ((1.0,), {"d": 1.0}, "has no parameter 'd'"),
        ((1.0,), {"a": 1.0}, "'a' is given twice"),
        ((1.0, 2.0, 3), {}, "takes 2 arguments by position"),
        ((...,), {}, "expected float64"),
    ],
)
def test_what_does_not_bind_is_said(args: Any, named: Any, message: str) -> None:
    shifted(1.0)
    with pytest.raises(sb.ArgumentError, match=message):
        shifted(*args, **named)


def test_names_that_are_no_constants_bind() -> None:
    shifted(1.0)
    named: dict[str, Any] = {"".join(["b"]): 4.0, "".join(["", "c"]): 5}
    assert shifted(1.0, **named) == 145


def test_an_instance_of_a_generic_kernel_is_found_by_the_classes() -> None:
    types: list[Any] = [
        float32, float64, int8, sb.int16, int32, int64, uint8, sb.uint16, sb.uint32, uint64
    ]  # fmt: skip
    for _ in range(2):
        for t in types:
            found = generic(t(3), np.full(2, 2, t.__sb_type__.dtype))
            assert type(found) is t
            assert found == 3
    assert larger(float32(3), float32(2)) == larger(float32(3), 2.0) == 3
    assert larger(int64(3), int64(2)) == 3
    assert type(larger(int64(3), np.int64(2))) is int64
    for wrong in (3, 3.0, True):
        with pytest.raises(sb.CompileError, match="nothing says what T is"):
            larger(wrong, wrong)
    with pytest.raises(sb.CompileError, match="T would be float32 and float64"):
        generic(float32(1), np.ones(2))


def test_structs_of_results_are_new_and_their_own() -> None:
    first, n, second = made(1.5, 2)
    assert (type(first), float(first.x), float(first.v), n) == (Ball, 1.5, 1.0, 2)
    assert (float(second.x), float(second.v)) == (0.0, 1.5)
    other = made(2.5, 2)[0]
    first.x = 7.0
    assert float(other.x) == 2.5
    assert move(first, 1.0) == 8.0
    assert first.copy().x == first.memory["x"] == 8.0


def test_structs_of_a_call_that_traps_are_let_go() -> None:
    made(1.5, 2)
    gc.collect()
    blocks = sys.getallocatedblocks()
    for _ in range(500):
        with pytest.raises(sb.Trap, match="unlucky"):
            made(1.5, 13)
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 200


UNUSUAL: list[tuple[Kernel, tuple[Any, ...], dict[str, Any]]] = [
    (scalars, (1, 2.5, 3, 4, True, 5), {}),
    (shifted, (1,), {"b": 2.0, "c": 3}),
    (vectors, (np.ones(3, np.float32), double2(1, 2)), {}),
    (arrays, (np.arange(4), np.zeros((4, 3), np.float32), 2), {}),
    (arrays, (np.arange(8.0)[::2], np.zeros((4, 3), np.float32), 2), {}),
    (unsigned, (2**64 - 1, 1), {}),
]


@pytest.mark.parametrize("case", range(len(UNUSUAL)))
def test_other_calls_take_the_other_way(case: int) -> None:
    kernel, args, named = UNUSUAL[case]

    def call() -> object:
        try:
            return kernel(*args, **named)
        except sb.SamebitsError:
            return None

    call_twice(call)
    assert python_calls(call) > 0


def bits_of(value: Any) -> object:
    """What tells values of all classes apart: the bytes of numbers, and of all their parts."""
    if isinstance(value, Ball):
        return bits_of((value.x, value.v))
    name = f"{type(value).__module__}.{type(value).__name__}"
    if type(value) is tuple:
        return [bits_of(item) for item in cast("tuple[Any, ...]", value)]
    if isinstance(value, Vector):
        return name, bits_of(components(value))
    if hasattr(value, "tobytes"):
        return name, value.tobytes()
    return name, struct.pack("<d", value) if name == "builtins.float" else value


class Number(float):
    """A float with a class of its own."""


def values() -> list[Any]:
    numbers: list[Any] = [0, 1, -1, 127, 128, 2**31, -(2**63), 2**63, 2**64, True, False]
    floats = [0.0, -0.0, 1.5, math.inf, -math.inf, 1e-45, 3e38, 1e300, math.nan, Number(2.0)]
    (odd,) = struct.unpack("<d", struct.pack("<Q", 0x7FF4_0000_0000_0001))
    typed = [
        cls(n) for cls in (float32, float64, int8, int32, int64, uint8, uint64) for n in (0, 1)
    ]
    numpys = [t(1) for t in (np.float32, np.float64, np.int8, np.int32, np.uint64, np.bool_)]
    read_only = np.ones(4)
    read_only.flags.writeable = False
    memory = np.zeros(33, np.uint8)[1:].view()
    arrays = [
        np.arange(4.0), np.zeros((4, 3), np.float32), np.zeros((0, 3), np.float32), np.ones(0),
        np.arange(4.0)[::-1], np.ones((4, 4)).T[1:], read_only, np.ones(4, ">f8"),
        np.ma.masked_array(np.ones(4)), np.array(1.0), memory[:32].view(np.float64),
    ]  # fmt: skip
    odd_place = Ball.from_memory(np.zeros(17, np.uint8)[1:].view(Ball.dtype))
    read = np.ones(1, Ball.dtype)
    read.flags.writeable = False
    others = [
        odd_place,
        Ball.from_memory(read),
        None,
        "1",
        b"1",
        (1.0, 2.0),
        [1.0],
        Ball(1.0, 2.0),
        float3(1, 2, 3),
    ]
    return [*numbers, *floats, odd, *typed, *numpys, *arrays, *others, double2(1, 2)]


def outcome(call: Callable[..., Any], args: list[Any]) -> tuple[object, ...]:
    """A call's result by class and bits, or its error's class and text, and the memory after it."""
    try:
        made: object = bits_of(call(*args))
    except (sb.SamebitsError, TypeError) as error:
        made = type(error), str(error)
    memory = [a.tobytes() for a in args if isinstance(a, np.ndarray)]
    return made, memory, [bits_of(a.x) for a in args if isinstance(a, Ball)]


def usual(kernel: Kernel) -> list[Any]:
    """Ordinary arguments of a kernel, made anew."""
    args = next(args for k, args in reversed(ORDINARY) if k is kernel)
    return [a.copy() if isinstance(a, np.ndarray | Ball) else a for a in args]


KERNELS = [made, shifted, generic, scalars, strong, weak, vectors, arrays, move, unsigned, nothing]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_any_arguments_give_what_the_other_way_gives(kernel: Kernel) -> None:
    rng = random.Random(f"direct calls {kernel.__name__}")
    call_twice(kernel, *usual(kernel))
    many = len(values())

    pools = values(), values()
    for n in range(1500):
        if n % 25 == 0:  # arrays and structs hold what both ways have written
            pools = values(), values()
        taken = [rng.randrange(many) if rng.random() < 0.4 else -1 for _ in usual(kernel)]
        size = rng.choice([-1, 1]) if rng.random() < 0.05 else 0

        def args(pool: list[Any], taken: list[int] = taken, size: int = size) -> list[Any]:
            drawn = [
                given if k < 0 else pool[k] for k, given in zip(taken, usual(kernel), strict=True)
            ]
            return drawn[:size] if size < 0 else drawn + [1.0] * size

        first = outcome(kernel, args(pools[0]))
        assert first == outcome(by_python(kernel), args(pools[1])), args(values())


def by_python(kernel: Kernel) -> Callable[..., Any]:
    """The kernel's call by Python code alone, that packs the arguments too."""

    def call(*args: Any) -> Any:
        natives = list(kernel.native.values())
        record, kernel.direct = kernel.direct, None
        routines = [(native, native._pack) for native in natives]
        for native in natives:
            native._pack = native._packer.routine = None
        try:
            return kernel(*args)
        finally:
            kernel.direct = record
            for native, routine in routines:
                native._pack = native._packer.routine = routine

    return call


@pytest.mark.parametrize("case", range(len(ORDINARY)))
def test_calls_hold_on_to_nothing(case: int) -> None:
    kernel, args = ORDINARY[case]
    call_twice(kernel, *args)

    def counts() -> list[int]:
        gc.collect()
        known = (*args, kernel, kernel.direct, None, True, False, *map(type, args))
        return [sys.getrefcount(thing) for thing in known]

    def many(times: int) -> None:
        for _ in range(times):
            kernel(*args)

    many(10)
    before, blocks = counts(), sys.getallocatedblocks()
    many(1000)
    # None and the bools have other users; what a call keeps, it would keep a thousand times.
    assert all(abs(b - a) < 50 for a, b in zip(before, counts(), strict=True))
    assert sys.getallocatedblocks() - blocks < 200


def test_traps_hold_on_to_nothing_and_end_at_the_call() -> None:
    a, b = np.arange(4.0), np.zeros((4, 3), np.float32)
    call_twice(arrays, a, b, 0)

    def trap() -> sb.Trap:
        with pytest.raises(sb.Trap, match="index 9 is out of range for an array of 4") as caught:
            arrays(a, b, 9)
        return caught.value

    error = trap()
    frames: list[str] = []
    tb = error.__traceback__
    while tb is not None:
        frames.append(tb.tb_frame.f_code.co_name)
        tb = tb.tb_next
    assert frames == ["trap"]
    assert error.__suppress_context__
    del error
    gc.collect()
    before, blocks = sys.getrefcount(a), sys.getallocatedblocks()
    for _ in range(300):
        trap()
    gc.collect()
    assert sys.getrefcount(a) == before
    assert sys.getallocatedblocks() - blocks < 200


_ONCE = """
import sys
import samebits as sb

@sb.kernel
def one(a: sb.float64) -> sb.float64:
    return a + 1

found = [float(one(1.0)), "samebits.runtime.calls.direct_calls" in sys.modules]
found += [float(one(2.0)), one.direct is not None]
print(*found)
"""


@pytest.mark.skipif(not direct_code.install(), reason="objects have another layout here")
def test_a_kernel_that_is_called_once_is_not_made_direct(tmp_path: Path) -> None:
    (tmp_path / "once.py").write_text(_ONCE)
    command = [sys.executable, str(tmp_path / "once.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "2.0 False 3.0 True\n"


def test_an_interrupt_before_a_kernel_is_direct_costs_a_call_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @sb.kernel
    def one(a: float64) -> float64:
        return a + 1

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    assert one(1.0) == 2
    with monkeypatch.context() as changed:
        changed.setattr(direct_calls, "add_record", interrupted)
        with pytest.raises(KeyboardInterrupt):
            one(1.0)
    assert one(1.0) == 2
    assert one.direct is not None or not direct_code.install()


def test_a_kernel_dies_with_its_last_reference() -> None:
    def make() -> Kernel:
        @sb.kernel
        def one(a: float64) -> float64:
            return a + 1

        return one

    kernel = make()
    assert call_twice(kernel, 1.0) == 2
    gone = weakref.ref(kernel)
    del kernel
    gc.collect()
    assert gone() is None


def test_threads_call_at_once() -> None:
    wrong: list[object] = []

    def work(k: int) -> None:
        a, b = np.full(4, float(k)), np.zeros((4, 3), np.float32)
        for n in range(2000):
            found = arrays(a, b, n % 4)
            if found != k or strong(float(k), 3)[0] != 2 * k:
                wrong.append((k, n, found))
        if not np.all(b == 500):
            wrong.append((k, b))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_managed_run_calls_managed() -> None:
    """A kernel that is called inside of a managed run is managed too, direct or not."""

    @sb.kernel
    def outer(a: float64) -> float64:
        return inner(a) * 2

    @sb.kernel
    def inner(a: float64) -> float64:
        return a + 1

    assert call_twice(inner, 1.0) == 2
    ran: list[str] = []

    def note(frame: Any, event: str, argument: object) -> None:
        ran.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        assert outer.managed(1.0) == 4
    finally:
        sys.setprofile(None)
    assert "inner" in ran
    assert python_calls(lambda: inner(1.0)) == 0


def test_another_environment_changes_no_bits() -> None:
    usual = bits_of(strong(0.1, 1))
    row, before = REGISTERS[fpenv.register_name()], fpenv.read()
    fpenv.write(row.default | row.flush_results | 3 << row.rounding_shift)
    try:
        found = strong(0.1, 1)
        left = fpenv.read()
    finally:
        fpenv.write(before)
    assert bits_of(found) == usual
    assert left == row.default | row.flush_results | 3 << row.rounding_shift


def test_an_inexact_argument_leaves_no_flag() -> None:
    strong(0.1, 1)
    before = fpenv.read()
    strong(0.1, 1)
    assert fpenv.read() == before


def test_many_arguments_at_once() -> None:
    with pytest.raises(sb.ArgumentError):
        nothing(*range(100_000))
    with pytest.raises(sb.ArgumentError):
        nothing(**{f"a{k}": k for k in range(1000)})


def test_all_scalar_types_come_back_with_their_class() -> None:
    names = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
    for name, value in itertools.product([*names, "float32", "float64"], (0, 1, 100)):
        cls: Any = getattr(sb, name)

        def same(a: Any) -> Any:
            return a

        same.__annotations__ = {"a": cls, "return": cls}
        kernel = sb.kernel(same)
        assert kernel(value) == value
        result = kernel(cls(value))
        assert type(result) is cls
        assert result == value
