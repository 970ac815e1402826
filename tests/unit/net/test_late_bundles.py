"""Bundles that were on their way when a state took the place of frames that they refer to."""

from __future__ import annotations

from tests.support.simulations.crowd_simulation import crowd

from samebits.bits import xxh64
from samebits.net.input_codec import ClosedFrame, InputCodec
from samebits.net.messages import Record, Start, Welcome, encode
from samebits.net.peer.core import PeerCore
from samebits.net.relay.frames import FrameLog
from samebits.net.transfers import SNAPSHOT, Outgoing
from samebits.sim.players import random_inputs

TICK = 1_000_000_000 // 60
SEED = 4


def test_a_bundle_of_old_frames_after_a_state_lets_the_next_one_come() -> None:
    simulation = crowd(2)
    codec, inputs = InputCodec(simulation), random_inputs(simulation, 0, 40, 1)
    log = FrameLog(codec)
    for frame in range(40):
        row = simulation.inputs.to_bytes(inputs[frame : frame + 1])
        log.close(ClosedFrame(row, 0, ()))
    session = simulation.start(SEED)
    hashes = session.run(inputs[:20]).tolist()
    state = session.canonical_state()
    assert xxh64(state) == hashes[-1]
    peer = PeerCore(simulation, "", lambda frame: codec.zero)

    def bundle(first: int, end: int, relative: bool) -> Record:
        return log.bundle(first, end, relative)[1]

    def hear(*records: Record) -> None:
        for record in records:
            peer.receive(0, encode(record))
        peer.poll(0)

    peer.poll(0)
    hear(Welcome(1, "m", 0, 2, 1, b"token", SEED, 60, 0, 30, 0, 0), Start(0, TICK))
    hear(bundle(0, 10, False))
    heal = Outgoing(SNAPSHOT, 1, 20, state).chunk(0)
    hear(heal, bundle(12, 16, True), bundle(5, 20, False), bundle(20, 24, True))
    assert not peer.over
    hear(bundle(20, 30, False), bundle(30, 40, True))
    assert not peer.over
    assert peer.timeline is not None
    assert peer.timeline.confirmed == 40
    peer.timeline.advance(40)
    assert peer.timeline.hashes[39] == int(simulation.start(SEED).run(inputs)[-1])
