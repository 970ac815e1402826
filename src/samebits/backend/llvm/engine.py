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
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from samebits.backend.lowering import wide_division
from samebits.backend.lowering.int64_builtins import DIVISIONS
from samebits.backend.objects import NO_ADDRESSES
from samebits.backend.targets.host_levels import HostLevel, best_level, host_levels
from samebits.backend.targets.table import Target
from samebits.backend.text.cold_calls import VARIANTS, DeferredVariants, split_cold
from samebits.backend.text.cold_copies import is_cold_copy
from samebits.backend.text.profiles import COLD_PASSES, SPEED, CodegenProfile
from samebits.compiling import lock
from samebits.errors import RunnerError, TargetError
from samebits.lang.stacks import undisturbed

STRAIGHT_LINE_BITS = 128
"""The widest vectors that straight-line code becomes: a vector of the language, four of binary32.
In wider ones LLVM puts two of them together, with a shuffle for nearly each operation: a 4x4
matrix times another takes a third longer (AVX2)."""

AfterPasses = Callable[[str], None]
"""Receives a module's text after the passes, and may reject it by raising."""


@cache
def _binding() -> Any:
    """llvmlite's binding with every target initialised; imported at first use, because it is
    large."""
    with lock():  # LLVM's registries are not thread-safe
        binding = importlib.import_module("llvmlite.binding")
        binding.initialize_all_targets()
        binding.initialize_all_asmprinters()
        binding.set_option("", f"-slp-max-reg-size={STRAIGHT_LINE_BITS}")
        binding.set_option("", "-force-ordered-reductions")
    return binding


@cache
def llvm_version() -> str:
    """LLVM's version and llvmlite's, as in `LLVM 22.1.0, llvmlite 0.50.0`."""
    version = ".".join(map(str, _binding().llvm_version_info))
    return f"LLVM {version}, llvmlite {importlib.import_module('llvmlite').__version__}"


@cache
def available_targets() -> tuple[HostLevel, ...]:
    """Every target row, with the reason why it cannot run in this process, if any."""
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
    """LLVM's name of this processor, and its features in LLVM's spelling, sorted."""
    binding = _binding()
    name, found = undisturbed(
        lambda: (str(binding.get_host_cpu_name()), dict(binding.get_host_cpu_features()))
    )
    return name, tuple(sorted(k for k, v in found.items() if v))


@cache
def host_target() -> Target:
    """The highest row that this process can run; raises TargetError if there is none."""
    target = best_level(available_targets())
    if target is None:
        raise TargetError(
            f"no target row for this machine ({_binding().get_process_triple()})",
            fix="run the kernel's `.managed`, or add a row to backend/targets/table.py",
        )
    return target


@cache
def _machine(triple: str, cpu: str, features: str, abi: str, opt: int) -> Any:
    target = _binding().Target.from_triple(triple)
    # WebAssembly has position-independent code for dynamic linking alone.
    reloc = "static" if triple.startswith("wasm") else "pic"
    # PowerPC's small model holds 64 KiB of addresses in all, fewer than the math library has.
    model = "medium" if triple.startswith("powerpc64") else "small"
    return target.create_target_machine(
        cpu=cpu, features=features, opt=opt, reloc=reloc, codemodel=model, abiname=abi
    )


def data_layout(target: Target) -> str:
    """LLVM's data layout for a row."""
    with lock():
        given = target.triple, target.cpu, target.features, target.abi, 0
        return undisturbed(lambda: str(_machine(*given).target_data))


_UNUSED = ("global_dead_code_eliminate",)
"""The passes that remove unused declarations."""
_DEFERRED_PASSES = ("always_inliner", "global_dead_code_eliminate")
"""The passes after linking deferred variants."""
_LINKED = (*_DEFERRED_PASSES, "constant_merge")
"""The passes after linking the cold section: both modules may have the same table."""


def _optimise(
    module: Any,
    machine: Any,
    level: int,
    vectorise: bool = False,
    passes: tuple[str, ...] = (),
    *,
    slp: bool = False,
    unroll: bool = True,
) -> None:
    """Run LLVM's pipeline of a level, or the named passes."""
    binding = _binding()
    options = binding.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = vectorise
    options.slp_vectorization = vectorise and slp
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


def _link_deferred(
    module: Any, machine: Any, context: Any, layout: str, deferred: DeferredVariants
) -> None:
    """After vectorisation: inline the tests of used variants, and link their loops over lanes."""
    module.get_global_variable(VARIANTS).linkage = "internal"
    _optimise(module, machine, 0, passes=_UNUSED)
    text = deferred.text(function.name for function in module.functions)
    if text:
        _link(module, _binding().parse_assembly(layout + text, context))
        _optimise(module, machine, 0, passes=_DEFERRED_PASSES)


def _skip_optimisation(part: Any, most: int) -> None:
    """Disable optimised code generation for cold copies, and for all cold functions if there are
    more than `most`: it takes half the time. Functions of float64 are as fast; of float32, some
    take up to three quarters longer."""
    made = [function for function in part.functions if not function.is_declaration]
    copies = [function for function in made if is_cold_copy(function.name)]
    for function in made if len(made) - len(copies) > most else copies:
        function.add_function_attribute("noinline")
        function.add_function_attribute("optnone")


