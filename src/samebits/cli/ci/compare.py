"""`samebits compare`: bits files of several machines, and one answer with an exit status."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from rich.text import Text

from samebits.ci import across, summary
from samebits.ci.agreement import Agreement, join
from samebits.ci.bits_file import BitsError, read_bits
from samebits.ci.corpus import corpus
from samebits.cli.consoles import console
from samebits.cli.exit_status import BAD, DIFFERS, SAME
from samebits.cli.named import named_simulation
from samebits.cli.printing import columns_table
from samebits.output import os_reason, remedy, write_file

_STYLES = {"same": "green", "differs": "bold red", "failed": "bold red"}
_SUFFIX = ".bits"


@dataclass(frozen=True)
class CompareOptions:
    """The command's options as they were typed."""

    files: tuple[str, ...]
    expect: tuple[str, ...]
    diagnose: tuple[str, ...]
    replays: tuple[str, ...]
    reports: str | None
    summary: str | None
    json: bool


def run(options: CompareOptions) -> int:
    """Compare and report; return the exit status."""
    source = _source(options)
    found = join([read_bits(path) for path in _files(options.files)], options.expect)
    diagnoses = [] if source is None else list(across.diagnoses(found, source))
    if options.json:
        told = [{"run": title, "text": text} for title, text in diagnoses]
        print(json.dumps({**summary.as_json(found), "diagnoses": told}, indent=2))
    else:
        _print(found, diagnoses)
    if options.summary is not None:
        _append(options.summary, summary.markdown(found, diagnoses))
    return {"same": SAME, "differs": DIFFERS}.get(found.result, BAD)


def _files(paths: Sequence[str]) -> list[str]:
    """The files as they are named, of a folder those below it whose names end in .bits."""
    found: list[str] = []
    for path in paths:
        if not os.path.isdir(path):
            found.append(path)
            continue
        inside = sorted(str(each) for each in Path(path).rglob(f"*{_SUFFIX}"))
        if not inside:
            raise BitsError(
                f"{path} has no bits file",
                note=f"their names end in {_SUFFIX}",
                fix=f"samebits verify SIM --bits {quote(str(Path(path) / 'here.bits'))}",
            )
        found += inside
    return list(dict.fromkeys(found))


def _source(options: CompareOptions) -> across.Source | None:
    if not options.diagnose:
        for name in ("replays", "reports"):
            if getattr(options, name):
                raise BitsError(
                    f"--{name} is for --diagnose, which is not given", fix="add --diagnose SIM"
                )
        return None
    named = {named_simulation(words).name: words for words in options.diagnose}
    replays = [
        replay for name in named for replay in corpus(name, options.replays).replays
    ]  # fmt: skip
    if options.reports is not None and not Path(options.reports).is_dir():
        raise BitsError(f"{options.reports} is not a folder", fix="name the folder of reports")
    reports = None if options.reports is None else Path(options.reports)
    return across.Source(named, list(dict.fromkeys(replays)), reports)


def _print(found: Agreement, diagnoses: Sequence[tuple[str, str]]) -> None:
    out = console()
    out.print(Text(summary.headline(found), "bold"), soft_wrap=True)
    table = columns_table("simulation", "run", "frames", "final hash", "machines", "result")
    for each in found.joined:
        table.add_row(
            each.simulation, each.name, summary.frames(each), each.final,
            summary.who(each.members), Text(each.result, _STYLES.get(each.result, "bold yellow")),
        )  # fmt: skip
    if found.joined:
        out.print()
        out.print(table)
    told = list(summary.differences(found))
    for _, lines in told[: summary.MOST_TOLD]:
        out.print()
        for line in lines:
            out.print(line, soft_wrap=True, markup=False)
    if len(told) > summary.MOST_TOLD:
        out.print(f"\n{len(told) - summary.MOST_TOLD:,} more runs differ: --json lists them")
    for title, text in diagnoses:
        out.print()
        out.print(Text(title, "bold"), soft_wrap=True)
        out.print(text.rstrip(), soft_wrap=True, markup=False)
    for problem in found.problems:
        sys.stderr.write(f"not proven: {problem}\n")


_SUMMARIES = ("", ".md", ".markdown", ".txt")
"""How names of files end that a summary may be added to."""


def _append(path: str, text: str) -> None:
    """Append to a summary that others write to as well, as $GITHUB_STEP_SUMMARY is; a new file is
    made."""
    if Path(path).is_file() and Path(path).suffix.lower() not in _SUMMARIES:
        raise BitsError(
            f"--summary {path} exists and does not look like Markdown, to which it would be added",
            fix="give a name that ends in .md",
        )
    try:
        before = Path(path).read_text(encoding="utf-8") if Path(path).is_file() else ""
        write_file(path, f"{before}\n{text}" if before.strip() else text)
    except (OSError, UnicodeDecodeError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise BitsError(f"{path} is not text", fix="give another --summary") from None
        raise BitsError(f"cannot write {path}: {os_reason(error)}", fix=remedy(error)) from None
