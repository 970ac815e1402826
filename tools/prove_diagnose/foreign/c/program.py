"""A simulation's kernels as C: the simulation's own functions, and the library's beside them.

Every own function is called through `CALL(name)`, which is the function itself where the program is
one file, or a pointer where each function can be compiled in its own way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tools.prove_diagnose.foreign.c.helpers import HEAD
from tools.prove_diagnose.foreign.c.node import Node, leaf, outlined
from tools.prove_diagnose.foreign.c.operations import Unsupported, called, constant, node
from tools.prove_diagnose.foreign.c.style import Style
from tools.prove_diagnose.foreign.c.types import (
    base,
    declarations,
    is_flat,
    scalar,
    short,
    typed,
    width,
    word,
)

from samebits.ir.grammar import (
    Break,
    Continue,
    For,
    Function,
    If,
    Module,
    Op,
    Region,
    Return,
    Value,
    ValueType,
    While,
    regions,
    walk,
)
from samebits.ir.own_code import is_own_code
from samebits.types import ArrayType, RefType, ScalarType

SKIPPED = {"index", "bound", "assert", "assume", "overflow", "print", "trace", "own"}
"""Checks and texts, which the C leaves out."""
LIBM = {"sin", "cos", "tan", "exp", "exp2", "log", "log2", "log10", "pow", "atan", "atan2", "asin",
        "acos", "sinh", "cosh", "tanh", "hypot", "cbrt"}  # fmt: skip
LIBRARY = "library"
"""The member that stands for all of the library's functions."""
FROM_LIBRARY = ("samebits.mathlib.float32.", "samebits.mathlib.float64.")


@dataclass(frozen=True)
class Statement:
    """A statement that computes floats, as a function of what goes into it."""

    name: str
    function: str
    lines: frozenset[int]
    prototype: str
    text: str


