"""The commands and their options, declared for Typer; each command has a module of its own.

Those of matches, of CI and about other programs are declared beside them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Literal

import typer

from samebits.cli.application import (
    AsJson,
    Html,
    Parsed,
    Players,
    Seed,
    Sim,
    application,
    finish,
    targets_option,
)
from samebits.cli.chosen import chosen
from samebits.cli.ci import commands as ci
from samebits.cli.collector import commands as collector
from samebits.cli.examples import examples
from samebits.cli.exit_status import BAD, INTERRUPTED, SAME, TRACEBACK
from samebits.cli.farm import commands as farm
from samebits.cli.foreign import commands as foreign
from samebits.cli.lua import commands as lua
from samebits.cli.net import commands as net
from samebits.cli.play import commands as play
from samebits.cli.terminal import colours
from samebits.digits import MOST_FRAMES


def app(arguments: list[str]) -> int:
    """Parse the arguments, run the command, return its exit status. Prints usage errors."""
    try:
        with colours():
            _command(*arguments[:1])(args=arguments, prog_name="samebits")
    except Parsed as parsed:
        command = parsed.command
    except SystemExit as stop:
        # Typer's own status: help, usage, an interrupt. Its 1 does not mean that something differs.
        return stop.code if stop.code in (SAME, INTERRUPTED) else BAD
    else:
        return SAME
    return command()


@cache
def _command(first: str = "") -> Callable[..., Any]:
    """The command line as Typer runs it, with the command alone that the first word names."""
    return typer.main.get_command(chosen(application, first))


def _print_version(wanted: bool) -> None:
    if wanted:
        from samebits.version import __version__

        typer.echo(f"samebits {__version__}")
        raise typer.Exit


@application.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    traceback: Annotated[
        bool,
        typer.Option(TRACEBACK, help="Show the traceback of an unexpected error."),
    ] = False,
) -> None:
    """The same bits on every machine: verify simulations, and find where and why runs differ."""


@application.command(epilog=examples("verify"))
def verify(
    sim: Sim,
    replays: Annotated[
        list[str] | None,
        typer.Argument(metavar="[REPLAY]...", help="replays of SIM, or folders of them"),
    ] = None,
    targets: Annotated[
        str | None, targets_option("Only these targets of `samebits targets`.")
    ] = None,
    frames: Annotated[
        str | None,
        typer.Option(
            metavar="N|all",
            help="Only the first N frames; `all` makes slow targets run every frame too.",
        ),
    ] = None,
    players: Players = None,
    seed: Seed = None,
    golden: Annotated[
        str | None, typer.Option(metavar="FILE", help="Compare with the hashes in FILE.")
    ] = None,
    update_golden: Annotated[
        bool, typer.Option("--update-golden", help="Write the golden file.")
    ] = False,
    timeout: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", help="Stop a target that runs longer, and report it as not run."
        ),
    ] = None,
    bits: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write every frame's hash, for `samebits compare` with others'."
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What --bits calls this machine; else linux-x86_64."),
    ] = None,
    report: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Write a desync report of each replay that differs."),
    ] = None,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Only every N-th replay, from the I-th on.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Run SIM in every execution that this machine offers, and compare the state of every frame.

    Without a REPLAY, a script of SIM plays 600 frames; of a folder, its replays of SIM are taken.
    CPython (managed), the reference interpreter
    (evaluate) and emulated targets run only the first part of a long run, and say how much, unless
    `--frames all`. Exit status: 0 the same, 1 a difference, or a target's program failed, 2 bad
    usage or input, or a target ran longer than `--timeout`.
    """
    from samebits.cli.named import words
    from samebits.cli.verify import VerifyOptions, run

    options = VerifyOptions(
        sim=sim,
        replays=tuple(replays or ()),
        targets=None if targets is None else words("--targets", targets),
        frames=frames,
        players=players,
        seed=seed,
        golden=golden,
        update_golden=update_golden,
        json=json,
        timeout=timeout,
        bits=bits,
        label=label,
        report=report,
        shard=shard,
    )
    finish(lambda: run(options))


