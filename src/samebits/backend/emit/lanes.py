"""Loops whose accumulators have lanes, as LLVM text: blocks of iterations, and the final reduction.

`ir.grammar.Lanes` defines what such a loop means. Owns its two forms: loop nests of a fixed trip
count, which LLVM vectorises, and one loop over all iterations, for bodies that cannot be vectorised
or are too large for a second copy.
"""

from __future__ import annotations

from dataclasses import replace

from samebits.backend.emit.function import FunctionEmitter, Loop
from samebits.backend.text.loop_metadata import EmittedCounts, has_masks
from samebits.backend.text.types import float_constant, scalar
from samebits.bits import SMALLEST_NORMAL
from samebits.ir.grammar import JOINS, For, If, Lanes, Op, While, can_trap, walk
from samebits.printed import OUTPUT
from samebits.types import ScalarType

NEST_LIMIT = 300
"""Most statements of a body, inlined callees included, that is worth three copies."""
ALIGN = 64


class LaneEmitter(FunctionEmitter):
    """Emits a function whose loops may have lanes."""

    def _for(self, statement: For) -> None:
        if statement.lanes is None:
            super()._for(statement)
        elif self.function.options.optimize_for == "speed" and self._vectorises(statement):
            self._nests(statement, statement.lanes)
        else:
            self._cells(statement, statement.lanes)

    def _vectorises(self, statement: For) -> bool:
        """Whether LLVM vectorises loops here, and nothing in the body prevents it."""
        if not self.module.profile.vectorise:
            return False
        size = 0
        for inner in walk(statement.body):
            size += 1
            if isinstance(inner, While):
                return False
            if not isinstance(inner, Op):
                continue
            if inner.opcode == "call":
                callee = str(inner.attr)
                plain = self.module.is_inlined(callee) or callee in self.module.cold
                if self.module.traps[callee] or not plain:
                    return False
                size += self.module.inlined_size(callee)
            elif can_trap(inner) or inner.opcode == "parallel" or inner.opcode in OUTPUT:
                return False
        return size <= NEST_LIMIT

    def _accumulators(self, lanes: Lanes) -> list[_Accumulator]:
        found: list[_Accumulator] = []
        for slot, join in lanes.slots:
            t = self.facts.slot_types[slot]
            assert isinstance(t, ScalarType)
            if slot in self._slots:  # otherwise nothing sets it
                flush = lanes.flush and not self.flushes_late
                found.append(_Accumulator(self, slot, self._slots[slot][0], t, join, flush))
        return found

    def _loop_trip_count(self, statement: For, start: str, stop: str) -> str:
        if statement.step not in (1, -1):
            return self._trip_count(start, stop, statement.step)
        low, high = (start, stop) if statement.step == 1 else (stop, start)
        some = self.emit(f"icmp slt i64 {low}, {high}")
        return self.emit(f"select i1 {some}, i64 {self.emit(f'sub i64 {high}, {low}')}, i64 0")

    def _at(self, statement: For, start: str, iteration: str) -> str:
        """The value of the loop's slot in iteration number `iteration`."""
        match statement.step:
            case 1:
                return self.emit(f"add i64 {start}, {iteration}")
            case -1:
                return self.emit(f"sub i64 {start}, {iteration}")
            case step:
                return self.emit(f"add i64 {start}, {self.emit(f'mul i64 {iteration}, {step}')}")

    # -- nests of a fixed trip count ----------------------------------------------------------

    def _nests(self, statement: For, lanes: Lanes) -> None:
        start, stop = self.operand(statement.start), self.operand(statement.stop)
        trips = self._loop_trip_count(statement, start, stop)
        done = "0"
        for count in lanes.counts:
            left = self.emit(f"sub nuw i64 {trips}, {done}")
            whole = self.emit(f"and i64 {left}, {-count}")
            end = self.emit(f"add nuw i64 {done}, {whole}")
            some = self.emit(f"icmp ne i64 {whole}, 0")
            blocks, after = self._label("blocks"), self._label("after")
            self.do(f"br i1 {some}, label %{blocks}, label %{after}")
            self._start(blocks)
            self._blocks(statement, lanes, count, start, done, end)
            self._jump(after)
            self._start(after)
            done = end
        if statement.step in (1, -1):
            self._counted(statement, start, self._at(statement, start, done), stop)
        else:
            self._counted(statement, start, done, trips)

    def _blocks(
        self, statement: For, lanes: Lanes, count: int, start: str, first: str, end: str
    ) -> None:
        accumulators = self._accumulators(lanes)
        before = [a.load() for a in accumulators]
        for a in accumulators:
            a.allocate(count)
        for a in accumulators:
            a.clear(0, count)
        block, done = self._label("block"), self._label("joined")
        head, body, next_block = self._label("head"), self._label("body"), self._label("next")
        loop = Loop(self._label("step"), "")
        row, lane = self.variable("i64"), self.variable("i64")
        self.do(f"store i64 {first}, ptr {row}")
        self._jump(block)
        self._start(block)
        at = self.emit(f"load i64, ptr {row}")
        again = self.emit(f"icmp ult i64 {at}, {end}")
        inner = self._label("lanes")
        self.do(f"br i1 {again}, label %{inner}, label %{done}")
        self._start(inner)
        base = self._at(statement, start, at)
        self.do(f"store i64 0, ptr {lane}")
        self._jump(head)
        self._start(head)
        now = self.emit(f"load i64, ptr {lane}")
        more = self.emit(f"icmp ult i64 {now}, {count}")
        self.do(f"br i1 {more}, label %{body}, label %{next_block}")
        self._start(body)
        self.store_slot(statement.slot, (self._at(statement, base, now),))
        seen = self._iteration(statement, accumulators, now, loop)
        self.do(f"store i64 {self.emit(f'add nuw nsw i64 {now}, 1')}, ptr {lane}")
        self._counts.lanes += count
        self._back_edge(statement, head, seen)
        self._start(next_block)
        self.do(f"store i64 {self.emit(f'add nuw i64 {at}, {count}')}, ptr {row}")
        self._jump(block)
        self._start(done)
        for a, old in zip(accumulators, before, strict=True):
            a.store(a.joined(old, a.fold(0, count)))

    def _iteration(
        self, statement: For, accumulators: list[_Accumulator], lane: str, loop: Loop
    ) -> EmittedCounts:
        """Emit the body, accumulating into the cells of `lane`; returns the counts before it."""
        cells = {a.name: a.place(lane) for a in accumulators}
        in_place = self._reads_in_branches(statement)
        kept = {a.name: self._slots[a.name] for a in accumulators}
        if in_place:
            self._slots.update({name: (cell,) for name, cell in cells.items()})
        else:
            for a in accumulators:
                a.store(self.emit(f"load {a.type}, ptr {cells[a.name]}"))
        seen = replace(self._counts)
        self._loop_body(statement.body, loop)
        self._start(loop.next_iteration)
        self._slots.update(kept)
        if not in_place:
            for a in accumulators:
                self.do(f"store {a.type} {a.load()}, ptr {cells[a.name]}")
        return seen

    def _reads_in_branches(self, statement: For) -> bool:
        """Whether the body reads memory in a branch, which without masks becomes no vector. The
        slots are the lanes' cells then: a branch that is not taken moves none."""
        return not has_masks(self.target) and any(
            isinstance(s, If)
            and any(isinstance(op, Op) and op.opcode == "load" for op in walk([s]))
            for s in walk(statement.body)
        )

    # -- one loop over all iterations ---------------------------------------------------------

    def _cells(self, statement: For, lanes: Lanes) -> None:
        """Emit the body once: an iteration accumulates into the cell, lane or slot, that its number
        selects; the lanes of each count are joined after its last block."""
        start, stop = self.operand(statement.start), self.operand(statement.stop)
        trips = self._loop_trip_count(statement, start, stop)
        ends: list[str] = []
        for count in lanes.counts:
            done = ends[-1] if ends else "0"
            whole = self.emit(f"and i64 {self.emit(f'sub nuw i64 {trips}, {done}')}, {-count}")
            ends.append(self.emit(f"add nuw i64 {done}, {whole}"))
        firsts = [sum(lanes.counts[:k]) for k in range(len(lanes.counts) + 1)]
        accumulators = self._accumulators(lanes)
        own = str(firsts[-1])
        for a in accumulators:
            a.allocate(firsts[-1] + 1)
        for a in accumulators:
            for first, count in zip(firsts, lanes.counts, strict=False):
                a.clear(first, count)
            self.do(f"store {a.type} {a.load()}, ptr {a.place(own)}")
        counter, stage = self.variable("i64"), self.variable("i32")
        state = [self.variable("i64") for _ in range(3)]
        stages = [
            (str(first), str(count - 1), end)
            for first, count, end in zip(firsts, (*lanes.counts, 1), (*ends, trips), strict=True)
        ]
        self.do(f"store i64 0, ptr {counter}")
        self._enter_stage(stage, state, 0, stages[0])
        head, body, ended = self._label("head"), self._label("body"), self._label("ended")
        done = self._label("done")
        loop = Loop(self._label("step"), self._label("exit"))
        self._jump(head)
        self._start(head)
        now = self.emit(f"load i64, ptr {counter}")
        first, mask, end = (self.emit(f"load i64, ptr {place}") for place in state)
        again = self.emit(f"icmp ult i64 {now}, {end}")
        self.do(f"br i1 {again}, label %{body}, label %{ended}")
        self._start(body)
        self.store_slot(statement.slot, (self._at(statement, start, now),))
        lane = self.emit(f"add i64 {first}, {self.emit(f'and i64 {now}, {mask}')}")
        seen = self._iteration(statement, accumulators, lane, loop)
        self.do(f"store i64 {self.emit(f'add nuw i64 {now}, 1')}, ptr {counter}")
        self._back_edge(statement, head, seen)
        self._start(ended)
        at = self.emit(f"load i32, ptr {stage}")
        joins = [self._label("join") for _ in lanes.counts]
        cases = " ".join(f"i32 {k}, label %{label}" for k, label in enumerate(joins))
        self.do(f"switch i32 {at}, label %{done} [ {cases} ]")
        for k, (label, count) in enumerate(zip(joins, lanes.counts, strict=True)):
            fold, after = self._label("fold"), self._label("after")
            self._start(label)
            some = self.emit(f"icmp ne i64 {ends[k]}, {ends[k - 1] if k else 0}")
            self.do(f"br i1 {some}, label %{fold}, label %{after}")
            self._start(fold)
            for a in accumulators:
                total = a.place(own)
                before = self.emit(f"load {a.type}, ptr {total}")
                joined = a.joined(before, a.fold(firsts[k], count))
                self.do(f"store {a.type} {joined}, ptr {total}")
            self._jump(after)
            self._start(after)
            self._enter_stage(stage, state, k + 1, stages[k + 1])
            self._jump(head)
        self._start(done)
        for a in accumulators:
            a.store(self.emit(f"load {a.type}, ptr {a.place(own)}"))
        self._jump(after_iterations := self._label("turned"))
        self._loop_end(after_iterations, statement.orelse, loop)

    def _enter_stage(
        self, stage: str, state: list[str], number: int, values: tuple[str, ...]
    ) -> None:
        self.do(f"store i32 {number}, ptr {stage}")
        for place, value in zip(state, values, strict=True):
            self.do(f"store i64 {value}, ptr {place}")