@dataclass(frozen=True)
class Program:
    """`types` are the declarations, `own` the text of each of the simulation's functions by its
    name in C, `heads` their prototypes, `library` the rest; `statements` those that were taken out
    of the functions."""

    types: str
    own: dict[str, str]
    heads: dict[str, str]
    library: dict[str, str]
    library_heads: dict[str, str]
    init: str
    step: str
    places: dict[str, str]
    """The kernel of each function."""
    statements: tuple[Statement, ...] = ()

    def one_file(self) -> str:
        """The whole program, but for the library's functions."""
        heads = "\n".join(f"static {head};" for head in self.heads.values())
        body = "\n".join(f"static {text}" for text in self.own.values())
        ends = (
            f"void game_init(struct STATE *s, uint64_t seed) {{ {self.init}(s, seed); }}\n"
            f"void game_step(struct STATE *s, struct VIEW in) {{ {self.step}(s, in); }}\n"
        )
        return (
            f"{self.types}\n{self._declared()}\n#define LIB(f) f\n#define CALL(f) f\n"
            f"#define DEF(f) f\n{heads}\n{body}\n{ends}"
        )

    def separate(self) -> str:
        """All functions with names that end in SUFFIX, which call one another through pointers."""
        pointers = "\n".join(
            f"extern {head.replace(f'DEF({name})', f'(*p_{name})')};"
            for name, head in self.heads.items()
        )
        return (
            f"{self.types}\n{self._library_pointers()}\n#define CALL(f) p_##f\n"
            "#define DEF2(f, s) f##s\n#define DEF1(f, s) DEF2(f, s)\n"
            f"#define DEF(f) DEF1(f, SUFFIX)\n{pointers}\n{self._statement_pointers()}\n"
            + "\n".join(self.own.values())
        )

    def of_library(self, suffix: str = "") -> str:
        """The library's functions, with names that end in `suffix`."""
        renamed = "\n".join(f"#define {name} {name}{suffix}" for name in self.library if suffix)
        body = "\n".join(self.library.values())
        return f"{self.types}\n{renamed}\n{self._declared()}\n{body}"

    def _declared(self) -> str:
        return "\n".join(f"{head};" for head in self.library_heads.values())

    def _library_pointers(self, extern: str = "extern ") -> str:
        return "#define LIB(f) q_##f\n" + "\n".join(
            f"{extern}{head.replace(f' {name}(', f' (*q_{name})(')};"
            for name, head in self.library_heads.items()
        )

    def _statement_pointers(self) -> str:
        return "\n".join(
            f"extern {s.prototype.replace(f'DEF({s.name})', f'(*p_{s.name})')};"
            for s in self.statements
        )

    def outlined(self) -> str:
        """All statements as functions with names that end in SUFFIX."""
        return (
            f"{self.types}\n{self._library_pointers()}\n"
            "#define DEF2(f, s) f##s\n#define DEF1(f, s) DEF2(f, s)\n"
            "#define DEF(f) DEF1(f, SUFFIX)\n"
            + "\n".join(f"{s.prototype} {{ return {s.text}; }}" for s in self.statements)
        )

    def table(self) -> str:
        """The pointers, and `choose`, which sets them by a text of 0 and 1."""
        rows = [(n, h) for n, h in self.heads.items()]
        rows += [(s.name, s.prototype) for s in self.statements]
        lines = [self.types, self._library_pointers("")]
        for name, head in self.library_heads.items():
            for suffix in ("_a", "_b"):
                lines.append(f"{head.replace(f' {name}(', f' {name}{suffix}(')};")
        for name, head in rows:
            for suffix in ("_a", "_b"):
                lines.append(f"extern {head.replace(f'DEF({name})', name + suffix)};")
            lines.append(f"{head.replace(f'DEF({name})', f'(*p_{name})')};")
        lines.append("void choose(const char *on) {")
        lines += [
            f"    p_{name} = on[{i}] == '1' ? {name}_b : {name}_a;"
            for i, (name, _) in enumerate(rows)
        ]
        lines += [
            f"    q_{name} = on[{len(rows)}] == '1' ? {name}_b : {name}_a;"
            for name in self.library_heads
        ]
        lines.append("}")
        lines.append(
            f"void game_init(struct STATE *s, uint64_t seed) {{ p_{self.init}(s, seed); }}\n"
            f"void game_step(struct STATE *s, struct VIEW in) {{ p_{self.step}(s, in); }}\n"
        )
        return "\n".join(lines)

    @property
    def members(self) -> list[str]:
        """What `choose` chooses, in order."""
        return [*self.heads, *(s.name for s in self.statements), LIBRARY]


@dataclass
class _Names:
    functions: dict[str, str] = field(default_factory=dict[str, str])

    def of(self, name: str) -> str:
        if name not in self.functions:
            made = word(name)
            while made in self.functions.values():
                made += "_"
            self.functions[name] = made
        return self.functions[name]


def results_type(results: Sequence[ScalarType]) -> str:
    if not results:
        return "void"
    if len(results) == 1:
        return scalar(results[0])
    return "struct r_" + "_".join(short(t) for t in results)


def written(module: Module, init: str, step: str, style: Style, taken_out: bool = False) -> Program:
    """The C of a simulation's kernels. Raises Unsupported where there is no plain form."""
    names = _Names()
    own: dict[str, str] = {}
    heads: dict[str, str] = {}
    places: dict[str, str] = {}
    library: dict[str, str] = {}
    library_heads: dict[str, str] = {}
    statements: list[Statement] = []
    for name, function in module.functions.items():
        is_own = not is_own_code(name)
        writer = _Writer(
            function, names, style if is_own else Style(constants="hex"), is_own,
            taken_out and is_own, statements,
        )  # fmt: skip
        head, text = writer.written()
        if is_own:
            own[names.of(name)], heads[names.of(name)] = text, head
            places[names.of(name)] = name
        else:
            library[names.of(name)], library_heads[names.of(name)] = text, head
    types = _types(module, module.functions[step])
    return Program(types, own, heads, library, library_heads,
                   names.of(init), names.of(step), places, tuple(statements))  # fmt: skip


