"""One shell, in which the commands of the page are typed one after another."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
_BEFORE = "failed=0; trap 'failed=1' ERR"
_AFTER = "ended=$?; trap - ERR; if [ $ended = 0 ]; then ended=$failed; fi"
_END = "--- the command has ended, with"


class Shell:
    """A bash in a folder, with the Python and the samebits of this process. `close` ends it, and
    what was left running in it."""

    def __init__(self, folder: Path) -> None:
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")]),
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
            "COLUMNS": "120", "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip
        for who in ("AUTHOR", "COMMITTER"):
            environment |= {f"GIT_{who}_NAME": "team", f"GIT_{who}_EMAIL": "team@localhost"}
        self._bash = subprocess.Popen(
            ["bash", "--noprofile", "--norc"], cwd=folder, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def run(self, typed: str) -> tuple[str, int]:
        """What a command prints on both streams, and what it ends with: 1 where any line of it
        fails and the last one does not."""
        bash = self._bash
        assert bash.stdin is not None
        assert bash.stdout is not None
        bash.stdin.write(f"{_BEFORE}\n{typed}\n{_AFTER}; echo; echo '{_END}' $ended\n")
        bash.stdin.flush()
        said: list[str] = []
        for line in bash.stdout:
            if line.startswith(_END):
                return "".join(said).rstrip("\n"), int(line.removeprefix(_END))
            said.append(line)
        raise RuntimeError(f"the shell ended at: {typed}\n{''.join(said)}")

    def close(self) -> None:
        """End what runs in the background, and the shell."""
        self.run("kill $(jobs -p) 2>/dev/null; wait")
        self._bash.communicate()
