"""A package imports only from lower layers, no files import each other in a circle, and LLVM comes
in at one place."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "src" / "samebits"
LAYERS = {
    "source_lines": 0, "visible": 0, "mutex": 0, "output": 0, "importing": 0, "types": 0,
    "version": 0, "digits": 0, "decimals": 0,
    "errors": 1, "compiling": 1, "bits": 1, "pages": 1,
    "modes": 2, "printed": 2, "replay": 2, "value_text": 2,
    "ir": 3, "lang": 3,
    "containers": 4, "frontend": 4, "mathlib": 4, "passes": 4, "lint": 4,
    "managed": 5, "math": 5, "noise": 5, "random": 5, "scene": 5, "backend": 5,
    "runtime": 6, "fpmodel": 6,
    "fpenv": 7, "wiring": 7, "jobs": 7, "sim": 7, "doctor": 7,
    "verify": 8, "inspection": 8, "hazards": 8, "frame_trace": 8, "audit": 8, "gym": 8,
    "ensemble": 8, "view": 8,
    "sides": 9,
    "desync": 10, "minimise": 10,
    "net": 11, "foreign": 11,
    "export": 12,
    "diagnosis": 13, "play": 13, "ci": 13, "lua": 13,
    "collector": 14, "testing": 14, "farm": 14,
    "cli": 15,
    "__main__": 16,
}  # fmt: skip
"""A package imports, lazily and for types alone too, from packages of lower numbers alone."""
LLVM = {"backend/llvm/engine.py"}
MODULES = sorted(PACKAGE.rglob("*.py"))


@cache
def imports_and_calls(path: Path) -> list[ast.AST]:
    """The nodes of a file that tests look at."""
    kinds = ast.Import | ast.ImportFrom | ast.Call
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, kinds)]


def last_name(call: ast.Call) -> str:
    """The name of what is called, without what stands before its dot."""
    match call.func:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def imports(nodes: Iterable[ast.AST]) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "samebits":
                found += [(node.lineno, f"samebits.{alias.name}") for alias in node.names]
            else:
                found.append((node.lineno, node.module))
        elif isinstance(node, ast.Call) and last_name(node).endswith("import_module"):
            argument = node.args[0]
            if isinstance(argument, ast.Constant):
                found.append((node.lineno, str(argument.value)))
    return found


def layer_faults(path: Path) -> Iterator[str]:
    """What a file imports of layers that are not below its own."""
    relative = path.relative_to(PACKAGE)
    own = relative.parts[0].removesuffix(".py")
    if own == "__init__":
        return
    if own not in LAYERS:
        yield f"{relative} has no layer"
        return
    for line, name in imports(imports_and_calls(path)):
        parts = name.split(".")
        other = parts[1] if parts[0] == "samebits" and len(parts) > 1 else own
        is_above = other != own and LAYERS.get(other, -1) >= LAYERS[own]
        if is_above or (parts[0] == "llvmlite" and str(relative) not in LLVM):
            yield f"{relative}:{line} imports {name}"


def test_every_module_imports_only_from_its_package_and_lower_layers() -> None:
    assert [fault for path in MODULES for fault in layer_faults(path)] == []


FILES = {
    ".".join(("samebits", *p.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): p
    for p in MODULES
}
"""The files of the package by their modules' names."""


def imported(nodes: Iterable[ast.AST]) -> set[str]:
    """The package's modules that a file imports: at once, in functions and for types alone."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = (f"{node.module}.{alias.name}" for alias in node.names)
            names.update(name if name in FILES else node.module for name in inner)
        elif isinstance(node, ast.Call) and last_name(node).endswith("import_module"):
            argument = node.args[0]
            if isinstance(argument, ast.Constant):
                names.add(str(argument.value))
    return names & FILES.keys()


def circles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """The strongly connected components of more than one node."""
    reached = {node: _reached(graph, node) for node in graph}
    found = {
        frozenset(other for other in reached[node] if node in reached[other]) for node in graph
    }
    return {circle for circle in found if len(circle) > 1}


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        more = graph[waiting.pop()] - found
        found |= more
        waiting += more
    return found


def test_no_files_import_each_other_in_a_circle() -> None:
    found = circles({name: imported(imports_and_calls(p)) for name, p in FILES.items()})
    assert [sorted(circle) for circle in found] == []


def test_circles_are_found_through_every_kind_of_import() -> None:
    ways = (
        "import samebits.bits", "from samebits.bits import canonical_size",
        "from samebits import bits", "def f():\n    from samebits import bits",
        "if TYPE_CHECKING:\n    import samebits.bits as b", "import_module('samebits.bits')",
    )  # fmt: skip
    assert [imported(ast.walk(ast.parse(way))) for way in ways] == [{"samebits.bits"}] * len(ways)
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": {"d"}}
    assert circles(graph) == {frozenset("bc")}


TABLES = ("mathlib/float32", "mathlib/float64")
"""Folders of one function a file."""


def test_no_folder_is_crowded() -> None:
    count = Counter(path.parent.relative_to(PACKAGE).as_posix() for path in MODULES)
    assert {folder: n for folder, n in count.items() if n > 23 and folder not in TABLES} == {}


DOCUMENTED = ("src/samebits", "tools", "tests/support", "benchmarks")
NO_NOUN = re.compile(
    r"(assemble|build|check|compare|compile|convert|count|evaluate|find|infer|link|load|lower|make"
    r"|measure|print|prove|read|record|reduce|refuse|resolve|restore|round|run|salvage|search|show"
    r"|test|write)(e?s)?|escapes|for|hands|how|what|where|whether|which|why"
)
"""What a module does, and questions. Its first line says what it is instead, in a noun phrase."""


def first_line_faults(docstring: str) -> list[str]:
    """What is wrong with a module's first line."""
    line, _, rest = docstring.partition("\n")
    word = re.split(r"\W", line, maxsplit=1)[0].lower()
    faults: list[str] = []
    if not line.endswith(".") or rest.partition("\n")[0]:
        faults.append("one line, with a full stop, then an empty one")
    if NO_NOUN.fullmatch(word):
        faults.append(f"a noun phrase, which does not begin with {word}")
    return faults


