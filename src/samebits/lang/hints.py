"""What a kernel says about its own speed. It changes no result, and nothing in a managed run."""

from __future__ import annotations


def expect_vectorized() -> None:
    """In a loop of a kernel: compiling fails unless the loop is vectorised for the target.

    It speaks of the innermost loop that it stands in. The CompileError has the loop's place, what
    LLVM's vectoriser says of it, and what to write instead. A loop that is compiled in several
    copies, as where one copy has checks that the other needs not, is vectorised if one copy is.
    Does nothing in a managed run, in evaluate, without optimisation for speed, and for
    targets without vectors. Raises CompileError at the first call where it stands in no loop.
    """


expect_vectorized.__samebits_intrinsic__ = "expect_vectorized"  # type: ignore[attr-defined]
