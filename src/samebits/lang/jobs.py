"""The definition of a job: its form, its fields and their access, its `execute` as a kernel.

Knows nothing of threads and of when a job runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Annotated, Any, get_args, get_origin

from samebits.errors import CompileError, Span
from samebits.lang.annotations import (
    Access,
    AppenderAnnotation,
    ArrayAnnotation,
    UnsafeAnnotation,
    class_of_type,
    type_of_annotation,
)
from samebits.lang.constants import constant
from samebits.lang.definition import definition_span
from samebits.lang.kernel import Kernel
from samebits.lang.memory.struct_members import UNDECLARED
from samebits.lang.memory.structs import annotations_of
from samebits.lang.parallel import unsafe_parallel
from samebits.lang.signature import Parameter, evaluated
from samebits.lang.values.lazy import lazily
from samebits.types import (
    INT,
    INT32,
    INT64,
    ArrayType,
    ScalarType,
    StructType,
    Type,
    VectorType,
)

BEGIN, END = "job.begin", "job.end"
"""The first parameters of a job's kernel: the range of indices that a call runs."""
RANGE, INDEX_TYPE, UNSAFE, ELEMENT = "job.range", "job.index", "job.unsafe", "job.execute"
"""Names of the helpers that the rewritten source calls."""


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write a job. `arguments` are those of `execute` after `self`."""

    name: str
    arguments: tuple[str, ...]
    parallel: bool

    @property
    def signature(self) -> str:
        """The signature of `execute` as a user writes it."""
        return f"execute({', '.join(['self', *(f'{a}: int32' for a in self.arguments)])})"


FORMS = {
    form.name: form
    for form in (
        Form("Job", (), False),
        Form("For", ("index",), False),
        Form("ParallelFor", ("index",), True),
        Form("ParallelForBatch", ("start", "count"), True),
    )
}


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a job. `unsafe` says that the own-index rule does not hold for it.

    `appends` is how many elements an index may append to it; 0 for what is no appender. An
    appender's type is that of the rows that indices append to.
    """

    name: str
    type: Type
    access: Access
    unsafe: bool
    default: object
    has_default: bool
    appends: int = 0

    @property
    def symbol(self) -> str:
        """Its name as a parameter of the job's kernel."""
        return f"self.{self.name}"

    @property
    def counts(self) -> str:
        """The name of the parameter that says how long an appender's rows are."""
        return f"{self.symbol}.counts"

    def parameters(self) -> Iterator[tuple[str, Type]]:
        """Its parameters of the job's kernel: for an appender its rows and their lengths."""
        yield self.symbol, self.type
        if self.appends:
            yield self.counts, ArrayType(INT32, 1)


_INDEX_TYPES = {INT32: INT32.maximum, INT64: 1 << 48, INT: 1 << 48}
"""The types of an index, and the most indices of a job for each."""


class JobKernel(Kernel):
    """The kernel of a job: (begin, end, fields...), which runs `execute` for begin … end − 1.

    `element` is that of one call of `execute`, (arguments..., fields...), for a loop that calls it
    rather than having its text inside.
    """

    def __init__(
        self,
        function: FunctionType,
        name: str,
        form: Form,
        fields: tuple[Field, ...],
        given: Mapping[str, Any],
        element: bool = False,
    ) -> None:
        self.form = form
        self.fields = fields
        self.element = element
        self.by_calls = False
        """Whether its loop calls `execute` instead of holding its body; the front end sets it."""
        super().__init__(function, given=given)
        self.__name__ = self.signature.name = name
        written = [(f.name, f.access, f.unsafe, f.appends) for f in fields]
        self.variant = f"{form.name} {element} {written}"

    def _parameters(self) -> Iterator[Parameter]:
        if self.element:
            for name, t in zip(self.arguments, self.argument_types, strict=True):
                yield Parameter(name, t, None, False)
        else:
            yield Parameter(BEGIN, INT, None, False)
            yield Parameter(END, INT, None, False)
        for field in self.fields:
            for name, t in field.parameters():
                yield Parameter(name, t, None, False)

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names of `execute`'s arguments."""
        return self.function.__code__.co_varnames[1 : 1 + len(self.form.arguments)]

    @property
    def argument_types(self) -> tuple[ScalarType, ...]:
        """The types of `execute`'s arguments: int32, int64 or int."""
        types: list[ScalarType] = []
        for name in self.arguments:
            annotation = evaluated(self.function, self.function.__annotations__.get(name))
            try:
                t = type_of_annotation(annotation)
            except CompileError:
                t = None
            if not isinstance(t, ScalarType) or t not in _INDEX_TYPES:
                raise CompileError(
                    f"'{name}' of {self.__qualname__} is not an index",
                    span=definition_span(self.function),
                    note="an index is an int32, int64 or int",
                    fix=f"write `{self.form.signature}`",
                )
            types.append(t)
        return tuple(types)

    @property
    def own(self) -> tuple[str, str | None] | None:
        """The names of the first index that an iteration owns and of how many it owns (None: one).
        None where the own-index rule does not hold here."""
        if not self.form.parallel or (self.by_calls and not self.element):
            return None
        return self.arguments[0], self.arguments[1] if len(self.arguments) == 2 else None

    @property
    def limit(self) -> int:
        """The most indices that a run may have."""
        return min([_INDEX_TYPES[t] for t in self.argument_types], default=1)

    def lookup(self, name: str) -> object:
        if name in (RANGE, INDEX_TYPE, UNSAFE, ELEMENT):
            return self.made_of[name]
        return super().lookup(name)

    @lazily
    def made_of(self) -> dict[str, object]:
        """The objects behind the helper names that its rewritten source calls."""
        types = self.argument_types
        found: dict[str, object] = {RANGE: range, UNSAFE: unsafe_parallel}
        if types:
            found[INDEX_TYPE] = int if types[0] is INT else class_of_type(types[0])
        if not self.element:
            found[ELEMENT] = JobKernel(
                self.function, self.__name__, self.form, self.fields, self.given, True
            )
        return found


