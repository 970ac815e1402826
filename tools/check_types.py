"""`python -m tools.check_types`: pyright, strict, and mypy, strict, over what users copy.

That is README's and the documentation's Python blocks, a module for each page and one for each
block that is saved as a file, and the examples.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tools.doc_blocks import BLOCK, PAGES, ROOT, SAVED, numbered

FOLDER = ROOT / "build" / "check_types"
EXAMPLES = ROOT / "examples"
IGNORED = re.compile(r"#\s*(?:type|pyright|mypy):")
"""A comment that silences a checker: users would copy it."""
ERROR = re.compile(r"^\s*(\S+?\.pyi?):(\d+)(?::\d+)?(?: -|:) error\b", re.MULTILINE)
"""A line of either checker that is an error: its file and line."""


def modules(page: Path) -> dict[str, str]:
    """The modules that a page's Python blocks are, by file name, at the page's own lines."""
    name = "_".join(page.relative_to(ROOT).with_suffix("").parts).replace("-", "_")
    found: dict[str, str] = {}
    for match in BLOCK.finditer(page.read_text("utf-8")):
        if match[1] != "python":
            continue
        source = numbered(match)
        if saved := SAVED.match(match[2]):
            own = saved[1] if saved[1] not in found else f"{name}_{saved[1]}"  # a second version
            found[own] = source
        else:
            before = found.get(f"{name}.py", "")
            found[f"{name}.py"] = before + source.split("\n", before.count("\n"))[-1]
    return found


def write_modules(folder: Path) -> dict[str, Path]:
    """Write the modules of every page; the page of each, by file name."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.py"):
        old.unlink()
    pages: dict[str, Path] = {}
    for page in PAGES:
        for name, text in modules(page).items():
            assert name not in pages, f"{page} and {pages[name]} both save {name}"
            pages[name] = page
            (folder / name).write_text(text, "utf-8")
    return pages


def pyright(folder: Path, files: list[Path], imports: list[Path]) -> str:
    """What pyright says of some files, strict; they may import from `imports`."""
    options = {
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
        "include": [os.path.relpath(file, folder) for file in files],
        "exclude": [],
        "extraPaths": [str(ROOT / "src"), *map(str, imports)],
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(options), "utf-8")
    config = ["-p", str(folder / "pyrightconfig.json"), "--pythonpath", sys.executable]
    return _said([sys.executable, "-m", "pyright", *config])


def mypy(folder: Path, files: list[Path], imports: list[Path]) -> str:
    """What mypy says of some files, strict; they may import from `imports`."""
    given = ["--strict", "--python-version=3.11", "--no-error-summary", "--follow-imports=silent"]
    config = folder / "mypy.ini"
    config.write_text("[mypy]\n", "utf-8")
    cache = [f"--cache-dir={folder / '.mypy_cache'}", f"--config-file={config}"]
    search = os.pathsep.join(map(str, [ROOT / "src", *imports]))
    command = [sys.executable, "-m", "mypy", *given, *cache, *map(str, files)]
    return _said(command, MYPYPATH=search)


def _said(command: list[str], **environment: str) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    if done.returncode not in (0, 1):
        raise SystemExit(done.stdout + done.stderr)
    return done.stdout + done.stderr


def errors(said: str) -> list[tuple[str, int]]:
    """The file and line of each error in what a checker said."""
    return [(match[1], int(match[2])) for match in ERROR.finditer(said)]


def main() -> int:
    """The exit status: 1 where there is an error."""
    pages = write_modules(FOLDER)
    folders = sorted({path.parent for path in EXAMPLES.glob("*/*.py")})
    files = [*sorted(FOLDER.glob("*.py")), *sorted(EXAMPLES.glob("*/*.py"))]
    status = 0
    for file in files:
        if IGNORED.search(file.read_text("utf-8")):
            print(f"{pages.get(file.name, file)} silences a type checker")
            status = 1
    for checker in (pyright, mypy):
        said = checker(FOLDER, files, [FOLDER, *folders])
        count = len(errors(said))
        for name, page in pages.items():
            said = said.replace(f"{FOLDER / name}:", f"{page}:")
            said = said.replace(f"{(FOLDER / name).relative_to(ROOT)}:", f"{page}:")
        if count:
            print(said)
        print(f"{checker.__name__}: {count} errors in {len(files)} files")
        status |= count > 0
    return status


if __name__ == "__main__":
    sys.exit(main())
