"""The command line: one thin command per verb, errors as text, exit statuses with a meaning.

Commands import `exit_status`, never this module, which runs them.
"""

from __future__ import annotations

import atexit
import errno
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress

import samebits_command
from samebits.cli.exit_status import BAD, SAME, TRACEBACK
from samebits.cli.terminal import escaping

_FULL = frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EBADF})
"""Errors of a full disk and of a closed output."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    try:
        _keep_streams()
        code = status(sys.argv[1:] if arguments is None else arguments)
    except BaseException:  # there is nowhere to say why; Python itself would exit with 1
        try:
            sys.stdout.flush()
        except BaseException:
            with suppress(BaseException):
                _forget_output()
        code = BAD
    # Registered last, so it runs first: results are kept and folders removed, whatever is pressed
    # meanwhile.
    atexit.register(samebits_command.keep)
    sys.exit(code)


@escaping()
def status(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit status."""
    from samebits.errors import SamebitsError

    given, traceback = _without_traceback(arguments)
    for argument in arguments:
        if not _is_text(argument):
            print(f"{argument!r} cannot be encoded as text on this system", file=sys.stderr)
            return BAD
        if "\n" in argument:  # printed, it could pass for lines of ours
            print(f"{argument!r} has a line break: rename the file", file=sys.stderr)
            return BAD
    empty = _empty(given)
    if empty is not None:
        print(f"{empty} is empty\n  fix: give it a value, or leave it out", file=sys.stderr)
        return BAD
    try:
        if given == ["--version"]:
            from samebits.version import __version__

            print(f"samebits {__version__}")
            sys.stdout.flush()
            return SAME
        from samebits.cli.commands import app

        samebits_command.end()
        code = app(given)
        if code == samebits_command.INTERRUPTED != samebits_command.interrupted()[1]:
            return _interrupted()  # Typer has ended the command, and takes all for Ctrl-C
        sys.stdout.flush()
        return code
    except SamebitsError as error:
        print(error, file=sys.stderr)
        return BAD
    except KeyboardInterrupt:
        return _interrupted()
    except BrokenPipeError:  # the reader of the output is gone
        _forget_output()
        return BAD
    except BaseException as error:  # a script may have asked for any status
        if _follows_interrupt(error):
            return _interrupted()
        if isinstance(error, OSError) and error.filename is not None:
            # A name that is too long, or below a file, fails wherever it is used first.
            print(f"cannot use {error.filename}: {error.strerror}", file=sys.stderr)
            return BAD
        if isinstance(error, OSError) and error.errno in _FULL:
            print(f"cannot write: {error.strerror}", file=sys.stderr)
            _forget_output()
            return BAD
        _tell(error, traceback)
        return BAD


def _interrupted() -> int:
    word, code = samebits_command.interrupted()
    print(word, file=sys.stderr)
    return code


def _follows_interrupt(error: BaseException) -> bool:
    """Whether `error` was raised while Ctrl-C unwound: within `threading.Condition.wait`, CPython
    then releases a lock that it has released before, and RuntimeError hides the interrupt."""
    before = error.__context__
    while before is not None and not isinstance(before, KeyboardInterrupt):
        before = before.__context__
    return before is not None


def _tell(error: BaseException, whole: bool) -> None:
    """Print an unexpected error and what to report; with `whole`, the traceback before it."""
    from samebits.errors import unexpected
    from samebits.version import __version__

    fix = "report these lines with the command"
    if whole:
        import traceback

        traceback.print_exception(error, file=sys.stderr)
    else:
        fix += f"; {TRACEBACK} shows the traceback"
    print(
        f"unexpected error in samebits {__version__}: {unexpected(error)}\n"
        "  note: no result: the bits may be the same or differ\n"
        f"  fix: {fix}",
        file=sys.stderr,
    )


def _keep_streams() -> None:
    """Open the null device for each missing standard stream, so that no file gets its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)  # the lowest number that is free


def _forget_output() -> None:
    """Drop pending output: flushing it at exit would fail again."""
    with suppress(io.UnsupportedOperation):  # there is nothing to flush
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_text(argument: str) -> bool:
    """Whether the argument can be encoded as a file name."""
    try:
        return "\0" not in argument and bool(os.fsencode(argument) or not argument)
    except UnicodeEncodeError:
        return False


def _empty(arguments: Sequence[str]) -> str | None:
    """The first argument that is empty, as in `--out ""` or `--out=`: an unset shell variable."""
    before = "samebits"
    for argument in arguments:
        if argument == "--":  # what follows is another program's
            return None
        option, has_value, value = argument.partition("=")
        if not argument or (has_value and not value and option.startswith("-")):
            name = option or before
            return name if name.startswith("-") else f"the argument after {name}"
        before = argument
    return None


def _without_traceback(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """The arguments without `--traceback`, and whether it was among them."""
    given = list(arguments)
    end = given.index("--") if "--" in given else len(given)
    kept = [argument for argument in given[:end] if argument != TRACEBACK]
    return kept + given[end:], len(kept) < end
