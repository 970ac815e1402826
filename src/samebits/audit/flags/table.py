"""Compilers and flags as tables: names, defaults, and what each flag does to the state.

Sources: the manuals of GCC (Optimize Options, x86 Options), Clang (User's Manual, Controlling
Floating Point Behavior), MSVC (/fp, /arch, fp_contract), Intel's oneAPI compilers (fp-model), CUDA
(--fmad) and Emscripten; rows that can run on a machine with these compilers are tests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from samebits.audit.flags.state import FAST_PARTS

GNU_LIKE = frozenset({"gcc", "clang", "zig", "emcc", "icx", "hipcc"})
"""Families with flags of GCC's kind."""
CLANG_LIKE = GNU_LIKE - {"gcc"}
CL_LIKE = frozenset({"msvc", "clang-cl"})

PROGRAMS: tuple[tuple[str, str], ...] = (
    (r"clang-cl(?:-([\d.]+))?", "clang-cl"),
    (r"cl", "msvc"),
    (r"(?:.*-)?clang(?:\+\+)?(?:-([\d.]+))?", "clang"),
    (r"icp?x", "icx"),
    (r"em(?:cc|\+\+)", "emcc"),
    (r"zig", "zig"),
    (r"rustc", "rustc"),
    (r"nvcc", "nvcc"),
    (r"hipcc", "hipcc"),
    (r"(?:.*-)?(?:gcc|g\+\+|gfortran|cc|c\+\+)(?:-([\d.]+))?", "gcc"),
)
"""Patterns of a compiler's file name without `.exe`, a group for its version, and its family."""
WRAPPERS = frozenset({"ccache", "distcc", "sccache", "icecc", "gomacc", "env"})


@dataclass(frozen=True, slots=True)
class DefaultRow:
    """What a compiler does without flags: from a version on, for a kind of source."""

    family: str
    since: tuple[int, ...]
    contract: str
    is_standard_c: bool = False
    """For C with -std=cNN alone."""
    fast: tuple[str, ...] = ()
    flush: bool = False


DEFAULTS: tuple[DefaultRow, ...] = (
    DefaultRow("gcc", (), "fast"),
    DefaultRow("gcc", (), "off", is_standard_c=True),
    DefaultRow("clang", (), "off"),
    DefaultRow("clang", (14,), "on"),
    DefaultRow("clang-cl", (), "off"),
    DefaultRow("clang-cl", (14,), "on"),
    DefaultRow("zig", (), "on"),
    DefaultRow("emcc", (), "on"),
    DefaultRow("icx", (), "fast", fast=FAST_PARTS, flush=True),
    DefaultRow("msvc", (), "on"),
    DefaultRow("msvc", (19, 30), "off"),
    DefaultRow("rustc", (), "off"),
    DefaultRow("nvcc", (), "fast"),
    DefaultRow("hipcc", (), "fast"),
)
"""The last row that fits counts. A version that is not known is taken for the newest, but of MSVC:
cl before 19.30 (Visual Studio 2022 17.0) contracts."""


@dataclass(frozen=True, slots=True)
class FlagRow:
    """What a flag does, for some families."""

    families: frozenset[str]
    pattern: str
    """Of the whole flag."""
    effect: str
    """`contract=…`, `fast+…`, `fast-…`, `flush+`, `flush-`, `x87+`, `x87-`, `fma`, `native`,
    `relaxed`, `single`; several are separated by blanks."""


