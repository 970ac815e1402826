"""The commands and their options: what they do is in the layers below, how it reads in printing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

import typer

from samebits.cli.examples import examples
from samebits.cli.exit_status import BAD, INTERRUPTED, MOST_FRAMES, SAME, TRACEBACK
from samebits.cli.terminal import colours

_application = typer.Typer(
    name="samebits",
    help="The same bits on every machine.",
    epilog=examples(""),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Sim = Annotated[
    str, typer.Argument(metavar="SIM", help="path.py, path.py:Name or package.module:Name")
]


def app(arguments: list[str]) -> int:
    """Parse and run; the exit status. Usage errors are printed here."""
    try:
        with colours():
            _application(args=arguments, prog_name="samebits")
    except _Parsed as parsed:
        command = parsed.command
    except SystemExit as stop:
        # Typer's own: help, usage, an interrupt. Its 1 is none of a command's that has compared.
        return stop.code if stop.code in (SAME, INTERRUPTED) else BAD
    else:
        return SAME
    return command()


class _Parsed(BaseException):
    """What the arguments ask for. It runs outside of Typer, which would make interrupts, closed
    pipes and a script's `sys.exit` statuses of its own; and it is no Exception, which Typer takes
    for an error."""

    def __init__(self, command: Callable[[], int]) -> None:
        super().__init__()
        self.command = command


def _finish(command: Callable[[], int]) -> None:
    """End the parsing: what is to be done is known."""
    raise _Parsed(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        from samebits.version import __version__

        typer.echo(f"samebits {__version__}")
        raise typer.Exit


@_application.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version"),
    ] = False,
    traceback: Annotated[
        bool,
        typer.Option(TRACEBACK, help="Show where an error that nobody expected comes from."),
    ] = False,
) -> None:
    """The same bits on every machine."""


@_application.command(
    epilog=examples("verify"),
)
def verify(
    sim: Sim,
    replays: Annotated[
        list[str] | None, typer.Argument(metavar="[REPLAY]...", help="replays of SIM")
    ] = None,
    targets: Annotated[
        str | None,
        typer.Option(
            "--targets",
            "--target",
            metavar="A,B",
            help="Only these targets, as `samebits targets` lists them.",
        ),
    ] = None,
    frames: Annotated[
        str | None,
        typer.Option(
            metavar="N|all",
            help="The first N frames; or all of them, in slow and emulated targets too.",
        ),
    ] = None,
    players: Annotated[
        str | None, typer.Option(help="Without a REPLAY: a script of SIM, or random.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Without a REPLAY: the seed (1).")] = None,
    golden: Annotated[
        str | None, typer.Option(metavar="FILE", help="Compare with the hashes in FILE.")
    ] = None,
    update_golden: Annotated[
        bool, typer.Option("--update-golden", help="Write the golden file.")
    ] = False,
    timeout: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Stop a target that runs longer; it is not run then."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Run SIM in every execution that this machine has, and compare frame by frame.

    Without a REPLAY, a script plays 600 frames. Managed, evaluate and emulated targets stop at a
    stated prefix of a long run, unless `--frames all`. Exit status: 0 the same, 1 they differ or
    a target's program failed, 2 bad usage or input, or a target ran longer than `--timeout`.
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
    )
    _finish(lambda: run(options))


@_application.command(
    epilog=examples("record"),
)
def record(
    sim: Sim,
    out: Annotated[str, typer.Option(metavar="FILE", help="The replay to write.")],
    players: Annotated[
        str | None,
        typer.Option(help="A script of SIM, or random: all values of every input field."),
    ] = None,
    frames: Annotated[int, typer.Option(min=1, max=MOST_FRAMES, help="How many frames.")] = 3600,
    seed: Annotated[int, typer.Option(help="The seed of the run, and of the players.")] = 1,
    keyframes: Annotated[
        int, typer.Option(min=0, help="Frames from keyframe to keyframe; 0 for none.")
    ] = 600,
) -> None:
    """Run SIM with scripted or random players and write a replay.

    Exit status: 0 written, 1 cut short by a trap in a frame, 2 bad usage or input.
    """
    from samebits.cli.record import run

    _finish(lambda: run(sim, out, players, frames, seed, keyframes))


@_application.command(epilog=examples("targets"))
def targets(
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """List what can run here, and why the rest cannot."""
    from samebits.cli.printing import print_targets
    from samebits.verify.executions import all_rows

    print_targets(all_rows(), json)


@_application.command(
    epilog=examples("build"),
)
def build(
    sim: Sim,
    out: Annotated[str, typer.Option(metavar="DIR", help="The folder to write to.")],
    target: Annotated[
        list[str] | None,
        typer.Option(
            "--target",
            "--targets",
            metavar="T",
            help="Targets, with commas or repeated; without it, this machine's. x86-64: one "
            "library for all levels, which takes the best where it runs; x86-64-v1+v3: for some.",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="The prefix of all names; without it, the simulation's name.")
    ] = None,
) -> None:
    """Make SIM a C header, a static and a shared library, and a standalone verifier.

    For wasm32 and wasm32-simd: a WebAssembly module for Node and browsers. DIR gets a README that
    says how to use them. Exit status: 0 written, 2 bad usage or input, or a tool that failed.
    """
    from samebits.cli.build import run

    _finish(lambda: run(sim, target or [], out, name))


@_application.command(
    epilog=examples("doctor"),
)
def doctor(
    program: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PROGRAM.py]", help="A program to run; after --, its options."),
    ] = None,
    module: Annotated[
        str | None, typer.Option("-m", metavar="MODULE", help="Run a module instead of a file.")
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="Stop each run of it after this long.")
    ] = 60.0,
    peer: Annotated[
        str | None,
        typer.Option(
            metavar="FINGERPRINT", help="Compare with another machine's math fingerprint."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Examine what changes floating-point results here: every thread's registers, libm, NumPy.

    Given a program, run it in processes of its own and name the import, the library or the line
    that changed the registers. Its output is not shown. Exit status: 0 healthy, 1 a problem was
    found, 2 bad usage or input.
    """
    from samebits.cli.doctor import run

    given = [*(["-m", module] if module else []), *(program or [])]
    _finish(lambda: run(given, peer, timeout, json))


