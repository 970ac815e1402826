"""The kind of an expression's value, inferred from a module's text: a set, a float, an array.

Owns the inference: from literals, annotations, well-known functions, and what names are assigned.
Anything else is UNKNOWN, and rules ignore it.
"""

from __future__ import annotations

import ast
from enum import Enum

from samebits.lint.classes import Classes
from samebits.lint.names import ModuleScopes, Scope


class Kind(Enum):
    """The kind of a value; of containers and arrays also that of their elements."""

    UNKNOWN = "unknown"
    INT = "int"
    FLOAT = "float"
    COMPLEX = "complex"
    TEXT = "text"
    SET = "set"
    INTS = "ints"
    FLOATS = "floats"
    ARRAY = "array"
    INT_ARRAY = "integer array"
    OTHER = "other"


NUMBERS = (Kind.INT, Kind.FLOAT, Kind.COMPLEX)
ARRAYS = (Kind.ARRAY, Kind.INT_ARRAY)
ELEMENT = {
    Kind.INTS: Kind.INT, Kind.FLOATS: Kind.FLOAT, Kind.ARRAY: Kind.FLOAT,
    Kind.INT_ARRAY: Kind.INT, Kind.TEXT: Kind.TEXT,
}  # fmt: skip
_CONTAINER = {Kind.INT: Kind.INTS, Kind.FLOAT: Kind.FLOATS}

_ANNOTATED = {
    "int": Kind.INT, "bool": Kind.INT, "float": Kind.FLOAT, "complex": Kind.COMPLEX,
    "str": Kind.TEXT, "bytes": Kind.TEXT, "set": Kind.SET, "frozenset": Kind.SET,
    "typing.Set": Kind.SET, "typing.FrozenSet": Kind.SET, "typing.AbstractSet": Kind.SET,
    "typing.MutableSet": Kind.SET, "collections.abc.Set": Kind.SET,
    "collections.abc.MutableSet": Kind.SET, "weakref.WeakSet": Kind.SET,
    "numpy.ndarray": Kind.ARRAY, "numpy.typing.NDArray": Kind.ARRAY, "dict": Kind.OTHER,
    "numpy.float32": Kind.FLOAT, "numpy.float64": Kind.FLOAT, "numpy.floating": Kind.FLOAT,
    "numpy.int32": Kind.INT, "numpy.int64": Kind.INT, "numpy.integer": Kind.INT,
    "datetime.datetime": Kind.OTHER,
}  # fmt: skip
_SEQUENCES = frozenset({
    "list", "tuple", "collections.deque", "collections.abc.Sequence", "collections.abc.Iterable",
    "collections.abc.Iterator", "typing.List", "typing.Sequence", "typing.Iterable", "typing.Tuple",
    "array.array",
})  # fmt: skip
_GIVES = {
    "float": Kind.FLOAT, "int": Kind.INT, "len": Kind.INT, "ord": Kind.INT, "hash": Kind.INT,
    "id": Kind.INT, "bool": Kind.INT, "complex": Kind.COMPLEX, "str": Kind.TEXT, "repr": Kind.TEXT,
    "set": Kind.SET, "frozenset": Kind.SET, "range": Kind.INTS, "bytes": Kind.TEXT,
    "weakref.WeakSet": Kind.SET,
    "math.floor": Kind.INT, "math.ceil": Kind.INT, "math.trunc": Kind.INT, "math.gcd": Kind.INT,
    "math.lcm": Kind.INT, "math.isqrt": Kind.INT, "math.comb": Kind.INT, "math.perm": Kind.INT,
    "math.factorial": Kind.INT, "math.isnan": Kind.INT, "math.isinf": Kind.INT,
    "math.isfinite": Kind.INT, "math.isclose": Kind.INT, "math.pi": Kind.FLOAT,
    "math.e": Kind.FLOAT, "math.tau": Kind.FLOAT, "math.inf": Kind.FLOAT, "math.nan": Kind.FLOAT,
    "numpy.float32": Kind.FLOAT, "numpy.float64": Kind.FLOAT, "numpy.pi": Kind.FLOAT,
    "numpy.int32": Kind.INT, "numpy.int64": Kind.INT, "numpy.arange": Kind.INT_ARRAY,
    "collections.Counter": Kind.OTHER, "dict": Kind.OTHER, "isinstance": Kind.INT,
    "struct.pack": Kind.TEXT, "fractions.Fraction": Kind.OTHER, "decimal.Decimal": Kind.OTHER,
}  # fmt: skip
_ARRAY_MAKERS = frozenset(
    f"numpy.{name}" for name in (
        "array", "asarray", "ascontiguousarray", "zeros", "ones", "empty", "full", "zeros_like",
        "ones_like", "empty_like", "full_like", "linspace", "frombuffer", "fromiter", "stack",
        "concatenate", "vstack", "hstack", "column_stack", "where", "clip", "abs", "sqrt", "diff",
        "eye", "identity", "loadtxt", "maximum", "minimum", "outer", "cross", "meshgrid", "tile",
        "repeat", "roll", "load", "copy",
    )
)  # fmt: skip
_SET_METHODS = frozenset({"union", "intersection", "difference", "symmetric_difference", "copy"})
_ARRAY_METHODS = frozenset({
    "copy", "reshape", "ravel", "flatten", "transpose", "clip", "view", "squeeze", "swapaxes",
    "repeat", "take", "dot", "cumsum", "cumprod", "round",
})  # fmt: skip
_TEXT_METHODS = frozenset({"join", "strip", "lower", "upper", "format", "replace", "decode"})
_INTEGER_TYPES = ("int", "bool", "numpy.int", "numpy.uint", "numpy.bool")
_DEPTH = 12
"""How many names are followed, one to the next."""


