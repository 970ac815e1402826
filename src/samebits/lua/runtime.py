"""A Lua state under samebits' rules: its numbers, its order and its world are the same everywhere.

Owns the state, its limits and what crosses its border, which are bytes alone: no Python object is
within a script's reach. What scripts get is `prelude/`.
"""

from __future__ import annotations

import ctypes
import locale
import re
import struct
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from samebits.errors import ArgumentError, Span, TargetError
from samebits.lang.signal_safe import keeps_flags
from samebits.lua.engines import ENGINES, Engine, engine_named, load_engine
from samebits.lua.errors import LuaError, ScriptError, ScriptStopped
from samebits.lua.natives import ARITY, LIBM, SAMEBITS, addresses, libm_addresses
from samebits.lua.source import Site, prepare, traced_sites, without_head
from samebits.lua.values import packed, unpacked
from samebits.runtime.fp_state.pin import pinned, register_name

_PRELUDE = Path(__file__).parent / "prelude"
_TICK = 10_000
"""Instructions of Lua between two looks at the limit, and at signals."""
INSTRUCTIONS = 200_000_000
MEMORY = 256 << 20
_SEEDS = range(-(1 << 53), (1 << 53) + 1)
_PLACE = re.compile(r"(?P<name>[^:\n]{1,80}):(?P<line>[0-9]+): (?P<what>.*)", re.DOTALL)
_OWN = "samebits prelude"
_SIGNED_ZEROS = b"(function(zero, one) return 1 / (zero * -one) < 0 end)(0, 1)"
"""Whether a LuaJIT has floats alone; on some processors it has whole numbers within."""
_IN_TRACEBACK = re.compile(r"^\t(?P<line>(?:[^\[]|\[string).*)$", re.MULTILINE)
_TOLD_CALLS = 6
_FIXED_LOCALE = ("LC_NUMERIC", "LC_COLLATE")


@cache
def prelude_text() -> str:
    """The prelude's parts as one chunk."""
    parts = sorted(_PRELUDE.glob("[0-9]_*.lua"))
    return "".join(part.read_text(encoding="utf-8") for part in parts)


@cache
def engine_text(engine: Engine) -> str:
    """What the prelude needs of an engine."""
    return (_PRELUDE / engine.part).read_text(encoding="utf-8")


