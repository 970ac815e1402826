"""Memory that lives as long as a simulation's state and that no hash or saved state sees.

Owns how a struct of state gets more fields, everywhere in a module that mentions it.
"""

from __future__ import annotations

from dataclasses import replace

from samebits.hazards.edit.function_editor import FunctionEditor, Source, entries, state_of
from samebits.ir.grammar import Function, Module, Op, Region, Statement, Value, ValueType
from samebits.ir.rewrite import map_region
from samebits.types import (
    UINT64,
    ArrayType,
    FixedArrayType,
    MemoryType,
    RefType,
    StructType,
)


def with_hidden(module: Module, field: str) -> Module:
    """The kernels with one more uint64 behind the fields of the state; it starts as zero.

    The module itself where it is there. As wide as any alignment, it lies behind all of the
    state's own bytes, padding included.
    """
    state = state_of(module)
    if field in state.field_types:
        return module
    more = StructType(state.name, (*state.fields, (field, UINT64)))
    retyped = _Retyped(state, more)
    functions = {name: retyped.function(f) for name, f in module.functions.items()}
    return Module(functions, module.tables)


def hidden_sources(module: Module, field: str) -> dict[str, Source]:
    """The operations that make a reference to a hidden field where init and step begin."""

    def source(editor: FunctionEditor) -> Value:
        return editor.field(editor.get(editor.function.params[0][0]), field)

    return dict.fromkeys(entries(module), source)


class _Retyped:
    """Exchanges one struct for another wherever it is mentioned."""

    def __init__(self, old: StructType, new: StructType) -> None:
        self._known: dict[MemoryType, MemoryType] = {old: new}

    def _memory(self, t: MemoryType) -> MemoryType:
        match t:
            case FixedArrayType():
                element = self._memory(t.element)
                return t if element is t.element else replace(t, element=element)
            case StructType():
                if t not in self._known:
                    fields = tuple((name, self._memory(field)) for name, field in t.fields)
                    same = all(a is b for (_, a), (_, b) in zip(fields, t.fields, strict=True))
                    self._known[t] = t if same else StructType(t.name, fields)
                return self._known[t]
            case _:
                return t

    def _type(self, t: ValueType) -> ValueType:
        match t:
            case RefType():
                target = self._memory(t.target)
                return t if target is t.target else RefType(target)
            case ArrayType():
                element = self._memory(t.element)
                return t if element is t.element else replace(t, element=element)
            case _:
                return t

    def function(self, function: Function) -> Function:
        params = tuple((name, self._type(t)) for name, t in function.params)
        slots = {name: self._type(t) for name, t in function.slots.items()}
        locals_ = {name: self._memory(t) for name, t in function.locals.items()}
        if (params, slots, locals_) == (function.params, function.slots, function.locals):
            return function
        body = map_region(function.body, self._statement)
        return replace(function, params=params, slots=slots, locals=locals_, body=body)

    def _statement(self, statement: Statement) -> Region:
        if isinstance(statement, Op):
            args = tuple([self._value(value) for value in statement.args])
            results = tuple([self._value(value) for value in statement.results])
            statement = replace(statement, args=args, results=results)
        return [statement]

    def _value(self, value: Value) -> Value:
        t = self._type(value.type)
        return value if t is value.type else Value(value.op, value.index, t)
