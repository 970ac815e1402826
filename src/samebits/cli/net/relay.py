"""`samebits net`: matches over a network, served, joined, watched and soaked."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samebits.cli.exit_status import BAD, DIFFERS, SAME
from samebits.cli.named import named_simulation
from samebits.errors import MatchError
from samebits.sim.simulation import Simulation

if TYPE_CHECKING:
    from samebits.net.client import MatchPeer
    from samebits.net.events import MatchEvent
    from samebits.net.relay.rules import Policy


_LEAVING = 1.0
"""Seconds that a peer which is interrupted takes to say so."""
_STATUS = 64 << 20
"""Bytes of a relay's status at most."""
_EVIDENCE = re.compile(r"frame-(?P<frame>[0-9]{1,15})(-.+\.desync|(?P<verdict>\.verdict\.txt))")
"""Files of a desync in a match's folder."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What `samebits net serve` was given."""

    sim: str
    secret: str
    host: str
    port: int
    store: str | None
    name: str
    seed: int
    players: int | None
    frames: int | None
    deadline: int
    policy: Policy
    referee: bool
    delay: int
    cert: str | None
    key: str | None
    origins: tuple[str, ...]
    per_address: int


@dataclass(frozen=True, slots=True)
class SoakOptions:
    """What `samebits net soak` was given; times in milliseconds, loss in per cent."""

    sim: str
    matches: int
    frames: int
    seed: int
    scene: str | None
    rtt: float | None
    jitter: float
    loss: float
    datagrams: bool | None
    window: str | None
    json: bool


def serve(options: ServeOptions) -> int:
    """Serve until interrupted."""
    need_websockets()
    from samebits.net.few_lines import FewLines
    from samebits.net.loops import run as run_loop
    from samebits.net.relay.closing import ClosingRules
    from samebits.net.relay.rules import MatchRules
    from samebits.net.server import Relay

    if (options.cert is None) != (options.key is None):
        raise MatchError("TLS needs a certificate and a key", fix="give --cert and --key")
    simulation = named_simulation(options.sim)
    for origin in options.origins:
        if not re.fullmatch(r"https?://[^/\s]+", origin):
            raise MatchError(
                f"--origin '{origin:.100}' is no page's origin",
                fix="give https://host, or with :port",
            )
    if options.players is not None and options.players > simulation.players:
        raise MatchError(
            f"--players {options.players}, and '{simulation.name}' has {simulation.players}",
            fix=f"give at most {simulation.players}",
        )
    deadline = options.deadline * 1_000_000 or None
    rules = MatchRules(
        seed=options.seed, needed=options.players, frames=options.frames, policy=options.policy,
        referee=options.referee, spectator_delay=options.delay,
        closing=ClosingRules(deadline=deadline),
    )  # fmt: skip
    relay = Relay(
        simulation, _secret(options.secret), rules=rules, store=options.store, name=options.name,
        source=options.sim.rpartition(":")[0] if ":" in options.sim else options.sim,
        per_address=options.per_address,
    )  # fmt: skip

    lines = FewLines()

    def tell(match: str, event: MatchEvent) -> None:
        text = f"{match}: {shown(event)}"
        for line in lines.take(f"{match}: {type(event).__name__.lower()}", text, time.monotonic()):
            print(line, flush=True)

    relay.listeners.append(tell)
    tls = (options.cert, options.key) if options.cert and options.key else None

    async def run() -> None:
        try:
            async with relay.running(options.host, options.port, tls=tls, origins=options.origins):
                print(
                    f"{simulation.name} {simulation.version}, digest {simulation.digest}, at "
                    f"{'wss' if tls else 'ws'}://{options.host}:{relay.port}/MATCH",
                    flush=True,
                )
                await asyncio.get_running_loop().create_future()
        except OSError as error:
            raise MatchError(
                f"cannot listen on {options.host}:{options.port}: {error.strerror or error}",
                fix="give another --port or --host",
            ) from None

    run_loop(run())
    return SAME


def ticket(match: str, secret: str, slot: int, spectator: bool, relay: str, seconds: int) -> int:
    """Print a ticket."""
    from samebits.net.tickets import make_ticket

    text = make_ticket(
        _secret(secret), match, slot, now_ns=time.time_ns(), seconds=seconds, relay=relay,
        role="spectator" if spectator else "player",
    )  # fmt: skip
    print(text)
    return SAME


