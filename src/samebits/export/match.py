"""The peer of a match as a second WebAssembly module, with its JavaScript and its types.

A module of its own: who plays alone loads nothing of it.
"""

from __future__ import annotations

from samebits.export.header import places, printable
from samebits.export.interface import Interface
from samebits.export.peer_facts import memory_places
from samebits.export.templates import render
from samebits.export.views import view_name
from samebits.net.input_codec import InputCodec

_PARTS = ("head", "events", "core", "connection", "here", "there", "match", "worker")
"""What the JavaScript is put together from, in order."""


def sources(interface: Interface, codec: InputCodec) -> dict[str, str]:
    """The C file around the peer, and the JavaScript and TypeScript files, by their names."""
    name = interface.name
    facts = {
        **places(interface),
        **memory_places(interface, codec),
        "SIMULATION": printable(interface.simulation.name),
        "STATE_SIZE": interface.state.size,
        "INPUT_SIZE": interface.input.size,
        "STATE_VIEW": view_name(interface, interface.state),
        "INPUT_VIEW": view_name(interface, interface.input),
    }
    script = "\n".join(render(f"match/{part}.mjs", **facts) for part in _PARTS)
    return {
        "match.c": render("match/match.c", **facts),
        f"{name}_match.mjs": script,
        f"{name}_match.d.mts": render("match/match.d.mts", **facts),
        f"{name}_match.d.ts": render("module.d.ts", **{**facts, "NAME": f"{name}_match"}),
    }
