"""What is made of library functions is made once, and again for another function of that name;
what is made of a module is kept for the last few."""

from __future__ import annotations

from dataclasses import replace

from samebits import float64, math
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Function, Module, TableData
from samebits.ir.once import MOST_KEPT, Lately, Once, callees
from samebits.ir.text import parse_module, print_module, text_of
from samebits.passes.pipeline import optimise
from samebits.passes.semantics.float_modes import lower_float_modes
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


def _made(lately: Lately[object], module: Module, also: object = None) -> object:
    return lately.of(module, object, also)


def test_a_modules_result_is_for_the_very_functions_and_tables_in_their_order() -> None:
    module, function = _module()
    lately: Lately[object] = Lately()
    first = _made(lately, module)
    assert _made(lately, Module(dict(module.functions), dict(module.tables))) is first
    assert _made(lately, module, "x") is not first
    for other in (
        Module({**module.functions, function.name: replace(function)}, module.tables),
        Module(dict(reversed(module.functions.items())), module.tables),
        Module(dict([*module.functions.items()][1:]), module.tables),
        Module(module.functions, {**module.tables, "t": TableData(FLOAT64, (1.0,))}),
    ):
        assert _made(lately, other) is not first
    assert _made(lately, module) is first


def test_a_function_with_a_new_body_or_new_options_has_a_new_result() -> None:
    module, function = _module()
    changed = Module({**module.functions, function.name: replace(function)}, module.tables)
    edited = changed.functions[function.name]
    lately: Lately[object] = Lately()
    found = [_made(lately, changed)]
    edited.body = list(edited.body)
    found.append(_made(lately, changed))
    edited.options = edited.options.merged({"contract": True})
    found.append(_made(lately, changed))
    assert len({*map(id, found)}) == 3


def test_the_last_few_modules_are_kept_and_their_functions_with_them() -> None:
    _, function = _module()
    modules = [Module({"f": replace(function)}) for _ in range(MOST_KEPT + 1)]
    lately: Lately[object] = Lately()
    results = [_made(lately, module) for module in modules]
    assert [_made(lately, m) is r for m, r in zip(modules[1:], results[1:], strict=True)] == [
        True
    ] * MOST_KEPT
    assert _made(lately, modules[0]) is not results[0]


def test_one_module_is_lowered_passed_and_printed_once_for_all_targets() -> None:
    module, function = _module()
    again = Module(dict(module.functions), dict(module.tables))
    assert lower_float_modes(module) is lower_float_modes(again)
    assert optimise(module, [function.name]) is optimise(again, [function.name])
    narrow = optimise(module, [function.name], blocks=False)
    assert narrow is not optimise(module, [function.name])
    assert text_of(module) is text_of(again)
    assert text_of(module) == print_module(module)
