"""What an operating system calls its files and how they are linked, one row each."""

from __future__ import annotations

from dataclasses import dataclass

from samebits.backend.targets.table import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """File names with `{}` for the simulation's; an empty one is not made."""

    what: str
    shared: str = ""
    link: tuple[str, ...] = ()
    """How a shared library is linked, with `{}` as in names."""
    extra: tuple[str, ...] = ()
    """What linking it makes besides."""
    program: str = "{}-verify"
    without_libc: bool = False
    """Whether the verifier stands on system calls alone; otherwise on the system's C library."""
    export: str = '__attribute__((visibility("default")))'


# No C library is named: memcpy and its like come from the one of the program that loads it.
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
    # Apple's development kit links what goes further than this.
    "ios": Platform(what="iOS", program=""),
}  # fmt: skip


def platform_of(target: Target) -> Platform:
    """The platform of a row that is linked by zig; KeyError for WebAssembly."""
    parts = target.zig.split("-")
    return PLATFORMS["android" if parts[-1] == "android" else parts[1]]
