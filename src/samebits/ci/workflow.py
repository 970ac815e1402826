"""The workflow files of a project's CI, made from what its `pyproject.toml` says.

Owns the runners and which of them a project has by default. The files are made anew by the same
command; `--check` compares, so that a file made by hand or by an older version is told.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, cast

from jinja2 import Environment, PackageLoader, StrictUndefined
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from samebits.ci.project import Named, Project
from samebits.errors import SamebitsError
from samebits.verify.executions import all_rows
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
    many_labels: bool = False
    """Whether several labels together may choose a runner."""


SERVICES = {
    "github": Service(
        "GitHub", PurePosixPath(".github/workflows/samebits.yml"), "github.yml.j2",
        ("ubuntu-24.04", "ubuntu-24.04-arm", "macos-15", "windows-2025", "windows-11-arm"),
        "ubuntu-24.04", True,
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
PYTHONS = ("3.13", "3.12", "3.11", "3.14")
"""Those that a workflow may use, the first that the project takes."""
INSTALL = "python -m pip install"
_FIRST = "# Made by"
_FILE_NAME = re.compile(r"[^A-Za-z0-9._+-]+")
"""Characters that a machine's label has none of: it is a part of files' names."""


@dataclass(frozen=True)
class Machine:
    """A job: what its machine is called in files, the labels that choose its runner, and the target
    that it emulates, if any."""

    label: str
    runner: tuple[str, ...]
    targets: str = ""


@dataclass(frozen=True)
class Played:
    """A simulation as commands take it, and the options of its run where there is no replay."""

    spec: str
    options: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """What a workflow runs."""

    simulations: tuple[Played, ...]
    corpus: tuple[str, ...]
    machines: tuple[Machine, ...]
    install: str
    python: str


def plan_of(project: Project, root: Path, service: Service) -> Plan:
    """The plan of a project at `root`. Raises WorkflowError where it names no simulation."""
    if not project.simulations:
        path = root / "pyproject.toml"
        raise WorkflowError(
            f"{path} names no simulation" if path.is_file() else f"there is no {path}",
            fix='write simulations = ["game.py"] under [tool.samebits] in it',
        )
    emulated = EMULATED if project.emulated is None else project.emulated
    own = installation(root, emulates=bool(emulated))
    install = own if project.install is None else project.install
    if not install.strip() or "\n" in install:
        raise WorkflowError(
            "install in [tool.samebits] is no command of one line",
            fix=f'write install = "{own}"',
        )
    runners = project.runners
    if runners is None:
        runners = tuple((name,) for name in service.runners)
    if not runners and not emulated:
        raise WorkflowError(
            "runners and emulated in [tool.samebits] leave no machine",
            fix="name one, or leave the keys out for those by default",
        )
    simulations = tuple(_played(named, root, project) for named in project.simulations)
    names = (*(s.spec for s in simulations), *(o for s in simulations for o in s.options),
             *project.corpus, *(label for runner in runners for label in runner))  # fmt: skip
    for each in names:
        if (
            not each.isprintable()
            or (each.startswith("-") and each not in _OPTIONS)
            or "${{" in each
        ):
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
    machines = (*_machines(runners, service), *_emulating(emulated, service))
    called = Counter(machine.label for machine in machines)
    for label, count in called.items():
        if count > 1:
            raise WorkflowError(
                f"runners and emulated in [tool.samebits] have {count} machines that would be "
                f"called {label}",
                fix="name each once",
            )
    return Plan(simulations, project.corpus, machines, install.strip(), python_of(root))


def _machines(runners: Iterable[tuple[str, ...]], service: Service) -> Iterable[Machine]:
    for runner in runners:
        for each in runner:
            if "," in each:
                raise WorkflowError(
                    f"{each!a:.80} of runners in [tool.samebits] is no label",
                    fix=f"write several labels as a list: {[w.strip() for w in each.split(',')]}",
                )
        if len(runner) > 1 and not service.many_labels:
            raise WorkflowError(
                f"{list(runner)} of runners in [tool.samebits]: a job of {service.name} that runs "
                "on several machines chooses each by one tag",
                fix="give the runner a tag of its own, and name that",
            )
        yield Machine(_FILE_NAME.sub("-", "-".join(runner)).strip("-") or "runner", runner)


def _emulating(targets: Iterable[str], service: Service) -> Iterable[Machine]:
    rows = all_rows()
    for target in targets:
        row = next((row for row in rows if target in (row.name, row.group)), None)
        if row is None or row.foreign:
            known = dict.fromkeys(row.group for row in rows if row.emulated and not row.foreign)
            raise WorkflowError(
                f"emulated in [tool.samebits] names {target!a:.60}, a target that no emulator runs",
                note=f"they are {', '.join(known)}",
                fix="choose among them, or among the rows that `samebits targets` lists",
            )
        yield Machine(f"emulated-{target}", (service.emulating,), target)


def python_of(root: Path) -> str:
    """The Python that a workflow of the project at `root` uses. Raises WorkflowError where the
    project takes none of those that samebits runs on."""
    about = _about(root)
    wanted = about.get("requires-python", "")
    try:
        takes = SpecifierSet(wanted if isinstance(wanted, str) else "?")
    except InvalidSpecifier:
        raise WorkflowError(
            f"requires-python {wanted!a:.60} of {root / 'pyproject.toml'} cannot be read",
            fix='write it as in ">=3.11"',
        ) from None
    # A version without its last part is the newest of its kind.
    found = next((python for python in PYTHONS if takes.contains(f"{python}.99")), None)
    if found is None:
        raise WorkflowError(
            f"requires-python {wanted!a:.60} of {root / 'pyproject.toml'} takes none of the "
            f"Pythons that samebits runs on: {', '.join(sorted(PYTHONS))}",
            fix='write it as in ">=3.11"',
        )
    return found


def _about(root: Path) -> dict[str, Any]:
    """`[project]` of a `pyproject.toml`."""
    about: Any = _whole(root).get("project")
    return cast("dict[str, Any]", about) if isinstance(about, dict) else {}


def _whole(root: Path) -> dict[str, Any]:
    path = root / "pyproject.toml"
    return tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}


def installation(root: Path, *, emulates: bool) -> str:
    """The command that installs what the project at `root` needs, where it names none: itself if it
    can be installed or has dependencies, and this samebits unless it is one of them, with what
    emulated targets are linked by where there are any."""
    table, given = _whole(root), _about(root).get("dependencies")
    needs = [str(each) for each in cast("list[Any]", given)] if isinstance(given, list) else []
    is_package = bool(needs) or "build-system" in table or (root / "setup.py").is_file()
    own = next(filter(None, map(_own, needs)), None)
    words = ["."] if is_package else []
    if own is None:
        words.append(
            f"samebits[targets]=={__version__}" if emulates else f"samebits=={__version__}"
        )
    elif emulates and "targets" not in own.extras:
        words.append("samebits[targets]")
    return f"{INSTALL} {' '.join(map(quoted, words))}"


def _own(requirement: str) -> Requirement | None:
    """A requirement of samebits; None of anything else."""
    try:
        found = Requirement(requirement)
    except InvalidRequirement:
        return None
    return found if canonicalize_name(found.name) == "samebits" else None


_OPTIONS = ("--players", "--seed", "--frames")
"""Options of `samebits verify` that the project's words set."""


