"""A match's peer beside an exported library: its header and its C file."""

from __future__ import annotations

from samebits.backend.targets.table import Target
from samebits.errors import MatchError
from samebits.export.header import c_string, places, printable
from samebits.export.interface import Interface
from samebits.export.peer_facts import constants, memory_places, record_places
from samebits.export.templates import render
from samebits.net.input_codec import InputCodec
from samebits.runtime.fingerprint import library_fingerprint
from samebits.version import __version__

_PARTS = (
    "head", "wire", "inputs", "pace", "timeline", "core", "transfers", "taking", "program",
)  # fmt: skip
"""What the C file is put together from, in order."""


def codec_of(interface: Interface) -> InputCodec | None:
    """The bytes of the simulation's inputs on the wire; None where it can't be played over a
    network, so that there is no peer."""
    try:
        return InputCodec(interface.simulation)
    except MatchError:
        return None


def peer_header_text(interface: Interface, codec: InputCodec) -> str:
    """The header, which is the same for every target."""
    return render("peer/peer.h", **_places(interface, codec))


def peer_text(interface: Interface, codec: InputCodec, target: Target) -> str:
    """The C file for a library for `target`, compiled beside the one that its header describes."""
    groups = [f"    {{{start}, {stop}}}," for start, stop in codec.groups]
    more = {
        "CONSTANTS": constants(codec),
        "GROUPS": len(groups),
        "GROUP_ROWS": "\n".join(groups),
        "SCHEMA": f"0x{codec.schema:016x}",
        "SIMULATION_TEXT": c_string(interface.simulation.name),
        "LIBRARY": c_string(__version__),
        "FINGERPRINT": c_string(library_fingerprint()),
        "TARGET_TEXT": c_string(f"{target.triple} {target.cpu}".strip()),
    }
    facts = {**_places(interface, codec), **record_places(), **more}
    return "\n".join(render(f"peer/{part}.c", **facts) for part in _PARTS)


def _places(interface: Interface, codec: InputCodec) -> dict[str, object]:
    return {
        **places(interface),
        **memory_places(interface, codec),
        "SIMULATION": printable(interface.simulation.name),
    }
