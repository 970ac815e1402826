"""Fixes of generators and of lists that are written out: the loops and the calls that they are."""

from __future__ import annotations

import ast

from samebits.frontend.core.context import Context


def for_generator(ctx: Context, node: ast.GeneratorExp) -> str:
    """What to write for a generator: the loop that it is."""
    if len(node.generators) != 1:
        return "write `for` loops"
    (part,) = node.generators
    names = ctx.text(part.target)
    names = names[1:-1] if isinstance(part.target, ast.Tuple) else names
    head = f"for {names} in {ctx.text(part.iter)}: "
    head += "".join(f"if {ctx.text(test)}: " for test in part.ifs)
    value = ctx.text(node.elt)
    match _called_with(ctx, node):
        case "sum":
            return f"write a loop: `total = 0.0`, then `{head}total += {value}`"
        case "min" | "max" as name:
            return f"write a loop: `{head}best = {name}(best, {value})`"
        case "any":
            found = ctx.filled("`found = found or {x}`", x=node.elt)[1:]
            return f"write a loop: `found = False`, then `{head}{found}"
        case "all":
            holds = ctx.filled("`holds = holds and {x}`", x=node.elt)[1:]
            return f"write a loop: `holds = True`, then `{head}{holds}"
        case _:
            return f"write a loop: `{head}...`"


def _called_with(ctx: Context, argument: ast.expr) -> str | None:
    """The name of what is called with one argument alone."""
    for node in ast.walk(ctx.source.node):
        if isinstance(node, ast.Call) and node.args == [argument]:
            return node.func.id if isinstance(node.func, ast.Name) else None
    return None


def added_to(ctx: Context, node: ast.List) -> ast.expr | None:
    """What a list is written out to be added to: by `+=`, `+` or `extend`."""
    for part in ast.walk(ctx.source.node):
        match part:
            case ast.AugAssign(op=ast.Add(), target=items, value=value) if value is node:
                return items
            case ast.BinOp(op=ast.Add(), left=items, right=value) if value is node:
                return items
            case ast.Call(func=ast.Attribute(attr="extend", value=items), args=[value]) if (
                value is node
            ):
                return items
            case _:
                pass
    return None


def appended(ctx: Context, items: ast.expr, node: ast.List) -> str:
    """The calls that add the items of a list to `items`, an sb.List."""
    if not node.elts:
        return "drop it: it adds nothing"
    calls = [f"`{ctx.text(items)}.append({ctx.text(item)})`" for item in node.elts]
    if len(calls) == 1:
        return f"write {calls[0]}"
    return f"write {', '.join(calls[:-1])} and {calls[-1]}"
