"""The oracle: what must hold of every simulated match, whatever its links did.

Owns these rules. A match in which nothing happened, no rollback or a hash that stays the same,
proves nothing, and is a fault too.
"""

from __future__ import annotations

from samebits.net.events import Healed
from samebits.net.input_codec import Event
from samebits.net.simnet.world import EPOCH, World

_LEAST_CHANGE = 0.9
"""The part of hashes that must differ from each other."""


def faults(world: World, *, frames: int | None = None) -> list[str]:
    """What is wrong with a match that was run to its end, of `frames` if that is known."""
    found = world.broken()
    if world.relay.ended is None:
        found.append(f"no end after {len(world.frames)} frames, {world.now - EPOCH} ns")
    if frames is not None and len(world.frames) != frames:
        found.append(f"{len(world.frames)} frames, not {frames}")
    expected = reference(world)
    found += _prefixes(world) + _hashes(world, expected) + _desyncs(world)
    ended = world.relay.ended
    undecided = any(not desync.decided for desync in world.relay.desyncs)
    right = expected[-1] if expected else 0
    if ended is not None and not undecided and ended.hash not in (0, right):
        found.append(f"the end has the hash {ended.hash:016x}, not {right:016x}")
    if len(set(expected)) < _LEAST_CHANGE * len(expected):
        found.append("the hashes hardly change: such a match proves nothing")
    return found


def reference(world: World) -> list[int]:
    """The hash after each frame of a plain session over the match's inputs."""
    session = world.simulation.start(world.relay.rules.seed)
    rows = b"".join(frame.row for frame in world.frames)
    if not world.frames:
        return []
    return session.run(world.simulation.inputs.from_bytes(rows, len(world.frames))).tolist()


def _prefixes(world: World) -> list[str]:
    """Confirmed inputs are the relay's, everywhere."""
    found: list[str] = []
    for node in world.nodes:
        wrong = [n for n, row in node.log.rows.items() if row != world.frames[n].row]
        if wrong:
            found.append(f"slot {node.slot}: other inputs in frame {wrong[0]}")
        found += [f"slot {node.slot}: {what}" for what in node.log.contradictions]
        timeline = node.core.timeline
        played = timeline.confirmed if timeline is not None else 0
        stays = node.core.over and not node.gone and node.number is not None
        if stays and not node.plan.spectator and played != len(world.frames):
            found.append(f"slot {node.slot}: {played} frames of {len(world.frames)}")
    return found


def _hashes(world: World, expected: list[int]) -> list[str]:
    """Final hashes are those of a plain session, but where a fault was planted and not healed."""
    found: list[str] = []
    for node in world.nodes:
        excused = range(0)
        if node.flipped and node.plan.flip is not None:
            healed = [
                e.frame for _, e in world.events if isinstance(e, Healed) and e.slot == node.slot
            ]
            excused = range(node.plan.flip, healed[0] if healed else len(expected))
        for frame, value in node.log.hashes.items():
            if value != expected[frame] and frame not in excused:
                found.append(f"slot {node.slot}: another hash after frame {frame}")
                break
    return found


def _desyncs(world: World) -> list[str]:
    """A desync is told if and only if one was planted, of that frame, and of that slot."""
    planted: dict[int | None, list[int]] = {}
    for node in world.nodes:
        if node.flipped:
            planted.setdefault(node.plan.flip, []).append(node.slot)
    told = {desync.frame: desync.wrong for desync in world.relay.desyncs}
    found = [f"a false desync in frame {frame}" for frame in told if frame not in planted]
    for frame, slots in planted.items():
        if frame not in told:
            found.append(f"slots {slots} departed after frame {frame}, and nobody said so")
        elif told[frame] not in (tuple(slots), ()):
            found.append(f"frame {frame}: slots {told[frame]} are blamed, not {slots}")
    entries = [e for frame in world.frames for e in frame.entries if e.event is Event.DESYNC]
    if len(entries) not in (len(told), len(told) - 1):
        found.append(f"{len(entries)} entries tell of {len(told)} desyncs")
    return found
