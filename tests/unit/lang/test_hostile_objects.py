"""Kernels, structs and traps behave as Python objects do: pickled, copied, redefined, in cells."""

from __future__ import annotations

import copy
import gc
import inspect
import linecache
import pickle
from typing import Any

import numpy as np
import pytest
from tests.support.levels import LOWEST

import samebits as sb
from samebits import float32
from samebits.errors import CompileError, Trap
from samebits.lang.fingerprint import fingerprint
from samebits.runtime import cache


@sb.kernel
def pick(a: sb.ReadOnly[float32], i: int = 0) -> float32:
    """The element at i."""
    return a[i]


@sb.struct
class Pair:
    """Two numbers."""

    one: float32
    two: float32

    def total(self, k: float32 = 1) -> float32:
        """Their sum."""
        return (self.one + self.two) * k


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache._Setting, "chosen", None)


def test_a_kernel_is_pickled_by_name_and_copied_as_itself() -> None:
    pick(np.ones(1, np.float32))
    for kernel in (pick, Pair.total):
        assert pickle.loads(pickle.dumps(kernel)) is kernel
        assert copy.copy(kernel) is kernel
        assert copy.deepcopy([kernel])[0] is kernel


def test_a_trap_travels_between_processes_with_its_span() -> None:
    with pytest.raises(Trap) as caught:
        pick(np.ones(1, np.float32), 3)
    for trap in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):
        assert (trap.kind, trap.span, trap.detail) == ("index", caught.value.span, None)
        assert str(trap) == str(caught.value)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_struct_is_pickled_with_its_bytes(protocol: int) -> None:
    memory = np.zeros(1, Pair.dtype)
    memory.view(np.uint32)[:] = [0xFFC12345, 0x80000000]
    pair = Pair.from_memory(memory)
    assert pickle.loads(pickle.dumps(pair, protocol)).memory.tobytes() == memory.tobytes()
    assert copy.deepcopy(pair).memory.tobytes() == memory.tobytes()


def test_signatures_and_docstrings_are_kept() -> None:
    assert str(inspect.signature(pick)).startswith("(a: ")
    assert (pick.__name__, pick.__doc__, Pair.__doc__) == (
        "pick", "The element at i.", "Two numbers.")  # fmt: skip
    assert inspect.getdoc(Pair.total) == "Their sum."
    assert list(inspect.signature(Pair().total).parameters) == ["k"]


def cell(text: str, name: str) -> dict[str, Any]:
    """Run text as a notebook runs a cell: no file, only linecache knows it."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope: dict[str, Any] = {"__name__": "no_such_module", "sb": sb, "float32": float32}
    exec(compile(text, name, "exec", dont_inherit=True), scope)
    return scope


CELL = "@sb.kernel\ndef k(a: sb.ReadOnly[float32], i: int) -> float32:\n    return a[i] * {}\n"


def test_a_cell_run_again_with_other_text_is_another_kernel() -> None:
    ones = np.ones(1, np.float32)
    kernels = [cell(CELL.format(n), "<cell 1>")["k"] for n in (2, 3)]
    assert [float(k(ones, 0)) for k in kernels] == [2.0, 3.0]
    assert [float(k.managed(ones, 0)) for k in kernels] == [2.0, 3.0]


def test_equal_text_in_two_cells_traps_in_its_own() -> None:
    ones = np.ones(1, np.float32)
    kernels = [cell(CELL.format(2), name)["k"] for name in ("<cell a>", "<cell b>")]
    files: list[str] = []
    for kernel in kernels:
        kernel.managed(ones, 0)
    for kernel in kernels:
        for run in (kernel, kernel.managed):
            with pytest.raises(Trap) as caught:
                run(ones, 1)
            assert caught.value.span is not None
            files.append(caught.value.span.file)
    assert files == ["<cell a>", "<cell a>", "<cell b>", "<cell b>"]


def test_a_struct_in_a_cell_with_postponed_annotations() -> None:
    text = (
        "from __future__ import annotations\n"
        "def make():\n    Number = sb.float32\n    @sb.struct\n    class Local:\n"
        "        a: Number\n        b: sb.float32\n    return Local\n"
    )
    local = cell(text, "<cell 2>")["make"]()
    assert local(a=1, b=2).b == 2.0


def test_a_function_renamed_before_it_became_a_kernel_runs_everywhere() -> None:
    def shouted(x: float32) -> float32:
        return x * 2

    shouted.__name__ = shouted.__qualname__ = "other"
    sb.assert_same_bits(sb.kernel(shouted), 1.0, targets=[LOWEST])


def test_two_structs_of_one_name_keep_their_own_methods() -> None:
    text = (
        "@sb.struct\nclass Same:\n    a: float32\n    def get(self) -> float32:\n"
        "        return self.a * {}\n"
    )
    one, two = (cell(text.format(n), f"<struct {n}>")["Same"] for n in (2, 3))

    def both(x: Any, y: Any) -> float32:
        return x.get() * 10 + y.get()

    both.__annotations__.update(x=one, y=two)
    kernel = sb.kernel(both)
    assert kernel(one(a=1), two(a=1)) == kernel.managed(one(a=1), two(a=1)) == 23.0


def test_what_is_no_kernel_is_refused_with_a_message() -> None:
    for thing in (len, Pair, staticmethod(len), pick, lambda x: x):
        with pytest.raises(CompileError, match=r"@sb\.kernel decorates a plain function"):
            sb.kernel(thing)  # type: ignore[call-overload]


def test_kernels_that_are_dropped_are_freed() -> None:
    def round_of(n: int) -> None:
        for k in range(n):
            kernel = cell(CELL.format(k), "<cell 3>")["k"]
            kernel(np.ones(1, np.float32), 0)
            kernel.managed(np.ones(1, np.float32), 0)

    round_of(3)
    gc.collect()
    before = sum(isinstance(o, sb.lang.kernel.Kernel) for o in gc.get_objects())
    round_of(6)
    gc.collect()
    assert sum(isinstance(o, sb.lang.kernel.Kernel) for o in gc.get_objects()) <= before


def test_a_kernel_of_a_module_without_a_name_runs() -> None:
    text = (
        "import samebits as sb\n@sb.kernel\ndef k(x: sb.float32) -> sb.float32:\n    return x * 2\n"
    )
    name = "<nameless>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names: dict[str, Any] = {"sb": sb}
    exec(compile(text, name, "exec", dont_inherit=True), names)
    assert names["k"].function.__module__ is None
    assert fingerprint(names["k"], names["k"].fixed_types)
    assert names["k"](3) == names["k"].managed(3) == 6