def field_of(cls: type, name: str, annotation: object, form: Form) -> Field:
    """The field that an annotation of a job class declares. Raises CompileError."""
    where = f"field {cls.__name__}.{name}"
    if isinstance(annotation, AppenderAnnotation):
        if len(form.arguments) != 1:
            raise CompileError(
                f"{where}: {form.name} has no index to append in the order of",
                fix="derive from sb.ParallelFor or sb.For",
            )
        return Field(
            name, _type(ArrayAnnotation(annotation.element, 2, Access.WRITE), where), Access.WRITE,
            False, None, False, annotation.most,
        )  # fmt: skip
    if get_origin(annotation) is Annotated and unsafe_parallel in get_args(annotation):
        annotation = UnsafeAnnotation(get_args(annotation)[0])
    unsafe = isinstance(annotation, UnsafeAnnotation)
    inner = annotation.annotation if isinstance(annotation, UnsafeAnnotation) else annotation
    access = inner.access if isinstance(inner, ArrayAnnotation) else Access.READ
    t = _type(inner, where)
    if not isinstance(t, (ScalarType, VectorType, StructType, ArrayType)):
        raise CompileError(
            f"{where}: a job has no field of type {t}",
            fix="use a scalar, a vector, a struct or sb.Array[...]",
        )
    if unsafe and not isinstance(t, (ArrayType, StructType)):
        raise CompileError(
            f"{where}: unsafe_parallel is for memory that the job writes, and {t} is a value",
            fix=f"write `{name}: {t}`",
        )
    if isinstance(t, StructType) and (unsafe or not form.parallel):
        access = Access.READ_WRITE
    has_default = name in vars(cls)
    default = constant(vars(cls)[name]) if has_default else None
    if has_default and isinstance(t, (ArrayType, StructType)):
        raise CompileError(f"{where}: memory has no default", fix="give it where the job is made")
    return Field(name, t, access, unsafe, default, has_default)


def _type(annotation: object, where: str) -> Type:
    try:
        return type_of_annotation(annotation)
    except CompileError as error:
        raise CompileError(f"{where}: {error.message}", note=error.note, fix=error.fix) from None


def fields_of(cls: type, form: Form, base: type, frame: int) -> tuple[Field, ...]:
    """The fields of a job class whose base is `base`; `frame` counts callers up to the one whose
    local names annotations may use. Raises CompileError."""
    annotations = annotations_of(cls, "job", frame + 1)
    for name in vars(cls):
        if name not in annotations and name not in UNDECLARED and name != "execute":
            raise CompileError(
                f"{cls.__name__}.{name} is neither a field nor `execute`",
                note="a job has fields with annotations, and one method",
                fix="make it a kernel or a constant of the module",
            )
    for name in annotations:
        if hasattr(base, name) or name.startswith("_"):
            raise CompileError(
                f"field {cls.__name__}.{name}: the name is taken", fix="rename the field"
            )
    return tuple(field_of(cls, name, a, form) for name, a in annotations.items())


def execute_of(cls: type, form: Form) -> FunctionType:
    """The `execute` of a job class. Raises CompileError where it is not as the form needs it."""
    function = vars(cls).get("execute")
    if not isinstance(function, FunctionType):
        raise CompileError(
            f"job {cls.__name__} has no `execute`", fix=f"write `def {form.signature}:`"
        )
    code = function.__code__
    plain = code.co_argcount == 1 + len(form.arguments) and not function.__defaults__
    flags = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    if not plain or code.co_kwonlyargcount or flags:
        raise CompileError(
            f"`execute` of job {cls.__name__}, a {form.name}, has other parameters",
            span=definition_span(function),
            fix=f"write `def {form.signature}:`",
        )
    if function.__annotations__.get("return") not in (None, "None"):
        raise CompileError(
            f"`execute` of job {cls.__name__} can't return anything",
            span=definition_span(function),
            note="a job has no caller to return a value to",
            fix="write results into an array",
        )
    return function


def defined_at(cls: type) -> Span | None:
    """The span of a job's `execute`."""
    function = vars(cls).get("execute")
    return definition_span(function) if isinstance(function, FunctionType) else None
