"""A struct of another class of the asked name is refused with both modules and a likely cause."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import samebits as sb

SOURCE = """
import samebits as sb
from samebits import float64


@sb.struct
class Cart(sb.Struct):
    x: float64 = 0


@sb.struct
class World(sb.Struct):
    cart: Cart = sb.zero


@sb.kernel
def place(cart: Cart) -> float64:
    return cart.x
"""


@pytest.fixture
def carts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    (tmp_path / "sb_carts.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("sb_carts")
    del sys.modules["sb_carts"]


def loaded_as(name: str, file: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


def refusal(call: Any, *args: Any) -> sb.ArgumentError:
    with pytest.raises(sb.ArgumentError) as caught:
        call(*args)
    return caught.value


def test_a_struct_of_a_reloaded_module_is_told_apart(carts: Any) -> None:
    old = carts.Cart
    importlib.reload(carts)
    for call in (carts.place, carts.place.managed):
        error = refusal(call, old(1))
        assert error.message == (
            "place(): parameter 'cart': expected Cart of module sb_carts "
            f"(at {id(carts.Cart):#x}); "
            f"got Cart of module sb_carts (at {id(old):#x})"
        )
        assert "imported twice or reloaded" in (error.note or "")
        assert "sb_carts.Cart" in (error.fix or "")


def test_a_file_imported_under_two_names_is_named(
    carts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = loaded_as("game.sb_carts", carts.__file__, monkeypatch)
    error = refusal(carts.place, other.Cart(1))
    assert error.note == (
        "one file was imported under two names: sb_carts and game.sb_carts, and each makes a Cart"
    )
    assert error.fix == "import it everywhere as sb_carts"


def test_a_namesake_of_other_fields_is_told_apart_in_a_field(
    carts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "others.py"
    file.write_text(SOURCE.replace("    x: float64 = 0", "    x: float64 = 0\n    y: float64 = 0"))
    other = loaded_as("sb_others", str(file), monkeypatch)
    error = refusal(carts.World, other.Cart(1, 2))
    assert "field 'cart' of World is Cart of module sb_carts (at 0x" in error.message
    assert error.note == "sb_carts and sb_others each have a struct Cart"
    assert error.fix == "make it by sb_carts.Cart"