@_application.command(
    epilog=examples("inspect"),
)
def inspect(
    kernel: Annotated[
        str,
        typer.Argument(
            metavar="KERNEL",
            help="path.py:function, package.module:function, path.py:Struct.method, path.py:Job; "
            "of a file with one simulation, its step",
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option(metavar="T", help="Any target of `samebits targets`; else this machine's."),
    ] = None,
    show: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Only these of source, rewrites, remarks, ir, passes, llvm, asm."
        ),
    ] = None,
    opt: Annotated[int, typer.Option(metavar="0|3", help="The level of optimisation.")] = 3,
    types: Annotated[
        str | None,
        typer.Option(metavar="TYPES", help="The parameters' types, where the kernel is generic."),
    ] = None,
    all: Annotated[bool, typer.Option("--all", help="The library's own functions too.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a page that needs no other file.")
    ] = None,
    color: Annotated[
        bool | None,
        typer.Option("--color/--no-color", help="Colours; without it, on a terminal."),
    ] = None,
) -> None:
    """Show what becomes of KERNEL: typed IR, LLVM IR and assembly beside its source.

    Every line of code has its source line before it; SIMD is marked P, scalar floats S, calls C,
    and instructions that would break the same bits !. Exit status: 0 shown, 2 bad usage or input.
    """
    from samebits.cli.inspect import InspectOptions, run

    _finish(lambda: run(InspectOptions(kernel, target, show, opt, types, all, json, html, color)))


@_application.command(
    epilog=examples("lint"),
)
def lint(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH]...", help="Python files, or folders with some."),
    ] = None,
    select: Annotated[
        str | None,
        typer.Option(metavar="CODES", help="Only rules whose codes begin so, as SB1,SB202."),
    ] = None,
    ignore: Annotated[str | None, typer.Option(metavar="CODES", help="Not these rules.")] = None,
    format: Annotated[
        Literal["text", "json", "sarif"], typer.Option(help="How to print what was found.")
    ] = "text",
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    list_rules: Annotated[
        bool, typer.Option("--list-rules", help="Say what each rule is about, and end.")
    ] = False,
) -> None:
    """Find what makes ordinary Python code give other results elsewhere: set order, libm, clocks.

    Nothing is run. A line's comment `# noqa: SB101` keeps a rule silent there. Kernels are left
    to the compiler. Exit status: 0 no hazard, 1 some were found, 2 a file could not be checked,
    or bad usage.
    """
    from samebits.cli.lint import LintOptions, run

    options = LintOptions(
        tuple(paths or ()), select, ignore, "json" if json else format, list_rules
    )
    _finish(lambda: run(options))


