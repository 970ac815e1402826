"""Facts of the writing machine that can change bits, and nothing that identifies it.

Owns these facts alone. Host and user names, paths and environment variables are never read.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, cast

import numpy as np

from samebits.backend.llvm import engine
from samebits.errors import ReportError, SamebitsError
from samebits.runtime.fingerprint import math_fingerprint, processor
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.fp_state.registers import REGISTERS
from samebits.runtime.threads.pool import workers
from samebits.version import __version__

MAX_TEXT = 200
MAX_FEATURES = 1000
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)*")


@dataclass(frozen=True, slots=True)
class Machine:
    """The facts of a machine that can change a simulation's bits.

    `cpu` and `features` are LLVM's names; `registers` are the control registers of the thread that
    wrote the report, before it changed any, with sticky flags masked; `environment` describes
    them. Unknown facts are empty.
    """

    architecture: str
    system: str
    libc: str
    processor: str
    cpu: str
    features: tuple[str, ...]
    samebits: str
    llvm: str
    python: str
    numpy: str
    fingerprint: str
    workers: int
    registers: tuple[tuple[str, int], ...]
    environment: str
    compiler: str = ""
    """Of a program that samebits did not make."""
    units: tuple[str, ...] = ()
    """What became of its source files, as in `physics.cpp: fused`."""

    def to_json(self) -> dict[str, Any]:
        """Every fact by its name, as `machine_from_json` reads them."""
        facts = {
            **asdict(self),
            "features": list(self.features),
            "registers": [list(pair) for pair in self.registers],
            "units": list(self.units),
        }
        return {name: value for name, value in facts.items() if name not in _FOREIGN or value}


UNKNOWN = Machine("", "", "", "", "", (), "", "", "", "", "", 0, (), "")
"""A machine of which nothing is known."""


def this_machine() -> Machine:
    """This machine's facts, with the calling thread's registers."""
    registers, environment = _registers()
    cpu, features = engine.host_processor()
    return Machine(
        architecture=platform.machine(),
        system=_system(),
        libc=" ".join(part for part in platform.libc_ver() if part),
        processor=processor(),
        cpu=cpu,
        features=features,
        samebits=__version__,
        llvm=engine.llvm_version(),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        numpy=np.__version__,
        fingerprint=_fingerprint(),
        workers=workers(),
        registers=registers,
        environment=environment,
    )


def _system() -> str:
    """The system's family and the numbers of its release; what follows them often names a custom
    kernel build, which could identify the machine."""
    version = _NUMBERS.match(platform.release())
    return f"{platform.system()} {version[0] if version else ''}".strip()


def _registers() -> tuple[tuple[tuple[str, int], ...], str]:
    try:
        state = fpenv.state()
    except SamebitsError:  # this processor's registers are not supported
        return (), ""
    word = state.word & ~REGISTERS[state.register].sticky
    found = [(state.register, word)]
    if state.x87 is not None:
        found.append(("x87", state.x87.word))
    return tuple(found), ", ".join(state.oddities()) or "default"


def _fingerprint() -> str:
    try:
        found = math_fingerprint()
    except SamebitsError:
        return ""
    return f"{found}" if found.sound else f"{found} (broken)"


def machine_from_json(given: Any) -> Machine:
    """The machine that `to_json` wrote. Raises ReportError if it is malformed."""
    if not isinstance(given, Mapping):
        raise ReportError("the report's environment is no JSON object")
    facts = cast("Mapping[str, Any]", given)
    values: dict[str, Any] = {}
    for item in fields(Machine):
        value = facts.get(item.name, _FOREIGN.get(item.name))
        if not _FORMS.get(item.name, _is_text)(value):
            raise ReportError(f"the report's environment has {ascii(value)[:60]} as {item.name}")
        values[item.name] = value
    values["features"] = tuple(values["features"])
    values["units"] = tuple(values["units"])
    values["registers"] = tuple((name, word) for name, word in values["registers"])
    return Machine(**values)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MAX_TEXT and (not value or value.isprintable())


def _is_word(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 64


def _are_texts(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(cast("list[Any]", value)) <= MAX_FEATURES
        and all(_is_text(item) for item in cast("list[Any]", value))
    )


def _are_registers(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(cast("list[Any]", value)) <= len(REGISTERS) + 1
        and all(
            isinstance(pair, list)
            and len(cast("list[Any]", pair)) == 2
            and _is_text(cast("list[Any]", pair)[0])
            and _is_word(cast("list[Any]", pair)[1])
            for pair in cast("list[Any]", value)
        )
    )


_FOREIGN: dict[str, Any] = {"compiler": "", "units": []}
"""Facts of programs that samebits did not make alone, left out where there are none."""
_FORMS = {
    "features": _are_texts,
    "units": _are_texts,
    "registers": _are_registers,
    "workers": _is_word,
}
