"""The commands about other programs, declared for Typer."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from samebits.cli.application import Html, finish
from samebits.cli.examples import examples

commands = typer.Typer()


@commands.command(epilog=examples("audit"))
def audit(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH]...",
            help="Programs, libraries, objects, archives, wheels, WebAssembly modules, or folders.",
        ),
    ] = None,
    allow: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A TOML file of allowed findings, with reasons."),
    ] = None,
    sources: Annotated[
        bool, typer.Option("--sources", help="Read C and C++ sources instead, by libclang.")
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(metavar="OTHER", help="Compare with another build: what one has alone."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Notes fail too: clocks and unstable sorts.")
    ] = False,
    all: Annotated[
        bool, typer.Option("--all", help="Show every function, not the first of each rule.")
    ] = False,
    format: Annotated[
        Literal["text", "json", "sarif"], typer.Option(help="Output format.")
    ] = "text",
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    html: Html = None,
    list_rules: Annotated[
        bool, typer.Option("--list-rules", help="List the rules with their reasons, and exit.")
    ] = False,
    safe_flags: Annotated[
        str | None,
        typer.Option(
            metavar="COMPILER", help="Print the safe flags of gcc, clang, msvc, …, and exit."
        ),
    ] = None,
    build_system: Annotated[
        Literal["cmake", "meson", "bazel", "msbuild", "cargo", "make"],
        typer.Option("--for", help="The build system that --safe-flags writes for."),
    ] = "cmake",
) -> None:
    """Find what in compiled programs can change bits: fused operations, x87, flushing, libm, flags.

    Reads ELF, PE, COFF, Mach-O and WebAssembly files of any processor that samebits knows, by
    function and, with debug information, by source line; and the flags of a build's commands:
    compile_commands.json, build.ninja, CMake's Makefiles.
    Nothing is run. Needs samebits[foreign]. Exit status: 0 no finding, or all are allowed, 1
    findings, 2 bad usage, or a file could not be read.
    """
    from samebits.cli.foreign.audit import AuditOptions, run

    form = "json" if json else format
    options = AuditOptions(
        paths or (), allow, strict, all, form, list_rules, against, safe_flags, build_system,
        sources, html,
    )  # fmt: skip
    finish(lambda: run(options))


@commands.command(epilog=examples("header"))
def header(
    lang: Annotated[
        str, typer.Option(metavar="LANG", help="c, which C++ takes too, rust, csharp or js.")
    ] = "c",
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="The file to write; else it is printed."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing FILE.")] = False,
) -> None:
    """Print the recorder that another program includes: what it computes, frame by frame.

    The program's record, run.sbt, is compared with another machine's by `samebits diagnose`.
    Exit status: 0 printed or written, 2 bad usage.
    """
    from samebits.cli.foreign.header import run

    finish(lambda: run(lang, out, force))
