"""The README and the CMake file of an output folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samebits.backend.targets.table import Target
from samebits.export import wasm
from samebits.export.header import places
from samebits.export.interface import Interface
from samebits.export.peer import codec_of
from samebits.export.platforms import platform_of
from samebits.export.templates import render

_PEER = """\
To play a match over a network include `{name}_peer.h`, whose comments say how: messages go in and
out as bytes, in `{guard}_PEER_BYTES(window, kept)` bytes of your memory.

"""


def readme_text(interface: Interface, targets: Sequence[Target]) -> str:
    """Instructions for the folder in C, C++, CMake and JavaScript."""
    simulation = interface.simulation
    parts = [
        render(
            "README.md",
            **places(interface),
            SIMULATION=simulation.name,
            VERSION=simulation.version,
            STATE_SIZE=interface.state.size,
            ROWS="\n".join(_rows(interface, targets)),
        )
    ]
    linked = [t for t in targets if t.zig]
    modules = [t for t in targets if not t.zig]
    if linked:
        peer = _PEER if codec_of(interface) else ""
        peer = peer.format(name=interface.name, guard=interface.name.upper())
        facts = {**places(interface), "TARGET": linked[0].name, "PEER": peer}
        parts.append(render("README-c.md", **facts))
        programs = [t for t in linked if platform_of(t).program]
        if programs:
            first, program = programs[0], platform_of(programs[0]).program.format(interface.name)
            names = places(interface)
            parts.append(render("README-verify.md", **names, TARGET=first.name, PROGRAM=program))
    if modules:
        facts = {**places(interface), "TARGET": modules[0].name}
        parts.append(render("README-js.md", **facts))
        if codec_of(interface):
            parts.append(render("README-match.md", **facts))
    return "\n".join(parts)


def cmake_text(interface: Interface, targets: Sequence[Target]) -> str:
    """A file to `include` from a CMakeLists.txt."""
    linked = [t for t in targets if t.zig]
    return render(
        "library.cmake",
        **places(interface),
        TARGETS=" ".join(t.name for t in linked),
        TARGET=linked[0].name,
    )


def _rows(interface: Interface, targets: Sequence[Target]) -> Iterator[str]:
    name = interface.name
    for t in targets:
        if not t.zig:
            files, what = wasm.file_names(interface), "browsers, Node"
        else:
            platform = platform_of(t)
            files = [f"lib{name}.a", platform.shared, *platform.extra, platform.program]
            what = f"{platform.what}, {t.triple.split('-')[0]}"
            if t.levels:
                numbers = [level.rpartition("-")[2] for level in t.levels]
                what += f", the best of {', '.join(numbers)} where it runs"
        shown = ", ".join(f"`{file.format(name)}`" for file in files if file)
        yield f"| `{t.name}/` | {what} | {shown} |"