def _types(module: Module, step: Function) -> str:
    used: list[ValueType] = []
    results: set[tuple[ScalarType, ...]] = set()
    for function in module.functions.values():
        used += [t for _, t in function.params] + list(function.slots.values())
        used += [RefType(t) for t in function.locals.values()]
        results.add(function.results)
        for statement in walk(function.body):
            if isinstance(statement, Op):
                used += [value.type for value in statement.results]
    lines = [HEAD, *declarations(used)]
    multiple = {results_type(r): r for r in results if len(r) > 1}
    for name, found in multiple.items():
        lines.append(f"{name} {{ {' '.join(f'{scalar(t)} r{i};' for i, t in enumerate(found))} }};")
    for name, table in module.tables.items():
        values = ", ".join(constant(table.element, v, Style(constants="hex")) for v in table.values)
        lines.append(
            f"static const {scalar(table.element)} tab_{word(name)}[] "
            f"__attribute__((unused)) = {{ {values} }};"
        )
    state, given = (t for _, t in step.params)
    assert isinstance(state, RefType)
    assert isinstance(given, ArrayType)
    lines.append(f"#define STATE {base(state.target).removeprefix('struct ')}")
    lines.append(f"#define VIEW {typed(given).removeprefix('struct ')}")
    lines.append(f"#define INPUT {base(given.element).removeprefix('struct ')}")
    return "\n".join(lines)