@application.command(epilog=examples("record"))
def record(
    sim: Sim,
    out: Annotated[str, typer.Option(metavar="FILE", help="The replay to write.")],
    players: Annotated[
        str | None,
        typer.Option(
            help="Who plays: a script of SIM, or random, over all values of every input field."
        ),
    ] = None,
    frames: Annotated[int, typer.Option(min=1, max=MOST_FRAMES, help="Frames to record.")] = 3600,
    seed: Annotated[int, typer.Option(help="Seed of the run and of the players.")] = 1,
    keyframes: Annotated[
        int, typer.Option(min=0, help="Frames from one keyframe to the next; 0 for none.")
    ] = 600,
) -> None:
    """Run SIM with scripted or random players and write a replay.

    Exit status: 0 written, 1 cut short by a trap in a frame, 2 bad usage or input.
    """
    from samebits.cli.record import run

    finish(lambda: run(sim, out, players, frames, seed, keyframes))


@application.command(epilog=examples("targets"))
def targets(
    json: AsJson = False,
) -> None:
    """List the targets that run here, and why the others cannot."""
    from samebits.cli.targets import run

    finish(lambda: run(json))


@application.command(epilog=examples("build"))
def build(
    out: Annotated[str, typer.Option("--out", "-o", metavar="DIR", help="The folder to write to.")],
    sim: Annotated[
        str | None,
        typer.Argument(metavar="[SIM]", help="path.py, path.py:Name or package.module:Name"),
    ] = None,
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            "--targets",
            metavar="T",
            help="Targets, separated by commas or repeated; by default this machine's. x86-64 is "
            "one library for x86-64-v1 to v4, which picks the best at run time; "
            "x86-64-v1+v3 has two.",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="The prefix of all names; by default the simulation's name.")
    ] = None,
    math_library: Annotated[
        bool,
        typer.Option(
            "--math-library", help="Without SIM: the functions of samebits.math for C and C++."
        ),
    ] = False,
) -> None:
    """Build SIM as a C header, a static and a shared library, and a standalone verifier; or the
    math library.

    For wasm32 and wasm32-simd, build a WebAssembly module for Node and browsers. A README in DIR
    says how to use the files. Exit status: 0 written, 2 bad usage or input, or a tool failed.
    """
    from samebits.cli.build import run

    finish(lambda: run(sim, target or [], out, name, math_library))


