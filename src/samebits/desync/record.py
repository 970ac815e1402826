"""The recording of a desync report: a side run over a replay.

Owns what is recorded: which states, within which bounds, and the program under portable names.
Knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samebits.bits import canonical_size, to_canonical, xxh64
from samebits.desync.format import (
    BLOCK_VALUES,
    HASHES,
    INPUT_HASHES,
    INPUTS,
    MAX_FRAMES,
    MAX_PROGRAM,
    MAX_STATES,
    PROGRAM,
    STATES,
    TRACE,
    TREES,
    Contents,
    Key,
    input_block,
    line_of,
    most_asked,
    plan,
)
from samebits.desync.machine import this_machine
from samebits.desync.merkle_tree import merkle_tree
from samebits.desync.portable import PortableNames, portable, without_paths
from samebits.desync.record_trace import TracedFrame, readable, trace_frame
from samebits.desync.report import Report
from samebits.errors import ReportError, Trap
from samebits.ir.text import print_module
from samebits.printed import muted
from samebits.replay.header import ReplayHeader
from samebits.sides.run import SideRun, open_run
from samebits.sides.side import Side
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import TrapFact
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputSource

BETWEEN_STATES = 4 * 1024 * 1024
"""Most bytes of states between the first and the last, which are always recorded."""


Progress = Callable[[str, int], None]
"""Called with the current activity and the number of frames that were run."""


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """The wanted content of a report: `frames` in detail (None: only the hashes of the whole run),
    and the trace of one of them or none."""

    frames: range | None
    trace: int | None = None


@muted()
def record_report(
    side: Side,
    source: InputSource,
    request: ReportRequest,
    progress: Progress = lambda what, done: None,
) -> Report:
    """Run `side` over the source's inputs up to the last requested frame, and record a report.

    The recorded program has no hazards, which stand for unknown properties of a machine. Raises
    ReportError if the frames do not exist or are too many, ReplayError, CompileError, HazardError,
    and RunnerError if a side's process fails.
    """
    machine = this_machine()  # before anything changes this thread's registers
    simulation = side.simulation
    header = side.header(source.seed)
    asked = _asked(simulation, source, header, request)
    names = PortableNames(simulation)
    module = portable(
        readable(side, asked.start if request.trace is None else request.trace), names
    )
    progress(f"preparing {side.text}", 0)
    with closing(open_run(side)) as running:
        run = _Run(running, asked, request.trace, names)
        run.start(source.seed)
        run.advance(source, progress)
    text = print_module(module).encode()
    if len(text) > MAX_PROGRAM:
        text = b""
    trace = run.trace
    contents = Contents(
        side=line_of(without_paths(side.text)),
        frames=run.frames,
        asked=run.detailed,
        states=tuple(sorted(run.states)),
        leaves=len(run.tree.leaves) if run.detailed else 0,
        program=len(text),
        init=names.function(side.plain.init),
        step=names.function(side.plain.step),
        trace=0 if trace is None else len(trace.encoded),
        traced=0 if trace is None or request.trace is None else request.trace,
        traced_hash=0 if trace is None else trace.hash,
        trap=None if run.trap is None else names.trap(run.trap),
    )
    parts = {**run.parts(header), Key(PROGRAM, 0): text}
    if trace is not None:
        parts[Key(TRACE, contents.traced)] = trace.encoded
    ordered = {key: parts[key] for key in plan(header, contents)}
    return Report(machine, header, contents, ordered)


def _asked(
    simulation: Simulation, source: InputSource, header: ReplayHeader, request: ReportRequest
) -> range:
    """The requested frames in detail; an empty range at the end if there are none."""
    if source.frames > MAX_FRAMES and request.frames is None:
        raise ReportError(
            f"the run has {source.frames:,} frames; a report holds {MAX_FRAMES:,}",
            fix="select frames: --frames 120:130",
        )
    if request.frames is None:
        return range(source.frames, source.frames)
    frames = request.frames
    if frames.stop > source.frames:
        run, total = source.replay or "the run", source.frames
        for _ in source.blocks():  # to its end, where damage shows
            pass
        raise ReportError(
            f"frame {frames.stop - 1:,} is requested, and {run} has {total:,} "
            f"frame{'s' * (total != 1)}",
            note=source.damage,
            fix=f"select frames below {source.frames}, or give a longer replay",
        )
    most = most_asked(header, len(merkle_tree(simulation.state_type).leaves))
    if len(frames) > most or frames.stop > MAX_FRAMES:
        raise ReportError(
            f"{len(frames):,} frames are requested, and a report of '{simulation.name}' holds "
            f"{most:,} in detail at most, below frame {MAX_FRAMES:,}",
            fix=f"select fewer: --frames {frames.start}:{frames.start + min(most, 10)}",
        )
    return frames


class _Run:
    """One run, and what is recorded of it."""

    def __init__(
        self, running: SideRun, asked: range, traced: int | None, names: PortableNames
    ) -> None:
        simulation = self._simulation = running.side.simulation
        self._running = running
        self._asked = asked
        self._traced = traced
        self._names = names
        self._recorded = _recorded_states(asked, canonical_size(simulation.state_type), traced)
        self._hashes: list[NDArray[np.uint64]] = []
        self._input_hashes: list[int] = []
        self._inputs: list[bytes] = []
        self.tree = merkle_tree(simulation.state_type)
        self.states: dict[int, bytes] = {}
        self.trees: dict[int, bytes] = {}
        self.frames = 0
        self.trap: TrapFact | None = None
        self.trace: TracedFrame | None = None

    @property
    def detailed(self) -> range:
        """The requested frames that were begun."""
        begun = self.frames + (self.trap is not None)
        return range(min(self._asked.start, begun), min(self._asked.stop, begun))

    def start(self, seed: int) -> None:
        """Run `init`."""
        try:
            self._running.start(seed)
        except Trap as trap:
            raise ReportError(
                f"the simulation traps in init: {line_of(trap.message)}",
                note="a report is about frames, and none was run",
            ) from None
        self._hashes.append(np.array([self._running.hash()], np.uint64))
        self._record_state()

    def advance(self, source: InputSource, progress: Progress) -> None:
        """Run up to the last requested frame, or to a trap."""
        for block in source.blocks():
            for inputs in self._pieces(block.inputs):
                self._step(inputs)
                progress("running", self.frames)
                if self.trap is not None:
                    self._check_trap()
                    return
            if self._asked and self.frames == self._asked.stop:
                return

    def parts(self, header: ReplayHeader) -> dict[Key, bytes]:
        """Everything that was recorded, as parts of a report."""
        hashes = np.concatenate(self._hashes)
        input_hashes = np.array(self._input_hashes, np.uint64)
        parts = {**values_as_parts(HASHES, hashes), **values_as_parts(INPUT_HASHES, input_hashes)}
        count = input_block(header)
        for first in range(0, len(self._inputs) if header.frame_size else 0, count):
            key = Key(INPUTS, self.detailed.start + first)
            parts[key] = b"".join(self._inputs[first : first + count])
        parts |= {Key(STATES, number): state for number, state in self.states.items()}
        parts |= {Key(TREES, number): tree for number, tree in self.trees.items()}
        return parts

    def _pieces(self, inputs: Inputs) -> Iterator[Inputs]:
        """The block's frames in pieces: single frames if they are requested or the side is slow."""
        inputs = inputs[: self._asked.stop - self.frames]
        before = min(len(inputs), max(0, self._asked.start - self.frames))
        if before and not self._running.side.is_slow:
            yield inputs[:before]
        else:
            before = 0
        for i in range(before, len(inputs)):
            yield inputs[i : i + 1]

    def _step(self, inputs: Inputs) -> None:
        if self.frames == self._traced:
            self.trace = trace_frame(self._running, inputs[0], self._names)
        done = self._running.advance(inputs)
        begun = len(done.hashes) + (done.trap is not None)
        size = len(inputs[0]) * canonical_size(self._simulation.input_type)
        data = to_canonical(self._simulation.input_type, inputs)
        for i in range(begun):
            frame = data[i * size : (i + 1) * size]
            self._input_hashes.append(xxh64(frame))
            if self.frames + i in self._asked:
                self._inputs.append(frame)
        self._hashes.append(done.hashes)
        self.frames += len(done.hashes)
        if done.trap is not None:
            self.trap = TrapFact.of(done.trap)
        elif self.frames >= self._asked.start:
            self._record_state()

    def _record_state(self) -> None:
        """Record the current state and its Merkle tree, if requested."""
        number = self.frames
        after = number - 1 in self._asked
        if after or number in self._recorded:
            state = self._running.save()
            if number in self._recorded:
                self.states[number] = state
            if after:
                self.trees[number] = self.tree.hashes(state).astype("<u8").tobytes()

    def _check_trap(self) -> None:
        """Raise ReportError if the trap precedes the requested frames. Without requested frames the
        report is about the trap."""
        assert self.trap is not None
        asked = self._asked.start if self._traced is None else self._traced
        if self._asked and self.frames < asked:
            raise ReportError(
                f"the run traps in frame {self.frames:,}, before frame {asked:,}: "
                f"{line_of(self.trap.message)}",
                fix=f"select that frame: --frames {self.frames}",
            )


def _recorded_states(asked: range, size: int, traced: int | None) -> set[int]:
    """The numbers of the states to record: those around the requested frames, and as many between
    as fit, starting with those around the traced frame."""
    if not asked:
        return set()
    ends = [asked.start, asked.stop][: MAX_STATES // size]
    near = [] if traced is None else [traced, traced + 1]
    between = dict.fromkeys([*near, *range(asked.start + 1, asked.stop)])
    room = min(BETWEEN_STATES, MAX_STATES - size * len(ends)) // size
    return {*ends, *[number for number in between if number not in ends][:room]}


def values_as_parts(topic: str, values: NDArray[np.uint64], start: int = 0) -> dict[Key, bytes]:
    """Hashes as parts of a report; `start` is the number of the first."""
    return {
        Key(topic, start + first): values[first : first + BLOCK_VALUES].astype("<u8").tobytes()
        for first in range(0, len(values), BLOCK_VALUES)
    }
