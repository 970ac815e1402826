"""The loops of learners as IR: a frame of all worlds with what follows it, in one pass.

After `step` come reward, end and observation of the same worlds, while they are in the cache; they
are written where the learner reads them. Worlds go in blocks: each kernel runs over a block in a
loop of its own, which becomes vectors where the kernel is simple enough.
"""

from __future__ import annotations

from dataclasses import dataclass

from samebits.ir.grammar import Function, Module, Value, ValueType
from samebits.sim.batch.loops import (
    MOST_BLOCK,
    Body,
    add_blocks,
    add_range,
    goes_in_blocks,
    keep_inputs,
    worlds_of_block,
)
from samebits.types import (
    BOOL,
    FLOAT32,
    INT,
    UINT8,
    UINT64,
    ArrayType,
    RefType,
    ScalarType,
    StructType,
)

LEARN, COUNT = "samebits.batch.learn", "samebits.batch.count"
OBSERVE = "samebits.batch.observe"
MOST_FIELDS = 16
"""The most fields that are copied one by one."""
RAN, BEGUN = 1, 2
"""What `at` tells of a world after `LEARN`, added: a frame ran; after it, an episode has begun."""


@dataclass(frozen=True)
class LearningKernels:
    """The functions that the loops call, all of one module; `by_player` as in `Learning`."""

    init: Function
    step: Function
    seed: Function
    observe: Function
    reward: Function | None
    done: Function | None
    by_player: bool
    players: int


def add_learning(
    module: Module,
    state: StructType,
    input: StructType,
    seen: StructType,
    kernels: LearningKernels,
) -> None:
    """Append the entries `LEARN`, `COUNT` and `OBSERVE`, and the bodies of their ranges.

    Arrays as in `add_loops`, and for n worlds of p players, p 1 where kernels take no player:
    `out` (n × p): observations; `rewards` (n × p); `ended`, `cut` (n): terminated, truncated.
    `limit` is the number of frames after which an episode is cut, 0 for none. A world that stands
    still gets its observation, and zeros. A world's state before the frame goes to `shadows` when
    its turn comes, so that it is in the cache. A trap leaves a whole block `inside`; with
    `careful`, and then alone, it leaves one world, as in `add_loops`.

    A world of `again` begins its next episode in place of the frame. With `at_once`, one whose
    episode ends begins the next behind the frame: its observation goes to `final` (n), and that of
    the new episode to `out`. A world whose `at` is not 0 has run before a trap elsewhere.

    `COUNT` counts frames and episodes by what `at` tells, and writes to `over` (n) whose ended.
    """
    n, flags = ArrayType(UINT64, 1), ArrayType(UINT8, 1)
    states: dict[str, ValueType] = {"states": ArrayType(state, 1)}
    out = ArrayType(seen, 1)
    learn: dict[str, ValueType] = {
        **states, "shadows": ArrayType(state, 1), "inputs": ArrayType(input, 3, readonly=True),
        "at": n, "inside": flags, "still": flags, "log": ArrayType(input, 3),
        "marks": ArrayType(UINT64, 2), "base": n, "frames": n, "episodes": n, "out": out,
        "rewards": ArrayType(FLOAT32, 1), "ended": ArrayType(BOOL, 1), "cut": ArrayType(BOOL, 1),
        "again": ArrayType(BOOL, 1), "final": out, "seeds": n, "roots": n,
        "careful": INT, "at_once": INT, "limit": INT,
    }  # fmt: skip
    count: dict[str, ValueType] = {
        "at": n, "base": n, "frames": n, "episodes": n, "ended": ArrayType(BOOL, 1),
        "cut": ArrayType(BOOL, 1), "over": ArrayType(BOOL, 1),
    }  # fmt: skip
    observe: dict[str, ValueType] = {**states, "which": n, "out": out}
    if goes_in_blocks(state):
        most = worlds_of_block(state)
        add_blocks(module, LEARN, learn, "states", lambda b: _learn_block(b, kernels), most)
    else:
        add_range(module, LEARN, learn, "states", lambda b: _learn_world(b, kernels))
    # As `step`, so that it is inlined.
    module.functions[f"{LEARN}.worlds"].options = kernels.step.options
    add_blocks(module, COUNT, count, "at", _count_block, MOST_BLOCK)
    add_range(module, OBSERVE, observe, "which", lambda b: _observe_world(b, kernels))


def _learn_block(b: Body, kernels: LearningKernels) -> None:
    """A block of worlds: kernel after kernel where all of them run and nothing is kept, else world
    after world."""
    plain = b.if_(b.is_plain())
    with b.into(plain.then):
        b.put_all("inside", b.const(UINT8, 1))
        _frames(b, kernels)
        b.put_all("inside", b.const(UINT8, 0))
    with b.into(plain.orelse), b.worlds():
        _learn_world(b, kernels)