class Runtime:
    """One Lua state, with samebits' numbers, order, random numbers and limits.

    `engine` is "lua54" or "luajit". `seed` starts `math.random`, a whole number up to 2^53.
    `instructions` bound each call, `memory` the state's bytes. `modules` are what `require` finds,
    texts by name; `functions` are Python functions that scripts call by their names, with numbers,
    texts, booleans, None and lists and dicts of these; `on_print` takes each line of `print`.
    `math` is "samebits", or "libm" for the platform's functions, which diagnosis compares with;
    `traced` scripts tell what they compute.

    Raises LuaError where lupa or tree-sitter is missing, or the process's locale changes what Lua
    computes; ArgumentError for an argument out of its range.
    """

    @keeps_flags
    def __init__(
        self,
        engine: str = ENGINES[0].name,
        *,
        seed: int = 0,
        instructions: int = INSTRUCTIONS,
        memory: int = MEMORY,
        modules: Mapping[str, str] | None = None,
        functions: Mapping[str, Callable[..., object]] | None = None,
        on_print: Callable[[str], object] | None = None,
        math: str = SAMEBITS,
        traced: bool = False,
    ) -> None:
        self.engine = engine_named(engine)
        if seed not in _SEEDS:
            raise ArgumentError(f"the seed {seed} is beyond 2^53", fix="give a smaller number")
        if instructions < 1 or memory < 1 << 20:
            raise ArgumentError(
                f"{instructions:,} instructions and {memory:,} bytes are no limits",
                fix="allow at least one instruction and 1 MiB",
            )
        self._modules = dict(modules or {})
        self._texts: dict[str, Path] = {}
        if math not in (SAMEBITS, LIBM):
            raise ArgumentError(
                f"there are no math functions {math[:40]!a}", fix=f"write {SAMEBITS} or {LIBM}"
            )
        self._functions = addresses() if math == SAMEBITS else libm_addresses()
        self._operators = self.engine.operators
        self._first_site: int | None = 0 if traced else None
        self.sites: list[Site] = []
        """The places that traced scripts tell of, by their numbers."""
        self._limit, self._ticks = max(1, instructions // _TICK), 0
        self._instructions, self._memory = instructions, memory
        self._problem: BaseException | None = None
        self._on_print = on_print
        self._keep: list[Any] = []
        self._lua: Any = load_engine(self.engine).LuaRuntime(
            unpack_returned_tuples=True, register_eval=False, register_builtins=False,
            encoding=None, attribute_filter=_no_attributes, max_memory=0,
        )  # fmt: skip
        _check_locale()
        with _environment():
            self._host = self._installed()
            self._host[b"limit"](min(_TICK, instructions), self._tick)
            self._host[b"seed"](seed)
            for name, function in (functions or {}).items():
                self._host[b"provide"](name.encode(), self._bytes_of(function))
        self._lua.set_max_memory(memory, total=False)

    @keeps_flags
    def run(self, text: str | bytes, name: str = "script.lua") -> Any:
        """Run a script, and give what it returns where that is a number, a text, a boolean or None.
        Its type is the script's affair, which no checker of Python knows.

        A table or a function that it returns is its program: `call` finds its functions with a dot
        before their names. Raises LuaError where it cannot be prepared, ScriptError for its own
        errors, ScriptStopped at a limit.
        """
        ready = self._prepared(text.encode() if isinstance(text, str) else text, name)
        return unpacked(self._called("run", ready, _chunk(name)))[0]

    def run_file(self, path: str | Path) -> Any:
        """`run` of a file. Raises LuaError where it cannot be read."""
        path = Path(path)
        self.show_lines_of(path)
        return self.run(read_script(path), path.name)

    def show_lines_of(self, path: Path) -> None:
        """Have errors in the script of that file's name show its lines."""
        self._texts[path.name] = path

    @property
    def version(self) -> str:
        """The engine as it tells of itself, and lupa's version."""
        engine = bytes(self._lua.lua_implementation).decode(errors="replace")
        libm = ", the platform's libm" if self._functions != addresses() else ""
        return f"{engine}, lupa {metadata.version('lupa')}{libm}"

    @keeps_flags
    def reseed(self, seed: int) -> None:
        """Start `math.random` from a seed."""
        self._host[b"seed"](seed)

    @keeps_flags
    def start_trace(self) -> None:
        """Keep what a traced script tells from here on."""
        self._host[b"start_trace"]()

    @keeps_flags
    def taken_trace(self) -> bytes:
        """What was told since `start_trace`, which ends."""
        return bytes(self._host[b"taken_trace"]())

    @keeps_flags
    def call(self, name: str, *arguments: object) -> Any:
        """Call a global function of the script, or with `.step` one of the table that it returned,
        and give its first result. Raises as `run` does."""
        given = packed(arguments)
        answer = self._called("call", name.encode(), given, len(arguments))
        return unpacked(answer)[0]

    @keeps_flags
    def field(self, name: str) -> Any:
        """A global of the script, or with a dot before its name a field of what it returned."""
        return unpacked(self._called("field", name.encode()))[0]

    @keeps_flags
    def has_function(self, name: str) -> bool:
        """Whether `call` finds a function of that name."""
        return bool(self._host[b"has"](name.encode()))

    @keeps_flags
    def advance(self, name: str, state: str, given: str | None, inputs: bytes) -> bytes:
        """Call `name` with the state's tables and the inputs; the state's canonical bytes then.

        `state` and `given` are layouts as `samebits.lua.layout` writes them. A value that its
        layout does not allow is a ScriptError.
        """
        own = given.encode() if given is not None else None
        return self._called("advance", name.encode(), state.encode(), own, inputs)

    @keeps_flags
    def fill(self, state: str, data: bytes) -> None:
        """Make the state's tables hold canonical bytes."""
        self._called("fill", state.encode(), data)

    @property
    def random_state(self) -> bytes:
        """The 32 bytes of `math.random`, which are part of a simulation's state."""
        return bytes(self._host[b"random_state"]())

    @random_state.setter
    def random_state(self, data: bytes) -> None:
        if len(data) != 32:
            raise ArgumentError(f"{len(data)} bytes are no state of math.random, which has 32")
        self._host[b"set_random_state"](data)

    def _installed(self) -> Any:
        """The prelude's table of what the host calls."""
        natives: Any = self._lua.table()
        if self.engine.has_integers:
            for name, address in self._functions.items():
                form = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * ARITY[name])
                self._keep.append(form(address))
                natives[name.encode()] = self._keep[-1]
        else:
            self._lua.execute(b"jit.off() jit.flush()")
            if self._lua.eval(_SIGNED_ZEROS):
                self._operators -= {"*"}
            natives[b"addresses"] = self._lua.table_from({
                name.encode(): self._lua.table_from({b"arity": ARITY[name], b"address": address})
                for name, address in self._functions.items()
            })  # fmt: skip
            natives[b"write_bytes"] = _written
        natives[b"printed"] = self._printed
        natives[b"module"] = self._module
        load: Any = self._lua.eval(b"load")
        _own(load, engine_text(self.engine), self.engine.part)(natives)
        self._compile: Any = self._lua.eval(
            b"function(t, n) return (select(2, load(t, n, 't', {}))) end"
        )
        return _own(load, prelude_text(), "prelude")(natives)

    def _prepared(self, text: bytes, name: str) -> bytes:
        """The script as it is loaded: Lua itself has taken the text as it is."""
        said = self._compile(without_head(text), _chunk(name))
        if said is not None:
            raise self._error(bytes(said).decode(errors="replace"), "", stopped=False)
        first = self._first_site
        if first is not None:
            self.sites += traced_sites(text, name)
            self._first_site = len(self.sites)
        return prepare(text, name, self._operators, first)

    def _called(self, function: str, *arguments: object) -> Any:
        self._ticks, self._problem = 0, None
        _check_locale()
        with _environment():
            ok, *answer = self._host[function.encode()](*arguments)
        if ok:
            return answer[0]
        problem = self._taken_problem()
        said, trace, stopped = answer
        text = bytes(said).decode(errors="replace")
        if text == "interrupted":
            raise KeyboardInterrupt
        raise self._error(text, bytes(trace).decode(errors="replace"), stopped) from problem

    def _taken_problem(self) -> Exception | None:
        """The error of a function of the host, if there was one; a signal's is raised."""
        problem, self._problem = self._problem, None
        if problem is None or isinstance(problem, Exception):
            return problem
        raise problem

    def _error(self, said: str, trace: str, stopped: bool) -> ScriptError:
        """The error of a script, at its line."""
        calls = tuple(
            found["line"].strip() for found in _IN_TRACEBACK.finditer(trace)
            if _OWN not in found["line"] and "tail calls" not in found["line"]
        )  # fmt: skip
        place = _PLACE.match(said) or (_PLACE.match(f"{calls[0]} ") if calls and stopped else None)
        span = None
        if place is not None and place["name"] in self._texts:
            line = int(place["line"])
            span = Span(str(self._texts[place["name"]]), "", line, 0, line, 1 << 16)
        note = "\n".join(f"called from {line}" for line in calls[1:_TOLD_CALLS]) or None
        at = "" if not stopped or place is None else f"{place['name']}:{place['line']}: "
        kind = ScriptStopped if stopped else ScriptError
        error = kind(f"{at}{said}", span=span, note=note, fix=self._fix() if stopped else None)
        error.traceback = calls
        return error

    def _fix(self) -> str:
        return "end its loops, or give Runtime more `instructions` or `memory`"

    def _tick(self) -> bytes | None:
        """Called within scripts: signals are handled as Python comes here."""
        try:
            self._ticks += 1
            if self._ticks > self._limit:
                return f"it ran more than {self._instructions:,} instructions".encode()
            return None
        except BaseException as error:
            self._problem = error
            return b"interrupted"

    def _printed(self, line: bytes) -> None:
        if self._on_print is not None:
            self._on_print(line.decode(errors="replace"))

    def _module(self, name: bytes) -> tuple[bytes, bytes] | None:
        wanted = name.decode(errors="replace")
        if wanted not in self._modules:
            return None
        file = f"{wanted}.lua"
        return self._prepared(self._modules[wanted].encode(), file), _chunk(file)

    def _bytes_of(self, function: Callable[..., object]) -> Callable[[bytes, int], bytes]:
        """A Python function as the prelude calls it: an error is a text behind `!`."""

        @keeps_flags
        def call(data: bytes, count: float) -> bytes:
            try:
                return packed([function(*unpacked(data, int(count)))])
            except Exception as error:
                self._problem = error
                return b"!" + str(error).encode()

        return call


