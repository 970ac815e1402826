"""The workflow files of a project's CI, made from what its `pyproject.toml` says.

Owns the runners and which of them a project has by default. The files are made anew by the same
command; `--check` compares, so that a file made by hand or by an older version is told.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, cast

from jinja2 import Environment, PackageLoader, StrictUndefined

from samebits.ci.project import Named, Project
from samebits.errors import SamebitsError
from samebits.version import __version__


class WorkflowError(SamebitsError):
    """A workflow that cannot be made."""


@dataclass(frozen=True)
class Service:
    """A CI service: where its file is, the template, the runners by default, and whether it can
    run what others than Linux run."""

    name: str
    path: PurePosixPath
    template: str
    runners: tuple[str, ...]
    emulating: str
    """The runner of the emulated targets and of the comparison."""


SERVICES = {
    "github": Service(
        "GitHub", PurePosixPath(".github/workflows/samebits.yml"), "github.yml.j2",
        ("ubuntu-24.04", "ubuntu-24.04-arm", "macos-15", "windows-2025", "windows-11-arm"),
        "ubuntu-24.04",
    ),
    "gitlab": Service(
        "GitLab", PurePosixPath(".gitlab/samebits.yml"), "gitlab.yml.j2",
        ("saas-linux-small-amd64", "saas-linux-small-arm64"),
        "saas-linux-small-amd64",
    ),
}  # fmt: skip
"""By the names of the command's options. Not by default: GitHub's `macos-15-intel`, since LLVM's
package llvmlite 0.50 has no wheel for it; GitLab's macOS and Windows runners, which are for some of
its plans alone and have other shells."""
EMULATED = ("s390x-O3", "riscv64-O3")
"""The emulated targets by default: the other byte order, and a processor with NaNs of its own."""
PYTHON = "3.13"
INSTALL = "python -m pip install"
_OWN = re.compile(r"samebits(?![A-Za-z0-9._-])")
"""A requirement of samebits, extras or not."""
_FIRST = "# Made by"


@dataclass(frozen=True)
class Plan:
    """What a workflow runs."""

    simulations: tuple[str, ...]
    corpus: tuple[str, ...]
    runners: tuple[str, ...]
    emulated: tuple[str, ...]
    install: str


def plan_of(project: Project, root: Path, service: Service) -> Plan:
    """The plan of a project at `root`. Raises WorkflowError where it names no simulation."""
    if not project.simulations:
        path = root / "pyproject.toml"
        raise WorkflowError(
            f"{path} names no simulation" if path.is_file() else f"there is no {path}",
            fix='write simulations = ["game.py"] under [tool.samebits] in it',
        )
    install = installation(root) if project.install is None else project.install
    if not install.strip() or "\n" in install:
        raise WorkflowError(
            "install in [tool.samebits] is no command of one line",
            fix=f'write install = "{installation(root)}"',
        )
    names = (
        *(word for named in project.simulations for word in _words(named, root)),
        *project.corpus, *(project.runners or ()), *(project.emulated or ()),
    )  # fmt: skip
    for each in names:
        if not each.isprintable() or each.startswith("-") or "${{" in each:
            raise WorkflowError(
                f"{each!a:.80} in [tool.samebits] cannot stand in a workflow",
                fix="give it a plain name, without control characters and a leading hyphen",
            )
    for folder in project.corpus:
        if not (root / folder).exists():
            raise WorkflowError(
                f"there is no {folder}, which corpus in [tool.samebits] names",
                fix="name folders of replays, relative to the folder of pyproject.toml",
            )
    return Plan(
        tuple(_words(named, root)[0] for named in project.simulations),
        project.corpus,
        service.runners if project.runners is None else project.runners,
        EMULATED if project.emulated is None else project.emulated,
        install.strip(),
    )


def installation(root: Path) -> str:
    """The command that installs what the project at `root` needs, where it names none: itself if it
    can be installed or has dependencies, and this samebits unless it is one of them."""
    path = root / "pyproject.toml"
    table: dict[str, Any] = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
    about: Any = table.get("project")
    given: Any = cast("dict[str, Any]", about).get("dependencies") if type(about) is dict else None
    needs = [str(each) for each in cast("list[Any]", given)] if isinstance(given, list) else []
    is_package = bool(needs) or "build-system" in table or (root / "setup.py").is_file()
    has_own = any(_OWN.match(each.strip()) for each in needs)
    words = (*((".",) if is_package else ()), *(() if has_own else (f"samebits=={__version__}",)))
    return f"{INSTALL} {' '.join(words)}"


def _words(named: Named, root: Path) -> tuple[str, ...]:
    """A simulation as commands take it, relative to the project, with slashes."""
    path = named.path.relative_to(root).as_posix()
    return (f"{path}:{named.name}" if named.name else path,)


def workflow(plan: Plan, service: Service) -> str:
    """The text of a workflow file."""
    environment = Environment(
        loader=PackageLoader("samebits.ci"), undefined=StrictUndefined, autoescape=False,
        variable_start_string="<<", variable_end_string=">>", trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters["quoted"] = quoted
    environment.filters["yaml"] = yaml_text
    return environment.get_template(service.template).render(
        plan=plan, service=service, version=__version__, python=PYTHON, first=_FIRST,
        option=next(name for name, each in SERVICES.items() if each is service),
        labels=(*plan.runners, *(f"emulated-{name}" for name in plan.emulated)),
    )  # fmt: skip


def is_ours(text: str) -> bool:
    """Whether a file begins as those made here do."""
    return text.startswith(_FIRST)


def quoted(text: str) -> str:
    """A word for a POSIX shell."""
    return shlex.quote(text)


def yaml_text(text: str) -> str:
    """A text as YAML's single-quoted scalar, which knows no escapes but of its own quote."""
    return "'" + text.replace("'", "''") + "'"