class _Accumulator:
    """One slot with lanes: its address, its cells, and the operations on its lanes."""

    def __init__(
        self, f: FunctionEmitter, name: str, slot: str, t: ScalarType, join: str, flush: bool
    ) -> None:
        self.f = f
        self.name = name
        self.slot = slot
        self.cells = ""
        self.bits = t.bits
        self.type = scalar(t)
        self.join = join
        self.flush = flush and join in ("add", "mul")
        self.chunk = max(4, f.target.vector_bits // t.bits)

    def load(self) -> str:
        return self.f.emit(f"load {self.type}, ptr {self.slot}")

    def store(self, value: str) -> None:
        self.f.do(f"store {self.type} {value}, ptr {self.slot}")

    def allocate(self, count: int) -> None:
        self.cells = self.f.variable(f"[{count} x {self.type}]", f", align {ALIGN}")

    def clear(self, first: int, count: int) -> None:
        """Set `count` lanes, from `first` on, to the neutral element."""
        chunk = min(self.chunk, count)
        value = f"{self.type} {float_constant(JOINS[self.join])}"
        vector = f"<{chunk} x {self.type}> <{', '.join([value] * chunk)}>"
        for i in range(first, first + count, chunk):
            place = self.place(str(i))
            self.f.do(f"store {vector}, ptr {place}, align {self._align(chunk)}")

    def _align(self, chunk: int) -> int:
        return min(ALIGN, chunk * self.bits // 8)

    def place(self, lane: str) -> str:
        return self.f.emit(f"getelementptr inbounds {self.type}, ptr {self.cells}, i64 {lane}")

    def fold(self, first: int, count: int) -> str:
        """The result of `count` lanes, from `first` on, joined in halves."""
        chunk = min(self.chunk, count)
        vector = f"<{chunk} x {self.type}>"
        parts = [
            self.f.emit(f"load {vector}, ptr {self.place(str(i))}, "
                        f"align {self._align(chunk)}")
            for i in range(first, first + count, chunk)
        ]  # fmt: skip
        while len(parts) > 1:
            half = len(parts) // 2
            parts = [self.joined(parts[i], parts[half + i], chunk) for i in range(half)]
        value = parts[0]
        while chunk > 1:
            half = chunk // 2
            low, high = (self._part(value, chunk, first, half) for first in (0, half))
            value, chunk = self.joined(low, high, half), half
        return value

    def _part(self, vector: str, length: int, first: int, count: int) -> str:
        whole = f"<{length} x {self.type}>"
        if count == 1:
            return self.f.emit(f"extractelement {whole} {vector}, i64 {first}")
        mask = ", ".join(f"i32 {first + i}" for i in range(count))
        return self.f.emit(
            f"shufflevector {whole} {vector}, {whole} poison, <{count} x i32> <{mask}>"
        )

    def joined(self, a: str, b: str, length: int = 1) -> str:
        """Two numbers or vectors joined, as the operation's lowering does it."""
        emit = self.f.emit
        t = self._vector(self.type, length)
        if self.join in ("add", "mul"):
            joined = emit(f"f{self.join} {t} {a}, {b}")
            return self._flushed(joined, length) if self.flush else joined
        first, merge = ("olt", "or") if self.join == "min" else ("ogt", "and")
        bits = self._vector(f"i{self.bits}", length)
        test = self._vector("i1", length)
        chosen = emit(f"select {test} {emit(f'fcmp {first} {t} {a}, {b}')}, {t} {a}, {t} {b}")
        patterns = [emit(f"bitcast {t} {x} to {bits}") for x in (a, b)]
        merged = emit(f"{merge} {bits} {patterns[0]}, {patterns[1]}")
        zeros = emit(f"bitcast {bits} {merged} to {t}")
        equal = emit(f"fcmp oeq {t} {a}, {b}")
        chosen = emit(f"select {test} {equal}, {t} {zeros}, {t} {chosen}")
        unordered = emit(f"fcmp uno {t} {a}, {b}")
        nan = float_constant(float("nan"))
        quiet = self._filled(self.type, nan, length)
        return emit(f"select {test} {unordered}, {t} {quiet}, {t} {chosen}")

    def _flushed(self, x: str, length: int) -> str:
        """All bits where the magnitude is not below the normal numbers, else the sign alone."""
        t, bits = (self._vector(name, length) for name in (self.type, f"i{self.bits}"))
        test = self._vector("i1", length)

        least = self._filled(self.type, float_constant(SMALLEST_NORMAL[self.bits]), length)
        suffix = f"v{length}f{self.bits}" if length > 1 else f"f{self.bits}"
        magnitude = self.f.emit(f"call {t} @llvm.fabs.{suffix}({t} {x})")
        kept = self.f.emit(f"fcmp uge {t} {magnitude}, {least}")
        ones = self._filled(f"i{self.bits}", "-1", length)
        sign = self._filled(f"i{self.bits}", str(-(1 << (self.bits - 1))), length)
        mask = self.f.emit(f"select {test} {kept}, {bits} {ones}, {bits} {sign}")
        pattern = self.f.emit(f"bitcast {t} {x} to {bits}")
        flushed = self.f.emit(f"and {bits} {pattern}, {mask}")
        return self.f.emit(f"bitcast {bits} {flushed} to {t}")

    @staticmethod
    def _vector(t: str, length: int) -> str:
        return f"<{length} x {t}>" if length > 1 else t

    @staticmethod
    def _filled(t: str, value: str, length: int) -> str:
        return f"<{', '.join([f'{t} {value}'] * length)}>" if length > 1 else value
