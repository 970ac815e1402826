"""File names and link options of each operating system, one row each."""

from __future__ import annotations

from dataclasses import dataclass

from samebits.backend.targets.table import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """File names, with `{}` for the simulation's; a file with an empty name is not made."""

    what: str
    shared: str = ""
    link: tuple[str, ...] = ()
    """Link options of a shared library, with `{}` as in names."""
    extra: tuple[str, ...] = ()
    """Further files that linking makes."""
    program: str = "{}-verify"
    without_libc: bool = False
    """Whether the verifier uses system calls alone, not the system's C library."""
    export: str = '__attribute__((visibility("default")))'


# No C library is named: memcpy and the like come from that of the program that loads it.
_ELF = ("-shared", "-nostdlib", "-Wl,-soname,lib{}.so", "-Wl,--build-id=none")

PLATFORMS = {
    "linux": Platform(
        what="Linux", shared="lib{}.so", link=_ELF, without_libc=True
    ),
    "android": Platform(
        what="Android", shared="lib{}.so", link=_ELF, without_libc=True,
    ),
    "windows": Platform(
        what="Windows", shared="{}.dll", link=("-shared", "-Wl,--out-implib,{}.lib"),
        extra=("{}.lib",), program="{}-verify.exe", export="__declspec(dllexport)",
    ),
    "macos": Platform(
        what="macOS", shared="lib{}.dylib", link=("-shared", "-Wl,-install_name,@rpath/lib{}.dylib")
    ),
    # Linking more than this needs Apple's development kit.
    "ios": Platform(what="iOS", program=""),
}  # fmt: skip


def platform_of(target: Target) -> Platform:
    """The platform of a row that is linked by zig; KeyError for WebAssembly."""
    parts = target.zig.split("-")
    return PLATFORMS["android" if parts[-1] == "android" else parts[1]]