def _link_divisions(module: Any, target: Target, context: Any, layout: str) -> None:
    """Link the functions that code generation calls for divisions that the passes introduced."""
    widths = [bits for architecture, bits in DIVISIONS if architecture == target.architecture]
    text = str(module) if widths else ""
    for bits in widths:
        if re.search(rf" = u(div|rem) (exact )?i{bits} ", text):
            part = DIVISIONS[target.architecture, bits]
            module.link_in(_binding().parse_assembly(layout + part, context))


def _link(module: Any, part: Any) -> None:
    """Link a module and make its functions internal."""
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
    profile: CodegenProfile = SPEED,
    after_passes: AfterPasses | None = None,
) -> Any:
    _binding()
    with lock():
        made = partial(_processed, text, target, opt, want, vectorise, profile, after_passes)
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
    profile: CodegenProfile,
    after_passes: AfterPasses | None,
    completed: bool = False,
) -> Any:
    """The wanted form of LLVM text, `completed` with wide divisions of its own. The lock is held,
    perhaps by a thread that waits for this one."""
    binding = _binding()
    codegen = profile.codegen if opt else 0
    machine = _machine(target.triple, target.cpu, target.features, target.abi, codegen)
    context = binding.create_context()
    # Without its layout the passes would take every target for a little-endian 64-bit one.
    layout = f'target datalayout = "{machine.target_data}"\n'
    text, cold, deferred = split_cold(text)
    module = binding.parse_assembly(layout + text, context)
    try:
        if opt:
            vectorise = vectorise and profile.vectorise
            _optimise(
                module, machine, profile.level, vectorise, profile.passes,
                slp=profile.slp, unroll=profile.unroll,
            )  # fmt: skip
            if profile.optnone:
                _skip_optimisation(module, -1)
        if deferred is not None:
            _link_deferred(module, machine, context, layout, deferred)
        if cold:
            part = binding.parse_assembly(layout + cold, context)
            if opt:
                _optimise(part, machine, opt, passes=COLD_PASSES)
                _skip_optimisation(part, profile.most_cold_optimised)
            _link(module, part)
            _optimise(module, machine, 0, passes=_LINKED)
        _link_divisions(module, target, context, layout)
        if after_passes is not None:
            after_passes(str(module))
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
    profile: CodegenProfile = SPEED,
    after_passes: AfterPasses | None = None,
) -> bytes:
    """Object code of LLVM text; without `opt` nothing is optimised, whatever the profile.

    Raises RuntimeError if the text is not valid, and what `after_passes` raises.
    """
    return _with_module(text, target, opt, "object", vectorise, profile, after_passes)


def assemble_text(
    text: str, target: Target, opt: int = 3, *, profile: CodegenProfile = SPEED
) -> str:
    """The target's assembly for LLVM text."""
    return _with_module(text, target, opt, "assembly", profile=profile)


def optimise_text(
    text: str, target: Target, opt: int = 3, *, profile: CodegenProfile = SPEED
) -> str:
    """LLVM text after the passes of level `opt`."""
    return _with_module(text, target, opt, "text", profile=profile)


def list_text(
    text: str, target: Target, opt: int = 3, *, profile: CodegenProfile = SPEED
) -> tuple[str, str]:
    """LLVM text after the passes, and the target's assembly for it, with LLVM's comments."""
    return _with_module(text, target, opt, "listing", profile=profile)


_REMARKS = ("pass-remarks", "pass-remarks-missed", "pass-remarks-analysis")
_CHILD = """\
import sys; sys.path.insert(0, sys.argv[1])
from samebits.backend.llvm.engine import print_remarks; print_remarks(sys.stdin.read())
"""
_CHILD_SECONDS = 300


def remarks_text(text: str, target: Target, opt: int = 3) -> str:
    """The loop vectoriser's remarks on LLVM text, one a line.

    LLVM writes them to standard error, by an option of the whole process: so another process
    compiles the text again. Raises RunnerError if it cannot be started or fails.
    """
    order = json.dumps({"text": text, "target": target._asdict(), "opt": opt})
    root = str(Path(__file__).parents[3])
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
    """The other process's work: compile, with remarks written to standard error."""
    given: dict[str, Any] = json.loads(order)
    for option in _REMARKS:
        _binding().set_option("", f"-{option}=loop-vectorize")
    row: dict[str, Any] = given["target"]
    row.update({name: tuple(row[name]) for name in ("requires", "levels")})
    _with_module(given["text"], Target(**row), given["opt"], "text")


_LOADS_PER_LINKER = 64
"""Objects for one linker, which keeps some 9 KiB of each object that it linked, until it is
closed."""


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
    """The process's loading state: the linker in use, and whether the process is ending."""

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
            # Registered after the first finalizer, so that at exit this runs before any of them.
            _Loading.registered = True
            atexit.register(_end)

    def close(self) -> None:
        """Unload. No code of this object may be running, or run later."""
        self.addresses = {}
        self._finalizer()


def load(
    object_bytes: bytes, symbols: Sequence[str], imports: Mapping[str, int] = NO_ADDRESSES
) -> LoadedObject:
    """Link an object for this host into the process and look up `symbols`. `imports` are the
    addresses of external functions; they must stay valid while the object is loaded.

    Raises RuntimeError if a symbol is missing or the object is not for this host. The bytes are
    executed later: they must come from this library or from a checked cache.
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