def join(
    sim: str, url: str, ticket: str, players: str | None, slot: int, window: int, side: str | None
) -> int:
    """Play with a script, to the end."""
    from samebits.sides.planted import planted
    from samebits.sim.players import player

    simulation = named_simulation(sim)
    if not 0 <= slot < simulation.players:
        raise MatchError(
            f"there is no slot {slot}", fix=f"give a slot from 0 to {simulation.players - 1}"
        )
    script = player(simulation, players, 1)

    def play(frame: int) -> bytes:
        return simulation.inputs.to_bytes(script(frame, 1)[:, slot : slot + 1])

    mine = simulation if side is None else planted(simulation, side)
    return _played(mine, url, ticket, window=window, play=play)


def watch(sim: str, url: str, ticket: str) -> int:
    """Watch to the end."""
    return _played(named_simulation(sim), url, ticket, window=0, spectator=True)


def _played(simulation: Simulation, url: str, ticket: str, **given: Any) -> int:
    need_websockets()
    from samebits.net.client import join as joined
    from samebits.net.events import Broken, Desynced, Ended, Refused, Substituted

    text = sys.stdin.readline().strip() if ticket == "-" else ticket
    status = SAME

    async def run() -> None:
        nonlocal status
        counts: Counter[str] = Counter()
        async with joined(simulation, url, text, **given) as peer, _leaving_on_interrupt(peer):
            async for frame in peer.frames():
                for event in frame.events:
                    counts[type(event).__name__] += 1
                    match event:
                        case Substituted():
                            continue
                        case Desynced() if peer.core.slot in event.wrong:
                            status = max(status, DIFFERS)
                        case Refused() | Broken():
                            status = BAD
                        case Ended():
                            pass
                        case _:
                            pass
                    print(shown(event), flush=True)
            timeline = peer.core.timeline
            if timeline is not None:
                stats = timeline.stats
                print(
                    f"slot {peer.core.slot}: {timeline.confirmed:,} frames, "
                    f"{stats.rollbacks:,} rollbacks of at most {stats.deepest} frames, "
                    f"{peer.core.stalls:,} stalls, {counts['Substituted']:,} frames substituted, "
                    f"delay {peer.core.pacer.delay}, round trip {peer.core.rtt / 1e6:.1f} ms"
                )

    asyncio.run(run())
    return status


@asynccontextmanager
async def _leaving_on_interrupt(peer: MatchPeer) -> AsyncGenerator[None]:
    """Ctrl-C gives the peer's slot up before the block ends, where it would else be kept for its
    return; a second one waits for nothing. Raises KeyboardInterrupt."""
    from websockets.exceptions import WebSocketException

    loop, own = asyncio.get_running_loop(), asyncio.current_task()
    assert own is not None
    leaving: list[asyncio.Task[None]] = []

    async def leave() -> None:
        try:
            async with asyncio.timeout(_LEAVING):
                await peer.leave("interrupted")
        except (OSError, TimeoutError, WebSocketException):
            pass  # nobody is there to be told
        finally:
            own.cancel()

    def interrupted() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        leaving.append(loop.create_task(leave()))

    try:
        loop.add_signal_handler(signal.SIGINT, interrupted)
    except (NotImplementedError, ValueError, RuntimeError):  # Windows, and threads
        yield
        return
    try:
        yield
        if leaving:
            await leaving[0]
    except asyncio.CancelledError:
        if not leaving:
            raise
    finally:
        loop.remove_signal_handler(signal.SIGINT)
    if leaving:
        raise KeyboardInterrupt


def soak(options: SoakOptions) -> int:
    """Play and judge matches over simulated links."""
    from samebits.net.simnet.links import MILLI, Link
    from samebits.net.simnet.soak import SCENES, SoakPlan
    from samebits.net.simnet.soak import soak as soaked

    simulation = named_simulation(options.sim)
    if options.scene is not None and options.scene not in SCENES:
        raise MatchError(
            f"there are no matches '{options.scene}'",
            fix="choose of " + ", ".join(f"'{scene}'" for scene in dict.fromkeys(SCENES)),
        )
    if options.rtt is None and (options.jitter or options.loss):
        raise MatchError(
            "--jitter and --loss are of links that --rtt describes",
            fix="give --rtt, or --scene for links of a kind",
        )
    link = None
    if options.rtt is not None:
        ordered = not options.datagrams
        link = Link(
            int(options.rtt * MILLI / 2), int(options.jitter * MILLI), options.loss / 100,
            ordered=ordered,
        )  # fmt: skip
    plan = SoakPlan(
        options.frames, options.scene or ("lan" if link else None),
        (not options.datagrams) if link or options.datagrams is not None else None,
        _windows(options.window), link, simulation.players,
    )  # fmt: skip
    of: Callable[[int], Simulation] = lambda players: simulation  # noqa: E731
    seeds = iter(range(options.seed, options.seed + options.matches))
    found: list[dict[str, Any]] = []
    bad = 0
    for match in soaked(of, seeds, plan):
        bad += bool(match.faults)
        if options.json:
            found.append({**asdict(match), "trace": f"{match.trace:016x}"})
        else:
            print(match, flush=True)
    if options.json:
        print(json.dumps({"format": 1, "matches": found}, indent=1))
    else:
        print(f"{options.matches - bad} of {options.matches} matches are good")
    return DIFFERS if bad else SAME