_ALL_ON = " ".join(f"fast+{part}" for part in FAST_PARTS)
_ALL_OFF = " ".join(f"fast-{part}" for part in FAST_PARTS)
_UNSAFE = "fast+associative fast+reciprocal fast+no-signed-zeros fast+approximate"
_CLANG_FAST = f"{_ALL_ON} contract=fast flush+"
_GCC = frozenset({"gcc"})
_ICX = frozenset({"icx"})
_X86_FMA = (
    r"native|haswell|broadwell|skylake.*|x86-64-v[34]|znver\d|bdver[2-4]|core-avx2|cannonlake"
    r"|(?:ice|tiger|rocket|alder|raptor|meteor|cascade|cooper|arrow|lunar|panther)lake.*"
    r"|(?:sapphire|emerald|granite)rapids.*|knl|knm|sierraforest|grandridge|clearwaterforest"
)
FLAGS: tuple[FlagRow, ...] = (
    FlagRow(GNU_LIKE, r"-ffp-contract=off", "contract=off"),
    FlagRow(GNU_LIKE, r"-ffp-contract=on", "contract=on"),
    FlagRow(GNU_LIKE, r"-ffp-contract=fast(?:-honor-pragmas)?", "contract=fast"),
    FlagRow(_GCC, r"-ffast-math", f"{_ALL_ON} flush+"),
    FlagRow(_GCC, r"-fno-fast-math", f"{_ALL_OFF} flush-"),
    FlagRow(_GCC, r"-funsafe-math-optimizations", f"{_UNSAFE} flush+"),
    FlagRow(_GCC, r"-fno-unsafe-math-optimizations", f"{_UNSAFE.replace('+', '-')} flush-"),
    FlagRow(CLANG_LIKE, r"-ffast-math", _CLANG_FAST),
    FlagRow(CLANG_LIKE, r"-fno-fast-math", f"{_ALL_OFF} contract=undo flush-"),
    FlagRow(CLANG_LIKE, r"-funsafe-math-optimizations", f"{_UNSAFE} contract=fast flush+"),
    FlagRow(CLANG_LIKE, r"-fno-unsafe-math-optimizations",
            f"{_UNSAFE.replace('+', '-')} contract=undo flush-"),
    FlagRow(GNU_LIKE, r"-fassociative-math", "fast+associative"),
    FlagRow(GNU_LIKE, r"-fno-associative-math", "fast-associative"),
    FlagRow(GNU_LIKE, r"-freciprocal-math", "fast+reciprocal"),
    FlagRow(GNU_LIKE, r"-fno-reciprocal-math", "fast-reciprocal"),
    FlagRow(GNU_LIKE, r"-fno-signed-zeros", "fast+no-signed-zeros"),
    FlagRow(GNU_LIKE, r"-fsigned-zeros", "fast-no-signed-zeros"),
    FlagRow(GNU_LIKE, r"-ffinite-math-only", "fast+finite"),
    FlagRow(GNU_LIKE, r"-fno-finite-math-only|-fhonor-nans", "fast-finite"),
    FlagRow(GNU_LIKE, r"-fcx-limited-range|-fcx-fortran-rules", "fast+limited-complex"),
    FlagRow(GNU_LIKE, r"-fapprox-func|-mrecip(?:=.*)?", "fast+approximate"),
    FlagRow(GNU_LIKE, r"-fno-approx-func|-mno-recip", "fast-approximate"),
    FlagRow(GNU_LIKE, r"-fsingle-precision-constant|-cl-single-precision-constant", "single"),
    FlagRow(GNU_LIKE, r"-mdaz-ftz", "flush+"),
    FlagRow(GNU_LIKE, r"-mno-daz-ftz", "flush-"),
    FlagRow(_ICX, r"-[qf]?ftz|/Qftz", "flush+"),
    FlagRow(_ICX, r"-no-ftz|/Qftz-", "flush-"),
    FlagRow(GNU_LIKE, r"-fdenormal-math=(?:preserve-sign|positive-zero).*", "flush+"),
    FlagRow(CLANG_LIKE, r"-ffp-model=precise", f"{_ALL_OFF} contract=on"),
    FlagRow(CLANG_LIKE, r"-ffp-model=strict", f"{_ALL_OFF} contract=off"),
    FlagRow(CLANG_LIKE, r"-ffp-model=(?:fast|aggressive)", f"{_ALL_ON} contract=fast"),
    FlagRow(GNU_LIKE, r"-mfpmath=(?:387|both|sse,387|387,sse)", "x87+"),
    FlagRow(GNU_LIKE, r"-mfpmath=sse", "x87-"),
    FlagRow(GNU_LIKE, r"-mfma4?|-mavx512\w*|-mavx10\S*", "fma"),
    FlagRow(GNU_LIKE, rf"-march=(?:{_X86_FMA})", "fma"),
    FlagRow(frozenset({"zig"}), rf"-mcpu=(?:{_X86_FMA})(?:\+.*)?", "fma"),
    FlagRow(GNU_LIKE, r"-m(?:arch|cpu|tune-fpu)=native|-mcpu=host", "native"),
    FlagRow(_ICX, r"[-/]Q?x(?:Host|HOST)", "native fma"),
    FlagRow(_ICX, r"[-/]Q?a?x(?:CORE-AVX2|CORE-AVX512|COMMON-AVX512|[A-Z]+LAKE\S*)", "fma"),
    FlagRow(frozenset({"emcc", "clang", "zig"}), r"-mrelaxed-simd", "relaxed"),
    FlagRow(CL_LIKE, r"[-/]fp:fast", f"{_ALL_ON} contract=fast"),
    FlagRow(frozenset({"msvc"}), r"[-/]fp:precise", f"{_ALL_OFF} contract=default"),
    FlagRow(frozenset({"clang-cl"}), r"[-/]fp:precise", f"{_ALL_OFF} contract=on"),
    FlagRow(CL_LIKE, r"[-/]fp:strict", f"{_ALL_OFF} contract=off"),
    FlagRow(CL_LIKE, r"[-/]fp:contract", "contract=on"),
    FlagRow(CL_LIKE, r"[-/]arch:(?:AVX2|AVX512\S*|AVX10\S*)", "fma"),
    FlagRow(CL_LIKE, r"[-/]arch:(?:IA32|SSE)", "x87+"),
    FlagRow(CL_LIKE, r"[-/]Qimf-\S+", "fast+approximate"),
    FlagRow(frozenset({"nvcc"}), r"-{1,2}fmad=false", "contract=off"),
    FlagRow(frozenset({"nvcc"}), r"-{1,2}fmad=true", "contract=fast"),
    FlagRow(frozenset({"nvcc"}), r"-{1,2}use_fast_math", "contract=fast fast+approximate flush+"),
    FlagRow(frozenset({"nvcc"}), r"-{1,2}ftz=true", "flush+"),
    FlagRow(frozenset({"nvcc"}), r"-{1,2}prec-(?:div|sqrt)=false", "fast+approximate"),
    FlagRow(frozenset({"rustc"}), r"target-cpu=native", "native"),
)  # fmt: skip
"""In the order of the command line the last flag wins; exceptions are in `judge.py`."""

FMA_ALWAYS = re.compile(
    r"(aarch64|arm64|riscv|powerpc|ppc|s390|loongarch|nvptx|nvcc|amdgcn|ia64)\w*"
)
"""Processors that fuse without any flag."""
COMPILED = tuple((row, re.compile(row.pattern)) for row in FLAGS)
