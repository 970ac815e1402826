"""A layer imports only from its own and the layers above it, and LLVM comes in at one place."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "samebits"
LAYERS = {
    "errors": 0, "importing": 0, "output": 0, "modes": 0, "types": 0, "bits": 0,
    "ir": 1,
    "lang": 2, "frontend": 2,
    "mathlib": 3, "math": 3, "noise": 3, "random": 3,
    "passes": 4, "backend": 4,
    "runtime": 5, "fpenv": 5,
    "sim": 6,
    "diagnose": 7, "hazards": 7, "audit": 7, "lockstep": 7,
    "cli": 8, "__main__": 8,
}  # fmt: skip
LLVM = {"backend/llvm.py"}
MODULES = sorted(PACKAGE.rglob("*.py"))


def imports(path: Path) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "samebits":
                found += [(node.lineno, f"samebits.{alias.name}") for alias in node.names]
            else:
                found.append((node.lineno, node.module))
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            argument = node.args[0]
            if isinstance(argument, ast.Constant):
                found.append((node.lineno, str(argument.value)))
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_module_imports_only_from_its_layer_and_those_above(path: Path) -> None:
    relative = path.relative_to(PACKAGE)
    own = relative.parts[0].removesuffix(".py")
    if own == "__init__":
        return
    assert own in LAYERS, f"{relative} has no layer"
    for line, name in imports(path):
        parts = name.split(".")
        if parts[0] == "samebits" and len(parts) > 1 and parts[1] in LAYERS:
            assert LAYERS[parts[1]] <= LAYERS[own], f"{relative}:{line} imports {name}"
        if parts[0] == "llvmlite":
            assert str(relative) in LLVM, f"{relative}:{line} imports {name}"


def test_every_module_says_what_it_owns() -> None:
    for path in MODULES:
        assert ast.get_docstring(ast.parse(path.read_text())), path