def docstring(source: str) -> str:
    """What a file begins with, after comments, without the rest being parsed."""
    match = re.match(r'(?:#[^\n]*\n)*r?"""(.*?)"""', source, re.DOTALL)
    return "" if match is None else match[1]


def test_every_modules_first_line_says_what_it_is() -> None:
    root = PACKAGE.parents[1]
    found = {
        path.relative_to(root).as_posix(): faults
        for folder in DOCUMENTED
        for path in sorted((root / folder).rglob("*.py"))
        if (faults := first_line_faults(docstring(path.read_text())))
    }
    assert found == {}


def test_faults_of_first_lines_are_found() -> None:
    assert first_line_faults("The cache.") == first_line_faults("The cache.\n\nMore.") == []
    faulty = ("", "A cache", "A cache, and\nmore.", "Makes a cache.", "Build IR.", "What it is.",
              "Searches a cache.")  # fmt: skip
    assert [len(first_line_faults(text)) for text in faulty] == [1] * len(faulty)


WRITES = {
    "output.py": "it is the one place",
    "cli/__init__.py": "the null device",
    "doctor/programs.py": "a working folder of its own",
    "doctor/watched.py": "a report that the parent made",
    "runtime/objects/own_folder.py": "files below a folder that was verified",
    "audit/scan.py": "a working folder of its own",
    "audit/worker.py": "its answers, to the parent",
    "runtime/emulation/link.py": "a working folder of its own",
    "export/build.py": "a working folder of its own",
    "export/scene.py": "a working folder of its own",
    "export/wasm.py": "a working folder of its own",
    "export/math_library/build.py": "a working folder of its own",
    "diagnosis/edits/versions.py": "a working folder of its own",
    "farm/child.py": "its answers, to the parent",
    "farm/store.py": "its lock, and a working folder of its own",
    "net/store.py": "a match's journal, which is appended to",
    "net/used_tickets.py": "nonces, which are appended",
    "collector/intake/storage.py": "a collector's own folder",
    "collector/operate/backup.py": "an archive, inside an Output",
}
"""Modules that write files by themselves, and why that is sound."""

_METHODS = ("write_text", "write_bytes", "tofile", "savefig", "touch", "symlink_to", "rename")
_FUNCTIONS = (
    "os.replace", "os.rename", "os.link", "os.symlink", "shutil.copy", "shutil.copyfile",
    "shutil.copy2", "shutil.move", "tempfile.mkstemp", "tempfile.NamedTemporaryFile",
)  # fmt: skip
_LAST = {name.rpartition(".")[2] for name in _FUNCTIONS}
_MODE = re.compile(r"[rbt]*[wax+][wax+bt]*")


def writes(nodes: Iterable[ast.AST]) -> list[int]:
    """Lines where a file is opened to be written, made, or given another name."""
    return [n.lineno for n in nodes if isinstance(n, ast.Call) and _writes(n)]


def _writes(call: ast.Call) -> bool:
    name = last_name(call)
    if name.endswith("open"):
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        modes = [a.value for a in given if isinstance(a, ast.Constant) and type(a.value) is str]
        flags = " ".join(map(ast.unparse, given))
        return "O_WRONLY" in flags or "O_RDWR" in flags or any(map(_MODE.fullmatch, modes))
    return name in _METHODS or (name in _LAST and ast.unparse(call.func) in _FUNCTIONS)


def test_files_are_written_at_one_place() -> None:
    """Elsewhere by `samebits.output`."""
    lines = {
        relative: writes(imports_and_calls(path))
        for path in MODULES
        if (relative := path.relative_to(PACKAGE).as_posix()) not in WRITES
    }
    assert {relative: found for relative, found in lines.items() if found} == {}


def test_other_ways_to_write_are_found() -> None:
    ways = (
        "open(p, 'w')", "open(p, mode='r+b')", "p.open('ab')", "os.open(p, os.O_WRONLY)",
        "p.write_text(t)", "os.replace(a, b)", "shutil.copyfile(a, b)", "values.tofile(p)",
    )  # fmt: skip
    assert [writes(ast.walk(ast.parse(way))) for way in ways] == [[1]] * len(ways)
    reads = (
        "open(p), open(p, 'rb'), p.open('rb'), os.open(p, os.O_RDONLY), p.replace(a, b), copy(a)"
    )
    assert writes(ast.walk(ast.parse(reads))) == []


def test_its_layers_are_those_that_are_tested() -> None:
    """Those of ARCHITECTURE.md."""
    text = (PACKAGE.parents[1] / "ARCHITECTURE.md").read_text()
    found: dict[str, int] = {}
    for number, names in re.findall(r"^\| (\d+) \| ([^|]+) \|", text, re.MULTILINE):
        found.update((name.strip("/"), int(number)) for name in re.findall(r"`([\w/]+)`", names))
    assert found == {name: layer for name, layer in LAYERS.items() if name != "__main__"}