class Kinds:
    """The kinds of the nodes of one module, whose names `names` resolves."""

    def __init__(self, names: ModuleScopes) -> None:
        self.names = names
        self.classes = Classes(names)
        self._known: dict[int, Kind] = {}
        self._bindings: dict[tuple[int, str, bool], Kind] = {}
        self._depth = 0

    def of(self, node: ast.AST, scope: Scope | None = None) -> Kind:
        """The kind of an expression's value."""
        found = self._known.get(id(node))
        if found is None:
            if self._depth >= _DEPTH:
                return Kind.UNKNOWN
            self._depth += 1
            try:
                found = self._of(node, scope or self.names.scope(node))
            finally:
                self._depth -= 1
            if self._depth == 0:
                self._known[id(node)] = found
        return found

    def element(self, node: ast.AST, scope: Scope | None = None) -> Kind:
        """The kind of the elements that iterating over a value gives."""
        scope = scope or self.names.scope(node)
        match node:
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                return self._joined([self.of(part, scope) for part in parts])
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
                return self.of(node.elt)
            case ast.IfExp():
                return self._joined([self.element(x, scope) for x in (node.body, node.orelse)])
            case ast.Name(id=name) if self.of(node, scope) is Kind.SET:
                return self._element_of_set(scope.find(name), name)
            case ast.Call(func=function, args=[ast.expr() as first, *_]):
                name = self.names.qualified(function)
                if name in ("sorted", "list", "tuple", "reversed", "set", "frozenset", "iter"):
                    return self.element(first, scope)
                if name == "map":
                    return self._called(first)
            case _:
                pass
        found = ELEMENT.get(self.of(node, scope), Kind.UNKNOWN)
        said = self.classes.element_annotation(node) if found is Kind.UNKNOWN else None
        return found if said is None else self.annotated(said)

    def _element_of_set(self, owner: Scope | None, name: str) -> Kind:
        """The kind of a set's elements, from its annotation or the one display assigned to it."""
        said = None if owner is None else owner.annotations.get(name)
        if isinstance(said, ast.Subscript):
            return self.annotated(said.slice)
        match [] if owner is None else owner.values.get(name, []):
            case [ast.Set() | ast.SetComp() as made]:
                return self.element(made)
            case _:
                return Kind.UNKNOWN

    def is_float(self, node: ast.AST) -> bool:
        return self.of(node) is Kind.FLOAT

    # By form -----------------------------------------------------------------------------

    def _of(self, node: ast.AST, scope: Scope) -> Kind:
        match node:
            case ast.Constant(value=value):
                return _of_constant(value)
            case ast.JoinedStr():
                return Kind.TEXT
            case ast.Set() | ast.SetComp():
                return Kind.SET
            case ast.List() | ast.Tuple() | ast.ListComp() | ast.GeneratorExp():
                return _CONTAINER.get(self.element(node, scope), Kind.UNKNOWN)
            case ast.Dict() | ast.DictComp() | ast.Lambda():
                return Kind.OTHER
            case ast.BoolOp(values=values):
                return self._joined([self.of(value, scope) for value in values])
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return Kind.INT
            case ast.UnaryOp(operand=operand):
                return self.of(operand, scope)
            case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor(),
                           right=right) if _is_view(left) or _is_view(right):  # fmt: skip
                return Kind.SET
            case ast.BinOp(left=left, op=op, right=right):
                return self._arithmetic(self.of(left, scope), op, self.of(right, scope))
            case ast.AugAssign(target=target, op=op, value=value):
                if not isinstance(target, (ast.Name, ast.Attribute)):
                    return Kind.UNKNOWN
                return self._augmented(op, self.of(value, scope))
            case ast.IfExp(body=body, orelse=orelse):
                return self._joined([self.of(body, scope), self.of(orelse, scope)])
            case ast.NamedExpr(value=value) | ast.Await(value=value):
                return self.of(value, scope)
            case ast.Starred(value=value):  # stands for an element, as `Names` notes it
                return self.element(value, scope)
            case ast.Subscript(value=value, slice=part):
                kind = self.of(value, scope)
                if isinstance(part, ast.Slice) or kind in ARRAYS:
                    return kind
                said = self.classes.element_annotation(value, values=True)
                if kind in (Kind.UNKNOWN, Kind.OTHER) and said is not None:
                    return self.annotated(said)
                return ELEMENT.get(kind, Kind.UNKNOWN)
            case ast.Call():
                return self._call(node, scope)
            case ast.Name(id=name):
                return self._name(name, scope, node)
            case ast.Attribute():
                return self._attribute(node, scope)
            case _:
                return Kind.UNKNOWN

    @staticmethod
    def _joined(kinds: list[Kind]) -> Kind:
        known = set(kinds)
        if known == {Kind.INT, Kind.FLOAT}:
            return Kind.FLOAT
        return known.pop() if len(known) == 1 else Kind.UNKNOWN

    @staticmethod
    def _augmented(op: ast.operator, value: Kind) -> Kind:
        """The kind that `x op= value` alone gives x; joined with those of other assignments."""
        if isinstance(op, ast.Div) and value in NUMBERS:
            return Kind.FLOAT if value is not Kind.COMPLEX else value
        if value in (Kind.FLOAT, Kind.COMPLEX, Kind.INT):
            return value
        return Kind.OTHER if value in (Kind.TEXT, Kind.SET, *ARRAYS) else Kind.UNKNOWN

    @staticmethod
    def _arithmetic(a: Kind, op: ast.operator, b: Kind) -> Kind:
        both = {a, b}
        if Kind.SET in both and isinstance(op, ast.BitOr | ast.BitAnd | ast.Sub | ast.BitXor):
            return Kind.SET
        if isinstance(op, ast.Mod) and a is Kind.TEXT:
            return Kind.TEXT
        if Kind.ARRAY in both or (Kind.INT_ARRAY in both and Kind.FLOAT in both):
            return Kind.ARRAY
        if Kind.INT_ARRAY in both:
            return Kind.ARRAY if isinstance(op, ast.Div) else Kind.INT_ARRAY
        if Kind.COMPLEX in both:
            return Kind.COMPLEX
        if Kind.FLOAT in both and not both & {Kind.OTHER, Kind.TEXT}:
            return Kind.FLOAT
        if both == {Kind.INT}:
            return Kind.FLOAT if isinstance(op, ast.Div) else Kind.INT
        return a if a is b and isinstance(op, ast.Add) else Kind.UNKNOWN

    # Calls -------------------------------------------------------------------------------

    def _call(self, node: ast.Call, scope: Scope) -> Kind:
        name = self.names.qualified(node.func)
        if name is not None:
            return self._named_call(name, node, scope)
        if isinstance(node.func, ast.Attribute):
            return self._method(node.func.attr, self.of(node.func.value, scope), node)
        return self._called(node.func)

    def _named_call(self, name: str, node: ast.Call, scope: Scope) -> Kind:
        if name in _GIVES:
            if name == "numpy.arange" and any(self.of(a, scope) is Kind.FLOAT for a in node.args):
                return Kind.ARRAY
            return self._dtype(node, _GIVES[name])
        if name in ("abs", "max", "min", "round", "divmod", "pow", "sum"):
            return self._of_builtin(name, node, scope)
        if name in ("sorted", "list", "tuple", "reversed"):
            found = self.element(node.args[0], scope) if node.args else Kind.UNKNOWN
            return _CONTAINER.get(found, Kind.UNKNOWN)
        if name in _ARRAY_MAKERS:
            made = Kind.ARRAY
            if name.endswith("array") and node.args:
                made = Kind.INT_ARRAY if self.of(node.args[0], scope) is Kind.INTS else made
            return self._dtype(node, made)
        if name.startswith("math."):
            return Kind.FLOAT
        if name.startswith(("random.random", "random.uniform", "random.gauss", "time.time")):
            return Kind.INT if name.endswith("_ns") else Kind.FLOAT
        if name.startswith(("numpy.random.", "numpy.linalg.")):
            return Kind.UNKNOWN
        if name.startswith("numpy.") and node.args:
            return Kind.ARRAY if self.of(node.args[0], scope) in ARRAYS else Kind.UNKNOWN
        return Kind.UNKNOWN

    def _dtype(self, node: ast.Call, made: Kind) -> Kind:
        """`made`, or the kind that `dtype=` says."""
        for keyword in node.keywords:
            if keyword.arg == "dtype":
                said = self.names.qualified(keyword.value) or ""
                return Kind.INT_ARRAY if said.startswith(_INTEGER_TYPES) else Kind.ARRAY
        return made

    def _of_builtin(self, name: str, node: ast.Call, scope: Scope) -> Kind:
        kinds = [self.of(argument, scope) for argument in node.args]
        if not kinds:
            return Kind.UNKNOWN
        if name == "round" and len(kinds) == 1:
            return Kind.INT
        if name == "pow" and Kind.FLOAT in kinds:
            return Kind.FLOAT
        if name == "sum" or (name in ("max", "min") and len(kinds) == 1):
            return self.element(node.args[0], scope)
        return self._joined(kinds) if name in ("max", "min") else kinds[0]

    def _method(self, name: str, owner: Kind, node: ast.Call) -> Kind:
        if owner is Kind.SET:
            return Kind.SET if name in _SET_METHODS else Kind.UNKNOWN
        if owner in ARRAYS:
            if name == "astype" and node.args:
                said = self.names.qualified(node.args[0]) or ""
                return Kind.INT_ARRAY if said.startswith(_INTEGER_TYPES) else Kind.ARRAY
            if name == "tolist":
                return Kind.FLOATS if owner is Kind.ARRAY else Kind.INTS
            return owner if name in _ARRAY_METHODS else Kind.UNKNOWN
        return Kind.TEXT if name in _TEXT_METHODS else Kind.UNKNOWN

    def _called(self, function: ast.AST) -> Kind:
        """The kind of a call of this module's function, from its annotation or its returns."""
        name = self.names.qualified(function)
        if name is not None:
            return _GIVES.get(name, Kind.FLOAT if name.startswith("math.") else Kind.UNKNOWN)
        if not isinstance(function, ast.Name):
            return Kind.UNKNOWN
        match self.names.assigned(function):
            case [ast.FunctionDef(returns=None, name=made, body=body) as found]:
                values = [n.value for n in ast.walk(found) if isinstance(n, ast.Return)]
                if (made.startswith("_") or len(body) <= 3) and None not in values:
                    return self._joined([self.of(v) for v in values if v is not None])
                return Kind.UNKNOWN
            case [ast.FunctionDef(returns=ast.expr() as said)]:
                return self.annotated(said)
            case _:
                return Kind.UNKNOWN

    # Names -------------------------------------------------------------------------------

    def _name(self, name: str, scope: Scope, node: ast.AST) -> Kind:
        owner = scope.find(name)
        if owner is None or name in owner.imports:
            return _GIVES.get(self.names.qualified(node) or "", Kind.UNKNOWN)
        return self._bound(owner, name, owner.values, owner.annotations, False)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Kind:
        name = self.names.qualified(node)
        if name is not None:
            return _GIVES.get(name, Kind.UNKNOWN)
        owner = self.classes.of(node.value)
        if isinstance(owner, Scope):
            owner = self.classes.defining(owner, node.attr)
            return self._bound(
                owner, node.attr, owner.attributes, owner.attribute_annotations, True
            )
        if node.attr == "T" and self.of(node.value, scope) in ARRAYS:
            return self.of(node.value, scope)
        return Kind.UNKNOWN

    def _bound(
        self, scope: Scope, name: str, values: dict[str, list[ast.AST | None]],
        annotations: dict[str, ast.expr], attribute: bool,
    ) -> Kind:  # fmt: skip
        key = (id(scope), name, attribute)
        if key in self._bindings:
            return self._bindings[key]
        self._bindings[key] = Kind.UNKNOWN  # the assigned value may use the name itself
        if name in annotations:
            found = self.annotated(annotations[name])
        else:
            inner = scope if not attribute else None
            kinds = {
                Kind.UNKNOWN if value is None else self._assigned(value, inner, name)
                for value in values.get(name, [None])
            } - {None}
            if kinds == {Kind.INT, Kind.FLOAT}:
                kinds = {Kind.FLOAT}
            found = kinds.pop() if len(kinds) == 1 else Kind.UNKNOWN
            found = Kind.UNKNOWN if found is None or found is Kind.OTHER else found
        self._bindings[key] = found
        return found

    def _assigned(self, value: ast.AST, scope: Scope | None, name: str) -> Kind | None:
        """The kind of one assignment; None for those that change nothing, as `x += 1` of x."""
        if isinstance(value, ast.AugAssign):
            kind = self._augmented(value.op, self.of(value.value))
            return None if kind in (Kind.UNKNOWN, Kind.INT, Kind.OTHER) else kind
        if isinstance(value, ast.BinOp) and _mentions(value, name):
            kind = self.of(value, scope)
            return kind if kind in (Kind.FLOAT, Kind.ARRAY, Kind.SET) else None
        if isinstance(value, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return Kind.OTHER
        return self.of(value, scope)

    def annotated(self, node: ast.expr) -> Kind:
        """The kind that an annotation says."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                inner = ast.parse(node.value, mode="eval").body
            except SyntaxError:
                return Kind.UNKNOWN
            for part in ast.walk(inner):
                self.names.scopes[id(part)] = self.names.scope(node)
            self.names.keep(inner)
            return self.annotated(inner)
        if isinstance(node, ast.Subscript):
            base = self.names.qualified(node.value)
            if base in _SEQUENCES:
                parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                kinds = [self.annotated(p) for p in parts if not _is_ellipsis(p)]
                return _CONTAINER.get(self._joined(kinds), Kind.UNKNOWN)
            kind = _ANNOTATED.get(base or "", Kind.UNKNOWN)
            if kind is Kind.ARRAY:
                said = {self.names.qualified(part) or "" for part in ast.walk(node.slice)}
                if any(s.startswith(("numpy.int", "numpy.uint", "numpy.bool")) for s in said):
                    return Kind.INT_ARRAY
            return kind
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            sides = [side for side in (node.left, node.right) if not _is_none(side)]
            return self.annotated(sides[0]) if len(sides) == 1 else Kind.UNKNOWN
        return _ANNOTATED.get(self.names.qualified(node) or "", Kind.UNKNOWN)


def _of_constant(value: object) -> Kind:
    for kind, t in (
        (Kind.INT, int), (Kind.FLOAT, float), (Kind.COMPLEX, complex), (Kind.TEXT, (str, bytes)),
    ):  # fmt: skip
        if isinstance(value, t):
            return kind
    return Kind.OTHER


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_view(node: ast.AST) -> bool:
    """Whether a value is a view of a dict's keys, or of its items, which combine to sets."""
    match node:
        case ast.Call(func=ast.Attribute(attr="keys" | "items"), args=[], keywords=[]):
            return True
        case _:
            return False


def _is_ellipsis(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...
