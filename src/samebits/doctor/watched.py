"""A program run with a record of each import's effect on the floating-point registers.

Runs as a script, in a process of its own, with the standard library alone: nothing is imported
that the program might import itself. It writes events for `programs`, one JSON object per line:
`start`, `import`, `change`, `end`, and `waiting`, after which it waits for a byte on its input.
"""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import importlib
import importlib.machinery
import importlib.util
import json
import os
import platform
import runpy
import struct
import sys
import threading
import traceback
from types import FrameType
from typing import Any

LAYOUTS = {
    ("linux", "x86_64"): ("<I", 28, "<H", 0),
    ("linux", "aarch64"): ("<I", 0, "", 0),
    ("darwin", "x86_64"): ("<I", 4, "<H", 0),
    ("darwin", "arm64"): ("<Q", 8, "", 0),
}
"""Offsets of the control register and the x87 word in C's fenv_t, by system and processor."""

STICKY = {"x86_64": 0x3F}
_X87_CONTROL = 0x0F7F
_FRAMES = 40
_EVENTS = 100_000
Words = tuple[int, int | None]


class Registers:
    """Reads the calling thread's control words."""

    def __init__(self) -> None:
        library: Any = ctypes.CDLL(None)
        if not hasattr(library, "fegetenv"):
            library = ctypes.CDLL(ctypes.util.find_library("m"))
        self._get = library.fegetenv
        self._layout = LAYOUTS[sys.platform, platform.machine()]
        self._mask = ~STICKY.get(platform.machine(), 0)

    def read(self) -> Words:
        buffer = ctypes.create_string_buffer(256)
        self._get(buffer)
        form, offset, x87_form, x87_offset = self._layout
        (word,) = struct.unpack_from(form, buffer, offset)
        x87 = struct.unpack_from(x87_form, buffer, x87_offset)[0] if x87_form else None
        return word & self._mask, None if x87 is None else x87 & _X87_CONTROL


class Watch:
    """Writes events; remembers each thread's control words."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._registers = Registers()
        self._mine = threading.local()
        self._left = _EVENTS
        self._start = self._registers.read()
        self.write("start", words=self._start)

    def write(self, event: str, **facts: Any) -> None:
        self._left -= 1
        if self._left < 0:
            return
        # Opened each time: a program that closes every file might get its number for another.
        with contextlib.suppress(OSError):
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND)
            os.write(file, json.dumps({"event": event, **facts}).encode() + b"\n")
            os.close(file)

    def check(
        self, kind: str, name: str, file: str | None, frame: FrameType | None, line: int = 0
    ) -> None:
        """Write a change since this thread's last check, if any, attributed to `name`.

        `frame` is the thread's frame, `line` its line if it has moved on since.
        """
        now = self._registers.read()
        mine: Any = self._mine
        before = getattr(mine, "words", self._start)
        if now != before:
            mine.words = now
            self.write(
                "change", kind=kind, name=name, file=file, before=before, after=now,
                thread=threading.current_thread().name, stack=stack(frame, line),
                last=getattr(mine, "last", None),
            )  # fmt: skip
        mine.last = name

    def begin(self) -> None:
        """Take this thread's words as they are: it has them of the thread that started it."""
        self._mine.words = self._registers.read()

    def unchanged(self) -> bool:
        """Whether this thread's words are those of its last check."""
        return self._registers.read() == getattr(self._mine, "words", self._start)


def stack(frame: FrameType | None, line: int = 0) -> list[tuple[str, int, str, str]]:
    """File, line, function and module of each frame, innermost first, without the machinery."""
    rows: list[tuple[str, int, str, str]] = []
    while frame is not None and len(rows) < _FRAMES:
        file = frame.f_code.co_filename
        if file != __file__ and not file.startswith("<frozen "):
            module = str(frame.f_globals.get("__name__", ""))
            rows.append((file, line or frame.f_lineno, frame.f_code.co_name, module))
        line = 0
        frame = frame.f_back
    return rows


