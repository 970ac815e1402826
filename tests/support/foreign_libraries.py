"""C libraries that leave another floating-point environment than they found, built in a test."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from samebits.runtime.zig import zig_command
from tests.support.limits import HANG_SECONDS

_SOURCE = """\
#include <pthread.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#define FLUSH 0x8040u
#define TOWARD_ZERO 0x6000u
uint64_t foreign_get(void) { return _mm_getcsr(); }
void foreign_set(uint64_t word) { _mm_setcsr((unsigned)word); }
#elif defined(__aarch64__)
#define FLUSH (1u << 24)
#define TOWARD_ZERO (3u << 22)
uint64_t foreign_get(void) { uint64_t w; __asm__ volatile("mrs %0, fpcr" : "=r"(w)); return w; }
void foreign_set(uint64_t w) { __asm__ volatile("msr fpcr, %0" : : "r"(w)); }
#endif

const uint64_t foreign_flush = FLUSH, foreign_toward_zero = TOWARD_ZERO;

#ifdef AT_START  /* as crtfastmath.o does for programs linked with -ffast-math */
__attribute__((constructor)) static void at_start(void) { foreign_set(foreign_get() | AT_START); }
#endif

/* An entry of samebits on a thread that this library owns and set up. */
struct work {
    int32_t (*entry)(uint64_t *);
    uint64_t *slots, word, after;
    int32_t status;
};
static void *run(void *given) {
    struct work *work = given;
    foreign_set(work->word);
    work->status = work->entry(work->slots);
    work->after = foreign_get();
    return 0;
}
int32_t foreign_run(int32_t (*entry)(uint64_t *), uint64_t *slots, uint64_t word, uint64_t *after) {
    struct work work = {entry, slots, word, 0, -1};
    pthread_t thread;
    if (pthread_create(&thread, 0, run, &work) || pthread_join(thread, 0)) return -1;
    *after = work.after;
    return work.status;
}

/* A pool as numerical libraries have: threads of no Python, each with a word of its own. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, leave;
static void *wait_there(void *word) {
    foreign_set((uintptr_t)word);
    pthread_mutex_lock(&lock);
    waiting++;
    pthread_cond_broadcast(&changed);
    while (!leave) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
int foreign_pool(int count, uint64_t word) {
    pthread_mutex_lock(&lock);
    int wanted = waiting + count;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, 0, wait_there, (void *)(uintptr_t)word)) return -1;
        pthread_detach(thread);
    }
    pthread_mutex_lock(&lock);
    while (waiting < wanted) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
void foreign_pool_end(void) {
    pthread_mutex_lock(&lock);
    leave = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

/* As an extension module: `import NAME` runs it. */
#ifdef MODULE
#define JOIN(a, b) a##b
#define INIT(name) JOIN(PyInit_, name)
#define TEXT(name) #name
#define NAME_OF(name) TEXT(name)
extern void *PyModuleDef_Init(void *);
void *INIT(MODULE)(void) {  /* a PyModuleDef without methods: its head, then its name */
    static const void *definition[13] = {(void *)1, 0, 0, 0, 0, NAME_OF(MODULE)};
    return PyModuleDef_Init(definition);
}
#endif
"""

AT_START = {"fastmath": "FLUSH", "truncating": "TOWARD_ZERO"}
"""Libraries that set the environment of the thread that loads them."""


def build(folder: Path, name: str, *, at_start: str = "", module: bool = False) -> Path:
    """A shared library, or an extension module, by the compiler of the ziglang wheel.

    Skips the test where there is none. `at_start` is what its start-up code sets.
    """
    pytest.importorskip("ziglang", reason="ziglang is missing: pip install samebits[targets]")
    if not sys.platform.startswith("linux"):
        pytest.skip("the library is for Linux")
    options = [f"-DAT_START={at_start}"] * bool(at_start) + [f"-DMODULE={name}"] * module
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / f"{name if module else 'lib' + name}.so"
    library.write_bytes(_built(library.name, *options))
    return library


@cache
def _built(name: str, *options: str) -> bytes:
    """A library of that file name, which several tests load from folders of their own."""
    with TemporaryDirectory() as place:
        source = Path(place, "source.c")
        source.write_text(_SOURCE)
        done = subprocess.run(
            [*zig_command(), "cc", "-shared", "-fPIC", "-O2", "-ffast-math", "-pthread",
             "-Wl,-z,lazy", *options, source.name, "-o", name],
            cwd=place, capture_output=True, text=True, timeout=HANG_SECONDS,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return Path(place, name).read_bytes()


class Foreign:
    """A library of `build` in this process."""

    def __init__(self, path: Path) -> None:
        library = ctypes.PyDLL(str(path))  # as an extension's own calls: the lock is kept
        self.get = library.foreign_get
        self.get.restype = ctypes.c_uint64
        self.set = library.foreign_set
        self.set.argtypes = [ctypes.c_uint64]
        self.set.restype = None
        free = ctypes.CDLL(str(path))
        self.run = free.foreign_run
        self.run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p]
        self.pool = free.foreign_pool
        self.pool.argtypes = [ctypes.c_int, ctypes.c_uint64]
        self.end_pool = free.foreign_pool_end
        self.flush = ctypes.c_uint64.in_dll(library, "foreign_flush").value
        self.toward_zero = ctypes.c_uint64.in_dll(library, "foreign_toward_zero").value
