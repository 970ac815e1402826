"""What a statement itself reads: operands, conditions, bounds, results."""

from __future__ import annotations

from samebits.ir.grammar import For, If, Op, Return, Statement, Value, While


def operands(statement: Statement) -> tuple[Value, ...]:
    """The values that `statement` itself uses, those of the regions inside it not included."""
    match statement:
        case Op():
            return statement.args
        case If() | While():
            return (statement.condition,)
        case For():
            return (statement.start, statement.stop)
        case Return():
            return statement.values
        case _:
            return ()
