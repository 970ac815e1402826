"""A kernel's tree is that of its file, wherever and however the kernel is written in it."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from samebits.errors import CompileError
from samebits.frontend.core import kernel_source
from samebits.lang.kernel import Kernel

HEAD = "import samebits as sb\nfrom samebits import float64, kernel\n\n\n"
TAIL = "\n\n@kernel\ndef other(x: float64) -> float64:\n    return x\n"

ALONE = {
    "plain": "@kernel\ndef f(x: float64) -> float64:\n    return x\n",
    "a signature in lines": "@kernel\ndef f(\n    x: float64,\n) -> float64:\n    return x\n",
    "a decorator in lines": "@sb.kernel(\n    contract=True\n)\ndef f(x: float64):\n    return x\n",
    "a comment at the margin": "@kernel\ndef f(x: float64):\n    y = x\n# why\n    return y\n",
    "no code at the end": "@kernel\ndef f(x: float64) -> None:\n    y = x\n    y: float64\n",
    "not ASCII": "@kernel\ndef f(x: float64):\n    é = x; return é + x  # ≤ 1\n",
    "text at the margin": '@kernel\ndef f(x: float64):\n    """One.\n\nTwo."""\n    return x\n',
    "a bracket at the margin": "@kernel\ndef f(x: float64):\n    return (x\n+ 1.0\n)\n",
    "text left open": "@kernel\ndef f(x: float64) -> None:\n    x = x\n    '''\n'''\n",
}
WITH_THE_FILE = {
    "in a block": "if True:\n    @kernel\n    def f(x: float64):\n        return x\n",
    "in a function": "def make():\n    @kernel\n    def f(x: float64):\n        return x\n"
    "    return f\n\n\nf = make()\n",
}  # fmt: skip


def _load(folder: Path, text: str) -> Any:
    path = folder / "given.py"
    path.write_text(HEAD + text + TAIL, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("given", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _wanted(kernel: Kernel) -> Iterator[str]:
    tree = ast.parse("".join(kernel.lines))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == kernel.__name__:
            yield ast.dump(node, include_attributes=True)


@pytest.mark.parametrize("text", [*ALONE.values(), *WITH_THE_FILE.values()], ids=str.strip)
def test_the_tree_is_that_of_the_file(text: str, tmp_path: Path) -> None:
    kernel = _load(tmp_path, text).f
    found = kernel_source.source_of(kernel)
    assert [ast.dump(found.node, include_attributes=True)] == [*_wanted(kernel)]


@pytest.mark.parametrize("text", ALONE.values(), ids=ALONE)
def test_a_function_at_the_margin_is_parsed_without_its_file(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = _load(tmp_path, text)
    monkeypatch.setattr(kernel_source, "_parse", None)
    assert kernel_source.source_of(module.f).node.name == "f"
    assert kernel_source.source_of(module.other).node.name == "other"


def test_what_is_no_function_alone_is_looked_for_in_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where Python keeps no ends of lines, and a line at the margin is inside the function."""
    kernel = _load(tmp_path, ALONE["a signature in lines"]).f

    def too_few(_code: object, lines: tuple[str, ...]) -> tuple[str, ...]:
        return lines[4:6]

    monkeypatch.setattr(kernel_source, "own_lines", too_few)
    found = kernel_source.source_of(kernel)
    assert [ast.dump(found.node, include_attributes=True)] == [*_wanted(kernel)]


def test_columns_are_characters(tmp_path: Path) -> None:
    kernel = _load(tmp_path, ALONE["not ASCII"]).f
    found = kernel_source.source_of(kernel)
    last = found.node.body[-1]
    assert isinstance(last, ast.Return)
    assert last.value is not None
    span = found.span(last.value)
    line = kernel.lines[span.line - 1]
    assert line[span.column : span.end_column] == "é + x"


def test_a_function_without_a_file_has_no_source() -> None:
    names: dict[str, Any] = {}
    exec(HEAD + ALONE["plain"], names)
    with pytest.raises(CompileError, match="no source that can be read"):
        kernel_source.source_of(names["f"])
