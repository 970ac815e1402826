"""Parameters that take kernels: a kernel made for the kernels that it is given.

Owns what may be given and the kernel without these parameters, whose captured names they are. So
each instance is compiled as if it were written with the given kernels' names.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, TypeVar

from samebits.errors import ArgumentError
from samebits.lang.annotations import KernelAnnotation, signature_text, type_of_annotation
from samebits.lang.calls.adapted import MOST, AdaptedKernel, adapted
from samebits.lang.kernel import Kernel
from samebits.lang.other_names import HOSTS, samebits_name
from samebits.lang.overloads import Overloads
from samebits.lang.reductions import Reduction
from samebits.lang.signature import Parameter
from samebits.lang.values.lazy import lazily
from samebits.types import NONE, ScalarType, Type

Bound = tuple[Any, ...]


class GivenKernel(Kernel):
    """`of`, given a kernel for each of its parameters that take one: those of `given`."""

    def __init__(self, of: Kernel, given: Mapping[str, Kernel]) -> None:
        self.of = of
        self.kernels = dict(given)
        """The kernel for each of these parameters."""
        super().__init__(
            of.function, given=of.given, self_type=of.self_type, recursion=of.recursion
        )
        self.lines = of.lines

    def _parameters(self) -> Iterable[Parameter]:
        return [p for p in self.of.parameters if p.name not in self.kernels]

    @lazily
    def captured(self) -> dict[str, object]:
        """Outer names that the function uses, and the kernels that it is given by name."""
        found = super().captured
        found.update(self.kernels)
        return found

    def check_given(self, types: tuple[Type, ...]) -> None:
        """Raise ArgumentError unless each given kernel has the signature that is asked for, where
        the other parameters have `types`."""
        typevars = self.signature.typevars(types)
        for name, annotation in self.of.signature.kernels.items():
            _check(self, name, annotation, self.kernels[name], typevars)

    def __reduce__(self) -> str:
        raise ArgumentError(f"{self!r} can't be pickled", fix="pickle its parts")


_MEANT = "__sb_meant__"


def mean(function: Any, value: object) -> Any:
    """`function`, which stands for `value` where a kernel is given by its name."""
    setattr(function, _MEANT, value)
    return function


def without_kernels(kernel: Kernel, values: Sequence[Any]) -> tuple[Kernel, Bound]:
    """The kernel for a call with `values`, one a parameter, and those that are left: of one without
    such parameters itself. Raises ArgumentError for what can't be given."""
    wanted = kernel.signature.kernels
    if not wanted:
        return kernel, tuple(values)
    given: dict[str, Kernel] = {}
    rest: list[Any] = []
    for p, value in zip(kernel.parameters, values, strict=True):
        if p.name in wanted:
            meant = getattr(value, _MEANT, value)
            given[p.name] = _given(kernel, p.name, wanted[p.name], meant)
        else:
            rest.append(value)
    key = tuple(given.values())
    found = kernel.instances.get(key)
    if found is None:
        found = kernel.instances[key] = GivenKernel(kernel, given)
    return found, tuple(rest)


def taken(kernel: Kernel, args: Bound, named: Mapping[str, Any]) -> tuple[Kernel, Bound]:
    """The kernel that a call from Python runs, and one argument for each of its parameters."""
    return without_kernels(kernel, kernel.signature.bind(args, named))


def _given(kernel: Kernel, name: str, wanted: KernelAnnotation, value: object) -> Kernel:
    """`value`, or the kernel that stands for it, if it can be given."""
    what = f"{kernel.__name__}(): parameter '{name}' takes a kernel {wanted.text}"
    if isinstance(value, MethodType):
        raise ArgumentError(
            f"{what}, and {value.__qualname__} is a method of one struct",
            fix=f"give {value.__qualname__} of its class, whose first parameter is the struct",
        )
    if isinstance(value, Overloads):
        if len(wanted.parameters) != value.arity:
            raise ArgumentError(
                f"{what}, and math.{value.__name__} takes {value.arity} "
                f"number{'s' * (value.arity != 1)}",
                fix=f"write a kernel {wanted.text} that calls it",
            )
        if any(map(_is_float, wanted.parameters)):
            return _of_floats(value, wanted, kernel)
    if hasattr(value, "__samebits_intrinsic__") or isinstance(value, Overloads | Reduction):
        return _adapted(what, value, wanted, kernel)
    if isinstance(value, BuiltinFunctionType) and value.__module__ == "builtins":
        return _adapted(what, value, wanted, kernel)
    if not isinstance(value, Kernel):
        raise ArgumentError(f"{what}, not {_shown(value)}", fix=_kernel_for(value, wanted))
    if value.signature.kernels or type(value) not in (Kernel, AdaptedKernel):
        raise ArgumentError(
            f"{what}, and {value.__name__} takes kernels itself"
            if value.signature.kernels
            else f"{what}, and {value.__name__} is none that others call",
            fix=f"write a kernel {wanted.text} that calls it",
        )
    if value.fixed_types is not None:
        return value
    if len(value.parameters) != len(wanted.parameters):
        raise ArgumentError(
            f"{what}, and {value.__name__} has {len(value.parameters)} parameters",
            fix=f"write a kernel {wanted.text} that calls it",
        )
    return _adapted(what, value, wanted, kernel)


