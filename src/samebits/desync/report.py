"""A desync report in memory, whole or damaged: one machine's record of a run.

Owns access to its parts, and the sparse series of one uint64 per frame. Knows nothing of files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from samebits.bits import canonical_size, from_canonical, xxh64
from samebits.desync.evidence.dump import Dump
from samebits.desync.format import (
    FOREIGN_MODE,
    HASHES,
    INPUT_HASHES,
    INPUTS,
    PROGRAM,
    STATES,
    TRACE,
    TREES,
    Contents,
    Key,
    input_block,
    plan,
    types_of,
)
from samebits.desync.machine import Machine
from samebits.desync.merkle_tree import MerkleTree, merkle_tree
from samebits.errors import IRError, ReportError
from samebits.frame_trace.model import Model
from samebits.ir.analysis.budget import NAME, Budget
from samebits.ir.text import parse_module
from samebits.ir.verify import verify
from samebits.replay.header import ReplayHeader
from samebits.sim.inputs import Inputs
from samebits.sim.program import Program
from samebits.types import UINT64, ArrayType, RefType, StructType


@dataclass(frozen=True, eq=False)
class Report:
    """One machine's record of a run. `header` names simulation, version, digest and seed.

    State n is the one before frame n: 0 is the one after `init`, n + 1 the one after frame n. In a
    damaged report lost parts are None, and `damage` describes each place of damage in a line.
    """

    machine: Machine
    header: ReplayHeader
    contents: Contents
    parts: Mapping[Key, bytes]
    damage: tuple[str, ...] = ()
    name: str = "the report"
    """Its name in messages: the path that it was read from."""
    budget: Budget = field(default_factory=Budget)
    """The cost limit of everything done with its programs together."""
    is_bare: bool = False
    """Whether another program wrote these facts, whose frames may be numbered otherwise."""
    is_replay: bool = False
    """Whether a replay tells these facts, which playing it again adds nothing to."""
    incomplete: frozenset[int] = frozenset()
    """Frames after which the states are not known whole: the rest is as on the other side."""
    dumps: tuple[Dump, ...] = ()
    """Those of its states that were dumped, by themselves or beside it, as far as these tell."""
    remarks: tuple[str, ...] = ()
    """What is to be told of how these facts were read."""

    @property
    def is_of_library(self) -> bool:
        """Whether an exported library wrote it, which has no program to tell or to trace."""
        other = self.is_bare or self.is_replay or self.is_foreign
        return not (other or self.contents.program or self.machine.python)

    @property
    def is_foreign(self) -> bool:
        """Whether it is of a program that samebits did not make, whose operations it lacks."""
        return self.header.mode == FOREIGN_MODE

    @property
    def frames(self) -> int:
        """Whole frames that were run, from frame 0."""
        return self.contents.frames

    @property
    def asked(self) -> range:
        """The frames that are held in detail."""
        return self.contents.asked

    @cached_property
    def types(self) -> tuple[StructType, StructType]:
        """The types of the state and of one player's input."""
        return types_of(self.header)

    @cached_property
    def hashes(self) -> SparseSeries:
        """The hash of every state, as recorded; if that is lost, computed from the state if it is
        there."""
        hashes = ((n, xxh64(self.parts[Key(STATES, n)])) for n in self.states)
        states = ((n, np.array([hash_], np.uint64)) for n, hash_ in hashes)
        return SparseSeries(self.frames + 1, chain(states, self._recorded(HASHES)))

    @cached_property
    def input_hashes(self) -> SparseSeries:
        """XXH64 of every frame's inputs, all players together."""
        return SparseSeries(self.contents.begun, self._recorded(INPUT_HASHES))

    def hash_after(self, frame: int) -> int | None:
        """The hash of the state after a frame; -1 means after `init`."""
        return self.hashes[frame + 1]

    def is_hashed(self, frame: int) -> bool:
        """Whether the hash of the state after a frame was recorded, not computed from it."""
        return any(
            key.topic == HASHES and key.number <= frame + 1 < key.number + len(data) // 8
            for key, data in self.parts.items()
        )

    @property
    def known(self) -> dict[int, int]:
        """The hashes that the report has, by the frame that they follow; -1 is `init`."""
        numbers = np.flatnonzero(self.hashes.known)
        return dict(zip((numbers - 1).tolist(), self.hashes.values[numbers].tolist(), strict=True))

    @cached_property
    def made_up(self) -> frozenset[int]:
        """Frames whose hash is that of a state which is not known whole, and no machine's."""
        return frozenset(n for n in self.incomplete if not self.is_hashed(n))

    @property
    def told(self) -> dict[int, int]:
        """The hashes that its machine had, as `known`."""
        return {n: hash_ for n, hash_ in self.known.items() if n not in self.made_up}

    def inputs(self, frame: int) -> bytes | None:
        """The canonical inputs of a frame, player after player; None if the report lacks them."""
        if frame not in self.asked:
            return None
        count, size = input_block(self.header), self.header.frame_size
        first = frame - (frame - self.asked.start) % count
        block = self.parts.get(Key(INPUTS, first)) if size else b""
        at = (frame - first) * size
        return None if block is None else block[at : at + size]

    def inputs_array(self, frame: int) -> Inputs | None:
        """As `inputs`, as an array of shape (players,)."""
        data = self.inputs(frame)
        return None if data is None else from_canonical(self.types[1], data, self.header.players)

    def state(self, number: int) -> bytes | None:
        """State `number` in canonical form; None if the report lacks it."""
        return self.parts.get(Key(STATES, number))

    @property
    def states(self) -> list[int]:
        """The numbers of the states that the report has."""
        return [n for n in self.contents.states if Key(STATES, n) in self.parts]

    @property
    def tree(self) -> MerkleTree:
        """The shape of the Merkle trees."""
        return merkle_tree(self.types[0])

    def tree_hashes(self, number: int) -> NDArray[np.uint64] | None:
        """The leaf hashes of state `number`'s Merkle tree; None if the report has neither them nor
        the state."""
        found = self.parts.get(Key(TREES, number))
        if found is not None:
            return np.frombuffer(found, "<u8").astype(np.uint64)
        state = self.state(number)
        return None if state is None else self.tree.hashes(state)

    @property
    def trace(self) -> bytes | None:
        """The encoded trace of frame `contents.traced`; None if there is none."""
        return self.parts.get(Key(TRACE, self.contents.traced))

    @property
    def trace_is_faithful(self) -> bool:
        """Whether the traced run left the same state as the run itself; a frame that traps leaves
        the one before it."""
        number = min(self.contents.traced + 1, self.frames)
        return self.contents.traced_hash == self.hashes[number]

    @property
    def program_text(self) -> str | None:
        """The IR of `init`, `step` and what they call, as text."""
        found = self.parts.get(Key(PROGRAM, 0))
        return None if found is None else found.decode("utf-8", "replace")

    @cached_property
    def program(self) -> Program | None:
        """The program that ran, verified and of the right types, for evaluation only.

        It is untrusted: the interpreter confines it to its own memory, and it may not terminate.
        Never compile it, since compiled code trusts `unchecked` operations. Raises ReportError if
        the text is malformed.
        """
        text = self.program_text
        if text is None:
            return None
        most = self.budget.text
        if len(text) > most:
            raise ReportError(
                self.budget.cut(
                    f"{self.name} has a program of {len(text):,} characters, more than {most:,}"
                )
            )
        for number, line in enumerate(text.split("\n"), 1):
            if len(line) > NAME and any(len(found[0]) > NAME for found in _TEXT.finditer(line)):
                raise ReportError(
                    f"{self.name} has a program with a text of more than {NAME:,} characters in "
                    f"line {number:,}"
                )
        state, given = self.types
        wanted = {
            self.contents.init: (RefType(state), UINT64),
            self.contents.step: (RefType(state), ArrayType(given, 1, readonly=True)),
        }
        try:
            module = parse_module(text)
            verify(module)
        except IRError as error:
            raise ReportError(
                f"{self.name} has a program whose text is not typed IR: {error.message}"
            ) from None
        for name, types in wanted.items():
            function = module.functions.get(name)
            if function is None or tuple(t for _, t in function.params) != types:
                raise ReportError(f"{self.name} has a program without a fitting {name!a:.80}")
        names = self.contents.init, self.contents.step
        return Program(state, given, *names, kernels=module, module=module)

    def model_of(self, program: Program) -> Model:
        """The step of a program of this report, within its budget. Raises ReportError."""
        size, most = canonical_size(program.state), self.budget.memory
        if size > most:
            raise ReportError(
                self.budget.cut(f"{self.name} has states of {size:,} bytes, more than {most:,}")
            )
        return replace(Model.of(program), budget=self.budget)

    @cached_property
    def sizes(self) -> dict[Key, int]:
        """The parts that the report should have, and their sizes in bytes."""
        return plan(self.header, self.contents)

    @cached_property
    def missing(self) -> list[Key]:
        """The parts that are lost to damage."""
        return [key for key in self.sizes if key not in self.parts]

    def _recorded(self, topic: str) -> Iterator[tuple[int, NDArray[np.uint64]]]:
        """The recorded hashes of a topic, each block with the number of its first."""
        for key, data in self.parts.items():
            if key.topic == topic:
                yield key.number, np.frombuffer(data, "<u8").astype(np.uint64)


