"""The modes and options that the suite compares: a kernel module loaded again under each."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import samebits as sb
from benchmarks.peers import Benchmark


@dataclass(frozen=True)
class Variant:
    """Options for every kernel of a module.

    `regroups`: accumulations are the compiler's to regroup, so that kernels have them as plain
    loops rather than as calls of the library.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    regroups: bool = False
    title: str = ""


STRICT = Variant("STRICT", title="IEEE 754 in source order, the default")
DETERMINISTIC = Variant(
    "DETERMINISTIC",
    {"mode": sb.DETERMINISTIC},
    regroups=True,
    title="accumulations in lanes of a fixed shape",
)
CONTRACTED = Variant(
    "contract",
    {"mode": sb.DETERMINISTIC, "contract": True},
    regroups=True,
    title="DETERMINISTIC, a·b+c fused",
)
FAST = Variant("FAST", {"mode": sb.FAST}, regroups=True, title="LLVM's fast-math flags")
FLUSH = Variant("flush", {"denormals": "flush"}, title='STRICT, `denormals="flush"`')
UNCHECKED = Variant("unchecked", {"bounds_check": False}, title="STRICT, `bounds_check=False`")
SIZE = Variant("size", {"optimize_for": "size"}, title='STRICT, `optimize_for="size"`')
COMPILE_TIME = Variant(
    "compile time", {"optimize_for": "compile_time"}, title='STRICT, `optimize_for="compile_time"`'
)
VARIANTS = (STRICT, DETERMINISTIC, CONTRACTED, FAST, FLUSH, UNCHECKED, SIZE, COMPILE_TIME)
"""The columns of the cost table; STRICT is what the others are compared with."""

KERNELS = Path(__file__).parent / "kernels"


def load(name: str, variant: Variant = STRICT) -> Benchmark:
    """The benchmark in `benchmarks.kernels.<name>`, its kernels with the variant's options; a name
    may have a folder, as `untuned.sha256` has.

    Raises ArgumentError where an option is not available.
    """
    place = f"benchmarks.kernels.{name}"
    if variant.options:
        place += "__" + variant.name.lower().replace(" ", "_")
    if place not in sys.modules:
        spec = importlib.util.spec_from_file_location(
            place, KERNELS / f"{name.replace('.', '/')}.py"
        )
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        vars(module).update(sb=sb, options=variant.options)
        exec("sb.defaults(**options)", vars(module))  # as if the module's first line were this
        sys.modules[place] = module
        spec.loader.exec_module(module)
    return sys.modules[place].BENCHMARK
