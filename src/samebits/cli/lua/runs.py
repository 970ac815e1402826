"""`samebits lua record`, `verify` and `diagnose`: runs of scripts, and what is printed of them."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from samebits.cli.exit_status import DIFFERS, SAME
from samebits.cli.named import words
from samebits.errors import ArgumentError, ReportError
from samebits.foreign.records import ForeignRun, is_record, read_record
from samebits.lua.engines import engine_named
from samebits.lua.game import Game, Script
from samebits.lua.hosts import host_hashes
from samebits.lua.layout import random_values
from samebits.lua.natives import LIBM, SAMEBITS
from samebits.lua.record import Frames, inputs_of, record_bytes, run_frames
from samebits.lua.restoring import first_unrestored
from samebits.lua.trace import FirstDifference, compare, first_difference
from samebits.output import os_reason, remedy, write_file
from samebits.types import FixedArrayType

JSON_FORMAT = 1


def record(
    path: str, out: str, frames: int, seed: int, engine: str, inputs: str, force: bool
) -> int:
    """Run a script and write its record; return the exit status."""
    game = Game(path, engine, seed=seed)
    run = run_frames(game, _inputs(game, inputs, frames, seed))
    data = record_bytes(game, run)
    try:
        write_file(Path(out), data, replace=force)
    except FileExistsError:
        raise ReportError(f"{out} exists already", fix="give another name, or --force") from None
    except OSError as error:
        raise ReportError(f"cannot write {out}: {os_reason(error)}", fix=remedy(error)) from None
    print(
        f"{out}: {len(run.inputs):,} frames, {len(data):,} bytes, last hash {run.hashes[-1]:016x}"
    )
    return SAME


def _inputs(game: Game, source: str, frames: int, seed: int) -> list[bytes]:
    if source not in ("random", "zero"):
        if not is_record(source):
            raise ArgumentError(
                f"there are no inputs {source}", fix="write random, zero or a record"
            )
        return inputs_of(game, read_record(source))[:frames]
    if game.input_type is None or source == "zero":
        return [bytes(game.input_size)] * frames
    draw = random.Random(seed)
    players = FixedArrayType(game.input_type, (game.players,))
    return [random_values(players, draw) for _ in range(frames)]


def verify(
    path: str,
    record_path: str,
    engines: str,
    restore: bool,
    as_json: bool,
    hosts: Sequence[str] = (),
) -> int:
    """Compare runs of a record's inputs with its hashes; return the exit status."""
    script, recorded = Script.read(path), read_record(record_path)
    rows = [_row(script, recorded, engine) for engine in words("--engines", engines)]
    rows += [_host_row(script, recorded, host) for host in hosts]
    if restore:
        rows.append(_restored_row(script, recorded, words("--engines", engines)[0]))
    status = DIFFERS if any(row["frame"] is not None for row in rows) else SAME
    if as_json:
        print(json.dumps({"format": JSON_FORMAT, "same": status == SAME, "rows": rows}, indent=1))
        return status
    width = max(8, *(len(row["engine"]) for row in rows))
    for row in rows:
        frame = row["frame"]
        said = "same" if frame is None else f"differs from {_frame(frame)} on"
        if frame is not None and row["what"] == "restored":
            said = (
                f"{_frame(frame)} from a saved state gives another one: the script keeps state "
                "outside of it, in a local or a global"
            )
        print(f"{row['engine']:{width}} {row['what']:9} {row['frames']:>9,} frames  {said}")
    return status


def _row(script: Script, recorded: ForeignRun, engine: str) -> dict[str, Any]:
    run = _again(Game(script, engine_named(engine).name, seed=_seed(recorded)), recorded)
    hashes = dict(enumerate(run.hashes, -1))
    found = next((n for n, h in recorded.hashes.items() if hashes.get(n, h) != h), None)
    return {"engine": engine, "what": "replayed", "frames": len(run.inputs), "frame": found}


def _host_row(script: Script, recorded: ForeignRun, host: str) -> dict[str, Any]:
    """Another program's run of the script; a frame that it does not tell differs."""
    inputs = inputs_of(Game(script, seed=_seed(recorded)), recorded)
    hashes = host_hashes(host, _seed(recorded), inputs)
    found = next((n for n, h in recorded.hashes.items() if hashes.get(n) != h), None)
    return {"engine": host, "what": "host", "frames": len(inputs), "frame": found}


def _restored_row(script: Script, recorded: ForeignRun, engine: str) -> dict[str, Any]:
    run = _again(Game(script, engine, seed=_seed(recorded)), recorded)
    found = first_unrestored(script, engine, run)
    return {"engine": engine, "what": "restored", "frames": len(run.inputs), "frame": found}


def diagnose(path: str, record_path: str, a: str, b: str, as_json: bool) -> int:
    """Print where two sides of a script part; return the exit status."""
    script, recorded = Script.read(path), read_record(record_path)
    sides = (_side(a), _side(b))
    runs = [_again(Game(script, *side[:1], seed=_seed(recorded), math=side[1]), recorded)
            for side in sides]  # fmt: skip
    frame = first_difference(runs[0], runs[1])
    if frame is None:
        if as_json:
            print(json.dumps({"format": JSON_FORMAT, "same": True}, indent=1))
        else:
            print(f"a {a} and b {b}: the same bits after each of {len(runs[0].inputs):,} frames")
        return SAME
    traced = [Game(script, engine, seed=_seed(recorded), math=math, traced=True)
              for engine, math in sides]  # fmt: skip
    found = compare(frame, (traced[0], traced[1]), (runs[0], runs[1]), traced[0].runtime.sites)
    if as_json:
        print(json.dumps({"format": JSON_FORMAT, "same": False, **_facts(found)}, indent=1))
    else:
        print(f"a {a}, b {b}")
        print("\n".join(found.text()))
    return DIFFERS


def _facts(found: FirstDifference) -> dict[str, Any]:
    site = found.site
    facts: dict[str, Any] = {
        "frame": found.frame, "path": found.is_path, "believed": found.is_believed,
    }  # fmt: skip
    if site is not None:
        facts |= {"file": site.file, "line": site.line, "operation": site.text}
    for name, event in (("a", found.a), ("b", found.b)):
        if event is not None:
            facts[name] = {
                "operands": [_hex(each) for each in event.operands], "result": _hex(event.result),
            }  # fmt: skip
    return facts


def _hex(data: bytes) -> str:
    return f"{int.from_bytes(data, 'little'):016x}"


def _side(text: str) -> tuple[str, str]:
    engine, _, math = text.partition("+")
    if math not in ("", LIBM):
        raise ArgumentError(
            f"there is no side {text[:40]!a}", fix="write lua54, luajit or lua54+libm"
        )
    return engine_named(engine).name, math or SAMEBITS


def _again(game: Game, recorded: ForeignRun) -> Frames:
    return run_frames(game, inputs_of(game, recorded))


def _seed(recorded: ForeignRun) -> int:
    """A record's seed is an unsigned word."""
    return recorded.seed - (1 << 64) if recorded.seed >> 63 else recorded.seed


def _frame(number: int) -> str:
    return "the set-up" if number < 0 else f"frame {number:,}"