_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"?|\w+')
"""A quoted text, in which quotes may be escaped, or a word."""


class SparseSeries:
    """Values at indices 0 to `len() - 1`, some of them unknown.

    `values` and `known` end at the last known one: the length is only a claim.
    """

    def __init__(self, length: int, blocks: Iterable[tuple[int, NDArray[np.uint64]]]) -> None:
        """`blocks` are the known values, each block with the index of its first."""
        given = list(blocks)
        reach = min(length, max((first + len(block) for first, block in given), default=0))
        self._length = length
        self.values: NDArray[np.uint64] = np.zeros(reach, np.uint64)
        self.known: NDArray[np.bool_] = np.zeros(reach, np.bool_)
        for first, block in given:
            self.values[first : first + len(block)] = block
            self.known[first : first + len(block)] = True

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, number: int) -> int | None:
        """The value; None if it is unknown."""
        if not 0 <= number < len(self.known) or not self.known[number]:
            return None
        return int(self.values[number])

    def __iter__(self) -> Iterator[int | None]:
        return map(self.__getitem__, range(len(self)))

    def ranges(self) -> list[range]:
        """The known indices, as maximal ranges."""
        edges = np.flatnonzero(np.diff(np.concatenate([[False], self.known, [False]])))
        pairs = edges.reshape(-1, 2)
        return [range(int(first), int(stop)) for first, stop in pairs]

    def shared(self, other: SparseSeries) -> NDArray[np.int64]:
        """The indices known in both."""
        count = min(len(self.known), len(other.known))
        return np.flatnonzero(self.known[:count] & other.known[:count])

    def first_difference(self, other: SparseSeries) -> int | None:
        """The first index known in both at which they differ; None if there is none."""
        shared = self.shared(other)
        unequal = np.flatnonzero(self.values[shared] != other.values[shared])
        return int(shared[unequal[0]]) if len(unequal) else None
