"""Changes to one function of a module: what stays keeps its id, what is new gets a fresh one.

Owns how statements are put in, and values brought into functions that have none. What is changed,
and why, is the hazards' business.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from samebits.errors import Span
from samebits.ir.builder import Builder
from samebits.ir.grammar import (
    CALLS,
    For,
    Function,
    Module,
    Numbered,
    Op,
    Region,
    Statement,
    Value,
    ValueType,
    While,
    regions,
    walk,
)
from samebits.ir.refs import OpRef, is_own, statement_at, statements
from samebits.ir.rewrite import SpanWriter, exchanged, fresh_ids, map_region, with_function
from samebits.types import UINT64, ArrayType, RefType, ScalarType, StructType


def own_functions(module: Module) -> list[Function]:
    """The functions that the user wrote."""
    return [f for name, f in module.functions.items() if is_own(name)]


def own_statements(module: Module) -> Iterator[tuple[OpRef, Numbered]]:
    """Every numbered statement of theirs, in source order."""
    return statements(module, filter(is_own, module.functions))


def with_statements(module: Module, function: str, made: Mapping[int, Region]) -> Module:
    """The module with the statements of these ids in a function replaced by those of `made`."""
    old = module.functions[function]
    return with_function(module, replace(old, body=exchanged(old.body, made)))


class FunctionEditor(Builder):
    """A function under change: statements that are built get fresh ids and the span of the one
    whose place they take; `append` keeps one as it was."""

    def __init__(self, module: Module, name: str) -> None:
        self.module = module
        old = module.functions[name]
        self.function = replace(old, slots=dict(old.slots), locals=dict(old.locals))
        SpanWriter.__init__(self, [], old.span, fresh_ids(old))

    def next_span(self) -> Span:
        return self.span

    @contextmanager
    def instead(self, number: int) -> Generator[Numbered]:
        """What is built inside stands for statement `number`, which is given. HazardError."""
        found = statement_at(self.done(), OpRef(self.function.name, number))
        self.span = found.span
        made: Region = []
        with self.into(made):
            yield found
        self.function.body = exchanged(self.function.body, {number: made})

    @contextmanager
    def first(self) -> Generator[None]:
        """What is built inside comes before all that the function does."""
        self.span = self.function.span
        made: Region = []
        with self.into(made):
            yield
        self.function.body = [*made, *self.function.body]

    def again(self, op: Op) -> Value:
        """The op's result by a new op, so that another one can give the result of its id."""
        types = [value.type for value in op.results]
        return self.emit(
            op.opcode, *op.args, attr=op.attr, types=types, unchecked=op.unchecked
        ).result

    def give(self, number: int, opcode: str, *args: Value, type: ValueType) -> None:
        """An op that has the id `number`: what used that result uses this one."""
        result = Value(number, 0, type)
        self.region.append(Op(number, opcode, args, None, (result,), self.span))

    def done(self) -> Module:
        """The module with the function as it is now."""
        return with_function(self.module, self.function)


def entries(module: Module) -> tuple[str, str]:
    """The names of `init` and `step` in a simulation's kernels, by what they take. LookupError."""
    called = {op.attr for f in module.functions.values() for op in calls_in(f)}
    found = sorted(own_functions(module), key=lambda f: f.name in called)
    step = next((f for f in found if _is_step(f)), None)
    taken = [] if step is None else [step.params[0][1], UINT64]
    init = next((f for f in found if _types(f) == taken and not f.results), None)
    if step is None or init is None:
        raise LookupError("these are no kernels of a simulation")
    return init.name, step.name


def state_of(module: Module) -> StructType:
    """The type of the state in a simulation's kernels. LookupError."""
    _, step = entries(module)
    t = module.functions[step].params[0][1]
    assert isinstance(t, RefType)
    assert isinstance(t.target, StructType)
    return t.target


def _types(function: Function) -> list[ValueType]:
    return [t for _, t in function.params]


def _is_step(function: Function) -> bool:
    match _types(function):
        case [RefType(StructType()), ArrayType(StructType(), 1, True)]:
            return not function.results
        case _:
            return False


def callers(module: Module, name: str) -> set[str]:
    """The functions from which calls lead to `name`, itself included."""
    found = {name}
    for function in module.functions.values():
        if any(op.attr in found for op in calls_in(function)):
            found.add(function.name)
    return found


def calls_in(function: Function) -> list[Op]:
    """The operations of a function that call another one."""
    return [op for op in walk(function.body) if isinstance(op, Op) and op.opcode in CALLS]


Source = Callable[[FunctionEditor], Value]


def brought(
    module: Module, function: str, slot: str, t: ValueType, sources: Mapping[str, Source]
) -> Module:
    """A module in which `function` has a value in a new slot, by way of all its callers.

    `sources` make the value where a function begins, by name; each root of the calls needs one.
    Raises LookupError where one has none. The module itself where the function has the slot.
    """
    has = {n for n, f in module.functions.items() if slot in f.slots or slot in dict(f.params)}
    if function in has:
        return module
    new = callers(module, function) - has
    given = new - sources.keys()
    made = dict(module.functions)
    called: set[str] = set()
    for name, old in module.functions.items():
        calls = [op.id for op in calls_in(old) if op.attr in given]
        if name not in new and not calls:
            continue
        editor = FunctionEditor(Module(made, module.tables), name)
        if name in given:
            cold = editor.function.cold and isinstance(t, ScalarType)
            editor.function = replace(
                editor.function, params=(*editor.function.params, (slot, t)), cold=cold
            )
        elif name in new:
            editor.function.slots[slot] = t
            with editor.first():
                editor.set(slot, sources[name](editor))
        for number in calls:
            with editor.instead(number) as op:
                assert isinstance(op, Op)
                editor.append(replace(op, args=(*op.args, editor.get(slot))))
                called.add(str(op.attr))
        made[name] = editor.function
    if given - called:
        raise LookupError(f"nothing gives {slot} to {', '.join(sorted(given - called))}")
    return Module(made, module.tables)


def guarded(module: Module) -> Module:
    """The module with every index and assumption checked, and no demand on how it is compiled:
    changed code may break what it relied on, and then has to trap as the source says."""
    changed: dict[str, Function] = {}
    for name, function in module.functions.items():
        if not function.options.bounds_check:
            options = replace(function.options, bounds_check=True)
            changed[name] = function = replace(function, options=options)
        if _demands(function.body):
            changed[name] = replace(function, body=map_region(function.body, _undemanding))
    return Module({**module.functions, **changed}, module.tables) if changed else module


def _demands(region: Region) -> bool:
    for statement in region:
        if isinstance(statement, Op):  # nearly all are
            continue
        if isinstance(statement, For | While) and statement.vectorized:
            return True
        if any(map(_demands, regions(statement))):
            return True
    return False


def _undemanding(statement: Statement) -> Region:
    if isinstance(statement, For | While) and statement.vectorized:
        statement = replace(statement, vectorized=False)
    return [statement]
