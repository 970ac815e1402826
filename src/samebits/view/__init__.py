"""Replays as viewers of MCAP files show them: states as Protobuf, scenes as Foxglove's."""
