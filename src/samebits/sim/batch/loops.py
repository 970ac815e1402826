"""The loops over worlds as IR: reset some, run all over frames, hash all.

Each is a parallel range whose iterations are worlds, so that every target runs the same code and
this process's thread team shares it. Knows what the arrays mean, not who owns them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from samebits.bits import canonical_size
from samebits.ir.builder import Builder
from samebits.ir.grammar import Function, Module, Value, ValueType
from samebits.modes import DEFAULTS
from samebits.sim.state.hashing import word_count, word_type
from samebits.types import (
    INT,
    UINT8,
    UINT64,
    ArrayType,
    FixedArrayType,
    ScalarType,
    StructType,
)

RESET, RUN, HASHES = "samebits.batch.reset", "samebits.batch.run", "samebits.batch.hashes"
FILE = "samebits/sim/batch/loops.py"
MOST_LOCAL_BYTES = 4096
"""The largest canonical state that is hashed on the stack; a larger one takes a row of `words`."""
MOST_BLOCK = 128
"""Worlds that a kernel runs over before the next one does."""
LEAST_BLOCK = 8
BLOCK_BYTES = 1 << 15
"""What the states of a block may take: they stay in the first-level cache."""
EPISODE_SHIFT = 32
"""A mark is an episode's number shifted left by so many bits, and the frame's number below."""
_START, _STOP, _SCRATCH = ".start", ".stop", ".words"


@dataclass(frozen=True)
class Kernels:
    """The functions that the loops call, all of one module: `init(state, seed)`,
    `step(state, inputs)`, `hash(state, words)` and `seed(root, world, episode)`."""

    init: Function
    step: Function
    hash: Function
    seed: Function


def add_loops(module: Module, state: StructType, input: StructType, kernels: Kernels) -> None:
    """Append the entries `RESET`, `RUN` and `HASHES`, and the bodies of their ranges.

    Arrays of the entries, for n worlds:

    - `states`, `shadows` (n): the worlds, and the memory of each before the frame that runs. Who
      calls `RUN` over one frame fills `shadows` itself
    - `which` (k): the worlds to reset; `exact` (k): whether `seeds` has the seed already, which is
      made of `roots` and `episodes` otherwise
    - `inputs` (frames, n, players), or (1, n, players) where one frame's hold for all `frames`
    - `at`, `inside`, `still` (n): frames done in this call, whether a kernel runs, which worlds
      are left out
    - `hashes` (frames, n), or (0, n) where none are wanted; `words` (n, words of a state), where a
      state is large
    - `log` (kept, n, players), `marks` (kept, n): inputs of the last frames in a ring, whose slot
      for the frame is `base` + `frames` + `at`; of no slots where none are kept

    A trap of `RESET`, and of `RUN` with `careful` 1, leaves the lowest world that had one, and
    those that run at the same time, with `inside` 1 and its memory before the frame in `shadows`.
    Called again from the next world on, `RUN` goes on where `at` says. With `careful` 0 it runs the
    kernel over blocks of worlds, all of which a trap leaves with `inside` 1, in any frame.
    """
    n = ArrayType(UINT64, 1)
    flags = ArrayType(UINT8, 1)
    states: dict[str, ValueType] = {"states": ArrayType(state, 1)}
    words = word_type(state)
    reset: dict[str, ValueType] = {
        **states, "inside": flags, "which": n, "exact": flags, "seeds": n, "roots": n,
        "episodes": n,
    }  # fmt: skip
    run: dict[str, ValueType] = {
        **states, "shadows": ArrayType(state, 1), "inputs": ArrayType(input, 3, readonly=True),
        "at": n, "inside": flags, "still": flags, "hashes": ArrayType(UINT64, 2),
        "words": ArrayType(words, 2), "log": ArrayType(input, 3), "marks": ArrayType(UINT64, 2),
        "base": n, "frames": n, "episodes": n, "careful": INT, "count": INT,
    }  # fmt: skip
    hashes: dict[str, ValueType] = {**states, "hashes": n, "words": ArrayType(words, 2)}
    hash_ = _Hash(kernels.hash, words, word_count(state), canonical_size(state))
    add_range(module, RESET, reset, "which", lambda b: _reset_world(b, kernels))
    if goes_in_blocks(state):
        most = worlds_of_block(state)
        add_blocks(module, RUN, run, "states", lambda b: _run_block(b, kernels, hash_), most)
    else:
        add_range(module, RUN, run, "states", lambda b: _run_world(b, kernels, hash_))
    add_range(module, HASHES, hashes, "states", lambda b: _hash_world(b, hash_))
    goal = kernels.step.options.optimize_for
    for name in (RESET, RUN, HASHES):
        for part in (name, f"{name}.worlds"):
            module.functions[part].options = replace(DEFAULTS, optimize_for=goal)
    # As `step`, so that it is inlined.
    module.functions[f"{RUN}.worlds"].options = kernels.step.options


class Body(Builder):
    """The body of a range over worlds; `i` is the iteration's index."""

    def index_of(self, name: str, *at: Value) -> Value:
        """A number of an array as a weak int, at indices that are known to be good."""
        return self.to(INT, self.load(self.element(self.get(name), *at)))

    def put(self, name: str, at: Value, value: Value) -> None:
        self.store(self.element(self.get(name), at), value)

    def exact(self, opcode: str, a: Value, b: Value) -> Value:
        """Arithmetic of weak ints that cannot trap."""
        return self.emit(opcode, a, b, types=[INT], unchecked=True).result

    def count(self, value: Value) -> Value:
        return self.to(UINT64, value)

    @contextmanager
    def worlds(self) -> Generator[None]:
        """Once for each world `i` of a block, in `add_blocks`."""
        loop = self.for_("i", self.get("block"), self.get("end"))
        with self.into(loop.body):
            yield

    def is_plain(self) -> Value:
        """Whether all worlds of a block run, none has begun, and no inputs are kept."""
        self.set("told", self.const(UINT64, 0))
        with self.worlds():
            stands = self.count(self.load(self.element(self.get("still"), self.get("i"))))
            at = self.load(self.element(self.get("at"), self.get("i")))
            self.set("told", self.op("or", self.get("told"), self.op("or", stands, at)))
        run = self.op("eq", self.get("told"), self.const(UINT64, 0))
        plain = self.op("eq", self.get("careful"), self.const(INT, 0))
        nothing = self.op("not", self.is_any("log"))
        return self.op("and", run, self.op("and", plain, nothing))

    def put_all(self, name: str, value: Value) -> None:
        """Store a value for every world of a block."""
        with self.worlds():
            self.put(name, self.get("i"), value)

    def is_any(self, name: str) -> Value:
        """Whether an array has any rows."""
        return self.op("gt", self.length(self.get(name)), self.const(INT, 0))


