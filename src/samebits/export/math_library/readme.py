"""The README beside the math library, with programs to copy."""

from __future__ import annotations

from collections.abc import Sequence

from samebits.backend.targets.table import Target
from samebits.export.math_library.functions import MathFunction
from samebits.export.templates import render
from samebits.version import __version__


def readme_text(functions: Sequence[MathFunction], targets: Sequence[Target]) -> str:
    """The README of a build of `functions` for `targets`."""
    linked = [target.name for target in targets if target.zig]
    parts = [render("math/README-c.md", TARGET=linked[0])] if linked else []
    modules = [target.name for target in targets if not target.zig]
    if modules:
        parts.append(render("math/README-wasm.md", TARGET=modules[0]))
    return render(
        "math/README.md",
        VERSION=__version__,
        TARGETS=", ".join(target.name for target in targets),
        FUNCTIONS=" ".join(f"`{function.name}`" for function in functions),
        PARTS="\n".join(parts),
    )
