"""A kernel run in every execution of this host's best level, and spans read back as source."""

from __future__ import annotations

import linecache
from typing import Any

import pytest

import samebits as sb
from samebits.backend.llvm import engine
from samebits.lang.kernel import Kernel


def same(kernel: Kernel, *args: Any, **kwargs: Any) -> Any:
    """The result that managed, evaluate and compiled share; array arguments are changed by it."""
    sb.assert_same_bits(kernel, *args, targets=[engine.host_target().name], **kwargs)
    return kernel(*args, **kwargs)


def trap_of(kernel: Kernel, *args: Any, **kwargs: Any) -> tuple[str, str]:
    """Kind and source text of the trap, at the same place in every execution."""
    with pytest.raises(sb.Trap) as caught:
        same(kernel, *args, **kwargs)
    return caught.value.kind, spanned(caught.value.span)


def spanned(span: Any) -> str:
    """The source from a span's start to its end, on one line."""
    lines = [linecache.getline(span.file, n) for n in range(span.line, span.end_line + 1)]
    lines[-1] = lines[-1][: span.end_column]
    lines[0] = lines[0][span.column :]
    return " ".join(line.strip() for line in lines)


def refusal_of(kernel: Kernel, *args: Any) -> sb.CompileError:
    """The error that refuses the kernel."""
    with pytest.raises(sb.CompileError) as caught:
        same(kernel, *args)
    return caught.value