@dataclass(frozen=True)
class _Hash:
    function: Function
    word: ScalarType
    count: int
    size: int

    def of(self, b: Body, state: Value, world: Value) -> Value:
        """The hash of a state, in scratch memory that no other iteration uses."""
        if self.size <= MOST_LOCAL_BYTES:
            b.function.locals[_SCRATCH] = FixedArrayType(self.word, (self.count,))
            words = b.view(b.local(_SCRATCH))
        else:
            words = b.row(b.get("words"), world)
        return b.call(self.function, state, words)[0]


def goes_in_blocks(state: StructType) -> bool:
    """Whether enough states stay in the cache for kernels to run over blocks."""
    return state.size * LEAST_BLOCK <= BLOCK_BYTES


def worlds_of_block(state: StructType) -> int:
    """The worlds that a kernel runs over before the next one does."""
    return min(MOST_BLOCK, max(1, BLOCK_BYTES // state.size))


def add_range(
    module: Module,
    name: str,
    params: dict[str, ValueType],
    over: str,
    write: Callable[[Body], None],
) -> None:
    """Append an entry that is a parallel range over the elements of an array from `first` on."""
    body = _body(name, params)
    loop = body.for_("i", body.get(_START), body.get(_STOP))
    with body.into(loop.body):
        write(body)
    _append(module, name, params, over, body)


def add_blocks(
    module: Module,
    name: str,
    params: dict[str, ValueType],
    over: str,
    write: Callable[[Body], None],
    most: int,
) -> None:
    """As `add_range`, with blocks of up to `most` worlds, from `block` to before `end`, in place of
    worlds."""
    body = _body(name, params)
    loop = body.for_("block", body.get(_START), body.get(_STOP), most)
    with body.into(loop.body):
        left = body.exact("sub", body.get(_STOP), body.get("block"))
        size = body.op("min", left, body.const(INT, most))
        body.set("end", body.exact("add", body.get("block"), size))
        write(body)
    _append(module, name, params, over, body)


def _body(name: str, params: dict[str, ValueType]) -> Body:
    names = ("i", "f", "p", "block", "end")
    slots: dict[str, ValueType] = {**dict.fromkeys(names, INT), "told": UINT64}
    return Body(f"{name}.worlds", {_START: INT, _STOP: INT, **params}, slots=slots, file=FILE)


def _append(module: Module, name: str, params: dict[str, ValueType], over: str, body: Body) -> None:
    """Append a range's body, and the entry that runs it."""
    module.functions[body.function.name] = body.ret()
    entry = Builder(name, {**params, "first": INT}, file=FILE)
    start, stop = entry.get("first"), entry.length(entry.get(over))
    given = (start, stop, entry.const(INT, 0), *(entry.get(p) for p in params))
    entry.emit("parallel", *given, attr=body.function.name)
    module.functions[name] = entry.ret()


def _reset_world(b: Body, kernels: Kernels) -> None:
    k = b.get("i")
    w = b.index_of("which", k)
    made = b.if_(b.op("eq", b.load(b.element(b.get("exact"), k)), b.const(UINT8, 0)))
    with b.into(made.then):
        root = b.load(b.element(b.get("roots"), w))
        episode = b.load(b.element(b.get("episodes"), w))
        b.put("seeds", w, *b.call(kernels.seed, root, b.count(w), episode))
    state = b.element(b.get("states"), w)
    b.put("inside", w, b.const(UINT8, 1))
    b.emit("zero", state)
    b.call(kernels.init, state, b.load(b.element(b.get("seeds"), w)))
    b.put("inside", w, b.const(UINT8, 0))


def _run_block(b: Body, kernels: Kernels, hash_: _Hash) -> None:
    """A block of worlds: frame after frame where all run and nothing is kept, else world after
    world."""
    plain = b.if_(b.is_plain())
    with b.into(plain.then):
        b.put_all("inside", b.const(UINT8, 1))
        frames = b.for_("f", b.const(INT, 0), b.get("count"))
        with b.into(frames.body):
            last = b.exact("sub", b.length(b.get("inputs")), b.const(INT, 1))
            b.set("p", b.op("min", b.get("f"), last))
            with b.worlds():
                w = b.get("i")
                inputs = b.row(b.row(b.get("inputs"), b.get("p")), w)
                b.call(kernels.step, b.element(b.get("states"), w), inputs)
            hashed = b.if_(b.is_any("hashes"))
            with b.into(hashed.then), b.worlds():
                w = b.get("i")
                place = b.element(b.get("hashes"), b.get("f"), w)
                b.store(place, hash_.of(b, b.element(b.get("states"), w), w))
        b.put_all("at", b.count(b.get("count")))
        b.put_all("inside", b.const(UINT8, 0))
    with b.into(plain.orelse), b.worlds():
        _run_world(b, kernels, hash_)


def _run_world(b: Body, kernels: Kernels, hash_: _Hash) -> None:
    w = b.get("i")
    runs = b.if_(b.op("eq", b.load(b.element(b.get("still"), w)), b.const(UINT8, 0)))
    with b.into(runs.then):
        count = b.get("count")
        loop = b.for_("f", b.index_of("at", w), count)
        with b.into(loop.body):
            f = b.get("f")
            state = b.element(b.get("states"), w)
            many = b.if_(b.op("gt", count, b.const(INT, 1)))
            with b.into(many.then):
                b.emit("copy", b.element(b.get("shadows"), w), state)
            last = b.exact("sub", b.length(b.get("inputs")), b.const(INT, 1))
            frame = b.row(b.row(b.get("inputs"), b.op("min", f, last)), w)
            kept = b.if_(b.is_any("log"))
            with b.into(kept.then):
                keep_inputs(b, frame, f, w)
            b.put("inside", w, b.const(UINT8, 1))
            b.call(kernels.step, state, frame)
            b.put("inside", w, b.const(UINT8, 0))
            hashed = b.if_(b.is_any("hashes"))
            with b.into(hashed.then):
                place = b.element(b.get("hashes"), f, w)
                b.store(place, hash_.of(b, state, w))
            b.put("at", w, b.count(b.exact("add", f, b.const(INT, 1))))


def keep_inputs(b: Body, inputs: Value, f: Value, w: Value) -> None:
    """Keep a frame's inputs in the ring, under a mark that says which frame they are of."""
    frame = b.exact("add", b.index_of("frames", w), f)
    place = b.exact("add", b.index_of("base", w), frame)
    slot = b.exact("mod", place, b.length(b.get("log")))
    players = b.for_("p", b.const(INT, 0), b.length(inputs))
    with b.into(players.body):
        p = b.get("p")
        b.emit("copy", b.element(b.get("log"), slot, w, p), b.element(inputs, p))
    episode = b.load(b.element(b.get("episodes"), w))
    high = b.op("shl", episode, b.const(UINT64, EPISODE_SHIFT))
    b.store(b.element(b.get("marks"), slot, w), b.op("or", high, b.count(frame)))


def _hash_world(b: Body, hash_: _Hash) -> None:
    w = b.get("i")
    b.put("hashes", w, hash_.of(b, b.element(b.get("states"), w), w))
