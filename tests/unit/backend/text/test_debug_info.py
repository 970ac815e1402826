"""The debug information of an object, as DWARF: lines, names, types; and kernels without it."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile
from tests.support.kernels import debugged
from tests.support.kernels.debugged import LAST, Ball, bounced, fall

import samebits as sb
from samebits import float64
from samebits.backend.llvm.compile import llvm_text
from samebits.backend.request import Request
from samebits.backend.targets.table import TARGETS
from samebits.frontend.compile import compile_kernel, link
from samebits.lang.kernel import Kernel


def request(kernel: Kernel) -> Request:
    assert kernel.fixed_types is not None
    unit = compile_kernel(kernel, kernel.fixed_types)
    return Request(link(unit), [unit.function.name], TARGETS["x86-64-v3"])


def dwarf_of(kernel: Kernel) -> Any:
    data = request(kernel).debuggable().object_bytes
    return ELFFile(io.BytesIO(data)).get_dwarf_info()


def text(entry: Any, name: str = "DW_AT_name") -> str:
    return entry.attributes[name].value.decode()


def type_of(t: Any) -> str:
    return text(t) if "DW_AT_name" in t.attributes else t.tag


def type_name(entry: Any) -> str:
    return type_of(entry.get_DIE_from_attribute("DW_AT_type"))


def test_each_kernel_has_its_parameters_and_names_with_their_types() -> None:
    (unit,) = dwarf_of(fall).iter_CUs()
    found = {
        text(entry): [(child.tag[7:], text(child), type_name(child))
                      for child in entry.iter_children()]
        for entry in unit.iter_DIEs() if entry.tag == "DW_TAG_subprogram"
    }  # fmt: skip
    parameter, variable = "formal_parameter", "variable"
    assert found["bounced"] == [(parameter, "v", "float64"), (variable, "w", "float64")]
    assert sorted(found["fall"]) == sorted([
        (parameter, "ball", "Ball"),
        (parameter, "a", "Array[float64]"),
        (parameter, "dt", "float64"),
        (variable, "total", "float64"),
        (variable, "w", "DW_TAG_structure_type"),
        (variable, "up", "bool"),
        (variable, "i", "int"),
    ])  # fmt: skip


def test_fields_have_the_places_of_the_struct() -> None:
    (unit,) = dwarf_of(fall).iter_CUs()
    (ball,) = [
        entry for entry in unit.iter_DIEs()
        if entry.tag == "DW_TAG_structure_type" and type_of(entry) == "Ball"
    ]  # fmt: skip
    places = {
        text(field): field.attributes["DW_AT_data_member_location"].value
        for field in ball.iter_children()
    }
    assert places == {"y": 0, "v": 8, "hits": 16, "last": 24}


def test_the_line_table_has_every_line_that_does_something() -> None:
    info = dwarf_of(fall)
    (unit,) = info.iter_CUs()
    program = info.line_program_for_CU(unit)
    lines = {row.state.line for row in program.get_entries() if row.state is not None}
    with open(debugged.__file__, encoding="utf-8") as file:
        source = list(enumerate(file, 1))
    first = next(n for n, line in source if "def bounced" in line)
    last = next(n for n, line in source if "return total" in line)
    done = {
        n for n, line in source
        if first < n <= last and line.startswith("    ") and "return w" not in line
    }  # fmt: skip
    assert done <= lines


def test_a_kernel_without_the_option_has_no_debug_information() -> None:
    plain = request(bounced)
    assert not plain.is_debugged
    assert b".debug_info" not in plain.compiled().object_bytes
    assert "!dbg" not in llvm_text(plain.optimised, plain.entries, plain.target)


def test_what_has_the_option_or_calls_what_has_it_is_compiled_for_a_debugger() -> None:
    assert request(fall).is_debugged
    assert request(outer).is_debugged


def test_bits_are_the_same_with_the_option() -> None:
    ball = Ball(1.0, -1.0, 7, LAST)
    sb.assert_same_bits(fall, ball, np.array([1.5, -2.5, 3.5]), 0.75)
    sb.assert_same_bits(outer, 2.0)


def test_an_index_out_of_range_traps_as_without_the_option() -> None:
    ball = Ball(1.0, -1.0, 7, LAST)
    with pytest.raises(sb.Trap, match="index 1 is out of range for an array of 1"):
        sb.assert_same_bits(fall, ball, np.array([1.5]), 0.75)


@sb.kernel(debug_info=True)
def inner(x: float64) -> float64:
    y = x * 3.0
    return y / 7.0


@sb.kernel
def outer(x: float64) -> float64:
    return inner(x) + 1.0


@sb.kernel(debug_info=True)
def thrown(speed: float64) -> tuple[Ball, float64]:
    ball = Ball()
    return ball, speed


def test_places_of_struct_results_are_no_names_and_no_arguments() -> None:
    ball, speed = thrown(2.0)
    assert isinstance(ball, Ball)
    assert speed == 2
    (unit,) = dwarf_of(thrown).iter_CUs()
    (found,) = [entry for entry in unit.iter_DIEs() if entry.tag == "DW_TAG_subprogram"]
    children = [(child.tag[7:], text(child)) for child in found.iter_children()]
    assert ("formal_parameter", "speed") in children
    assert not any(name.startswith("return") for _, name in children)
    sb.assert_same_bits(thrown, 2.0)
