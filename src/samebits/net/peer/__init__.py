"""A peer without sockets or clocks.

`pacing` and `delay` say when, `timeline` what was played, `outbox` what is to be told; `core`
speaks with the relay.
"""
