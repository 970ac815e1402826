"""The table of targets.

Owns what the emitter may assume of each target, and what a runner needs to know of it. Knows
nothing of IR or of LLVM's interface. Adding a target is adding a row.
"""

# No `from __future__ import annotations`: NamedTuple would compile each annotation when the class
# is made, and a process that only fetches a kernel from the cache would wait for that.
from typing import NamedTuple

QEMU_PACKAGE = "qemu-user"
"""The Debian package that holds every `qemu` of the rows."""


class Target(NamedTuple):
    """A row: options for LLVM, capabilities for the emitter, and what runs the code elsewhere.
    Construct it by keyword."""

    name: str
    architecture: str
    """LLVM's name of the instruction set; rows that share it share their forbidden list."""
    triple: str
    cpu: str
    data_layout: str
    """LLVM's data layout for the triple; a test compares them."""
    fp_control: str | None
    """The register that holds rounding mode and flushing, if there is one: see `fp_control`."""
    features: str = ""
    """LLVM's spelling, as in `+vfp3d16,-neon`."""
    abi: str = ""
    """LLVM's name of the calling convention's variant where the triple leaves it open."""
    pointer_bits: int = 64
    little_endian: bool = True
    has_fma: bool = False
    """Whether fused multiply-add is an instruction; if not, it is emulated exactly."""
    vector_bits: int = 0
    """Width of vectors in vectorised loops; 0: LLVM vectorises none."""
    has_round: bool = False
    """Whether floor, ceil, trunc and round-to-even are done in line by LLVM."""
    rounds_by_calls: bool = False
    """Whether they are library calls all the same where small code is the goal."""
    has_int64: bool = True
    """Whether 64-bit division and conversion need no help from a library."""
    has_divide: bool = True
    """Whether 32-bit division is an instruction."""
    has_high_multiply: bool = True
    """Whether LLVM multiplies to 128 bits in line."""
    has_saturation: bool = True
    """Whether LLVM's saturating conversion to unsigned integers gives 0 for every NaN. If it uses a
    maximum instruction, a signalling NaN gives the largest integer."""
    has_single_from_int64: bool = True
    """Whether 64-bit integers become binary32 by one instruction and one rounding. False for
    `xscvsxdsp` and `xscvuxdsp`, which QEMU 7.2 rounds twice."""
    has_wide_product: bool = True
    """Whether LLVM may use one instruction for the product of two widened floats. False for `mdeb`
    and `mdebr`, whose products differ under QEMU 7.2."""
    has_ranges: bool = True
    """Whether loads may have range metadata. LLVM's PowerPC back end fails an assertion on it if a
    loaded integer is converted to a float."""
    flips_signs: bool = False
    """Whether a bit chooses between a float and its negative by a flip of the sign. True where LLVM
    branches to choose between float registers, and flips without going through memory."""
    fuses_sqrt: bool = False
    """Whether LLVM fuses a quotient of a square root into one instruction, rounded once."""
    convention: str = ""
    """LLVM's calling convention of internal functions and a space, if C's would return floats in
    x87."""
    float_results: int = 0
    """Floats that a function of this convention returns without x87. LLVM returns one or two
    further ones in x87, and all in memory if there are still more. 0: any number."""
    requires: tuple[str, ...] = ()
    """Host features (LLVM's spelling) without which the code cannot run."""
    level: int = 1
    levels: tuple[str, ...] = ()
    """For a multi-level target: the rows among which a built library chooses at run time."""
    tune: str = ""
    """The processor to tune for, in LLVM's spelling; empty: `cpu`. It changes speed, never the
    allowed instructions, and never bits."""
    runner: str | None = "qemu"
    """What runs the code on another kind of machine: `qemu`, `wasmtime`, or nothing."""
    zig: str = ""
    """The target that `zig cc` links for; empty for WebAssembly, which is linked without."""
    zig_cpu: str = ""
    """`zig cc -mcpu`; empty: zig's own choice."""
    qemu: str = ""
    """The emulator's program."""
    qemu_cpu: str = ""
    """The emulator's `-cpu`; empty: its own choice."""

    @property
    def row(self) -> tuple[str, str, str, str]:
        """What tells it from other targets of one compiler."""
        return self.name, self.triple, self.cpu, self.tune

    @property
    def has_wide_vectors(self) -> bool:
        """Whether vectors of 64-bit integers gain more than the checks before the loop cost:
        vectors of two do not (measured on x86-64)."""
        return self.vector_bits >= 256

    @property
    def stack_attribute(self) -> str:
        """What aligns the stack of functions with loops for vectors wider than the ABI's 16 bytes.

        LLVM lets them lie across two cache lines where it runs out of registers, and where the
        stack begins is chance: a batch's loop over 512 bits took 1.18 times as long in one thread
        as in another.
        """
        is_wide = self.architecture == "x86_64" and self.vector_bits > 128
        return f" alignstack({self.vector_bits // 8})" if is_wide else ""

    @property
    def is_object_only(self) -> bool:
        """Whether code for it can be built here but never run, except on such a machine."""
        return self.runner is None


