"""Assignment to components of vectors in a managed run, where vectors are immutable.

`v.x = e` is written out as `v = ` a vector with another x, and likewise for fields and elements.

Whether a name, field or element holds a vector or a struct is known when it runs. Every part is
evaluated once, in CPython's order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, cast

from samebits.frontend.targets import VECTOR_COMPONENTS
from samebits.lang.memory.arrays import ManagedArray
from samebits.lang.memory.structs import Struct
from samebits.lang.values.storage import bytes_of, implicit, storer
from samebits.lang.values.vectors import PlainVector, components, vector

INDEX = "__sb_index"
"""The name that keeps the index of an element whose component is assigned."""
Statement = ast.Assign | ast.AugAssign


def put(held: Any, letter: str, value: Any) -> Any:
    """What a name holds after `held.letter = value`: another vector, or the same struct."""
    if not isinstance(held, PlainVector):
        setattr(held, letter, value)
        return held
    t = held.__sb_type__
    index = VECTOR_COMPONENTS.index(letter)
    if index >= t.length:
        setattr(held, letter, value)  # raises
    items = list(components(held))
    items[index] = implicit(value, t.element, f"component '{letter}' of {t}")
    return vector(type(held), tuple(items))


def put_field(_: Any, owner: Any, name: str, held: Any, letter: str, value: Any) -> None:
    """`owner.name.letter = value`, where the field holds `held`."""
    changed = put(held, letter, value)
    if changed is not held:
        at = owner._offset + owner.__sb_type__.offsets[name]
        _store(owner._buffer, at, changed, letter)


def put_element(_: Any, owner: Any, index: Any, held: Any, letter: str, value: Any) -> None:
    """`owner[index].letter = value`, where the element is `held`."""
    changed = put(held, letter, value)
    if changed is not held:
        if isinstance(owner, Struct):
            owner, index = cast("Any", owner).__sb_place__(index)
        at = owner._offset + owner._flat(index) * owner.element.size
        _store(owner._buffer, at, changed, letter)


def _store(buffer: Any, at: int, changed: Any, letter: str) -> None:
    """Write one component of the vector at `at`: the NaNs beside it stay as they are in memory."""
    t, index = changed.__sb_type__.element, VECTOR_COMPONENTS.index(letter)
    storer(t, "the element")(buffer, at + index * t.size, components(changed)[index])


def copied_value(value: Any) -> Any:
    """A struct or fixed array with memory of its own; anything else itself."""
    if isinstance(value, Struct):
        return value.copy()
    if isinstance(value, ManagedArray):
        return ManagedArray(bytes_of(value.memory.copy()), 0, value.element, value.fixed_type.shape)
    return value


def copied_struct(value: Any) -> Any:
    """A struct with memory of its own; anything else itself."""
    return value.copy() if isinstance(value, Struct) else value


NAMES = {
    "__sb_copied_struct": copied_struct,
    "__sb_put": put,
    "__sb_put_field": put_field,
    "__sb_put_element": put_element,
    "__sb_copied": copied_value,
}
"""What the statements written out call."""


def written_out(node: Statement, local: set[str]) -> Iterator[ast.stmt]:
    """Statements that do what `node` does and assign no component of a vector; `local` are the
    function's own names."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if not any(_assigns_component(part, local) for part in targets):
        yield node
        return
    first = targets[0]
    if len(targets) == 1 and isinstance(first, ast.Attribute):
        yield _written_out(node, first)
        return
    assert isinstance(node, ast.Assign)
    whole = f"__sb_whole_{node.lineno}_{node.col_offset}"
    yield _assign(node, _name(node, whole, store=True), node.value)
    for part in targets:
        yield from _unpacked(part, _name(node, whole), local)


def _unpacked(target: ast.expr, value: ast.expr, local: set[str]) -> Iterator[ast.stmt]:
    if not isinstance(target, ast.Tuple | ast.List):
        yield from written_out(_assign(target, target, value), local)
        return
    names = [f"__sb_part_{e.lineno}_{e.col_offset}" for e in target.elts]
    stores = cast("list[ast.expr]", [_name(target, n, store=True) for n in names])
    yield _assign(target, ast.copy_location(ast.Tuple(stores, ast.Store()), target), value)
    for name, part in zip(names, target.elts, strict=True):
        yield from _unpacked(part, _name(part, name), local)


def _assigns_component(target: ast.expr, local: set[str]) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return any(_assigns_component(part, local) for part in target.elts)
    if not isinstance(target, ast.Attribute) or target.attr not in VECTOR_COMPONENTS:
        return False
    inner = target.value
    if isinstance(inner, ast.Name):
        return inner.id in local
    return isinstance(inner, ast.Attribute | ast.Subscript)


def _written_out(node: Statement, target: ast.Attribute) -> ast.stmt:
    """One statement for one target that may be a component."""
    inner, letter = target.value, ast.copy_location(ast.Constant(target.attr), target)
    if isinstance(inner, ast.Name):
        held = _name(inner, inner.id)
        value = _value(node, target, held)
        call = _call(target, "__sb_put", held, letter, value)
        return _assign(node, _name(inner, inner.id, store=True), call)
    given, value = ast.copy_location(ast.Constant(None), node), ast.expr()
    if isinstance(node, ast.Assign):
        given, value = _kept(node.value, "__sb_value", node.value), _name(node, "__sb_value")
    assert isinstance(inner, ast.Attribute | ast.Subscript)
    owner = _kept(inner.value, "__sb_owner", inner.value)
    again = _name(inner.value, "__sb_owner")
    if isinstance(inner, ast.Attribute):
        name, key = "__sb_put_field", ast.copy_location(ast.Constant(inner.attr), inner)
        read: ast.expr = ast.Attribute(again, inner.attr, ast.Load())
    else:
        name, key = "__sb_put_element", _kept(inner.slice, INDEX, inner.slice)
        read = ast.Subscript(again, _name(inner.slice, INDEX), ast.Load())
    held = _kept(inner, "__sb_held", ast.copy_location(read, inner))
    if isinstance(node, ast.AugAssign):
        value = _value(node, target, _name(inner, "__sb_held"))
    call = _call(target, name, given, owner, key, held, letter, value)
    return ast.copy_location(ast.Expr(call), node)


def _value(node: Statement, target: ast.Attribute, held: ast.expr) -> ast.expr:
    """What is assigned to the component `target`; `held` reads what its place holds."""
    if isinstance(node, ast.Assign):
        return node.value
    read = ast.copy_location(ast.Attribute(held, target.attr, ast.Load()), target)
    return ast.copy_location(ast.BinOp(read, node.op, node.value), node)


def _name(at: ast.AST, name: str, *, store: bool = False) -> ast.Name:
    return ast.copy_location(ast.Name(name, ast.Store() if store else ast.Load()), at)


def _kept(at: ast.AST, name: str, value: ast.expr) -> ast.expr:
    """`(name := value)`."""
    return ast.copy_location(ast.NamedExpr(_name(at, name, store=True), value), at)


def _assign(at: ast.AST, target: ast.expr, value: ast.expr) -> ast.Assign:
    return ast.copy_location(ast.Assign([target], value), at)


def _call(at: ast.AST, name: str, *arguments: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(_name(at, name), [*arguments], []), at)
