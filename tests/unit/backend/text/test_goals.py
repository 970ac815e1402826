"""`optimize_for` changes how long a kernel takes and how large it is, never a result's bits."""

# pyright: reportReturnType=false, reportIndexIssue=false, reportArgumentType=false

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.fuzz.execute import Compiled, levels, run_evaluate
from tests.fuzz.generator import generate
from tests.fuzz.loading import Workspace

import samebits as sb
from samebits import float3, float32, math
from samebits.backend.llvm.compile import assembly_text, compile_module
from samebits.backend.targets.audit import audit
from samebits.backend.targets.table import TARGETS, Target
from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Module
from samebits.ir.text import print_module
from samebits.lang.kernel import Kernel
from samebits.modes import Goal
from samebits.passes.pipeline import optimise
from samebits.sim.program import build_program

GOALS: tuple[Goal, ...] = ("speed", "size", "compile_time")


def forces(p: sb.Array[float3], v: sb.Array[float3], dt: float32) -> None:
    for i in range(len(p)):
        acc = float3(0)
        for j in range(len(p)):
            d = p[j] - p[i]
            r = sb.dot(d, d) + float32(0.01)
            acc += d * (1 / (r * sb.sqrt(r)))
        v[i] = v[i] + acc * dt


def waves(x: sb.ReadOnly[float32], y: sb.Array[float32]) -> None:
    for i in range(len(x)):
        y[i] = math.sin(x[i]) * math.exp(-x[i]) + math.pow(x[i], float32(0.3))


def module_for(function: object, goal: Goal) -> tuple[Module, list[str]]:
    kernel = Kernel(function, given={"optimize_for": goal})
    types = kernel.fixed_types
    assert types is not None
    unit = compile_kernel(kernel, types)
    entries = [unit.function.name]
    return optimise(link(unit), entries), entries


@pytest.mark.parametrize("goal", GOALS)
def test_no_goal_changes_a_bit(goal: Goal) -> None:
    rng = np.random.default_rng(5)
    p = rng.random((17, 3), dtype=np.float32)
    kernel = Kernel(forces, given={"optimize_for": goal})
    sb.assert_same_bits(kernel, p, np.zeros_like(p), np.float32(0.1))
    x = rng.random(37, dtype=np.float32)
    sb.assert_same_bits(Kernel(waves, given={"optimize_for": goal}), x, np.zeros_like(x))


@pytest.mark.parametrize("goal", GOALS)
def test_generated_programs_give_evaluations_bits_for_every_goal(goal: Goal) -> None:
    level = levels()[-1]
    with Workspace(texts=4) as workspace:
        programs = [generate(seed) for seed in range(31_000, 31_012)]
        loaded = [workspace.load(program.source, program.entry) for program in programs]
        for one in loaded:
            entry = one.ir.functions[one.symbol]
            entry.options = replace(entry.options, optimize_for=goal)
        loaded = [replace(one, optimised=optimise(one.ir, [one.symbol])) for one in loaded]
        compiled = Compiled(loaded, level)
        try:
            for k, (one, program) in enumerate(zip(loaded, programs, strict=True)):
                for inputs in program.inputs:
                    assert compiled.run(k, one, inputs) == run_evaluate(one, inputs), program.seed
        finally:
            compiled.close()


@pytest.mark.parametrize("name", ["x86-64-v3", "aarch64"])
@pytest.mark.parametrize("function", [forces, waves])
def test_code_for_size_is_smaller(function: object, name: str) -> None:
    target = TARGETS[name]
    sizes = {
        goal: len(compile_module(*module_for(function, goal), target).object_bytes)
        for goal in GOALS
    }
    assert sizes["size"] < sizes["speed"]
    assert sizes["compile_time"] < sizes["speed"]


@pytest.mark.parametrize("goal", GOALS)
def test_code_for_every_goal_passes_the_audit(goal: Goal) -> None:
    for name in ("x86-64-v3", "aarch64", "ppc64le"):
        text = assembly_text(*module_for(forces, goal), TARGETS[name])
        assert audit(text, TARGETS[name]) == []


def test_objects_for_different_goals_have_different_keys() -> None:
    assert len({print_module(module_for(forces, goal)[0]) for goal in GOALS}) == len(GOALS)


@sb.struct
class World:
    x: float32


@sb.struct
class Pad:
    push: float32


def begin(world: World, seed: sb.uint64) -> None:
    world.x = float32(1.0)


def step(world: World, pads: sb.ReadOnly[Pad]) -> None:
    for i in range(len(pads)):
        world.x += pads[i].push


def test_a_simulations_frame_loop_has_its_steps_goal() -> None:
    kernels = [Kernel(f, given={"optimize_for": "size"}) for f in (begin, step)]
    program = build_program(World.__sb_type__, Pad.__sb_type__, *kernels)
    goals = {f.options.optimize_for for n, f in program.module.functions.items() if "run" in n}
    assert goals == {"size"}


def shifted(x: sb.uint64, n: sb.uint64) -> sb.uint64:
    return (x << n) ^ (x >> (n + 1))


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("target", ["i686", "armv7", "wasm32"])
def test_shifts_wider_than_registers_call_no_library(target: str, goal: Goal) -> None:
    text = assembly_text(*module_for(shifted, goal), TARGETS[target])
    assert audit(text, TARGETS[target]) == []


def rounded(x: sb.float64, y: float32) -> sb.float64:
    return sb.floor(x) + sb.ceil(x) * sb.trunc(x) - sb.round(x) + sb.float64(sb.floor(y))


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda t: t.name)
def test_rounding_calls_no_library(target: Target, goal: Goal) -> None:
    text = assembly_text(*module_for(rounded, goal), target)
    assert audit(text, target) == []
