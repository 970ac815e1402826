"""One compile command to the state that it leaves: defaults, then flag after flag.

Exceptions to "the last flag wins": GCC keeps an explicit -ffp-contract wherever it stands, and of
-Ofast the last -O counts. Nothing is run: a build's commands may be anybody's.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from samebits.audit.flags.state import FlagState
from samebits.audit.flags.table import (
    CLANG_LIKE,
    COMPILED,
    DEFAULTS,
    FMA_ALWAYS,
    PROGRAMS,
    WRAPPERS,
    DefaultRow,
)

_MOST_RESPONSE = 1 << 20
_STANDARD_C = re.compile(r"-std=(?:c|iso9899:)\d\w*")
_CPP = (".cc", ".cpp", ".cxx", ".c++", ".mm", ".cu", ".hip")
_TARGET = re.compile(r"--?target[=:]?(.*)|-arch")
_PREFIX = re.compile(r"([a-z0-9_]+)-(?:[a-z0-9_]+-)*(?:gcc|g\+\+|clang)")
_ARCHITECTURES = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64", "i386": "i686",
                  "i486": "i686", "i586": "i686", "x86": "i686"}  # fmt: skip


def compiler_of(command: Sequence[str]) -> tuple[str, tuple[int, ...] | None, list[str]] | None:
    """Family, version where the name has it, and the arguments; None for an unknown program."""
    words = unwrapped(command)
    if not words:
        return None
    for pattern, family in PROGRAMS:
        found = re.fullmatch(pattern, _stem(words[0]))
        if found is None:
            continue
        rest = words[1:]
        if family == "zig":
            if not rest or rest[0] not in ("cc", "c++"):
                return None
            rest = rest[1:]
        version = found[1] if found.re.groups else None
        numbers = tuple(int(part) for part in version.split(".") if part) if version else None
        return family, numbers, rest
    return None


def unwrapped(command: Sequence[str]) -> list[str]:
    """A command without what stands before its program: ccache and its like, and variables."""
    words = list(command)
    while words and (_stem(words[0]) in WRAPPERS or re.fullmatch(r"\w+=.*", words[0])):
        words.pop(0)
    return words


def _stem(program: str) -> str:
    return re.split(r"[/\\]", program)[-1].removesuffix(".exe").removesuffix(".EXE")


def judge(command: Sequence[str], folder: str = ".", architecture: str = "") -> FlagState | None:
    """The state that a command leaves; None for a program that is no known compiler.

    `folder` is where it ran; `architecture` what its result is for, where a binary says so.
    """
    known = compiler_of(command)
    if known is None:
        return None
    family, version, given = known
    arguments = list(_expanded(given, folder, 0))
    target = architecture or _target(command, family, arguments)
    state = FlagState(family, version, target)
    default = _default(family, version, arguments)
    state.contract = default.contract
    state.fast = dict.fromkeys(default.fast, "the default of icx")
    state.flush = "the default of icx" if default.flush else ""
    if family == "zig" and not any(_TARGET.match(word) for word in arguments):
        state.native = "zig cc without -target"
        state.has_fma = not any(word.startswith(("-mcpu", "-march")) for word in arguments)
    is_32 = "-m32" in arguments or target == "i686"
    if family == "gcc" and is_32 and target in ("i686", "x86_64"):
        state.x87 = "-m32" if "-m32" in arguments else "32-bit x86"
    state.unread += [word for word in arguments if word.startswith("@")]
    _apply_all(state, arguments, default)
    state.has_fma = state.has_fma or FMA_ALWAYS.fullmatch(target) is not None
    if family == "nvcc":
        state.has_fma = True
    return state


def _expanded(words: Iterable[str], folder: str, depth: int) -> Iterator[str]:
    """The words, those of response files in their place. -Xcompiler and -Wp, pass flags on."""
    import shlex

    for word in words:
        if word.startswith("@") and depth < 3:
            path = Path(folder, word[1:])
            try:
                if path.is_file() and path.stat().st_size <= _MOST_RESPONSE:
                    text = path.read_text("utf-8", "replace")
                    yield from _expanded(shlex.split(text, comments=False), folder, depth + 1)
                    continue
            except (OSError, ValueError):
                pass
        yield word


def _target(command: Sequence[str], family: str, arguments: Sequence[str]) -> str:
    """The processor that a command is for: flags, the compiler's name, else this machine's."""
    for number, word in enumerate(arguments):
        found = _TARGET.fullmatch(word)
        if found is not None:
            following = arguments[number + 1] if number + 1 < len(arguments) else ""
            return _architecture(found[1] or following)
    if family == "emcc":
        return "wasm32"
    program = next((word for word in command if compiler_of([word, "cc"])), "")
    found = _PREFIX.match(_stem(program))
    return _architecture(found[1] if found else platform.machine())


def _architecture(triple: str) -> str:
    first = triple.split("-", 1)[0].lower()
    return _ARCHITECTURES.get(first, first)


def _default(family: str, version: tuple[int, ...] | None, arguments: Sequence[str]) -> DefaultRow:
    is_c = not any(word.lower().endswith(_CPP) for word in arguments)
    standard = is_c and any(_STANDARD_C.fullmatch(word) for word in arguments)
    newest = family != "msvc"
    rows = [
        row
        for row in DEFAULTS
        if row.family == family
        and (not row.since or (newest if version is None else version >= row.since))
        and (not row.is_standard_c or standard)
    ]
    return rows[-1]


def _apply_all(state: FlagState, arguments: Sequence[str], default: DefaultRow) -> None:
    explicit = ""
    levels = [word for word in arguments if re.fullmatch(r"-O(?:\w*)", word)]
    fast_level = bool(levels) and levels[-1] == "-Ofast"
    for word in _words(state.family, arguments):
        if word == "-Ofast":
            if not fast_level:
                continue
            word = "-ffast-math"
        for row, pattern in COMPILED:
            if state.family not in row.families or pattern.fullmatch(word) is None:
                continue
            for effect in row.effect.split():
                explicit = _apply(state, effect, word, default, explicit)
    if state.family == "gcc":
        no_fast = "-fno-fast-math" in arguments
        if fast_level and no_fast:  # what is said outright outweighs what -Ofast implies
            state.fast = {}
        if explicit:
            state.contract = explicit
    if fast_level and state.family in ("gcc", "clang"):  # links crtfastmath.o whatever follows
        state.flush = "-Ofast"
    if "-shared" in arguments and state.family in CLANG_LIKE:
        state.flush = state.flush if state.family == "icx" else ""
    if state.family in ("zig", "emcc"):  # they have no crtfastmath.o
        state.flush = ""


def _words(family: str, arguments: Sequence[str]) -> Iterator[str]:
    """Flags, with those in two words as one: `-C target-cpu=native`, `-Xcompiler -O2`."""
    passing = {"rustc": ("-C", "--codegen"), "nvcc": ("-Xcompiler",)}.get(family, ())
    for word in arguments:
        if word in passing:
            continue
        if family == "rustc" and word.startswith("-C"):
            word = word[2:]
        yield word


def _apply(state: FlagState, effect: str, word: str, default: DefaultRow, explicit: str) -> str:
    """Change the state by one effect; return GCC's explicit contraction."""
    name, _, value = effect.partition("=")
    if name == "contract":
        return _contract(state, value, word, default, explicit)
    if effect.startswith("fast+"):
        state.fast[effect[5:]] = word
    elif effect.startswith("fast-"):
        state.fast.pop(effect[5:], None)
    elif effect in ("flush+", "flush-"):
        state.flush = word if effect == "flush+" else ""
    elif effect in ("x87+", "x87-"):
        state.x87 = word if effect == "x87+" else ""
    elif effect == "fma":
        state.has_fma = True
    elif effect == "native":
        state.native = word
        state.has_fma = True
    elif effect == "relaxed":
        state.relaxed = word
    elif effect == "single":
        state.single_constants = word
    return explicit


def _contract(state: FlagState, value: str, word: str, default: DefaultRow, explicit: str) -> str:
    if word.startswith("-ffp-contract"):
        explicit = value
    if value == "undo":  # -fno-fast-math gives back what was said before, else the default
        value = explicit or default.contract
        if state.contract != "fast":
            return explicit
    if value == "default":
        value = default.contract
    state.contract, state.contract_flag = value, word
    return explicit
