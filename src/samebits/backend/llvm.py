"""LLVM, through llvmlite: text to objects or assembly, and objects into this process.

The only module that imports llvmlite. Knows LLVM text, targets and objects, not how kernels
become text.
"""

from __future__ import annotations

import atexit
import importlib
import itertools
import json
import re
import subprocess
import sys
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from samebits.backend import wide_division
from samebits.backend.debug import Location
from samebits.backend.departures import NONE, Departures
from samebits.backend.emit import Emitted, emit_module, emit_shared
from samebits.backend.expected import Expected
from samebits.backend.host_levels import HostLevel, best_level, host_levels
from samebits.backend.objects import NO_ADDRESSES, CompiledObject
from samebits.backend.plans import APART_PASSES, SPEED, Plan
from samebits.backend.rare import VARIANTS, Late, split
from samebits.backend.seldom import is_seldom
from samebits.backend.shared import SharedFunction
from samebits.backend.targets import Target
from samebits.backend.wide_helpers import DIVISIONS
from samebits.compiling import lock
from samebits.errors import RunnerError, TargetError
from samebits.ir.grammar import Module
from samebits.lang.stacks import undisturbed


@cache
def _binding() -> Any:
    """llvmlite's binding with every target set up; imported at first use, because it is large."""
    with lock():  # two threads may be here at once, and LLVM's registries take one
        binding = importlib.import_module("llvmlite.binding")
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
    return binding


@cache
def llvm_version() -> str:
    """LLVM's version and llvmlite's, as in `LLVM 22.1.0, llvmlite 0.50.0`."""
    version = ".".join(map(str, _binding().llvm_version_info))
    return f"LLVM {version}, llvmlite {importlib.import_module('llvmlite').__version__}"


@cache
def available_targets() -> tuple[HostLevel, ...]:
    """Every target row with the reason why it cannot run in this process, if so."""
    binding = _binding()
    return undisturbed(
        lambda: host_levels(
            binding.get_process_triple(),
            dict(binding.get_host_cpu_features()),
            binding.get_host_cpu_name(),
        )
    )


@cache
def host_processor() -> tuple[str, tuple[str, ...]]:
    """LLVM's name of this processor, and the features that it has, in LLVM's spelling, sorted."""
    binding = _binding()
    name, found = undisturbed(
        lambda: (str(binding.get_host_cpu_name()), dict(binding.get_host_cpu_features()))
    )
    return name, tuple(sorted(k for k, v in found.items() if v))


@cache
def host_target() -> Target:
    """The highest row that this process can run; raises TargetError on a host without one."""
    target = best_level(available_targets())
    if target is None:
        raise TargetError(
            f"no target row for this machine ({_binding().get_process_triple()})",
            fix="run the kernel's `.managed`, or add a row to backend/targets.py",
        )
    return target


@cache
def _machine(triple: str, cpu: str, features: str, abi: str, opt: int) -> Any:
    target = _binding().Target.from_triple(triple)
    # WebAssembly has position-independent code for dynamic linking alone.
    reloc = "static" if triple.startswith("wasm") else "pic"
    return target.create_target_machine(
        cpu=cpu, features=features, opt=opt, reloc=reloc, codemodel="small", abiname=abi
    )


def data_layout(target: Target) -> str:
    """LLVM's own data layout for a row."""
    with lock():
        given = target.triple, target.cpu, target.features, target.abi, 0
        return undisturbed(lambda: str(_machine(*given).target_data))


_UNUSED = ("global_dead_code_eliminate",)
"""The passes after which a module has the declarations alone that it needs."""
_LATE = ("always_inliner", "global_dead_code_eliminate")
"""The passes when what came after vectorisation is linked."""
_LINKED = (*_LATE, "constant_merge")
"""The passes when these are linked: both sides may have the same table."""


def _optimise(
    module: Any,
    machine: Any,
    level: int,
    vectorise: bool = False,
    passes: tuple[str, ...] = (),
    *,
    straight: bool = False,
    unroll: bool = True,
) -> None:
    """The passes of LLVM's pipeline of a level, or those that are named."""
    binding = _binding()
    options = binding.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = vectorise
    options.slp_vectorization = vectorise and straight
    options.loop_unrolling = unroll
    builder = binding.create_pass_builder(machine, options)
    if passes:
        manager = binding.create_new_module_pass_manager()
        for name in passes:
            getattr(manager, f"add_{name}_pass")()
    else:
        manager = builder.getModulePassManager()
    try:
        manager.run(module, builder)
    finally:
        # llvmlite 0.50 never frees pass managers: ObjectRef's empty _dispose hides theirs.
        binding.newpassmanagers.NewPassManager._dispose(manager)
        manager.detach()
        builder.close()
        options.close()


