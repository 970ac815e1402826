"""`samebits audit`: what in binaries can change bits, as tables, JSON, SARIF or a page."""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from samebits.audit.against import differences
from samebits.audit.allow import Allowed, read_allowed
from samebits.audit.flags.safe import safe_flags
from samebits.audit.model import AuditedBinary
from samebits.audit.paths import binaries_of
from samebits.audit.process import audited_files, audited_sources
from samebits.audit.report.data import JSON_FORMAT, as_json, as_sarif, result
from samebits.audit.report.page import page
from samebits.audit.report.text import heading, reasons, rows, summary
from samebits.audit.rules.rule import RULES
from samebits.audit.sources.files import sources_of
from samebits.audit.verdicts import JudgedBinary, judged
from samebits.cli.consoles import console
from samebits.cli.exit_status import BAD, DIFFERS, SAME
from samebits.cli.pages import check_page, write_page
from samebits.cli.printing import columns_table
from samebits.cli.terminal import underlying
from samebits.errors import ArgumentError
from samebits.visible import visible

_LIBRARIES = {"lief": "lief", "capstone": "capstone", "iced_x86": "iced-x86",
              "elftools": "pyelftools", "clang": "libclang"}  # fmt: skip
"""What `samebits[foreign]` brings, by the modules' names."""
_BINARIES = ("lief", "capstone", "iced_x86", "elftools")
_SHOW_AFTER = 0.5
"""Seconds until progress shows on a terminal."""
_STATUS = {"clean": SAME, "findings": DIFFERS, "not read": BAD}


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """What the command was asked for."""

    paths: Sequence[str]
    allow: str | None
    strict: bool
    all: bool
    form: str
    list_rules: bool
    against: str | None = None
    safe_flags: str | None = None
    build_system: str = "cmake"
    sources: bool = False
    html: str | None = None


def run(options: AuditOptions) -> int:
    """Audit and print; return 0 for clean, 1 for findings, 2 if a file could not be read."""
    if options.list_rules:
        for rule in RULES:
            print(f"{rule.code} {rule.name} ({rule.level.value})")
            print(f"  why: {rule.why}\n  instead: {rule.instead}")
        return SAME
    if options.safe_flags is not None:
        print(safe_flags(options.safe_flags, options.build_system), end="")
        return SAME
    if not options.paths:
        raise ArgumentError(
            "no file or folder is given", fix="write `samebits audit build`, or --list-rules"
        )
    if options.html is not None:
        check_page(options.html)
    _check_libraries(("clang",) if options.sources else _BINARIES)
    allowed = Allowed() if options.allow is None else read_allowed(options.allow)
    if options.sources:
        return _shown(options, allowed, *_of_sources(options.paths))
    files = binaries_of(options.paths)
    if not files:
        raise ArgumentError(
            f"there is no binary in {', '.join(options.paths)}",
            fix="name the build's folder: ELF, PE, COFF, Mach-O and WebAssembly files are read",
        )
    if options.against is not None:
        return _compared(options, files)
    return _shown(options, allowed, audited_files(files), len(files))


def _of_sources(paths: Sequence[str]) -> tuple[Iterator[AuditedBinary], int]:
    sources = sources_of(paths)
    if not sources:
        raise ArgumentError(
            f"there is no C or C++ file in {', '.join(paths)}", fix="name files or their folder"
        )
    return audited_sources(sources), len(sources)


def _shown(
    options: AuditOptions, allowed: Allowed, found: Iterator[AuditedBinary], files: int
) -> int:
    """Judge and print what comes; return the status."""
    every = list(judged(_with_progress(found, files), allowed, options.strict))
    if options.html is not None:
        write_page(options.html, page(every))
    if options.form == "json":
        print(json.dumps(as_json(every, RULES), indent=1))
    elif options.form == "sarif":
        print(json.dumps(as_sarif(every, RULES), indent=1))
    else:
        _print(every, allowed, options.all)
    return _STATUS[result(every)]


def _compared(options: AuditOptions, files: Sequence[str]) -> int:
    """Print what two builds have not alike; return 1 if there is something."""
    assert options.against is not None
    if len(options.paths) != 1:
        raise ArgumentError("--against compares one PATH with another", fix="name one")
    others = binaries_of([options.against])
    ours, theirs = list(audited_files(files)), list(audited_files(others))
    unread = [each for each in (*ours, *theirs) if each.error is not None]
    found = list(differences(ours, theirs, options.paths[0], options.against))
    if options.form == "json":
        rows = [
            {"path": d.path, "code": d.finding.code, "function": d.finding.function,
             "message": d.finding.message, "here": d.ours, "there": d.theirs}
            for d in found
        ]  # fmt: skip
        errors = [{"path": each.path, "error": each.error} for each in unread]
        print(
            json.dumps({"format": JSON_FORMAT, "differences": rows, "not_read": errors}, indent=1)
        )
    else:
        for each in unread:
            print(f"{each.path}: not read: {each.error}")
        for difference in found:
            print(visible(str(difference)))
        print(f"{len(found) or 'no'} difference{'s' * (len(found) != 1)} in findings")
    if unread:
        return BAD
    return DIFFERS if found else SAME


def _check_libraries(modules: Sequence[str]) -> None:
    missing = [_LIBRARIES[name] for name in modules if not importlib.util.find_spec(name)]
    if missing:
        raise ArgumentError(
            f"this is read by libraries that are not installed: {', '.join(missing)}",
            fix="pip install 'samebits[foreign]'",
        )


def _with_progress(found: Iterator[AuditedBinary], files: int) -> Iterator[AuditedBinary]:
    """The binaries as they come, with a line of progress on a terminal."""
    started, shows = time.monotonic(), sys.stderr.isatty()
    for number, binary in enumerate(found, 1):
        yield binary
        if shows and time.monotonic() - started > _SHOW_AFTER:
            text = f"\r{number:,} binaries, of {files:,} files\x1b[K"
            print(text, end="", file=underlying(sys.stderr), flush=True)
    if shows:
        print("\r\x1b[K", end="", file=underlying(sys.stderr))


def _print(every: Sequence[JudgedBinary], allowed: Allowed, whole: bool) -> None:
    out = console()
    for each in every:
        style = "bold red" if each.failing or each.binary.error is not None else "bold"
        out.print(Text(heading(each), style), soft_wrap=True)
        if each.findings:
            table = columns_table("rule", "function", "n", "where", "what")
            for row in rows(each, whole):
                table.add_row(
                    Text(row.rule, "red" if row.fails else "dim"), row.function, row.count,
                    row.where, row.what,
                )  # fmt: skip
            out.print(table)
        for note in each.binary.notes:
            out.print(f"note: {note}", soft_wrap=True)
    for line in reasons(every):
        out.print(line, soft_wrap=True)
    for row in allowed.unused():
        out.print(f"note: nothing is allowed by rule {row.code}, function {row.function}, "
                  f"binary {row.binary}: take it out", soft_wrap=True)  # fmt: skip
    out.print(summary(every), soft_wrap=True)