class _Writer:
    def __init__(
        self, function: Function, names: _Names, style: Style, is_own: bool, taken_out: bool,
        statements: list[Statement],
    ) -> None:  # fmt: skip
        self.function, self.names, self.style = function, names, style
        self.is_own, self.taken_out, self.statements = is_own, taken_out, statements
        self.lines: list[str] = []
        self.depth = 1
        self.nodes: dict[Value, Node] = {}
        self.left = Counter(_uses(function.body))
        self.temps = 0
        self.slots = {name: word(name) + "_v" for name in (
            *(n for n, _ in function.params), *function.slots)}  # fmt: skip

    def real(self, t: ValueType) -> str:
        text = typed(t)
        return "double" if text == "float" and self.style.doubles else text

    def written(self) -> tuple[str, str]:
        f = self.function
        params = ", ".join(f"{typed(t)} {self.slots[n]}" for n, t in f.params) or "void"
        name = self.names.of(f.name)
        shown = f"DEF({name})" if self.is_own else name
        head = f"{results_type(f.results)} {shown}({params})"
        given = {n for n, _ in f.params}
        for slot, t in f.slots.items():
            if slot not in given:
                zero = " = 0" if isinstance(t, ScalarType | RefType) else ""
                self.emit(f"{self.real(t)} {self.slots[slot]}{zero};")
        for local, t in f.locals.items():
            count = f"[{width(t)}]" if is_flat(t) else ""
            self.emit(f"_Alignas(8) {base(t)} {word(local)}_m{count};")
            self.emit(f"memset(&{word(local)}_m, 0, sizeof {word(local)}_m);")
        self.region(f.body)
        if f.results and not isinstance(f.body[-1] if f.body else None, Return):
            self.emit("__builtin_unreachable();")
        return head, f"{head} {{\n" + "\n".join(self.lines) + "\n}\n"

    def emit(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    # values

    def take(self, value: Value) -> Node:
        self.left[value] -= 1
        return self.nodes[value]

    def shown(self, root: Node) -> str:
        """The text of a statement's expression, taken out of the function where that is wanted."""
        if not (self.taken_out and _computes(root)):
            return str(root)
        text, parts = outlined(root)
        name = f"st_{len(self.statements)}"
        params = ", ".join(f"{typed(p.type)} a{i}" for i, p in enumerate(parts)) or "void"
        self.statements.append(Statement(
            name, self.function.name, root.lines, f"{typed(root.type)} DEF({name})({params})", text
        ))  # fmt: skip
        return f"p_{name}({', '.join(map(str, parts))})"

    def temporary(self, root: Node) -> Node:
        """A variable that holds the value."""
        name = f"t{self.temps}"
        self.temps += 1
        self.emit(f"{self.real(root.type)} {name} = {self.shown(root)};")
        return leaf(root.type, name)

    def flush(
        self, slot: str | None = None, memory: bool = False, everything: bool = False
    ) -> None:
        """Compute now what is read later and would read something else then."""
        for value, found in self.nodes.items():
            if self.left[value] <= 0 or found.constant:
                continue
            changed = slot is not None and slot in found.slots
            if (
                changed
                or (memory and found.memory)
                or (everything and (found.slots or found.parts))
            ):
                self.nodes[value] = self.temporary(found)

    # statements

    def region(self, region: Region) -> None:
        for statement in region:
            match statement:
                case Op():
                    self.op(statement)
                case If():
                    self.flush(everything=True)
                    condition = self.shown(self.take(statement.condition))
                    self.emit(f"if ({condition}) {{")
                    self.inner(statement.then)
                    if statement.orelse:
                        self.emit("} else {")
                        self.inner(statement.orelse)
                    self.emit("}")
                case While():
                    self.flush(everything=True)
                    if statement.orelse:
                        raise Unsupported("while with else")
                    self.emit("for (;;) {")
                    self.depth += 1
                    self.region(statement.head)
                    self.emit(f"if (!{self.shown(self.take(statement.condition))}) break;")
                    self.flush(everything=True)
                    self.region(statement.body)
                    self.depth -= 1
                    self.emit("}")
                case For():
                    self.loop(statement)
                case Break():
                    self.emit("break;")
                case Continue():
                    self.emit("continue;")
                case Return():
                    self.returned(statement)

    def inner(self, region: Region) -> None:
        self.depth += 1
        self.region(region)
        self.depth -= 1

    def loop(self, loop: For) -> None:
        self.flush(everything=True)
        if loop.orelse or loop.lanes:
            raise Unsupported("for with else or lanes")
        start, stop = self.take(loop.start), self.take(loop.stop)
        i = f"i{loop.id}"
        sign = "<" if loop.step > 0 else ">"
        last = str(stop) if stop.constant else str(self.temporary(stop))
        self.emit(
            f"for (int64_t {i} = {self.shown(start)}; {i} {sign} {last}; {i} += {loop.step}) {{"
        )
        self.depth += 1
        self.emit(f"{self.slots[loop.slot]} = {i};")
        self.region(loop.body)
        self.depth -= 1
        self.emit("}")

    def returned(self, statement: Return) -> None:
        values = [self.shown(self.take(v)) for v in statement.values]
        if not values:
            self.emit("return;")
        elif len(values) == 1:
            self.emit(f"return {values[0]};")
        else:
            kind = results_type(self.function.results)
            self.emit(f"return ({kind}){{{', '.join(values)}}};")

    def op(self, op: Op) -> None:
        code = op.opcode
        if code in SKIPPED:
            for value in op.args:
                self.left[value] -= 1
            return
        if code == "get":
            name = str(op.attr)
            self.nodes[op.result] = leaf(op.result.type, self.slots[name], frozenset({name}))
        elif code == "set":
            root = self.take(op.args[0])
            name = str(op.attr)
            self.flush(slot=name)
            root = self.moved(op.args[0], root)
            self.emit(f"{self.slots[name]} = {self.shown(root)};")
        elif code == "store":
            place, root = self.take(op.args[0]), self.take(op.args[1])
            self.flush(memory=True)
            root, place = self.moved(op.args[1], root), self.moved(op.args[0], place)
            self.emit(f"{place.pointed()} = {self.shown(root)};")
        elif code == "copy":
            to, source = self.take(op.args[0]), self.take(op.args[1])
            self.flush(memory=True)
            self.emit(f"memmove({to}, {source}, {_size(op.args[0])});")
        elif code == "zero":
            to = self.take(op.args[0])
            self.flush(memory=True)
            self.emit(f"memset({to}, 0, {_size(op.args[0])});")
        elif code in ("call", "parallel"):
            self.call(op)
        else:
            parts = tuple(self.part(op, value) for value in op.args)
            made = node(op, parts, self.style)
            self.bind(op, made)

    def moved(self, value: Value, before: Node) -> Node:
        """The node of a value, which a flush may have put into a variable."""
        return self.nodes.get(value, before)

    def part(self, op: Op, value: Value) -> Node:
        found = self.take(value)
        is_address = isinstance(op.result.type, RefType | ArrayType) or op.opcode == "load"
        if is_address and found.rounds:
            found = self.nodes[value] = self.temporary(found)
        return found

    def bind(self, op: Op, made: Node) -> None:
        count = self.left[op.result]
        wanted = count > 1 and not made.trivial
        each = self.style.temporaries and made.rounds
        self.nodes[op.result] = self.temporary(made) if wanted or each else made

    def call(self, op: Op) -> None:
        callee = str(op.attr)
        args = list(op.args)
        if op.opcode == "parallel":
            del args[2]
            self.left[op.args[2]] -= 1
        is_own = not is_own_code(callee)
        libm = self.libm(callee, len(op.results))
        if self.is_own and not is_own and len(op.results) == 1 and _is_pure(op):
            parts = tuple(self.take(value) for value in args)
            text = libm or f"LIB({self.names.of(callee)})"
            at = frozenset({op.span.line})
            shown_call = called(text, len(parts))
            made = Node(op.result.type, shown_call, parts, rounds=_is_of_c(callee), lines=at)
            if libm and self.style.functions == "double" and typed(op.result.type) == "float":
                made.text = f"((float){made.text})"
            self.bind_call(op, made)
            return
        nodes = [(value, self.take(value)) for value in args]
        self.flush(memory=True)
        shown = [self.shown(self.moved(value, found)) for value, found in nodes]
        name = self.names.of(callee)
        if self.is_own:
            name = f"CALL({name})" if is_own else f"LIB({name})"
        if self.is_own and libm and len(op.results) == 2:
            for value, function in zip(op.results, libm.split(), strict=True):
                self.nodes[value] = self.temporary(
                    leaf(value.type, f"{function}({', '.join(shown)})"))  # fmt: skip
            return
        text = f"{name}({', '.join(shown)})"
        if not op.results:
            self.emit(f"{text};")
            return
        made = f"t{self.temps}"
        self.temps += 1
        types = [v.type for v in op.results if isinstance(v.type, ScalarType)]
        self.emit(f"{results_type(types)} {made} = {text};")
        for i, value in enumerate(op.results):
            shown_value = made if len(op.results) == 1 else f"{made}.r{i}"
            self.nodes[value] = leaf(value.type, shown_value)

    def bind_call(self, op: Op, made: Node) -> None:
        many = self.left[op.result] > 1
        self.nodes[op.result] = self.temporary(made) if many else made

    def libm(self, callee: str, results: int) -> str:
        """The C library's functions in the place of the library's; empty for none."""
        if self.style.functions == "own" or not self.is_own:
            return ""
        name = _function(callee)
        single = "f" if ".float32." in callee and self.style.functions == "libm" else ""
        if name == "sincos" and results == 2:
            return f"sin{single} cos{single}"
        return name + single if _is_of_c(callee) and results == 1 else ""


def _computes(root: Node) -> bool:
    """Whether a compiler can make another number of it; of a float's literal too."""
    t = root.type
    return isinstance(t, ScalarType) and (root.rounds or (root.constant and t.storage.is_float))


def _function(callee: str) -> str:
    return callee.rpartition(".")[2].split("<")[0]


def _is_of_c(callee: str) -> bool:
    """Whether C's own library has the function too."""
    return callee.startswith(FROM_LIBRARY) and _function(callee) in LIBM


def _is_pure(op: Op) -> bool:
    return all(isinstance(value.type, ScalarType) for value in op.args)


def _size(value: Value) -> int:
    assert isinstance(value.type, RefType)
    return value.type.target.size


def _uses(region: Region) -> Iterable[Value]:
    for statement in walk(region):
        match statement:
            case Op():
                yield from statement.args
            case If():
                yield statement.condition
            case While():
                yield statement.condition
            case For():
                yield statement.start
                yield statement.stop
            case Return():
                yield from statement.values
            case _:
                pass


__all__ = ["Program", "Statement", "regions", "written"]