def _written(form: bytes, number: bytes) -> bytes:
    """A number's text in a form of C, with correctly rounded digits."""
    return (form.decode() % struct.unpack("<d", number)).encode()


def read_script(path: Path) -> bytes:
    """A script's bytes. Raises LuaError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise LuaError(
            f"cannot read {path}: {error.strerror or error}", fix="check the path"
        ) from None


def _chunk(name: str) -> bytes:
    """A chunk's name, as messages begin with it."""
    return b"=" + name.encode()


def _own(load: Any, text: str, name: str) -> Any:
    return load(text.encode(), f"={_OWN}, {name}".encode(), b"t")


def _no_attributes(obj: object, name: object, setting: bool) -> object:
    raise AttributeError("Python's objects are closed to scripts")


def _environment() -> AbstractContextManager[object]:
    """Rounding to nearest and subnormals kept, where this processor's register is known."""
    try:
        register_name()
    except TargetError:
        return nullcontext()
    return pinned()


def _check_locale() -> None:
    for category in _FIXED_LOCALE:
        found = locale.setlocale(getattr(locale, category))
        if found not in ("C", "POSIX"):
            raise LuaError(
                f"{category} is {found}: numbers and texts of Lua would be this locale's",
                fix=f'locale.setlocale(locale.{category}, "C")',
            )