def watch_imports(watch: Watch) -> None:
    """Check around each module that Python loads, and each library that ctypes does."""
    machinery = importlib.machinery

    def around(owner: Any, method: str, kind: str) -> None:
        original = getattr(owner, method)

        def wrapped(self: Any, subject: Any, *args: Any, **kwargs: Any) -> Any:
            # A spec for create_module, a module for exec_module.
            spec = getattr(subject, "__spec__", subject)
            name, file = getattr(spec, "name", "?"), getattr(spec, "origin", None)
            frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
            watch.check("outside", name, file, frame)
            is_main = threading.current_thread() is threading.main_thread()
            watch.write("import", name=name, main=is_main)
            try:
                return original(self, subject, *args, **kwargs)
            finally:
                watch.check(kind, name, file, frame)

        setattr(owner, method, wrapped)

    for loader in (machinery.SourceFileLoader, machinery.SourcelessFileLoader):
        around(loader, "exec_module", "import")
    for method in ("create_module", "exec_module"):
        around(machinery.ExtensionFileLoader, method, "import")

    load = ctypes.CDLL.__init__

    def loaded(self: Any, name: Any = None, *args: Any, **kwargs: Any) -> None:
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        watch.check("outside", str(name), None, frame)
        try:
            load(self, name, *args, **kwargs)
        finally:
            watch.check("load", str(name), None if name is None else str(name), frame)

    ctypes.CDLL.__init__ = loaded  # type: ignore[method-assign]


def watch_lines(watch: Watch) -> None:
    """Check after each line of each thread."""
    before = threading.local()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename == __file__:
            return None
        if not watch.unchanged():
            culprit, line = getattr(before, "place", (frame, frame.f_lineno))
            watch.check("line", "", None, culprit, line)
        after = frame.f_back if event == "return" and frame.f_back is not None else frame
        before.place = (after, after.f_lineno)
        return trace

    threading.settrace(trace)
    sys.settrace(trace)


def watch_threads(watch: Watch) -> None:
    """Take what a thread starts with for what it is: changes of the thread that started it."""
    begin: Any = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]
    start: Any = threading.Thread.start

    def begun(self: threading.Thread) -> None:
        watch.begin()
        begin(self)

    def started(self: threading.Thread) -> None:
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        if sys.gettrace() is None:  # or lines are checked, which are nearer
            watch.check("outside", f"the start of thread {self.name}", None, frame)
        start(self)

    threading.Thread._bootstrap_inner = begun  # type: ignore[attr-defined]
    threading.Thread.start = started  # type: ignore[method-assign]


NO_MODULE = "there is no module"
"""How an outcome begins if nothing was run."""


def is_there(module: str) -> bool:
    """Whether a module of that name is found. The packages that it is in are imported, and may
    raise anything."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError as error:
        if f"{module}.".startswith(f"{error.name}."):  # what it would be in is not there
            return False
        raise


def run(watch: Watch, arguments: list[str]) -> str:
    """Run a program; returns how it ended."""
    try:
        if arguments[0] == "-m":
            sys.argv = arguments[1:]
            sys.path.insert(0, os.getcwd())
            if not is_there(arguments[1]):
                return f"{NO_MODULE} {arguments[1]}"
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = arguments
            sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
            runpy.run_path(arguments[0], run_name="__main__")
    except SystemExit as stop:
        code = stop.code
        if code is not None and not isinstance(code, int):
            print(code, file=sys.stderr)
        return "ended" if code in (None, 0) else f"ended with exit status {code!s:.40}"
    except BaseException as error:
        traceback.print_exc()
        return f"stopped with {type(error).__name__}: {error!s:.200}"
    finally:
        sys.settrace(None)
        watch.check("outside", "the end of the program", None, None)
    return "ended"


def import_in_order(watch: Watch, arguments: list[str]) -> str:
    """Import modules, or load libraries, in order; errors are ignored."""
    sys.path.insert(0, arguments[0])
    for name in arguments[1:]:
        try:
            if name.startswith("library:"):
                ctypes.CDLL(name.removeprefix("library:"))
            else:
                importlib.import_module(name)
        except BaseException:
            continue
    watch.check("outside", "", None, None)
    return "ended"


def main() -> None:
    _, path, mode, *arguments = sys.argv
    gate = os.dup(0)
    os.set_inheritable(gate, False)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    watch = Watch(path)
    if mode == "bring":
        watch.write("end", outcome=import_in_order(watch, arguments))
        os._exit(0)
    watch_threads(watch)
    if mode == "lines":
        watch_lines(watch)
    else:
        watch_imports(watch)
    outcome = run(watch, arguments)
    names = {t.native_id: t.name for t in threading.enumerate()}
    watch.write("waiting", names=[[k, v] for k, v in names.items()])
    with contextlib.suppress(OSError):
        os.read(gate, 1)
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    watch.write("end", outcome=outcome)
    os._exit(0)


if __name__ == "__main__":
    main()
