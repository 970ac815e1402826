"""The stubs that type checkers and editors read have the names and docstrings of the run time."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tools.stubs import __main__ as stubs

import samebits as sb

pytest.importorskip("ruff")
SOURCE = Path(sb.__file__).parent


def names(path: Path) -> set[str]:
    """What a stub defines or imports, the names behind its stars included."""
    found: set[str] = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        match node:
            case ast.ImportFrom(module=str(module), names=[ast.alias(name="*")]):
                found |= {n for n in names(SOURCE.parent / f"{module.replace('.', '/')}.pyi")}
            case ast.ImportFrom(names=aliases):
                found |= {alias.asname for alias in aliases if alias.asname}
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                found.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                found.add(name)
            case _:
                pass
    return found


@pytest.mark.parametrize("path", stubs.texts(), ids=lambda path: path.stem)
def test_a_stub_is_what_the_run_time_makes_it(path: Path) -> None:
    text = stubs.formatted(stubs.texts()[path], str(path))
    assert path.read_text("utf-8") == text, "run: python -m tools.stubs"


@pytest.mark.parametrize("module", [sb, sb.math, sb.random, sb.noise], ids=lambda m: m.__name__)
def test_a_stub_has_the_public_names_of_its_module_and_no_others(module: object) -> None:
    file = Path(str(vars(module)["__file__"])).with_suffix(".pyi")
    public = {name for name in names(file) if not name.startswith("_") and name != "T"}
    left = sb._BUILTINS if module is sb else ()
    assert public == {*vars(module)["__all__"], *left}


def test_a_star_import_gives_type_checkers_the_names_that_it_gives_at_run_time() -> None:
    text = Path(str(sb.__file__)).with_suffix(".pyi").read_text("utf-8")
    (found,) = (
        ast.literal_eval(node.value)
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    )
    assert sorted(found) == sorted(sb.__all__)


@pytest.mark.parametrize("name", ["arrays", "kernels"])
def test_what_a_written_stub_says_first_is_what_the_run_time_says(name: str) -> None:
    for node in ast.parse((SOURCE / "typed" / f"{name}.pyi").read_text("utf-8")).body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef):
            continue
        own, real = ast.get_docstring(node), getattr(getattr(sb, node.name, None), "__doc__", None)
        if own and real and node.name not in ("FixedArray", "unsafe_parallel", "Appender"):
            assert own.split("\n")[0] == real.strip().split("\n")[0], node.name