@_application.command(
    epilog=examples("explain"),
)
def explain(
    expression: Annotated[
        str,
        typer.Argument(
            metavar="EXPR",
            help='As "a*b + c": + - * /, sqrt, fma, sin, …; one that begins with - in parentheses.',
        ),
    ],
    got: Annotated[
        str, typer.Option(metavar="BITS", help="The result observed, written the same way.")
    ],
    values: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME=VALUE...", help="Bits (0x3dcccccd), a hex float or a decimal each."
        ),
    ] = None,
    type: Annotated[
        Literal["float16", "float32", "float64"],
        typer.Option(help="The type of operands and result; float16 is computed in float32."),
    ] = "float32",
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Say which evaluation of EXPR gives the bits that some machine, engine or compiler gave.

    Fused, reassociated, in x87's precision, flushed, by estimates, with another libm: each is
    tried, and two together where none alone gives them. Exit status: 0 some evaluation gives the
    bits, 1 none does, 2 bad usage or input.
    """
    from samebits.cli.explain import ExplainOptions, run

    options = ExplainOptions(expression, tuple(values or ()), got, type, json)
    _finish(lambda: run(options))


@_application.command(
    epilog=examples("report"),
)
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
            help="The frames to tell in detail, STOP not among them, or just one; "
            "without it, the hashes of the whole run alone.",
        ),
    ] = None,
    trace: Annotated[
        int | None,
        typer.Option(min=0, metavar="FRAME", help="Also every operation of this frame."),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="The report to write."),
    ] = None,
    a: Annotated[
        str | None,
        typer.Option("--a", metavar="SIDE", help="How to run it; else natively, optimised."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
    show: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Print all that a report reveals, and end."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Write what this machine says about a stretch of a run, to be compared elsewhere.

    One file, small enough to mail, with nothing in it that identifies a person or a host:
    hashes, states, the program as typed IR, what can change bits on this machine. `samebits
    diagnose` compares it with another run, or with another machine's report. Exit status: 0
    written or shown, 1 written, and the run is not the one that REPLAY has hashes and keyframes
    of, 2 bad usage or input, or a damaged file.
    """
    from samebits.cli.desync import ReportOptions, run

    options = ReportOptions(sim, replay, frames, trace, out, a, force, show, json)
    _finish(lambda: run(options))


@_application.command(
    epilog=examples("diagnose"),
)
def diagnose(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SIM [REPLAY] [REPORT] | REPORT REPORT",
            help="a simulation, a replay of it, and what another machine reported; or two reports",
        ),
    ] = None,
    a: Annotated[
        str | None,
        typer.Option("--a", metavar="SIDE", help="One way to run it; else natively, optimised."),
    ] = None,
    b: Annotated[
        str | None,
        typer.Option(
            "--b",
            metavar="SIDE",
            help="The other: words with commas between, as x86-64-v2,opt=0 or mode=FAST or "
            "source=FILE or hazard=NAME@FILE:LINE,from=FRAME; --list-sides has them all.",
        ),
    ] = None,
    frames: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_FRAMES, metavar="N", help="Only the first N frames."),
    ] = None,
    players: Annotated[
        str | None, typer.Option(help="Without a REPLAY: a script of SIM, or random.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Without a REPLAY: the seed (1).")] = None,
    list_sides: Annotated[
        bool, typer.Option("--list-sides", help="Say what a SIDE may be, and end.")
    ] = False,
    budget: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Let the programs of reports take N times as much: for machines that you trust.",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a page that needs no other file.")
    ] = None,
) -> None:
    """Find the first differing frame, field, line and operation of two runs, and the cause.

    The cause is found by experiment: the hazard that gives the other side's bits is named, with
    what else explains them, and with the other operations that it would change. Exit status: 0
    they do not differ, 1 they do, or a is not the run that REPLAY has hashes and keyframes of,
    2 bad usage or input.
    """
    from samebits.cli.diagnose import DiagnoseOptions, run

    given = tuple(what or ())
    options = DiagnoseOptions(given, a, b, frames, players, seed, json, html, list_sides, budget)
    _finish(lambda: run(options))


_replay = typer.Typer(
    help="Replays for use outside Python.", epilog=examples("replay"), no_args_is_help=True
)
_application.add_typer(_replay, name="replay")


@_replay.command(epilog=examples("replay export"))
def export(
    replay: Annotated[str, typer.Argument(metavar="REPLAY", help="a replay that samebits wrote")],
    out: Annotated[str, typer.Option(metavar="FILE", help="The file of inputs to write.")],
    frames: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_FRAMES, metavar="N", help="The first N frames; without it, all."
        ),
    ] = None,
) -> None:
    """Write a replay's inputs as the flat file that a standalone verifier reads.

    Of a damaged REPLAY the frames before the damage are written. Exit status: 0 written, 2 bad
    usage or input, a damaged REPLAY too.
    """
    from samebits.cli.build import export

    _finish(lambda: export(replay, out, frames))