@application.command(epilog=examples("doctor"))
def doctor(
    program: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PROGRAM.py]", help="A program to run; its own options go after --."
        ),
    ] = None,
    module: Annotated[
        str | None, typer.Option("-m", metavar="MODULE", help="Run a module instead of a file.")
    ] = None,
    timeout: Annotated[
        float,
        typer.Option(
            min=0.1, metavar="SECONDS", help="Stop each run of the program after this time."
        ),
    ] = 60.0,
    peer: Annotated[
        str | None,
        typer.Option(
            metavar="FINGERPRINT",
            help="Compare with the fingerprint that `samebits doctor` prints on another machine.",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Examine what changes floating-point results on this host: FP registers, libm, NumPy.

    With a program, run it in separate processes and name the import, library or line that changes
    the floating-point registers; its output is not shown. Exit status: 0 healthy, 1 a problem was
    found, 2 bad usage or input.
    """
    from samebits.cli.doctor import run

    given = [*(["-m", module] if module else []), *(program or [])]
    finish(lambda: run(given, peer, timeout, json))


@application.command(epilog=examples("inspect"))
def inspect(
    kernel: Annotated[
        str,
        typer.Argument(
            metavar="KERNEL",
            help="path.py:function, package.module:function, path.py:Struct.method, path.py:Job; "
            "a file with one simulation means its step",
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option(
            metavar="T", help="Any target of `samebits targets`; by default this machine's."
        ),
    ] = None,
    show: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Only these of source, rewrites, remarks, ir, passes, llvm, asm."
        ),
    ] = None,
    opt: Annotated[int, typer.Option(metavar="0|3", help="Optimisation level.")] = 3,
    types: Annotated[
        str | None,
        typer.Option(metavar="TYPES", help="The parameter types of a generic kernel."),
    ] = None,
    all: Annotated[
        bool, typer.Option("--all", help="Show the library's own functions too.")
    ] = False,
    json: AsJson = False,
    html: Html = None,
    color: Annotated[
        bool | None,
        typer.Option("--color/--no-color", help="Use colours; by default only on a terminal."),
    ] = None,
) -> None:
    """Show what KERNEL compiles to: typed IR, LLVM IR and assembly beside its source.

    Each line of code begins with its source line's number; P marks SIMD, S scalar floats, C
    calls, ! instructions that could change bits. Exit status: 0 shown, 2 bad usage or input.
    """
    from samebits.cli.inspect import InspectOptions, run

    finish(lambda: run(InspectOptions(kernel, target, show, opt, types, all, json, html, color)))


@application.command(epilog=examples("lint"))
def lint(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH]...",
            help="Python files, Lua files or folders; game.py:NAME for what that simulation can "
            "reach alone.",
        ),
    ] = None,
    select: Annotated[
        str | None,
        typer.Option(
            metavar="CODES", help="Only rules whose codes begin with these, as in SB1,SB202."
        ),
    ] = None,
    ignore: Annotated[
        str | None, typer.Option(metavar="CODES", help="Skip rules whose codes begin with these.")
    ] = None,
    min_confidence: Annotated[
        Literal["low", "medium", "high"],
        typer.Option(
            help="Only findings that are at least so sure to change results: high as the code is "
            "written, medium for some values, low seldom."
        ),
    ] = "low",
    format: Annotated[
        Literal["text", "json", "sarif"], typer.Option(help="Output format.")
    ] = "text",
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    list_rules: Annotated[
        bool, typer.Option("--list-rules", help="List the rules with their reasons, and exit.")
    ] = False,
) -> None:
    """Find Python and Lua code whose results differ between machines or runs: order, libm, clocks.

    Nothing is run. A comment `# noqa: SB101`, in Lua `-- noqa: SL101`, suppresses a rule on its
    line. Kernels are skipped: the compiler checks them. Scripts for samebits.lua need no SL1. Exit
    status: 0 no hazard, 1 hazards were found, 2 bad usage, or a file could not be checked.
    """
    from samebits.cli.lint import run

    form = "json" if json else format
    finish(lambda: run(paths or (), select, ignore, form, list_rules, min_confidence))


@application.command(epilog=examples("explain"))
def explain(
    expression: Annotated[
        str,
        typer.Argument(
            metavar="EXPR",
            help='Such as "a*b + c", with + - * /, sqrt, fma, sin, …; if it begins with -, in ().',
        ),
    ],
    values: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME=VALUE]...",
            help="Each VALUE is bits (0x3dcccccd), a hex float or a decimal.",
        ),
    ] = None,
    got: Annotated[
        str | None,
        typer.Option(metavar="BITS", help="The observed result, written like a VALUE."),
    ] = None,
    row: Annotated[
        list[str] | None,
        typer.Option(
            "--row",
            metavar='"NAME=VALUE... got=BITS"',
            help="Another row of operands and its result; an evaluation must give all.",
        ),
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Rows from CSV, whose first line has the names, or JSON, a list of objects; the "
            "result is called got.",
        ),
    ] = None,
    type: Annotated[
        Literal["float16", "float32", "float64"],
        typer.Option(help="The type of operands and result; float16 is computed in float32."),
    ] = "float32",
    json: AsJson = False,
) -> None:
    """Find which evaluation of EXPR gives the bits that a machine, engine or compiler gave.

    Evaluations tried: fused, reassociated, in x87 precision, flushed, by estimates, with another
    libm, and pairs of these if none alone gives the bits. Exit status: 0 some evaluation gives the
    bits, 1 none does, 2 bad usage or input.
    """
    from samebits.cli.explain import run

    finish(lambda: run(expression, values or (), got, row or (), rows, type, json))


@application.command(epilog=examples("report"))
def report(
    sim: Annotated[
        str | None,
        typer.Argument(metavar="SIM", help="path.py, path.py:Name or package.module:Name"),
    ] = None,
    replay: Annotated[str | None, typer.Argument(metavar="REPLAY", help="a replay of SIM")] = None,
    frames: Annotated[
        str | None,
        typer.Option(
            metavar="FIRST:STOP",
            help="The frames to report in detail, without STOP, or a single one; by default only "
            "the hashes of the whole run.",
        ),
    ] = None,
    trace: Annotated[
        int | None,
        typer.Option(min=0, metavar="FRAME", help="Also report every operation of this frame."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="The report to write."),
    ] = None,
    a: Annotated[
        str | None,
        typer.Option("--a", metavar="SIDE", help="How to run SIM; by default natively, optimised."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing FILE.")] = False,
    show: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Print everything that a report discloses, and exit."),
    ] = None,
    record: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="RECORD",
            help="Write it of what another program recorded with samebits.h: run.sbt.",
        ),
    ] = None,
    json: AsJson = False,
) -> None:
    """Write a desync report: what this machine computed in a run, to be compared elsewhere.

    One file, small enough to mail, which identifies no person and no host: hashes, states, the
    program as typed IR, and what can change bits on this machine. `samebits diagnose` compares it
    with another run or another machine's report. Exit status: 0 written or shown, 1 written, but
    the run diverges from the hashes or keyframes of REPLAY, 2 bad usage or input, or a damaged
    file.
    """
    from samebits.cli.report import ReportOptions, run

    options = ReportOptions(sim, replay, frames, trace, out, a, force, show, json, record)
    finish(lambda: run(options))


@application.command(epilog=examples("minimise"))
def minimise(
    sim: Sim,
    replay: Annotated[str, typer.Argument(metavar="REPLAY", help="a replay of SIM")],
    a: Annotated[
        str | None,
        typer.Option(
            "--a", metavar="SIDE", help="How side a runs SIM; by default natively, optimised."
        ),
    ] = None,
    b: Annotated[
        str | None,
        typer.Option("--b", metavar="SIDE", help="How side b runs it, as `samebits diagnose` has."),
    ] = None,
    trap: Annotated[
        bool, typer.Option("--trap", help="Keep the trap, or the assertion, that ends side a.")
    ] = False,
    any: Annotated[
        bool,
        typer.Option("--any", help="Keep any difference or trap, in another field or line too."),
    ] = False,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="The shorter replay; by default REPLAY.small.mcap."
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option(metavar="N", help="Stop after so long with the shortest so far.")
    ] = 60.0,
    json: AsJson = False,
) -> None:
    """Cut a replay down to what still shows a difference between two sides, or a trap.

    Frames are left out, and inputs made zero, for as long as the sides still differ in the same
    field first. The result is a replay of SIM as any other. Ctrl-C keeps the shortest so far. Exit
    status: 0 written, 2 bad usage or input, a damaged replay, or there is nothing to show.
    """
    from samebits.cli.minimise import MinimiseOptions, run

    options = MinimiseOptions(sim, replay, a, b, trap, any, out, seconds, json)
    finish(lambda: run(options))


@application.command(epilog=examples("diagnose"))
def diagnose(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SIM [REPLAY] [EVIDENCE] | [SIM] REPORT REPORT",
            help="a simulation, a replay of it, and another machine's report, replay, golden "
            "file or list of hashes; or two reports, or records of another program",
        ),
    ] = None,
    a: Annotated[
        str | None,
        typer.Option(
            "--a", metavar="SIDE", help="How side a runs SIM; by default natively, optimised."
        ),
    ] = None,
    b: Annotated[
        str | None,
        typer.Option(
            "--b",
            metavar="SIDE",
            help="How side b runs SIM: words separated by commas, such as x86-64-v2,opt=0 or "
            "mode=FAST or source=FILE or hazard=NAME@FILE:LINE,from=FRAME; see --list-sides.",
        ),
    ] = None,
    state: Annotated[
        list[str] | None,
        typer.Option(
            "--state",
            metavar="FRAME=FILE",
            help="The other machine's state after FRAME: a C struct's bytes, canonical bytes, JSON "
            "or CSV. May be repeated; a file that has its frame in it needs no FRAME=.",
        ),
    ] = None,
    frames: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_FRAMES, metavar="N", help="Only the first N frames."),
    ] = None,
    players: Players = None,
    seed: Seed = None,
    list_sides: Annotated[
        bool, typer.Option("--list-sides", help="List the words of a SIDE, and exit.")
    ] = False,
    budget: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Let programs in reports that you trust run N times as many operations as the "
            "limit.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=3600.0,
            metavar="N",
            help="Seconds of the processor for trying what other builds do against hashes alone "
            "(30); 0 tries none.",
        ),
    ] = None,
    edits: Annotated[
        bool,
        typer.Option(
            "--edits",
            help="Of two versions of the source, name those edits too that change nothing.",
        ),
    ] = False,
    foreign: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Build and run a program of C or C++ in two ways of FILE, a sim.toml: --a and "
            "--b name them. Its commands run as if you had typed them.",
        ),
    ] = None,
    json: AsJson = False,
    html: Html = None,
) -> None:
    """Find the first differing frame, field, line and operation of two runs, and the cause.

    Experiments find the cause: the hazard that gives side b's bits, what else explains them, and
    which other operations it could affect. Exit status: 0 no difference, 1 a difference, or side
    a diverges from the hashes or keyframes of REPLAY, 2 bad usage or input.
    """
    from samebits.cli.diagnose import DiagnoseOptions, run

    given = tuple(what or ())
    options = DiagnoseOptions(
        given, a, b, frames, players, seed, json, html, list_sides, budget, edits, seconds,
        tuple(state) if state else None, foreign,
    )  # fmt: skip
    finish(lambda: run(options))


_replay = typer.Typer(
    help="Convert replays for use outside Python.", epilog=examples("replay"), no_args_is_help=True
)
application.add_typer(_replay, name="replay")


@_replay.command(epilog=examples("replay export"))
def export(
    replay: Annotated[str, typer.Argument(metavar="REPLAY", help="a replay written by samebits")],
    out: Annotated[str, typer.Option(metavar="FILE", help="The file to write.")],
    frames: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_FRAMES, metavar="N", help="Only the first N frames; by default all."
        ),
    ] = None,
    protobuf: Annotated[
        bool,
        typer.Option(
            "--protobuf", help="States, inputs and hashes as an MCAP file for Foxglove and Rerun."
        ),
    ] = False,
    sim: Annotated[
        str | None,
        typer.Option(metavar="SIM", help="The simulation of REPLAY, for --protobuf."),
    ] = None,
    scene: Annotated[
        bool,
        typer.Option("--scene/--no-scene", help="With --protobuf, SIM's scene."),
    ] = True,
) -> None:
    """Write a replay's inputs as the flat file that a standalone verifier reads, or its states for
    viewers.

    Of a damaged REPLAY, the frames before the damage are written. Exit status: 0 written, 1 with
    --protobuf, states whose hashes are not those recorded, 2 bad usage or input, including a
    damaged REPLAY.
    """
    from samebits.cli.replay import export, export_messages

    if protobuf or sim is not None:
        finish(lambda: export_messages(sim, replay, out, frames, scene))
    else:
        finish(lambda: export(replay, out, frames))


# Last, so that `--help` lists them below the commands of a simulation.
application.add_typer(play.commands)
application.add_typer(ci.commands)
application.add_typer(collector.commands)
application.add_typer(farm.commands, name="farm")
application.add_typer(net.commands, name="net")
application.add_typer(lua.commands, name="lua")
application.add_typer(foreign.commands)