def status(url: str, as_json: bool) -> int:
    """Show what a relay says of itself."""
    if not url.startswith(("http://", "https://")):
        raise MatchError(f"{url!r:.100} is no address of a relay", fix="give http://host:port")
    try:
        with urllib.request.urlopen(f"{url.rstrip('/')}/status", timeout=10) as answer:
            text = answer.read(_STATUS).decode()
    except (urllib.error.URLError, HTTPException, ValueError, OSError) as error:
        reason = getattr(error, "reason", error)
        raise MatchError(
            f"no answer from {url}: {reason}", fix="start the relay, or ask for its address"
        ) from None
    try:
        lines = [*_status_lines(json.loads(text))]
    except (ValueError, TypeError, LookupError, AttributeError):
        raise MatchError(
            f"{url} is not a relay's: its answer is no status of matches",
            fix="ask for the relay's address",
        ) from None
    print(text.strip() if as_json else "\n".join(lines))
    return SAME


def _status_lines(found: Any) -> Iterator[str]:
    """What a relay says of itself, as people read it."""
    yield f"{found['simulation']}, digest {found['digest']}: {len(found['matches'])} matches"
    for name, match in found["matches"].items():
        ended = f", ended: {match['ended']}" if match["ended"] else ""
        away = f", away {match['away']}" if match["away"] else ""
        yield f"{name}: {match['frames']:,} frames, players {match['players']}{away}{ended}"
        yield from (f"  {desync}" for desync in match["desyncs"])
        yield from (f"  {text}" for text in match["verdicts"].values())


def verdict(folder: str) -> int:
    """Print a match's verdicts."""
    path = Path(folder)
    if not (path / "match.json").is_file():
        raise MatchError(f"{folder} has no match", fix="give a match's folder in a relay's store")
    names = {file.name: file for file in path.iterdir()}
    found = [(match, file) for name, file in names.items() if (match := _EVIDENCE.fullmatch(name))]
    told = {int(match["frame"]): file for match, file in found if match["verdict"]}
    asked = {int(match["frame"]) for match, _ in found}
    for frame in sorted(asked):
        if frame in told:
            print(told[frame].read_text().rstrip())
        else:
            print(f"frame {frame}: bits parted, and the diagnosis is not done")
    if not asked:
        print("no desync")
    return DIFFERS if asked else SAME


def _windows(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        found = tuple(int(part) for part in text.split(","))
    except ValueError:
        found = (-1,)
    if not all(0 <= n <= 64 for n in found):
        raise MatchError(
            f"--window {text!r:.60} is no list of frames",
            fix="give numbers from 0 to 64, such as 0,8",
        )
    return found


def _secret(path: str) -> bytes:
    try:
        data = Path(path).read_bytes().strip()
    except OSError as error:
        raise MatchError(
            f"cannot read the secret {path}: {error.strerror}",
            fix="make one: head -c 32 /dev/urandom | base64 > secret.key",
        ) from None
    return data


def shown(event: MatchEvent) -> str:
    """An event as people read it."""
    from samebits.net.events import Desynced, Ended, Refused, VerdictKnown

    match event:
        case Desynced():
            return f"desync after {event}"
        case Refused():
            values = f" (the relay has {event.ours}, this {event.theirs})" if event.theirs else ""
            return f"refused: {event.reason}{values}"
        case VerdictKnown():
            return f"verdict on frame {event.frame:,}: {event.what}"
        case Ended():
            return f"ended: {event.reason}, {event.frames:,} frames, hash {event.hash:016x}"
        case _:
            pass
    facts = (f"{name} {getattr(event, name)}" for name in event.__slots__)  # type: ignore[attr-defined]
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(event).__name__).lower()
    return f"{name}: {', '.join(facts)}"


def need_websockets() -> None:
    """Raise MatchError where the package that matches need is missing."""
    from importlib.util import find_spec

    if find_spec("websockets") is None:
        raise MatchError("matches over a network need websockets", fix="pip install samebits[net]")
