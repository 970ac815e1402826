"""The compiler and linkers of the `ziglang` wheel, run so that output depends on input alone.

Zig trusts its cache of compiled libraries, which is therefore in a folder of this user alone.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from samebits.errors import TargetError
from samebits.runtime.cache import user_cache_directory
from samebits.runtime.objects.own_folder import OwnFolder, UntrustedError
from samebits.runtime.zig import zig_command

MOST_MESSAGE = 2000
LIMIT_SECONDS = 600
"""Long enough for zig to compile a target's C library, as the first program for it needs."""


def require_zig() -> None:
    """Raise TargetError if the `ziglang` package is not installed."""
    if importlib.util.find_spec("ziglang") is None:
        raise TargetError(
            "building for use outside Python needs the ziglang package, which is not installed",
            fix="pip install samebits[targets]",
        )


def zig(folder: Path, arguments: Sequence[str]) -> None:
    """Run one of zig's tools in `folder`, with file names relative to it.

    Raises TargetError with the tool's output if it fails.
    """
    require_zig()
    try:
        done = subprocess.run(
            [*zig_command(), *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LIMIT_SECONDS,
            env={
                **os.environ,
                "ZIG_LOCAL_CACHE_DIR": str(folder / "zig"),
                "ZIG_GLOBAL_CACHE_DIR": str(_libraries() or folder / "zig"),
            },
        )
    except subprocess.TimeoutExpired:
        raise TargetError(f"zig {arguments[0]} took more than {LIMIT_SECONDS} s") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[:MOST_MESSAGE]
        raise TargetError(f"zig {arguments[0]} failed with status {done.returncode}", note=said)


@cache
def _libraries() -> Path | None:
    """The folder of C libraries that zig has compiled; None if nothing can be stored."""
    try:
        return OwnFolder(user_cache_directory() / "zig", "cache of zig's libraries").closed()
    except UntrustedError as error:
        warnings.warn(f"{error}; zig compiles them anew", RuntimeWarning, stacklevel=2)
    except (OSError, RuntimeError):  # no home directory, or none that can be written to
        pass
    return None


def compile_c(folder: Path, target: str, cpu: str, source: str, out: str, *more: str) -> None:
    """Compile one C99 file to an object: no sanitiser, no debug information, no library beneath.

    Objects for Windows would otherwise hold the path of a temporary file.
    """
    zig(
        folder,
        ["cc", "-target", target, *_cpu(cpu), "-std=c99", "-O2", "-g0", "-fPIC",
         "-fno-sanitize=all", "-fno-stack-protector", "-fvisibility=hidden", "-Wall", "-Wextra",
         "-Werror", *more, "-Xclang", f"-object-file-name={out}", "-c", source, "-o", out],
    )  # fmt: skip


def archive(folder: Path, target: str, out: str, objects: Sequence[str]) -> None:
    """Make a static library without times and owners."""
    form = "darwin" if "macos" in target or "ios" in target else "gnu"
    zig(folder, ["ar", f"--format={form}", "rcsD", out, *objects])


def link(folder: Path, target: str, cpu: str, out: str, *arguments: str) -> None:
    """Link a program or a shared library, stripped."""
    zig(
        folder,
        ["cc", "-target", target, *_cpu(cpu), "-O2", "-g0", "-s", *arguments, "-o", out],
    )


def _cpu(cpu: str) -> list[str]:
    return [f"-mcpu={cpu}"] if cpu else []
