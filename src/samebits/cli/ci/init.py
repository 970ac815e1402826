"""`samebits ci init`: writes a project's workflow, or says whether it is out of date."""

from __future__ import annotations

import difflib
import sys
from dataclasses import dataclass
from pathlib import Path

from samebits.ci.project import read_project
from samebits.ci.workflow import SERVICES, Service, WorkflowError, is_ours, plan_of, workflow
from samebits.cli.exit_status import BAD, DIFFERS, SAME
from samebits.output import os_reason, remedy, write_file


@dataclass(frozen=True)
class InitOptions:
    """The command's options as they were typed."""

    services: tuple[str, ...]
    folder: str
    check: bool
    force: bool


def init(options: InitOptions) -> int:
    """Write or check the workflows; return the exit status."""
    root = Path(options.folder)
    if not root.is_dir():
        raise WorkflowError(f"{root} is not a folder", fix="name the project's folder")
    if not options.services:
        raise WorkflowError(
            "no service is named", fix="write --github, --gitlab or both"
        )  # fmt: skip
    root = root.absolute()
    project = read_project(root)
    statuses = [
        _one(root, service, workflow(plan_of(project, root, service), service), options)
        for service in (SERVICES[name] for name in options.services)
    ]
    return max(statuses)


def _one(root: Path, service: Service, text: str, options: InitOptions) -> int:
    path = root / service.path
    before = _text(path)
    if options.check:
        return _checked(service, before, text)
    if before is not None and not is_ours(before) and not options.force:
        raise WorkflowError(
            f"{service.path} exists already and was not made by samebits",
            fix="rename it, or give --force to replace it",
        )
    if before is not None and before.replace("\r\n", "\n") == text:
        print(f"{service.path} unchanged")
        return SAME
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, text)
    except OSError as error:
        raise WorkflowError(f"cannot write {path}: {os_reason(error)}", fix=remedy(error)) from None
    lost = 0 if before is None else sum(line.startswith("-") for line in _changes(before, text)[2:])
    print(f"{service.path} written" + (f", {lost} of its lines replaced" if lost else ""))
    return SAME


def _checked(service: Service, before: str | None, text: str) -> int:
    if before is None:
        sys.stderr.write(f"there is no {service.path}\n")
        return BAD
    if before.replace("\r\n", "\n") == text:
        print(f"{service.path} is up to date")
        return SAME
    print("\n".join(_changes(before, text, str(service.path), "as it would be made now")))
    option = next(name for name, each in SERVICES.items() if each is service)
    force = "" if is_ours(before) else " --force"
    sys.stderr.write(
        f"{service.path} is out of date\n  fix: samebits ci init --{option}{force}, if it has no "
        "changes of your own\n"
    )
    return DIFFERS


def _changes(before: str, text: str, of: str = "", to: str = "") -> list[str]:
    """The lines of a unified diff."""
    return [*difflib.unified_diff(before.splitlines(), text.splitlines(), of, to, lineterm="")]


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise WorkflowError(f"cannot read {path}: {error}", fix="move it away") from None
