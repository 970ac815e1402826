"""Objects are the same each time, load and unload, and many of them leave nothing behind."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.support.programs.compiled_kernels import CONFIGURATIONS, HOST_TARGETS, Compiled
from tests.support.programs.loops import collatz, counting, sum_of

from samebits.backend.llvm import engine
from samebits.backend.llvm.compile import compile_module, llvm_text
from samebits.backend.targets.table import TARGETS
from samebits.errors import IRError
from samebits.ir.builder import Builder
from samebits.ir.grammar import Module, TableData
from samebits.types import FLOAT32, INT, FixedArrayType, RefType

MODULE = Module({f.name: f for f in (collatz(), counting(2), sum_of())})


@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda t: t.name)
def test_an_object_has_the_same_bytes_each_time(target: engine.Target) -> None:
    names = list(MODULE.functions)
    first = compile_module(MODULE, names, target)
    assert compile_module(MODULE, names, target) == first


def test_only_what_the_entries_reach_is_compiled() -> None:
    text = llvm_text(MODULE, ["collatz"], HOST_TARGETS[0])
    assert "k:collatz" in text
    assert "k:sum" not in text


def test_several_entries_share_one_object() -> None:
    functions = list(MODULE.functions.values())
    compiled = Compiled(functions, ["count2", "collatz"], HOST_TARGETS[-1], 3)
    assert compiled("collatz", 6) == (8, True)
    assert compiled("count2", 0, 5)[0] == 3


def test_an_unknown_entry_is_named() -> None:
    with pytest.raises(IRError, match="there is no function nothing in the module"):
        compile_module(MODULE, ["nothing"], HOST_TARGETS[0])


def test_a_missing_symbol_is_an_error_and_not_an_address() -> None:
    compiled = compile_module(MODULE, ["collatz"], HOST_TARGETS[0])
    with pytest.raises(RuntimeError, match="sb_entry_1"):
        engine.load(compiled.object_bytes, ["sb_entry_0", "sb_entry_1"])
    assert engine.load(compiled.object_bytes, ["sb_entry_0"]).addresses["sb_entry_0"]


def test_threads_may_compile_load_and_call_at_once() -> None:
    def work(n: int) -> object:
        target, opt = CONFIGURATIONS[n % len(CONFIGURATIONS)]
        return Compiled([collatz()], ["collatz"], target, opt)("collatz", 27)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(work, range(24))) == {(61, False)}


def resident_kib() -> int:
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * 4


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_hundreds_of_programs_leave_no_memory_behind() -> None:
    def work(count: int) -> None:
        for _ in range(count):
            Compiled([collatz()], ["collatz"], HOST_TARGETS[-1], 0)("collatz", 6)
        gc.collect()

    work(130)
    grown: list[int] = []
    for _ in range(3):  # the heap may take a MiB at once, for many programs
        before = resident_kib()
        work(256)
        grown.append(resident_kib() - before)
    assert min(grown) < 800  # a linker that is kept costs 9 KiB a program


@pytest.mark.parametrize(("target", "opt"), CONFIGURATIONS)
def test_constant_tables_are_read_where_they_lie(target: engine.Target, opt: int) -> None:
    values = (1.5, -0.0, float("inf"), 0.1015625)
    t = FixedArrayType(FLOAT32, (4,))
    b = Builder("pick", {"i": INT}, [FLOAT32])
    table = b.emit("table", attr="a table", types=[RefType(t)]).result
    b.index(b.get("i"), b.const(INT, 4))
    function = b.ret(b.load(b.element(table, b.get("i"))))
    module = Module({"pick": function}, {"a table": TableData(FLOAT32, values)})
    compiled = Compiled([function], ["pick"], target, opt, module)
    patterns = [0x3FC00000, 0x80000000, 0x7F800000, 0x3DD00000]
    assert [compiled("pick", i) for i in range(4)] == [(p,) for p in patterns]
    assert compiled("pick", 4).kind == "index"


@pytest.mark.parametrize("name", ["ppc64le", "ppc64"])
def test_powerpc_reaches_any_number_of_addresses(name: str) -> None:
    target = TARGETS[name]
    text = (
        f'target triple = "{target.triple}"\n@far = external global i64\n'
        "define i64 @read() {\n  %value = load i64, ptr @far\n  ret i64 %value\n}\n"
    )
    assert "@toc@ha" in engine.assemble_text(text, target)  # 16 bits alone would be 64 KiB