def _frames(b: Body, kernels: LearningKernels) -> None:
    """A frame of all worlds of a block, and what follows it."""
    zero = b.const(INT, 0)
    flat = _is_flat(kernels)
    if not flat:
        with b.worlds():
            _keep_state(b, kernels, b.get("i"), by_field=False)
    with b.worlds():
        w = b.get("i")
        if flat:
            _keep_state(b, kernels, w, by_field=True)
        frame = b.row(b.row(b.get("inputs"), zero), w)
        b.call(kernels.step, b.element(b.get("states"), w), frame)
    with b.worlds():
        _rewards(b, kernels, b.get("i"))
    with b.worlds():
        w = b.get("i")
        b.put("at", w, b.const(UINT64, RAN))
        ended, cut = _ends(b, kernels, w)
        b.put("ended", w, ended)
        b.put("cut", w, cut)
    with b.worlds():
        w = b.get("i")
        state = b.element(b.get("states"), w)
        again = b.if_(b.load(b.element(b.get("again"), w)))
        with b.into(again.then):
            _begin(b, kernels, state, w)
            _nothing(b, kernels, w)
            b.put("at", w, b.const(UINT64, BEGUN))
        with b.into(again.orelse):
            ended, cut = (b.load(b.element(b.get(name), w)) for name in ("ended", "cut"))
            over = b.if_(_follows(b, ended, cut))
            with b.into(over.then):
                _observe(b, kernels, state, w, "final")
                _begin(b, kernels, state, w)
                b.put("at", w, b.const(UINT64, RAN + BEGUN))
    with b.worlds():
        w = b.get("i")
        _observe(b, kernels, b.element(b.get("states"), w), w, "out")


def _is_flat(kernels: LearningKernels) -> bool:
    """Whether a state is so few numbers that copies of them, one by one, go with the step's own
    loads: then memory is waited for while the step computes, and the loop is still vectors."""
    t = _state(kernels)
    return len(t.fields) <= MOST_FIELDS and all(isinstance(f, ScalarType) for _, f in t.fields)


def _state(kernels: LearningKernels) -> StructType:
    (_, t), *_ = kernels.step.params
    assert isinstance(t, RefType)
    assert isinstance(t.target, StructType)
    return t.target


def _keep_state(b: Body, kernels: LearningKernels, w: Value, *, by_field: bool) -> None:
    """Keep a world's state before its frame."""
    shadow, state = (b.element(b.get(name), w) for name in ("shadows", "states"))
    if not by_field:
        b.emit("copy", shadow, state)
        return
    for name, _ in _state(kernels).fields:
        b.store(b.field(shadow, name), b.load(b.field(state, name)))


def _learn_world(b: Body, kernels: LearningKernels) -> None:
    due = b.if_(b.op("eq", b.load(b.element(b.get("at"), b.get("i"))), b.const(UINT64, 0)))
    with b.into(due.then):
        _learn_due(b, kernels)


def _learn_due(b: Body, kernels: LearningKernels) -> None:
    w = b.get("i")
    state = b.element(b.get("states"), w)
    _keep_state(b, kernels, w, by_field=False)
    b.put("inside", w, b.const(UINT8, 1))
    b.set("told", b.const(UINT64, 0))
    runs = b.if_(b.op("eq", b.load(b.element(b.get("still"), w)), b.const(UINT8, 0)))
    with b.into(runs.then):
        again = b.if_(b.load(b.element(b.get("again"), w)))
        with b.into(again.then):
            _begin(b, kernels, state, w)
            _nothing(b, kernels, w)
            b.set("told", b.const(UINT64, BEGUN))
        with b.into(again.orelse):
            b.set("told", b.const(UINT64, RAN))
            _frame(b, kernels, state, w)
    with b.into(runs.orelse):
        _nothing(b, kernels, w)
    _observe(b, kernels, state, w, "out")
    b.put("at", w, b.get("told"))
    b.put("inside", w, b.const(UINT8, 0))


def _count_block(b: Body) -> None:
    """A block of worlds: where no episode has begun, as in nearly all, numbers of frames alone
    are written."""
    b.set("told", b.const(UINT64, 0))
    with b.worlds():
        w = b.get("i")
        at = b.load(b.element(b.get("at"), w))
        frames = b.load(b.element(b.get("frames"), w))
        b.put("frames", w, b.op("add", frames, b.op("and", at, b.const(UINT64, RAN))))
        b.set("told", b.op("or", b.get("told"), at))
    with b.worlds():
        w = b.get("i")
        ended, cut = (b.load(b.element(b.get(name), w)) for name in ("ended", "cut"))
        b.put("over", w, b.op("or", ended, cut))
    begun = b.if_(b.op("ge", b.get("told"), b.const(UINT64, BEGUN)))
    with b.into(begun.then), b.worlds():
        _count_episode(b, b.get("i"))


