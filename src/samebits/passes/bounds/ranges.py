"""Range analysis: walks a function once, in order, and removes the checks that cannot fail.

Slots that a loop sets are unknown at its head, so that no fixed point is needed. Owns how
knowledge passes through control flow; what operations do to it is `transfer`'s.
"""

from __future__ import annotations

from dataclasses import replace

from samebits.ir.grammar import (
    Break,
    Continue,
    For,
    Function,
    If,
    Op,
    Region,
    Return,
    While,
    can_trap,
)
from samebits.ir.rules import is_int
from samebits.passes.bounds.affine import Form, atom_form, constant, scale, shift, subtract
from samebits.passes.bounds.domain import (
    Abstract,
    AbstractState,
    Both,
    Condition,
    Either,
    Lengths,
    integer_range,
    is_weak_int,
    negate,
)
from samebits.passes.bounds.modified import ModifiedSlots
from samebits.passes.bounds.prover import FactBase
from samebits.passes.bounds.transfer import apply
from samebits.types import INT

GIVEN_LIMIT = 12
"""Inequalities kept for one side of a slot that gets one of two values."""

Slots = dict[str, Abstract]


class Ranges:
    """One walk over one function. Never changes its input."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.state = AbstractState()
        self.modified = ModifiedSlots()
        self.types = {**function.slots, **dict(function.params)}

    def run(self) -> Function:
        """The function with needless checks gone and ops that cannot trap marked `unchecked`."""
        self.modified.add(self.function.body)
        for name, t in self.function.params:
            self.state.slots[name] = self.state.unknown(t)
        body, _ = self.region(self.function.body)
        return replace(self.function, body=body)

    def want(self, form: Form) -> None:
        """Receives each inequality `form >= 0` whose proof would remove a check."""

    # --- regions ---

    def region(self, region: Region) -> tuple[Region, bool]:
        """The region rewritten, and whether control can leave it at its end."""
        out: Region = []
        for statement in region:
            match statement:
                case Op():
                    kept = apply(self.state, statement, self.want)
                    if kept is not None:
                        out.append(self.folded(kept))
                case If():
                    if not self.branch(statement, out):
                        return out, False
                case For():
                    self.counted_loop(statement, out)
                case While():
                    self.while_loop(statement, out)
                case Break() | Continue() | Return():
                    out.append(statement)
                    return out, False
        return out, True

    def folded(self, op: Op) -> Op:
        """A constant that replaces an integer op whose result is known."""
        if len(op.results) != 1 or op.opcode == "const" or not is_int(op.result.type):
            return op
        found = self.state.values.get(op.id)
        if not isinstance(found, Form) or found.terms or can_trap(op) or op.opcode == "call":
            return op
        low, high = integer_range(op.result.type)
        if not low <= found.constant <= high:  # after what always traps
            return op
        return Op(op.id, "const", (), found.constant, op.results, op.span)

    def scoped(self, region: Region) -> tuple[Region, bool]:
        """As `region`, but facts learnt inside are forgotten at its end."""
        facts, state = self.state.facts, self.state
        mark, origins = facts.mark(), state.origins
        state.origins = dict(origins)
        result = self.region(region)
        state.origins = origins
        facts.restore(mark)
        return result

    # --- branches ---

    def branch(self, statement: If, out: Region) -> bool:
        state, facts = self.state, self.state.facts
        condition = state.condition(statement.condition)
        before, origins = state.slots, state.origins
        changed = self.modified.sets(statement)
        sides: list[_Side] = []
        rewritten: list[Region] = []
        for taken, region in ((condition, statement.then), (negate(condition), statement.orelse)):
            mark = facts.mark()
            state.slots, state.origins = dict(before), dict(origins)
            state.assume(taken)
            inner, falls_through = self.region(region)
            rewritten.append(inner)
            if falls_through:
                sides.append(_Side(state.slots, facts, mark, changed))
            facts.restore(mark)
        state.origins = origins
        out.append(replace(statement, then=rewritten[0], orelse=rewritten[1]))
        if not sides:
            state.slots = before
            return False
        if len(sides) == 1:
            state.slots = sides[0].slots
            for form in sides[0].given:
                facts.assume(form)
            return True
        state.slots = before
        a, b = sides
        for slot in changed:
            if slot in a.slots and slot in b.slots:
                state.slots[slot] = self.join(slot, condition, a, b)
        return True

    def join(self, slot: str, condition: Condition, a: _Side, b: _Side) -> Abstract:
        x, y = a.slots[slot], b.slots[slot]
        if x == y:
            return x
        if isinstance(x, Form) and isinstance(y, Form):
            low = min(a.bounds[slot][0], b.bounds[slot][0])
            high = max(a.bounds[slot][1], b.bounds[slot][1])
            return self.state.choice(x, a.given[:GIVEN_LIMIT], y, b.given[:GIVEN_LIMIT], low, high)
        if x is None or y is None or isinstance(x, (Form, Lengths)):
            return self.state.unknown(self.types[slot])
        if isinstance(y, (Form, Lengths)):
            return self.state.unknown(self.types[slot])
        # The shapes that `p and q` and `p or q` take when q needs a branch of its own.
        if y is False or y == condition:
            return Both(condition, x)
        if x is True or x == condition:
            return Either(condition, y)
        return self.state.unknown(self.types[slot])

    # --- loops ---

    def forget(self, statement: For | While, keep: Slots) -> None:
        """Make every slot that the loop sets unknown, except toward the side to which it can't
        go."""
        state = self.state
        state.slots = dict(keep)
        for slot in self.modified.sets(statement):
            if slot not in keep:
                continue
            old = keep[slot]
            new = state.unknown(self.types[slot])
            state.slots[slot] = new
            if isinstance(old, Form) and isinstance(new, Form) and is_weak_int(self.types[slot]):
                direction = self.modified.direction(slot, statement)
                if direction:
                    state.facts.assume(scale(subtract(new, old), direction))

    def enter(self, statement: For) -> None:
        """Learn the range of the loop's slot inside its body."""
        state = self.state
        start, stop = state.form(statement.start), state.form(statement.stop)
        counter = state.bounded(*integer_range(INT))
        step = statement.step
        sign = 1 if step > 0 else -1
        last = shift(stop, -sign)
        if abs(step) > 1:
            last = self.last_iteration(start, last, statement)
        state.facts.assume(scale(subtract(counter, start), sign))
        state.facts.assume(scale(subtract(last, counter), sign))
        state.slots[statement.slot] = counter

    def last_iteration(self, start: Form, limit: Form, statement: For) -> Form:
        """The counter in the last iteration, if there is one; it goes no further than `limit`."""
        if not start.terms and not limit.terms:
            iterations = (limit.constant - start.constant) // statement.step
            return constant(start.constant + iterations * statement.step)
        last = atom_form(self.state.facts.last_iteration(start, limit, statement.step))
        sign = 1 if statement.step > 0 else -1
        self.state.facts.assume(scale(subtract(limit, last), sign))
        self.state.facts.assume(scale(subtract(last, start), sign))
        return last

    def counted_loop(self, statement: For, out: Region) -> None:
        state, facts = self.state, self.state.facts
        before = state.slots
        mark = facts.mark()
        self.forget(statement, before)
        self.enter(statement)
        body, _ = self.scoped(statement.body)
        facts.restore(mark)
        orelse = self.leave(statement, before)
        out.append(replace(statement, body=body, orelse=orelse))

    def while_loop(self, statement: While, out: Region) -> None:
        state, facts = self.state, self.state.facts
        before = state.slots
        mark, origins = facts.mark(), state.origins
        state.origins = dict(origins)
        self.forget(statement, before)
        head, _ = self.region(statement.head)
        state.assume(state.condition(statement.condition))
        state.origins = dict(origins)
        body, _ = self.region(statement.body)
        state.origins = origins
        facts.restore(mark)
        orelse = self.leave(statement, before)
        out.append(replace(statement, head=head, body=body, orelse=orelse))

    def leave(self, statement: For | While, before: Slots) -> Region:
        """After the loop: its `orelse`, then the facts that hold with it and without it."""
        self.forget(statement, before)
        if not statement.orelse:
            return []
        orelse, _ = self.scoped(statement.orelse)
        self.forget(statement, before)
        return orelse


class _Side:
    """The state that one side of a branch leaves for the join."""

    def __init__(self, slots: Slots, facts: FactBase, mark: int, changed: frozenset[str]) -> None:
        self.slots = slots
        self.given = facts.since(mark)
        self.bounds = {
            slot: (facts.low(form), facts.high(form))
            for slot in changed
            if isinstance(form := slots.get(slot), Form)
        }
