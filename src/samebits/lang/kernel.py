"""A kernel: a Python function with types, ready to be run managed or compiled.

Owns the signature, what the function captures, and which execution a call means. How that runs is
known to layers above (`samebits.lang.executions`), so that kernels can be written at any layer.
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import update_wrapper
from types import FunctionType, MethodType
from typing import Any

from samebits.errors import CompileError, fold, folding
from samebits.lang.annotations import KernelAnnotation, class_of_type, kernel_annotation
from samebits.lang.constants import UNLOADED, constant, is_lazy, is_namespace
from samebits.lang.definition import definition_span, lines_now
from samebits.lang.executions import executions
from samebits.lang.signal_safe import keeps_flags
from samebits.lang.signature import Parameter, Signature, written_parameters
from samebits.lang.values.lazy import lazily
from samebits.lang.values.thread_state import running
from samebits.modes import DEFAULTS, DEFAULTS_NAME, Mode, Options, Precision, checked
from samebits.source_lines import remember_lines
from samebits.types import StructType, Type


class Kernel:
    """A function of the kernel language. Calling it runs the compiled code.

    `given` are the options that its decorator names (`modes.Options`). `self_type` is the struct
    of a method, whose first parameter needs no annotation. `recursion` is how many calls of it may
    be inside one another; 0 where it does not call itself.
    """

    __slots__ = ("__dict__", "__weakref__", "direct")
    direct: tuple[Any, ...] | None
    """What calls without Python code read; None before there is any."""

    @folding
    @keeps_flags
    def __init__(
        self,
        function: Callable[..., Any],
        *,
        given: Mapping[str, Any] | None = None,
        self_type: StructType | None = None,
        recursion: int = 0,
    ) -> None:
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise CompileError(
                f"kernel '{function.__qualname__}' is not a plain function",
                span=definition_span(function),
                note="`async` and `yield` are not in the kernel language",
                fix="write a plain `def` that returns its results",
            )
        is_def = isinstance(function, FunctionType) and function.__name__ != "<lambda>"
        if not is_def:
            found = "lambda" if isinstance(function, FunctionType) else type(function).__name__
            fix = "put @sb.kernel directly above a `def`"
            if found == "str":
                fix += ", with types in its annotations"
            elif isinstance(function, type):
                found = f"the class {function.__name__}"
                fix = (
                    f"write `@sb.struct` above `class {function.__name__}`: its methods are kernels"
                )
            raise CompileError(f"@sb.kernel decorates a plain function, not {found}", fix=fix)
        update_wrapper(self, function)
        self.__name__: str = function.__name__
        self.__qualname__: str = function.__qualname__
        self.function = function
        self.given = dict(checked(given or {}))
        self.options = module_defaults(function).merged(self.given)
        self.self_type = self_type
        self.recursion = recursion
        self.cold = False
        """Whether callers are optimised for the inputs that do not reach it."""
        self.variant = ""
        """What its compilation depends on besides its source, captures and options."""
        self.units: dict[tuple[Type, ...], Any] = {}
        """The front end's result for each list of parameter types."""
        self.native: dict[tuple[Type, ...], Any] = {}
        """The runtime's callable for each list of parameter types."""
        self.fast: Callable[..., Any] | None = None
        """The native callable of a kernel that is not generic, once there is one."""
        self.direct = None
        self.instances: dict[tuple[object, ...], Kernel] = {}
        """This kernel, given kernels for its parameters that take one, by these."""
        self.managed_functions: dict[tuple[Type, ...], Any] = {}
        self.attributes: dict[tuple[int, str], tuple[object, object]] = {}
        """Attributes of captured modules, by the module's identity: the module and the value."""
        self.lines = lines_now(function)
        """The text of the file that it stands in; empty where that can't be read."""
        remember_lines(function.__code__.co_filename, self.lines)
        self.signature = Signature(function, function.__name__, self._parameters())
        self.parameters = self.signature.parameters

    def _parameters(self) -> Iterable[Parameter]:
        return written_parameters(self.function, self.self_type)

    @folding
    def __class_getitem__(cls, item: Any) -> KernelAnnotation:
        """`Kernel[[float64], float64]`: the annotation of a kernel's parameter that takes a kernel
        with these parameters and this result."""
        return kernel_annotation(item)

    def check_given(self, types: tuple[Type, ...]) -> None:
        """Raise ArgumentError where a kernel that it is given has another signature than asked."""

    @property
    def fixed_types(self) -> tuple[Type, ...] | None:
        """The parameter types of a kernel that is not generic."""
        return self.signature.fixed_types

    # What it captures --------------------------------------------------------------------

    @lazily
    def captured(self) -> dict[str, object]:
        """Outer names that the function uses, frozen when first asked for."""
        code = self.function.__code__
        found: dict[str, object] = {}
        outer = self.function.__globals__
        for name in code.co_names:
            if name in outer:
                found[name] = constant(outer[name])
            elif hasattr(builtins, name):
                found[name] = getattr(builtins, name)
        for name, cell in zip(code.co_freevars, self.function.__closure__ or (), strict=True):
            try:
                found[name] = constant(cell.cell_contents)
            except ValueError:
                found.pop(name, None)
        for value in list(found.values()):
            self._freeze_attributes(value)
        return found

    def _freeze_attributes(self, owner: object) -> None:
        """Freeze what the function may read of a namespace, and of those inside it."""
        if not is_namespace(owner):
            return
        # Which attributes are read can't be told apart from other names; take all that match.
        for name in self.function.__code__.co_names:
            key = (id(owner), name)
            if key in self.attributes:
                continue
            if is_lazy(owner, name):
                self.attributes[key] = owner, UNLOADED
            elif hasattr(owner, name):
                value = constant(getattr(owner, name))
                self.attributes[key] = owner, value
                self._freeze_attributes(value)

    def attribute(self, owner: object, name: str) -> object:
        """An attribute of a captured namespace, frozen as that is; AttributeError."""
        found = self.attributes.get((id(owner), name))
        if found is None or found[1] is UNLOADED:
            found = self.attributes[id(owner), name] = owner, constant(getattr(owner, name))
        return found[1]

    def lookup(self, name: str) -> object:
        """The captured value of an outer name; LookupError if there is none."""
        if name not in self.captured:
            # Names that occur only in annotations of locals are not in the code object.
            outer = self.function.__globals__
            self.captured[name] = constant(outer[name] if name in outer else vars(builtins)[name])
        return self.captured[name]

    # Calls -------------------------------------------------------------------------------

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if running.managed:
            return executions.managed_call(self, args, kwargs)
        try:
            if self.fast is not None and not kwargs and len(args) == len(self.parameters):
                return self.fast(*args)
            return executions.native(self, args, kwargs)
        except Exception as error:
            fold(error)
            raise

    def managed(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run the function in CPython over samebits' typed scalars: the reference answer."""
        try:
            self.check_use(args, kwargs)
            return executions.managed(self, args, kwargs)
        except Exception as error:
            fold(error)
            raise

    def check_races(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the kernel in the reference interpreter, which watches what iterations of parallel
        ranges touch: its result, arrays and structs changed in place.

        Raises RaceError where two iterations touch the same memory and one writes it. Takes a
        thousand times as long as a call.
        """
        try:
            self.check_use(args, kwargs)
            return executions.check_races(self, args, kwargs)
        except Exception as error:
            fold(error)
            raise

    def check_use(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Raise ArgumentError where a scheduled job has memory that a call would touch."""
        executions.check_use(self, args, kwargs)

    def within(self, given: Mapping[str, Any]) -> Kernel:
        """This kernel with a job's or simulation's options where its own decorator gives none."""
        both = {**checked(given), **self.given}
        if module_defaults(self.function).merged(both) == self.options:
            return self
        return Kernel(self.function, given=both, self_type=self.self_type, recursion=self.recursion)

    @property
    def mode(self) -> Mode:
        return self.options.mode

    @property
    def precision(self) -> Precision:
        return self.options.precision

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __reduce__(self) -> str:
        return self.__qualname__  # pickled by name, as functions are; copies are the kernel itself

    def __repr__(self) -> str:
        return f"<kernel {self.__qualname__}>"


def kernel_of(member: object) -> Kernel | None:
    """The kernel of a member of a struct's class: a method, a property or a static method."""
    if isinstance(member, property):
        member = member.fget
    elif isinstance(member, staticmethod):
        member = member.__func__
    return member if isinstance(member, Kernel) else None


def method_kernel(t: StructType, name: str) -> Kernel | None:
    """The kernel of a struct's method, property or static method; None if it has none."""
    return kernel_of(vars(class_of_type(t)).get(name))


def module_defaults(function: FunctionType) -> Options:
    """The default options of kernels in the module that `function` stands in."""
    return function.__globals__.get(DEFAULTS_NAME, DEFAULTS)


def bind_methods(cls: type, given: Mapping[str, Any]) -> None:
    """Turn the functions of a struct class into kernels with the options `given`."""
    t: StructType = cls.__dict__["__sb_type__"]
    for name, member in cls.__dict__["__sb_methods__"].items():
        bound: object
        if isinstance(member, staticmethod):
            bound = staticmethod(Kernel(member.__func__, given=given))
        elif isinstance(member, property):
            assert member.fget is not None
            bound = property(Kernel(member.fget, given=given, self_type=t))
        else:
            bound = Kernel(member, given=given, self_type=t)
        setattr(cls, name, bound)
