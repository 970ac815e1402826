"""The README and the CMake file of an output folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samebits.backend.targets.table import Target
from samebits.export import wasm
from samebits.export.header import type_name
from samebits.export.interface import Interface
from samebits.export.platforms import platform_of
from samebits.export.templates import template


def readme_text(interface: Interface, targets: Sequence[Target]) -> str:
    """How to use the folder from C, C++, CMake and JavaScript."""
    simulation = interface.simulation
    parts = [
        template("README.md").render(
            **_names(interface),
            SIMULATION=simulation.name,
            VERSION=simulation.version,
            DIGEST=simulation.digest,
            TICK_RATE=simulation.tick_rate,
            STATE_BYTES=interface.state_bytes,
            STATE_SIZE=interface.state.size,
            ROWS="\n".join(_rows(interface, targets)),
        )
    ]
    linked = [t for t in targets if t.zig]
    modules = [t for t in targets if not t.zig]
    if linked:
        parts.append(template("README-c.md").render(**_names(interface), TARGET=linked[0].name))
        programs = [t for t in linked if platform_of(t).program]
        if programs:
            program = platform_of(programs[0]).program.format(interface.name)
            parts.append(
                template("README-verify.md").render(
                    **_names(interface), TARGET=programs[0].name, PROGRAM=program
                )
            )
    if modules:
        parts.append(template("README-js.md").render(**_names(interface), TARGET=modules[0].name))
    return "\n".join(parts)


def cmake_text(interface: Interface, targets: Sequence[Target]) -> str:
    """A file to `include` from a CMakeLists.txt."""
    linked = [t for t in targets if t.zig]
    return template("library.cmake").render(
        **_names(interface),
        TARGETS=" ".join(t.name for t in linked),
        TARGET=linked[0].name,
    )


def _names(interface: Interface) -> dict[str, object]:
    return {
        "NAME": interface.name,
        "GUARD": interface.name.upper(),
        "STATE": type_name(interface, interface.state),
        "INPUT": type_name(interface, interface.input),
        "PLAYERS": interface.players,
    }


def _rows(interface: Interface, targets: Sequence[Target]) -> Iterator[str]:
    name = interface.name
    for t in targets:
        if not t.zig:
            files, what = wasm.file_names(name), "browsers, Node"
        else:
            platform = platform_of(t)
            files = [f"lib{name}.a", platform.shared, *platform.extra, platform.program]
            what = f"{platform.what}, {t.triple.split('-')[0]}"
            if t.levels:
                numbers = [level.rpartition("-")[2] for level in t.levels]
                what += f", the best of {', '.join(numbers)} where it runs"
        shown = ", ".join(f"`{file.format(name)}`" for file in files if file)
        yield f"| `{t.name}/` | {what} | {shown} |"
