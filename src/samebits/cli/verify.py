"""`samebits verify`: verifications from the options, and one report with an exit status."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from samebits.ci import first_finding
from samebits.ci.bits_file import (
    BitsError,
    BitsFile,
    Run,
    corpus_digest,
    is_bits_file,
    write_bits,
)
from samebits.ci.corpus import corpus, part, shard_of
from samebits.ci.found import default_label, failed_run, machine_facts, run_of
from samebits.cli.exit_status import BAD, DIFFERS, SAME
from samebits.cli.named import named_simulation, warn_fewer_frames
from samebits.cli.printing import UnreadReplay, VerifiedRun, print_runs, progress_bars
from samebits.digits import MOST_FRAMES, whole
from samebits.errors import ReplayError, SamebitsError, SimulationError
from samebits.output import os_reason, remedy, write_error
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
    bits: str | None = None
    label: str | None = None
    report: str | None = None
    shard: str | None = None

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
    options, whole_corpus = _part_of_corpus(options, simulation)
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
    if options.report is not None:
        _reports(options, simulation, runs)
    if options.bits is not None:
        _write_bits(options, simulation, whole_corpus, runs, unread)
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
        keep_hashes=options.bits is not None,
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


def _part_of_corpus(
    options: VerifyOptions, simulation: Simulation
) -> tuple[VerifyOptions, tuple[str, ...]]:
    """The options with the replays of folders, those of this part, and all of them."""
    found = corpus(simulation.name, options.replays)
    if found.others:
        count = len(found.others)
        sys.stderr.write(
            f"{count:,} replay{'s' * (count != 1)} of other simulations left out, such as "
            f"{found.others[0]}\n"
        )
    if options.golden is not None and len(found.replays) > 1:
        raise SimulationError(
            "--golden holds the hashes of one run, and several replays are given",
            fix="verify the replays one by one, each with its golden file",
        )
    replays = found.replays
    if options.shard is not None:
        replays = part(replays, shard_of(options.shard))
        if not replays:
            raise BitsError(
                f"--shard {options.shard} of {len(found.replays):,} replays has none",
                fix="name a folder of replays, and at most as many parts as it has replays",
            )
    return replace(options, replays=replays), found.replays


def _reports(options: VerifyOptions, simulation: Simulation, runs: Sequence[VerifiedRun]) -> None:
    """Write a desync report of each replay that differs into the folder of `--report`."""
    assert options.report is not None
    folder = Path(options.report)
    for made in runs:
        found = _first_finding(made)
        if found is None or not isinstance(made.source, ReplaySource):
            continue
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BitsError(
                f"cannot make the folder {folder}: {os_reason(error)}", fix=remedy(error)
            ) from None
        name = first_finding.report_name(
            options.label or default_label(), simulation.name, Path(made.source.replay).stem,
            content=made.source.content,
        )  # fmt: skip
        row, frame = found
        replay = made.source.replay
        with closing(ReplaySource(simulation, replay, any_code=True)) as source:
            if not source.is_own:
                path = (folder / name).with_suffix(".mcap")
                replay = str(first_finding.write_inputs(simulation, source, path))
        words = options.sim, replay
        sys.stderr.write(f"{first_finding.write_report(words, row, frame, folder / name)}\n")


def _first_finding(made: VerifiedRun) -> tuple[str, int] | None:
    """A target whose run differs, and its first frame: from another target's, else from what was
    recorded; None where nothing differs."""
    for row in made.verification.rows:
        if row.divergence is not None:
            return row.name, row.divergence.frame
    frames = [r.divergence.frame for r in made.verification.recorded.values() if r.divergence]
    ran = [row.name for row in made.verification.rows if row.frames]
    native = [name for name in ran if name.endswith("-O3")] or ran
    return (native[-1], min(frames)) if frames and native else None


def _write_bits(
    options: VerifyOptions,
    simulation: Simulation,
    replays: Sequence[str],
    runs: Sequence[VerifiedRun],
    unread: Sequence[UnreadReplay],
) -> None:
    assert options.bits is not None
    names = [Path(each).as_posix() for each in replays]
    found = [
        *(run_of(made.source, made.verification) for made in runs),
        *(failed_run(each.replay, str(each.error)) for each in unread),
    ]
    once: dict[object, Run] = {}  # copies of a replay are one run, told by what went wrong
    for run in found:
        if run.key not in once or once[run.key].result == "same" != run.result:
            once[run.key] = run
    file = BitsFile(
        options.bits,
        options.label or default_label(),
        machine_facts(),
        simulation.name,
        simulation.version,
        simulation.digest,
        (1, 1) if options.shard is None else shard_of(options.shard),
        corpus_digest(names),
        tuple(once.values()),
    )
    try:
        write_bits(file)
    except OSError as error:
        raise BitsError(
            f"cannot write {options.bits}: {os_reason(error)}", fix=remedy(error)
        ) from None


def _check_bits(options: VerifyOptions) -> None:
    if options.shard is not None:
        shard_of(options.shard)
    if options.label is not None and (
        not options.label.isprintable() or not 0 < len(options.label.strip()) <= _LONGEST_LABEL
    ):
        raise BitsError(
            f"--label {options.label!a:.80} is not a name of 1 to {_LONGEST_LABEL} characters",
            fix="write --label ubuntu-24.04-arm",
        )
    if options.bits is None:
        return
    path = Path(options.bits)
    if path.exists() and path.stat().st_size and not is_bits_file(options.bits):
        raise BitsError(
            f"{path} exists already and is not a bits file", fix="give another name with --bits"
        )
    against = write_error(path)
    if against is not None:
        raise BitsError(f"cannot write {path}: {os_reason(against)}", fix=remedy(against))


_LONGEST_LABEL = 60


def _check(options: VerifyOptions) -> None:
    options.limit  # noqa: B018
    _check_bits(options)
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
    for name in ("seed", "players"):
        if options.replays and getattr(options, name) is not None:
            raise SimulationError(
                f"--{name} does not go with a replay, which has its own inputs and seed",
                fix=f"leave out --{name}, or the replay",
            )


def _source(options: VerifyOptions, simulation: Simulation, replay: str | None) -> InputSource:
    if replay is not None:
        # A bits file compares machines: which code recorded the inputs is nothing to it.
        source = ReplaySource(simulation, replay, options.limit, any_code=options.bits is not None)
        if not source.is_own:
            sys.stderr.write(
                f"{replay} was recorded by other code: its inputs are played, its hashes are not "
                "compared\n"
            )
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
