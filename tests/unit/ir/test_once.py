"""What is made of library functions is made once, and again for another function of that name."""

from __future__ import annotations

from dataclasses import replace

from samebits import float64, math
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Function, Module, TableData
from samebits.ir.once import Once, callees
from samebits.ir.text import parse_module, print_module
from samebits.passes.pipeline import optimise
from samebits.types import FLOAT64

SIN = math.sin.kernels[float64.__sb_type__]
KERNEL = next(iter(SIN.values()))


def _module() -> tuple[Module, Function]:
    unit = compile_kernel(KERNEL, KERNEL.fixed_types or ())
    return link(unit), unit.function


def _count(once: Once[int], function: Function, also: object = None) -> int:
    made = 0

    def make() -> int:
        nonlocal made
        made += 1
        return made

    once.of(function, make, also)
    return made


def test_a_result_is_for_one_function_and_what_else_it_is_made_of() -> None:
    _, function = _module()
    once: Once[int] = Once()
    assert [_count(once, function), _count(once, function), _count(once, function, "x")] == [
        1,
        0,
        1,
    ]
    assert _count(once, replace(function)) == 1
    assert _count(once, function) == 1


def test_functions_of_others_are_made_each_time() -> None:
    _, function = _module()
    other = replace(function, name="game.sin")
    once: Once[int] = Once()
    assert [_count(once, other), _count(once, other)] == [1, 1]


def test_another_body_under_a_library_functions_name_has_its_own_text_callees_and_passes() -> None:
    module, function = _module()
    text = print_module(module)
    first = optimise(module, [function.name])
    assert len(callees(function)) > 1
    equal = replace(function, body=list(function.body))
    short = replace(function, body=function.body[:0], slots={})
    changed = Module({**module.functions, function.name: short}, module.tables)
    assert print_module(changed) != text
    assert callees(short) == ()
    assert list(optimise(changed, [function.name]).functions) == [function.name]
    again = Module({**module.functions, function.name: equal}, module.tables)
    assert print_module(again) == text
    assert print_module(optimise(module, [function.name])) == print_module(first)


def test_equal_tables_print_each_its_own_zeros() -> None:
    tables = [TableData(FLOAT64, (zero, 1.0)) for zero in (0.0, -0.0)]
    assert tables[0] == tables[1]
    texts = [print_module(Module({}, {"t": table})) for table in tables]
    assert texts[0] != texts[1]
    assert [print_module(parse_module(text)) for text in texts] == texts