_V2 = ("cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3")
_V3 = (*_V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_V4 = (*_V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")

_X86_POINTERS = "p270:32:32-p271:32:32-p272:64:64"
_X86_LAYOUT = f"e-m:e-{_X86_POINTERS}-i64:64-i128:128-f80:128-n8:16:32:64-S128"
_ARM_LAYOUT = f"e-m:e-{_X86_POINTERS}-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"
_RISC_LAYOUT = "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128"
_PPC_LAYOUT = "m:e-Fn32-i64:64-i128:128-n32:64-S128-v256:256:256-v512:512:512"
_WASM_LAYOUT = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"
_APPLE_ARM_LAYOUT = f"e-m:o-{_X86_POINTERS}-i64:64-i128:128-n32:64-S128-Fn32"

_X86_64_V1 = Target(
    name="x86-64-v1", architecture="x86_64", triple="x86_64-unknown-linux-gnu", cpu="x86-64",
    data_layout=_X86_LAYOUT, vector_bits=128, convention="fastcc ", float_results=3,
    flips_signs=True, fp_control="mxcsr",
    zig="x86_64-linux-musl", qemu="qemu-x86_64", qemu_cpu="max",
)  # fmt: skip
_AARCH64 = Target(
    name="aarch64", architecture="aarch64", triple="aarch64-unknown-linux-gnu", cpu="generic",
    data_layout=_ARM_LAYOUT, has_fma=True, vector_bits=128, has_round=True, fp_control="fpcr",
    zig="aarch64-linux-musl", qemu="qemu-aarch64", qemu_cpu="max",
)  # fmt: skip
_WASM32 = Target(
    name="wasm32", architecture="wasm32", triple="wasm32-unknown-unknown", cpu="mvp",
    features="+mutable-globals", data_layout=_WASM_LAYOUT, pointer_bits=32,
    has_round=True, has_high_multiply=False, fp_control=None, runner="wasmtime",
)  # fmt: skip

_ROWS = (
    _X86_64_V1,
    _X86_64_V1._replace(name="x86-64-v2", cpu="x86-64-v2", has_round=True, requires=_V2, level=2),
    _X86_64_V1._replace(
        name="x86-64-v3", cpu="x86-64-v3", has_fma=True, vector_bits=256,
        has_round=True, requires=_V3, level=3,
    ),
    _X86_64_V1._replace(
        name="x86-64-v4", cpu="x86-64-v4", has_fma=True, vector_bits=512,
        has_round=True, requires=_V4, level=4,
    ),
    # SSE2 does all the arithmetic; results in x87 registers are avoided by the convention.
    Target(
        name="i686", architecture="i686", triple="i686-unknown-linux-gnu", cpu="pentium4",
        data_layout="e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i128:128-f64:32:64-f80:32"
        "-n8:16:32-S128",
        pointer_bits=32, vector_bits=128, has_int64=False, has_high_multiply=False,
        convention="fastcc ", float_results=3,
        fp_control="mxcsr-x87", zig="x86-linux-musl", zig_cpu="pentium4", qemu="qemu-i386",
        qemu_cpu="max",
    ),
    _AARCH64,
    # NEON of this generation flushes subnormals whatever FPSCR says: VFP alone.
    Target(
        name="armv7", architecture="armv7", triple="armv7-unknown-linux-gnueabihf", cpu="generic",
        features="+vfp3d16,-neon,+slowfpvmlx",
        data_layout="e-m:e-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64", pointer_bits=32,
        has_int64=False, has_divide=False, has_high_multiply=False,
        fp_control="fpscr-arm", zig="arm-linux-musleabihf", qemu="qemu-arm", qemu_cpu="max",
    ),
    Target(
        name="riscv64", architecture="riscv64", triple="riscv64-unknown-linux-gnu",
        cpu="generic-rv64", features="+m,+a,+f,+d,+c", abi="lp64d", data_layout=_RISC_LAYOUT,
        has_fma=True, has_round=True, rounds_by_calls=True, flips_signs=True,
        fp_control="fcsr-riscv",
        zig="riscv64-linux-musl", qemu="qemu-riscv64",
    ),
    Target(
        name="ppc64le", architecture="powerpc64le", triple="powerpc64le-unknown-linux-gnu",
        cpu="ppc64le", abi="elfv2", data_layout=f"e-{_PPC_LAYOUT}", has_fma=True, vector_bits=128,
        has_saturation=False, has_single_from_int64=False, has_ranges=False,
        flips_signs=True, fp_control="fpscr-ppc", zig="powerpc64le-linux-musl", qemu="qemu-ppc64le",
    ),
    # AltiVec flushes if its NJ bit is set, which depends on the system. musl uses ELFv2 here too.
    Target(
        name="ppc64", architecture="powerpc64", triple="powerpc64-unknown-linux-musl",
        cpu="ppc64", features="-altivec", abi="elfv2", data_layout=f"E-{_PPC_LAYOUT}",
        little_endian=False, has_fma=True, has_ranges=False, fp_control="fpscr-ppc",
        zig="powerpc64-linux-musl", qemu="qemu-ppc64",
    ),
    Target(
        name="s390x", architecture="s390x", triple="s390x-unknown-linux-gnu", cpu="z10",
        data_layout="E-m:e-i1:8:16-i8:8:16-i64:64-f128:64-v128:64-a:8:16-n32:64",
        little_endian=False, has_fma=True, has_wide_product=False, flips_signs=True,
        fp_control="fpc",
        zig="s390x-linux-musl", qemu="qemu-s390x",
    ),
    Target(
        name="loongarch64", architecture="loongarch64", triple="loongarch64-unknown-linux-gnu",
        cpu="generic-la64", features="+d,-lsx,-lasx", abi="lp64d", data_layout=_RISC_LAYOUT,
        has_fma=True, has_saturation=False, fuses_sqrt=True,
        fp_control="fcsr-loongarch", zig="loongarch64-linux-musl",
        zig_cpu="generic_la64+d",
        qemu="qemu-loongarch64",
    ),
    # NaNs in MIPS's older encoding, as on every release 2 machine: the canonical pattern is a
    # signalling NaN there. It is made and compared as an integer, and signals are masked, so the
    # difference is invisible. `madd` is fused on some release 2 machines: emulated.
    Target(
        name="mips64el", architecture="mips64el", triple="mips64el-unknown-linux-gnuabi64",
        cpu="mips64r2", features="+nomadd4", abi="n64",
        data_layout="e-m:e-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128",
        fp_control="fcsr-mips", zig="mips64el-linux-muslabi64", qemu="qemu-mips64el",
        qemu_cpu="MIPS64R2-generic",
    ),
    _WASM32,
    _WASM32._replace(
        name="wasm32-simd", level=2, vector_bits=128,
        features="+mutable-globals,+nontrapping-fptoint,+sign-ext,+simd128",
    ),
    _X86_64_V1._replace(
        name="x86_64-windows", triple="x86_64-pc-windows-gnu", runner=None,
        data_layout=_X86_LAYOUT.replace("m:e", "m:w"), zig="x86_64-windows-gnu", qemu="",
    ),
    _AARCH64._replace(
        name="aarch64-macos", triple="arm64-apple-macosx11.0.0", cpu="apple-m1",
        runner=None, data_layout=_APPLE_ARM_LAYOUT, zig="aarch64-macos", qemu="",
    ),
    _X86_64_V1._replace(
        name="x86_64-macos", triple="x86_64-apple-macosx10.15.0", runner=None,
        data_layout=_X86_LAYOUT.replace("m:e", "m:o"), zig="x86_64-macos", qemu="",
    ),
    _AARCH64._replace(
        name="aarch64-android", triple="aarch64-unknown-linux-android21", runner=None,
        zig="aarch64-linux-android", qemu="",
    ),
    _AARCH64._replace(
        name="aarch64-ios", triple="arm64-apple-ios13.0.0", runner=None,
        data_layout=_APPLE_ARM_LAYOUT, zig="aarch64-ios", qemu="",
    ),
)  # fmt: skip

TARGETS: dict[str, Target] = {row.name: row for row in _ROWS}

FAMILIES = ("x86-64",)
"""Name prefixes of rows that are levels of one architecture: `-v1`, `-v2` and so on follow."""


def of_levels(name: str) -> Target | None:
    """The multi-level target of a name: `x86-64` for all, `x86-64-v1+v3` for some, in any order.

    In all else it equals its lowest row; None if there is none of that name.
    """
    for family in FAMILIES:
        rows = [row for row in _ROWS if row.name.startswith(f"{family}-v")]
        if name != family:
            wanted = name.removeprefix(f"{family}-").split("+")
            known = {row.name.removeprefix(f"{family}-"): row for row in rows}
            if len(wanted) < 2 or not name.startswith(f"{family}-") or set(wanted) - set(known):
                continue
            rows = [row for short, row in known.items() if short in wanted]
        base = rows[0]
        return base._replace(name=name, levels=tuple(row.name for row in rows))
    return None
