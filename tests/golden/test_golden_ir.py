"""The front end lowers these kernels to exactly this IR; `--update-golden` writes it anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Module
from samebits.ir.text import parse_module, print_module
from samebits.ir.verify import verify
from samebits.lang.kernel import Kernel
from samebits.types import FLOAT32, ArrayType, Type
from tests.golden import golden_kernels as kernels

FILES = Path(__file__).parent / "ir"
KERNELS: dict[str, tuple[Kernel, tuple[Type | None, ...]]] = {
    "drift": (kernels.drift, ()),
    "fall": (kernels.fall, ()),
    "largest": (kernels.largest, (ArrayType(FLOAT32, 1, True), FLOAT32)),
    "collatz": (kernels.collatz, ()),
    "hashed": (kernels.hashed, ()),
}


def lowered(kernel: Kernel, found: tuple[Type | None, ...]) -> Module:
    return link(compile_kernel(kernel, kernel.signature.resolve(found)))


def text_of(name: str) -> str:
    """The module's text, with its spans in a file without folders."""
    text = print_module(lowered(*KERNELS[name]))
    return text.replace(str(Path(kernels.__file__)), Path(kernels.__file__).name)


@pytest.mark.parametrize("name", KERNELS)
def test_the_ir_is_the_golden_one(name: str, update_golden: bool) -> None:
    golden = FILES / f"{name}.txt"
    found = text_of(name)
    if update_golden:
        golden.write_text(found)
    assert found == golden.read_text()
    assert str(Path(__file__).parents[2]) not in found


@pytest.mark.parametrize("name", KERNELS)
def test_golden_ir_is_legal_and_parses_back(name: str) -> None:
    text = (FILES / f"{name}.txt").read_text()
    module = parse_module(text)
    verify(module)
    assert print_module(module) == text


def test_what_calls_the_math_library_is_legal() -> None:
    verify(lowered(kernels.launched, ()))


def test_every_golden_file_belongs_to_a_kernel() -> None:
    assert {path.stem for path in FILES.glob("*.txt")} == KERNELS.keys()
