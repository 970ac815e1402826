"""The part of a desync report that is the same for every run of an exported library, as JSON.

Owns also how much memory a report takes. Knows nothing of C.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from samebits.backend.llvm import engine
from samebits.backend.objects import TrapSite
from samebits.backend.targets.table import Target
from samebits.desync.format import BLOCK_VALUES, Contents, input_block
from samebits.desync.machine import MAX_TEXT, UNKNOWN
from samebits.desync.portable import PortableNames
from samebits.desync.writer import compact
from samebits.errors import Trap
from samebits.export.interface import Interface
from samebits.sim.outcome import TrapFact
from samebits.version import __version__

SYSTEMS = {"linux": "Linux", "windows": "Windows", "macos": "Darwin", "ios": "iOS"}
"""Words of targets, and what Python calls the system there. WebAssembly has none."""


def run_around_seed(interface: Interface) -> tuple[str, str]:
    """The members of the run's header before the digits of its seed, and behind them, without the
    checksum, which the seed changes."""
    text = interface.simulation.header(0).to_text()
    del text["checksum"]
    before, after = _around(text, '"seed":"0"')
    return f'{before[1:]}"seed":"', f'"{after}'


def machine_around_device(target: Target) -> tuple[str, str]:
    """What is known of a machine where a library for `target` runs, around its members from
    "processor" to "registers", which the library knows when it runs."""
    known = replace(
        UNKNOWN,
        architecture=target.architecture,
        system=next((name for word, name in SYSTEMS.items() if word in target.zig), ""),
        cpu=target.cpu,
        samebits=__version__,
        llvm=engine.llvm_version(),
    )
    return _around(known.to_json(), '"processor":"","python":"","registers":[]')


def _around(facts: Mapping[str, object], places: str) -> tuple[str, str]:
    before, found, after = compact(facts).partition(places)
    assert found
    return before, after


def contents_members() -> str:
    """The members of a report's contents that are the same in all of them."""
    facts = Contents("", 0, range(0), (), 0, 0).to_json()
    for name in ("asked", "frames", "states"):
        del facts[name]
    return f",{compact(facts)[1:-1]}"


def trap_members(interface: Interface, sites: Iterable[TrapSite]) -> list[str]:
    """The last member of the contents for each trap, in the order of their codes."""
    names = PortableNames(interface.simulation)
    traps = (Trap(site.kind, site.span, site.detail) for site in sites)
    found = (names.trap(TrapFact.of(trap)) for trap in traps)
    return [f',"trap":{compact([each.kind, each.message, each.place])}' for each in found]


_FILE = 4096
"""More than the file's marks, header, channels and end, and heads of parts that are not full."""
_DESCRIBED = 1024
"""More than what a library fills in of a description, and what it says of its target."""
_NUMBER = 21
"""A number of a description and a comma."""


def report_sizes(interface: Interface, sites: Iterable[TrapSite]) -> dict[str, int]:
    """The memory that a report needs, by the places of the header: at all, a frame, a state.

    Parts are cut in pieces of 60 KiB with heads of 104 bytes, in blocks of 65,535 bytes: that is
    less than 1 in 256, and 512 for each part. A description stands there twice, and again as the
    JSON string that its checksum is of, which may have twice the length.
    """
    header = interface.simulation.header(0)
    state, frame = interface.state_bytes, header.frame_size
    texts = (*run_around_seed(interface), compact(UNKNOWN.to_json()), contents_members())
    trap = max(map(len, trap_members(interface, sites)), default=0)
    described = sum(map(len, texts)) + trap + MAX_TEXT + _DESCRIBED
    scratch = max(input_block(header) * frame, 8 * BLOCK_VALUES, state)
    return {
        "REPORT_FIXED": 4 * described + scratch + _FILE,
        "REPORT_FRAME": frame + 16,
        "REPORT_STATE": state + state // 256 + 512 + 4 * _NUMBER,
    }
