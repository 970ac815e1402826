"""Typed IR to objects, LLVM text or assembly: one request to the emitter and to LLVM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from samebits.backend.emit.emission import Emitted
from samebits.backend.emit.module import emit_module, emit_shared
from samebits.backend.llvm import engine
from samebits.backend.llvm.vectorize_check import check_vectorised
from samebits.backend.objects import CompiledObject
from samebits.backend.targets.table import Target
from samebits.backend.text.locations import Location
from samebits.backend.text.overrides import NONE, CodegenOverrides
from samebits.backend.text.shared_functions import SharedFunction
from samebits.ir.grammar import Module


def compile_module(
    module: Module,
    entries: Sequence[str],
    target: Target,
    opt: int = 3,
    *,
    vectorise: bool = True,
    ranges: Sequence[str] = (),
    threads: bool = False,
    overrides: CodegenOverrides = NONE,
    debug: bool = False,
) -> CompiledObject:
    """Object code with `sb_entry_<n>` for the n-th of `entries`, and `sb_range_<n>` for the n-th of
    `ranges`; `opt` is 0 or 3. With `threads` it is for this process, whose pool of threads runs
    its parallel ranges. With `debug` it has debug information. Raises CompileError where a loop
    that is to be vectorised is not."""
    emitted = emit_module(
        module, entries, target, ranges, threads=threads, overrides=overrides, debug=debug
    )
    return _compiled(emitted, target, opt, vectorise)


def compile_for_process(
    module: Module, entries: Sequence[str], target: Target, *, ranges: Sequence[str] = ()
) -> tuple[CompiledObject, tuple[SharedFunction, ...]]:
    """`compile_module` with `threads`, at level 3, without the functions that all kernels share;
    and those, in the order of the object's `needs`."""
    emitted = emit_module(module, entries, target, ranges, threads=True, shares=True)
    return _compiled(emitted, target, 3), emitted.needs


def compile_shared(
    functions: Sequence[SharedFunction], target: Target
) -> tuple[CompiledObject, tuple[SharedFunction, ...]]:
    """One object of shared functions with the same plan, and the others that it calls."""
    emitted = emit_shared(functions, target)
    made = _compiled(emitted, target, 3)
    has = tuple(f.key for f in functions)
    return CompiledObject(made.object_bytes, made.traps, made.needs, has), emitted.needs


def shared_assembly(functions: Sequence[SharedFunction], target: Target) -> str:
    """The target's assembly for the same code that `compile_shared` returns."""
    made = emit_shared(functions, target)
    return engine.assemble_text(made.text, target, 3, profile=made.profile)


def compile_emitted(
    emitted: Emitted, target: Target, opt: int = 3, *, vectorise: bool = True
) -> bytes:
    """Object code of emitted text, as `compile_module` makes it; raises CompileError alike."""
    profile, expected = emitted.profile, emitted.expected
    check = None
    if expected is not None and vectorise and profile.vectorise:
        check = partial(check_vectorised, expected, opt)
    return engine.compile_text(
        emitted.text, target, opt, vectorise=vectorise, profile=profile, after_passes=check
    )


def _compiled(emitted: Emitted, target: Target, opt: int, vectorise: bool = True) -> CompiledObject:
    code = compile_emitted(emitted, target, opt, vectorise=vectorise)
    return CompiledObject(code, emitted.traps, tuple(f.key for f in emitted.needs))


def llvm_text(
    module: Module, entries: Sequence[str], target: Target, opt: int | None = None
) -> str:
    """LLVM text as emitted, or after the passes of level `opt`."""
    made = emit_module(module, entries, target)
    return (
        made.text
        if opt is None
        else engine.optimise_text(made.text, target, opt, profile=made.profile)
    )


def assembly_text(module: Module, entries: Sequence[str], target: Target, opt: int = 3) -> str:
    """The target's assembly for the same code that `compile_module` returns."""
    made = emit_module(module, entries, target)
    return engine.assemble_text(made.text, target, opt, profile=made.profile)


@dataclass(frozen=True, slots=True)
class Listing:
    """One compilation as LLVM prints it. The located texts have a debug location at each
    instruction, whose line stands for one of `locations`, from 1; the others have none."""

    llvm: str
    assembly: str
    located_llvm: str
    located_assembly: str
    locations: tuple[Location, ...]


def listing(
    module: Module,
    entries: Sequence[str],
    target: Target,
    opt: int = 3,
    *,
    ranges: Sequence[str] = (),
) -> Listing:
    """LLVM text after the passes and commented assembly of what `compile_module` returns.

    Locations move instructions on some targets (what unwinds the stack is kept in order), so that
    the code is made twice.
    """
    plain = emit_module(module, entries, target, ranges)
    located = emit_module(module, entries, target, ranges, locate=True)
    profile = plain.profile
    text, assembly = engine.list_text(plain.text, target, opt, profile=profile)
    located_text, located_assembly = engine.list_text(located.text, target, opt, profile=profile)
    return Listing(text, assembly, located_text, located_assembly, located.locations)
