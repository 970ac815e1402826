"""The stand-ins for a platform's libm: an archive with C's names, a header that redirects them.

The archive has a function for each of C's names, which calls the library's. The header declares
those names with the library's symbols, so that every call of the file that includes it, through
`std::` too, is one of the library.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samebits.backend.llvm import engine
from samebits.backend.targets.table import Target
from samebits.backend.text.types import scalar
from samebits.export.math_library.functions import C_TYPES, WIDTHS, MathFunction
from samebits.export.templates import render
from samebits.types import ScalarType
from samebits.version import __version__

_NOT_IN_C = {
    # C23's take other integers, C's give what each platform chose, or C has none of that name.
    "pown", "rootn", "compoundn", "ilogb", "isnan", "isinf", "isfinite", "signbit", "chgsign",
    "sign", "mad", "rcp", "clamp", "logaddexp",
}  # fmt: skip
_MORE_NAMES = {
    "ldexp": ("scalbn",),
    "roundeven": ("rint", "nearbyint"),
    "remainder": ("drem",),
}
"""C's other names of a function, by the library's."""


def c_names(function: MathFunction) -> tuple[str, ...]:
    """The names of a function in C, those of float64; none where C has no such function."""
    if function.name in _NOT_IN_C:
        return ()
    return function.name, *_MORE_NAMES.get(function.name, ())


def named_objects(functions: Sequence[MathFunction], target: Target) -> Iterator[tuple[str, bytes]]:
    """File names and bytes of the objects of C's names, one a name."""
    for function in functions:
        for t, ending in WIDTHS.items():
            for name in c_names(function):
                text = _forwarding(function, t, f"{name}{ending}", target)
                yield f"libm_{name}{ending}.o", engine.compile_text(text, target)


def _forwarding(function: MathFunction, t: ScalarType, name: str, target: Target) -> str:
    """LLVM text of C's function `name`, a call of the library's."""
    results = function.results(t)
    types = [_llvm(p) for _, p in function.parameters(t)]
    types += ["ptr"] * (len(results) - (not function.all_by_pointer))
    kind = "void" if function.all_by_pointer else _llvm(results[0])
    given = ", ".join(f"{each} %a{n}" for n, each in enumerate(types))
    result = "ret void" if kind == "void" else f"ret {kind} %r"
    call = f"tail call {kind} @{function.symbol(t)}({given})"
    return f"""\
target triple = "{target.triple}"

declare {kind} @{function.symbol(t)}({", ".join(types)})

define {kind} @{name}({given}) #0 {{
entry:
  {call if kind == "void" else f"%r = {call}"}
  {result}
}}

attributes #0 = {{ nounwind "no-builtins" "no-trapping-math"="true" }}
"""


def _llvm(t: ScalarType) -> str:
    return scalar(t) if t.is_float else "i32 signext"


def replacing_header(functions: Sequence[MathFunction]) -> str:
    """The header that redirects C's names to the library."""
    rows: list[str] = []
    builtins: list[str] = []
    for function in functions:
        for t, ending in WIDTHS.items():
            for name in c_names(function):
                rows.append(_declaration(function, t, f"{name}{ending}"))
                builtins.append(f"#define __builtin_{name}{ending} ::{name}{ending}")
    return render(
        "math/replace.h",
        VERSION=__version__,
        DECLARATIONS="\n".join(rows),
        BUILTINS="\n".join(builtins),
    )


def _declaration(function: MathFunction, t: ScalarType, name: str) -> str:
    given = [C_TYPES[p.name] for _, p in function.parameters(t)]
    results = function.results(t)
    through = results if function.all_by_pointer else results[1:]
    given += [f"{C_TYPES[r.name]} *" for r in through]
    # C's prototypes have int where the library has int32_t: one type on every target.
    types = ", ".join(each.replace("int32_t", "int") for each in given)
    kind = "void" if function.all_by_pointer else C_TYPES[results[0].name]
    return f"SBMATH_INSTEAD({kind}, {name}, ({types}), {function.symbol(t)})"
