"""One latency in a fresh process: `python -m benchmarks.probe NAME [CACHE]` prints JSON."""

import json
import os
import sys
import time
import timeit
from collections.abc import Callable
from typing import Any

COMPILER = (
    "llvmlite", "samebits.frontend", "samebits.passes",
    "samebits.backend.llvm.compile", "samebits.backend.llvm.engine",
)  # fmt: skip


class Stopwatch:
    """Wall and CPU seconds since it was made; CPU time shows what a busy machine adds."""

    def __init__(self) -> None:
        self._start = time.perf_counter(), time.process_time()

    def read(self) -> dict[str, Any]:
        wall, cpu = self._start
        return {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def import_time() -> dict[str, Any]:
    """Seconds to import samebits after numpy."""
    import numpy  # noqa: F401

    watch = Stopwatch()
    import samebits

    return watch.read() | {"module": samebits.__name__}


def first_call() -> dict[str, Any]:
    """Seconds of the first call of a ten-line kernel, nothing cached, compiler loaded."""
    import samebits as sb

    sb.set_cache_dir(None)
    from benchmarks import probe_kernels as kernels

    kernels.warm_up(1.0)
    a, b, c = kernels.arrays(3)
    watch = Stopwatch()
    kernels.ten_lines(a, b, c, 0.5)
    return watch.read()


def twenty_functions(dtype: str) -> dict[str, Any]:
    """Seconds of the first call of a loop over twenty math functions, nothing cached."""
    import numpy as np

    import samebits as sb

    sb.set_cache_dir(None)
    from benchmarks import probe_kernels as kernels

    kernels.warm_up(1.0)
    x, out = np.full((2, 64), 0.5, dtype)
    watch = Stopwatch()
    kernels.twenty_functions(x, out)
    return watch.read()


def math_call() -> dict[str, Any]:
    """Seconds of a math function over eight floats."""
    import numpy as np

    from samebits import math

    x = np.linspace(0, 1, 8, dtype=np.float32)
    math.sin(x)
    return per_call(lambda: math.sin(x))


def per_call(call: Callable[[], object]) -> dict[str, Any]:
    """Median seconds of one of many calls."""
    calls = 20_000
    found: dict[str, Any] = {}
    for name, clock in (("seconds", time.perf_counter), ("cpu", time.process_time)):
        times = timeit.repeat(call, number=calls, repeat=7, timer=clock)
        found[name] = sorted(times)[3] / calls
    return found


def cached_call(folder: str, loaded: bool = False) -> dict[str, Any]:
    """Seconds of the first call of a ten-line kernel; whatever `folder` holds is used.

    `loaded`: another kernel from the same cache was called before.
    """
    import samebits as sb

    sb.set_cache_dir(folder)
    from benchmarks import probe_kernels as kernels

    if loaded:
        kernels.warm_up(1.0)
    a, b, c = kernels.arrays(3)
    watch = Stopwatch()
    kernels.ten_lines(a, b, c, 0.5)
    times = watch.read()
    front = sorted(name for name in sys.modules if name.startswith("samebits.frontend"))
    return times | {"front_half": front, "llvmlite": "llvmlite" in sys.modules}


def whole_cached_call(folder: str) -> dict[str, Any]:
    """As `cached_call`, with all that the cache itself loads: nobody has named a folder for it."""
    os.environ["XDG_CACHE_HOME"] = folder
    import samebits as sb
    from benchmarks import probe_kernels as kernels

    a, b, c = kernels.arrays(3)
    watch = Stopwatch()
    kernels.ten_lines(a, b, c, 0.5)
    times = watch.read()
    made_by = sorted(name for name in sys.modules if name.startswith(COMPILER))
    return times | {"module": sb.__name__, "compiler": made_by}


def warm_call() -> dict[str, Any]:
    """Seconds of a call with four array arguments and next to no work."""
    from benchmarks import probe_kernels as kernels

    arguments = kernels.arrays(4)
    kernels.four_arrays(*arguments)
    return per_call(lambda: kernels.four_arrays(*arguments))


def second_cached_call(folder: str) -> dict[str, Any]:
    """As `cached_call`, once the loader of objects is in the process."""
    return cached_call(folder, loaded=True)


def pinning(caller: str) -> dict[str, Any]:
    """Seconds that pinning adds to a call, where the caller's environment is `caller`."""
    from benchmarks.pinning import added

    return added(caller == "foreign")


def empty_job() -> dict[str, Any]:
    """Seconds of scheduling a job that does nothing, and waiting for it."""
    import numpy as np

    from benchmarks.probe_jobs import Nothing

    job = Nothing(out=np.zeros(64, np.float32))
    job.schedule(64).complete()
    return per_call(lambda: job.schedule(64).complete())


PROBES = {
    "import": import_time,
    "first": first_call,
    "twenty": twenty_functions,
    "math": math_call,
    "cached": cached_call,
    "cached-loaded": second_cached_call,
    "cached-whole": whole_cached_call,
    "warm": warm_call,
    "pinning": pinning,
    "job": empty_job,
}


if __name__ == "__main__":
    print(json.dumps(PROBES[sys.argv[1]](*sys.argv[2:])))