def _count_episode(b: Body, w: Value) -> None:
    """Count a world's episode, if one has begun behind the frame that is counted."""
    begun = b.op("ge", b.load(b.element(b.get("at"), w)), b.const(UINT64, BEGUN))
    zero, frames = b.const(UINT64, 0), b.load(b.element(b.get("frames"), w))
    base = b.load(b.element(b.get("base"), w))
    b.put("base", w, b.op("add", base, b.op("select", begun, frames, zero)))
    b.put("frames", w, b.op("select", begun, zero, frames))
    episode = b.load(b.element(b.get("episodes"), w))
    b.put("episodes", w, b.op("add", episode, b.to(UINT64, begun)))


def _frame(b: Body, kernels: LearningKernels, state: Value, w: Value) -> None:
    """A frame of a world, its reward and its end."""
    zero = b.const(INT, 0)
    frame = b.row(b.row(b.get("inputs"), zero), w)
    kept = b.if_(b.is_any("log"))
    with b.into(kept.then):
        keep_inputs(b, frame, zero, w)
    b.call(kernels.step, state, frame)
    _rewards(b, kernels, w)
    ended, cut = _ends(b, kernels, w)
    b.put("ended", w, ended)
    b.put("cut", w, cut)
    over = b.if_(_follows(b, ended, cut))
    with b.into(over.then):
        _observe(b, kernels, state, w, "final")
        _begin(b, kernels, state, w)
        b.set("told", b.const(UINT64, RAN + BEGUN))


def _rewards(b: Body, kernels: LearningKernels, w: Value) -> None:
    """A world's rewards for the frame that has run."""
    state, before = (b.element(b.get(name), w) for name in ("states", "shadows"))
    for p in range(_players(kernels)):
        if kernels.reward is None:
            value = b.const(FLOAT32, 0.0)
        else:
            (value,) = b.call(kernels.reward, before, state, *_player(b, kernels, p))
        b.put("rewards", _place(b, kernels, w, p), value)


def _ends(b: Body, kernels: LearningKernels, w: Value) -> tuple[Value, Value]:
    """Whether a world's episode has ended, and whether it is cut."""
    if kernels.done is None:
        ended = cut = b.const(BOOL, False)
    else:
        ended, cut = b.call(kernels.done, b.element(b.get("states"), w))
    after = b.exact("add", b.index_of("frames", w), b.const(INT, 1))
    limit = b.get("limit")
    late = b.op("and", b.op("gt", limit, b.const(INT, 0)), b.op("ge", after, limit))
    return ended, b.op("or", cut, late)


def _follows(b: Body, ended: Value, cut: Value) -> Value:
    """Whether the next episode begins behind the frame."""
    at_once = b.op("ne", b.get("at_once"), b.const(INT, 0))
    return b.op("and", at_once, b.op("or", ended, cut))


def _begin(b: Body, kernels: LearningKernels, state: Value, w: Value) -> None:
    """The beginning of a world's next episode."""
    episode = b.load(b.element(b.get("episodes"), w))
    following = b.op("add", episode, b.const(UINT64, 1))
    root = b.load(b.element(b.get("roots"), w))
    (seed,) = b.call(kernels.seed, root, b.count(w), following)
    b.put("seeds", w, seed)
    b.emit("zero", state)
    b.call(kernels.init, state, seed)


def _nothing(b: Body, kernels: LearningKernels, w: Value) -> None:
    """What there is of a world without a frame."""
    for p in range(_players(kernels)):
        b.put("rewards", _place(b, kernels, w, p), b.const(FLOAT32, 0.0))
    b.put("ended", w, b.const(BOOL, False))
    b.put("cut", w, b.const(BOOL, False))


def _observe_world(b: Body, kernels: LearningKernels) -> None:
    w = b.index_of("which", b.get("i"))
    _observe(b, kernels, b.element(b.get("states"), w), b.get("i"), "out")


def _observe(b: Body, kernels: LearningKernels, state: Value, row: Value, name: str) -> None:
    for p in range(_players(kernels)):
        out = b.element(b.get(name), _place(b, kernels, row, p))
        b.call(kernels.observe, state, *_player(b, kernels, p), out)


def _players(kernels: LearningKernels) -> int:
    return kernels.players if kernels.by_player else 1


def _player(b: Body, kernels: LearningKernels, p: int) -> list[Value]:
    return [b.const(INT, p)] if kernels.by_player else []


def _place(b: Body, kernels: LearningKernels, w: Value, p: int) -> Value:
    if not kernels.by_player:
        return w
    first = b.exact("mul", w, b.const(INT, kernels.players))
    return b.exact("add", first, b.const(INT, p))
