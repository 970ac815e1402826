"""`samebits verify`: verifications from the options, and one report with an exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from samebits.cli.exit_status import BAD, DIFFERS, SAME
from samebits.cli.named import named_simulation, warn_fewer_frames
from samebits.cli.printing import UnreadReplay, VerifiedRun, print_runs, progress_bars
from samebits.digits import MOST_FRAMES, whole
from samebits.errors import ReplayError, SamebitsError, SimulationError
from samebits.sim.players import DEFAULT_FRAMES, DEFAULT_SEED
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputSource, PlayerSource, ReplaySource
from samebits.verify import executions as targets
from samebits.verify.golden import Golden, check_place, read_golden, write_golden
from samebits.verify.verification import Verification
from samebits_command import interrupted


@dataclass(frozen=True)
class VerifyOptions:
    """The command's options as they were typed."""

    sim: str
    replays: tuple[str, ...]
    targets: tuple[str, ...] | None
    frames: str | None
    players: str | None
    seed: int | None
    golden: str | None
    update_golden: bool
    json: bool
    timeout: float | None = None

    @property
    def limit(self) -> int | None:
        """The most frames to run; SimulationError if it is neither a count nor `all`."""
        if self.frames in (None, "all"):
            return None
        assert self.frames is not None
        count = whole(self.frames)
        if count is not None and 0 < count <= MOST_FRAMES:
            return count
        raise SimulationError(
            f"--frames {self.frames:.60} is neither a count of frames, from 1 to "
            f"{MOST_FRAMES:,}, nor all",
            fix="write --frames 600 or --frames all",
        )


def run(options: VerifyOptions) -> int:
    """Verify and report; return the exit status."""
    _check(options)
    rows = targets.choose_rows(targets.all_rows(), options.targets)
    simulation = named_simulation(options.sim)
    golden = _golden(options, simulation)
    runs: list[VerifiedRun] = []
    unread: list[UnreadReplay] = []
    for replay in options.replays or (None,):
        try:
            runs.append(_verified(options, simulation, rows, golden, replay))
        except SamebitsError as error:
            if replay is None or len(options.replays) == 1:
                raise
            unread.append(UnreadReplay(replay, error))  # the other replays still have results
            continue
        if runs[-1].interrupted:
            break
    print_runs(simulation, runs, options.json, unread)
    for each in unread:
        sys.stderr.write(f"{each.error}\n")
    if runs and runs[-1].interrupted:
        word, code = interrupted()
        sys.stderr.write(f"{word}: {runs[-1].verification.frames:,} frames compared\n")
        return code
    results = {made.verification.result for made in runs}
    if results & {"differs", "failed"}:
        return DIFFERS
    damaged = any(made.source.damage for made in runs)
    if damaged or unread or results != {"same"}:
        if damaged and options.update_golden:
            sys.stderr.write(f"{options.golden} is not written: the replay is damaged\n")
        return BAD
    if options.update_golden:
        _update(options, simulation, runs[0].verification)
    return SAME


def _verified(
    options: VerifyOptions,
    simulation: Simulation,
    rows: Sequence[targets.Row],
    golden: Golden | None,
    replay: str | None,
) -> VerifiedRun:
    """Verify one replay, or a script without one."""
    source = _source(options, simulation, replay)
    verification = Verification(
        simulation,
        source,
        rows,
        whole=options.frames == "all",
        known=_known(options, golden),
        sample_every=simulation.tick_rate if options.update_golden else 0,
        timeout=options.timeout,
    )
    players = source.players if isinstance(source, PlayerSource) else None
    note = None
    if golden is not None and golden.digest != simulation.digest:
        # Not an error: a golden file is there to show that new code gives the old bits.
        note = f"the simulation's code has changed since {options.golden} was written"
    made = VerifiedRun(source, verification, players, note)
    try:
        with progress_bars(source.frames) as bars:
            verification.show_row = bars.show_row
            verification.run(bars.show)
    except KeyboardInterrupt:
        made.interrupted = True
    finally:
        if isinstance(source, ReplaySource):
            source.close()
    return made


def _check(options: VerifyOptions) -> None:
    options.limit  # noqa: B018
    if options.timeout is not None and not 0 < options.timeout <= 1e6:
        raise SimulationError(
            f"--timeout {options.timeout:g} is not a positive number of seconds",
            fix="write --timeout 60, or leave it out for none",
        )
    if options.update_golden and options.golden is None:
        raise SimulationError(
            "--update-golden does not say which file", fix="add --golden FILE, the file to write"
        )
    if options.update_golden and options.golden is not None:
        check_place(options.golden)
    if options.golden is not None and len(options.replays) > 1:
        raise SimulationError(
            "--golden holds the hashes of one run, and several replays are given",
            fix="verify the replays one by one, each with its golden file",
        )
    for name in ("seed", "players"):
        if options.replays and getattr(options, name) is not None:
            raise SimulationError(
                f"--{name} does not go with a replay, which has its own inputs and seed",
                fix=f"leave out --{name}, or the replay",
            )


def _source(options: VerifyOptions, simulation: Simulation, replay: str | None) -> InputSource:
    if replay is not None:
        source = ReplaySource(simulation, replay, options.limit)
        warn_fewer_frames(replay, source.frames, options.limit)
        return source
    seed = DEFAULT_SEED if options.seed is None else options.seed
    return PlayerSource(simulation, options.players, seed, options.limit or DEFAULT_FRAMES)


def _golden(options: VerifyOptions, simulation: Simulation) -> Golden | None:
    if options.golden is None or options.update_golden:
        return None
    try:
        os.stat(options.golden)
    except FileNotFoundError:
        raise ReplayError(
            f"there is no golden file {options.golden}", fix="write it with --update-golden"
        ) from None
    except OSError:
        pass  # it could not be written there either; reading it says why
    golden = read_golden(options.golden)
    if golden.simulation != simulation.name:
        raise ReplayError(
            f"{options.golden} is a golden file of another simulation: '{golden.simulation}', "
            f"not '{simulation.name}'"
        )
    return golden


def _known(options: VerifyOptions, golden: Golden | None) -> dict[str, dict[int, int]]:
    """The golden file's hashes; under --frames N, those of the first N frames."""
    if golden is None:
        return {}
    limit = options.limit
    hashes = {f: value for f, value in golden.hashes if limit is None or f < limit}
    if not hashes:
        raise ReplayError(
            f"{options.golden} has no hash in the first {limit} frames",
            fix=f"run more than {golden.hashes[0][0]} frames",
        )
    return {"golden": hashes}


def _update(options: VerifyOptions, simulation: Simulation, verification: Verification) -> None:
    assert options.golden is not None
    write_golden(options.golden, simulation.name, simulation.digest, verification.sampled)
    count = len(verification.sampled)
    sys.stderr.write(f"{options.golden}: {count} hash{'' if count == 1 else 'es'} written\n")
