"""The flags that keep each compiler to IEEE 754 in source order, as build systems take them."""

from __future__ import annotations

from dataclasses import dataclass

from samebits.errors import ArgumentError, nearest


@dataclass(frozen=True, slots=True)
class SafeSet:
    """A compiler's flags, which must come last, and what to know beside."""

    flags: tuple[str, ...]
    note: str = ""


_GNU = ("-ffp-contract=off", "-fno-fast-math", "-fno-builtin")
SAFE: dict[str, SafeSet] = {
    "gcc": SafeSet(_GNU, "GCC 12.0 to 12.2 fuses all the same (PR 107647): add "
                         "-fno-tree-slp-vectorize, or no -mfma; 32-bit x86: -msse2 -mfpmath=sse; "
                         "no -Ofast: it makes the process flush in spite of -fno-fast-math"),
    "clang": SafeSet(_GNU, "32-bit x86: -msse2 -mfpmath=sse; -ffp-model=precise is not enough: it "
                           "contracts"),
    "zig": SafeSet((*_GNU, "-target", "x86_64-linux-musl"),
                   "without -target, zig cc builds for the building machine's processor"),
    "emcc": SafeSet((*_GNU, "-mno-relaxed-simd")),
    "msvc": SafeSet(("/fp:precise",), "before 19.30 (Visual Studio 2022 17.0): /fp:strict"),
    "clang-cl": SafeSet(("/fp:precise", "/clang:-ffp-contract=off")),
    "icx": SafeSet(("-fp-model=precise", "-ffp-contract=off", "-no-ftz"),
                   "Intel's default is -fp-model=fast"),
    "nvcc": SafeSet(("--fmad=false", "--prec-div=true", "--prec-sqrt=true", "--ftz=false")),
    "rustc": SafeSet((), "rustc never contracts; sin and its like come from the system's libm: "
                         "use the libm crate; no i586 targets, which compute in x87"),
}  # fmt: skip
"""By compiler's family."""

BUILD_SYSTEMS = ("cmake", "meson", "bazel", "msbuild", "cargo", "make")


def safe_flags(compiler: str, system: str) -> str:
    """Lines for a build system that set a compiler's safe flags. Raises ArgumentError."""
    names = {"g++": "gcc", "clang++": "clang", "cl": "msvc", "zig cc": "zig", "icpx": "icx"}
    family = names.get(compiler, compiler)
    if family not in SAFE:
        close = nearest(compiler, SAFE)
        raise ArgumentError(
            f"there are no flags for {compiler}",
            fix=f"did you mean {close}?" if close else f"known are {', '.join(SAFE)}",
        )
    if system not in BUILD_SYSTEMS:
        raise ArgumentError(
            f"there is no build system {system}", fix=f"known are {', '.join(BUILD_SYSTEMS)}"
        )
    row = SAFE[family]
    comment = "//" if system == "msbuild" else "#"
    lines = [f"<!-- {row.note} -->" if comment == "//" else f"# {row.note}"] if row.note else []
    return "\n".join([*lines, *_lines(row.flags, system)]) + "\n"


def _lines(flags: tuple[str, ...], system: str) -> list[str]:
    words = " ".join(flags)
    quoted = ", ".join(f"'{flag}'" for flag in flags)
    if not flags:
        return []
    if system == "cmake":
        return [f"add_compile_options({words})", "# at the end of the top CMakeLists.txt's options"]
    if system == "meson":
        return [f"add_project_arguments({quoted}, language: ['c', 'cpp'])"]
    if system == "bazel":
        return [f"build --copt={flag} --cxxopt={flag}" for flag in flags]
    if system == "msbuild":
        return [
            "<ItemDefinitionGroup><ClCompile>",
            f"  <AdditionalOptions>%(AdditionalOptions) {words}</AdditionalOptions>",
            "</ClCompile></ItemDefinitionGroup>",
        ]
    if system == "cargo":
        return ["[env]", f'CFLAGS = "{words}"', f'CXXFLAGS = "{words}"']
    return [f"CFLAGS += {words}", f"CXXFLAGS += {words}"]