def _shown(value: object) -> str:
    """What is given in place of a kernel, as an error names it."""
    name = getattr(value, "__name__", None)
    module = getattr(value, "__module__", None) or type(value).__module__
    if name is not None:
        return f"{module}.{name}" if module in HOSTS else str(name)
    is_plain = type(value).__repr__ is not object.__repr__
    return f"{value!r:.60}" if is_plain else f"an object of {type(value).__name__}"


def _kernel_for(value: object, wanted: KernelAnnotation) -> str:
    """What to give in place of a value that is no kernel."""
    ours = samebits_name(value)
    if ours is not None:
        return f"give math.{ours} of samebits"
    module = getattr(value, "__module__", None) or ""
    is_library = module.partition(".")[0] in {*HOSTS, *sys.stdlib_module_names}
    if isinstance(value, FunctionType) and not is_library:
        code = value.__code__
        return written_kernel(value.__name__, code.co_varnames[: code.co_argcount], wanted)
    if callable(value) and not isinstance(value, type):
        return _computing(wanted)
    return "give a kernel by its name"


def _computing(wanted: KernelAnnotation) -> str:
    return f"write a kernel {wanted.text} that computes it, and give that"


def written_kernel(
    name: str, parameters: Sequence[str], wanted: KernelAnnotation, body: str = "..."
) -> str:
    """What to write in place of a function of these parameters."""
    if len(parameters) != len(wanted.parameters):
        return _computing(wanted)
    head = wanted.heading(parameters)
    if name == "<lambda>":
        return f"write above `@sb.kernel` and `def f{head}: return {body}`, and give `f`"
    return f"write above it `@sb.kernel`, and its types: `def {name}{head}:`"


def _adapted(what: str, function: Any, wanted: KernelAnnotation, kernel: Kernel) -> Kernel:
    """The kernel that stands for a function without types of its own."""
    if len(wanted.parameters) > MOST or _variables(wanted):
        why = "has no types" if _variables(wanted) else f"is given more than {MOST} parameters"
        raise ArgumentError(
            f"{what}, and {function.__name__} {why}",
            fix=f"write a kernel {wanted.text} that calls it",
        )
    return adapted(function, wanted, kernel.precision)


def _variables(annotation: KernelAnnotation) -> bool:
    """Whether an annotation has types that the other arguments choose."""
    return any(isinstance(p, TypeVar) for p in (*annotation.parameters, annotation.result))


def _of_floats(function: Overloads, annotation: KernelAnnotation, kernel: Kernel) -> Kernel:
    """The kernel of a math function that has the wanted number of floats, at the precision of the
    kernel that is given it."""
    t = type_of_annotation(next(p for p in annotation.parameters if _is_float(p)))
    assert isinstance(t, ScalarType)
    return function.kernel_for(t, kernel.precision)


def _is_float(annotation: object) -> bool:
    if isinstance(annotation, TypeVar):
        return False
    t = type_of_annotation(annotation)
    return isinstance(t, ScalarType) and t.is_float


def _check(
    kernel: Kernel,
    name: str,
    annotation: KernelAnnotation,
    given: Kernel,
    typevars: Mapping[TypeVar, Type],
) -> None:
    types = tuple(type_of_annotation(p, typevars) for p in annotation.parameters)
    result = type_of_annotation(annotation.result, typevars)
    found = given.fixed_types or ()
    gives = given.signature.result_type(found) or NONE
    if (found, gives) != (types, result):
        wanted = _text(types, result)
        raise ArgumentError(
            f"{kernel.__name__}(): parameter '{name}' takes a kernel {wanted}, but "
            f"{given.__name__} is {_text(found, gives)}",
            fix=f"write a kernel {wanted} that calls it",
        )


def _text(types: Iterable[Type], result: Type) -> str:
    return signature_text(map(str, types), "None" if result == NONE else str(result))