def _played(named: Named, root: Path, project: Project) -> Played:
    """A simulation as commands take it, relative to the project, with slashes."""
    if not named.path.is_relative_to(root):
        raise WorkflowError(
            f"{named.path} of simulations in [tool.samebits] is not in the project",
            fix=f"name it relative to {root}, as every machine has it",
        )
    path = named.path.relative_to(root)
    spec = f"{path.as_posix()}:{named.name}" if named.name else path.as_posix()
    options: list[str] = []
    if not project.corpus:  # as its tests play it
        limits = [frames for frames in (named.frames, project.frames) if frames is not None]
        values = (named.players, named.seed, min(limits) if limits else None)
        for option, value in zip(_OPTIONS, values, strict=True):
            options += [] if value is None else [option, str(value)]
    return Played(spec, tuple(options))


def workflow(plan: Plan, service: Service) -> str:
    """The text of a workflow file."""
    environment = Environment(
        loader=PackageLoader("samebits.ci"), undefined=StrictUndefined, autoescape=False,
        variable_start_string="<<", variable_end_string=">>", trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters["quoted"] = quoted
    environment.filters["yaml"] = yaml_text
    environment.filters["runner"] = yaml_runner
    return environment.get_template(service.template).render(
        plan=plan, service=service, version=__version__, first=_FIRST,
        option=next(name for name, each in SERVICES.items() if each is service),
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


def yaml_runner(labels: tuple[str, ...]) -> str:
    """A runner's label, or its labels as a list, in YAML."""
    texts = [yaml_text(label) for label in labels]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
