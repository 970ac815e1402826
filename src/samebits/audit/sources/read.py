"""One C or C++ source to its hazards, parsed by libclang with the flags of its command."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from samebits.audit.errors import UnreadableBinary
from samebits.audit.model import AuditedBinary, Finding, Place
from samebits.audit.sources.hazards import RULES

C = (".c", ".h")
SUFFIXES = (*C, ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".ipp", ".inl")
_KEPT = re.compile(r"-(?:I|D|U|isystem|iquote|std=|include|fms-|stdlib=).*|/[IDU].*")
_IN_TWO = frozenset({"-I", "-D", "-U", "-isystem", "-iquote", "-include"})
_MOST_FINDINGS = 20_000
_FUNCTIONS = frozenset({"FUNCTION_DECL", "CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR",
                        "FUNCTION_TEMPLATE", "CONVERSION_FUNCTION"})  # fmt: skip
_FATAL = 4


def audited_source(path: str, folder: str, command: Sequence[str]) -> AuditedBinary:
    """The hazards of a source. Raises UnreadableBinary."""
    cindex: Any = import_module("clang.cindex")
    is_c = path.lower().endswith(C)
    given = list(_flags(command, folder)) or ["-I", os.path.dirname(path) or "."]
    language = [] if command else ["-x", "c" if is_c else "c++"]
    standard = [] if any(f.startswith("-std=") for f in given) or is_c else ["-std=c++20"]
    try:
        unit = cindex.Index.create().parse(path, args=[*language, *standard, *given, *_headers()])
    except cindex.TranslationUnitLoadError:
        raise UnreadableBinary("libclang cannot parse it") from None
    found: list[Finding] = []
    functions = 0
    for cursor in unit.cursor.get_children():
        file = cursor.location.file
        if file is not None and os.path.samefile(file.name, path):
            for finding in _walk(cursor, path, ""):
                found.append(finding)
                if len(found) >= _MOST_FINDINGS:
                    break
            functions += 1
    errors = [str(d.spelling) for d in unit.diagnostics if d.severity >= _FATAL - 1]
    notes = [f"{len(errors)} errors, so that parts may be missing: {errors[0]}"] if errors else []
    kind = "C" if is_c else "C++"
    unique = sorted(set(found), key=lambda f: (f.code, int((f.line or ":0").rpartition(":")[2])))
    return AuditedBinary(
        path, "source", kind, "", (), functions, findings=tuple(unique), notes=tuple(notes)
    )


def _walk(cursor: Any, path: str, function: str) -> Iterator[Finding]:
    try:
        kind = str(cursor.kind.name)
    except ValueError:
        kind = ""
    if kind in _FUNCTIONS:
        function = str(cursor.spelling)
    for rule in RULES:
        for code, message in rule(cursor):
            line = f"{path}:{cursor.location.line}"
            yield Finding(code, function, message, 1, (Place(0, "", line),))
    for child in cursor.get_children():
        yield from _walk(child, path, function)


def _flags(command: Sequence[str], folder: str) -> Iterator[str]:
    """What a command says of includes, definitions and the standard; paths from its folder."""
    words = iter(command[1:])
    for word in words:
        if word in _IN_TWO:
            value = next(words, "")
            yield word
            yield os.path.join(folder, value) if word not in ("-D", "-U") else value
        elif word.startswith("-I"):
            yield f"-I{os.path.join(folder, word[2:])}"
        elif _KEPT.fullmatch(word):
            yield word


def _headers() -> list[str]:
    """Clang's own headers, stddef.h and its like, which libclang's wheel lacks: those of zig."""
    try:
        zig = import_module("ziglang")
    except ImportError:
        return []
    return ["-idirafter", os.path.join(os.path.dirname(str(zig.__file__)), "lib", "include")]
