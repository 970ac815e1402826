"""A typed IR module as one LLVM module's text, and its table of traps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from samebits.backend.emit.direct_entry import DirectEntry, direct_entry_text
from samebits.backend.emit.emission import Emission, Emitted
from samebits.backend.emit.entry import entry_text
from samebits.backend.emit.vectors import VectorEmitter
from samebits.backend.objects import OWN
from samebits.backend.targets.table import Target
from samebits.backend.text.debug_info import DebugInfo
from samebits.backend.text.locations import Locations
from samebits.backend.text.output_buffer import address_entry
from samebits.backend.text.overrides import NONE, CodegenOverrides
from samebits.backend.text.shared_functions import SharedFunction
from samebits.ir.grammar import Module

_NONE: Mapping[str, DirectEntry] = MappingProxyType({})


def emit_module(
    module: Module,
    entries: Sequence[str],
    target: Target,
    ranges: Sequence[str] = (),
    *,
    locate: bool = False,
    locate_loops: bool = False,
    threads: bool = False,
    shares: bool = False,
    overrides: CodegenOverrides = NONE,
    debug: bool = False,
    direct: Mapping[str, DirectEntry] = _NONE,
    direct_attributes: str = "",
) -> Emitted:
    """LLVM text that defines `sb_entry_<n>` for the n-th of `entries`, `sb_range_<n>` for the n-th
    of `ranges`, and what they reach; of a module that prints one more entry, which gives the
    address of its output.

    `locate` gives each instruction the location of its statement and changes no code;
    `locate_loops` locates loops too, which can keep LLVM from merging blocks. `threads` is for code
    of this process: parallel ranges call the hook if it is set. `shares` leaves out functions that
    are compiled once for all modules of this process. `debug` gives the functions debug information
    and their names memory of their own. Those of `entries` that `direct` has become C functions
    instead, with `direct_attributes`. Raises CompileError if local memory exceeds the stack limit,
    IRError for IR that breaks the grammar's rules.
    """
    locations = Locations() if locate else None
    if debug:
        locations = DebugInfo(pointer_bits=target.pointer_bits)
    emission = Emission(
        module, entries, ranges, target, locations, locate_loops, threads, overrides,
        pins=not direct,
    )  # fmt: skip
    if shares:
        emission.share(ranges)
    every = {
        name: VectorEmitter(emission, emission.function(name)).text() for name in emission.order
    }
    copied = emission.reached(emission.copies)
    texts = [text for name, text in every.items() if not emission.is_cold(name)]
    cold_section = [
        text for name, text in every.items() if name in emission.cold_section or name in copied
    ]
    for index, name in enumerate(entries):
        more = [f"ptr @{OWN}"] * (name in emission.owns)
        before, ready = emission.arena(name, more)
        function, traps = emission.function(name), emission.traps[name]
        if name in direct:
            entry = direct[name]
            texts.append(direct_entry_text(entry, function, traps, target, direct_attributes))
            continue
        guard = emission.guard(name)
        texts.append(
            entry_text(
                index,
                function,
                traps,
                target,
                emission.of_adapters,
                ", ".join(more),
                emission.environment,
                guard,
                before,
                ready,
            )
        )
    if emission.has_output:
        texts.append(address_entry(len(entries)))
    return emission.result([*texts, *emission.range_texts(ranges)], cold_section)


def emit_shared(functions: Sequence[SharedFunction], target: Target) -> Emitted:
    """LLVM text that defines shared functions of one profile, each under its own symbol."""
    module = Module()
    for shared in functions:
        module.functions.update(shared.module.functions)
        module.tables.update(shared.module.tables)
    names = [shared.name for shared in functions]
    first = functions[0]
    emission = Emission(module, names, [], target, None, False, False, NONE, first.profile)
    emission.share(None, first.optnone)
    for shared in functions:
        if shared.kind == "cold":
            emission.is_own(shared)
    texts = [VectorEmitter(emission, emission.function(name)).text() for name in emission.order]
    texts += [
        emission.wrapper(shared.name, shared.symbol).text()
        for shared in functions
        if shared.kind != "cold"
    ]
    return emission.result(texts, [])
