"""A git repository: its commits between two, and worktrees that are removed whatever happens.

Owns every call of git. No hook of the repository runs, and its working tree is not touched.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from samebits.farm.errors import FarmError

_SECONDS = 600
_DISTANCE = re.compile(r"([0-9a-f]{40,64}) \(.*dist=([0-9]+).*\)")


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its id, its subject, and its parents' ids."""

    id: str
    subject: str
    parents: tuple[str, ...]

    @property
    def short(self) -> str:
        return self.id[:10]


@dataclass(frozen=True)
class Repository:
    """The repository that a folder is in, by its top folder."""

    top: Path

    @classmethod
    def of(cls, path: Path) -> Repository:
        """That of a file. Raises FarmError."""
        folder = path if path.is_dir() else path.parent
        said = _git(folder, "rev-parse", "--show-toplevel")
        if said is None:
            raise FarmError(f"{path} is in no git repository", fix="name a simulation in one")
        return cls(Path(os.path.realpath(said.strip())))

    def commit(self, revision: str) -> str:
        """The id of the commit that a revision names. Raises FarmError."""
        said = _git(self.top, "rev-parse", "--verify", "--quiet", "--end-of-options",
                    f"{revision}^{{commit}}")  # fmt: skip
        if said is None:
            raise FarmError(
                f"{revision!a:.80} names no commit", fix="give a tag, a branch or a commit's id"
            )
        return said.strip()

    def about(self, commit: str) -> Commit:
        """What is to be said of a commit."""
        said = _git(self.top, "show", "--no-patch", "--format=%H%x00%P%x00%s", commit) or ""
        id, parents, subject = (*said.rstrip("\n").split("\0"), "", "")[:3]
        return Commit(id or commit, subject, tuple(parents.split()))

    def check_ancestor(self, old: str, new: str) -> None:
        """Raise FarmError unless `new` came from `old`."""
        if old == new:
            raise FarmError("--old and --new are one commit", fix="name two")
        if _git(self.top, "merge-base", "--is-ancestor", old, new) is None:
            base = (_git(self.top, "merge-base", old, new) or "").strip()
            raise FarmError(
                f"{old[:10]} is no ancestor of {new[:10]}: no line of commits joins them",
                fix=f"--old {base[:10]} is where both come from" if base else "name another --old",
            )

    def between(self, bad: str, goods: Iterable[str]) -> list[str]:
        """The commits that `bad` has and none of `goods` has, `bad` among them: first the one that
        halves them best, as git bisect takes it, but of those that halve them alike the latest,
        where git goes by their hashes."""
        range_ = bad, *(f"^{good}" for good in goods)
        said = _git(self.top, "rev-list", "--bisect-all", *range_)
        latest = (_git(self.top, "rev-list", "--topo-order", *range_) or "").split()
        places = {commit: place for place, commit in enumerate(latest)}
        distances = {commit: int(many) for commit, many in _DISTANCE.findall(said or "")}
        return sorted(distances, key=lambda commit: (-distances[commit], places[commit]))

    @property
    def is_dirty(self) -> bool:
        """Whether the working tree has changes of files that git knows."""
        said = _git(self.top, "status", "--porcelain", "--untracked-files=no")
        return bool(said and said.strip())

    @contextmanager
    def worktree(self, commit: str) -> Generator[Path]:
        """A folder with the files of a commit, while the block runs. Raises FarmError."""
        with tempfile.TemporaryDirectory(prefix="samebits-bisect-") as folder:
            tree = Path(folder) / commit[:10]
            try:
                added = _git(
                    self.top, "worktree", "add", "--quiet", "--detach", str(tree), commit
                )  # fmt: skip
                if added is None:
                    raise FarmError(
                        f"git cannot make a worktree of {commit[:10]}",
                        fix="`git worktree add` says why; `git worktree prune` may help",
                    )
                yield tree
            finally:
                _git(self.top, "worktree", "remove", "--force", "--force", str(tree))
                _git(self.top, "worktree", "prune")


def _git(folder: Path, *words: str) -> str | None:
    """What git prints; None where it fails. Raises FarmError without git."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("GIT_")
    }  # fmt: skip
    environment |= {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", "-c", f"core.hooksPath={os.devnull}", "-C", str(folder), *words],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8",
            errors="replace", timeout=_SECONDS, env=environment, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        raise FarmError("there is no git here", fix="install git") from None
    except subprocess.TimeoutExpired:
        raise FarmError(f"git {words[0]} took more than {_SECONDS:,} s") from None
    return done.stdout if done.returncode == 0 else None