def _link_late(module: Any, machine: Any, context: Any, layout: str, late: Late) -> None:
    """After vectorisation: the tests for lanes go where they are called, and with them come the
    loops over lanes."""
    module.get_global_variable(VARIANTS).linkage = "internal"
    _optimise(module, machine, 0, passes=_UNUSED)
    text = late.text(function.name for function in module.functions)
    if text:
        _link(module, _binding().parse_assembly(layout + text, context))
        _optimise(module, machine, 0, passes=_LATE)


def _spare(part: Any, most: int) -> None:
    """Code for copies that seldom run, and for rare functions where there are more than `most`, is
    selected in half the time. Those of float64 are as fast; of float32, some take up to three
    quarters longer."""
    made = [function for function in part.functions if not function.is_declaration]
    copies = [function for function in made if is_seldom(function.name)]
    for function in made if len(made) - len(copies) > most else copies:
        function.add_function_attribute("noinline")
        function.add_function_attribute("optnone")


def _link_divisions(module: Any, target: Target, context: Any, layout: str) -> None:
    """What code selection will call for divisions that the passes have made."""
    widths = [bits for architecture, bits in DIVISIONS if architecture == target.architecture]
    text = str(module) if widths else ""
    for bits in widths:
        if re.search(rf" = u(div|rem) (exact )?i{bits} ", text):
            part = DIVISIONS[target.architecture, bits]
            module.link_in(_binding().parse_assembly(layout + part, context))


def _link(module: Any, part: Any) -> None:
    """Add a module whose functions are for the other alone."""
    own = [f.name for f in part.functions if not f.is_declaration and f.linkage.name == "external"]
    module.link_in(part)
    for name in own:
        module.get_function(name).linkage = "internal"


def _with_module(
    text: str,
    target: Target,
    opt: int,
    want: str,
    vectorise: bool = True,
    plan: Plan = SPEED,
    expected: Expected | None = None,
) -> Any:
    _binding()
    with lock():
        made = partial(_processed, text, target, opt, want, vectorise, plan, expected)
        found = undisturbed(made)
        code = found[1] if want == "listing" else found
        if want != "text" and wide_division.is_lacking(code, text, target):
            found = undisturbed(partial(made, completed=True))
        return found


def _processed(
    text: str,
    target: Target,
    opt: int,
    want: str,
    vectorise: bool,
    plan: Plan,
    expected: Expected | None,
    completed: bool = False,
) -> Any:
    """What is wanted of LLVM text, `completed` with wide divisions of its own. The lock is held, be
    it by a thread that waits for this one."""
    binding = _binding()
    codegen = plan.codegen if opt else 0
    machine = _machine(target.triple, target.cpu, target.features, target.abi, codegen)
    context = binding.create_context()
    # Without its layout the passes would take every target for a little-endian 64-bit one.
    layout = f'target datalayout = "{machine.target_data}"\n'
    text, apart, late = split(text)
    module = binding.parse_assembly(layout + text, context)
    try:
        if opt:
            vectorise = vectorise and plan.vectorise
            _optimise(
                module, machine, plan.level, vectorise, plan.passes,
                straight=plan.straight, unroll=plan.unroll,
            )  # fmt: skip
            if plan.hasty:
                _spare(module, -1)
        if late is not None:
            _link_late(module, machine, context, layout, late)
        if apart:
            part = binding.parse_assembly(layout + apart, context)
            if opt:
                _optimise(part, machine, opt, passes=APART_PASSES)
                _spare(part, plan.most_rare)
            _link(module, part)
            _optimise(module, machine, 0, passes=_LINKED)
        _link_divisions(module, target, context, layout)
        if expected is not None and vectorise and plan.vectorise:
            expected.check(str(module), opt)
        if completed:
            whole = wide_division.completed(str(module), target)
            module.close()
            module = binding.parse_assembly(whole, context)
        if want == "text":
            return str(module)
        if want == "listing":
            machine.set_asm_verbosity(True)
            return str(module), machine.emit_assembly(module)
        emit = machine.emit_assembly if want == "assembly" else machine.emit_object
        return emit(module)
    finally:
        module.close()
        context.close()


