"""Jobs around generated kernels leave the bits of the managed run, or its trap, on any number of
workers and with any batch."""

from __future__ import annotations

import importlib.util
import linecache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.fuzz.generator import HEADER
from tests.fuzz.literals import random_value_type, type_name
from tests.fuzz.scope import Variable
from tests.fuzz.statements import Body

import samebits as sb
from samebits.errors import Trap
from samebits.types import BOOL, ScalarType, TupleType, VectorType

N = 43


def generated(seed: int) -> tuple[str, list[Any], list[Any]]:
    """A module with a kernel `h` and the job `Generated` that calls it, and the types of both."""
    rng = Random(f"samebits jobs {seed}")
    inputs = [random_value_type(rng, weak=False) for _ in range(rng.randint(1, 4))]
    outputs = [random_value_type(rng, weak=False) for _ in range(rng.randint(2, 4))]
    result = TupleType(tuple(outputs))
    hazard = rng.choice((0.0, 0.01, 0.05))
    body = Body(rng, hazard, [*inputs, *outputs], [], [], result, 200)
    for k, t in enumerate(inputs):
        body.scope.add(Variable(f"p{k}", t, mutable=True))
    lines = body.write(rng.choice((3, 6, 10)), rng.choice((0, 1, 2)))
    head = ", ".join(f"p{k}: {type_name(t)}" for k, t in enumerate(inputs))
    kernel = ["@sb.kernel", f"def h({head}) -> {type_name(result)}:", *lines]
    form = rng.choice(("ParallelFor", "For"))
    fields = [f"    a{k}: sb.ReadOnly[{type_name(t)}]" for k, t in enumerate(inputs)]
    fields += [f"    r{k}: sb.WriteOnly[{type_name(t)}]" for k, t in enumerate(outputs)]
    given = ", ".join(f"self.a{k}[index]" for k in range(len(inputs)))
    names = ", ".join(f"x{k}" for k in range(len(outputs)))
    stores = [f"        self.r{k}[index] = x{k}" for k in range(len(outputs))]
    job = [
        "@sb.job", f"class Generated(sb.{form}):", *fields,
        f"    def execute(self, index: {rng.choice(('int32', 'int64', 'int'))}):",
        f"        {names} = h({given})", *stores,
    ]  # fmt: skip
    return HEADER + "\n\n" + "\n".join([*kernel, "", "", *job]) + "\n", inputs, outputs


def loaded(source: str, path: Path) -> Any:
    path.write_text(source)
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Generated


def patterns(t: Any, choose: np.random.Generator) -> np.ndarray[Any, Any]:
    """Random bits, or small numbers half of the time."""
    shape = (N, *(t.shape if isinstance(t, VectorType) else ()))
    scalar: ScalarType = t.element if isinstance(t, VectorType) else t
    if scalar == BOOL:
        return choose.integers(0, 2, shape).astype(np.bool_)
    bits = choose.integers(0, 256, (*shape, scalar.dtype.itemsize), np.uint8)
    wild = bits.view(scalar.dtype).reshape(shape)
    return np.where(choose.random(shape) < 0.5, wild, choose.integers(0, 9, shape)).astype(
        scalar.dtype
    )


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.filterwarnings("ignore::samebits.errors.SamebitsWarning")  # drawn, they are idle
def test_generated_jobs_are_as_managed(seed: int, tmp_path: Path) -> None:
    source, inputs, outputs = generated(seed)
    cls = loaded(source, tmp_path / f"generated_job_{seed}.py")
    choose = np.random.default_rng(seed)
    given = {f"a{k}": patterns(t, choose) for k, t in enumerate(inputs)}

    def run(how: str, **more: Any) -> tuple[list[bytes], str | None]:
        made = {
            f"r{k}": np.zeros((N, *(t.shape if isinstance(t, VectorType) else ())), (
                t.element if isinstance(t, VectorType) else t).dtype)
            for k, t in enumerate(outputs)
        }  # fmt: skip
        job = cls(**given, **made)
        trap: str | None = None
        done = N
        try:
            handle = getattr(job, how)(N, **more)
            if handle is not None:
                handle.complete()
        except Trap as stopped:
            trap = str(stopped)
            done = stop or N
        return [array[:done].tobytes() for array in made.values()], trap

    stop = 0
    if run("managed_run")[1] is not None:
        # Only what lies below the index that traps is the same: find it.
        while True:
            job = cls(**{k: a[: stop + 1] for k, a in given.items()}, **{
                f"r{k}": patterns(t, choose)[: stop + 1] for k, t in enumerate(outputs)
            })  # fmt: skip
            try:
                job.managed_run(stop + 1)
            except Trap:
                break
            stop += 1
    reference = run("managed_run")
    if not stop and reference[1] is not None:
        reference = [], reference[1]
    parallel = issubclass(cls, sb.ParallelFor)
    for workers in (1, 2, 3, 7):
        sb.set_workers(workers)
        for batch in (1, 5, 64) if parallel else (None,):
            size = {} if batch is None else {"batch": batch}
            memory, trap = run("schedule", **size)
            assert trap == reference[1]
            if stop or trap is None:
                assert memory == reference[0]
    sb.set_workers(None)
