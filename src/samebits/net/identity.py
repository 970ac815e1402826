"""A peer's identity: its HELLO, and whether a relay lets it in.

Owns which differences refuse, and which are let in and told: another math fingerprint or
floating-point environment is a warning of what may come, no proof.
"""

from __future__ import annotations

from samebits.desync.machine import Machine, this_machine
from samebits.net import limits
from samebits.net.input_codec import InputCodec
from samebits.net.messages import Hello, Refuse
from samebits.runtime.objects.host import host
from samebits.sim.definition import SimulationDefinition
from samebits.version import __version__


def hello_of(
    simulation: SimulationDefinition,
    codec: InputCodec,
    *,
    window: int,
    confirmed: int = 0,
    ticket: str = "",
    resume: bytes = b"",
    machine: Machine | None = None,
) -> Hello:
    """The HELLO of a peer that plays a simulation on this machine, or on `machine`."""
    found = machine or this_machine()
    words = " ".join(f"{name}={word:#x}" for name, word in found.registers)
    return Hello(
        lowest=limits.PROTOCOL,
        highest=limits.PROTOCOL,
        simulation=simulation.name,
        version=simulation.version,
        digest=simulation.digest,
        schema=codec.schema,
        samebits=__version__,
        target=f"{host().triple} {found.cpu}".strip(),
        fingerprint=found.fingerprint,
        environment=words,
        window=window,
        confirmed=confirmed,
        ticket=ticket,
        resume=resume,
    )


def refusal(simulation: SimulationDefinition, codec: InputCodec, hello: Hello) -> Refuse | None:
    """Why a peer can't play with the others, if it can't."""
    if not hello.lowest <= limits.PROTOCOL <= hello.highest:
        theirs = f"{hello.lowest} to {hello.highest}"
        return Refuse("protocol", "no protocol in common", str(limits.PROTOCOL), theirs)
    pairs = (
        ("simulation", "another simulation", simulation.name, hello.simulation),
        ("version", "another version of the simulation", simulation.version, hello.version),
        ("digest", "other code of the same name and version", simulation.digest, hello.digest),
        ("schema", "another layout", f"{codec.schema:016x}", f"{hello.schema:016x}"),
    )
    for code, reason, ours, theirs in pairs:
        if ours != theirs:
            return Refuse(code, reason, ours, theirs)
    return None


def remarks(first: Hello, other: Hello) -> list[str]:
    """What differs between two peers that predicts different bits, or explains them later. What one
    of them does not say is no difference."""
    names = ("fingerprint", "environment", "samebits")
    pairs = ((name, getattr(first, name), getattr(other, name)) for name in names)
    return [f"{name}: {one} and {two}" for name, one, two in pairs if _differ(name, one, two)]


def _differ(name: str, one: str, two: str) -> bool:
    if name == "fingerprint":  # exported libraries have no part for a host's own mathematics
        parts = list(zip(one.split("-"), two.split("-"), strict=False))
        return bool(one and two) and any(a != b for a, b in parts)
    return bool(one and two) and one != two