def compile_text(
    text: str,
    target: Target,
    opt: int = 3,
    *,
    vectorise: bool = True,
    plan: Plan = SPEED,
    expected: Expected | None = None,
) -> bytes:
    """Object code of LLVM text; without `opt` nothing is optimised, whatever the plan.

    Raises RuntimeError where the text is not valid, CompileError where a loop of `expected` is
    not vectorised.
    """
    return _with_module(text, target, opt, "object", vectorise, plan, expected)


def compile_module(
    module: Module,
    entries: Sequence[str],
    target: Target,
    opt: int = 3,
    *,
    vectorise: bool = True,
    ranges: Sequence[str] = (),
    threads: bool = False,
    departures: Departures = NONE,
) -> CompiledObject:
    """Object code with `sb_entry_<n>` for the n-th of `entries`, and `sb_range_<n>` for the n-th of
    `ranges`; `opt` is 0 or 3. With `threads` it is for this process, whose pool of threads runs
    its parallel ranges. Raises CompileError where a loop that is to be vectorised is not."""
    emitted = emit_module(module, entries, target, ranges, threads=threads, departures=departures)
    return _compiled(emitted, target, opt, vectorise)


def compile_for_process(
    module: Module, entries: Sequence[str], target: Target, *, ranges: Sequence[str] = ()
) -> tuple[CompiledObject, tuple[SharedFunction, ...]]:
    """As `compile_module` with `threads`, at level 3, without what is compiled apart for all
    kernels: the shared functions, in the order of the object's `needs`."""
    emitted = emit_module(module, entries, target, ranges, threads=True, shares=True)
    return _compiled(emitted, target, 3), emitted.needs


def compile_shared(
    functions: Sequence[SharedFunction], target: Target
) -> tuple[CompiledObject, tuple[SharedFunction, ...]]:
    """One object of shared functions with the same plan, and the others that it calls."""
    emitted = emit_shared(functions, target)
    made = _compiled(emitted, target, 3)
    return made._replace(has=tuple(f.key for f in functions)), emitted.needs


def shared_assembly(functions: Sequence[SharedFunction], target: Target) -> str:
    """The target's assembly for the same code that `compile_shared` returns."""
    made = emit_shared(functions, target)
    return _with_module(made.text, target, 3, "assembly", plan=made.plan)


def _compiled(emitted: Emitted, target: Target, opt: int, vectorise: bool = True) -> CompiledObject:
    code = compile_text(
        emitted.text,
        target,
        opt,
        vectorise=vectorise,
        plan=emitted.plan,
        expected=emitted.expected,
    )
    return CompiledObject(code, emitted.traps, tuple(f.key for f in emitted.needs))


def llvm_text(
    module: Module, entries: Sequence[str], target: Target, opt: int | None = None
) -> str:
    """LLVM text as emitted, or after the passes of level `opt`."""
    made = emit_module(module, entries, target)
    return made.text if opt is None else _with_module(
        made.text, target, opt, "text", plan=made.plan
    )  # fmt: skip


def assembly_text(module: Module, entries: Sequence[str], target: Target, opt: int = 3) -> str:
    """The target's assembly for the same code that `compile_module` returns."""
    made = emit_module(module, entries, target)
    return _with_module(made.text, target, opt, "assembly", plan=made.plan)


def assemble_text(text: str, target: Target, opt: int = 3, *, plan: Plan = SPEED) -> str:
    """The target's assembly for LLVM text."""
    return _with_module(text, target, opt, "assembly", plan=plan)


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
    plan = plain.plan
    llvm, assembly = _with_module(plain.text, target, opt, "listing", plan=plan)
    located_llvm, located_assembly = _with_module(located.text, target, opt, "listing", plan=plan)
    return Listing(llvm, assembly, located_llvm, located_assembly, located.locations)


_REMARKS = ("pass-remarks", "pass-remarks-missed", "pass-remarks-analysis")
_CHILD = "import sys; sys.path.insert(0, sys.argv[1])\n" \
    "from samebits.backend.llvm import print_remarks; print_remarks(sys.stdin.read())"  # fmt: skip
_CHILD_SECONDS = 300


