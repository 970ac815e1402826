"""Mutated messages end the connection that they come over, and no player of a match notices."""

from __future__ import annotations

from random import Random

import pytest
from tests.fuzz.net import at_peer, at_relay, beside_players, corpus


@pytest.mark.parametrize("ordered", [True, False])
def test_mutated_messages_raise_nothing_and_end_conversations(ordered: bool) -> None:
    messages = corpus(ordered)
    assert min(len(messages.up), len(messages.down)) > 200
    random = Random(7)
    assert at_relay(messages, 1500, random, ordered) > 30
    assert at_peer(messages, 1500, random, ordered) > 10
    assert beside_players(messages, 1500, random, ordered) >= 200