def remarks_text(text: str, target: Target, opt: int = 3) -> str:
    """What LLVM's loop vectoriser says about LLVM text, a remark a line.

    It writes to a process's standard error, and only where the whole process is told to: another
    process compiles the text again. Raises RunnerError where none can be started or it fails.
    """
    order = json.dumps({"text": text, "target": target._asdict(), "opt": opt})
    root = str(Path(__file__).parents[2])
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _CHILD, root],
            input=order, capture_output=True, text=True, timeout=_CHILD_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise RunnerError(
            "the vectoriser's remarks can't be read",
            note=f"they come from another Python process, which can't be run: {error}",
        ) from None
    if done.returncode:
        raise RunnerError(
            "the vectoriser's remarks can't be read",
            note=f"the process that LLVM writes them in failed: {done.stderr.strip()[-300:]}",
        )
    return done.stderr


def print_remarks(order: str) -> None:
    """What the other process does: compile, with remarks written to standard error."""
    given: dict[str, Any] = json.loads(order)
    for option in _REMARKS:
        _binding().set_option("", f"-{option}=loop-vectorize")
    row: dict[str, Any] = given["target"]
    row.update({name: tuple(row[name]) for name in ("requires", "levels")})
    _with_module(given["text"], Target(**row), given["opt"], "text")


_LOADS_PER_LINKER = 64
"""A linker keeps some 9 KiB of every object that it ever linked, until it goes itself."""


class _Linker:
    """An in-process linker. Objects that it linked must be unloaded before it is closed."""

    def __init__(self) -> None:
        target = host_target()
        machine = (
            _binding()
            .Target.from_triple(target.triple)
            .create_target_machine(
                cpu=target.cpu, features=target.features, opt=0, reloc="pic", codemodel="small"
            )
        )
        self.jit: Any = _binding().create_lljit_compiler(machine, use_jit_link=True)
        self.loads = 0
        self.loaded = 0


class _Loading:
    """What loading shares in the process: the linker in use, and whether the process ends."""

    linker: _Linker | None = None
    serial = itertools.count()
    ending = False
    registered = False


def _end() -> None:
    _Loading.ending = True


def _unload(tracker: Any, linker: _Linker) -> None:
    if _Loading.ending:  # a daemon thread may still be inside: leave it all to the system
        tracker.detach()
        linker.jit.detach()
        return
    with lock():
        undisturbed(partial(_unloaded, tracker, linker))


def _unloaded(tracker: Any, linker: _Linker) -> None:
    if not tracker.closed:
        tracker.close()
        linker.loaded -= 1
        if linker.loaded == 0 and linker is not _Loading.linker:
            linker.jit.close()


class LoadedObject:
    """Object code in this process. Addresses hold until `close`, or until this is collected."""

    __slots__ = ("__weakref__", "_finalizer", "addresses")

    def __init__(self, tracker: Any, linker: _Linker, addresses: dict[str, int]) -> None:
        self.addresses = addresses
        self._finalizer = weakref.finalize(self, _unload, tracker, linker)
        if not _Loading.registered:
            # After the first finalizer, so that at exit this runs before any of them.
            _Loading.registered = True
            atexit.register(_end)

    def close(self) -> None:
        """Unload. No code of this object may be running, or run later."""
        self.addresses = {}
        self._finalizer()


def load(
    object_bytes: bytes, symbols: Sequence[str], imports: Mapping[str, int] = NO_ADDRESSES
) -> LoadedObject:
    """Link an object for this host into the process and look `symbols` up. `imports` are the
    addresses of what it calls elsewhere; they must hold as long as it is loaded.

    Raises RuntimeError where a symbol is missing or the object is not for this host. The bytes
    are executed later: they must come from this library or from a checked cache.
    """
    with lock():
        return undisturbed(partial(_loaded, object_bytes, symbols, imports))


def _loaded(
    object_bytes: bytes, symbols: Sequence[str], imports: Mapping[str, int]
) -> LoadedObject:
    linker = _Loading.linker
    if linker is None or linker.loads == _LOADS_PER_LINKER:
        old, linker = linker, _Linker()
        _Loading.linker = linker
        if old is not None and old.loaded == 0:
            old.jit.close()
    builder = _binding().JITLibraryBuilder().add_object_img(object_bytes)
    builder.add_current_process()
    for symbol, address in imports.items():
        builder.import_symbol(symbol, address)
    for symbol in symbols:
        builder.export_symbol(symbol)
    linker.loads += 1
    tracker = builder.link(linker.jit, f"samebits.{next(_Loading.serial)}")
    linker.loaded += 1
    addresses = {symbol: int(tracker[symbol]) for symbol in symbols}
    return LoadedObject(tracker, linker, addresses)
